//! The states of groups: those of each piece from the GPU, and all of them merged.

use std::collections::BTreeMap;

use halofold::read::Readback;
use halofold::reduce::reference::Merger;
use halofold::reduce::{Accuracy, Scalar};
use halofold::{Slice, wgpu};

use super::super::buffers::{Kernel, input_buffer, output_buffer};
use super::super::check::{self, Check};
use super::super::file::Work;
use super::super::kernels;
use super::super::layout::{Layout, Share};
use super::super::parts::{self, Part};
use super::super::totals::Wanted;
use super::labels::Labels;
use super::piece::{Piece, Runs};
use crate::failure::Failure;
use crate::gpu::Gpu;

/// The most bytes of states that are made at once.
const STATES: u64 = 64 << 20;

/// All groups so far.
pub struct Groups<'a> {
    gpu: &'a Gpu,
    work: &'a Work,
    wanted: Wanted<'a>,
    kernels: Vec<Kernel>,
    /// For each operator, the numbers of the kernels that its result is made of.
    parts: Vec<Vec<usize>>,
    checks: Vec<Check>,
    /// The elements of a piece; none before the first one.
    input: Option<wgpu::Buffer>,
    /// The merged states of each group, one for each kernel, and its elements.
    merged: Vec<(Vec<Merger>, u64)>,
}

impl<'a> Groups<'a> {
    /// None yet.
    pub fn new(gpu: &'a Gpu, work: &'a Work, wanted: Wanted<'a>) -> Result<Self, Failure> {
        let (mut kernels, mut all) = (Vec::new(), Vec::new());
        for op in wanted.operators() {
            let parts = wanted.parts(op, work.stored.element()).into_iter();
            let place = |part| kernels::place(gpu, &mut kernels, (work, &wanted, op), part);
            let places: Vec<_> = parts.map(place).collect::<Result<_, _>>()?;
            all.push(places.into_iter().flatten().collect());
        }
        let check = if wanted.verify { Check::Right } else { Check::Unchecked };
        let checks = vec![check; kernels.len()];
        Ok(Groups { gpu, work, wanted, kernels, parts: all, checks, input: None, merged: Vec::new() })
    }

    /// The elements of a piece of so many bytes, or of as many as a buffer has.
    pub fn room(&self, bytes: u64) -> u64 {
        bytes.min(self.gpu.device.limits().max_buffer_size) / self.work.stored.element().size()
    }

    /// Adds a piece with the labels of its groups. `apart` gives its elements by their labels, if they are checked.
    pub fn add(
        &mut self,
        piece: &Piece,
        labels: &Labels,
        apart: impl Fn() -> BTreeMap<String, Vec<u8>>,
    ) -> Result<(), Failure> {
        let mergers: Vec<_> = self.kernels.iter().filter_map(|kernel| kernel.part.merger()).collect();
        self.merged.resize(labels.count(), (mergers, 0));
        for (group, count) in &piece.counts {
            self.merged[*group as usize].1 += count;
        }
        // No piece is longer than the first.
        let input = self
            .input
            .take()
            .map_or_else(|| self.gpu.attempt(|| Ok(input_buffer(self.gpu, piece.bytes.len() as u64))), Ok)?;
        self.gpu.write(&input, &piece.bytes);
        let expected = self.wanted.verify.then(apart);
        let largest = self.kernels.iter().map(|kernel| kernel.part.state_size()).max().unwrap_or(1);
        let binding = self.gpu.device.limits().max_storage_buffer_binding_size;
        let at_once = (binding.min(STATES) / largest.max(1)).max(1);
        for runs in piece.runs(at_once) {
            let made = self.gpu.attempt(|| self.reduced(&input, &runs))?;
            for (number, (states, depth)) in made.iter().enumerate() {
                let part = self.kernels[number].part;
                for (run, state) in runs.all.iter().zip(states.chunks_exact(part.state_size() as usize)) {
                    self.merged[run.group as usize].0[number].add(state, 0).map_err(Failure::usage)?;
                    if let Some(expected) = &expected {
                        let label = labels.label(run.group).to_string();
                        let elements = expected
                            .get(&label)
                            .map_or(&[][..], |all| run.of(runs.len, all, part.element.size()));
                        self.checks[number].worsen(&judged(part, &label, elements, (state, *depth)));
                    }
                }
            }
        }
        self.input = Some(input);
        Ok(())
    }

