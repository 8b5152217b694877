//! Inputs: small integers, whatever the type, so that every order of additions gives the same sum and a result is right to the bit.

use std::cell::LazyCell;

use halofold::reduce::Op;
use halofold::{Element, Slice, wgpu};
use halofold_measure::TestData;

use crate::common::Machine;
use crate::exact::Data;

/// Elements of most pools repeat after so many: the CPU need look at no more. A power of two.
pub const PERIOD: u64 = 1 << 20;

/// Memory full of elements on the GPU, and those of one period on the host.
pub struct Pool {
    /// The bytes of one period.
    pub block: Vec<u8>,
    /// All of it: whole periods.
    buffer: wgpu::Buffer,
    /// Elements in the buffer.
    len: u64,
    /// Bytes of an element.
    size: u64,
    /// Elements of a period.
    period: u64,
}

/// Bytes that are written to a buffer at once.
const WRITTEN: usize = 64 << 20;

impl Pool {
    /// At least so many elements that repeat a block of elements of this many bytes; their number is a power of two.
    pub fn new(machine: &Machine, block: Vec<u8>, size: u64, len: u64) -> Self {
        let bytes = block.len() as u64;
        let period = bytes / size;
        let len = len.max(period);
        let device = &machine.device;
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold period"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        for (piece, at) in block.chunks(WRITTEN).zip((0..).step_by(WRITTEN)) {
            machine.queue.write_buffer(&staging, at, piece);
            machine.queue.submit([]);
        }
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold input"),
            size: len * size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        for at in 0..len / period {
            encoder.copy_buffer_to_buffer(&staging, 0, &buffer, at * bytes, bytes);
        }
        machine.queue.submit([encoder.finish()]);
        Pool { block, buffer, len, size, period }
    }

    /// First element of the input of the call of a number: one input behind the other, and then again from the start.
    pub fn start(&self, n: u64, number: u64) -> u64 {
        number % (self.len / n) * n
    }

    /// That input.
    pub fn input(&self, n: u64, number: u64) -> Slice<'_> {
        Slice::new(&self.buffer, self.start(n, number) * self.size, n * self.size)
    }

    /// The elements that one starting at `start` repeats, as often as it has to: a power of two, as `n` is.
    pub fn repeated(&self, start: u64, n: u64) -> (&[u8], u64) {
        let len = n.min(self.period);
        let first = ((start % self.period) * self.size) as usize;
        (&self.block[first..][..(len * self.size) as usize], n / len)
    }
}

/// The inputs of one type. The second one, of dot products, is made when it is asked for.
pub struct Pools<'a> {
    /// The first.
    pub first: Pool,
    /// The second.
    pub second: LazyCell<Pool, Box<dyn FnOnce() -> Pool + 'a>>,
}

impl<'a> Pools<'a> {
    /// At least so many elements, those of the first of these sizes.
    pub fn new(machine: &'a Machine, element: Element, data: Data, len: u64) -> Self {
        let period = move |seed| data.period().unwrap_or_else(|| bytes(element, seed));
        let pool = move |seed| Pool::new(machine, period(seed), element.size(), len);
        Pools { first: pool(0), second: LazyCell::new(Box::new(move || pool(PERIOD))) }
    }
}

/// One period: -4 to 4, of unsigned integers 0 to 8. A smallest element comes once, and their sum is 3, so that no
/// partial sum of hundreds of periods leaves what a 32-bit float holds exactly.
fn bytes(element: Element, seed: u64) -> Vec<u8> {
    /// Position of the smallest element.
    const LEAST: usize = PERIOD as usize / 8 * 5 + 3;
    let data = TestData::new(Op::Sum, Element::U64, 2 * PERIOD);
    let word = |at| (data.word((seed + at) as usize) >> 32) % 9;
    let mut items: Vec<i64> = (0..PERIOD).map(|at| word(at) as i64 - 4).collect();
    items[LEAST] = -5;
    let mut excess = items.iter().sum::<i64>() - 3;
    for item in items.iter_mut() {
        let step = excess.signum();
        if (-4..=4).contains(item) && (-4..=4).contains(&(*item - step)) {
            *item -= step;
            excess -= step;
        }
    }
    items.iter().flat_map(|&item| of(element, item)).collect()
}

/// A small integer as an element.
fn of(element: Element, item: i64) -> Vec<u8> {
    match element {
        Element::F16 => half::f16::from_f64(item as f64).to_le_bytes().to_vec(),
        Element::F32 => (item as f32).to_le_bytes().to_vec(),
        Element::F64 => (item as f64).to_le_bytes().to_vec(),
        Element::I32 => (item as i32).to_le_bytes().to_vec(),
        Element::U32 => ((item + 5) as u32).to_le_bytes().to_vec(),
        Element::U64 => ((item + 5) as u64).to_le_bytes().to_vec(),
        Element::I64 => item.to_le_bytes().to_vec(),
        other => unreachable!("{other} is new"),
    }
}
