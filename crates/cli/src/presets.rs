//! The documents' own tables, replayed: each at its own length, type, workgroup and finish.
//!
//! If an adapter allows less, the row runs with its limits and says so.

mod documents;

use std::sync::atomic::Ordering;
use std::time::Duration;

use halofold::ladder::Rung;
use halofold::reduce::{Op, Tuning};
use halofold::{Element, adapter};
use halofold_measure::{Dataset, Host, Inputs, Job, LadderWork, cpu};

use crate::failure::Failure;
use crate::progress;
use crate::reserved;
use crate::row::{self, Row, compare_steps};
use crate::rung::{self, RunContext};
use crate::table::{self, Column};
use documents::{Cpu, Line};
pub use documents::{Preset, named};

/// Longest time that a CPU row may take.
const CPU_BUDGET: Duration = Duration::from_millis(300);

/// Changes to a preset from the command line.
pub struct Options {
    pub n: Option<u64>,
    pub element: Option<Element>,
    pub workgroup: Option<u32>,
}

impl Options {
    /// Differences from the document, as the end of a title.
    pub fn changes(&self) -> String {
        let changes = [
            self.n.map(|n| format!("{} elements", table::power(n))),
            self.element.map(|element| element.to_string()),
            self.workgroup.map(|size| format!("{size} threads")),
        ];
        let changes: Vec<_> = changes.into_iter().flatten().collect();
        if changes.is_empty() { String::new() } else { format!("; here with {}", changes.join(", ")) }
    }
}

