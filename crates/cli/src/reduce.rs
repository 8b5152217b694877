//! `halofold reduce`: reductions of data files.
//!
//! Arguments are checked against the files' headers. Then each file is loaded into GPU memory line by line, where a line is the elements of
//! one result. Reductions write a state per line, which the library's merger finishes. Order statistics and custom operators are one
//! call each. A file larger than a buffer is reduced in chunks, and their states are merged.

pub(crate) mod args;
pub(crate) mod block;
pub(crate) mod geometry;
mod labels;
mod nested;
pub(crate) mod op;
mod own;
pub(crate) mod parts;
mod ranks;
mod request;
pub(crate) mod results;
pub(crate) mod rows;
mod save;
pub(crate) mod states;
pub(crate) mod verify;

use std::path::Path;
use std::time::Instant;

use halofold::Value;
use halofold::rank::Method;
use halofold::reduce::{Accuracy, Op, Scalar};

pub use self::args::ReduceArgs;
use crate::failure::Failure;
use crate::files::{STANDARD_INPUT, Source, Stored};
use crate::gpu::Gpu;
use crate::output::ms_since;
use crate::progress;
use crate::transport::{Transport, refuse_stream};
use block::{Block, Inputs};
use geometry::{Chunk, Geometry};
use labels::Labels;
use op::{Kind, Operator};
use own::Own;
use parts::Part;
use ranks::Quantile;
use results::Results;
use rows::{About, Row};
use save::Outputs;
use states::{Kernels, States};
use verify::Check;

const QUARTILES: [f64; 3] = [0.25, 0.5, 0.75];

const USUAL_K: u32 = 10;

/// Bytes of a chunk, for a file larger than a buffer.
pub(crate) const CHUNK: u64 = 1 << 30;

/// Bytes of exact states above which lines are added without exact states, if they also exceed a quarter of the elements.
const MOST_STATES: u64 = 1 << 20;

/// Runs the subcommand in one process of a transport, on the GPU that `open` opens.
pub fn run(
    args: &ReduceArgs,
    transport: &impl Transport,
    open: impl FnOnce() -> Result<Gpu, Failure>,
) -> Result<(), Failure> {
    let checked = request::check(args).and_then(|()| {
        let own = args.wgsl.as_deref().map(|path| Own::read(path, args.with.is_some())).transpose()?;
        Ok((own, Outputs::reserve(args, transport.is_first())?))
    });
    let (own, mut outputs) = transport.agree(checked)?;
    let gpu = transport.agree(open())?;
    let rows =
        reduced(args, &gpu, gpu.device.limits().max_buffer_size, (own.as_ref(), &mut outputs), transport)?;
    outputs.write()?;
    rows::deliver(&rows.0, args).and(rows.1)
}

/// Reduces all files on a GPU whose buffers have `room` bytes. With several files, an error is reported at once and the others are
/// still reduced; the second result is then a failure.
fn reduced(
    args: &ReduceArgs,
    gpu: &Gpu,
    room: u64,
    (own, outputs): (Option<&Own>, &mut Outputs),
    transport: &impl Transport,
) -> Result<(Vec<Row>, Result<(), Failure>), Failure> {
    let mut kernels = Kernels::new(gpu);
    let goes_on = args.files.len() > 1 && transport.is_alone();
    let (mut rows, mut read) = (Vec::new(), Ok(()));
    for path in &args.files {
        let opened = match path == Path::new(STANDARD_INPUT) && !transport.is_alone() {
            true => Err(refuse_stream("standard input")),
            false => File::open(args, path),
        };
        let opened = if transport.is_alone() { opened } else { transport.agree(opened) };
        let reduced = opened.and_then(|file| file.reduce(own, &mut kernels, gpu, room, transport));
        let (file, all) = match transport.agree(reduced) {
            Err(failure @ Failure::Usage(_)) if goes_on => {
                failure.report();
                read = Err(Failure::Reported);
                continue;
            }
            reduced => reduced?,
        };
        if transport.is_first() {
            outputs.add(args, path, &file.labels, &all)?;
            rows.extend(file.rows(gpu, &all));
        }
    }
    Ok((rows, read))
}

/// Checks that all processes have opened the same file and add in the same way, as the first process decides.
fn alike(transport: &impl Transport, file: &Source, accuracy: Accuracy) -> Result<(), Failure> {
    let own = format!("{:?}", (file.stored(), file.shape(), file.is_fortran(), accuracy));
    let all = transport.gather(own.as_bytes()).unwrap_or_default();
    let are_alike = all.iter().all(|other| other == own.as_bytes());
    let other =
        || refusal!("{}: is not the same file on all ranks, or their adapters lack its type", file.name());
    transport.agree(if are_alike { Ok(()) } else { Err(other()) })
}

