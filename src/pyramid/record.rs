//! Pyramids on a device.

use wgpu::{Backend, BindingResource, Device, Limits, TextureFormat};

use crate::gpu::error::Error;
use crate::gpu::kernel::Pipelines;
use crate::gpu::limits::{self, needs};
use crate::gpu::operation::OnDevice;
use crate::gpu::texels::TextureError;
use crate::gpu::{Bound, Compiled, Options, Texels};
use crate::map::Map;
use crate::pyramid::kernels::{Config, FIRST_LEVEL, MOST_LEVELS, SIDE, Step, TILE};
use crate::reduce::Op;

const LABEL: &str = "halofold::pyramid";

/// A pyramid of textures of any size, to be compiled by [`Compiled`]. The module's page has [an example](crate::pyramid).
#[derive(Clone, Debug)]
pub struct Pyramid {
    op: Op,
    map: Map,
}

impl Pyramid {
    /// Makes a pyramid of [`Op::Min`], [`Op::Max`] or [`Op::MinMax`]. The map computes a number from a texel of the source:
    /// [`Map::components`], [`Map::luminance`] or your own, which returns `f32`. OpenGL lacks [`Op::MinMax`].
    pub const fn new(op: Op, map: Map) -> Self {
        Pyramid { op, map }
    }
}

impl OnDevice for Pyramid {
    type Own = (Config, Pipelines<Step>);

    fn on(self, device: &Device, options: &Options<'_>) -> Result<(Self, Self::Own), Error> {
        let (config, limits) = (Config::new(self.op, self.map.clone())?, device.limits());
        let step = Step { of_level: false, levels: per_dispatch(&limits).max(1) };
        limits::check(&config.slots(step), &limits)?;
        limits::check_workgroup([SIDE, SIDE], &limits)?;
        needs!(limits, max_compute_workgroup_storage_size, config.workgroup_bytes())?;
        if config.format == TextureFormat::Rg32Float && device.adapter_info().backend == Backend::Gl {
            let remedy = "make a pyramid of min and one of max, or use another back end";
            let message = format!("OpenGL stores no pairs of floats in textures: {remedy}");
            return Err(Error::setting("operator", message));
        }
        config.map(false).check(device.features(), &config.compose(step))?;
        Ok((self, (config, Pipelines::new(device, *options))))
    }
}

impl Compiled<Pyramid> {
    /// Binds a source and a target, whose levels are written from the given one on ([their sizes](crate::pyramid#levels)). The result can be
    /// recorded any number of times. The source needs [`wgpu::TextureUsages::TEXTURE_BINDING`], the target also
    /// [`wgpu::TextureUsages::STORAGE_BINDING`]. Nothing is submitted yet.
    ///
    /// # Errors
    ///
    /// - The source or the target lacks a usage, or has another format, dimension or number of samples.
    /// - The first level written does not have half the source's size, or the source is a level written.
    /// - The source has more columns or rows than a dispatch covers on this device.
    /// - On OpenGL, the levels need several dispatches, the source is a level of the target's texture, or either texture has several layers.
    pub fn bind<'a>(
        &self,
        source: impl Into<Texels<'a>>,
        target: impl Into<Texels<'a>>,
    ) -> Result<Bound, Error> {
        let mut source = source.into();
        let levels = self.levels(source, target.into())?;
        let (device, (config, pipelines)) = (self.device(), &self.own);
        let mut dispatches = Vec::new();
        for made in levels.chunks(per_dispatch(&pipelines.limits) as usize) {
            let step = Step { of_level: !dispatches.is_empty(), levels: made.len() as u32 };
            let bound = source.bind(device, config.sample(step.of_level), false);
            let views: Vec<_> = made.iter().map(Texels::view).collect();
            let kernel = pipelines.get(step, || config.kernel(step));
            let resource = |slot: u32| match slot.checked_sub(FIRST_LEVEL) {
                Some(nth) => BindingResource::TextureView(&views[nth as usize]),
                None => bound.resource(slot),
            };
            dispatches.push(kernel.dispatch(device, LABEL, grid(source), resource));
            source = made[made.len() - 1];
        }
        Ok(Bound::new(dispatches, Vec::new(), LABEL))
    }

    /// Checks a source and a target, and returns the levels that are written.
    fn levels<'a>(&self, source: Texels<'_>, target: Texels<'a>) -> Result<Vec<Texels<'a>>, Error> {
        let (config, Pipelines { device, limits, .. }) = &self.own;
        let backend = device.adapter_info().backend;
        source.check(config.sample(false), backend).map_err(|error| error.of("source"))?;
        let levels = target.stored_levels(config.format, backend).map_err(|error| error.of("target"))?;
        let needed = source.size().map(|side| (side / 2).max(1));
        if let Some(found) = [target.size(), levels[0].size()].into_iter().find(|found| *found != needed) {
            return Err(TextureError::Size { found, needed }.into());
        }
        if source.is_among(&levels) {
            return Err(TextureError::InPlace.into());
        }
        let reads_target = levels.len() > per_dispatch(limits) as usize || source.is_of(target);
        if reads_target && backend == Backend::Gl {
            return Err(TextureError::OpenGlLevels.into());
        }
        let [across, down] = grid(source);
        needs!(limits, max_compute_workgroups_per_dimension, across.max(down))?;
        Ok(levels)
    }
}

/// Returns the most levels of a dispatch.
fn per_dispatch(limits: &Limits) -> u32 {
    limits.max_storage_textures_per_shader_stage.min(MOST_LEVELS)
}

/// Returns the workgroups of a dispatch, one per tile.
fn grid(source: Texels<'_>) -> [u32; 2] {
    source.size().map(|side| (side / TILE).max(1))
}
