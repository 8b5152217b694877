//! The documents' own tables, replayed: each at its own length, type, workgroup and finish.
//!
//! Where an adapter allows less, the row runs with what is allowed and says so.

use std::sync::atomic::Ordering;
use std::time::Duration;

use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::{Op, ReduceError};
use halofold::{Element, adapter};
use halofold_measure::{Dataset, Host, Inputs, Job, LadderWork};

use crate::cpu;
use crate::failure::Failure;
use crate::progress;
use crate::reserved;
use crate::row::{self, Row, compare_steps};
use crate::rung::{self, RunContext};
use crate::table::{self, Column, number};

/// A document's table.
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// The document, in a line.
    pub title: &'static str,
    /// What a reader of the table should know.
    pub note: &'static str,
    element: Element,
    workgroup: u32,
    cpu: Cpu,
    rows: &'static [Line],
}

/// How long a CPU row may take.
const CPU_BUDGET: Duration = Duration::from_millis(300);

/// What stands beside the GPU's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cpu {
    Nothing,
    /// One row for the whole table; the GPU's rows show how many times as fast they are.
    Once,
    /// One row for every length.
    EveryLength,
}

/// One row of a document.
struct Line {
    name: &'static str,
    rung: &'static str,
    finish: Finish,
    n: u64,
    /// Differences from the usual tuning.
    workgroup: Option<u32>,
    tile: Option<u32>,
    grid: Option<u32>,
    leave: u32,
    published_ms: Option<f64>,
    published_gb_s: Option<f64>,
    /// What the OpenCL tutorial calls t_gpu and speed-up.
    published_end_to_end: Option<(f64, f64)>,
    /// Whether `published_ms` spans the way to the host and its sum too.
    published_is_whole: bool,
}

const fn line(name: &'static str, rung: &'static str, finish: Finish, n: u64) -> Line {
    Line {
        name,
        rung,
        finish,
        n,
        workgroup: None,
        tile: None,
        grid: None,
        leave: 1,
        published_ms: None,
        published_gb_s: None,
        published_end_to_end: None,
        published_is_whole: false,
    }
}

impl Line {
    const fn published(self, ms: f64, gb_s: f64) -> Self {
        Line { published_ms: Some(ms), published_gb_s: Some(gb_s), ..self }
    }

    const fn published_whole(self, ms: f64, gb_s: f64) -> Self {
        Line { published_is_whole: true, ..self.published(ms, gb_s) }
    }

    const fn end_to_end(self, kernel_ms: f64, total_ms: f64, speedup: f64) -> Self {
        Line { published_ms: Some(kernel_ms), published_end_to_end: Some((total_ms, speedup)), ..self }
    }

    const fn bandwidth(self, gb_s: f64) -> Self {
        Line { published_gb_s: Some(gb_s), ..self }
    }

    const fn shape(self, workgroup: u32, tile: u32) -> Self {
        Line { workgroup: Some(workgroup), tile: Some(tile), ..self }
    }

    const fn threads(self, workgroup: u32) -> Self {
        Line { workgroup: Some(workgroup), ..self }
    }

    const fn grid(self, groups: u32) -> Self {
        Line { grid: Some(groups), ..self }
    }

    const fn leave(self, leave: u32) -> Self {
        Line { leave, ..self }
    }
}

use Finish::{Atomic, Host as OnHost, OneWorkgroup, Repeat};

const TGA_N: u64 = 1 << 24;
const CSC_N: u64 = 4 << 20;
const OPENCL_N: u64 = 33_554_432;

