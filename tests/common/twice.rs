//! Runs an operation twice, with poison around its outputs.

use halofold::read::Readback;
use halofold::{Slice, wgpu};

use super::Gpu;
use super::buffers::{is_poison, room};

/// Bytes of poison before and after each output.
const GUARD: u64 = 256;

/// The outputs of an operation, each in a buffer of its own, among poison.
pub struct Outputs<'g> {
    gpu: &'g Gpu,
    /// An output's buffer, and what it holds before a run.
    buffers: Vec<[wgpu::Buffer; 2]>,
    /// Their sizes without the guards.
    sizes: Vec<u64>,
}

/// Records an operation twice in one pass: the second dispatches find what the first wrote.
pub fn twice_in_a_pass(record: impl Fn(&mut wgpu::ComputePass<'_>)) -> impl Fn(&mut wgpu::CommandEncoder) {
    move |encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        (0..2).for_each(|_| record(&mut pass));
    }
}

impl<'g> Outputs<'g> {
    /// Outputs of these sizes in bytes, full of poison.
    pub fn new(gpu: &'g Gpu, sizes: impl IntoIterator<Item = u64>) -> Self {
        let sizes: Vec<_> = sizes.into_iter().collect();
        let buffers = sizes
            .iter()
            .map(|size| [(); 2].map(|()| room(gpu, 2 * GUARD + size.next_multiple_of(4))))
            .collect();
        Outputs { gpu, buffers, sizes }
    }

    /// Lets the first output hold `bytes` before each run.
    pub fn starting_with(self, bytes: &[u8]) -> Self {
        self.gpu.queue.write_buffer(&self.buffers[0][1], GUARD, bytes);
        self
    }

    /// The outputs, to give to an operation.
    pub fn slices(&self) -> impl Iterator<Item = Slice<'_>> {
        self.buffers.iter().map(|[output, _]| Slice::at(output, GUARD))
    }

    /// Records an operation twice in one submission, keeping scratch memory, and returns the outputs of both. Fails if it wrote beside them.
    pub fn runs(&self, record: impl Fn(&mut wgpu::CommandEncoder)) -> Result<[Vec<Vec<u8>>; 2], String> {
        let all: u64 = self.buffers.iter().map(|[output, _]| output.size()).sum();
        let results = Readback::new(&self.gpu.device, 2 * all);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut at = 0;
        for _ in 0..2 {
            for [output, before] in &self.buffers {
                encoder.copy_buffer_to_buffer(before, 0, output, 0, output.size());
            }
            record(&mut encoder);
            for [output, _] in &self.buffers {
                let copied = results.encode_behind(at, &mut encoder, output, 0, output.size());
                copied.map_err(|error| error.to_string())?;
                at += output.size();
            }
        }
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = results.wait(2 * all).map_err(|error| error.to_string())?;
        let (first, second) = bytes.split_at(all as usize);
        Ok([self.within_guards(first)?, self.within_guards(second)?])
    }

    /// [`Outputs::runs`] of an operation that writes the same bits in both runs. Fails if it does not.
    pub fn run(&self, record: impl Fn(&mut wgpu::CommandEncoder)) -> Result<Vec<Vec<u8>>, String> {
        let [first, second] = self.runs(record)?;
        if first == second { Ok(first) } else { Err("two runs differ".to_owned()) }
    }

    /// The outputs within the bytes of all buffers.
    fn within_guards(&self, mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let of_output = |([output, _], size): (&[wgpu::Buffer; 2], &u64)| {
            let (here, rest) = bytes.split_at(output.size() as usize);
            bytes = rest;
            let results = GUARD as usize..(GUARD + size) as usize;
            let mut around = here.iter().enumerate().filter(|(at, _)| !results.contains(at));
            let is_whole = around.all(|(at, byte)| is_poison(at, *byte));
            is_whole.then(|| here[results].to_vec()).ok_or_else(|| "it wrote beside its outputs".to_owned())
        };
        self.buffers.iter().zip(&self.sizes).map(of_output).collect()
    }
}