/// Runs a preset's rows, until an interrupt.
pub fn replay(
    context: &RunContext<'_>,
    preset: &'static Preset,
    options: &Options,
) -> Result<Vec<Row>, Failure> {
    let gpu = context.gpu;
    let requested = options.element.unwrap_or(preset.element);
    let (element, changed) = runnable_element(context, requested)?;
    // Rows that differ by their length are one where all have the same.
    let is_kept = |line: &&Line| options.n.is_none() || line.n == preset.rows[0].n;
    let lines: Vec<_> = preset.rows.iter().filter(is_kept).collect();
    let lengths: Vec<u64> = lines.iter().map(|line| options.n.unwrap_or(line.n)).collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let fitting = gpu.largest(element.size());
    if longest > fitting {
        return Err(refusal!(
            "{longest} elements of {element}: the largest buffer of this adapter holds {fitting} (max_buffer_size); use a smaller --n"
        ));
    }
    let host = Host::generate(Op::Sum, element, longest);
    let data = rung::upload(gpu, &host, Inputs::Warm)?;
    let bar = progress::bar(lengths.len() as u64);
    let interrupt = reserved::leave_interrupts_to_work();
    let mut rows = Vec::new();
    for (index, (line, &n)) in lines.iter().zip(&lengths).enumerate() {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        bar.set_message(progress::measuring(&line.name, row::last_speed(&rows)));
        let mut row = one(context, preset, line, options, (&host, &data), n, changed.clone())?;
        row.figures.published_ms = line.published_ms.filter(|_| n == line.n);
        row.figures.published_gb_s = line.published_gb_s.filter(|_| n == line.n);
        rows.push(row);
        let last = index + 1 == lengths.len();
        if preset.cpu == Cpu::EveryLength || (preset.cpu == Cpu::Once && last) {
            rows.push(on_cpu(context, preset, &host, n)?);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if preset.cpu != Cpu::EveryLength {
        compare_steps(&mut rows);
    }
    compare_with_cpu(&mut rows);
    Ok(rows)
}

/// Fills in how many times as fast as the CPU's row of the same length each row is, end to end as the documents count.
fn compare_with_cpu(rows: &mut [Row]) {
    let of_cpu = |row: &&Row| row.is_cpu();
    let cpu: Vec<_> =
        rows.iter().filter(of_cpu).map(|row| (row.what.n, row.figures.wall_ms_median)).collect();
    for row in rows.iter_mut().filter(|row| !row.is_cpu()) {
        let cpu = cpu.iter().find(|(n, _)| *n == row.what.n).and_then(|(_, ms)| *ms);
        row.figures.versus_cpu = cpu.zip(row.figures.wall_ms_median).map(|(cpu, gpu)| cpu / gpu);
    }
}

/// The document's element type, or the nearest this adapter can sum, with a word about the change.
fn runnable_element(context: &RunContext<'_>, named: Element) -> Result<(Element, Option<String>), Failure> {
    let lacks = |element: Element| element.feature() - context.gpu.device.features();
    if lacks(named).is_empty() {
        return Ok((named, None));
    }
    let nearest = match named {
        Element::I64 => Element::I32,
        Element::U64 => Element::U32,
        _ => Element::F32,
    };
    Ok((nearest, Some(format!("{named} needs {}: ran as {nearest}", adapter::feature_names(lacks(named))))))
}

/// One row, with the largest workgroup up to the document's that this adapter runs.
fn one(
    context: &RunContext<'_>,
    preset: &Preset,
    line: &Line,
    options: &Options,
    (host, data): (&Host, &Dataset),
    n: u64,
    changed: Option<String>,
) -> Result<Row, Failure> {
    let limits = context.gpu.device.limits();
    let requested = options.workgroup.or(line.workgroup).unwrap_or(preset.workgroup);
    let mut job = job(line, host.element, requested, n, &limits)?;
    if options.workgroup.is_some() {
        job = rung::with_checked_workgroup(context.gpu, job)?;
    }
    while rung::is_too_large(context.gpu, &job) && job.tuning.workgroup_size > 1 {
        job.tuning = job.tuning.with_workgroup_size(job.tuning.workgroup_size / 2);
    }
    let expected = rung::expected(host, Op::Sum, n)?;
    let mut row = context.row(job, data, n, &expected)?;
    row.what.preset = Some(preset.name.clone());
    row.what.row = Some(if preset.cpu == Cpu::EveryLength { table::power(n) } else { line.name.clone() });
    let mut remarks: Vec<String> = changed.into_iter().collect();
    if job.tuning.workgroup_size != requested {
        remarks.push(format!(
            "a workgroup of {requested} is too large here: ran with {}",
            job.tuning.workgroup_size
        ));
    }
    remarks.extend(row.reason.take());
    row.reason = (!remarks.is_empty()).then(|| remarks.join("; "));
    Ok(row)
}

fn job(
    line: &Line,
    element: Element,
    workgroup: u32,
    n: u64,
    limits: &halofold::wgpu::Limits,
) -> Result<Job, Failure> {
    let rung = Rung::named(&line.rung).map_err(Failure::usage)?;
    let mut job = rung::job(rung, Op::Sum, element, limits, n)?;
    let tuning = job.tuning.with_workgroup_size(workgroup);
    job.tuning = Tuning {
        max_workgroups: line.grid.unwrap_or(tuning.max_workgroups),
        tile: line.tile.unwrap_or(tuning.tile),
        leave: line.leave,
        ..tuning
    };
    job.finish = line.finish;
    Ok(job)
}

/// One CPU thread over the same elements.
fn on_cpu(context: &RunContext<'_>, preset: &Preset, host: &Host, n: u64) -> Result<Row, Failure> {
    let first = &preset.rows[0];
    let job = job(first, host.element, 1, n, &context.gpu.device.limits())?;
    let expected = rung::expected(host, Op::Sum, n)?;
    let blank = Row::<LadderWork>::blank(&job, n, &context.gpu.info);
    let work = cpu::Work { op: job.op, element: job.element, bytes: host.first(n), all_threads: false };
    let mut row = cpu::row(blank, work, &expected, CPU_BUDGET);
    row.what.preset = Some(preset.name.clone());
    row.what.row = Some("CPU".to_owned());
    Ok(row)
}

impl Preset {
    /// A row's published time, if it is of the kernel alone, or if it spans the whole way to the host.
    pub fn published_ms(&'static self, row: &Row, whole: bool) -> Option<f64> {
        let line = self.rows.iter().find(|line| Some(line.name.as_str()) == row.what.row.as_deref())?;
        match line.published_end_to_end {
            Some((ms, _)) if whole => row.figures.published_ms.map(|_| ms),
            _ => row.figures.published_ms.filter(|_| line.published_is_whole == whole),
        }
    }

    /// Columns that only this document has.
    pub fn extra_columns(&'static self) -> Vec<Column<Row>> {
        let speedup = |row: &Row| {
            let line = self.rows.iter().find(|line| Some(line.name.as_str()) == row.what.row.as_deref())?;
            line.published_end_to_end.filter(|_| row.what.n == line.n).map(|(_, speedup)| speedup)
        };
        vec![
            Column::number("published end to end", |row: &Row| table::time(self.published_ms(row, true))),
            Column::number("vs CPU", |row: &Row| table::times(row.figures.versus_cpu)),
            Column::number("published vs CPU", move |row: &Row| table::times(speedup(row))),
        ]
    }
}
