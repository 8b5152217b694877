//! Buffers, reducers and results that all of these tests need.

use halofold::reduce::{BufferRange, Monoid, Op, Options, Plan, Prepared, Reducer, Shape, Workspace};
use halofold::{Element, Slice, wgpu};

use crate::common::{Gpu, Random, spanned};
pub use crate::common::{buffer, in_one_pass, is_poison, poison, poisoned, read, room, shaped};

pub const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;

/// Sums of floats that round differently in every order.
pub fn rounding(len: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| (random.next() >> 40) as f32 / 1000.0 - 8000.0).collect()
}

pub fn sum(element: Element) -> Monoid {
    Op::Sum.over(element).unwrap()
}

/// One shape of each form over about so many elements, and how many elements that is.
pub fn shapes(len: u64) -> [(Shape, u64); 5] {
    let side = len.isqrt().max(1);
    [
        (Shape::Whole, len),
        (Shape::Strided { stride: 3 }, len / 3),
        (Shape::Segments { len: side }, side * side),
        (Shape::Offsets { count: 3 }, len),
        (Shape::Axis { outer: 1, len: side, inner: side }, side * side),
    ]
}

/// A reduction of one input with everything that belongs to it.
pub struct Bench<'a> {
    pub gpu: &'a Gpu,
    output: wgpu::Buffer,
    pub prepared: Prepared,
}

impl<'a> Bench<'a> {
    /// Binds a reduction of all of `bytes`, in a workspace of its own or this one.
    pub fn new(
        gpu: &'a Gpu,
        reducer: &Reducer,
        (shape, len): (Shape, u64),
        bytes: &[u8],
        workspace: Option<&Workspace>,
    ) -> Self {
        let plan = plan(reducer, shape, len);
        let input = poisoned(gpu, bytes, 0);
        let output = room(gpu, plan.output());
        let cuts = [0, len as u32 / 7, len as u32 / 2, len as u32];
        let offsets = buffer(gpu, bytemuck::cast_slice(&cuts), STORAGE);
        let size = spanned(shape, len) * reducer.monoid().stride();
        let mut reduction = shaped(reducer.of(Slice::new(&input, 0, size)), shape, &offsets);
        if let Some(workspace) = workspace {
            reduction = reduction.workspace(workspace);
        }
        let prepared = reduction.into(&output).unwrap();
        Bench { gpu, output, prepared }
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

pub fn plan(reducer: &Reducer, shape: Shape, len: u64) -> Plan {
    reducer.plan(shape, &[BufferRange { offset: 0, len }], None).unwrap()
}

pub fn reducer(gpu: &Gpu, monoid: Monoid) -> Reducer {
    Reducer::new(&gpu.device, monoid).unwrap()
}

pub fn options(subgroups: bool) -> Options<'static> {
    Options::default().with_subgroups(subgroups)
}
