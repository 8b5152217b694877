//! Inputs: elements on the GPU that repeat, so that the host computes the results of one period only.

use std::cell::LazyCell;
use std::rc::Rc;

use halofold::reduce::Op;
use halofold::{Element, Slice, wgpu};
use halofold_measure::{TestData, upload};

use crate::calls::storage;
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
    /// A pool of `room` bytes, unless the device has room for less, that repeat a block. Both sizes are powers of two.
    pub fn shared<'a>(
        machine: &'a Machine,
        room: u64,
        block: impl FnOnce() -> Vec<u8> + 'a,
    ) -> Shared<'a, Self> {
        shared(move || {
            let (block, most) = (block(), 1 << machine.device.limits().max_buffer_size.ilog2());
            let buffer = storage(&machine.device, room.min(most).max(block.len() as u64));
            let periods = (0..buffer.size()).step_by(block.len()).flat_map(|_| block.chunks(WRITTEN));
            upload(&machine.queue, &buffer, periods);
            Pool { block, buffer }
        })
    }

    /// The input of the call of a number, of `bytes`: one input behind the other, and then again from the start.
    pub fn input(&self, bytes: u64, number: u64) -> Slice<'_> {
        Slice::new(&self.buffer, number % (self.buffer.size() / bytes) * bytes, bytes)
    }

    /// Returns the elements that the input of call `number` repeats, and how many times: a power of two.
    pub fn repeated(&self, bytes: u64, number: u64) -> (&[u8], usize) {
        let period = self.block.len() as u64;
        let (len, first) = (period.min(bytes), number * bytes % period);
        (&self.block[first as usize..][..len as usize], (bytes / len) as usize)
    }
}

/// The random word at an index.
pub fn word(at: u64) -> u64 {
    TestData::new(Op::Sum, Element::U64, PERIOD).word(at as usize)
}

/// The bytes of elements by their index and the random word there.
pub fn generate<T: bytemuck::Pod>(len: u64, element: impl Fn(u64, u64) -> T) -> Vec<u8> {
    let elements: Vec<T> = (0..len).map(|at| element(at, word(at))).collect();
    bytemuck::pod_collect_to_vec(&elements)
}
