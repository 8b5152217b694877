//! Textures as inputs: the texels of a rectangle, in the place of a buffer's elements.

use wgpu::{
    Backend, BindingResource, Buffer, BufferUsages, Device, Texture, TextureAspect, TextureDimension,
    TextureFormat, TextureSampleType, TextureUsages, TextureView, TextureViewDescriptor,
    TextureViewDimension,
};

use crate::gpu::buffers;
use crate::gpu::kernel::{Access, Slot};
use crate::gpu::params::parameters;

/// The binding of group 0 with the texture, in the place of a buffer's elements.
const TEXTURE: u32 = 0;

/// The binding with the rectangle, in the place of a buffer's vectors.
const REGION: u32 = 3;

const LABEL: &str = "halofold::texels";

parameters! {
    /// `Region` of `shaders/shared/region.wgsl`.
    struct Region {
        left: u32,
        top: u32,
        width: u32,
        shift: u32,
        rows: u32,
        texels: u32,
        reciprocal: f32,
    }
}

/// The base-2 logarithm of the rows of a strip: `shaders/shared/texels.wgsl` explains strips.
const STRIP: u32 = 3;

/// The texels of one level and one layer of a texture: all of them, or those of a rectangle.
///
/// It is made from a texture (`&texture`: level 0, layer 0), or by [`Texels::new`], which checks nothing: the function that takes it
/// returns a [`TextureError`]. The texture is two-dimensional, has one sample for each texel, and needs
/// [`wgpu::TextureUsages::TEXTURE_BINDING`]. Texels are loaded, not sampled: a device needs no feature to read 32-bit floats. Colours in an sRGB
/// format arrive decoded. Of a format with depth and stencil, a map of floats reads depth, and one of `u32` the stencil. On OpenGL, a texture of
/// several layers (its layer 0, too) and a stencil are refused: [`TextureError::OpenGl`].
///
/// ```
/// use halofold::reduce::{Op, Reduce};
/// use halofold::{Compiled, Element, Map, Options, Texels, wgpu};
///
/// # let Some((device, queue, _)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let size = wgpu::Extent3d { width: 4, height: 2, depth_or_array_layers: 1 };
/// # let texture = device.create_texture(&wgpu::TextureDescriptor {
/// #     label: None, size, mip_level_count: 1, sample_count: 1, dimension: wgpu::TextureDimension::D2,
/// #     format: wgpu::TextureFormat::R32Float, view_formats: &[],
/// #     usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
/// # });
/// # let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(16), rows_per_image: None };
/// # let texels = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
/// # queue.write_texture(texture.as_image_copy(), bytemuck::cast_slice(&texels), layout, size);
/// let red = Map::components(wgpu::TextureSampleType::Float { filterable: false }, "r")?;
/// let extent = Compiled::new(&device, Reduce::new(Op::MinMax.over(Element::F32)?.of_texels(red)?), &Options::default())?;
/// let (min, max): (f32, f32) = extent.of_texels(&texture).run(&queue)?;
/// # assert_eq!((min, max), (1.0, 8.0));
/// // Two columns and two rows from texel (1, 0) on, and the maximum of each row.
/// let part = Texels::new(&texture).rectangle([1, 0], [2, 2]);
/// let rows: Vec<(f32, f32)> = extent.of_texels(part).segments(2).run(&queue)?;
/// # assert_eq!(rows, [(2.0, 3.0), (6.0, 7.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Texels<'a> {
    texture: &'a Texture,
    level: u32,
    layer: u32,
    rectangle: Option<([u32; 2], [u32; 2])>,
}

