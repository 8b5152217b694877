//! An operator on a device: its kernels, each compiled when it is first needed.

use wgpu::{Buffer, Device, TextureSampleType};

use crate::gpu;
use crate::gpu::blocks::Blocks;
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::kernel::{Kernel, Pipeline, Pipelines};
use crate::gpu::launch::Dispatch;
use crate::gpu::limits::LimitError;
use crate::gpu::slice::Slice;
use crate::gpu::texels::Texels;
use crate::reduce::compose::Text;
use crate::reduce::monoid::Monoid;
use crate::reduce::options::{self, Options};
use crate::reduce::plan::{BufferRange, Plan, Request, Stage, WORDS};
use crate::reduce::reduction::Reduction;
use crate::reduce::results::{FromResults, OutputLayout};
use crate::reduce::shape::Shape;

/// One operator on one device. It compiles each kernel when a reduction first needs it, and keeps it for
/// inputs of any length.
///
/// A reducer is `Send` and `Sync`. You may drop it once everything is prepared.
///
/// ```
/// use halofold::Element;
/// use halofold::reduce::{Op, Reducer};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let elements = buffer(bytemuck::cast_slice(&[1.0f32, -3.0, 2.0, -3.0]));
/// let least = Reducer::new(&device, Op::ArgMin.over(Element::F32)?)?;
/// let (value, index): (f32, u32) = least.of(&elements).wait(&queue)?;
/// assert_eq!((value, index), (-3.0, 1));
/// // Of rows of two elements:
/// let rows: Vec<(f32, u32)> = least.of(&elements).segments(2).wait(&queue)?;
/// assert_eq!(rows, [(-3.0, 1), (-3.0, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reducer {
    features: wgpu::Features,
    monoid: Monoid,
    options: Options<'static>,
    pub(super) pipelines: Pipelines<Stage>,
}

impl Reducer {
    /// Makes a reducer for an operator. This checks the operator on the CPU; no kernel is compiled yet.
    ///
    /// # Errors
    ///
    /// - The device lacks a feature that the operator needs in every shape.
    /// - A custom operator declares a name that halofold's kernels also declare.
    /// - The device cannot run the [rung](Options::with_rung) that the options name.
    pub fn new(device: &Device, monoid: Monoid) -> Result<Self, Error> {
        Self::with_options(device, monoid, Options::default())
    }

    /// Makes a reducer with options.
    ///
    /// # Errors
    ///
    /// See [`Reducer::new`].
    pub fn with_options(device: &Device, monoid: Monoid, options: Options<'_>) -> Result<Self, Error> {
        let limits = device.limits();
        let adapter = device.adapter_info();
        let options = Options { launches: options.launches.on(&adapter), ..options };
        let monoid = options.exact(&monoid)?.on(device.features()).into_owned().for_adapter(&adapter);
        options.check_operator(&monoid, device.features(), &limits)?;
        Ok(Reducer {
            features: options.features(device.features()),
            pipelines: Pipelines::new(
                device,
                gpu::Options {
                    cache: options.cache,
                    kernels: options.kernels,
                    checks: options.checks,
                    ..Default::default()
                },
            ),
            options: Options { cache: None, kernels: None, ..options },
            monoid,
        })
    }

    /// Describes a reduction of all elements of a buffer or of a slice of one. The methods of [`Reduction`]
    /// choose other shapes, add further inputs, and run it. Bytes after the last whole element are ignored.
    pub fn of<'b>(&self, elements: impl Into<Slice<'b>>) -> Reduction<'_, 'b> {
        Reduction::new(self, Input::Buffer(elements.into()))
    }

    /// Describes a reduction of all texels of a texture's level, or of a rectangle of them, for an operator that reads texels:
    /// [`Monoid::of_texels`].
    pub fn of_texels<'b>(&self, texels: impl Into<Texels<'b>>) -> Reduction<'_, 'b> {
        Reduction::new(self, Input::Texels(texels.into()))
    }

    /// Plans the launches for a shape over inputs of these lengths. It needs no buffers, and has no side
    /// effects. A [`Workspace`](crate::reduce::Workspace) is made from the plan.
    ///
    /// # Errors
    ///
    /// See [`Plan::of`].
    pub fn plan(
        &self,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<Plan, Error> {
        self.request(shape).plan(shape, parts, second)
    }

    /// Compiles ahead of time the kernels that a plan of this reducer launches. It blocks; nothing is
    /// submitted.
    ///
    /// # Errors
    ///
    /// See [`Options::check`].
    pub fn compile(&self, plan: &Plan) -> Result<(), Error> {
        plan.launches.iter().try_for_each(|launch| self.stage(launch.stage).map(drop))
    }

    /// Converts the bytes of an output buffer, as [`read`](mod@crate::read) returns them, to one result or to
    /// a `Vec` of all results. Bytes after the last whole result are ignored.
    ///
    /// # Errors
    ///
    /// The results have another type or another number than `T`.
    pub fn results<T: FromResults>(&self, bytes: &[u8]) -> Result<T, Error> {
        self.output_layout().read(bytes)
    }

    /// The operator.
    pub fn monoid(&self) -> &Monoid {
        &self.monoid
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.pipelines.device
    }

    pub(super) fn limits(&self) -> &wgpu::Limits {
        &self.pipelines.limits
    }

    /// The layout of an output: the numbers of a result, and the bytes from one result to the next.
    pub(super) fn output_layout(&self) -> OutputLayout {
        let (fields, stride) = if self.options.to_states {
            (self.monoid.state_fields.clone(), self.monoid.acc_size())
        } else {
            (self.monoid.fields(), self.monoid.out_size())
        };
        OutputLayout { name: self.monoid.name().to_owned(), fields: fields.unwrap_or_default(), stride }
    }

    /// Bytes from one item of the inputs to the next.
    pub(super) fn item_size(&self) -> u64 {
        if self.options.from_states { self.monoid.acc_size() } else { self.monoid.stride() }
    }

    /// The type of the samples that it reads; `None` if it reads buffers.
    pub(super) fn sample(&self) -> Option<TextureSampleType> {
        self.monoid.sample().filter(|_| !self.options.from_states)
    }

    pub(super) fn request(&self, shape: Shape) -> Request<'_> {
        self.options.request(&self.monoid, shape.kind(), self.limits())
    }

    /// Returns a stage's kernel, which it compiles on first use.
    pub(super) fn stage(&self, stage: Stage) -> Result<Pipeline, Error> {
        self.pipelines.try_get(stage, || {
            let text = self.text(stage);
            options::check(&text, self.options.subgroups, self.limits())?;
            Ok(Kernel::new(self.monoid.label(stage), text.compose(), text.slots(), stage.overrides()))
        })
    }

    /// The text of a stage for this device.
    pub(super) fn text(&self, stage: Stage) -> Text<'_> {
        Text { monoid: &self.monoid, stage, features: self.features }
    }

    /// The parameters of all dispatches of a plan. With a count on the GPU, also the dispatches that write
    /// them.
    pub(super) fn parameters(
        &self,
        plan: &Plan,
        count: Option<Slice<'_>>,
    ) -> Result<(Buffer, Vec<Dispatch>), LimitError> {
        let blocks: Blocks = plan.launches.iter().map(|launch| launch.params.words()).collect();
        let most = plan.launches.first().map_or(0, |launch| launch.params.count);
        let count = count.map(|count| (count, most));
        self.pipelines.parameters(("halofold::reduce::params", &blocks, WORDS), count)
    }
}
