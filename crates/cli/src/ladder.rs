//! `halofold ladder`: rungs on one adapter, at one length or at several beside the CPU, or a document's own table.

mod by_size;
mod sizes;

use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use halofold::Element;
use halofold::ladder::{Finish, RUNGS, Rung};
use halofold::reduce::Op;
use halofold::reduce::reference::Expected;
use halofold_measure::{Dataset, Host, Inputs, Job, Peak, Record, Timer, cpu};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::output::print_table;
use crate::presets::{self, Preset};
use crate::row::{self, Row, compare_steps};
use crate::rung::{self, RunContext};
use crate::table::{self, Column};
use crate::{progress, record, reserved};
use by_size::BySize;
use sizes::Sizes;

/// Elements of the ladder by default, and the most of a range: eight times the largest of the documents' reductions.
const USUAL_N: u64 = 1 << 24;
const USUAL_TO: u64 = 1 << 28;

/// The same on a software adapter: several sizes are done within a minute.
const SOFTWARE_N: u64 = 1 << 20;
const SOFTWARE_TO: u64 = 1 << 22;

const RUNGS_BY_SIZE: [&str; 4] = ["sequential", "grid-stride", "vectorized", "single-pass"];

/// Time for the CPU's samples at each size and number of threads.
const CPU_BUDGET: Duration = Duration::from_millis(200);

/// Samples that spread by more percent than this are not those of a machine at rest.
const UNSTEADY: f64 = 15.0;

/// Options of `halofold ladder`.
#[derive(clap::Args)]
#[command(after_help = crate::examples::LADDER)]
pub struct LadderArgs {
    /// Replay a document's table at its own settings: tga, csc367, exercise or opencl.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["op", "rungs", "finish", "groups", "no_subgroups", "cold"], help_heading = "Work")]
    preset: Option<String>,
    /// Elements: 2^24 by default, 2^20 on a software adapter. A preset has its own. A range such as 2^8..2^28 takes several lengths and the
    /// CPU beside the GPU; without an end it goes up to 2^28 or what fits, on a software adapter to 2^22.
    #[arg(long, value_name = "N|FROM..TO", help_heading = "Work")]
    n: Option<Sizes>,
    /// Element type: u32, i32, f32, f64, i64, u64 or f16. Default f32; a preset has its own.
    #[arg(long = "type", value_name = "TYPE", help_heading = "Work")]
    element: Option<Element>,
    /// Operator: any of `halofold reduce`; dot takes the input twice. The CPU has sum, product, min, max, wide-sum and wide-product.
    #[arg(long, default_value = "sum", help_heading = "Work")]
    op: Op,
    /// Only these rungs. Of a range sequential, grid-stride, vectorized and single-pass by default.
    #[arg(long, value_delimiter = ',', value_name = "A,B", help_heading = "Kernels")]
    rungs: Vec<String>,
    /// Finish that combines partial results, instead of each rung's own: host, repeat, one-workgroup, atomic or last-workgroup.
    #[arg(long, help_heading = "Kernels")]
    finish: Option<Finish>,
    /// Invocations in a workgroup, instead of each rung's own: a power of two. Of several, each is tried.
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = counts(0, u32::MAX), help_heading = "Kernels")]
    workgroup: Vec<u32>,
    /// The most workgroups of a rung with a fixed grid, instead of each rung's own number. Of several, each is tried.
    #[arg(long, value_name = "COUNT,…", value_delimiter = ',', value_parser = counts(1u32, 65535), help_heading = "Kernels")]
    groups: Vec<u32>,
    /// Use workgroup memory where subgroup operations are optional.
    #[arg(long, help_heading = "Kernels")]
    no_subgroups: bool,
    /// Timed samples of each row. By default 31, and more where they spread; on a software adapter a few.
    #[arg(long, value_parser = counts(1u32, 512), help_heading = "Timing")]
    samples: Option<u32>,
    /// Read another copy of the input in each repetition, so that all data comes from memory and none from a cache.
    #[arg(long, help_heading = "Timing")]
    cold: bool,
    /// Clock: gpu (timestamps, if the adapter has them) or wall (the host's, around batches of repetitions).
    #[arg(long, value_enum, default_value_t = Clock::Gpu, help_heading = "Timing")]
    clock: Clock,
    /// Print one JSON array of rows instead of the table.
    #[arg(long, conflicts_with = "csv", help_heading = "Output")]
    json: bool,
    /// Print the rows as CSV instead of the table.
    #[arg(long, help_heading = "Output")]
    csv: bool,
    /// Show all columns, however narrow the terminal is.
    #[arg(long, help_heading = "Output")]
    wide: bool,
    /// Write a record of the machine and the rows, for `halofold compare` and `halofold report`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    record: Option<PathBuf>,
    #[command(flatten)]
    adapter: AdapterArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Clock {
    Gpu,
    Wall,
}

