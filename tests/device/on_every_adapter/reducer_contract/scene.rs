//! Buffers, reducers and results that all of these tests need.

use halofold::reduce::{Monoid, Op, Prepared, Reducer, Workspace};
use halofold::{Element, wgpu};

use crate::common::{Gpu, Random};
pub use crate::common::{buffer, in_one_pass, is_poison, poison, read, room};
use crate::cut::Cut;

pub const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;

/// Bytes of floats whose sums round differently in every order.
pub fn rounding(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..len).flat_map(|_| ((random.next() >> 40) as f32 / 1000.0 - 8000.0).to_le_bytes()).collect()
}

pub fn sum(element: Element) -> Monoid {
    Op::Sum.over(element).unwrap()
}

pub fn reducer(gpu: &Gpu, monoid: Monoid) -> Reducer {
    Reducer::new(&gpu.device, monoid).unwrap()
}

/// One cut of each shape over about this many elements.
pub fn shapes(len: usize) -> [Cut; 5] {
    let side = len.isqrt();
    [
        Cut::whole(len),
        Cut::strided(3, len),
        Cut::segments(side, side),
        Cut::between(vec![0, len as u32 / 7, len as u32 / 2, len as u32], len),
        Cut::axis([1, side, side]),
    ]
}

/// A reduction of one input with everything that belongs to it.
pub struct Bench<'a> {
    pub gpu: &'a Gpu,
    output: wgpu::Buffer,
    pub prepared: Prepared,
}

impl<'a> Bench<'a> {
    /// Binds a reduction of the first of these elements, in a workspace of its own or this one.
    pub fn new(gpu: &'a Gpu, reducer: &Reducer, cut: &Cut, bytes: &[u8], space: Option<&Workspace>) -> Self {
        let held = cut.hold(gpu, 4, &[&bytes[..4 * cut.len]]);
        let reduction = held.reduction(reducer);
        let output = room(gpu, reduction.plan().unwrap().output());
        let reduction = space.into_iter().fold(reduction, |reduction, space| reduction.workspace(space));
        Bench { gpu, prepared: reduction.into(&output).unwrap(), output }
    }

    /// Runs it once and returns its results.
    pub fn run(&self) -> Vec<u8> {
        self.forget();
        in_one_pass(self.gpu, |pass| self.prepared.encode_in_pass(pass));
        self.results()
    }

    /// Poisons its output, so that what was there before is not taken for a result.
    pub fn forget(&self) {
        self.gpu.queue.write_buffer(&self.output, 0, &poison(self.output.size() as usize));
    }

    /// The contents of its output.
    pub fn results(&self) -> Vec<u8> {
        let mut bytes = read(self.gpu, &self.output);
        bytes.truncate(self.prepared.plan().output() as usize);
        bytes
    }
}
