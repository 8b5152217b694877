//! From a shape, lengths and limits to a list of dispatches. Pure: no GPU here.

use wgpu::Limits;

use crate::reduce::Params;
use crate::reducer::error::ReducerError;
use crate::reducer::monoid::{Arity, Monoid};
use crate::reducer::shape::{Form, Shape};
use crate::window::{self, Window};

/// The most loop iterations a plan gives one invocation: see [`crate::reduce::Job::plan`].
pub(super) const MAX_ITERATIONS: u64 = 32_768;

/// Words in front of the first partial on the notice board: the ticket counter's cache line.
const BOARD_HEAD: u64 = 32;

/// Elements that one invocation of a team should have: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// Workgroups that fill any GPU; with fewer, long segments are cut into chunks.
const ENOUGH_WORKGROUPS: u64 = 2048;

/// Elements of a chunk, at least: less would not be worth a second dispatch.
const SMALLEST_CHUNK: u64 = 1 << 14;

/// One kernel of a reducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// All elements to the result, in workgroups of this size: the rung `single-pass`.
    Whole {
        /// Invocations in a workgroup.
        workgroup_size: u32,
    },
    /// Elements to one result a segment.
    Segments,
    /// Elements to one accumulator a chunk of a segment.
    Chunks,
    /// The accumulators of each segment's chunks to its result.
    Merge,
}

/// A range of a buffer, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub size: u64,
}

/// Where a dispatch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// A window of one part of the first input, and of the second input if there are two.
    Inputs {
        /// Which part.
        part: usize,
        /// The window of the first input.
        first: Bytes,
        /// The window of the second input.
        second: Option<Bytes>,
    },
    /// Accumulators in scratch memory.
    Scratch(Bytes),
    /// Nothing.
    Nothing,
}

/// Where a dispatch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Accumulators in scratch memory.
    Scratch(Bytes),
    /// Results, counted from the output's own offset on.
    Output(Bytes),
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its kernel.
    pub step: Step,
    /// Where it reads.
    pub from: From,
    /// Where it writes.
    pub to: To,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// What its kernel is given.
    pub params: Params,
}

/// The dispatches of one reduction, and the memory they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The dispatches, in order.
    pub passes: Vec<Pass>,
    /// Results it gives.
    pub results: u64,
    /// Bytes of output.
    pub output: u64,
    /// Bytes of scratch memory; 0 if none is needed.
    pub scratch: u64,
    /// Bytes of the notice board; 0 if none is needed.
    pub board: u64,
}

/// A part of an input: where it starts, in bytes, and its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// In bytes: a multiple of the element's size.
    pub offset: u64,
    /// In elements.
    pub len: u64,
}

/// The only part of an input that must be one buffer.
fn one(parts: &[Extent]) -> Result<Extent, ReducerError> {
    match parts {
        [part] => Ok(*part),
        parts => Err(ReducerError::Parts(parts.len())),
    }
}

/// What a plan is made for.
pub(super) struct Request<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) form: Form,
    /// Invocations in a workgroup of the kernels that have only one size.
    pub(super) workgroup_size: u32,
    pub(super) limits: &'a Limits,
}

/// Workgroup sizes that [`Step::Whole`] is compiled in, on a device that allows them.
pub(super) const WHOLE_SIZES: [u32; 3] = [256, 512, 1024];

