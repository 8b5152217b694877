//! `halofold ladder`: rungs on one adapter, at one length or at several beside the CPU, or a document's own table.

mod by_size;
pub mod rows;
mod sizes;

use std::time::Duration;

use halofold::Element;
use halofold::ladder::{Finish, RUNGS, Rung};
use halofold::reduce::Op;
use halofold::reduce::reference::Expected;
use halofold_measure::{Dataset, Host, Inputs, Job, LadderWork, NOISY, Peak, Record, Timer, Timing, cpu};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::lists::each_once;
use crate::named;
use crate::output::print;
use crate::presets::{self, Preset};
use crate::record::RecordArgs;
use crate::reserved;
use crate::row::{self, Row};
use crate::rung::{self, RunContext};
use crate::table::{self, Column, Layout};
use by_size::BySize;
use rows::Measured;
use sizes::Sizes;

/// The default length, and the default end of a range.
const USUAL_N: u64 = 1 << 24;
const USUAL_TO: u64 = 1 << 28;

/// The same on a software adapter, which needs a minute for several lengths.
const SOFTWARE_N: u64 = 1 << 20;
const SOFTWARE_TO: u64 = 1 << 22;

const RUNGS_BY_SIZE: [&str; 4] = ["sequential", "grid-stride", "vectorized", "single-pass"];

/// Time budget of the CPU's samples, per length and number of threads.
const CPU_BUDGET: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
#[command(after_help = crate::examples::LADDER)]
pub struct LadderArgs {
    /// Replay a document's table with its own settings.
    #[arg(long, value_name = "NAME", value_parser = presets::parser(), conflicts_with_all = ["op", "rungs", "finish", "groups", "no_subgroups", "cold"], help_heading = "Work")]
    preset: Option<&'static Preset>,
    /// Number of elements: 2^24 by default, 2^20 on a software adapter; a preset has its own. A range such as 2^8..2^28 takes several lengths
    /// and adds the CPU. Without an end, a range goes up to 2^28 or what fits, on a software adapter to 2^22.
    #[arg(long, value_name = "N|FROM..TO", help_heading = "Work")]
    n: Option<Sizes>,
    /// Element type: f32 by default; a preset has its own.
    #[arg(long = "type", value_name = "TYPE", value_parser = named::element(), help_heading = "Work")]
    element: Option<Element>,
    /// Operator, any of `halofold reduce`. dot takes the input twice. The CPU supports sum, product, min, max, wide-sum and wide-product.
    #[arg(long, default_value = "sum", value_parser = named::op(), hide_possible_values = true, help_heading = "Work")]
    op: Op,
    /// Only these rungs. For a range, the default is sequential, grid-stride, vectorized and single-pass.
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = named::rung(), hide_possible_values = true, help_heading = "Kernels")]
    rungs: Vec<&'static Rung>,
    /// Finish that combines partial results. Default: each rung's own.
    #[arg(long, value_parser = named::finish(), help_heading = "Kernels")]
    finish: Option<Finish>,
    /// Invocations per workgroup, a power of two; several values are tried in turn. Default: each rung's own.
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = counts(0, u32::MAX), help_heading = "Kernels")]
    workgroup: Vec<u32>,
    /// The most workgroups of a rung with a fixed grid; several values are tried in turn. Default: each rung's own.
    #[arg(long, value_name = "COUNT,…", value_delimiter = ',', value_parser = counts(1u32, 65535), help_heading = "Kernels")]
    groups: Vec<u32>,
    /// Use workgroup memory where subgroup operations are optional.
    #[arg(long, help_heading = "Kernels")]
    no_subgroups: bool,
    /// Timed samples per row. Default: 31, and more if they spread; fewer on a software adapter.
    #[arg(long, value_parser = counts(1u32, 512), help_heading = "Timing")]
    samples: Option<u32>,
    /// Read another copy of the input in each repetition, so that no cache holds it.
    #[arg(long, help_heading = "Timing")]
    cold: bool,
    /// Clock: gpu (timestamps, where the adapter has them) or wall (the host's, around batches of repetitions).
    #[arg(long, value_enum, default_value_t = Clock::Gpu, help_heading = "Timing")]
    clock: Clock,
    #[command(flatten)]
    output: RecordArgs,
    /// Show all columns, however narrow the terminal is.
    #[arg(long, help_heading = "Output")]
    wide: bool,
    #[command(flatten)]
    adapter: AdapterArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Clock {
    Gpu,
    Wall,
}

