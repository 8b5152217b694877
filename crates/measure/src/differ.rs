//! Comparing two buffers on the GPU, however large: a reduction by an operator of two inputs, `shaders/differ.wgsl`.
use halofold::read::{ReadError, Readback};
use halofold::reduce::{Arity, Both, Bound, BufferRange, Monoid, Reduce};
use halofold::{Compiled, Element, Slice, Workspace};
use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::buffer::buffer;

/// Bytes of a word.
const WORD: u64 = 4;

/// The most words of one reduction, whose positions have 32 bits.
const PIECE: u64 = 1 << 31;

/// Bytes between the results of two pieces: the largest alignment a device may ask for.
const STRIDE: u64 = 256;

/// Compares buffers with an expected one.
#[derive(Debug)]
pub(crate) struct Differ {
    reducer: Compiled<Reduce>,
    expected: Buffer,
    /// The parts of the buffers that are reduced one after the other.
    pieces: Vec<BufferRange>,
    workspace: Workspace,
    results: Buffer,
    readback: Readback,
}

impl Differ {
    /// `expected` has whole words.
    pub(crate) fn new(device: &Device, expected: Buffer) -> Result<Self, halofold::Error> {
        let differ = include_str!("../shaders/differ.wgsl");
        let monoid = Monoid::custom("differ", Element::U32, Arity::Two, differ)
            .expect("the operator is valid: every comparison tests it");
        let reducer = Compiled::new(device, Reduce::new(monoid), &Default::default())?;
        let words = expected.size() / WORD;
        let piece = |at| BufferRange { offset: at * WORD, len: PIECE.min(words - at) };
        let pieces: Vec<_> = (0..words).step_by(PIECE as usize).map(piece).collect();
        let workspace = Workspace::new(device);
        let size = STRIDE * pieces.len() as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let results = buffer(device, "halofold::measure::differences", size, usage);
        let readback = Readback::new(device, size);
        Ok(Differ { reducer, expected, pieces, workspace, results, readback })
    }

    /// The reductions that compare a buffer with the expected one, one for each piece.
    pub(crate) fn bind(&self, found: &Buffer) -> Result<Vec<Bound>, halofold::Error> {
        let bind = |(result, piece): (u64, &BufferRange)| {
            let BufferRange { offset, len } = *piece;
            let [first, second] =
                [found, &self.expected].map(|buffer| Slice::new(buffer, offset, WORD * len));
            let output = Slice::at(&self.results, result);
            self.reducer.of(Both { first, second }).workspace(&self.workspace).bind(output)
        };
        (0..).step_by(STRIDE as usize).zip(&self.pieces).map(bind).collect()
    }

    /// Adds a comparison to the recorded commands, submits all and waits: the number of words that differ, and the first of them;
    /// `None` if none does.
    pub(crate) fn run(
        &self,
        queue: &Queue,
        mut encoder: CommandEncoder,
        comparison: &[Bound],
    ) -> Result<Option<(u64, u64)>, ReadError> {
        comparison.iter().for_each(|piece| piece.encode(&mut encoder));
        self.readback.encode(&mut encoder, &self.results, 0, self.results.size())?;
        queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(self.results.size())?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        let results = words.chunks_exact((STRIDE / WORD) as usize);
        let mut found = self.pieces.iter().zip(results).filter(|(_, result)| result[0] != 0);
        let Some((piece, first)) = found.next() else { return Ok(None) };
        let count = u64::from(first[0]) + found.map(|(_, result)| u64::from(result[0])).sum::<u64>();
        Ok(Some((count, piece.offset / WORD + u64::from(first[1]))))
    }
}
