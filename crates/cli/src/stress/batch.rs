//! Reductions one after the other in one pass, with other dispatches between them, and all results read back and checked.

use std::ops::Range;

use halofold::read::Readback;
use halofold::reduce::{Plan, Prepared, Workspace};
use halofold::{Slice, wgpu};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::stress::disturbance::{Disturbance, STEPS};
use crate::stress::elements::{BITS, Elements, Random};
use crate::stress::kind::Kind;

/// Reductions that are bound together, each with its own place for its result.
pub const JOBS: usize = 128;

/// Bytes from one result to the next.
const APART: u64 = 256;

/// The value that results are overwritten with before each batch.
const POISON: u32 = 0x7ff5_fcad;

/// Each of these happens between two reductions once in this many cases, on average.
const CHANGES: u64 = 24;
const PRESSES: u64 = 4;
const POISONS: u64 = 2;

/// A reduction, bound.
struct Bound {
    kind: usize,
    part: Range<usize>,
    prepared: Prepared,
}

/// Counts of reductions and dispatches so far.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub reductions: u64,
    pub bytes: u64,
    pub changes: u64,
    pub presses: u64,
    pub poisons: u64,
}

/// The device, buffers and reductions of all batches.
pub struct Bench<'a> {
    gpu: &'a Gpu,
    kinds: &'a [Kind],
    elements: &'a Elements,
    held: wgpu::Buffer,
    results: wgpu::Buffer,
    readback: Readback,
    workspace: Workspace,
    change: Disturbance,
    press: Disturbance,
    poison: Disturbance,
    /// The sum of all numbers added to every element so far.
    raised: u32,
    bound: Vec<Bound>,
    pub counts: Counts,
}

