//! Operations over the texels of a texture, for operations that read their elements several times or in their own order.

use wgpu::{Features, Limits, TextureSampleType};

use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::io::{InputsOf, OneInput, Output, OutputsOf, ResultOf};
use crate::gpu::kernel::{Access, Driver, Kernel, PARAMETERS, Slot};
use crate::gpu::limits::{self, LimitError, largest_workgroup};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::parameters::Parameters;
use crate::gpu::params::parameters;
use crate::gpu::pass::{Binding, INPUT, OUTPUT};
use crate::gpu::range::{BufferRange, ByteRange, Cut, Inputs};
use crate::gpu::slice::Slice;
use crate::gpu::texels::Texels;
use crate::gpu::{Pass, grid};
use crate::map::{Map, texels_refused};
use crate::shader::{self, Composer, rooms};

/// The kernel that writes the texels to memory.
const TEXELS: Step = "kernels/texels";

/// The number of the memory with the texels: the first.
const TEXELS_MEMORY: usize = 0;

/// Invocations of its workgroups, on a device that allows as many.
const WORKGROUP: u32 = 256;

/// Bytes of an element.
const ITEM: u64 = 4;

/// The remedy for too many texels.
const FEWER: &str = "give a smaller rectangle";

parameters! {
    /// `Params` of `shaders/kernels/texels.wgsl`.
    struct Params {
        len: u32,
        grid_row: u32,
    }
}

/// An operation whose elements are what a map makes of the texels of a texture, row by row: of [`Quantiles`](crate::rank::Quantiles),
/// [`TopK`](crate::rank::TopK), [`Scan`](crate::scan::Scan) and [`Select`](crate::select::Select) all elements, of
/// [`GroupById`](crate::group::GroupById) the values, of [`GroupByKey`](crate::group::GroupByKey), [`ReduceRuns`](crate::group::ReduceRuns) and
/// [`RunLengths`](crate::group::RunLengths) the keys.
/// It is a plain value; [`Compiled`](crate::Compiled) brings it to a device.
///
/// It costs one dispatch more than the same operation on a buffer, which reads the texels once, and memory of four bytes a texel, which one
/// binding must hold. Reductions and histograms read a texture where it is: see [`Monoid::of_texels`](crate::reduce::Monoid::of_texels) and
/// [`Histogram::with_map`](crate::histogram::Histogram::with_map).
///
/// ```
/// use halofold::rank::Quantiles;
/// use halofold::{Compiled, Element, Map, OfTexels, Options};
/// # use halofold::wgpu;
///
/// # let Some((device, queue, _)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let size = wgpu::Extent3d { width: 3, height: 1, depth_or_array_layers: 1 };
/// # let picture = device.create_texture(&wgpu::TextureDescriptor {
/// #     label: None, size, mip_level_count: 1, sample_count: 1, dimension: wgpu::TextureDimension::D2,
/// #     format: wgpu::TextureFormat::Rgba8Unorm, view_formats: &[],
/// #     usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
/// # });
/// # let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(12), rows_per_image: None };
/// # queue.write_texture(picture.as_image_copy(), &[255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255], layout, size);
/// let median = OfTexels::new(Quantiles::new(Element::F32, [0.5]), Map::luminance());
/// let median: Vec<f32> = Compiled::new(&device, median, &Options::default())?.of(&picture).run(&queue)?;
/// # assert!((median[0] - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OfTexels<O> {
    operation: O,
    map: Map,
}

impl<O: Base> OfTexels<O> {
    /// Describes an operation over texels. Its elements are `f32`, `u32` or `i32`, and the map of texels returns one.
    pub const fn new(operation: O, map: Map) -> Self {
        OfTexels { operation, map }
    }

    /// The dispatch that writes the texels to memory.
    fn texels(&self, len: u64, limits: &Limits) -> Result<Pass, LimitError> {
        let grid = grid::of(len.div_ceil(workgroup(limits).into()), limits, FEWER)?;
        let bytes = ByteRange { offset: 0, size: ITEM * len.max(1) };
        let pass = Pass::new(TEXELS, grid, Params { len: len as u32, grid_row: grid[0] });
        let pass = pass.bind(OUTPUT, Some(Binding::Memory(TEXELS_MEMORY, bytes)));
        // Other kernels may have memory at the binding of the map's parameters.
        let declared = self.map.parameters.into_iter();
        Ok(declared.fold(pass, |pass, declared| pass.bind(declared.slot, Some(Binding::Parameters))))
    }

