//! Every stencil variant under criterion, by GPU time: `cargo bench --bench stencil`.
//!
//! One group for each stencil, element type and grid, so that criterion's plots compare the variants. The throughput is cells: one
//! step of one cell is an element, so that criterion's Gelem/s are GCell-updates/s. Bytes and operations a cell are counted in
//! several ways by several papers, cells in one; the line under each benchmark has the bytes of one read and one write a cell
//! as a share of what a copy reaches here.
//!
//! Grids go by what the adapter is; `HALOFOLD_BENCH=full` takes them all: the thesis's, smaller and larger ones. Before it is
//! timed, every variant makes steps on the benchmark's own grid, every cell of which is compared with the CPU's, bit for bit. The
//! run leaves a record (`HALOFOLD_RECORD=FILE`, by default `target/halofold/stencil.json`). With `HALOFOLD_COLD=1` steps take
//! pairs of grids in turn, which no cache holds together. Groups that end in `/rhs` add a right-hand side to each step; the record leaves them
//! out.

mod common;

use std::cell::LazyCell;

use common::{Extent, Group, Machine};
use criterion::{Criterion, Throughput};
use halofold::Element;
use halofold::stencil::{Config, Dims, Grid, STENCILS};
use halofold_measure::{Row, StencilWork, StepGrids, sides, whole_passes};

/// Types of cells.
const ELEMENTS: [Element; 3] = [Element::F32, Element::F64, Element::F16];

/// Steps of a repetition, and of time-blocked kernels at least.
const STEPS: u32 = 1;

/// End of the name of a group whose grids have a right-hand side.
const RHS: &str = "/rhs";

/// The grids of a stencil.
fn grids(dims: Dims, extent: Extent) -> Vec<Grid> {
    let square = |side| Grid::plane(side, side);
    let box_of = |planes, side| Grid { planes, rows: side, cols: side };
    match (dims, extent) {
        (Dims::Two, Extent::Software) => vec![square(512)],
        (Dims::Two, Extent::Gpu) => vec![square(2048), square(8192)],
        (Dims::Two, Extent::Full) => [1024, 2048, 4096, 8192, 16384].map(square).to_vec(),
        (_, Extent::Software) => vec![box_of(32, 64)],
        (_, Extent::Gpu) => vec![box_of(64, 256), box_of(256, 512)],
        (_, Extent::Full) => {
            vec![box_of(32, 128), box_of(64, 256), box_of(256, 512), box_of(512, 512)]
        }
    }
}

fn main() {
    common::run("stencil", bench, |record, rows| record.stencils = rows);
}

/// Measures all variants: a step from the first grid of each pair to the second and then one back, or of a time-blocked kernel
/// two passes, which end where they began.
fn bench(criterion: &mut Criterion, machine: &Machine) -> Vec<Row<StencilWork>> {
    let (device, meter) = (&machine.device, machine.meter());
    let mut rows = Vec::new();
    for &stencil in STENCILS {
        let grids = grids(stencil.dims, machine.extent());
        let kinds = ELEMENTS.map(|element| (element, "")).into_iter().chain([(Element::F32, RHS)]);
        for ((element, rhs), grid) in kinds.flat_map(|kind| grids.iter().map(move |grid| (kind, *grid))) {
            let title = machine.title(&format!("{}/{element}/{}{rhs}", stencil.name, sides(grid)));
            let pairs = pairs(machine, element, grid).inspect_err(|reason| common::skip(&title, reason));
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
            let mut group = Group::new(criterion, &title);
            let measured = configs.iter().filter_map(|config| {
                let steps = whole_passes(&config.on(device), STEPS);
                group.inner.throughput(Throughput::Elements(grid.cells() * u64::from(steps)));
                let measured = meter.stencil(&mut group, config, || &grids);
                group.row(config.variant.name, measured, |row| {
                    let figures = &row.figures;
                    common::rate(
                        figures.gcells_per_s,
                        "GCell-updates/s",
                        figures.percent_of_copy_peak,
                        "copy",
                    )
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
