//! Reductions of lines to states on the GPU, and the results of these states.

use halofold::read::Readback;
use halofold::reduce::exact::Format;
use halofold::reduce::reference::Merger;
use halofold::reduce::{Arity, Both, Op, Reduce, Scalar, Shape};
use halofold::{Compiled, Options, wgpu};
use halofold_fleet::host::Batch;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::block::Block;
use super::op::is_search;
use super::parts::{self, Part};
use super::verify::{self, Check};
use crate::failure::Failure;
use crate::files::Stored;
use crate::gpu::{self, Gpu};

/// Reductions that write states, each compiled once.
pub struct Kernels<'g> {
    gpu: &'g Gpu,
    made: Vec<(Part, Compiled<Reduce>)>,
}

pub struct States {
    part: Part,
    pieces: Vec<Piece>,
    /// GPU time in milliseconds; `None` without timestamps.
    pub gpu_ms: Option<f64>,
    pub check: Check,
}

#[derive(Deserialize, Serialize)]
struct Piece {
    len: u64,
    lines: Vec<u32>,
    states: Vec<u8>,
    places: Option<Vec<u64>>,
    /// Elements of these lines in earlier chunks.
    before: u64,
}

impl<'g> Kernels<'g> {
    pub fn new(gpu: &'g Gpu) -> Self {
        Kernels { gpu, made: Vec::new() }
    }

    /// Returns the index of a reduction, compiling it on first use.
    fn place(&mut self, part: Part, op: Op, stored: Stored) -> Result<usize, Failure> {
        if let Some(place) = self.made.iter().position(|(made, _)| *made == part) {
            return Ok(place);
        }
        if !op.is_over(part.element) {
            return Err(refusal!("`{op}` is not defined for {stored}"));
        }
        let monoid = part.monoid().map_err(Failure::usage)?;
        let missing = monoid.features() - self.gpu.device.features();
        let states = Reduce::new(monoid).with_accuracy(part.accuracy).with_to_states(true);
        let has_exact_form = Format::of(op, part.element).is_some();
        let lacking = |error| {
            // Name the requested operator: `std`, for example, uses the states of `variance`.
            let asked = if part.op == op { String::new() } else { format!("`{op}`: ") };
            Failure::usage(format!("{asked}{error}{}", gpu::instead(has_exact_form, part.element, missing)))
        };
        let made = self
            .gpu
            .attempt(|| Compiled::new(&self.gpu.device, states, &Options::default()).map_err(lacking))?;
        self.made.push((part, made));
        Ok(self.made.len() - 1)
    }

    /// Makes empty states for all parts of these operators.
    pub fn begin(
        &mut self,
        ops: &[(Op, Vec<Part>)],
        stored: Stored,
        verifies: bool,
    ) -> Result<Vec<States>, Failure> {
        let mut all: Vec<States> = Vec::new();
        for (op, parts) in ops {
            for part in parts {
                self.place(*part, *op, stored)?;
                if all.iter().all(|states| states.part != *part) {
                    let check = if verifies { Check::Right } else { Check::Unchecked };
                    all.push(States { part: *part, pieces: Vec::new(), gpu_ms: Some(0.0), check });
                }
            }
        }
        Ok(all)
    }

    /// Reduces a block's lines and adds their states. `before` is the number of elements of each line in earlier chunks.
    pub fn add(&self, all: &mut [States], block: &Block, before: u64) -> Result<(), Failure> {
        for states in all {
            let reducer = self.made.iter().find(|(part, _)| *part == states.part).map(|(_, reducer)| reducer);
            let reducer = reducer.expect("kernels are made before states begin");
            self.gpu.attempt(|| states.run(self.gpu, reducer, block, before))?;
        }
        Ok(())
    }
}

pub fn shape(batch: &Batch) -> Shape {
    if batch.lines.len() == 1 { Shape::Whole } else { Shape::Segments { len: batch.len as u64 } }
}