/// Errors of a texture that cannot be read, or written, in this way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// The texture lacks a usage.
    #[error("the texture lacks {0:?}: create it with that usage")]
    Usage(TextureUsages),
    /// A texture that is not two-dimensional.
    #[error("a texture of dimension {0:?}: use one of D2, of which an array has layers")]
    Dimension(TextureDimension),
    /// A texture of several samples for each texel.
    #[error("a texture of {0} samples for each texel: resolve it into one of a single sample")]
    Samples(u32),
    /// A format that holds other numbers.
    #[error(
        "a texture of format {format:?}, where {needed} is needed: use one of such a format, or, to read this one, a map of its samples"
    )]
    Format {
        /// The texture's format.
        format: TextureFormat,
        /// The type of its samples, or the format, that is needed.
        needed: String,
    },
    /// A level that the texture does not have.
    #[error(
        "level {level} of a texture that has {levels}: levels count from 0, so use at most {}",
        levels.saturating_sub(1)
    )]
    Level {
        /// The level requested.
        level: u32,
        /// The number of levels.
        levels: u32,
    },
    /// A layer that the texture does not have.
    #[error(
        "layer {layer} of a texture that has {layers}: layers count from 0, so use at most {}",
        layers.saturating_sub(1)
    )]
    Layer {
        /// The layer requested.
        layer: u32,
        /// The number of layers.
        layers: u32,
    },
    /// A rectangle that is empty, or that reaches beyond the level.
    #[error(
        "{size:?} texels from {corner:?} on, of a level of {within:?}: give a rectangle inside, of one texel at least"
    )]
    Rectangle {
        /// The column and the row of its first texel.
        corner: [u32; 2],
        /// Its width and its height.
        size: [u32; 2],
        /// The width and the height of the level.
        within: [u32; 2],
    },
    /// A part of a texture that wgpu's OpenGL back end has no view of: it would give zeros.
    #[error("OpenGL binds {0}: use a texture of its own for it, or another back end")]
    OpenGl(&'static str),
    /// A target that reads a level of the texture that it writes, on OpenGL, which cannot bind one texture for both.
    #[error(
        "OpenGL does not write some levels of a texture while it reads another one: make fewer levels, in one dispatch, of another texture"
    )]
    OpenGlLevels,
    /// A target of another size than half the source's.
    #[error(
        "the first level of the target is {found:?} texels, where this source needs {needed:?}: create the target with that size, or begin at another level"
    )]
    Size {
        /// The width and the height of the first level written.
        found: [u32; 2],
        /// Half of the source's.
        needed: [u32; 2],
    },
    /// A source that is one of the levels written.
    #[error("the source is a level of the target: write to the levels after it")]
    InPlace,
    /// One of several textures cannot be used.
    #[error("the {role}: {error}")]
    Of {
        /// The purpose of the texture.
        role: &'static str,
        /// Its error.
        error: Box<TextureError>,
    },
    /// A texture for an operation that reads elements of a buffer.
    #[error("the operation reads buffers: give it a map of texels (`Map::texels`), or a buffer")]
    NoMap,
    /// A buffer for an operation that reads texels.
    #[error("the operation has a map of texels: give it a texture, by `of_texels`")]
    NoTexture,
}

impl TextureError {
    /// Names the texture.
    pub(crate) fn of(self, role: &'static str) -> Self {
        TextureError::Of { role, error: Box::new(self) }
    }
}

impl<'a> Texels<'a> {
    /// All texels of level 0 and layer 0.
    pub const fn new(texture: &'a Texture) -> Self {
        Texels { texture, level: 0, layer: 0, rectangle: None }
    }

    /// Those of a mip level.
    pub const fn level(self, level: u32) -> Self {
        Texels { level, ..self }
    }

    /// Those of a layer of an array.
    pub const fn layer(self, layer: u32) -> Self {
        Texels { layer, ..self }
    }

    /// Those of a rectangle: `size` columns and rows of texels, the first of them at `corner`, in texels of the level.
    pub const fn rectangle(self, corner: [u32; 2], size: [u32; 2]) -> Self {
        Texels { rectangle: Some((corner, size)), ..self }
    }

    /// The width and the height of the rectangle, in texels.
    pub fn size(&self) -> [u32; 2] {
        self.place().1
    }

    /// The column and the row of the first texel, and the width and the height.
    fn place(&self) -> ([u32; 2], [u32; 2]) {
        self.rectangle.unwrap_or_else(|| ([0, 0], self.within()))
    }

    pub(crate) fn len(&self) -> u64 {
        self.size().into_iter().map(u64::from).product()
    }

    /// The width and the height of the level.
    fn within(&self) -> [u32; 2] {
        let side = |side: u32| side.checked_shr(self.level).unwrap_or(0).max(1);
        [side(self.texture.width()), side(self.texture.height())]
    }

    /// The part of the format that a map of samples of this type reads.
    fn aspect(&self, sample: TextureSampleType) -> TextureAspect {
        let format = self.texture.format();
        match sample {
            TextureSampleType::Float { .. } | TextureSampleType::Depth if format.has_depth_aspect() => {
                TextureAspect::DepthOnly
            }
            TextureSampleType::Uint if format.has_stencil_aspect() => TextureAspect::StencilOnly,
            _ => TextureAspect::All,
        }
    }

    /// Checks that a map of samples of this type can read it on a back end.
    pub(crate) fn check(&self, sample: TextureSampleType, backend: Backend) -> Result<(), TextureError> {
        self.check_place(TextureUsages::TEXTURE_BINDING, backend)?;
        if backend == Backend::Gl && self.aspect(sample) == TextureAspect::StencilOnly {
            return Err(TextureError::OpenGl("no stencil"));
        }
        let format = self.texture.format();
        let has = format.sample_type(Some(self.aspect(sample)), None);
        if has.map(channel) != Some(channel(sample)) {
            return Err(TextureError::Format { format, needed: format!("samples of {}", channel(sample)) });
        }
        Ok(())
    }

