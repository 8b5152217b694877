//! A chunk of a file in GPU memory, line by line, and the part of it that the host keeps.

use halofold::{Element, Slice, wgpu};
use halofold_fleet::host::{self, Batch, Lines};

use super::geometry::{Chunk, Geometry};
use super::labels::Labels;
use crate::failure::Failure;
use crate::files::Source;
use crate::gpu::Gpu;

pub struct Inputs<'a> {
    pub first: &'a Source,
    pub second: Option<&'a Source>,
    pub mask: Option<&'a Source>,
    pub labels: Option<&'a Labels>,
    pub skips_nan: bool,
    pub is_kept: bool,
}

pub struct Block {
    pub element: Element,
    pub lines: Lines,
    /// The elements of each input; empty if the host does not need them.
    pub host: Vec<Vec<u8>>,
    buffers: Vec<wgpu::Buffer>,
}

impl<'a> Inputs<'a> {
    pub fn of(first: &'a Source, is_kept: bool) -> Self {
        Inputs { first, second: None, mask: None, labels: None, skips_nan: false, is_kept }
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        [Some(self.first), self.second].into_iter().flatten()
    }

    pub fn load(&self, gpu: &Gpu, geometry: &Geometry, chunk: &Chunk) -> Result<Block, Failure> {
        let element = self.first.element();
        let size = element.size() as usize;
        let in_order = geometry.order.is_sorted();
        let filters = self.mask.is_some() || self.labels.is_some() || self.skips_nan && element.is_float();
        if in_order && !filters && !self.is_kept && self.sources().all(Source::is_plain) {
            // Straight from the file into mapped GPU memory.
            let layer = self.first.bytes() / geometry.dims[0].max(1);
            let [at, bytes] =
                [chunk.layers.start, chunk.layers.end - chunk.layers.start].map(|layers| layers * layer);
            let upload =
                |source: &Source| gpu.upload(bytes, |offset, target| source.read_at(at + offset, target));
            return Ok(Block {
                element,
                lines: Lines::uniform(chunk.first_row, chunk.rows, chunk.len),
                host: Vec::new(),
                buffers: self.sources().map(upload).collect::<Result<_, _>>()?,
            });
        }
        let load = |source: &Source| source.load(&geometry.dims, chunk.layers.clone(), &geometry.order);
        let mut host = self.sources().map(load).collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
        let moved = if filters { self.line_of(geometry, chunk, &host)? } else { None };
        let lines = match moved {
            Some((line_of, lines)) => Lines::regrouped(&mut host, size, &line_of, lines, chunk.len),
            None => Lines::uniform(chunk.first_row, chunk.rows, chunk.len),
        };
        let block = Block::of(gpu, element, lines, host)?;
        Ok(if self.is_kept { block } else { Block { host: Vec::new(), ..block } })
    }

    /// Returns the line of each element of a chunk, and the number of lines; `None` if no element changes its line.
    fn line_of(
        &self,
        geometry: &Geometry,
        chunk: &Chunk,
        inputs: &[Vec<u8>],
    ) -> Result<Option<(Vec<u32>, usize)>, Failure> {
        let element = self.first.element();
        let (mut line_of, lines) = match self.labels {
            Some(labels) => (labels.lines(chunk.rows, chunk.len), labels.keys.len() as u64 * geometry.rows),
            None => (host::lines_of_rows(chunk.first_row, chunk.rows, chunk.len), geometry.rows),
        };
        if let Some(mask) = self.mask {
            let mask =
                mask.load(&geometry.dims, chunk.layers.clone(), &geometry.order).map_err(Failure::usage)?;
            host::leave_out_false(&mut line_of, &mask);
        }
        if self.skips_nan && element.is_float() {
            inputs
                .iter()
                .for_each(|bytes| host::leave_out_nans(&mut line_of, bytes, element.size() as usize));
        }
        let moves = self.labels.is_some() || host::has_left_out(&line_of);
        Ok(moves.then_some((line_of, lines as usize)))
    }
}

impl Block {
    pub fn of(gpu: &Gpu, element: Element, lines: Lines, host: Vec<Vec<u8>>) -> Result<Self, Failure> {
        let upload = |bytes: &Vec<u8>| {
            gpu.upload(bytes.len() as u64, |offset, target| {
                target.copy_from_slice(&bytes[offset as usize..][..target.len()]);
                Ok(())
            })
        };
        let buffers = host.iter().map(upload).collect::<Result<_, _>>()?;
        Ok(Block { element, lines, host, buffers })
    }

    pub fn elements(&self) -> Slice<'_> {
        Slice::new(&self.buffers[0], 0, self.lines.elements() * self.element.size())
    }

    /// Returns the buffer range of a batch in the first or second input.
    pub fn slice(&self, input: usize, batch: &Batch) -> Slice<'_> {
        let size = self.element.size();
        Slice::new(
            &self.buffers[input],
            batch.start as u64 * size,
            (batch.len * batch.lines.len()) as u64 * size,
        )
    }

    /// Returns a line of a batch from the elements that the host keeps.
    pub fn line(&self, input: usize, batch: &Batch, row: usize) -> &[u8] {
        let size = self.element.size() as usize;
        &self.host[input][(batch.start + row * batch.len) * size..][..batch.len * size]
    }
}