pub fn output_buffer(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold results"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

impl States {
    fn run(
        &mut self,
        gpu: &Gpu,
        reducer: &Compiled<Reduce>,
        block: &Block,
        before: u64,
    ) -> Result<(), Failure> {
        let part = self.part;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut outputs = Vec::new();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("halofold reduce"),
                timestamp_writes: gpu.timer.stamp(0).filter(|_| !block.lines.batches.is_empty()),
            });
            for batch in &block.lines.batches {
                let first = block.slice(0, batch);
                let second = || block.slice(usize::from(!part.is_squared), batch);
                let reduction = match reducer.operation().monoid().arity() {
                    Arity::Two => reducer.of(Both { first, second: second() }),
                    _ => reducer.of(first),
                };
                let reduction = reduction.shape(shape(batch));
                let plan = reduction.plan().map_err(Failure::usage)?;
                let (output, depth) = (output_buffer(gpu, plan.output()), plan.depth());
                reduction.bind(&output).map_err(Failure::usage)?.encode_in_pass(&mut pass);
                outputs.push((output, depth));
            }
        }
        let mut readbacks = Vec::new();
        for (output, _) in &outputs {
            let readback = Readback::new(&gpu.device, output.size());
            readback.encode(&mut encoder, output, 0, output.size()).map_err(Failure::usage)?;
            readbacks.push(readback);
        }
        gpu.queue.submit([encoder.finish()]);
        let size = part.state_size() as usize;
        for ((batch, readback), (output, depth)) in block.lines.batches.iter().zip(readbacks).zip(outputs) {
            let mut states = readback.wait(output.size()).map_err(Failure::usage)?;
            states.truncate(size * batch.lines.len());
            if self.check != Check::Unchecked {
                self.check.worsen(verify::states(part, block, batch, &states, depth));
            }
            let places = is_search(part.op).then(|| places(part, block, batch, &states));
            self.pieces.push(Piece {
                len: batch.len as u64,
                lines: batch.lines.clone(),
                states,
                places,
                before,
            });
        }
        let ms = if block.lines.batches.is_empty() {
            Some(0.0)
        } else {
            gpu.timer.resolve(0..1).map_err(Failure::usage)?[0]
        };
        self.gpu_ms = self.gpu_ms.zip(ms).map(|(all, ms)| all + ms);
        Ok(())
    }

    /// Encodes the states for another process.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        serde_json::to_vec(&(&self.pieces, self.gpu_ms, &self.check)).map_err(Failure::usage)
    }

    /// Adds encoded states of another process.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let (pieces, gpu_ms, check): (Vec<Piece>, Option<f64>, Check) =
            serde_json::from_slice(bytes).map_err(Failure::usage)?;
        self.pieces.extend(pieces);
        self.gpu_ms = self.gpu_ms.zip(gpu_ms).map(|(all, ms)| all + ms);
        self.check.worsen(check);
        // In the file's order, whichever process made them.
        self.pieces.sort_by_key(|piece| piece.before);
        Ok(())
    }
}

/// Returns the positions in their lines of the elements that a search found.
fn places(part: Part, block: &Block, batch: &Batch, states: &[u8]) -> Vec<u64> {
    let found = part.answers(states, batch.len as u64).enumerate();
    let place = |(row, answer)| match answer {
        Scalar::At { index, .. } => block.lines.place(batch, row, index),
        _ => 0,
    };
    found.map(place).collect()
}

/// Returns the results of an operator for each of `lines` lines, from the `states` of its parts, with the elements per line.
pub fn finished(
    (op, ddof): (Op, u32),
    stored: Stored,
    states: &[&States],
    lines: usize,
) -> Result<Vec<(Option<Scalar>, u64)>, Failure> {
    // Sorts states by line, chunk and row, so each line is merged in the file's order.
    let pieces = &states[0].pieces;
    let of_piece = |(number, piece): (usize, &Piece)| {
        let lines = piece.lines.iter().zip(0..);
        lines.map(|(line, row)| (*line, number as u32, row)).collect::<Vec<(u32, u32, u32)>>()
    };
    let mut entries: Vec<_> = pieces.iter().enumerate().flat_map(of_piece).collect();
    entries.par_sort_unstable();
    let merged = |states: &States, entries: &[(u32, u32, u32)]| -> Result<Merger, Failure> {
        let mut merger = states.part.merger().ok_or_else(|| Failure::usage("there is no such reduction"))?;
        let size = merger.state_size();
        for (_, piece, row) in entries {
            let piece = &states.pieces[*piece as usize];
            let state = &piece.states[*row as usize * size..][..size];
            match &piece.places {
                Some(places) => merger.add_at(state, piece.before + places[*row as usize]),
                None => merger.add(state, piece.before),
            }
            .map_err(Failure::usage)?;
        }
        Ok(merger)
    };
    let finish = |line: usize| {
        let [begin, end] =
            [line, line + 1].map(|line| entries.partition_point(|entry| (entry.0 as usize) < line));
        let entries = &entries[begin..end];
        let n = entries.iter().map(|(_, piece, _)| pieces[*piece as usize].len).sum();
        let mergers: Vec<_> =
            states.iter().map(|states| merged(states, entries)).collect::<Result<_, _>>()?;
        Ok((parts::finish((op, ddof), stored, &mergers, n), n))
    };
    (0..lines).into_par_iter().map(finish).collect()
}

pub fn of_part(all: &[States], part: Part) -> &States {
    all.iter().find(|states| states.part == part).expect("states of all parts were begun")
}
