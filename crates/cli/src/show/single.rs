//! Kernels that are no reductions: of histograms, of order statistics, of pyramids, of stencils, and of counts on the GPU.

use halofold::histogram::{self, Keys, Method};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::Op;
use halofold::stencil::{Border, Borders, Config, Dims, Grid, Stencil, Variant};
use halofold::wgpu::TextureSampleType;
use halofold::{Element, Map, pyramid, reduce};
use halofold_measure::Kernel;

use super::subject::HistogramKernel;
use super::{ShowArgs, limits};
use crate::failure::Failure;

/// Bins of the histograms that are shown.
const BINS: u32 = 256;

/// The grids, in 2D and in 3D: a buffer of any device holds them.
const GRIDS: [Grid; 2] = [Grid::plane(1024, 1024), Grid { planes: 256, rows: 256, cols: 256 }];

/// The kernel of a histogram: integers are the indices of their bins, floats fall into ranges.
pub fn histogram(kernel: HistogramKernel, element: Element) -> Result<Kernel, Failure> {
    let keys = match element {
        Element::U32 => Keys::Numbers,
        Element::F32 => Keys::Ranges { low: 0.0, high: 1.0 },
        _ => return Err(Failure::usage("--type: histograms are over u32 or f32")),
    };
    let config = histogram::Histogram::new(keys, BINS, &limits());
    let step = if kernel == HistogramKernel::Clear { histogram::CLEAR } else { histogram::COUNT };
    let config = match kernel {
        HistogramKernel::Storage => {
            let tuning = config.tuning.with_method(Method::Storage);
            config.with_tuning(tuning)
        }
        _ => config,
    };
    Ok(Kernel::of_histogram(&config, step))
}

/// A kernel of the median, or of the hundred largest elements, by the name of its file: by default the one that reads all elements.
pub fn rank(args: &ShowArgs, is_top: bool) -> Result<Kernel, Failure> {
    let (element, limits) = (args.element, limits());
    let kernels = if is_top {
        TopK::new(element, 100).map(|top| top.kernels(&limits).collect::<Vec<_>>())
    } else {
        Quantiles::new(element, [0.5]).map(|median| median.kernels(&limits).collect())
    };
    let kernels = kernels.map_err(Failure::usage)?;
    let stage = |label: &str| label.rsplit('.').next().unwrap_or_default().to_owned();
    let stages: Vec<_> = kernels.iter().map(|(label, ..)| stage(label)).collect();
    let wanted = args.stage.as_deref().unwrap_or("sift");
    let nth = stages.iter().position(|stage| stage == wanted);
    let (label, wgsl, overrides) = nth
        .and_then(|nth| kernels.into_iter().nth(nth))
        .ok_or_else(|| unknown_stage(wanted, &stages.join(", ")))?;
    Ok(Kernel { wgsl, entry_point: "main", overrides, label })
}

/// The kernel of a pyramid of depth: the first of its dispatches, where a shader writes six textures.
pub fn pyramid(op: Op, element: Element) -> Result<Kernel, Failure> {
    if element != Element::F32 {
        return Err(Failure::usage("--type: pyramids are of f32"));
    }
    let depth = Map::components(TextureSampleType::Depth, "r").expect("depth is the first component");
    let (label, wgsl) = pyramid::kernel(op, depth, false, 6).map_err(Failure::usage)?;
    Ok(Kernel { wgsl, entry_point: "main", overrides: Vec::new(), label })
}

/// The kernel that applies a count on the GPU.
pub fn length() -> Kernel {
    let (wgsl, overrides) = reduce::length_kernel();
    Kernel { wgsl, entry_point: "main", overrides, label: "length".to_owned() }
}

/// A configuration over a large grid on a device of the language's back end.
pub fn config(
    args: &ShowArgs,
    stencil: &'static Stencil,
    variant: &'static Variant,
) -> Result<Config, Failure> {
    let grid = GRIDS[usize::from(stencil.dims == Dims::Three)];
    let border = args.boundary.unwrap_or(Border::Fixed);
    let mut config = Config::new(stencil, variant, args.element, grid).with_borders(Borders::all(border));
    if let Some(block) = args.block {
        config = config.with_block(block);
    }
    if args.rhs {
        config = config.with_rhs();
    }
    let offered = args.language.offered();
    config.subgroups =
        variant.is_blocked() && !args.no_subgroups && offered.contains(halofold::wgpu::Features::SUBGROUP);
    config.check(offered, &limits()).map_err(Failure::usage)?;
    Ok(config)
}

/// A kernel between steps, by its entry point: the first one by default.
pub fn between(config: &Config, entry_points: &[&str], stage: Option<&str>) -> Result<Kernel, Failure> {
    let wanted = stage.unwrap_or(entry_points[0]);
    let mut kernels = config.aux_kernels().into_iter();
    let kernel = kernels.find(|(_, entry_point, _)| *entry_point == wanted && entry_points.contains(&wanted));
    let (label, entry_point, wgsl) = kernel.ok_or_else(|| unknown_stage(wanted, &entry_points.join(", ")))?;
    Ok(Kernel { wgsl, entry_point, overrides: Vec::new(), label })
}

fn unknown_stage(wanted: &str, stages: &str) -> Failure {
    Failure::Usage(format!("--stage {wanted}: the stages are {stages}"))
}
