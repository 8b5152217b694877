//! Replays tables of published documents: each row with the published length, type, workgroup size and finish.
//!
//! If the adapter lacks a type or workgroup size, a substitute runs and the row's `reason` names it. Excessive lengths are refused.

mod documents;

use std::time::Duration;

use halofold::ladder::Rung;
use halofold::reduce::{Op, Tuning};
use halofold::{Element, adapter};
use halofold_measure::{Dataset, Host, Inputs, Job, LadderWork, cpu};

use crate::failure::Failure;
use crate::ladder::rows::Measured;
use crate::row::Row;
use crate::rung::{self, RunContext};
use crate::table::{self, Column};
use documents::{Cpu, Line};
pub use documents::{Preset, by_name, named, parser};

const CPU_BUDGET: Duration = Duration::from_millis(300);

/// Settings of a preset that the command line overrides.
pub struct Options {
    pub n: Option<u64>,
    pub element: Option<Element>,
    pub workgroup: Option<u32>,
}

impl Options {
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

pub struct Replay<'a> {
    context: &'a RunContext<'a>,
    preset: &'static Preset,
    options: &'a Options,
    lines: Vec<(&'static Line, u64)>,
    host: Host,
    data: Dataset,
    /// A word about the element type, if it is another than the document's.
    changed: Option<String>,
}

impl<'a> Replay<'a> {
    pub fn new(
        context: &'a RunContext<'a>,
        preset: &'static Preset,
        options: &'a Options,
    ) -> Result<Self, Failure> {
        let gpu = context.gpu;
        let (element, changed) = runnable_element(context, options.element.unwrap_or(preset.element))?;
        // `--n` gives all rows one length. Rows that differ only by length would repeat, so only the first length stays.
        let is_kept = |line: &&Line| options.n.is_none() || line.n == preset.rows[0].n;
        let lines: Vec<_> =
            preset.rows.iter().filter(is_kept).map(|line| (line, options.n.unwrap_or(line.n))).collect();
        let longest = lines.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let fitting = gpu.largest(element.size());
        if longest > fitting {
            return Err(refusal!(
                "{longest} elements of {element}: the largest buffer of this adapter holds {fitting} (max_buffer_size); use a smaller --n"
            ));
        }
        let host = Host::generate(Op::Sum, element, longest);
        let data = rung::upload(gpu, &host, Inputs::Warm)?;
        Ok(Replay { context, preset, options, lines, host, data, changed })
    }

    pub fn known(&self) -> Result<Vec<Row>, Failure> {
        let blank = |(line, n): &(&'static Line, u64)| {
            let row = Row::<LadderWork>::blank(&self.job(line, *n)?.0, *n, &self.context.gpu.info);
            Ok(self.labelled(line, *n, row))
        };
        self.lines.iter().map(blank).collect()
    }

    /// Runs the rows, until an interrupt. The CPU's row is the first of its length, or of all.
    pub fn run(self, head: Option<&str>, show: impl FnMut(&[Row]) -> String) -> Result<Vec<Row>, Failure> {
        let cpu = self.preset.cpu;
        let mut rows = Measured::begin(self.lines.len(), cpu != Cpu::EveryLength, head, show)?;
        let (mut versus, last) = (None, self.lines.last().map_or(0, |(_, n)| *n));
        for (at, (line, n)) in self.lines.iter().enumerate() {
            if rows.is_interrupted() {
                break;
            }
            if cpu == Cpu::EveryLength || (cpu == Cpu::Once && at == 0) {
                let n = if cpu == Cpu::Once { last } else { *n };
                let row = self.on_cpu(n)?;
                versus = row.figures.wall_ms_median.map(|ms| (n, ms));
                rows.push(row)?;
            }
            rows.announce(&line.name);
            let (job, change) = self.job(line, *n)?;
            let expected = rung::expected(&self.host, Op::Sum, *n)?;
            let mut row = self.labelled(line, *n, self.context.row(job, &self.data, *n, &expected)?);
            // End to end, as the documents count.
            let versus = versus.filter(|(of, _)| of == n).zip(row.figures.wall_ms_median);
            row.figures.versus_cpu = versus.map(|((_, cpu), gpu)| cpu / gpu);
            let remarks: Vec<_> =
                self.changed.iter().cloned().chain(change).chain(row.reason.take()).collect();
            row.reason = (!remarks.is_empty()).then(|| remarks.join("; "));
            rows.push(row)?;
        }
        Ok(rows.finish(self.context))
    }

