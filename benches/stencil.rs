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
//! pairs of grids in turn, which no cache holds together.

mod common;

use std::cell::LazyCell;

use common::{Extent, Machine};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, SamplingMode, Throughput};
use halofold::stencil::{Config, Dims, Grid, Jacobi, STENCILS, Stepper};
use halofold::{Element, adapter};
use halofold_measure::{Field, FieldError, Pair, Rotation, Row, Status, StencilWork, Summary};

/// What cells are.
const ELEMENTS: [Element; 3] = [Element::F32, Element::F64, Element::F16];

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
    let machine = Machine::open();
    let path = common::record_path("stencil", &machine);
    let mut rows = Vec::new();
    let mut criterion = common::criterion(&machine);
    for &stencil in STENCILS {
        for (element, grid) in ELEMENTS.iter().flat_map(|element| {
            grids(stencil.dims, machine.extent()).into_iter().map(move |grid| (*element, grid))
        }) {
            let title = machine.title(&format!("{}/{element}/{}", stencil.name, sides(grid)));
            let pairs = match pairs(&machine, element, grid) {
                Ok(pairs) => pairs,
                Err(reason) => {
                    common::skip(&title, &reason);
                    continue;
                }
            };
            let configs: Vec<_> = stencil
                .variants()
                .map(|variant| Config::new(stencil, variant, element, grid).on(&machine.device))
                .collect();
            let data = LazyCell::new(|| Data::new(&machine, &configs[0], pairs));
            let mut group = criterion.benchmark_group(&title);
            group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(grid.cells()));
            rows.extend(configs.iter().filter_map(|config| bench(&mut group, &machine, *config, &data)));
            group.finish();
        }
    }
    criterion.final_summary();
    let timed = rows.iter().any(|row| row.times.median.is_some());
    common::write_record(&machine, &path, timed, |record| record.stencils = rows);
}

/// A grid's sides as a benchmark's name has them: no blanks, for criterion's filters.
fn sides(grid: Grid) -> String {
    let Grid { planes, rows, cols } = grid;
    if planes == 1 { format!("{rows}x{cols}") } else { format!("{planes}x{rows}x{cols}") }
}

/// How many pairs of grids are taken in turn; a reason if there cannot be even one, or not enough.
fn pairs(machine: &Machine, element: Element, grid: Grid) -> Result<u64, String> {
    let missing = element.feature() - machine.device.features();
    if !missing.is_empty() {
        return Err(format!("needs {}, which this device lacks", adapter::feature_names(missing)));
    }
    let (bytes, limits) = (grid.cells() * element.size(), machine.device.limits());
    let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    if bytes > most {
        return Err(format!(
            "needs a buffer of {bytes} bytes, max_buffer_size and max_storage_buffer_binding_size allow {most}"
        ));
    }
    machine.inputs.copies(&machine.device, 2 * bytes).map_err(|error| error.to_string())
}

/// A grid on the GPU and what steps make of it, with pairs of buffers to step in.
struct Data {
    field: Field,
    /// Every pair, and every pair the other way round.
    pairs: Vec<Pair>,
}

impl Data {
    fn new(machine: &Machine, config: &Config, pairs: u64) -> Self {
        let device = &machine.device;
        let make = || -> Result<_, FieldError> {
            let field = Field::new(device, &machine.queue, config)?;
            let pairs = (0..pairs).map(|_| field.pair(device)).collect::<Result<Vec<_>, _>>()?;
            Ok((field, pairs))
        };
        let (field, mut pairs) = make().unwrap_or_else(|error| panic!("{}: {error}", config.grid));
        pairs.extend(pairs.iter().map(Pair::reversed).collect::<Vec<_>>());
        Data { field, pairs }
    }

    /// A variant over the grids, whose steps were right: from the first grid of every pair to the second, and then back.
    fn rotation(&self, machine: &Machine, config: Config) -> Rotation<Stepper> {
        let Machine { device, queue, .. } = machine;
        let name = config.variant.name;
        let exact = Jacobi::new(device, config, config.stencil.dyadic);
        let exact = exact.unwrap_or_else(|error| panic!("{name}: {error}"));
        let usual = exact.reweighted(config.stencil.usual).expect("the other weights had no error");
        let steppers = self.pairs.iter().map(|pair| {
            let stepper = |jacobi| pair.stepper(jacobi).unwrap_or_else(|error| panic!("{name}: {error}"));
            match self.field.verify(device, queue, pair, &stepper(&exact)) {
                Ok(None) => stepper(&usual),
                Ok(Some(difference)) => panic!("{name}: {difference}"),
                Err(error) => panic!("{name}: {error}"),
            }
        });
        Rotation::new(steppers.collect()).expect("there is a pair")
    }
}

/// Runs one variant under criterion; its row, unless a filter or criterion's test mode left it unmeasured.
fn bench<F: FnOnce() -> Data>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    machine: &Machine,
    config: Config,
    data: &LazyCell<Data, F>,
) -> Option<Row<StencilWork>> {
    let name = config.variant.name;
    let mut row = Row::<StencilWork>::blank(&config, &machine.info);
    match config.plan(machine.device.features(), &machine.device.limits()) {
        Ok(plan) => row.figures.workgroups = Some(plan.workgroups()),
        Err(error) => {
            common::skip(name, &error.to_string());
            row.reason = Some(error.to_string());
            return Some(row);
        }
    }
    // Of a time-blocked kernel two passes at a time, which end where they began.
    let depth = config.steps_per_pass();
    let (steps, name) = if depth > 1 { (2 * depth, &*format!("{name} T={depth}")) } else { (1, name) };
    group.throughput(Throughput::Elements(config.grid.cells() * u64::from(steps)));
    let make = || data.rotation(machine, config);
    let time = |rotation: &Rotation<Stepper>, repeats| {
        machine.timer.measure_n(repeats, &|pass| rotation.next().encode_in_pass(pass, steps))
    };
    let (_, summary, timing) = common::bench(group, machine, name, make, time)?;
    let one = |ms: f64| ms / f64::from(steps);
    let summary =
        Summary { median: one(summary.median), min: one(summary.min), iqr: one(summary.iqr), ..summary };
    row.figures.dispatches = Some(1);
    row.status = Status::Pass;
    row.set_times(&config, summary, timing, machine.peak.copy_gb_per_s);
    if let (Some(gcells), Some(percent)) = (row.figures.gcells_per_s, row.figures.percent_of_copy_peak) {
        let timing = timing.name();
        eprintln!("    {gcells:.3} GCell-updates/s, {percent:.1} % of the copy peak ({timing} time)\n");
    }
    Some(row)
}