    fn slots(&self) -> Vec<Slot> {
        self.map.slots().chain([(OUTPUT, Access::Write), (PARAMETERS, Access::Uniform)]).collect()
    }

    fn composed(&self, limits: &Limits) -> Kernel {
        let wgsl = Composer::of(&[rooms::KERNELS, rooms::SHARED])
            .define("texels", true)
            .provide("texel", self.map.of_texels(None))
            .compose(TEXELS, self.map.extensions());
        let workgroup = ("WG", f64::from(workgroup(limits)));
        Kernel::new(shader::label(&[TEXELS]), wgsl, self.slots(), vec![workgroup])
    }
}

fn workgroup(limits: &Limits) -> u32 {
    largest_workgroup(limits).clamp(1, WORKGROUP)
}

impl<O: Base> Base for OfTexels<O> {
    const LABEL: &'static str = O::LABEL;
    const INPUTS: [&'static str; 2] = O::INPUTS;

    fn on_driver(self, driver: Driver) -> Self {
        OfTexels { operation: self.operation.on_driver(driver), ..self }
    }

    fn cut(self, cut: Cut) -> Result<Self, Error> {
        Ok(OfTexels { operation: self.operation.cut(cut)?, ..self })
    }

    fn check_settings(&self) -> Result<(), Error> {
        let element = self.operation.element().filter(|element| element.size() == ITEM);
        match (element, self.map.sample) {
            (Some(element), Some(_)) if self.map.channels() == 1 => self.map.returns(element.name())?,
            _ => return Err(texels_refused()),
        }
        self.map.check_beside(self.operation.parameters().1)?;
        self.operation.check_settings()
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        limits::check(&self.slots(), limits)?;
        self.map.check(features, &self.composed(limits).wgsl)?;
        self.operation.check_on(features, limits)
    }

    fn steps(&self) -> Vec<Step> {
        [vec![TEXELS], self.operation.steps()].concat()
    }

    fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        if step == TEXELS { self.composed(limits) } else { self.operation.kernel(step, features, limits) }
    }

    fn variant(&self, step: Step, limits: &Limits) -> u32 {
        self.operation.variant(step, limits)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let texels =
            Memory::parts(ITEM * input.len.max(1)).checked(limits, "the memory for texels", FEWER)?;
        Ok([vec![texels], self.operation.memory(input, limits)?].concat())
    }

    fn item(&self) -> u64 {
        ITEM
    }

    fn second_item(&self) -> Option<u64> {
        self.operation.second_item()
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        self.operation.outputs(len)
    }

    fn check_alone(&self) -> Result<(), Error> {
        self.operation.check_alone()
    }

    fn parameters(&self) -> (&str, Option<Parameters>) {
        let (name, declared) = self.operation.parameters();
        (name, declared.or(self.map.parameters))
    }

    fn sample(&self) -> Option<TextureSampleType> {
        self.map.sample
    }

    fn counted(self) -> Option<Self> {
        Some(OfTexels { operation: self.operation.counted()?, ..self })
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let of_texels = |part| match part {
            Binding::Input(0, bytes) => Binding::Memory(TEXELS_MEMORY, bytes),
            Binding::Memory(number, bytes) => Binding::Memory(number + 1, bytes),
            part => part,
        };
        // A kernel may declare an input that it does not read.
        let unread = Binding::Memory(TEXELS_MEMORY, ByteRange { offset: 0, size: ITEM });
        let over = |mut pass: Pass| {
            pass.bindings.iter_mut().for_each(|(_, part)| *part = of_texels(*part));
            let unread = pass.binding(INPUT).is_none().then_some(unread);
            pass.bind(INPUT, unread)
        };
        let passes = self.operation.plan_over(inputs, limits)?.into_iter().map(over);
        Ok([self.texels(inputs.first.len, limits)?].into_iter().chain(passes).collect())
    }
}

impl<'b, O: OneInput, T: Into<Texels<'b>>> InputsOf<'b, OfTexels<O>> for T {
    fn inputs(self) -> (Input<'b>, Option<Slice<'b>>) {
        (Input::Texels(self.into()), None)
    }
}

impl<'b, O, T: OutputsOf<'b, O>> OutputsOf<'b, OfTexels<O>> for T {
    fn slices(self, of_texels: &OfTexels<O>) -> Result<Vec<Option<Slice<'b>>>, Error> {
        self.slices(&of_texels.operation)
    }
}

impl<O, T: ResultOf<O>> ResultOf<OfTexels<O>> for T {
    fn results(of_texels: &OfTexels<O>, len: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        T::results(&of_texels.operation, len, outputs)
    }
}