/// Runs the command.
pub fn run(args: LadderArgs) -> Result<(), Failure> {
    let preset = args.preset.as_deref().map(presets::named).transpose()?;
    args.check_one(preset.is_some())?;
    let rungs = args.chosen_rungs()?;
    args.op.over(args.element()).map_err(Failure::usage)?;
    // The record is opened before the GPU, so that an error comes before the work.
    let file = record::reserve(args.record.as_deref())?;
    let mut gpu = args.adapter.open()?;
    if args.clock == Clock::Wall {
        gpu.timer = Timer::wall(&gpu.device, &gpu.queue);
    }
    let (peak, rows) = match preset {
        Some(preset) => args.replay(&gpu, preset)?,
        None => args.climb(&gpu, &rungs)?,
    };
    record::write(file, || Record {
        inputs: args.inputs(),
        ..Record::new(&gpu.device, &peak, rows.clone())
    })?;
    row::check(&rows)?;
    reserved::check_interrupts()
}

impl LadderArgs {
    fn is_range(&self) -> bool {
        matches!(self.n, Some(Sizes::Range(..)))
    }

    /// Checks that options of one length and of several are not mixed.
    fn check_one(&self, is_preset: bool) -> Result<(), Failure> {
        let several = self.workgroup.len() > 1 || self.groups.len() > 1;
        let wrong = match self.is_range() {
            true if is_preset => "--n: a preset takes one length",
            true if self.cold => "--cold: for one length, not for a range",
            true if several => "--workgroup and --groups: one value of each for a range",
            false if is_preset && several => "--workgroup: a preset takes one size",
            _ => return Ok(()),
        };
        Err(Failure::usage(wrong))
    }

