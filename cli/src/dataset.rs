//! Elements on the host and on the GPU, and what their reductions should give.

use halofold::reduce::Op;
use halofold::reduce::reference::{self, Expected};
use halofold::{Element, Slice, wgpu};
use halofold_measure::{Inputs, Noise};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::input::Source;

/// Elements, aligned for any type.
pub struct Host {
    /// Their element type.
    pub element: Element,
    words: Vec<u64>,
    len: u64,
}

impl Host {
    /// Pseudo-random elements that suit an op, the same every time; see [`Noise`].
    pub fn generate(op: Op, element: Element, len: u64) -> Self {
        let noise = Noise::new(op, element, len);
        let mut words = vec![0u64; noise.words()];
        words.par_iter_mut().enumerate().for_each(|(at, word)| *word = noise.word(at));
        Host { element, words, len }
    }

    /// All elements of a file, or the first `limit`.
    pub fn read(source: &mut Source, limit: Option<u64>) -> Result<Self, Failure> {
        let element = source.element();
        let size = element.size() as usize;
        let len = source.len().ok_or_else(|| Failure::usage("standard input has no length: use a file"))?;
        let len = match limit {
            Some(limit) if limit > len => {
                return Err(Failure::Usage(format!("--n {limit}: {} holds {len} elements", source.name())));
            }
            limit => limit.unwrap_or(len),
        };
        let mut words = vec![0u64; (len as usize * size).div_ceil(8)];
        let bytes: &mut [u8] = &mut bytemuck::cast_slice_mut(&mut words)[..len as usize * size];
        let mut filled = 0;
        while filled < bytes.len() {
            match source.read(&mut bytes[filled..]).map_err(Failure::usage)? {
                0 => break,
                read => filled += read * size,
            }
        }
        Ok(Host { element, words, len })
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Their bytes.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..(self.len * self.element.size()) as usize]
    }

    /// The first `len` of them.
    pub fn first(&self, len: u64) -> &[u8] {
        &self.bytes()[..(len * self.element.size()) as usize]
    }
}

/// Elements on the GPU, with the host's copy to check against.
pub struct Dataset<'a> {
    /// The host's copy.
    pub host: &'a Host,
    buffer: wgpu::Buffer,
    /// Further copies, which cold repetitions read in turn with it; warm ones have none.
    copies: Vec<wgpu::Buffer>,
}

impl<'a> Dataset<'a> {
    /// Uploads elements, and copies them as often as cold inputs need.
    pub fn upload(gpu: &Gpu, host: &'a Host, inputs: Inputs) -> Result<Self, Failure> {
        let most = gpu.largest(host.element.size());
        if host.len() > most {
            return Err(Failure::Usage(format!(
                "{} elements of {}: the largest buffer of this adapter holds {most} (max_buffer_size)",
                host.len(),
                host.element
            )));
        }
        let bytes = host.bytes().len() as u64;
        let copies = inputs.copies(&gpu.device, bytes).map_err(Failure::usage)?;
        gpu.attempt(|| {
            let buffer = input_buffer(gpu, bytes);
            gpu.write(&buffer, host.bytes());
            let copies = (1..copies).map(|_| copy(gpu, &buffer)).collect();
            Ok(Dataset { host, buffer, copies })
        })
    }

    /// The first `len` elements as input of a reduction.
    pub fn input(&self, len: u64) -> Slice<'_> {
        Slice::new(&self.buffer, 0, len * self.host.element.size())
    }

    /// The copies of the elements.
    pub fn copies(&self) -> Vec<&wgpu::Buffer> {
        self.copies.iter().collect()
    }

    /// What a reduction of the first `len` elements should give.
    pub fn expected(&self, op: Op, len: u64) -> Result<Expected, Failure> {
        let element = self.host.element;
        let bytes = self.host.first(len);
        reference::reduce(op, element, bytes, Some(bytes))
            .ok_or_else(|| Failure::Usage(format!("`{op}` is not defined for {element}")))
    }
}

/// A buffer for this many bytes of input.
pub fn input_buffer(gpu: &Gpu, bytes: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold input"),
        size: bytes.next_multiple_of(4).max(4),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A buffer with the same content.
fn copy(gpu: &Gpu, buffer: &wgpu::Buffer) -> wgpu::Buffer {
    let copy = input_buffer(gpu, buffer.size());
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
    gpu.queue.submit([encoder.finish()]);
    copy
}