static PRESETS: [Preset; 4] = [
    Preset {
        name: "tga",
        title: "tga: Sesión 3, Reducciones: kernels 01 to 07, f64, 2^24 elements, 512 threads",
        note: "Published: kernel 01 only, on an unnamed GPU; its time spans the kernel, the copy to the host and the sum there, \
               like `end to end`. Its 8.990 GB/s counts four bytes an element although the elements have eight; the GB/s \
               measured here count eight.",
        element: Element::F64,
        workgroup: 512,
        cpu: Cpu::Nothing,
        rows: &[
            line("01", "interleaved-modulo", OnHost, TGA_N).published_whole(7.464704, 8.990),
            line("02", "interleaved-modulo", Repeat, TGA_N).leave(64),
            line("03", "interleaved-strided", Repeat, TGA_N).leave(64),
            line("04", "sequential", Repeat, TGA_N).leave(64),
            line("05", "first-add", Repeat, TGA_N).leave(64),
            line("06", "unrolled-last", Repeat, TGA_N).leave(64),
            line("07", "grid-stride", OnHost, TGA_N).grid(2048),
        ],
    },
    Preset {
        name: "csc367",
        title: "csc367: Parallel Programming, Reduction + Shuffle: attempts 1 to 7 and after, i32, 4 Mi elements, 128 threads",
        note: "Published: on an unnamed older GPU; for 32 Mi elements a bandwidth only. The rows after 7 have the block \
               reduce's 512 threads and at most 1024 blocks; no time was published for them.",
        element: Element::I32,
        workgroup: 128,
        cpu: Cpu::Nothing,
        rows: &[
            line("1", "interleaved-modulo", Repeat, CSC_N).published(8.054, 2.083),
            line("2", "interleaved-strided", Repeat, CSC_N).published(3.456, 4.854),
            line("3", "sequential", Repeat, CSC_N).published(1.722, 9.741),
            line("4", "first-add", Repeat, CSC_N).published(0.965, 17.377),
            line("5", "unrolled-last", Repeat, CSC_N).published(0.536, 31.289),
            line("6", "unrolled-full", Repeat, CSC_N).published(0.381, 43.996),
            line("7", "grid-stride", Repeat, CSC_N).published(0.268, 62.671),
            line("7 (32 Mi)", "grid-stride", Repeat, 8 * CSC_N).bandwidth(73.0),
            line("shuffle", "subgroup-shuffle", OneWorkgroup, CSC_N).threads(512).grid(1024),
            line("butterfly", "subgroup-butterfly", OneWorkgroup, CSC_N).threads(512).grid(1024),
            line("atomic per warp", "subgroup-atomic", Atomic, CSC_N).threads(512).grid(1024),
            line("atomic per block", "workgroup-atomic", Atomic, CSC_N).threads(512).grid(1024),
        ],
    },
    Preset {
        name: "exercise",
        title: "exercise: Reduction algorithm: one basic tree, i64, 1024 threads, the host adds the partial sums, beside one CPU thread",
        note: "Published: figure 1, a curve of both times by size without figures in the text.",
        element: Element::I64,
        workgroup: 1024,
        cpu: Cpu::EveryLength,
        rows: &[
            line("2^10", "interleaved-modulo-pair", OnHost, 1 << 10),
            line("2^12", "interleaved-modulo-pair", OnHost, 1 << 12),
            line("2^14", "interleaved-modulo-pair", OnHost, 1 << 14),
            line("2^16", "interleaved-modulo-pair", OnHost, 1 << 16),
            line("2^18", "interleaved-modulo-pair", OnHost, 1 << 18),
            line("2^20", "interleaved-modulo-pair", OnHost, 1 << 20),
            line("2^22", "interleaved-modulo-pair", OnHost, 1 << 22),
            line("2^24", "interleaved-modulo-pair", OnHost, 1 << 24),
        ],
    },
    Preset {
        name: "opencl",
        title: "opencl: OpenCL Tutorial, Part 2.1, Reduction: versions 0 to 6, i32, 33 554 432 elements, 64 or 128 threads",
        note: "Published on a GeForce GTX 260: time is its t kernel, end to end its t gpu (without the upload), vs CPU its speed-up over one \
               CPU thread. Versions 2 to 6 run until fewer than 1024 values are left, which the CPU adds; the tutorial's \
               bandwidths (versions 4 to 6) count half of the bytes read.",
        element: Element::I32,
        workgroup: 64,
        cpu: Cpu::Once,
        rows: &[
            line("0", "global-adjacent", OnHost, OPENCL_N).end_to_end(6.376, 7.682, 6.14),
            line("1", "global-halves", OnHost, OPENCL_N).end_to_end(4.088, 5.873, 7.93),
            line("2", "tile", Repeat, OPENCL_N).leave(1024).shape(64, 1024).end_to_end(5.239, 5.795, 8.65),
            line("3", "tile-two-loads", Repeat, OPENCL_N)
                .leave(1024)
                .shape(64, 1024)
                .end_to_end(2.019, 2.556, 18.19),
            line("4", "tile-unrolled", Repeat, OPENCL_N)
                .leave(1024)
                .shape(64, 1024)
                .end_to_end(1.820, 2.334, 19.87)
                .bandwidth(36.916),
            line("5", "tile-unrolled", Repeat, OPENCL_N)
                .leave(1024)
                .shape(128, 1024)
                .end_to_end(1.524, 2.102, 22.43)
                .bandwidth(44.0946),
            line("6", "tile-unrolled", Repeat, OPENCL_N)
                .leave(1024)
                .shape(128, 512)
                .end_to_end(1.236, 1.737, 27.07)
                .bandwidth(54.429),
        ],
    },
];