    /// The states that each kernel makes of runs, and the combinations on the longest way to one.
    fn reduced(&self, input: &wgpu::Buffer, runs: &Runs<'_>) -> Result<Vec<(Vec<u8>, u64)>, Failure> {
        let gpu = self.gpu;
        let size = self.work.stored.element().size();
        let elements = Slice::new(input, runs.start * size, runs.all.len() as u64 * runs.len * size);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut made = Vec::new();
        for kernel in &self.kernels {
            let Some(reducer) = kernel.reducer() else { continue };
            let reduction = reducer.of(elements).segments(runs.len);
            let reduction = if kernel.part.is_squared { reduction.with(elements) } else { reduction };
            let plan = reduction.plan().map_err(Failure::usage)?;
            let (size, depth) = (plan.output(), plan.depth());
            let output = output_buffer(gpu, size);
            reduction.prepare(plan, &output).map_err(Failure::usage)?.encode(&mut encoder);
            let readback = Readback::new(&gpu.device, size);
            readback.encode(&mut encoder, &output, 0, size).map_err(Failure::usage)?;
            made.push((readback, size, depth));
        }
        gpu.queue.submit([encoder.finish()]);
        let states = |(readback, size, depth): (Readback, u64, u64)| {
            Ok((readback.wait(size).map_err(Failure::usage)?, depth))
        };
        made.into_iter().map(states).collect()
    }

    /// The elements of a group.
    pub fn count(&self, group: u32) -> u64 {
        self.merged[group as usize].1
    }

    /// The states that an operator's result of a group is made of.
    fn merged(&self, op: usize, group: u32) -> Vec<&Merger> {
        self.parts[op].iter().map(|part| &self.merged[group as usize].0[*part]).collect()
    }

    /// The result of an operator, by its place in the request, over a group.
    pub fn result(&self, op: usize, group: u32) -> Option<Scalar> {
        let Wanted { ops, ddof, skips_nan, .. } = self.wanted;
        parts::finish(
            (ops[op], ddof, skips_nan),
            self.work.stored,
            &self.merged(op, group),
            self.count(group),
        )
    }

    /// The elements of a group that it leaves out.
    pub fn skipped(&self, op: usize, group: u32) -> u64 {
        let kept = self.merged(op, group).into_iter().find_map(Merger::kept);
        kept.map_or(0, |kept| self.count(group) - kept)
    }

    /// The CPU's verdict on it.
    pub fn check(&self, op: usize) -> Check {
        let mut all = self.checks[self.parts[op][0]].clone();
        self.parts[op].iter().for_each(|part| all.worsen(&self.checks[*part]));
        all
    }

    /// Exact if its results are rounded at the end only.
    pub fn accuracy(&self, op: usize) -> Accuracy {
        self.kernels[self.parts[op][0]].part.accuracy
    }
}

/// The CPU's verdict on a state of some elements with a label.
fn judged(part: Part, label: &str, elements: &[u8], made: (&[u8], u64)) -> Check {
    let len = elements.len() as u64 / part.element.size();
    let share = Share { plane: 0, before: 0, outer: 1, len, inner: 1, completes: true };
    match check::judge(part, &Layout::Whole, &share, &check::expected(part, &share, &[elements]), made) {
        Check::Wrong(why) => Check::Wrong(format!("of label {label} in a piece, {why}")),
        other => other,
    }
}
