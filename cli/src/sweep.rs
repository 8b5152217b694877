//! `halofold sweep`: time by size, the plot of the exercise and of the OpenCL tutorial's last page.

mod plot;
mod text;

use std::path::{Path, PathBuf};
use std::time::Duration;

use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::{Rung, UnknownRung};
use halofold_measure::{Inputs, Job, Peak};

use crate::count::counts;
use crate::dataset::{Dataset, Host};
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::output::{print, print_json};
use crate::reserved::Reserved;
use crate::row::{self, Row, Status, csv};
use crate::run::{self, RunContext};
use crate::{cpu, progress, record, table};

/// The largest size by default, where it fits: eight times the largest of the documents' reductions.
const USUAL_TO: u64 = 1 << 28;

/// The same on a processor that plays a GPU: a sweep ends within a minute.
const SOFTWARE_TO: u64 = 1 << 22;

/// The ratio of the last size to the first from which on sizes go by factors of four instead of two, so that the table
/// stays short.
const WIDE: u64 = 1 << 12;

/// How long the CPU is timed at each size and number of threads.
const CPU_BUDGET: Duration = Duration::from_millis(200);

/// A path that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// Options of `halofold sweep`.
#[derive(clap::Args)]
pub struct SweepArgs {
    /// The rungs to run beside the CPU.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "A,B",
        value_parser = rung,
        default_value = "sequential,grid-stride,vectorized,single-pass"
    )]
    rungs: Vec<&'static Rung>,
    /// Element type: u32, i32, f32, f64, i64, u64 or f16.
    #[arg(long = "type", value_name = "TYPE", default_value = "f32")]
    element: Element,
    /// Operator: any of `halofold reduce`. The CPU has sum, product, min, max, wide-sum and wide-product.
    #[arg(long, default_value = "sum")]
    op: Op,
    /// The smallest size, in elements.
    #[arg(long, value_name = "N", value_parser = counts(0u64, u64::MAX), default_value = "2^8")]
    from: u64,
    /// The largest size: by default 2^28 or what fits, on a software adapter 2^22.
    #[arg(long, value_name = "N", value_parser = counts(0u64, u64::MAX))]
    to: Option<u64>,
    /// Invocations in a workgroup, instead of each rung's own: a power of two.
    #[arg(long, value_name = "SIZE", value_parser = counts(0, u32::MAX))]
    workgroup: Option<u32>,
    /// Timed samples of each GPU row. By default 31, 7 on a software adapter, and more where they spread.
    #[arg(long, value_parser = counts(1u32, 512))]
    samples: Option<u32>,
    /// Print one JSON array of rows instead of the table.
    #[arg(long)]
    json: bool,
    /// Write the rows as CSV; - prints them instead of the table.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a plot with logarithmic axes; - prints it instead of the table.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a record of the machine and the rows, for `halofold compare` and `halofold report`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    adapter: AdapterArgs,
}

/// The settings of a sweep and its results.
struct Sweep {
    /// The adapter in one line.
    adapter: String,
    /// What its memory can do.
    peak: Peak,
    /// What was computed.
    operator: Op,
    /// Of which elements.
    element: Element,
    /// The sizes, ascending.
    sizes: Vec<u64>,
    /// The rows' names at every size: the CPU's, then the rungs'.
    series: Vec<String>,
    /// One row for every size and series, size by size.
    rows: Vec<Row>,
}

impl Sweep {
    /// The rows of one size, in the order of the series.
    fn at_sizes(&self) -> impl Iterator<Item = &[Row]> {
        self.rows.chunks(self.series.len())
    }

    /// The rows of one series, by size.
    fn of_series(&self, series: usize) -> impl Iterator<Item = &Row> {
        self.rows.iter().skip(series).step_by(self.series.len())
    }