impl Request<'_> {
    /// The kernels that plans of this request may have.
    pub(super) fn steps(&self) -> Vec<Step> {
        match self.form {
            Form::Whole => {
                let most = self.largest_workgroup();
                let fitting = WHOLE_SIZES.into_iter().filter(|size| *size <= most);
                let sizes: Vec<_> = if most < WHOLE_SIZES[0] { vec![most] } else { fitting.collect() };
                sizes.into_iter().map(|workgroup_size| Step::Whole { workgroup_size }).collect()
            }
            Form::Segments => vec![Step::Segments, Step::Chunks, Step::Merge],
        }
    }

    /// The largest workgroup whose accumulators fit: a power of two.
    pub(super) fn largest_workgroup(&self) -> u32 {
        let Limits {
            max_compute_invocations_per_workgroup: most, max_compute_workgroup_size_x: across, ..
        } = *self.limits;
        let room = u64::from(self.limits.max_compute_workgroup_storage_size).saturating_sub(16);
        let fits = (room / self.monoid.acc.stride).max(1).min(1024) as u32;
        1 << most.min(across).min(fits).max(1).ilog2()
    }

    /// Plans a shape over the parts of the first input and, if there are two inputs, the second.
    pub(super) fn plan(
        &self,
        shape: Shape,
        parts: &[Extent],
        second: Option<Extent>,
    ) -> Result<Plan, ReducerError> {
        if shape.form() != self.form {
            return Err(ReducerError::Form { compiled: self.form, asked: shape.form() });
        }
        self.check(parts, second)?;
        match shape {
            Shape::Whole => self.whole(&self.windows(parts, second)),
            Shape::Segments { len } => self.segments(one(parts)?, second, len),
        }
    }

    fn align(&self) -> u64 {
        u64::from(self.limits.min_storage_buffer_offset_alignment).max(16)
    }

    /// The most bytes one binding may have.
    fn largest_binding(&self) -> u64 {
        let largest = self.limits.max_storage_buffer_binding_size.min(1 << 31);
        (largest / self.align()).max(1) * self.align()
    }

    /// The same for a window of the first input, beside which one of the second is bound, which may start elsewhere between
    /// two multiples of the alignment.
    fn largest_window(&self, second: Option<Extent>) -> u64 {
        match second {
            None => self.largest_binding(),
            Some(_) => (self.largest_binding() - self.align()).max(self.align()),
        }
    }

    /// Checks the inputs against the operator and against what can be counted.
    fn check(&self, parts: &[Extent], second: Option<Extent>) -> Result<(), ReducerError> {
        let size = self.monoid.element().size();
        for extent in parts.iter().chain(&second) {
            if !extent.offset.is_multiple_of(size) {
                return Err(ReducerError::Misaligned { offset: extent.offset, size });
            }
            let end = extent.len.checked_mul(size).and_then(|bytes| bytes.checked_add(extent.offset));
            // Room for rounding the end up to whole words.
            end.and_then(|end| end.checked_add(4))
                .ok_or(ReducerError::OutOfReach { offset: extent.offset, len: extent.len })?;
        }
        let len = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.len));
        if u32::try_from(len).is_err() {
            return Err(ReducerError::TooManyElements(len));
        }
        match (self.monoid.arity(), second) {
            (Arity::One, None) => Ok(()),
            (Arity::Two, Some(second)) if one(parts)?.len == second.len => Ok(()),
            (Arity::Two, Some(second)) => Err(ReducerError::Lengths { first: len, second: second.len }),
            (arity, _) => Err(ReducerError::Arity { name: self.monoid.name().to_owned(), arity }),
        }
    }

    /// The inputs, cut into windows: at least one, and no empty one unless there is nothing else.
    fn windows(&self, parts: &[Extent], second: Option<Extent>) -> Vec<Reads> {
        let size = self.monoid.element().size();
        let largest = self.largest_window(second);
        let mut reads = Vec::new();
        let mut before = 0;
        for (part, extent) in parts.iter().enumerate() {
            for window in window::cut(extent.offset, extent.len, size, largest, self.align()) {
                let second = second.map(|second| self.beside(second, window));
                reads.push(Reads { part, window: Window { index: before + window.index, ..window }, second });
            }
            before += extent.len as u32;
        }
        if reads.iter().any(|read| read.window.len > 0) {
            reads.retain(|read| read.window.len > 0);
        }
        reads.truncate(if before == 0 { 1 } else { reads.len() });
        reads
    }

    /// The window of the second input that goes with one of the first, and where in it the first element is.
    fn beside(&self, second: Extent, window: Window) -> (Bytes, u32) {
        let size = self.monoid.element().size();
        let at = second.offset + u64::from(window.index) * size;
        let start = at / self.align() * self.align();
        let end = (at + u64::from(window.len) * size).next_multiple_of(4);
        (Bytes { offset: start, size: end - start }, ((at - start) / size) as u32)
    }

    /// Workgroups, folded into rows.
    fn grid(&self, groups: u64) -> Result<[u32; 2], ReducerError> {
        let row = u64::from(self.limits.max_compute_workgroups_per_dimension);
        let rows = groups.div_ceil(row).max(1);
        if rows > row {
            return Err(ReducerError::TooManyWorkgroups { needed: groups, limit: row * row });
        }
        Ok([groups.div_ceil(rows).max(1) as u32, rows as u32])
    }

    /// One dispatch a window; workgroups meet on the notice board.
    fn whole(&self, reads: &[Reads]) -> Result<Plan, ReducerError> {
        let len = reads.iter().map(|read| u64::from(read.window.len)).sum::<u64>();
        let (workgroup_size, most) = self.whole_tuning(len);
        let acc = self.monoid.acc.words() as u64 * 4;
        let slots = self.largest_binding().saturating_sub(4 * BOARD_HEAD) / acc;
        let limit = slots.min(u64::from(workgroup_size) * (MAX_ITERATIONS - 4096));
        let row = u64::from(self.limits.max_compute_workgroups_per_dimension);
        let share = (u64::from(most) / reads.len() as u64).max(1);
        let groups: Vec<u64> = reads
            .iter()
            .map(|read| {
                let len = u64::from(read.window.len);
                let each = u64::from(workgroup_size);
                let wanted =
                    len.div_ceil(PER_INVOCATION * each).min(share).max(len.div_ceil(each * MAX_ITERATIONS));
                // Whole rectangles: a workgroup too many would fold items a second time and draw a ticket.
                wanted.max(1).next_multiple_of(wanted.max(1).div_ceil(row))
            })
            .collect();
        let tickets = groups.iter().sum::<u64>();
        if tickets > limit {
            return Err(ReducerError::TooManyWorkgroups { needed: tickets, limit });
        }
        let mut store = 0;
        let mut passes = Vec::new();
        for (read, groups) in reads.iter().zip(groups) {
            let grid = self.grid(groups)?;
            passes.push(Pass {
                step: Step::Whole { workgroup_size },
                from: read.from(),
                to: To::Output(Bytes { offset: 0, size: self.monoid.out.stride }),
                grid,
                params: Params {
                    groups: groups as u32,
                    row: grid[0],
                    store: store as u32,
                    count: len as u32,
                    tickets: tickets as u32,
                    last: 1,
                    ..read.params()
                },
            });
            store += groups;
        }
        Ok(Plan {
            passes,
            results: 1,
            output: self.monoid.out.stride,
            scratch: 0,
            board: 4 * BOARD_HEAD + tickets * acc,
        })
    }

    /// Workgroup size and workgroups by length: measured on an NVIDIA H200, as [`crate::reduce::Tuning::of`] is.
    fn whole_tuning(&self, len: u64) -> (u32, u32) {
        let (wanted, most) = match len {
            0..=4096 => (256, 1),
            4097..=65_536 => (1024, 1),
            65_537..=16_777_216 => (256, 396),
            _ => (512, 1056),
        };
        let sizes = self.steps().into_iter().filter_map(|step| match step {
            Step::Whole { workgroup_size } => Some(workgroup_size),
            _ => None,
        });
        let size = sizes.filter(|size| *size <= wanted).max().unwrap_or_else(|| self.largest_workgroup());
        (size, most)
    }

    /// Fixed segments: one dispatch a window, and a second level where segments were cut into chunks.
    fn segments(&self, part: Extent, second: Option<Extent>, len: u64) -> Result<Plan, ReducerError> {
        if len == 0 || !part.len.is_multiple_of(len) {
            return Err(ReducerError::Segments { total: part.len, len });
        }
        let results = part.len / len;
        let chunk = self.chunk(len, results);
        let cut = Cut { len, chunk, chunks: len.div_ceil(chunk) };
        let mut plan = Plan {
            passes: Vec::new(),
            results,
            output: results * self.monoid.out.stride,
            scratch: 0,
            board: 0,
        };
        let mut number = 0;
        while number < results * cut.chunks {
            let (pass, next) = self.slab((part, second), cut, number, results * cut.chunks)?;
            plan.passes.push(pass);
            number = next;
        }
        if cut.chunks > 1 {
            plan.scratch = results * cut.chunks * self.monoid.acc.stride;
            plan.passes.push(self.merge(results, cut)?);
        }
        Ok(plan)
    }

    /// Elements of a chunk: the whole segment, or less if there are too few segments to fill a GPU.
    fn chunk(&self, len: u64, results: u64) -> u64 {
        let wanted = ENOUGH_WORKGROUPS.div_ceil(results.max(1));
        let filling = len.div_ceil(wanted).max(SMALLEST_CHUNK).next_multiple_of(4);
        let reachable = u64::from(self.workgroup_size) * MAX_ITERATIONS;
        // A window may start with nearly `align` bytes that are not the chunk's.
        let bound = (self.largest_binding() - self.align()) / self.monoid.element().size();
        len.min(filling).min(reachable).min(bound.max(1))
    }

    /// Invocations for so many items, as a power of two.
    fn team(&self, items: u64) -> u32 {
        let wanted = items.div_ceil(PER_INVOCATION).next_power_of_two().ilog2();
        wanted.min(self.workgroup_size.ilog2())
    }

    /// The dispatch over as many chunks from number `begin` on as bindings hold, and the number after them.
    fn slab(
        &self,
        (part, second): (Extent, Option<Extent>),
        cut: Cut,
        begin: u64,
        all: u64,
    ) -> Result<(Pass, u64), ReducerError> {
        let size = self.monoid.element().size();
        let stride = if cut.chunks > 1 { self.monoid.acc.stride } else { self.monoid.out.stride };
        let index = cut.element(begin);
        let at = part.offset + index * size;
        let start = at / self.align() * self.align();
        let reachable = cut.number(index + (self.largest_window(second) - (at - start)) / size);
        let storable =
            begin + (self.largest_binding() - self.unit(stride).min(self.largest_binding() / 2)) / stride;
        let end = reachable.min(storable).min(all).max(begin + 1);
        let covered = cut.element(end) - index;
        let team = self.team(cut.chunk);
        let grid = self.grid(((end - begin) << team).div_ceil(u64::from(self.workgroup_size)))?;
        let (bytes, store) = self.store(begin, end - begin, stride);
        let window = Window {
            start,
            size: (at - start + covered * size).next_multiple_of(4),
            first: ((at - start) / size) as u32,
            len: covered as u32,
            index: index as u32,
        };
        let read = Reads { part: 0, window, second: second.map(|second| self.beside(second, window)) };
        let pass = Pass {
            step: if cut.chunks > 1 { Step::Chunks } else { Step::Segments },
            from: read.from(),
            to: if cut.chunks > 1 { To::Scratch(bytes) } else { To::Output(bytes) },
            grid,
            params: Params {
                groups: (end - begin) as u32,
                row: grid[0],
                store,
                count: cut.len as u32,
                segment: cut.len as u32,
                chunk: cut.chunk as u32,
                chunks: cut.chunks as u32,
                base: begin as u32,
                team,
                ..read.params()
            },
        };
        Ok((pass, end))
    }

    /// The dispatch that reduces every segment's accumulators.
    fn merge(&self, results: u64, cut: Cut) -> Result<Pass, ReducerError> {
        let stride = self.monoid.acc.stride;
        let size = results * cut.chunks * stride;
        if size > self.largest_binding() {
            return Err(ReducerError::Scratch { needed: size, limit: self.largest_binding() });
        }
        let team = self.team(cut.chunks);
        let grid = self.grid((results << team).div_ceil(u64::from(self.workgroup_size)))?;
        let (bytes, store) = self.store(0, results, self.monoid.out.stride);
        Ok(Pass {
            step: Step::Merge,
            from: From::Scratch(Bytes { offset: 0, size }),
            to: To::Output(bytes),
            grid,
            params: Params {
                len: (results * cut.chunks) as u32,
                groups: results as u32,
                row: grid[0],
                store,
                count: cut.len as u32,
                segment: cut.chunks as u32,
                chunk: cut.chunks as u32,
                chunks: 1,
                team,
                ..Params::default()
            },
        })
    }

    /// Where bindings of values of this stride may start: also at a multiple of the stride.
    fn unit(&self, stride: u64) -> u64 {
        let odd = stride >> stride.trailing_zeros();
        self.align().max(stride / odd) * odd
    }

    /// The binding that holds `count` values from number `begin` on, and where in it they start, in values.
    fn store(&self, begin: u64, count: u64, stride: u64) -> (Bytes, u32) {
        let offset = begin * stride / self.unit(stride) * self.unit(stride);
        (
            Bytes { offset, size: (begin + count) * stride - offset },
            ((begin * stride - offset) / stride) as u32,
        )
    }
}

