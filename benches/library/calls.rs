//! Many different calls, prepared, checked and put into one pass.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use halofold::read::Readback;
use halofold::reduce::{Op, Reduce};
use halofold::{Compiled, Element, adapter, wgpu};
use halofold_cases::timed::{CHAINED, Call, EXACT, Expected, Made, Timed, WORD, Way, recorded};
use halofold_measure::{LibraryWork, MeasureError, Peak, Rejection, Row, Subject, Summary, Timer, Timing};

use crate::common::Machine;
use crate::pool::Pool;

/// The fewest calls of one pass, unless their outputs would be too large, and the most: powers of two.
const CALLS: [u64; 2] = [8, 2048];

/// Bytes that the calls of one pass read, if there may be as many.
const READ: u64 = 1 << 30;

/// Bytes of all outputs, at most; and of those that are all checked.
const WRITTEN: u64 = 4 << 30;
const CHECKED: u64 = 64 << 20;

/// Expected contents by the size of inputs and the address at which they begin in a pool.
pub type Known = HashMap<(u64, usize), Rc<Vec<Expected>>>;

/// Different calls of the same kind, and their expected results.
pub struct Calls<'a> {
    calls: Vec<Call>,
    /// The outputs of each, or of all chained ones.
    outputs: Vec<Vec<wgpu::Buffer>>,
    /// The contents of those that are checked.
    expected: Vec<(u64, Rc<Vec<Expected>>)>,
    way: Way,
    sweep: &'a Call,
    /// Bytes that one of them reads.
    bytes: u64,
}

impl<'a> Calls<'a> {
    /// As many calls of a row as one pass has, in one way.
    pub fn new(
        machine: &Machine,
        sweep: &'a Call,
        (row, pools): (&Timed, &[&Pool]),
        way: Way,
        known: &mut Known,
    ) -> Made<Self> {
        let Machine { device, queue, .. } = machine;
        let size = row.bytes / pools.len().max(1) as u64;
        let compiled = row.compile(device, queue, way)?;
        let written: u64 = compiled.outputs.iter().sum();
        let [fewest, most] = CALLS;
        let count = match adapter::is_software(&device.adapter_info()) {
            true => fewest,
            false => (READ / row.bytes).clamp(fewest, most).min(WRITTEN / written).max(1),
        };
        let sets = if way == CHAINED { 1 } else { count };
        let set = |_| compiled.outputs.iter().map(|size| storage(device, *size)).collect();
        let outputs: Vec<Vec<_>> = (0..sets).map(set).collect();
        let call = |number| {
            let inputs: Vec<_> = pools.iter().map(|pool| pool.input(size, number)).collect();
            compiled.bind(&inputs, &outputs[(number % sets) as usize])
        };
        let calls = (0..count).map(call).collect::<Made<_>>()?;
        // Calls that add up are one over all of their inputs; of others that share an output the results of the last are there.
        let (size, last) = if row.adds_up && sets < count { (size * count, 0) } else { (size, count - sets) };
        let mut expected = |number| {
            let inputs = pools.iter().map(|pool| pool.repeated(size, number));
            let (blocks, times): (Vec<_>, Vec<_>) = inputs.unzip();
            let times = times.first().copied().unwrap_or(1);
            let place = blocks.first().map_or(0, |block| block.as_ptr().addr());
            let compute = || Rc::new(compiled.expected(&blocks, times));
            Rc::clone(known.entry((size, place)).or_insert_with(compute))
        };
        let is_large = written * sets > CHECKED;
        let checked = (0..sets).filter(|at| !is_large || *at == 0 || *at == sets - 1);
        let expected = checked.map(|at| (at, expected(at + last))).collect();
        Ok(Calls { calls, outputs, expected, way, sweep, bytes: row.bytes })
    }
}

impl Subject for Calls<'_> {
    type Work = LibraryWork;

    fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.calls.iter().for_each(|call| call(pass));
    }

    /// Runs all calls once, over empty outputs, and checks their results; of large ones only those of the first and the last call.
    fn verify(&self, timer: &Timer) -> Result<(), MeasureError> {
        let mut encoder = timer.device().create_command_encoder(&Default::default());
        self.outputs.iter().flatten().for_each(|output| encoder.clear_buffer(output, 0, None));
        self.encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()));
        timer.queue().submit([encoder.finish()]);
        for (at, expected) in &self.expected {
            for (output, expected) in self.outputs[*at as usize].iter().zip(&**expected) {
                let readback = Readback::new(timer.device(), output.size());
                let mut encoder = timer.device().create_command_encoder(&Default::default());
                readback.encode(&mut encoder, output, 0, output.size())?;
                timer.queue().submit([encoder.finish()]);
                let got = readback.wait(output.size())?;
                expected.check(&got, self.way == EXACT).map_err(Rejection::Wrong)?;
            }
        }
        Ok(())
    }

    /// Times `repeats` passes, and returns the time of one call.
    fn time(&self, timer: &Timer, repeats: u64) -> Result<(Duration, Timing), MeasureError> {
        let (mut seconds, mut clock) = (0.0, timer.timing());
        for _ in 0..repeats {
            let (took, timing) = timer.measure_after(self.sweep, &|pass| self.encode_in_pass(pass))?;
            seconds += took.as_secs_f64() / self.calls.len() as f64;
            clock = timing;
        }
        Ok((Duration::from_secs_f64(seconds), clock))
    }

    fn fill(&self, row: &mut Row<LibraryWork>, ms: Summary, timing: Timing, peak: Peak) {
        row.set_times(ms, timing);
        row.set_rate(self.bytes, Some(peak.read_gb_per_s));
    }
}

/// Room for elements or results, to be written and read back.
pub fn storage(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold bench"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// The call that reads so much memory, never written, that it replaces the contents of all caches.
pub fn sweep(machine: &Machine) -> Made<Call> {
    let device = &machine.device;
    let mib = if adapter::is_software(&device.adapter_info()) { 4 } else { 512 };
    let memory = storage(device, (mib << 20).min(device.limits().max_buffer_size / WORD * WORD));
    let or = Compiled::new(device, Reduce::new(Op::Or.over(Element::U32)?), &Default::default())?;
    recorded(or.of(&memory).bind(&storage(device, WORD)))
}