    /// Checks everything but the format.
    fn check_place(&self, usage: TextureUsages, backend: Backend) -> Result<(), TextureError> {
        let Texels { texture, level, layer, .. } = *self;
        let missing = usage - texture.usage();
        if !missing.is_empty() {
            return Err(TextureError::Usage(missing));
        }
        if texture.dimension() != TextureDimension::D2 {
            return Err(TextureError::Dimension(texture.dimension()));
        }
        if texture.sample_count() != 1 {
            return Err(TextureError::Samples(texture.sample_count()));
        }
        let (levels, layers) = (texture.mip_level_count(), texture.depth_or_array_layers());
        if level >= levels {
            return Err(TextureError::Level { level, levels });
        }
        if layer >= layers {
            return Err(TextureError::Layer { layer, layers });
        }
        if backend == Backend::Gl && layers > 1 {
            return Err(TextureError::OpenGl("no layer of an array"));
        }
        let (within, (corner, size)) = (self.within(), self.place());
        let fits = |axis: usize| {
            corner[axis] < within[axis] && (1..=within[axis] - corner[axis]).contains(&size[axis])
        };
        if fits(0) && fits(1) { Ok(()) } else { Err(TextureError::Rectangle { corner, size, within }) }
    }

    /// Checks that its level, and the levels after it, can be written in a format and read again on a back end. Returns them, as a whole.
    pub(crate) fn stored_levels(
        &self,
        format: TextureFormat,
        backend: Backend,
    ) -> Result<Vec<Texels<'a>>, TextureError> {
        self.check_place(TextureUsages::STORAGE_BINDING | TextureUsages::TEXTURE_BINDING, backend)?;
        let has = self.texture.format();
        if has != format {
            return Err(TextureError::Format { format: has, needed: format!("{format:?}") });
        }
        let levels = self.level..self.texture.mip_level_count();
        Ok(levels.map(|level| Texels { level, rectangle: None, ..*self }).collect())
    }

    /// True if its level and layer are among others.
    pub(crate) fn is_among(&self, others: &[Texels<'_>]) -> bool {
        let place = |texels: &Texels<'_>| (texels.level, texels.layer);
        others.iter().any(|other| self.is_of(*other) && place(self) == place(other))
    }

    /// True if others are of the same texture.
    pub(crate) fn is_of(&self, other: Texels<'_>) -> bool {
        self.texture == other.texture
    }

    /// Makes a view of the level and the layer, for writing.
    pub(crate) fn view(&self) -> TextureView {
        self.view_of(TextureAspect::All)
    }

    fn view_of(&self, aspect: TextureAspect) -> TextureView {
        self.texture.create_view(&TextureViewDescriptor {
            label: Some(LABEL),
            dimension: Some(TextureViewDimension::D2),
            aspect,
            base_mip_level: self.level,
            mip_level_count: Some(1),
            base_array_layer: self.layer,
            array_layer_count: Some(1),
            ..Default::default()
        })
    }

    /// Makes the bindings of the texture. Positions go row after row, or through strips of a few rows, column after column: nearer to the
    /// order in which GPUs store textures.
    pub(crate) fn bind(&self, device: &Device, sample: TextureSampleType, in_strips: bool) -> BoundTexels {
        let view = self.view_of(self.aspect(sample));
        let ([left, top], [width, height]) = self.place();
        let shift = if in_strips { STRIP } else { 0 };
        let rows = height >> shift << shift;
        let (texels, reciprocal) = (rows * width, 1.0 / width as f32);
        let region = Region { left, top, width, shift, rows, texels, reciprocal };
        let region = buffers::filled(device, LABEL, bytemuck::bytes_of(&region), BufferUsages::UNIFORM);
        BoundTexels { view, region }
    }
}

impl<'a> From<&'a Texture> for Texels<'a> {
    fn from(texture: &'a Texture) -> Self {
        Texels::new(texture)
    }
}

/// Invocations of which a workgroup must have a multiple if positions go through strips: their steps are whole columns then.
pub(crate) const COLUMN: u32 = 1 << STRIP;

/// The bindings of one texture.
#[derive(Debug)]
pub(crate) struct BoundTexels {
    view: TextureView,
    region: Buffer,
}

impl BoundTexels {
    /// The resource for one of the bindings of [`slots`].
    pub(crate) fn resource(&self, slot: u32) -> BindingResource<'_> {
        match slot {
            TEXTURE => BindingResource::TextureView(&self.view),
            _ => self.region.as_entire_binding(),
        }
    }
}

/// The bindings of group 0 of a kernel that reads samples of this type.
pub(crate) fn slots(sample: TextureSampleType) -> [Slot; 2] {
    [(TEXTURE, Access::Texture(sample)), (REGION, Access::Uniform)]
}

/// The type of a sample in WGSL. Depth is read as a float.
pub(crate) fn channel(sample: TextureSampleType) -> &'static str {
    match sample {
        TextureSampleType::Float { .. } | TextureSampleType::Depth => "f32",
        TextureSampleType::Sint => "i32",
        TextureSampleType::Uint => "u32",
    }
}