    fn chosen_rungs(&self) -> Result<Vec<&'static Rung>, Failure> {
        let named = |name: &str| Rung::named(name.trim()).map_err(Failure::usage);
        match &self.rungs[..] {
            [] if self.is_range() => RUNGS_BY_SIZE.into_iter().map(named).collect(),
            [] => Ok(RUNGS.iter().collect()),
            names => names.iter().map(String::as_str).map(named).collect(),
        }
    }

    fn inputs(&self) -> Inputs {
        if self.cold { Inputs::Cold } else { Inputs::Warm }
    }

    /// The element type, where no document has its own.
    fn element(&self) -> Element {
        self.element.unwrap_or(Element::F32)
    }

    /// The lengths of `--n`, ascending.
    fn sizes(&self, gpu: &Gpu) -> Result<Vec<u64>, Failure> {
        let element = self.element();
        let [usual, usual_to] =
            if gpu.is_software() { [SOFTWARE_N, SOFTWARE_TO] } else { [USUAL_N, USUAL_TO] };
        let most = gpu.largest(element.size());
        let sizes = match self.n {
            None => vec![usual],
            Some(Sizes::One(n)) => vec![n],
            Some(Sizes::Range(from, to)) => sizes::steps(from, to, usual_to.min(most))?,
        };
        let n = sizes[sizes.len() - 1];
        if n > most {
            return Err(refusal!(
                "--n {n}: the largest buffer of this adapter holds {most} elements of {element} (max_buffer_size {})",
                gpu.device.limits().max_buffer_size
            ));
        }
        Ok(sizes)
    }

    /// All rungs over the same data, at every length; the memory's peak, and the rows.
    fn climb(&self, gpu: &Gpu, rungs: &[&'static Rung]) -> Result<(Peak, Vec<Row>), Failure> {
        let (element, sizes) = (self.element(), self.sizes(gpu)?);
        if !self.is_range() {
            rung::check_operator(gpu, self.op, element)?;
        }
        let jobs = sizes.iter().map(|n| self.jobs(gpu, rungs, *n));
        let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
        let n = sizes[sizes.len() - 1];
        let host = Host::generate(self.op, element, n);
        let data = rung::upload(gpu, &host, self.inputs())?;
        let expected = sizes.iter().map(|n| rung::expected(&host, self.op, *n));
        // The CPU's part first: a GPU that waits for it would lower its clock.
        let expected = expected.collect::<Result<Vec<_>, _>>()?;
        let context = RunContext::new(gpu, self.samples)?;
        let lengths: Vec<_> =
            sizes.iter().zip(jobs).zip(expected).map(|((n, jobs), expected)| (*n, jobs, expected)).collect();
        let rows = self.rows(&context, (&host, &data), &lengths)?;
        if self.is_range() {
            let names = [false, true].map(cpu::rung).into_iter().chain(rungs.iter().map(|rung| rung.name()));
            let by_size = BySize {
                adapter: gpu.describe(),
                clock: self.clock_name(&rows, context.peak()),
                operator: self.op,
                element,
                sizes: &sizes,
                series: names.map(str::to_owned).collect(),
                rows: &rows,
            };
            print_table(&rows, self.json, self.csv, || by_size::report(&by_size))?;
        } else {
            let copies = match data.copies().len() {
                _ if !self.cold => String::new(),
                copies => format!("; cold: {} copies of the input, read in turn", copies + 1),
            };
            let title = format!("{} of {} {element}, generated data{copies}", self.op, table::count(n));
            let note = seen(&rows, gpu.is_software()).unwrap_or_default();
            let table = || self.table(&context, &title, &ladder_columns(self.groups.len() > 1), &rows, &note);
            print_table(&rows, self.json, self.csv, table)?;
        }
        Ok((context.peak(), rows))
    }

    /// The rows of all lengths, until an interrupt. In a range the CPU's stand before those of the rungs.
    fn rows(
        &self,
        context: &RunContext<'_>,
        (host, data): (&Host, &Dataset),
        lengths: &[(u64, Vec<Job>, Expected)],
    ) -> Result<Vec<Row>, Failure> {
        let bar = progress::bar(lengths.iter().map(|(_, jobs, _)| jobs.len() as u64).sum());
        let mut rows = Vec::new();
        let interrupt = reserved::leave_interrupts_to_work();
        'lengths: for (n, jobs, expected) in lengths {
            for all_threads in [false, true].into_iter().filter(|_| self.is_range()) {
                let blank = Row::<row::LadderWork>::blank(&jobs[0], *n, &context.gpu.info);
                let work =
                    cpu::Work { op: self.op, element: host.element, bytes: host.first(*n), all_threads };
                rows.push(cpu::row(blank, work, expected, CPU_BUDGET));
            }
            for job in jobs {
                if interrupt.load(Relaxed) {
                    break 'lengths;
                }
                bar.set_message(progress::measuring(job.rung.name(), row::last_speed(&rows)));
                rows.push(context.row(*job, data, *n, expected)?);
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        if !self.is_range() {
            compare_steps(&mut rows);
        }
        Ok(rows)
    }

    /// The jobs of one length. An option that no rung could run is an error here; one that some rungs cannot run gives skipped rows later.
    fn jobs(&self, gpu: &Gpu, rungs: &[&'static Rung], n: u64) -> Result<Vec<Job>, Failure> {
        let each = |values: &[u32]| -> Vec<Option<u32>> {
            if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
        };
        let mut jobs = Vec::new();
        for rung in rungs {
            for workgroup in each(&self.workgroup) {
                for groups in each(&self.groups) {
                    let mut job = rung::job(rung, self.op, self.element(), &gpu.device.limits(), n)?;
                    if let Some(workgroup) = workgroup {
                        job.tuning = job.tuning.with_workgroup_size(workgroup);
                    }
                    if let Some(groups) = groups {
                        job.tuning.max_workgroups = groups;
                    }
                    job.subgroups = !self.no_subgroups;
                    job.finish = self.finish.unwrap_or(job.finish);
                    jobs.push(rung::with_checked_workgroup(gpu, job)?);
                }
            }
        }
        Ok(jobs)
    }

    /// A document's rows, at its settings or as near as this adapter comes.
    fn replay(&self, gpu: &Gpu, preset: &'static Preset) -> Result<(Peak, Vec<Row>), Failure> {
        let n = if let Some(Sizes::One(n)) = self.n { Some(n) } else { None };
        let workgroup = self.workgroup.first().copied();
        let options = presets::Options { n, element: self.element, workgroup };
        let context = RunContext::new(gpu, self.samples)?;
        let rows = presets::replay(&context, preset, &options)?;
        let title = preset.title.clone() + &options.changes();
        let table = || self.table(&context, &title, &preset_columns(preset), &rows, &preset.note);
        print_table(&rows, self.json, self.csv, table)?;
        Ok((context.peak(), rows))
    }

    /// The clock that the times of some rows come from, in words.
    fn clock_name(&self, rows: &[Row], peak: Peak) -> &'static str {
        let timed = rows.iter().filter(|row| !row.is_cpu());
        let timing = timed.filter_map(|row| row.times.timing.as_deref()).find(|timing| *timing != "gpu");
        match timing.unwrap_or(if rows.iter().all(Row::is_cpu) { peak.timing.name() } else { "gpu" }) {
            "gpu" => "GPU timestamps",
            _ if self.clock == Clock::Wall => "wall clock",
            _ => "wall clock (no GPU timestamps here)",
        }
    }

    /// The rows as a table, with a title above and remarks below.
    fn table(
        &self,
        context: &RunContext<'_>,
        title: &str,
        columns: &[Shown],
        rows: &[Row],
        note: &str,
    ) -> String {
        let peak = context.peak();
        let moves = if context.gpu.is_software() { " (measured again around each row)" } else { "" };
        let header = format!(
            "{}\n{title}\nread peak {} GB/s{moves}, copy peak {} GB/s over {} MiB; times: {}\n\n",
            context.gpu.describe(),
            table::digits(peak.read_gb_per_s),
            table::digits(peak.copy_gb_per_s),
            peak.bytes >> 20,
            self.clock_name(rows, peak),
        );
        let note = if note.is_empty() { String::new() } else { format!("\n{note}\n") } + &unsteady(rows);
        let below = table::fitted(&(table::remarks(rows) + &note), self.wide);
        let chapter = |row: &Row| row::rung(row).map_or("", |rung| rung.chapter);
        table::fitted(&header, self.wide) + &table::render(columns, rows, self.wide, chapter) + &below
    }
}

/// Names the rows that still spread after all samples; empty if none does.
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

/// The fastest row, in a line; nothing if there are no two rows with a time. A peak that moves is not compared with.
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
        let first = if first.what.rung == best.what.rung { "the first row" } else { &first.what.rung };
        format!(", {faster:.1} times as fast as {first}")
    };
    Some(format!("{} is the fastest: {speed}{than}", best.what.rung))
}

