//! Inputs on the GPU, where their blocks repeat.

use std::collections::HashMap;
use std::rc::Rc;

use halofold::{Slice, wgpu};
use halofold_cases::timed::{Input, Timed};
use halofold_measure::upload;

use crate::calls::storage;
use crate::common::Machine;

/// Bytes that are written to a buffer at once.
const WRITTEN: usize = 64 << 20;

/// The pools of the rows that are not measured yet.
#[derive(Default)]
pub struct Pools(HashMap<*const Input, Pool>);

impl Pools {
    /// The pools of a row's inputs, in whose order they are.
    pub fn of(&mut self, machine: &Machine, row: &Timed) -> Vec<&Pool> {
        for input in &row.inputs {
            self.0.entry(Rc::as_ptr(input)).or_insert_with(|| Pool::new(machine, input.clone()));
        }
        row.inputs.iter().map(|input| &self.0[&Rc::as_ptr(input)]).collect()
    }

    /// Drops what no row has any more.
    pub fn drop_unused(&mut self) {
        self.0.retain(|_, pool| Rc::strong_count(&pool.input) > 1);
    }
}

/// Memory full of an input's periods.
pub struct Pool {
    input: Rc<Input>,
    buffer: wgpu::Buffer,
}

impl Pool {
    /// A pool of the input's bytes, unless the device has room for less. Both sizes are powers of two.
    pub fn new(machine: &Machine, input: Rc<Input>) -> Self {
        let (block, most) = (input.block(), 1 << machine.device.limits().max_buffer_size.ilog2());
        let buffer = storage(&machine.device, input.room.min(most).max(block.len() as u64));
        let periods = (0..buffer.size()).step_by(block.len()).flat_map(|_| block.chunks(WRITTEN));
        upload(&machine.queue, &buffer, periods);
        Pool { input, buffer }
    }

    /// The input of the call of a number, of `bytes`: one input behind the other, and then again from the start.
    pub fn input(&self, bytes: u64, number: u64) -> Slice<'_> {
        Slice::new(&self.buffer, number % (self.buffer.size() / bytes) * bytes, bytes)
    }

    /// Returns the elements that the input of call `number` repeats, and how many times: a power of two.
    pub fn repeated(&self, bytes: u64, number: u64) -> (&[u8], usize) {
        let period = self.input.block().len() as u64;
        let (len, first) = (period.min(bytes), number * bytes % period);
        (&self.input.block()[first as usize..][..len as usize], (bytes / len) as usize)
    }
}