    /// Whether the rungs' times come from the GPU's own clock.
    fn has_gpu_clock(&self) -> bool {
        let on_gpu = self.rows.iter().filter(|row| row.times.median.is_some());
        on_gpu.filter_map(|row| row.times.timing.as_deref()).all(|timing| timing == "gpu")
    }
}

/// The time until the value is on the host.
fn end_to_end(row: &Row) -> Option<f64> {
    row.figures.wall_ms_median.filter(|_| row.status == Status::Pass)
}

/// Runs the command.
pub fn run(args: SweepArgs) -> Result<(), Failure> {
    let outputs = Outputs::reserve(&args)?;
    let file = record::reserve(args.record.as_deref(), &[])?;
    run::check_defined(args.op, args.element)?;
    let gpu = args.adapter.open()?;
    let sizes = args.sizes(&gpu)?;
    let jobs = sizes.iter().map(|n| args.jobs(&gpu, *n)).collect::<Result<Vec<_>, _>>()?;
    let sweep = args.measure(&gpu, sizes, &jobs)?;
    record::write(file, &gpu, &sweep.peak, Inputs::Warm, &sweep.rows)?;
    outputs.write(&sweep)?;
    if sweep.rows.iter().any(|row| row.status == Status::Fail) { Err(Failure::Wrong) } else { Ok(()) }
}

/// The rung of that name, on the command line.
fn rung(name: &str) -> Result<&'static Rung, UnknownRung> {
    Rung::named(name.trim())
}

impl SweepArgs {
    /// The sizes to run: the first, then by factors, and always the last.
    fn sizes(&self, gpu: &Gpu) -> Result<Vec<u64>, Failure> {
        let most = gpu.largest(self.element.size());
        let usual = if gpu.is_software() { SOFTWARE_TO } else { USUAL_TO };
        let (from, to) = (self.from, self.to.unwrap_or(usual.min(most)));
        if from == 0 {
            return Err(Failure::usage("--from 0: the axes are logarithmic, so the smallest size is 1"));
        }
        if to > most {
            return Err(Failure::Usage(format!(
                "--to {to}: the largest buffer of this adapter holds {most} elements of {} (max_buffer_size {})",
                self.element,
                gpu.device.limits().max_buffer_size
            )));
        }
        if from > to {
            let whose = if self.to.is_none() { ", the default on this adapter" } else { "" };
            return Err(Failure::Usage(format!("--from {from} is larger than --to {to}{whose}")));
        }
        Ok(steps(from, to))
    }

    /// The rungs' jobs at one size. What no rung could run is an error here; what one of them cannot is a skipped row later.
    fn jobs(&self, gpu: &Gpu, n: u64) -> Result<Vec<Job>, Failure> {
        self.rungs.iter().map(|rung| self.job(gpu, rung, n)).collect()
    }

    fn job(&self, gpu: &Gpu, rung: &'static Rung, n: u64) -> Result<Job, Failure> {
        let mut job = run::job(rung, self.op, self.element, &gpu.device.limits(), n)?;
        if let Some(workgroup) = self.workgroup {
            job.tuning = job.tuning.with_workgroup_size(workgroup);
        }
        run::with_checked_workgroup(gpu, job)
    }

