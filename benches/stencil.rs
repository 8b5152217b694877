//! Every stencil variant under criterion, by GPU time: `cargo bench --bench stencil`.
//!
//! One group per stencil, element type and grid, so that criterion's plots compare the variants. An element is one step of one cell, so
//! criterion's Gelem/s are GCell-updates/s: papers count bytes and operations of a cell in several ways. The line under each benchmark
//! shows the bytes of one read and one write a cell as a share of what a copy reaches here.
//!
//! Grids go by the adapter; `HALOFOLD_BENCH=full` takes all: the thesis's, smaller and larger ones. Before it is timed, every variant steps
//! the benchmark's own grid, and every cell is compared with the CPU's, bit for bit. The run leaves a record (`HALOFOLD_RECORD=FILE`, by
//! default `target/halofold/stencil.json`). With `HALOFOLD_COLD=1` steps take pairs of grids in turn, which no cache holds together.
//! Groups that end in `/rhs` add a right-hand side to each step; the record leaves them out.

mod common;

use std::cell::LazyCell;

use common::{Extent, Group, Machine, skip};
use criterion::{Criterion, Throughput};
use halofold::Element;
use halofold::stencil::{Config, Dims, Grid, STENCILS};
use halofold_measure::{Row, StencilWork, StepGrids, sides, whole_passes};

/// Types of cells, and what the name of a group ends in if its grids have a right-hand side.
const KINDS: [(Element, &str); 4] =
    [(Element::F32, ""), (Element::F64, ""), (Element::F16, ""), (Element::F32, "/rhs")];

/// Steps of a repetition, and of time-blocked kernels at least.
const STEPS: u32 = 1;

/// The grids of a stencil: planes, and the side of each.
fn grids(dims: Dims, extent: Extent) -> impl Iterator<Item = Grid> + Clone {
    let grids: &[[u32; 2]] = match (dims, extent) {
        (Dims::Two, Extent::Software) => &[[1, 512]],
        (Dims::Two, Extent::Gpu) => &[[1, 2048], [1, 8192]],
        (Dims::Two, Extent::Full) => &[[1, 1024], [1, 2048], [1, 4096], [1, 8192], [1, 16384]],
        (_, Extent::Software) => &[[32, 64]],
        (_, Extent::Gpu) => &[[64, 256], [256, 512]],
        (_, Extent::Full) => &[[32, 128], [64, 256], [256, 512], [512, 512]],
    };
    grids.iter().map(|[planes, side]| Grid { planes: *planes, rows: *side, cols: *side })
}

fn main() {
    common::run("stencil", bench, |record, rows| record.stencils = rows);
}

/// Measures all variants: a step forward and one back on each pair of grids, or two passes of a time-blocked kernel.
fn bench(criterion: &mut Criterion, machine: &Machine) -> Vec<Row<StencilWork>> {
    let (device, meter) = (&machine.device, machine.meter());
    let mut rows = Vec::new();
    for &stencil in STENCILS {
        let grids = grids(stencil.dims, machine.extent);
        for ((element, rhs), grid) in
            KINDS.iter().flat_map(|kind| grids.clone().map(move |grid| (*kind, grid)))
        {
            let title = machine.title(&format!("{}/{element}/{}{rhs}", stencil.name, sides(grid)), '/');
            let pairs = pairs(machine, element, grid).inspect_err(|reason| skip(&title, reason));
            let Ok(pairs) = pairs else { continue };
            let configs = stencil.variants().map(|variant| {
                let config = Config::new(stencil, variant, element, grid);
                if rhs.is_empty() { config } else { config.with_rhs() }
            });
            let configs: Vec<_> = configs.collect();
            let grids = LazyCell::new(|| {
                let grids = StepGrids::new(device, &machine.queue, &configs[0], pairs, STEPS);
                grids.unwrap_or_else(|error| panic!("{grid}: {error}"))
            });
            let mut group = Group::new(criterion, &title, None);
            let measured = configs.iter().filter_map(|config| {
                let steps = whole_passes(&config.on(device), STEPS);
                group.inner.throughput(Throughput::Elements(grid.cells() * u64::from(steps)));
                let measured = meter.stencil(&mut group, config, || &grids);
                group.row(config.variant.name, measured, |row| {
                    (row.gcells_per_s, "GCell-updates/s", row.percent_of_copy_peak, "copy")
                })
            });
            // A record's rows do not tell of right-hand sides.
            rows.extend(measured.filter(|_| rhs.is_empty()));
        }
    }
    rows
}

/// Number of pairs of grids that are taken in turn; a reason if not even one fits, or not enough.
fn pairs(machine: &Machine, element: Element, grid: Grid) -> Result<u64, String> {
    let bytes = grid.cells() * element.size();
    machine.runnable(element.feature(), bytes)?;
    let most = machine.device.limits().max_storage_buffer_binding_size;
    if bytes > most {
        return Err(format!("needs a binding of {bytes} bytes, max_storage_buffer_binding_size is {most}"));
    }
    machine.inputs.copies(&machine.device, 2 * bytes).map_err(|error| error.to_string())
}
