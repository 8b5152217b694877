//! `halofold stencil`: Jacobi steps over a grid from a file; the thesis's tables, replayed.

mod file;
mod preset;
mod remembered;
mod tune;

use std::path::PathBuf;

use halofold::Element;
use halofold::stencil::{Block, Border, Norm, Stencil};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, AdaptersArgs};
use file::StreamArgs;
pub use preset::{MACHINE, PRESETS, Preset, Published, pieces, speed};
use preset::{PresetArgs, Setting};

/// Options of `halofold stencil`.
#[derive(clap::Args)]
pub struct StencilArgs {
    /// The grid: a .npy array of shape (rows, columns) or (planes, rows, columns); `-` is standard input.
    #[arg(value_name = "GRID.npy", conflicts_with = "preset")]
    grid: Option<PathBuf>,
    /// The stencil, by the number of its points: 5 (the default) or 9 in 2D, 7 or 27 (the default) in 3D. With --tune only this
    /// one instead of all.
    #[arg(long, alias = "points", value_name = "POINTS", conflicts_with = "preset")]
    stencil: Option<&'static Stencil>,
    /// How many steps: 1 by default; 0 copies the grid. With --until the most steps: 100000 by default. With --preset how many
    /// steps the fastest rows and the thesis's own rows run for.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX))]
    steps: Option<u32>,
    /// The kernel, by name. auto is the fastest here for a grid of this size: time-pipeline for large ones in 2D, plane-sums
    /// in 3D. time-planes takes several steps per pass in 3D.
    #[arg(long, value_name = "NAME", default_value = "auto", conflicts_with = "preset")]
    variant: String,
    /// The shape of a workgroup, instead of the variant's own.
    #[arg(long, value_name = "ROWSxCOLS", conflicts_with = "preset")]
    block: Option<Block>,
    /// Borders of the grid: fixed leaves the outermost cells as they are; with mirror the cell beyond equals the outermost one
    /// (SciPy's reflect, NumPy's symmetric); periodic repeats the grid (wrap).
    #[arg(long, value_name = "fixed|mirror|periodic", default_value = "fixed", conflicts_with = "preset")]
    boundary: Border,
    /// Stop once a step changes no cell by this much.
    #[arg(long, value_name = "EPS", conflicts_with = "preset", value_parser = parse_epsilon, allow_negative_numbers = true)]
    until: Option<f64>,
    /// What --until looks at: max, the largest change, or l2, the root of the sum of all squared changes.
    #[arg(long, value_name = "max|l2", default_value = "max", requires = "until")]
    norm: Norm,
    /// Add up squared changes without rounding: the same residual_l2 of the same grids on every GPU. A check takes twice as long. With
    /// --norm l2 it is always so: any number of GPUs stops at the same step.
    #[arg(long, requires = "until")]
    exact: bool,
    /// The weights: first of the centre, then of the cells around it from the nearest to the farthest. 5
    /// points: centre and sides, or one for all; by default 0.2. 27 points: centre, 6 faces, 12 edges, 8 corners, by default 1/8,
    /// 1/16, 1/32, 1/64, as decimals.
    #[arg(
        long,
        alias = "coefficients",
        value_name = "A,B,…",
        conflicts_with = "preset",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    weights: Vec<f64>,
    /// A right-hand side: an array of the grid's shape, which is added to every new cell. It becomes the grid's type.
    #[arg(long, value_name = "RHS.npy", conflicts_with = "preset")]
    rhs: Option<PathBuf>,
    /// The type to compute with and to write: f32, f64 or f16. By default the file's float type; integers become f32.
    #[arg(long = "type", value_name = "TYPE")]
    element: Option<Element>,
    /// Where to write the result: an array in the file's shape (little-endian, in C order), or a picture of it.
    #[arg(short, long, value_name = "OUT.npy|OUT.png", conflicts_with = "preset")]
    output: Option<PathBuf>,
    /// Draw the grid every few steps: DIR/frame-000000.png and so on, by the number of the step; always the last step, too.
    ///
    /// Colours go from the lowest to the highest value of the first frame; NaN is red.
    #[arg(long, value_name = "DIR", conflicts_with = "preset")]
    frames: Option<PathBuf>,
    /// Steps between two frames, and between two checks of --until: 10 by default.
    #[arg(long, value_name = "M", conflicts_with = "preset", value_parser = counts(1, u32::MAX))]
    every: Option<u32>,
    /// The plane that pictures of a 3D grid show. By default the middle one.
    #[arg(long, value_name = "K", conflicts_with = "preset", value_parser = counts(0, u32::MAX))]
    slice: Option<u32>,
    /// Time the kernels that take many steps per pass over memory in all their shapes on this GPU, verified, and remember the
    /// result in the cache folder. From then on auto chooses by it. Worth it on GPUs other than NVIDIA's.
    #[arg(long, conflicts_with_all = ["grid", "preset"])]
    tune: bool,
    #[command(flatten)]
    stream: StreamArgs,
    #[command(flatten)]
    adapter: AdapterArgs,
    /// The grid in slabs on several adapters. Its bits are those of one adapter that runs the same kernel.
    #[command(flatten)]
    adapters: AdaptersArgs,
    /// With --adapters, the steps between two exchanges of faces: by default as many as measured times say.
    #[arg(long, value_name = "STEPS", requires = "adapters", conflicts_with_all = ["stream", "slab", "depth", "resume"], value_parser = counts(1, u32::MAX))]
    halo: Option<u32>,
    #[command(flatten)]
    preset: PresetArgs,
    /// Print one JSON object, or an array of a preset's rows, instead of text.
    ///
    /// The object's keys: file, variant, points, grid, block, boundary, steps (done), type, gpu_ms_median (of one step, null without
    /// timestamps), wall_ms (from opening the file to the written result), gcells_per_s, residual_max and
    /// residual_l2 (the largest change of a cell in the last step that was checked, and the root of the sum of all squared changes; null
    /// without --until; NaN and infinity are the strings "NaN" and "inf"), converged, output, adapter, backend. With --adapters
    /// also layers (of each slab) and halo (steps between two exchanges). Streamed runs also have passes (over the file), slabs (of a
    /// pass), bytes_read and bytes_written (without those of before --resume).
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &StencilArgs) -> Result<(), Failure> {
    let StencilArgs { preset, element, steps, json, adapter, stencil, .. } = args;
    if !args.adapters.adapters.is_empty() && args.grid.is_none() {
        return Err(Failure::usage("--adapters: only for a grid from a file"));
    }
    if args.tune {
        let element = element.unwrap_or(Element::F32);
        return tune::run(&tune::Setting { stencil: *stencil, element, json: *json, adapter });
    }
    match (preset.chosen(), &args.grid) {
        (Some(_), _) if *steps == Some(0) => {
            Err(Failure::usage("--steps 0: a preset is run for at least one step"))
        }
        (Some(chosen), _) => {
            let element = element.unwrap_or(Element::F32);
            preset::run(preset, chosen, &Setting { element, steps: *steps, json: *json, adapter })
        }
        (None, Some(path)) => match preset.given() {
            Some(option) => {
                Err(Failure::usage(format!("{option}: only with --preset, not for a grid from a file")))
            }
            None => file::run(args, path),
        },
        (None, None) => Err(Failure::usage(
            "name the grid to step (a .npy file, or - for standard input), a table: --preset thesis-5pt or thesis-27pt, or --tune",
        )),
    }
}

/// Reads what a step may change.
fn parse_epsilon(text: &str) -> Result<f64, String> {
    let epsilon = text.parse().ok().filter(|epsilon: &f64| epsilon.is_finite() && *epsilon >= 0.0);
    epsilon.ok_or_else(|| format!("`{text}` is not a threshold: write a number from 0 up, such as 1e-6"))
}
