//! `halofold tune`: times the shapes of the time-blocked kernels on this GPU, and stores the times.

use halofold::Element;
use halofold::stencil::{Config, Dims, Grid, STENCILS, Stencil};

use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::named;
use crate::output::print;
use crate::progress;
use crate::replay::Bench;
use crate::row::{self, Row, StencilWork};
use crate::stencil::calibration;
use crate::table::{self, Column};

#[derive(clap::Args)]
pub struct TuneArgs {
    /// Only this stencil, by the number of its points.
    #[arg(long, value_name = "POINTS", value_parser = named::stencil(), hide_possible_values = true)]
    stencil: Option<&'static Stencil>,
    /// Element type: f32, f64 or f16.
    #[arg(long = "type", value_name = "TYPE", default_value = "f32", value_parser = named::float(), hide_possible_values = true)]
    element: Element,
    #[command(flatten)]
    adapter: AdapterArgs,
}

/// Samples of a row: ten or twenty shapes on each grid.
const SAMPLES: u32 = 7;

/// Small and large grids, so that shapes meet a GPU that is half empty and one that is full.
fn grids(dims: Dims, is_software: bool) -> Vec<Grid> {
    let square = |side| Grid::plane(side, side);
    let cuboid = |planes, side| Grid { planes, rows: side, cols: side };
    match (dims, is_software) {
        (Dims::Two, true) => vec![square(512)],
        (Dims::Two, false) => [512, 2048, 4096].map(square).to_vec(),
        (_, true) => vec![cuboid(32, 64)],
        (_, false) => vec![cuboid(64, 64), cuboid(128, 256), cuboid(256, 512)],
    }
}

pub fn run(args: &TuneArgs) -> Result<(), Failure> {
    let gpu = args.adapter.open()?;
    let mut timed = Vec::new();
    for &stencil in STENCILS.iter().filter(|stencil| args.stencil.is_none_or(|only| only == **stencil)) {
        timed.extend(time(&gpu, stencil, args.element)?);
    }
    let passed = timed.iter().filter_map(|(config, row)| Some((*config, row.times.median? * 1e6)));
    let samples: Vec<_> = passed.collect();
    let path = calibration::store(&gpu, &samples)?;
    let rows: Vec<_> = timed.into_iter().map(|(_, row)| row).collect();
    let table = table::render(columns(), &fastest(&rows), false);
    print(&format!(
        "{}\nThe fastest kernel on each grid, of {} that were timed:\n\n{table}\n{} has them all; `halofold stencil` chooses by it.\n",
        gpu.describe(),
        rows.len(),
        path.display()
    ))?;
    row::check(&rows)
}

fn time(
    gpu: &Gpu,
    stencil: &'static Stencil,
    element: Element,
) -> Result<Vec<(Config, Row<StencilWork>)>, Failure> {
    let mut timed = Vec::new();
    for grid in grids(stencil.dims, gpu.is_software()) {
        let config = Config::fastest(stencil, element, grid);
        let trials = config.trials(&gpu.device, &[grid]);
        let bench = Bench::new(gpu, trials[0], Some(SAMPLES))?;
        let bar = progress::bar(trials.len() as u64);
        bar.set_message(format!("{} {grid}", stencil.name));
        for trial in trials {
            timed.push((trial, bench.row(&trial)?));
            bar.inc(1);
        }
        bar.finish_and_clear();
    }
    Ok(timed)
}

fn fastest(rows: &[Row<StencilWork>]) -> Vec<Row<StencilWork>> {
    let of_a_grid = rows.chunk_by(|a, b| (a.what.points, &a.what.grid) == (b.what.points, &b.what.grid));
    let time = |row: &&Row<StencilWork>| row.times.median.unwrap_or(f64::INFINITY);
    of_a_grid.filter_map(|rows| rows.iter().min_by(|a, b| time(a).total_cmp(&time(b))).cloned()).collect()
}

fn columns() -> Vec<Column<Row<StencilWork>>> {
    vec![
        Column::number("points", |row: &Row<StencilWork>| row.what.points.to_string()),
        Column::words("grid", |row: &Row<StencilWork>| row.what.grid.clone()),
        Column::words("kernel", |row: &Row<StencilWork>| row.what.variant.clone()),
        Column::number("steps a sweep", |row: &Row<StencilWork>| table::whole(row.figures.steps_per_pass)),
        Column::number("GCell/s", |row: &Row<StencilWork>| table::optional(row.figures.gcells_per_s)),
        Column::number("% copy", |row: &Row<StencilWork>| table::tenths(row.figures.percent_of_copy_peak)),
        Column::words("result", table::status),
    ]
}