/// How segments are cut into chunks.
#[derive(Clone, Copy)]
struct Cut {
    /// Elements of a segment, and of a chunk; chunks of a segment. The last one may be shorter.
    len: u64,
    chunk: u64,
    chunks: u64,
}

impl Cut {
    /// The element at which a chunk starts.
    fn element(self, number: u64) -> u64 {
        number / self.chunks * self.len + number % self.chunks * self.chunk
    }

    /// The number of the first chunk that does not end by this element.
    fn number(self, element: u64) -> u64 {
        element / self.len * self.chunks + element % self.len / self.chunk
    }
}

/// A window of the inputs.
struct Reads {
    part: usize,
    window: Window,
    /// The window of the second input, and where in it the first item is.
    second: Option<(Bytes, u32)>,
}

impl Reads {
    fn from(&self) -> From {
        let Window { start, size, .. } = self.window;
        if size == 0 {
            return From::Nothing;
        }
        let second = self.second.map(|(bytes, _)| bytes);
        From::Inputs { part: self.part, first: Bytes { offset: start, size }, second }
    }

    fn params(&self) -> Params {
        let Window { first, len, index, .. } = self.window;
        let other = self.second.map_or(0, |(_, at)| at.wrapping_sub(first));
        Params { first, len, index, other, ..Params::default() }
    }
}
