//! Arguments of indirect dispatches, from a count on the GPU.

use wgpu::{Features, Limits};

use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::input;
use crate::gpu::io::{OneInput, OneOutput, Output};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::gpu::limits::{self, SettingError};
use crate::gpu::operation::{Base, Step};
use crate::gpu::params::parameters;
use crate::gpu::range::Inputs;
use crate::shader::{self, Composer, rooms};

const ARGUMENTS: Step = "kernels/arguments";

const SLOTS: &[Slot] = &[(0, Access::Read), (1, Access::Write), (PARAMETERS, Access::Uniform)];

/// Bytes of a count, and of the arguments.
const WORD: u64 = 4;
const SIZE: u64 = 3 * WORD;

parameters! {
    /// `Params` of `shaders/kernels/arguments.wgsl`.
    struct Params {
        first: u32,
        items: u32,
        most: u32,
        arguments_at: u32,
    }
}

/// The arguments of an indirect dispatch of a kernel of your own, over as many items as a count on the GPU says. It is a plain value;
/// [`Compiled`](crate::Compiled) brings it to a device.
///
/// The input is the count, a `u32` at any multiple of 4 bytes: that of [`Select`](crate::select::Select),
/// [`ReduceRuns`](crate::group::ReduceRuns), [`RunLengths`](crate::group::RunLengths) or [`GroupByKey`](crate::group::GroupByKey).
/// The output is the arguments: three `u32`, the workgroups in x, y and z. They are at any multiple of 4 bytes of a buffer that also has
/// [`wgpu::BufferUsages::INDIRECT`]. More workgroups than a dimension holds are folded into rows. The last row may be longer than needed: your kernel compares `(y * num_workgroups.x + x) * workgroup_size` with the count.
///
/// ```
/// use halofold::{Compiled, DispatchArguments, Options};
///
/// # let Some((device, _, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let [count, arguments] = [4, 12].map(|size| buffer(&vec![0u8; size]));
/// // Workgroups of 64 invocations.
/// let per_item = Compiled::new(&device, DispatchArguments::new(64), &Options::default())?.of(&count).bind(&arguments)?;
/// // In a pass: `per_item.encode_in_pass(&mut pass)`, your pipeline, and `pass.dispatch_workgroups_indirect(&arguments, 0)`.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchArguments {
    items: u32,
}

impl DispatchArguments {
    /// Describes arguments for workgroups of `items_per_workgroup` items, at least one.
    pub const fn new(items_per_workgroup: u32) -> Self {
        DispatchArguments { items: items_per_workgroup }
    }
}

impl Base for DispatchArguments {
    const LABEL: &'static str = "halofold::dispatch_arguments";
    const INPUTS: [&'static str; 2] = ["count", ""];

    fn check_settings(&self) -> Result<(), Error> {
        Ok(SettingError::unless("items of a workgroup", self.items, 1..=u32::MAX)?)
    }

    fn check_on(&self, _: Features, limits: &Limits) -> Result<(), Error> {
        Ok(limits::check(SLOTS, limits)?)
    }

    fn steps(&self) -> Vec<Step> {
        vec![ARGUMENTS]
    }

    fn kernel(&self, step: Step, _: Features, _: &Limits) -> Kernel {
        let wgsl = Composer::of(&[rooms::KERNELS]).compose(step, &[]);
        Kernel::new(shader::label(&[step]), wgsl, SLOTS, Vec::new())
    }

    fn item(&self) -> u64 {
        WORD
    }

    fn outputs(&self, _: u64) -> Vec<Output> {
        vec![Output::placed("arguments", SIZE, "arguments_at")]
    }

    fn counted(self) -> Option<Self> {
        None
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let (from, first) = input::whole(inputs.first, WORD, limits)?;
        let most = limits.max_compute_workgroups_per_dimension;
        let params = Params { first, items: self.items, most, arguments_at: 0 };
        Ok(vec![Pass::new(ARGUMENTS, [1, 1], params).reading(Some(from))])
    }
}

impl OneInput for DispatchArguments {}
impl OneOutput for DispatchArguments {}
