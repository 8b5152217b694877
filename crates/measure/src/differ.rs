//! Compares two buffers of any size on the GPU, by a reduction with an operator of two inputs: `shaders/differ.wgsl`.
use halofold::read::{ReadError, Readback};
use halofold::reduce::{Arity, Both, Bound, Monoid, Reduce};
use halofold::{Compiled, Element, Slice, Workspace};
use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::buffer::buffer;

/// Bytes of a result: the number of words that differ, and the index of the first.
const RESULT: u64 = 8;

/// Compares buffers with an expected buffer.
#[derive(Debug)]
pub(crate) struct Differ {
    reducer: Compiled<Reduce>,
    expected: Buffer,
    workspace: Workspace,
    result: Buffer,
    readback: Readback,
}

impl Differ {
    /// `expected` has whole words.
    pub(crate) fn new(device: &Device, expected: Buffer) -> Result<Self, halofold::Error> {
        let differ = include_str!("../shaders/differ.wgsl");
        let monoid = Monoid::custom("differ", Element::U32, Arity::Two, differ)
            .expect("the operator is valid: every comparison tests it");
        let reducer = Compiled::new(device, Reduce::new(monoid), &Default::default())?;
        let workspace = Workspace::new(device);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let result = buffer(device, "halofold::measure::differences", RESULT, usage);
        let readback = Readback::new(device, RESULT);
        Ok(Differ { reducer, expected, workspace, result, readback })
    }

    /// Binds the comparison of a buffer with the expected one.
    pub(crate) fn bind(&self, found: &Buffer) -> Result<Bound, halofold::Error> {
        let [first, second] =
            [found, &self.expected].map(|buffer| Slice::new(buffer, 0, self.expected.size()));
        self.reducer.of(Both { first, second }).workspace(&self.workspace).bind(&self.result)
    }

    /// Records a comparison, submits everything and waits. Returns the number of words that differ and the index of the first;
    /// `None` if none differs.
    pub(crate) fn run(
        &self,
        queue: &Queue,
        mut encoder: CommandEncoder,
        comparison: &Bound,
    ) -> Result<Option<(u64, u64)>, ReadError> {
        comparison.encode(&mut encoder);
        self.readback.encode(&mut encoder, &self.result, 0, RESULT)?;
        queue.submit([encoder.finish()]);
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&self.readback.wait(RESULT)?);
        Ok((words[0] != 0).then(|| (words[0].into(), words[1].into())))
    }
}
