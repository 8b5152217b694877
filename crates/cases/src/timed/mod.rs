//! Rows to be timed: an operation, its inputs, the ways to call it, and what its outputs hold.
//!
//! A row names no device. [`Timed::compile`] brings it to one; [`Runnable::bind`] makes a call from slices and buffers. Inputs repeat a
//! [block](Input::block), so that the host computes the results of one period.

mod groups;
mod pictures;
mod ranks;
mod reductions;
mod runnable;

use std::cell::LazyCell;
use std::rc::Rc;

use halofold::wgpu;

use crate::compile;

pub(crate) use pictures::described;
pub use runnable::{Call, Expected, Made, Runnable, recorded};

/// A way to call: its name in records.
pub type Way = &'static str;

/// Calls without common buffers; the same with exact sums, without subgroup operations, and without wgpu's checks.
pub const INDEPENDENT: Way = "halofold";
pub const EXACT: Way = "halofold-exact";
pub const NO_SUBGROUPS: Way = "halofold-no-subgroups";
pub const UNCHECKED: Way = "halofold-unchecked";

/// Calls that share one output and one workspace: each waits for the one before.
pub const CHAINED: Way = "halofold-chained";

/// Bytes of most elements, ids, keys and results.
pub const WORD: u64 = 4;

/// The period of most inputs, in elements: a power of two.
const PERIOD: u64 = 1 << 20;

/// Elements that repeat a block.
pub struct Input {
    /// Bytes that all rows of this input want together.
    pub room: u64,
    block: LazyCell<Vec<u8>, Box<dyn FnOnce() -> Vec<u8>>>,
}

impl Input {
    fn new(room: u64, block: impl FnOnce() -> Vec<u8> + 'static) -> Rc<Self> {
        Rc::new(Input { room, block: LazyCell::new(Box::new(block)) })
    }

    /// The bytes of one period: a power of two.
    pub fn block(&self) -> &[u8] {
        &self.block
    }
}

/// One row.
pub struct Timed {
    /// Operator, shape and type, as records have them.
    pub work: [String; 3],
    /// Number of elements, and its name.
    pub n: u64,
    pub size: String,
    /// Number of results, for shapes that may have many.
    pub results: Option<u64>,
    /// What a call reads. Each input has as many bytes.
    pub inputs: Vec<Rc<Input>>,
    /// Bytes that a call reads.
    pub bytes: u64,
    /// The ways to call it.
    pub ways: &'static [Way],
    /// Features that the device must have.
    pub features: wgpu::Features,
    /// Whether chained calls add to one output.
    pub adds_up: bool,
    make: Box<Make>,
}

type Make = dyn Fn(&wgpu::Device, &wgpu::Queue, Way) -> Made<Runnable>;

impl Timed {
    /// A row of independent and of chained calls. A call reads `bytes` bytes.
    fn new(
        work: [&str; 3],
        n: u64,
        bytes: u64,
        inputs: &[&Rc<Input>],
        make: impl Fn(&wgpu::Device, &wgpu::Queue, Way) -> Made<Runnable> + 'static,
    ) -> Self {
        Timed {
            work: work.map(str::to_owned),
            n,
            size: format!("2^{}", n.ilog2()),
            results: None,
            inputs: inputs.iter().map(|input| Rc::clone(input)).collect(),
            bytes,
            ways: &[INDEPENDENT, CHAINED],
            features: wgpu::Features::empty(),
            adds_up: false,
            make: Box::new(make),
        }
    }

    /// Compiles it for a way to call.
    pub fn compile(&self, device: &wgpu::Device, queue: &wgpu::Queue, way: Way) -> Made<Runnable> {
        (self.make)(device, queue, way)
    }
}

/// All rows, as groups that share inputs: of up to 2^28 elements, or of 2^16 for a software adapter.
pub fn timed(is_small: bool) -> Vec<Vec<Timed>> {
    let largest = if is_small { 1 << 16 } else { 1 << 28 };
    vec![
        reductions::rows(is_small),
        groups::rows(largest),
        ranks::rows(largest),
        groups::runs(largest),
        pictures::rows(is_small),
    ]
}

/// The sum of 2^`power` small floats.
pub fn sum(power: u32) -> Timed {
    reductions::sum(power)
}

/// The random word at an index: those of `TestData` in `halofold-measure`, since times on record are of these elements.
fn word(at: u64) -> u64 {
    let x = at.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 32)
}

/// The bytes of elements by their index and the random word there.
fn generate<T: bytemuck::Pod>(len: u64, element: impl Fn(u64, u64) -> T) -> Vec<u8> {
    let elements: Vec<T> = (0..len).map(|at| element(at, word(at))).collect();
    bytemuck::pod_collect_to_vec(&elements)
}
