//! Elements on the host and on the GPU, and their expected results.

use halofold::reduce::Op;
use halofold::reduce::reference::{self, Expected};
use halofold::{Element, Slice};
use rayon::prelude::*;
use wgpu::{Buffer, BufferUsages, Device, Queue};

use crate::TestData;
use crate::buffer::buffer;
use crate::upload::{PIECE, upload};

/// Elements in host memory, aligned for any type.
#[derive(Debug)]
pub struct Host {
    /// Their element type.
    pub element: Element,
    words: Vec<u64>,
    len: u64,
}

impl Host {
    /// Generates pseudo-random elements that suit an operator, always the same: see [`TestData`].
    pub fn generate(op: Op, element: Element, len: u64) -> Self {
        let data = TestData::new(op, element, len);
        let mut words = vec![0u64; data.words()];
        words.par_iter_mut().enumerate().for_each(|(at, word)| *word = data.word(at));
        Host { element, words, len }
    }

    /// Returns the number of elements.
    #[expect(clippy::len_without_is_empty, reason = "nothing asks for it")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns all bytes.
    pub fn bytes(&self) -> &[u8] {
        self.first(self.len)
    }

    /// Returns the bytes of the first `len` elements.
    pub fn first(&self, len: u64) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..(len * self.element.size()) as usize]
    }

    /// Returns the expected result over the first `len` elements, which are both inputs of an operator of two. `None` if the operator is not
    /// defined for the type.
    pub fn expected(&self, op: Op, len: u64) -> Option<Expected> {
        let bytes = self.first(len);
        reference::reduce(op, self.element, bytes, Some(bytes))
    }
}

/// Elements on the GPU.
#[derive(Debug)]
pub struct Dataset {
    element: Element,
    buffer: Buffer,
    /// Further copies, which cold repetitions read in turn; none if warm.
    copies: Vec<Buffer>,
}

impl Dataset {
    /// Uploads elements in `copies` copies.
    pub fn upload(device: &Device, queue: &Queue, host: &Host, copies: u64) -> Self {
        let size = (host.bytes().len() as u64).next_multiple_of(4).max(4);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let input = || buffer(device, "halofold::measure::input", size, usage);
        let buffer = input();
        upload(queue, &buffer, host.bytes().chunks(PIECE));
        let copies = (1..copies).map(|_| input()).collect::<Vec<_>>();
        for copy in &copies {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&buffer, 0, copy, 0, size);
            queue.submit([encoder.finish()]);
        }
        Dataset { element: host.element, buffer, copies }
    }

    /// Returns the first `len` elements as a reduction's input.
    pub fn input(&self, len: u64) -> Slice<'_> {
        Slice::new(&self.buffer, 0, len * self.element.size())
    }

    /// Returns the further copies.
    pub fn copies(&self) -> Vec<&Buffer> {
        self.copies.iter().collect()
    }
}
