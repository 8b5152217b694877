//! `halofold ladder`: every rung on one adapter, or a document's own table.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::{Finish, RUNGS, Rung};
use halofold_measure::{Inputs, Job, Peak, Timer};

use crate::count::counts;
use crate::dataset::{Dataset, Host};
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::input::Source;
use crate::output::{print, print_json};
use crate::presets::{self, Preset};
use crate::row::{self, Row, Status, compare_steps, csv};
use crate::run::{self, RunContext};
use crate::table::{self, Column, number, words};
use crate::{progress, record, reserved};

/// Elements of the ladder by default.
const USUAL_N: u64 = 1 << 24;

/// The same on a processor that plays a GPU.
const SOFTWARE_N: u64 = 1 << 20;

/// Samples that spread by more percent than this are not those of a machine at rest.
const UNSTEADY: f64 = 15.0;

/// Options of `halofold ladder`.
#[derive(clap::Args)]
pub struct LadderArgs {
    /// Replay a document's table at its own settings: tga, csc367, exercise or opencl.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["op", "rungs", "input", "finish", "groups", "no_subgroups", "cold"])]
    preset: Option<String>,
    /// Elements: 2^24 by default, 2^20 on a software adapter. A preset has its own.
    #[arg(long, value_parser = counts(0u64, u64::MAX))]
    n: Option<u64>,
    /// Element type: u32, i32, f32, f64, i64, u64 or f16. Default f32, or the input file's.
    #[arg(long = "type", value_name = "TYPE")]
    element: Option<Element>,
    /// Operator: any of `halofold reduce`; dot takes the input twice.
    #[arg(long, default_value = "sum")]
    op: Op,
    /// Only these rungs.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    rungs: Vec<String>,
    /// How partial results are combined, instead of each rung's own way: host, repeat, one-workgroup, atomic or last-workgroup.
    #[arg(long)]
    finish: Option<Finish>,
    /// Invocations in a workgroup, instead of each rung's own: a power of two.
    #[arg(long, value_name = "SIZE", value_parser = counts(0, u32::MAX))]
    workgroup: Option<u32>,
    /// The most workgroups of a rung with a fixed grid, instead of each rung's own number.
    #[arg(long, value_name = "COUNT", value_parser = counts(1u32, 65535))]
    groups: Option<u32>,
    /// Use workgroup memory where subgroup operations are optional.
    #[arg(long)]
    no_subgroups: bool,
    /// Timed samples of each row. By default 31, 7 on a software adapter, and more where they spread.
    #[arg(long, value_parser = counts(1u32, 512))]
    samples: Option<u32>,
    /// Read another copy of the input in each repetition, so that all data comes from memory and none from a cache.
    #[arg(long)]
    cold: bool,
    /// Which clock: gpu (timestamps, where the adapter has them) or wall (the host's, around batches of repetitions).
    #[arg(long, value_enum, default_value_t = Clock::Gpu)]
    clock: Clock,
    /// Reduce the data of a .npy file instead of generated data.
    #[arg(long, value_name = "FILE.npy")]
    input: Option<PathBuf>,
    /// Print one JSON array of rows.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the rows as CSV.
    #[arg(long)]
    csv: bool,
    /// Show all columns, however narrow the terminal is.
    #[arg(long)]
    wide: bool,
    /// Write a record of the machine and the rows, for `halofold compare` and `halofold report`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    adapter: AdapterArgs,
}

/// Where times come from.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Clock {
    Gpu,
    Wall,
}

/// Runs the command.
pub fn run(args: LadderArgs) -> Result<(), Failure> {
    let preset = args.preset.as_deref().map(presets::named).transpose()?;
    let rungs = args.chosen_rungs()?;
    // Files are looked at before the GPU is: nothing half done.
    let source = args.input.as_deref().map(Source::open).transpose().map_err(Failure::usage)?;
    let file = record::reserve(args.record.as_deref(), args.input.as_slice())?;
    let mut gpu = args.adapter.open()?;
    if args.clock == Clock::Wall {
        gpu.timer = Timer::wall(&gpu.device, &gpu.queue);
    }
    let (peak, rows) = match preset {
        Some(preset) => args.replay(&gpu, preset)?,
        None => args.climb(&gpu, &rungs, source)?,
    };
    record::write(file, &gpu, &peak, args.inputs(), &rows)?;
    if rows.iter().any(|row| row.status == Status::Fail) {
        Err(Failure::Wrong)
    } else {
        reserved::check_interrupts()
    }
}

