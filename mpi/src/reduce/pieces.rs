//! The pieces of a rank's part on the GPU: each leaves a state.

use halofold::read::Readback;
use halofold::reduce::{Prepared, Reducer};
use halofold::{Slice, wgpu};
use halofold_mpi::Gpu;

use super::rule::Rule;
use crate::Failure;

/// What makes states of pieces.
pub struct Pieces<'a> {
    gpu: &'a Gpu,
    reducer: Reducer,
    /// One, or the two of a dot product.
    inputs: Vec<wgpu::Buffer>,
    output: wgpu::Buffer,
    readback: Readback,
    /// The reduction of pieces of so many bytes, which all but the last one have.
    bound: Option<(usize, Prepared)>,
}

impl<'a> Pieces<'a> {
    /// Compiles a rule for pieces of at most `bytes` bytes of each of so many inputs.
    pub fn new(
        gpu: &'a Gpu,
        rule: Rule,
        element: halofold::Element,
        inputs: usize,
        bytes: u64,
    ) -> Result<Self, Failure> {
        let reducer = Reducer::with_options(&gpu.device, rule.op().over(element)?, rule.options())?;
        let size = reducer.monoid().acc_size();
        let buffer = |label, size: u64, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(8),
                usage: wgpu::BufferUsages::STORAGE | usage,
                mapped_at_creation: false,
            })
        };
        let input = |_| buffer("halofold-mpi input", bytes, wgpu::BufferUsages::COPY_DST);
        Ok(Pieces {
            inputs: (0..inputs).map(input).collect(),
            output: buffer("halofold-mpi state", size, wgpu::BufferUsages::COPY_SRC),
            readback: Readback::new(&gpu.device, size),
            bound: None,
            gpu,
            reducer,
        })
    }

    /// Uploads a piece of each input and submits its reduction. It does not wait.
    pub fn submit(&mut self, pieces: &[&[u8]]) -> Result<(), Failure> {
        for (buffer, piece) in self.inputs.iter().zip(pieces) {
            self.write(buffer, piece);
        }
        let len = pieces[0].len();
        let prepared = match self.bound.take() {
            Some((bytes, prepared)) if bytes == len => prepared,
            _ => self.bind(len as u64)?,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        prepared.encode(&mut encoder);
        self.bound = Some((len, prepared));
        self.readback.encode(&mut encoder, &self.output, 0, self.reducer.monoid().acc_size())?;
        self.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Waits for what was submitted: the state of the last piece.
    pub fn state(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.readback.wait(self.reducer.monoid().acc_size())?)
    }

    fn bind(&self, bytes: u64) -> Result<Prepared, Failure> {
        let first = self.reducer.of(Slice::new(&self.inputs[0], 0, bytes));
        let second = self.inputs.get(1).map(|buffer| Slice::new(buffer, 0, bytes));
        let reduction = second.map_or(first.clone(), |second| first.and(second));
        Ok(reduction.into(&self.output)?)
    }

    /// Writes are whole words; an odd number of 16-bit elements leaves half of one.
    fn write(&self, buffer: &wgpu::Buffer, piece: &[u8]) {
        let (words, rest) = piece.split_at(piece.len() / 4 * 4);
        self.gpu.queue.write_buffer(buffer, 0, words);
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.gpu.queue.write_buffer(buffer, words.len() as u64, &last);
        }
    }
}