/// The preset of that name.
pub fn named(name: &str) -> Result<&'static Preset, Failure> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
        Failure::Usage(format!("unknown preset `{name}`; the presets are {}", names.join(", ")))
    })
}

/// What the command line changes about a preset.
pub struct Options {
    /// Another length, for every row.
    pub n: Option<u64>,
    /// Another element type.
    pub element: Option<Element>,
    /// Another workgroup size.
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
    let wanted = options.element.unwrap_or(preset.element);
    let (element, changed) = runnable_element(context, wanted)?;
    // Rows that differ by their length are one where all have the same.
    let is_kept = |line: &&Line| options.n.is_none() || line.n == preset.rows[0].n;
    let lines: Vec<_> = preset.rows.iter().filter(is_kept).collect();
    let lengths: Vec<u64> = lines.iter().map(|line| options.n.unwrap_or(line.n)).collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let fitting = gpu.largest(element.size());
    if longest > fitting {
        return Err(Failure::Usage(format!(
            "{longest} elements of {element}: the largest buffer of this adapter holds {fitting} (max_buffer_size); use a smaller --n"
        )));
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
        bar.set_message(progress::measuring(line.name, row::last_speed(&rows)));
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
fn runnable_element(context: &RunContext<'_>, wanted: Element) -> Result<(Element, Option<String>), Failure> {
    let lacks = |element: Element| element.feature() - context.gpu.device.features();
    if lacks(wanted).is_empty() {
        return Ok((wanted, None));
    }
    let nearest = match wanted {
        Element::I64 => Element::I32,
        Element::U64 => Element::U32,
        _ => Element::F32,
    };
    Ok((nearest, Some(format!("{wanted} needs {}: ran as {nearest}", adapter::feature_names(lacks(wanted))))))
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
    let wanted = options.workgroup.or(line.workgroup).unwrap_or(preset.workgroup);
    let mut job = job(line, host.element, wanted, n, &limits)?;
    if options.workgroup.is_some() {
        job = rung::with_checked_workgroup(context.gpu, job)?;
    }
    let features = context.gpu.device.features();
    while matches!(job.check(features, &limits), Err(ReduceError::Plan(_))) && job.tuning.workgroup_size > 1 {
        job.tuning = job.tuning.with_workgroup_size(job.tuning.workgroup_size / 2);
    }
    let expected = rung::expected(host, Op::Sum, n)?;
    let mut row = context.row(job, data, n, &expected)?;
    row.what.preset = Some(preset.name.to_owned());
    row.what.row = Some(if preset.cpu == Cpu::EveryLength { table::power(n) } else { line.name.to_owned() });
    let mut remarks: Vec<String> = changed.into_iter().collect();
    if job.tuning.workgroup_size != wanted {
        remarks.push(format!(
            "a workgroup of {wanted} is too large here: ran with {}",
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
    let rung = Rung::named(line.rung).map_err(Failure::usage)?;
    let mut job = rung::job(rung, Op::Sum, element, limits, n)?;
    let mut tuning = job.tuning.with_workgroup_size(workgroup);
    tuning.tile = line.tile.unwrap_or(tuning.tile);
    tuning.max_workgroups = line.grid.unwrap_or(tuning.max_workgroups);
    tuning.leave = line.leave;
    (job.tuning, job.finish) = (tuning, line.finish);
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
    row.what.preset = Some(preset.name.to_owned());
    row.what.row = Some("CPU".to_owned());
    Ok(row)
}

impl Preset {
    /// A row's published time, if it is of the kernel alone, or if it spans the whole way to the host.
    pub fn published_ms(&'static self, row: &Row, whole: bool) -> Option<f64> {
        let line = self.rows.iter().find(|line| Some(line.name) == row.what.row.as_deref())?;
        match line.published_end_to_end {
            Some((ms, _)) if whole => row.figures.published_ms.map(|_| ms),
            _ => row.figures.published_ms.filter(|_| line.published_is_whole == whole),
        }
    }

    /// Columns that only this document has.
    pub fn extra_columns(&'static self) -> Vec<Column> {
        let speedup = |row: &Row| {
            let line = self.rows.iter().find(|line| Some(line.name) == row.what.row.as_deref())?;
            line.published_end_to_end.filter(|_| row.what.n == line.n).map(|(_, speedup)| speedup)
        };
        vec![
            number("published end to end", |row| table::time(self.published_ms(row, true))),
            number("vs CPU", |row| table::times(row.figures.versus_cpu)),
            number("published vs CPU", move |row| table::times(speedup(row))),
        ]
    }
}