impl LadderArgs {
    fn chosen_rungs(&self) -> Result<Vec<&'static Rung>, Failure> {
        if self.rungs.is_empty() {
            return Ok(RUNGS.iter().collect());
        }
        self.rungs.iter().map(|name| Rung::named(name.trim()).map_err(Failure::usage)).collect()
    }

    fn inputs(&self) -> Inputs {
        if self.cold { Inputs::Cold } else { Inputs::Warm }
    }

    fn context<'a>(&self, gpu: &'a Gpu) -> Result<RunContext<'a>, Failure> {
        Ok(RunContext { gpu, peak: gpu.peak_meter(self.samples)?, budget: gpu.budget(self.samples) })
    }

    /// What the ladder runs over: the file's type and length, or the ones asked for.
    fn size(&self, gpu: &Gpu, source: Option<&Source>) -> Result<(Element, u64), Failure> {
        let usual = if gpu.is_software() { SOFTWARE_N } else { USUAL_N };
        let (element, n) = match source {
            None => (self.element.unwrap_or(Element::F32), self.n.unwrap_or(usual)),
            Some(source) => (source.element(), self.n.or(source.len()).unwrap_or(0)),
        };
        if let Some(source) = source
            && self.element.is_some_and(|wanted| wanted != element)
        {
            return Err(Failure::Usage(format!("--type: {} holds {element}", source.name())));
        }
        let most = gpu.largest(element.size());
        if n > most {
            return Err(Failure::Usage(format!(
                "--n {n}: the largest buffer of this adapter holds {most} elements of {element} (max_buffer_size {})",
                gpu.device.limits().max_buffer_size
            )));
        }
        Ok((element, n))
    }

    /// All rungs over the same data; what the memory can do, and the rows.
    fn climb(
        &self,
        gpu: &Gpu,
        rungs: &[&'static Rung],
        source: Option<Source>,
    ) -> Result<(Peak, Vec<Row>), Failure> {
        let (element, n) = self.size(gpu, source.as_ref())?;
        run::check_operator(gpu, self.op, element)?;
        let jobs = rungs.iter().map(|rung| self.job(gpu, rung, element, n)).collect::<Result<Vec<_>, _>>()?;
        let host = match source {
            None => Host::generate(self.op, element, n),
            Some(mut source) => Host::read(&mut source, self.n)?,
        };
        let data = Dataset::upload(gpu, &host, self.inputs())?;
        // The CPU's part first: a GPU that waits for it would lower its clock.
        let expected = data.expected(self.op, host.len())?;
        let context = self.context(gpu)?;
        let bar = progress::bar(jobs.len() as u64);
        let mut rows = Vec::new();
        let interrupt = reserved::leave_interrupts_to_work();
        for job in jobs {
            if interrupt.load(Relaxed) {
                break;
            }
            bar.set_message(progress::measuring(job.rung.name(), row::last_speed(&rows)));
            rows.push(run::row(&context, job, &data, host.len(), &expected)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        compare_steps(&mut rows);
        let title = format!(
            "{} of {} {}, {}{}",
            self.op,
            table::count(host.len()),
            host.element,
            self.input.as_deref().map_or("generated data".into(), Path::to_string_lossy),
            if self.cold {
                format!("; cold: {} copies of the input, read in turn", data.copies().len() + 1)
            } else {
                String::new()
            },
        );
        self.show(
            &context,
            &title,
            &ladder_columns(),
            &rows,
            &seen(&rows, gpu.is_software()).unwrap_or_default(),
        )?;
        Ok((context.peak.peak(), rows))
    }

    /// The job of a rung, as the options change it.
    fn job(&self, gpu: &Gpu, rung: &'static Rung, element: Element, n: u64) -> Result<Job, Failure> {
        let limits = gpu.device.limits();
        let mut job = run::job(rung, self.op, element, &limits, n)?;
        if let Some(workgroup) = self.workgroup {
            job.tuning = job.tuning.with_workgroup_size(workgroup);
        }
        job.tuning.max_workgroups = self.groups.unwrap_or(job.tuning.max_workgroups);
        job.subgroups = !self.no_subgroups;
        job.finish = self.finish.unwrap_or(job.finish);
        run::with_checked_workgroup(gpu, job)
    }

    /// A document's rows, at its settings or as near as this adapter comes.
    fn replay(&self, gpu: &Gpu, preset: &'static Preset) -> Result<(Peak, Vec<Row>), Failure> {
        let options = presets::Options { n: self.n, element: self.element, workgroup: self.workgroup };
        let context = self.context(gpu)?;
        let rows = presets::replay(&context, preset, &options)?;
        let title = preset.title.to_owned() + &options.changes();
        self.show(&context, &title, &preset_columns(preset), &rows, preset.note)?;
        Ok((context.peak.peak(), rows))
    }

    /// Prints the rows the way that was asked for.
    fn show(
        &self,
        context: &RunContext<'_>,
        title: &str,
        columns: &[Column],
        rows: &[Row],
        note: &str,
    ) -> Result<(), Failure> {
        if self.json {
            return print_json(&rows);
        }
        if self.csv {
            return print(&csv(rows)?);
        }
        let peak = context.peak.peak();
        let timing = rows.iter().find_map(|row| row.times.timing.as_deref()).unwrap_or(peak.timing.name());
        let clock = match timing {
            "gpu" => "GPU timestamps",
            _ if self.clock == Clock::Wall => "wall clock",
            _ => "wall clock (no GPU timestamps here)",
        };
        let moves = if context.gpu.is_software() { " (measured again around each row)" } else { "" };
        let header = format!(
            "{}\n{title}\nread peak {} GB/s{moves}, copy peak {} GB/s over {} MiB; times: {clock}\n\n",
            context.gpu.describe(),
            table::digits(peak.read_gb_per_s),
            table::digits(peak.copy_gb_per_s),
            peak.bytes >> 20,
        );
        let note = if note.is_empty() { String::new() } else { format!("\n{note}\n") } + &unsteady(rows);
        let below = table::fitted(&(table::remarks(rows) + &note), self.wide);
        print(&(table::fitted(&header, self.wide) + &table::render(columns, rows, self.wide) + &below))
    }
}

/// Which rows still spread after all samples; nothing if none does.
fn unsteady(rows: &[Row]) -> String {
    let spreads = |row: &&Row| row.times.spread_percent.is_some_and(|spread| spread > UNSTEADY);
    let names: Vec<_> = rows.iter().filter(spreads).map(|row| row.what.rung.as_str()).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "\nthe samples of these rows spread by more than {UNSTEADY} %, as if something else were running: {}\n",
        names.join(", ")
    )
}

/// The fastest row, in a line; nothing if there are no two rows with a time. A peak that moves is none to be held against.
fn seen(rows: &[Row], peak_moves: bool) -> Option<String> {
    let timed = || rows.iter().filter(|row| row.time().is_some());
    let (first, _) = (timed().next()?, timed().nth(1)?);
    let best = timed().min_by(|a, b| a.time().partial_cmp(&b.time()).unwrap_or(Ordering::Equal))?;
    let speed = match best.figures.percent_of_read_peak.filter(|_| !peak_moves) {
        Some(percent) => format!("{percent:.0} % of this machine's read peak"),
        None => format!("{} GB/s", table::digits(best.figures.gb_per_s?)),
    };
    let faster = first.time()? / best.time()?;
    let than = if best == first {
        String::new()
    } else {
        format!(", {faster:.1} times as fast as {}", first.what.rung)
    };
    Some(format!("{} is the fastest: {speed}{than}", best.what.rung))
}

fn ladder_columns() -> Vec<Column> {
    vec![
        words("rung", |row| row.what.rung.clone()),
        words("document", |row| {
            Rung::named(&row.what.rung).map(|rung| rung.document.to_owned()).unwrap_or_default()
        }),
        words("finish", |row| row.what.finish.clone().unwrap_or_default()),
        number("workgroup", |row| row.what.workgroup_size.map(|size| size.to_string()).unwrap_or_default()),
        number("n", |row| table::power(row.what.n)),
        number("dispatches", |row| row.figures.dispatches.map(|count| count.to_string()).unwrap_or_default()),
        number("time", |row| table::time(row.times.median)),
        words("clock", table::clock),
        number("spread", |row| table::percent(row.times.spread_percent)),
        number("GB/s", |row| table::optional(row.figures.gb_per_s)),
        number("% peak", |row| {
            row.figures.percent_of_read_peak.map(|x| format!("{x:.1}")).unwrap_or_default()
        }),
        number("step", |row| table::times(row.figures.step_speedup)),
        number("total", |row| table::times(row.figures.cumulative_speedup)),
        words("result", table::status),
    ]
}

fn preset_columns(preset: &'static Preset) -> Vec<Column> {
    let mut columns = vec![
        words("row", |row| row.what.row.clone().unwrap_or_default()),
        words("rung", |row| row.what.rung.clone()),
        words("finish", |row| row.what.finish.clone().unwrap_or_default()),
        words("type", |row| row.what.element.clone()),
        number("n", |row| table::power(row.what.n)),
        number("workgroup", |row| row.what.workgroup_size.map(|size| size.to_string()).unwrap_or_default()),
        number("dispatches", |row| row.figures.dispatches.map(|count| count.to_string()).unwrap_or_default()),
        number("time", |row| table::time(row.times.median)),
        words("clock", table::clock),
        number("published time", |row| table::time(preset.published_ms(row, false))),
        number("GB/s", |row| table::optional(row.figures.gb_per_s)),
        number("published GB/s", |row| table::optional(row.figures.published_gb_s)),
        number("% peak", |row| {
            row.figures.percent_of_read_peak.map(|x| format!("{x:.1}")).unwrap_or_default()
        }),
        number("step", |row| table::times(row.figures.step_speedup)),
        number("total", |row| table::times(row.figures.cumulative_speedup)),
        number("end to end", |row| table::time(row.figures.wall_ms_median)),
    ];
    columns.extend(preset.extra_columns());
    columns.push(words("result", table::status));
    columns
}