struct File<'a> {
    args: &'a ReduceArgs,
    first: Source,
    second: Option<Source>,
    mask: Option<Source>,
    labels: Option<Labels>,
    geometry: Geometry,
    start: Instant,
}

impl<'a> File<'a> {
    fn open(args: &'a ReduceArgs, path: &Path) -> Result<Self, Failure> {
        let start = Instant::now();
        let open = |path: &Path, is_bare: bool| {
            let bare = args.raw.bare().filter(|_| is_bare);
            Source::open(path, bare.as_ref()).map_err(Failure::usage)
        };
        let first = open(path, true)?;
        let beside = |path: &Option<_>, is_bare| path.as_deref().map(|path| open(path, is_bare)).transpose();
        let (second, mask) = (beside(&args.with, true)?, beside(&args.mask, false)?);
        request::check_beside(&first, second.as_ref(), mask.as_ref())?;
        let labels = beside(&args.by, false)?;
        let all = [Some(&first), second.as_ref(), mask.as_ref(), labels.as_ref()];
        let is_reversed = all.into_iter().flatten().any(Source::reverses);
        let geometry = Geometry::new(&first, args.axis.as_deref(), args.keepdims, is_reversed);
        let geometry = geometry.map_err(|why| refusal!("{}: {why}", first.name()))?;
        let labels = labels.map(|labels| Labels::load(&labels, &first, &geometry)).transpose()?;
        let groups = labels.as_ref().map_or(1, |labels| labels.keys.len() as u64);
        request::check_results(args, &first, &geometry, groups)?;
        Ok(File { args, first, second, mask, labels, geometry, start })
    }

    fn skips_nan(&self) -> bool {
        self.args.skip_nan || self.args.op.iter().any(|operator| operator.skips_nan)
    }

    fn lines(&self) -> usize {
        self.geometry.rows as usize * self.labels.as_ref().map_or(1, |labels| labels.keys.len())
    }

    /// Reduces this process's share of the file by all operators.
    fn reduce(
        self,
        own: Option<&Own>,
        kernels: &mut Kernels<'_>,
        gpu: &Gpu,
        room: u64,
        transport: &impl Transport,
    ) -> Result<(Self, Vec<(usize, Results)>), Failure> {
        let (args, element) = (self.args, self.first.element());
        let operators = if own.is_some() { &[][..] } else { &args.op[..] };
        let reductions: Vec<_> = operators.iter().filter_map(|operator| operator.kind.reduction()).collect();
        let accuracy = self.accuracy(&reductions, gpu);
        let reductions: Vec<_> =
            reductions.into_iter().map(|op| (op, parts::of(op, element, accuracy))).collect();
        let has_states = own.is_none() && reductions.len() == operators.len() && self.labels.is_none();
        let begun = kernels.begin(&reductions, self.first.stored(), args.verify);
        let begun = begun.and_then(|all| Ok((all, self.chunks(room, has_states, transport)?)));
        let (mut all, chunks) = transport.agree(begun)?;
        alike(transport, &self.first, accuracy)?;
        let bar = progress::bytes(if args.quiet { 0 } else { self.first.bytes() });
        let mut found = Vec::new();
        let inputs = Inputs {
            first: &self.first,
            second: self.second.as_ref(),
            mask: self.mask.as_ref(),
            labels: self.labels.as_ref(),
            skips_nan: self.skips_nan(),
            is_kept: args.verify,
        };
        let reduced = chunks.iter().try_for_each(|chunk| {
            let block = gpu.attempt(|| inputs.load(gpu, &self.geometry, chunk))?;
            kernels.add(&mut all, &block, chunk.before)?;
            if let Some(own) = own {
                found.push((0, self.own(own, gpu, &block)?));
            }
            for (number, operator) in operators.iter().enumerate() {
                let results = self.ranked(*operator, gpu, &block)?;
                found.extend(results.into_iter().map(|results| (number, results)));
            }
            bar.inc(chunk.rows * chunk.len * element.size());
            Ok(())
        });
        transport.agree(reduced)?;
        bar.finish_and_clear();
        gather(&mut all, transport)?;
        if !transport.is_first() {
            return Ok((self, Vec::new()));
        }
        let mut reductions = reductions.into_iter();
        for (number, operator) in operators.iter().enumerate() {
            if operator.kind.reduction().is_some()
                && let Some((op, parts)) = reductions.next()
            {
                found.push((number, self.finished(operator.kind, (op, parts), &all)?));
            }
        }
        found.sort_by_key(|(number, _)| *number);
        Ok((self, found))
    }