pub fn run(args: LadderArgs) -> Result<(), Failure> {
    args.check_one(args.preset.is_some())?;
    args.op.over(args.element()).map_err(Failure::usage)?;
    let file = args.output.reserve()?;
    let mut gpu = args.adapter.open()?;
    if args.clock == Clock::Wall {
        gpu.timer = Timer::wall(&gpu.device, &gpu.queue);
    }
    let (peak, rows) = match args.preset {
        Some(preset) => args.replay(&gpu, preset)?,
        None => args.climb(&gpu, &args.chosen_rungs())?,
    };
    let record = Record { inputs: args.inputs(), ..Record::new(&gpu.device, &peak, rows) };
    args.output.put(file, &record, &record.rows)?;
    row::check(&record.rows)?;
    reserved::check_interrupts(record.rows.len())
}

impl LadderArgs {
    fn is_range(&self) -> bool {
        matches!(self.n, Some(Sizes::Range(..)))
    }

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

    fn chosen_rungs(&self) -> Vec<&'static Rung> {
        match &self.rungs[..] {
            [] if self.is_range() => {
                RUNGS.iter().filter(|rung| RUNGS_BY_SIZE.contains(&rung.name())).collect()
            }
            [] => RUNGS.iter().collect(),
            rungs => rungs.to_vec(),
        }
    }

    fn inputs(&self) -> Inputs {
        if self.cold { Inputs::Cold } else { Inputs::Warm }
    }

    fn element(&self) -> Element {
        self.element.unwrap_or(Element::F32)
    }

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

    /// Runs all rungs over the same data at every length. Returns the memory's peak and the rows.
    fn climb(&self, gpu: &Gpu, rungs: &[&'static Rung]) -> Result<(Peak, Vec<Row>), Failure> {
        let (element, sizes) = (self.element(), self.sizes(gpu)?);
        if !self.is_range() {
            rung::check_operator(gpu, self.op, element)?;
        }
        let jobs = sizes.iter().map(|n| self.jobs(gpu, rungs, *n)).collect::<Result<Vec<_>, _>>()?;
        let n = sizes[sizes.len() - 1];
        let host = Host::generate(self.op, element, n);
        let data = rung::upload(gpu, &host, self.inputs())?;
        // The CPU's part first: a GPU that waits for it would lower its clock.
        let expected = sizes.iter().map(|n| rung::expected(&host, self.op, *n));
        let expected = expected.collect::<Result<Vec<_>, _>>()?;
        let context = RunContext::new(gpu, self.samples)?;
        let lengths: Vec<_> =
            sizes.iter().zip(jobs).zip(expected).map(|((n, jobs), expected)| (*n, jobs, expected)).collect();
        if self.is_range() {
            let names = [false, true].map(cpu::rung).into_iter().chain(rungs.iter().map(|rung| rung.name()));
            let by_size = BySize {
                adapter: gpu.describe(),
                clock: self.clock_name(context.peak().timing),
                operator: self.op,
                element,
                sizes: &sizes,
                series: names.map(str::to_owned).collect(),
            };
            let lines = by_size.times(Row::time);
            let (series, head) = (by_size.series.len(), by_size.head() + &lines.head());
            let show = |rows: &[Row]| match rows.len() % series {
                0 => lines.line(&rows[rows.len() - series..].to_vec()),
                _ => String::new(),
            };
            let rows = self.rows(&context, (&host, &data), &lengths, (&head, show))?;
            if self.output.is_table() {
                print(&by_size.rest(&rows))?;
            }
            return Ok((context.peak(), rows));
        }
        let copies = match data.copies().len() {
            _ if !self.cold => String::new(),
            copies => format!("; cold: {} copies of the input, read in turn", copies + 1),
        };
        let title = format!("{} of {} {element}, generated data{copies}", self.op, table::power(n));
        let known: Vec<_> =
            lengths[0].1.iter().map(|job| Row::<LadderWork>::blank(job, n, &gpu.info)).collect();
        let layout = Layout::new(self.columns(gpu.is_software()), &known, self.wide);
        let head = self.head(&context, &title) + &layout.head();
        let show = rows::live(&layout, each_once(rungs.iter().map(|rung| rung.chapter)).len() > 1);
        let rows = self.rows(&context, (&host, &data), &lengths, (&head, show))?;
        if self.output.is_table() {
            self.finish(&context, &layout, &rows, &fastest(&rows, context.peak(), gpu.is_software()))?;
        }
        Ok((context.peak(), rows))
    }

    /// Measures the rows of all lengths until an interrupt. In a range, the CPU's rows precede the rungs'.
    fn rows(
        &self,
        context: &RunContext<'_>,
        (host, data): (&Host, &Dataset),
        lengths: &[(u64, Vec<Job>, Expected)],
        (head, show): (&str, impl FnMut(&[Row]) -> String),
    ) -> Result<Vec<Row>, Failure> {
        let count = lengths.iter().map(|(_, jobs, _)| jobs.len()).sum();
        let head = Some(head).filter(|_| self.output.is_table());
        let mut rows = Measured::begin(count, !self.is_range(), head, show)?;
        for (n, jobs, expected) in lengths {
            let has_cpu = self.is_range() && !rows.is_interrupted();
            for all_threads in [false, true].into_iter().filter(|_| has_cpu) {
                let blank = Row::<LadderWork>::blank(&jobs[0], *n, &context.gpu.info);
                let work =
                    cpu::Work { op: self.op, element: host.element, bytes: host.first(*n), all_threads };
                rows.push(cpu::row(blank, work, expected, CPU_BUDGET))?;
            }
            for job in jobs {
                if rows.is_interrupted() {
                    break;
                }
                rows.announce(job.rung.name());
                rows.push(context.row(*job, data, *n, expected)?)?;
            }
        }
        Ok(rows.finish(context))
    }

    /// Returns the jobs of one length. An option that no rung supports is an error; rungs that do not support it give skipped rows.
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

    /// Replays a document's table with its settings, or the nearest that this adapter allows.
    fn replay(&self, gpu: &Gpu, preset: &'static Preset) -> Result<(Peak, Vec<Row>), Failure> {
        let n = if let Some(Sizes::One(n)) = self.n { Some(n) } else { None };
        let workgroup = self.workgroup.first().copied();
        let options = presets::Options { n, element: self.element, workgroup };
        let context = RunContext::new(gpu, self.samples)?;
        let replay = presets::Replay::new(&context, preset, &options)?;
        let layout = Layout::new(preset_columns(preset, gpu.is_software()), &replay.known()?, self.wide);
        let head = self.head(&context, &(preset.title.clone() + &options.changes())) + &layout.head();
        let head = Some(&head[..]).filter(|_| self.output.is_table());
        let rows = replay.run(head, rows::live(&layout, false))?;
        if self.output.is_table() {
            self.finish(&context, &layout, &rows, &preset.note)?;
        }
        Ok((context.peak(), rows))
    }

    /// Returns the columns of a table of one length. Columns that several options vary get names that narrow terminals keep.
    fn columns(&self, is_software: bool) -> Vec<Column<Row>> {
        let size = if self.workgroup.len() > 1 { "invocations" } else { "workgroup" };
        let groups = if self.groups.len() > 1 { &["workgroups"][..] } else { &[] };
        let last = ["n", "dispatches", "time", "spread", "GB/s", "% peak", "step", "total", "result"];
        columns(["rung", "document", "finish", size].iter().chain(groups).chain(&last), is_software)
    }

    fn clock_name(&self, timing: Timing) -> &'static str {
        match timing {
            Timing::Gpu => "GPU timestamps",
            Timing::Wall if self.clock == Clock::Wall => "wall clock",
            Timing::Wall => "wall clock (no GPU timestamps here)",
        }
    }

    fn head(&self, context: &RunContext<'_>, title: &str) -> String {
        let peak = context.peak();
        let read = match context.gpu.is_software() {
            true => String::new(),
            false => format!("read peak {} GB/s, ", table::digits(peak.read_gb_per_s)),
        };
        let head = format!(
            "{}\n{title}\n{read}copy peak {} GB/s over {} MiB; times: {}\n\n",
            context.gpu.describe(),
            table::digits(peak.copy_gb_per_s),
            peak.bytes >> 20,
            self.clock_name(peak.timing),
        );
        table::fitted(&head, self.wide)
    }

    /// Prints the lines below a table: omitted columns, reasons, a note, and noisy rows.
    fn finish(
        &self,
        context: &RunContext<'_>,
        layout: &Layout<Row>,
        rows: &[Row],
        note: &str,
    ) -> Result<(), Failure> {
        let mut text = layout.note().to_owned() + &table::remarks(rows);
        if !note.is_empty() {
            text += &format!("\n{note}\n");
        }
        let name = |row: &Row| match (&row.what.row, row.what.workgroup_size) {
            (Some(name), _) => name.clone(),
            (None, Some(size)) if self.workgroup.len() > 1 => format!("{} ({size})", row.what.rung),
            _ => row.what.rung.clone(),
        };
        let named = |what: &str, is_one: &dyn Fn(&Row) -> bool| {
            let names = each_once(rows.iter().filter(|row| is_one(row)).map(name));
            if names.is_empty() { String::new() } else { format!("\n{what}: {}\n", names.join(", ")) }
        };
        text += &named(
            &format!("noisy rows, whose samples spread by more than {NOISY} % (is something else running?)"),
            &|row| row.times.is_noisy(),
        );
        let is_gpu = context.peak().timing == Timing::Gpu;
        let is_wall = |row: &Row| is_gpu && !row.is_cpu() && row.times.timing.as_deref() == Some("wall");
        text += &named("rows timed by the wall clock", &is_wall);
        print(&table::fitted(&text, self.wide))
    }
}