    fn labelled(&self, line: &Line, n: u64, mut row: Row) -> Row {
        let is_by_length = self.preset.cpu == Cpu::EveryLength;
        row.what.preset = Some(self.preset.name.clone());
        row.what.row = Some(if is_by_length { table::power(n) } else { line.name.clone() });
        row.figures.published_ms = line.published_ms.filter(|_| n == line.n);
        row.figures.published_gb_s = line.published_gb_s.filter(|_| n == line.n);
        row
    }

    /// A line's kernel with the largest workgroup up to the document's that this adapter runs, and a word if it is smaller.
    fn job(&self, line: &Line, n: u64) -> Result<(Job, Option<String>), Failure> {
        let gpu = self.context.gpu;
        let requested = self.options.workgroup.or(line.workgroup).unwrap_or(self.preset.workgroup);
        let rung = Rung::named(&line.rung).map_err(Failure::usage)?;
        let mut job = rung::job(rung, Op::Sum, self.host.element, &gpu.device.limits(), n)?;
        let tuning = job.tuning.with_workgroup_size(requested);
        job.tuning = Tuning {
            max_workgroups: line.grid.unwrap_or(tuning.max_workgroups),
            tile: line.tile.unwrap_or(tuning.tile),
            leave: line.leave,
            ..tuning
        };
        job.finish = line.finish;
        if self.options.workgroup.is_some() {
            job = rung::with_checked_workgroup(gpu, job)?;
        }
        while rung::is_too_large(gpu, &job) && job.tuning.workgroup_size > 1 {
            job.tuning = job.tuning.with_workgroup_size(job.tuning.workgroup_size / 2);
        }
        let size = job.tuning.workgroup_size;
        let change = format!("a workgroup of {requested} is too large here: ran with {size}");
        Ok((job, (size != requested).then_some(change)))
    }

    fn on_cpu(&self, n: u64) -> Result<Row, Failure> {
        let (job, _) = self.job(&self.preset.rows[0], n)?;
        let expected = rung::expected(&self.host, Op::Sum, n)?;
        let blank = Row::<LadderWork>::blank(&job, n, &self.context.gpu.info);
        let work =
            cpu::Work { op: job.op, element: job.element, bytes: self.host.first(n), all_threads: false };
        let mut row = cpu::row(blank, work, &expected, CPU_BUDGET);
        row.what.preset = Some(self.preset.name.clone());
        row.what.row = Some("CPU".to_owned());
        Ok(row)
    }
}

/// Returns `named` if the adapter supports it, otherwise its 32-bit counterpart and a remark about the change.
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

impl Preset {
    /// Returns a row's published time: end to end if `whole` is true, otherwise of the kernel alone. `None` if unpublished.
    pub fn published_ms(&'static self, row: &Row, whole: bool) -> Option<f64> {
        let line = self.rows.iter().find(|line| Some(line.name.as_str()) == row.what.row.as_deref())?;
        match line.published_end_to_end {
            Some((ms, _)) if whole => row.figures.published_ms.map(|_| ms),
            _ => row.figures.published_ms.filter(|_| line.published_is_whole == whole),
        }
    }

    pub fn extra_columns(&'static self) -> Vec<Column<Row>> {
        let speedup = |row: &Row| {
            let line = self.rows.iter().find(|line| Some(line.name.as_str()) == row.what.row.as_deref())?;
            line.published_end_to_end.filter(|_| row.what.n == line.n).map(|(_, speedup)| speedup)
        };
        let versus = if self.cpu == Cpu::Nothing { 0 } else { 6 };
        vec![
            Column::number("published end to end", |row: &Row| table::time(self.published_ms(row, true))),
            Column::number("vs CPU", |row: &Row| table::times(row.figures.versus_cpu)).with_width(versus),
            Column::number("published vs CPU", move |row: &Row| table::times(speedup(row))),
        ]
    }
}