    /// Returns the accuracy of states: exact, unless states are much larger than the elements.
    fn accuracy(&self, reductions: &[Op], gpu: &Gpu) -> Accuracy {
        let element = self.first.element();
        let states =
            reductions.iter().map(|op| parts::state_bytes(*op, element, Accuracy::Exact)).max().unwrap_or(0);
        let is_worth = self.lines() as u64 * states <= MOST_STATES.max(self.first.bytes() / 4);
        // Exact sums of floats use integers that every adapter has.
        let lacks = !gpu.device.features().contains(element.feature());
        let is_exact = !self.args.fast && (is_worth || self.args.exact || lacks);
        if is_exact { Accuracy::Exact } else { Accuracy::Fast }
    }

    /// Returns the chunks that this process loads: one, if the file fits a buffer.
    fn chunks(&self, room: u64, has_states: bool, transport: &impl Transport) -> Result<Vec<Chunk>, Failure> {
        let (size, bytes) = (self.first.element().size(), self.first.bytes());
        let refused = |needed: u64| {
            let name = self.first.name();
            refusal!(
                "{name}: this needs {needed} bytes in one buffer, and this adapter's hold {room}; reduce along another axis, or split the array"
            )
        };
        let [rank, ranks] = transport.place();
        let fits = bytes <= room.min(u64::from(u32::MAX) * size);
        if !has_states && !transport.is_alone() {
            return Err(Failure::usage(
                "ranks cannot share median, quantile, top, --by or --wgsl; use halofold",
            ));
        }
        if !has_states && !fits {
            return Err(refused(bytes));
        }
        let cut = |bytes: u64| self.geometry.chunks(bytes / size).map_err(|needed| refused(needed * size));
        // Where layers are large, some ranks have none.
        let chunks = match fits {
            true => cut(bytes.div_ceil(ranks as u64).max(size)).or_else(|_| cut(bytes))?,
            false => cut(room.min(CHUNK))?,
        };
        Ok(chunks.into_iter().skip(rank).step_by(ranks).collect())
    }

    fn finished(&self, kind: Kind, (op, parts): (Op, Vec<Part>), all: &[States]) -> Result<Results, Failure> {
        let stored = self.first.stored();
        let states: Vec<_> = parts.iter().map(|part| states::of_part(all, *part)).collect();
        let found = states::finished((op, self.args.ddof.unwrap_or(0)), stored, &states, self.lines())?;
        let (mut values, counts): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if kind == Kind::Count {
            values = counts.iter().map(|n| Some(Scalar::One(Value::Unsigned(*n)))).collect();
        }
        let mut check = states[0].check.clone();
        states[1..].iter().for_each(|states| check.worsen(states.check.clone()));
        let ms = states.iter().map(|states| states.gpu_ms).try_fold(0.0, |all, ms| Some(all + ms?));
        let (values, dtype) = match kind {
            Kind::PeakToPeak => (
                values.into_iter().map(|value| value.map(parts::peak_to_peak)).collect(),
                op::dtype(Op::Min, stored),
            ),
            _ => (values, op::dtype(op, stored)),
        };
        let is_ranges = kind == Kind::Reduction(Op::MinMax);
        let is_exact = parts.iter().all(|part| part.accuracy == Accuracy::Exact);
        Ok(Results {
            values,
            counts,
            gpu_ms: ms,
            check,
            is_exact,
            is_ranges,
            ..self.results(kind.name(), vec![dtype])
        })
    }

    fn ranked(&self, operator: Operator, gpu: &Gpu, block: &Block) -> Result<Vec<Results>, Failure> {
        let (args, stored) = (self.args, self.first.stored());
        let method = args.method.unwrap_or_default();
        let quantiles: Vec<Quantile> = match operator.kind {
            Kind::Median => vec![Quantile { q: None, method: Method::Linear }],
            Kind::Percentile(percent) => vec![Quantile { q: Some(percent / 100.0), method }],
            Kind::Quantiles => {
                let all = args.quantiles.as_deref().unwrap_or(&QUARTILES).iter();
                all.map(|q| Quantile { q: Some(*q), method }).collect()
            }
            Kind::Top => return Ok(vec![self.top(gpu, block)?]),
            _ => return Ok(Vec::new()),
        };
        let found = ranks::quantiles(gpu, block, stored, &quantiles, self.lines())?;
        let results = quantiles.into_iter().zip(found).map(|(quantile, values)| Results {
            q: quantile.q.filter(|_| operator.kind == Kind::Quantiles),
            values,
            counts: block.lines.counts(self.lines()),
            ..self.results(operator.kind.name(), vec![quantile.dtype(stored)])
        });
        Ok(results.collect())
    }

