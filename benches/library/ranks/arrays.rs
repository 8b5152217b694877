//! Arrays of floats on the GPU and on the host. No element is a NaN or -0.

use std::cell::OnceCell;
use std::f64::consts::TAU;
use std::thread;

use halofold::Element;
use halofold::reduce::Op;
use halofold_measure::TestData;

use crate::common::Machine;
use crate::pool::{PERIOD, Pool};

/// Bytes of an element.
pub const WORD: u64 = 4;

/// An array of one kind. Whole arrays have no period; those of rows repeat some of these.
pub struct Array<'a> {
    /// The machine that has it.
    pub machine: &'a Machine,
    /// Its elements.
    pub n: u64,
    /// The elements of a row, if rows are asked for.
    pub row: Option<u64>,
    kind: &'static str,
    room: u64,
    pool: OnceCell<Pool>,
    sorted: OnceCell<Vec<f32>>,
}

impl<'a> Array<'a> {
    /// An array of `n` elements, in memory of `room`. It is made when it is asked for.
    pub fn new(machine: &'a Machine, kind: &'static str, row: Option<u64>, n: u64, room: u64) -> Self {
        Array { machine, n, row, kind, room, pool: OnceCell::new(), sorted: OnceCell::new() }
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> u64 {
        WORD * self.n
    }

    /// Elements until they repeat.
    pub fn period(&self) -> u64 {
        if self.row.is_some() { self.n.min(PERIOD) } else { self.n }
    }

    /// Elements of a row: all, if no rows are asked for.
    pub fn row_len(&self) -> u64 {
        self.row.unwrap_or(self.n)
    }

    /// It on the GPU, as often as there is room.
    pub fn pool(&self) -> &Pool {
        let pool = || Pool::new(self.machine, elements(self.kind, self.period()), WORD, self.room);
        self.pool.get_or_init(pool)
    }

    /// The elements of each row of a period, in order.
    pub fn sorted(&self) -> &[f32] {
        self.sorted.get_or_init(|| {
            let mut elements: Vec<f32> = bytemuck::pod_collect_to_vec(&self.pool().block);
            elements.chunks_mut(self.row_len() as usize).for_each(sort);
            elements
        })
    }
}

/// So many elements, written by all threads.
fn elements(kind: &'static str, n: u64) -> Vec<u8> {
    let data = TestData::new(Op::Sum, Element::U64, n);
    let mut bytes = vec![0; (WORD * n) as usize];
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = (n as usize).div_ceil(threads);
    thread::scope(|scope| {
        for (thread, part_bytes) in bytes.chunks_mut(WORD as usize * part).enumerate() {
            scope.spawn(move || {
                let places = (thread * part..).zip(part_bytes.chunks_exact_mut(WORD as usize));
                places.for_each(|(at, place)| {
                    place.copy_from_slice(&element(kind, at, data.word(at)).to_le_bytes());
                });
            });
        }
    });
    bytes
}

/// Steps of normal elements from 0 to 1.
const STEPS: f64 = (1 << 20) as f64;

/// The element at an index, by the random word there.
fn element(kind: &str, at: usize, word: u64) -> f32 {
    let unit = |bits: u64| bits as f64 / (1u64 << 32) as f64;
    match kind {
        "uniform" => (word >> 40) as f32 / (1 << 24) as f32,
        "normal" => {
            let radius = (-2.0 * unit((word >> 32) + 1).ln()).sqrt();
            let normal = radius * (TAU * unit(word & 0xffff_ffff)).cos();
            // The difference of any two is exact.
            ((normal * STEPS).round() / STEPS) as f32 + 0.0
        }
        // Sums are exact.
        "small" => ((word >> 32) % 9) as f32 - 4.0,
        // Exponents from -63 to 64: GPUs may lose differences that are subnormal.
        "bits" => f32::from_bits(word as u32 & 0x807f_ffff | (64 + (word >> 32) as u32 % 128) << 23),
        "sorted" => f32::from_bits(0x3000_0000 + at as u32),
        "two-values" => [-1.0, 1e30][(word & 1) as usize],
        "all-equal" => 3.5,
        "periodic" => (at % 256) as f32 * 0.25,
        other => unreachable!("{other} is new"),
    }
}

/// Sorts elements, long parts of them in threads.
fn sort(elements: &mut [f32]) {
    /// The longest part that one thread sorts.
    const LONG: usize = 1 << 24;
    if elements.len() <= LONG {
        return elements.sort_unstable_by(f32::total_cmp);
    }
    let middle = elements.len() / 2;
    let (below, _, above) = elements.select_nth_unstable_by(middle, f32::total_cmp);
    thread::scope(|scope| {
        scope.spawn(|| sort(below));
        sort(above);
    });
}