/// A column of a table of reductions.
type Shown = Column<Row>;

/// The column of a heading, of those that tables of the ladder and of documents have.
fn column(heading: &'static str) -> Shown {
    match heading {
        "row" => Shown::words(heading, |row| row.what.row.clone().unwrap_or_default()),
        "rung" => Shown::words(heading, |row| row.what.rung.clone()),
        "document" => Shown::words(heading, |row| {
            Rung::named(&row.what.rung).map(|rung| rung.document.to_owned()).unwrap_or_default()
        }),
        "finish" => Shown::words(heading, |row| row.what.finish.clone().unwrap_or_default()),
        "type" => Shown::words(heading, |row| row.what.element.clone()),
        "n" => Shown::number(heading, |row| table::power(row.what.n)),
        "workgroup" => Shown::number(heading, |row| table::whole(row.what.workgroup_size)),
        "workgroups" => Shown::number(heading, |row| table::whole(row.figures.workgroups)),
        "dispatches" => Shown::number(heading, |row| table::whole(row.figures.dispatches)),
        "time" => Shown::number(heading, |row| table::time(row.times.median)),
        "clock" => Shown::words(heading, table::clock),
        "spread" => Shown::number(heading, |row| table::percent(row.times.spread_percent)),
        "GB/s" => Shown::number(heading, |row| table::optional(row.figures.gb_per_s)),
        "published GB/s" => Shown::number(heading, |row| table::optional(row.figures.published_gb_s)),
        "% peak" => Shown::number(heading, |row| table::tenths(row.figures.percent_of_read_peak)),
        "step" => Shown::number(heading, |row| table::times(row.figures.step_speedup)),
        "total" => Shown::number(heading, |row| table::times(row.figures.cumulative_speedup)),
        "end to end" => Shown::number(heading, |row| table::time(row.figures.wall_ms_median)),
        "result" => Shown::words(heading, table::status),
        _ => unreachable!("no table has a column `{heading}`"),
    }
}

fn ladder_columns(has_groups: bool) -> Vec<Shown> {
    let groups = if has_groups { &["workgroups"][..] } else { &[] };
    let first = ["rung", "document", "finish", "workgroup"];
    let last = ["n", "dispatches", "time", "clock", "spread", "GB/s", "% peak", "step", "total", "result"];
    [&first, groups, &last].concat().into_iter().map(column).collect()
}

fn preset_columns(preset: &'static Preset) -> Vec<Shown> {
    let first = ["row", "rung", "finish", "type", "n", "workgroup", "dispatches", "time", "clock"];
    let rates = ["GB/s", "published GB/s", "% peak", "step", "total", "end to end"];
    let published = Shown::number("published time", |row| table::time(preset.published_ms(row, false)));
    let first = first.map(column).into_iter().chain([published]).chain(rates.map(column));
    first.chain(preset.extra_columns()).chain([column("result")]).collect()
}