    fn top(&self, gpu: &Gpu, block: &Block) -> Result<Results, Failure> {
        let requested = (self.args.k.unwrap_or(USUAL_K), self.args.smallest);
        let found = ranks::top(gpu, block, requested, self.lines())?;
        let longest = found.iter().map(Vec::len).max().unwrap_or(0);
        // Arrays have `k` elements per line, even if elements are left out.
        let least = self.geometry.axes.as_ref().map_or(0, |_| self.geometry.len.min(requested.0.into()));
        let several = longest.max(least as usize);
        let padded = found.into_iter().flat_map(|line| {
            let missing = several - line.len();
            line.into_iter().map(Some).chain(std::iter::repeat_n(None, missing))
        });
        let dtype = op::dtype(Op::Min, self.first.stored());
        Ok(Results {
            several: Some(several),
            values: padded.collect(),
            counts: block.lines.counts(self.lines()),
            ..self.results("top".to_owned(), vec![dtype])
        })
    }

    fn own(&self, own: &Own, gpu: &Gpu, block: &Block) -> Result<Results, Failure> {
        let dtypes = own.dtypes(block.element)?;
        let (found, gpu_ms) = own.results(gpu, block, self.lines())?;
        let several = Some(dtypes.len()).filter(|several| *several != 1);
        let values =
            found.into_iter().flat_map(|line| if line.is_empty() { vec![None; dtypes.len()] } else { line });
        Ok(Results {
            several,
            values: values.collect(),
            counts: block.lines.counts(self.lines()),
            gpu_ms,
            ..self.results(own.name.clone(), dtypes)
        })
    }

    fn results(&self, name: String, dtypes: Vec<Stored>) -> Results {
        let groups = self.labels.as_ref().map(|labels| labels.keys.len() as u64);
        Results {
            name,
            q: None,
            shape: groups.into_iter().chain(self.geometry.shape.iter().copied()).collect(),
            several: None,
            values: Vec::new(),
            dtypes,
            is_exact: false,
            is_ranges: false,
            counts: Vec::new(),
            gpu_ms: None,
            check: Check::Unchecked,
        }
    }

    fn rows(&self, gpu: &Gpu, all: &[(usize, Results)]) -> Vec<Row> {
        let is_left_out = (self.skips_nan() || self.mask.is_some()) && self.labels.is_none();
        let about = About {
            keys: self.labels.as_ref().map(|labels| &labels.keys[..]),
            axes: self.geometry.axes.as_deref(),
            output: self.args.output.as_deref().map(|path| path.display().to_string()),
            is_left_out,
        };
        let row = Row {
            file: self.first.name().to_owned(),
            element: self.first.stored().name(),
            n: self.first.len(),
            wall_ms: ms_since(self.start),
            adapter: gpu.info.name.clone(),
            ..Row::default()
        };
        all.iter().flat_map(|(_, results)| row.of(&about, results)).collect()
    }
}

fn gather(all: &mut [States], transport: &impl Transport) -> Result<(), Failure> {
    if transport.is_alone() {
        return Ok(());
    }
    for states in all {
        let own = transport.agree(states.to_bytes())?;
        let added = transport
            .gather(&own)
            .map_or(Ok(()), |all| all[1..].iter().try_for_each(|bytes| states.add_bytes(bytes)));
        transport.agree(added)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::files::tests::floats_on_disk;
    use crate::gpu::AdapterArgs;
    use crate::transport::Alone;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ReduceArgs,
    }

    fn values(words: &str, room: u64) -> Result<Vec<String>, String> {
        let args = Line::parse_from(["reduce"].into_iter().chain(words.split_whitespace())).args;
        let gpu = AdapterArgs::default().open().unwrap_or_else(|why| panic!("{why}"));
        let mut outputs = Outputs::reserve(&args, true).unwrap_or_else(|why| panic!("{why}"));
        let found = reduced(&args, &gpu, room, (None, &mut outputs), &Alone).map_err(|why| why.to_string());
        let rows = found?.0;
        Ok(rows.iter().map(|row| serde_json::to_string(&(&row.values, row.check.name())).unwrap()).collect())
    }

    #[test]
    fn chunks_of_a_file_make_the_same_results() {
        for (shape, axis) in [
            (&[30_000][..], ""),
            (&[60, 500], "--axis 0"),
            (&[60, 500], "--axis 1"),
            (&[60, 50, 10], "--axis 0,2"),
        ] {
            let file = floats_on_disk(shape, false);
            let request = format!(
                "{} {axis} --op sum,mean,std,min-max,arg-max,arg-min --verify",
                file.path().display()
            );
            let whole = values(&request, 1 << 30).unwrap();
            assert_eq!(values(&request, 16_000).unwrap(), whole, "{axis}");
            assert!(whole.iter().all(|row| row.ends_with("\"verified\"]")), "{whole:?}");
        }
        let file = floats_on_disk(&[60, 500], true);
        for (request, why) in [
            ("--axis 0", "120000 bytes"),
            ("--op median", "120000 bytes"),
            ("--axis 1 --op top", "hold 16000"),
        ] {
            let request = format!("{} {request}", file.path().display());
            assert!(values(&request, 16_000).unwrap_err().contains(why), "{request}");
        }
    }
}
