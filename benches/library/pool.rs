//! Inputs: elements on the GPU that repeat, so that the host computes the results of one period only.

use std::cell::LazyCell;
use std::rc::Rc;
use std::thread;

use halofold::reduce::Op;
use halofold::{Element, Slice, wgpu};
use halofold_measure::TestData;

use crate::common::Machine;

/// The period of most pools, in elements: a power of two.
pub const PERIOD: u64 = 1 << 20;

/// Bytes of most elements, ids, keys and results.
pub const WORD: u64 = 4;

/// Bytes that are written to a buffer at once.
const WRITTEN: usize = 64 << 20;

/// What several tasks share: made when the first of them asks for it, and dropped with the last of them.
pub type Shared<'a, T> = Rc<LazyCell<T, Box<dyn FnOnce() -> T + 'a>>>;

/// Shares what a function makes.
pub fn shared<'a, T>(make: impl FnOnce() -> T + 'a) -> Shared<'a, T> {
    Rc::new(LazyCell::new(Box::new(make)))
}

/// Memory full of elements on the GPU, and the elements of one period on the host.
pub struct Pool {
    block: Vec<u8>,
    /// Whole periods.
    buffer: wgpu::Buffer,
}

impl Pool {
    /// A pool of at least `room` bytes that repeat a block, made on first use. Both sizes are powers of two.
    pub fn shared<'a>(
        machine: &'a Machine,
        room: u64,
        block: impl FnOnce() -> Vec<u8> + 'a,
    ) -> Shared<'a, Self> {
        shared(move || Pool::new(machine, room, block()))
    }

    fn new(machine: &Machine, room: u64, block: Vec<u8>) -> Self {
        let bytes = block.len() as u64;
        let buffer = |label, size, usage| {
            machine.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let staging = buffer("halofold period", bytes, wgpu::BufferUsages::COPY_SRC);
        for (piece, at) in block.chunks(WRITTEN).zip((0..).step_by(WRITTEN)) {
            machine.queue.write_buffer(&staging, at, piece);
            machine.queue.submit([]);
        }
        let buffer = buffer("halofold input", bytes.max(room), wgpu::BufferUsages::STORAGE);
        let mut encoder = machine.device.create_command_encoder(&Default::default());
        for at in (0..buffer.size()).step_by(block.len()) {
            encoder.copy_buffer_to_buffer(&staging, 0, &buffer, at, bytes);
        }
        machine.queue.submit([encoder.finish()]);
        Pool { block, buffer }
    }

    /// The input of the call of a number, of `bytes`: one input behind the other, and then again from the start.
    pub fn input(&self, bytes: u64, number: u64) -> Slice<'_> {
        Slice::new(&self.buffer, number % (self.buffer.size() / bytes) * bytes, bytes)
    }

    /// The elements that this input repeats, and how often: a power of two.
    pub fn repeated(&self, bytes: u64, number: u64) -> (&[u8], u64) {
        let period = self.block.len() as u64;
        let (len, first) = (period.min(bytes), self.input(bytes, number).offset() % period);
        (&self.block[first as usize..][..len as usize], bytes / len)
    }
}

/// The random word at an index.
pub fn word(at: u64) -> u64 {
    TestData::new(Op::Sum, Element::U64, PERIOD).word(at as usize)
}

/// Elements by their index and the random word there, counted from `seed`. All threads write them.
pub fn generate<const N: usize>(
    len: u64,
    seed: u64,
    element: impl Fn(u64, u64) -> [u8; N] + Sync,
) -> Vec<u8> {
    let mut bytes = vec![0; N * len as usize];
    let part = (len as usize).div_ceil(thread::available_parallelism().map_or(1, usize::from));
    thread::scope(|scope| {
        for (start, part) in (0..).step_by(part).zip(bytes.chunks_mut(N * part)) {
            let element = &element;
            scope.spawn(move || {
                for (at, place) in (start..).zip(part.chunks_exact_mut(N)) {
                    place.copy_from_slice(&element(at, word(seed + at)));
                }
            });
        }
    });
    bytes
}

/// An integer from -4 to 4, by a random word.
pub fn small(word: u64) -> i64 {
    ((word >> 32) % 9) as i64 - 4
}

/// Floats from -4 to 4 whose sums are exact.
pub fn small_floats(len: u64) -> Vec<u8> {
    generate(len, 0, |_, word| (small(word) as f32).to_le_bytes())
}
