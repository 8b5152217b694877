//! The contract of the embeddable reducer with the application around it: costs of recording, shared and mixed use,
//! memory that stays untouched, refusals. Everything runs under the validation layers, where they are installed.

mod mixed;
mod recording;
mod repeated;
mod wrong;

use halofold::reduce::{Bound, Monoid, Op, Plan, Reduce};
use halofold::{Compiled, Element, wgpu};

use crate::common::{Gpu, Random, in_one_pass, poison, read, room};
use crate::cut::Cut;

/// Bytes of floats whose sums round differently in every order.
fn rounding(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..len).flat_map(|_| ((random.next() >> 40) as f32 / 1000.0 - 8000.0).to_le_bytes()).collect()
}

fn sum(element: Element) -> Monoid {
    Op::Sum.over(element).unwrap()
}

fn reducer(gpu: &Gpu, monoid: Monoid) -> Compiled<Reduce> {
    gpu.compile(Reduce::new(monoid))
}

/// One cut of each shape over about this many elements.
fn shapes(len: usize) -> [Cut; 5] {
    let side = len.isqrt();
    [
        Cut::whole(len),
        Cut::strided(3, len),
        Cut::segments(side, side),
        Cut::between(vec![0, len as u32 / 7, len as u32 / 2, len as u32], len),
        Cut::axis([1, side, side]),
    ]
}

/// A prepared reduction of one input, its plan, and its output.
struct Bench<'a> {
    gpu: &'a Gpu,
    output: wgpu::Buffer,
    prepared: Bound,
    plan: Plan,
}

impl<'a> Bench<'a> {
    /// Prepares a reduction of the first of these elements.
    fn new(gpu: &'a Gpu, reducer: &Compiled<Reduce>, cut: &Cut, bytes: &[u8]) -> Self {
        let held = cut.hold(gpu, 4, &[&bytes[..4 * cut.len]]);
        let reduction = held.reduction(reducer);
        let plan = reduction.plan().unwrap();
        let output = room(gpu, plan.output());
        Bench { gpu, prepared: reduction.bind(&output).unwrap(), plan, output }
    }

    /// Runs it this many times in one pass, onto poison, and returns its results.
    fn run(&self, times: usize) -> Vec<u8> {
        self.gpu.queue.write_buffer(&self.output, 0, &poison(self.output.size() as usize));
        in_one_pass(self.gpu, |pass| (0..times).for_each(|_| self.prepared.encode_in_pass(pass)));
        let mut bytes = read(self.gpu, &self.output);
        bytes.truncate(self.plan.output() as usize);
        bytes
    }
}