impl<'a> Bench<'a> {
    /// `pressed`: words of the ballast, and workgroups that go over it at a time.
    pub fn new(
        gpu: &'a Gpu,
        kinds: &'a [Kind],
        elements: &'a Elements,
        pressed: (u64, u64),
    ) -> Result<Self, Failure> {
        let buffer = |name, size| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(name),
                size,
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        };
        let held = buffer("halofold::stress::elements", 4 * elements.len() as u64);
        gpu.queue.write_buffer(&held, 0, bytemuck::cast_slice(elements.base()));
        let plans = kinds.iter().map(|kind| kind.reducer.of(&held).plan()).collect::<Result<Vec<Plan>, _>>();
        let workspace = Workspace::for_plans(&gpu.device, &plans.map_err(Failure::usage)?);
        let results = buffer("halofold::stress::results", JOBS as u64 * APART);
        let ballast = buffer("halofold::stress::ballast", 4 * pressed.0);
        Ok(Bench {
            gpu,
            kinds,
            elements,
            readback: Readback::new(&gpu.device, results.size()),
            change: Disturbance::change(gpu, &held)?,
            press: Disturbance::press(gpu, &ballast, pressed.1)?,
            poison: Disturbance::poison(gpu, workspace.partials())?,
            held,
            results,
            workspace,
            raised: 0,
            bound: Vec::new(),
            counts: Counts::default(),
        })
    }

    /// Binds other reductions: parts of all lengths, mostly short ones, from any element on.
    pub fn draw(&mut self, random: &mut Random) -> Result<(), Failure> {
        self.bound.clear();
        for slot in 0..JOBS {
            let number = random.below(self.kinds.len() as u64) as usize;
            let kind = &self.kinds[number];
            let len = length(kind.least, self.elements.len(), random);
            let start = random.below((self.elements.len() - len + 1) as u64) as usize;
            let elements = Slice::new(&self.held, 4 * start as u64, 4 * len as u64);
            let result = Slice::new(&self.results, slot as u64 * APART, APART);
            let reduction = kind.reducer.of(elements).workspace(&self.workspace);
            let prepared = reduction.into(result).map_err(Failure::usage)?;
            self.bound.push(Bound { kind: number, part: start..start + len, prepared });
        }
        Ok(())
    }

    /// Runs `count` of the bound reductions in another order, and returns the evidence of wrong results.
    pub fn run(&mut self, count: usize, random: &mut Random) -> Result<Vec<String>, Failure> {
        let mut order: Vec<usize> = (0..JOBS).collect();
        for place in 0..count {
            order.swap(place, place + random.below((JOBS - place) as u64) as usize);
        }
        order.truncate(count);
        self.gpu.queue.write_buffer(
            &self.results,
            0,
            bytemuck::cast_slice(&[POISON; JOBS * APART as usize / 4]),
        );
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let expected = self.encode(&mut encoder, &order, random);
        let size = self.results.size();
        self.readback.encode(&mut encoder, &self.results, 0, size).map_err(Failure::usage)?;
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(size).map_err(Failure::usage)?;
        self.gpu.check()?;
        let mut misses = Vec::new();
        for (&bound, want) in order.iter().zip(expected) {
            let result = &bytes[bound * APART as usize..][..4 * want.len()];
            let got: Vec<u32> = bytemuck::pod_collect_to_vec(result);
            if got != want {
                misses.push(self.miss(bound, &got, &want));
            }
        }
        Ok(misses)
    }

    /// Records the batch, and returns the expected result of each reduction.
    fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        order: &[usize],
        random: &mut Random,
    ) -> Vec<Vec<u32>> {
        let (mut changes, mut presses) = (Vec::new(), Vec::new());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let expected = order.iter().map(|&bound| {
            if random.once_in(CHANGES) && changes.len() < STEPS {
                let raised = (random.next() >> (64 - BITS)) as u32;
                self.change.encode_in_pass(&mut pass, changes.len());
                changes.push(raised.wrapping_sub(self.raised));
                self.raised = raised;
            }
            if random.once_in(PRESSES) && presses.len() < STEPS {
                self.press.encode_in_pass(&mut pass, presses.len());
                presses.push(random.next() as u32 >> 1);
            }
            if random.once_in(POISONS) {
                self.poison.encode_in_pass(&mut pass, 0);
                self.counts.poisons += 1;
            }
            let Bound { kind, part, prepared } = &self.bound[bound];
            prepared.encode_in_pass(&mut pass);
            self.counts.reductions += 1;
            self.counts.bytes += 4 * part.len() as u64;
            self.elements.answer(self.kinds[*kind].question, part.clone(), self.raised)
        });
        let expected: Vec<_> = expected.collect();
        drop(pass);
        self.counts.changes += changes.len() as u64;
        self.counts.presses += presses.len() as u64;
        self.change.write(self.gpu, &changes);
        self.press.write(self.gpu, &presses);
        expected
    }

    /// The evidence of a wrong result.
    fn miss(&self, bound: usize, got: &[u32], want: &[u32]) -> String {
        let Bound { kind, part: Range { start, end }, prepared } = &self.bound[bound];
        let Kind { name, .. } = &self.kinds[*kind];
        let (len, workgroups) = (end - start, prepared.plan().workgroups());
        let untouched = got.iter().all(|word| *word == POISON);
        let remark = if untouched { " (no result was written)" } else { "" };
        let (got, want) = (hexadecimal(got), hexadecimal(want));
        format!(
            "{name}: {len} elements from number {start} on, {workgroups} workgroups: got {got}, want {want}{remark}"
        )
    }

    /// The number of elements in GPU memory that differ from what was written: 0 unless the elements themselves are at fault.
    pub fn wrong_elements(&self) -> Result<usize, Failure> {
        let size = self.held.size();
        let readback = Readback::new(&self.gpu.device, size);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        readback.encode(&mut encoder, &self.held, 0, size).map_err(Failure::usage)?;
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = readback.wait(size).map_err(Failure::usage)?;
        let words = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>);
        let pairs = words.zip(self.elements.base());
        Ok(pairs.filter(|(word, base)| *word != **base + self.raised).count())
    }
}

fn hexadecimal(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:#010x}")).collect::<Vec<_>>().join(" ")
}

/// A length from `least` to `most`, mostly a short one.
fn length(least: usize, most: usize, random: &mut Random) -> usize {
    let octaves = u64::from((most / least).ilog2()) + 1;
    let octave = random.below(octaves).min(random.below(octaves)).min(random.below(octaves));
    let from = least << octave;
    (from + random.below(from as u64) as usize).min(most)
}