    /// Runs the CPU and the jobs at every size.
    fn measure(&self, gpu: &Gpu, sizes: Vec<u64>, jobs: &[Vec<Job>]) -> Result<Sweep, Failure> {
        let host = Host::generate(self.op, self.element, sizes[sizes.len() - 1]);
        let data = Dataset::upload(gpu, &host, Inputs::Warm)?;
        let context =
            RunContext { gpu, peak: gpu.peak_meter(self.samples)?, budget: gpu.budget(self.samples) };
        let names = [false, true].map(cpu::rung).into_iter().chain(self.rungs.iter().map(|rung| rung.name()));
        let series: Vec<_> = names.map(str::to_owned).collect();
        let bar = progress::bar((sizes.len() * series.len()) as u64);
        let mut rows = Vec::new();
        for (&n, jobs) in sizes.iter().zip(jobs) {
            let expected = data.expected(self.op, n)?;
            let blank = run::blank(&context, &jobs[0], n);
            for all_threads in [false, true] {
                let bytes = host.first(n);
                let work = cpu::Work { op: self.op, element: self.element, bytes, all_threads };
                rows.push(cpu::row(blank.clone(), work, &expected, CPU_BUDGET));
                bar.inc(1);
            }
            for job in jobs {
                let name = format!("{}, n = {}", job.rung.name(), table::power(n));
                bar.set_message(progress::measuring(&name, row::last_speed(&rows)));
                rows.push(run::row(&context, *job, &data, n, &expected)?);
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        Ok(Sweep {
            adapter: gpu.describe(),
            peak: context.peak.peak(),
            operator: self.op,
            element: self.element,
            sizes,
            series,
            rows,
        })
    }
}

/// Sizes from `from` on by factors of two or four, and `to`.
fn steps(from: u64, to: u64) -> Vec<u64> {
    let factor = if to / from >= WIDE { 4 } else { 2 };
    let next = |n: &u64| n.checked_mul(factor).filter(|n| *n < to);
    let mut sizes: Vec<_> = std::iter::successors(Some(from), next).filter(|n| *n < to).collect();
    sizes.push(to);
    sizes
}

/// Where the results go.
struct Outputs {
    /// What standard output gets.
    printed: Printed,
    csv: Option<Reserved>,
    svg: Option<Reserved>,
}

/// What goes to standard output: one thing, so that another program can read it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Printed {
    Table,
    Json,
    Csv,
    Svg,
}

impl Outputs {
    /// Opens the files, so that a path that cannot be written is an error now and not after the work.
    fn reserve(args: &SweepArgs) -> Result<Self, Failure> {
        let printed = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new(STANDARD_OUTPUT));
        let claims = [
            (args.json, "--json", Printed::Json),
            (printed(&args.csv), "--csv -", Printed::Csv),
            (printed(&args.svg), "--svg -", Printed::Svg),
        ];
        let claims: Vec<_> = claims.into_iter().filter(|(claimed, ..)| *claimed).collect();
        let printed = match claims[..] {
            [] => Printed::Table,
            [(_, _, printed)] => printed,
            [(_, first, _), (_, second, _), ..] => {
                return Err(Failure::Usage(format!("{first} and {second} both write to standard output")));
            }
        };
        let reserve = |option, path: &Option<PathBuf>| {
            let file = path.as_deref().filter(|path| *path != Path::new(STANDARD_OUTPUT));
            file.map(|path| Reserved::open(option, path)).transpose()
        };
        Ok(Outputs { printed, csv: reserve("--csv", &args.csv)?, svg: reserve("--svg", &args.svg)? })
    }

    /// Writes the files, then standard output, which somebody may close.
    fn write(self, sweep: &Sweep) -> Result<(), Failure> {
        if let Some(file) = self.csv {
            file.write(&csv(&sweep.rows)?)?;
        }
        if let Some(file) = self.svg {
            file.write(&plot::svg(sweep))?;
        }
        match self.printed {
            Printed::Table => print(&text::report(sweep)),
            Printed::Json => print_json(&sweep.rows),
            Printed::Csv => print(&csv(&sweep.rows)?),
            Printed::Svg => print(&plot::svg(sweep)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn sizes_stay_few_and_end_where_they_should() {
        assert_eq!(steps(1, 1), [1]);
        assert_eq!(steps(256, 2048), [256, 512, 1024, 2048]);
        assert_eq!(steps(3, 20), [3, 6, 12, 20]);
        assert_eq!(steps(256, 1 << 22).len(), 8);
        assert_eq!(steps(256, 1 << 28).len(), 11);
        assert_eq!(steps(1, u64::from(u32::MAX)).last(), Some(&u64::from(u32::MAX)));
    }
}