/// Names the fastest row in a line; empty with fewer than two timed rows.
fn fastest(rows: &[Row], peak: Peak, is_software: bool) -> String {
    let timed = || rows.iter().filter_map(|row| Some((row, row.time()?)));
    let (Some((first, slow)), Some(_)) = (timed().next(), timed().nth(1)) else { return String::new() };
    let best = timed().min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((best, fast)) = best else { return String::new() };
    let percent = best.figures.percent_of_read_peak.unwrap_or_default();
    let speed = match is_software {
        true => format!(
            "{} GB/s, {percent:.0} % of the read peak of {} GB/s, the best of this run",
            table::optional(best.figures.gb_per_s),
            table::digits(peak.read_gb_per_s)
        ),
        false => format!("{percent:.0} % of this machine's read peak"),
    };
    let than = match (&first.what.rung, &best.what.rung) {
        _ if best == first => String::new(),
        (first, best) => {
            let first = if first == best { "the first row" } else { first };
            format!(", {:.1} times as fast as {first}", slow / fast)
        }
    };
    format!("{} is the fastest: {speed}{than}", best.what.rung)
}

/// Returns the column with this heading.
fn column(heading: &'static str) -> Column<Row> {
    type Shown = Column<Row>;
    match heading {
        "row" => Shown::words(heading, |row| row.what.row.clone().unwrap_or_default()),
        "rung" => Shown::words(heading, |row| row.what.rung.clone()),
        "document" => Shown::words(heading, |row| {
            Rung::named(&row.what.rung).map(|rung| rung.document.to_owned()).unwrap_or_default()
        }),
        "finish" => Shown::words(heading, |row| row.what.finish.clone().unwrap_or_default()),
        "type" => Shown::words(heading, |row| row.what.element.clone()),
        "n" => Shown::number(heading, |row| table::power(row.what.n)),
        "workgroup" | "invocations" => Shown::number(heading, |row| table::whole(row.what.workgroup_size)),
        "workgroups" => Shown::number(heading, |row| table::whole(row.figures.workgroups)).with_width(5),
        "dispatches" => Shown::number(heading, |row| table::whole(row.figures.dispatches)).with_width(3),
        "time" => Shown::number(heading, |row| table::time(row.times.median)).with_width(8),
        "spread" => Shown::number(heading, |row| table::percent(row.times.spread_percent)).with_width(5),
        "GB/s" => Shown::number(heading, |row| table::optional(row.figures.gb_per_s)).with_width(6),
        "published GB/s" => Shown::number(heading, |row| table::optional(row.figures.published_gb_s)),
        "% peak" => {
            Shown::number(heading, |row| table::tenths(row.figures.percent_of_read_peak)).with_width(5)
        }
        "step" => Shown::number(heading, |row| table::times(row.figures.step_speedup)).with_width(6),
        "total" => Shown::number(heading, |row| table::times(row.figures.cumulative_speedup)).with_width(6),
        "end to end" => Shown::number(heading, |row| table::time(row.figures.wall_ms_median)).with_width(8),
        "result" => Shown::words(heading, table::status).with_width(4),
        _ => unreachable!("no table has a column `{heading}`"),
    }
}

/// Returns the columns with these headings. Software adapters have no column of percentages, because their peak moves.
fn columns<'a>(headings: impl IntoIterator<Item = &'a &'static str>, is_software: bool) -> Vec<Column<Row>> {
    headings
        .into_iter()
        .filter(|heading| !is_software || **heading != "% peak")
        .map(|heading| column(heading))
        .collect()
}

fn preset_columns(preset: &'static Preset, is_software: bool) -> Vec<Column<Row>> {
    let first = ["row", "rung", "finish", "type", "n", "workgroup", "dispatches", "time"];
    let rates = ["GB/s", "published GB/s", "% peak", "step", "total", "end to end"];
    let published = Column::number("published time", |row| table::time(preset.published_ms(row, false)));
    let mut all = columns(&first, is_software);
    all.push(published);
    all.extend(columns(&rates, is_software));
    all.extend(preset.extra_columns());
    all.push(column("result"));
    all
}
