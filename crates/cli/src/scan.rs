//! `halofold scan`: the results of all elements up to each, as an array in a file.

mod reference;

use std::io::Write as _;
use std::path::PathBuf;
use std::slice;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use halofold::reduce::{Accuracy, Monoid, Op};
use halofold::scan::{Outputs, Scan};
use halofold::{Compiled, Cut, Element, Options, wgpu};
use halofold_fleet::host::{narrowed, permuted};
use halofold_measure::significant;
use serde_json::json;

use crate::failure::Failure;
use crate::files::{BareArgs, Source, npy};
use crate::gpu::{self, AdapterArgs, Gpu};
use crate::output::ms_since;
use crate::progress;
use crate::reduce::block::{Block, Inputs};
use crate::reduce::geometry::{Chunk, Geometry};
use crate::reduce::parts::{self, Part};
use crate::reduce::rows::{self, Array, Row};
use crate::reduce::states::output_buffer;
use crate::reduce::verify::Check;
use crate::reduce::{CHUNK, op};
use crate::reserved::{Reserved, failure};
use reference::Reference;

/// Results that are converted at once.
const AT_ONCE: usize = 4096;

#[derive(clap::Args)]
#[command(after_help = crate::examples::SCAN)]
pub struct ScanArgs {
    /// File: a .npy array, an array of a .npz archive as FILE.npz:NAME (FILE.npz if it holds one), or bare elements with --raw; `-` is
    /// standard input.
    file: PathBuf,
    #[command(flatten)]
    raw: BareArgs,
    /// Operator.
    ///
    /// As NumPy's cumsum, cumprod, minimum.accumulate and maximum.accumulate. Sums and products of integers have 64 bits; 64-bit elements wrap.
    /// 16-bit floats give 32-bit results. Minima and maxima of integers keep the type. A NaN stays to the end of
    /// its line.
    #[arg(long, value_name = "OP", default_value = "sum", value_parser = PossibleValuesParser::new(["sum", "product", "min", "max"]).try_map(|name| name.parse::<Op>()), help_heading = "Scan")]
    op: Op,
    /// Exclude each element from its own result.
    ///
    /// The first sum is 0, the first product 1, the first minimum the largest number of the type, the first maximum the smallest; for floats
    /// infinite.
    #[arg(long, help_heading = "Scan")]
    exclusive: bool,
    /// Scan along an axis. A negative axis counts from the end.
    ///
    /// As NumPy's `axis=K`: the result has the array's shape. Without it, all elements are scanned in C order into one dimension.
    #[arg(long, value_name = "K", allow_hyphen_values = true, help_heading = "Scan")]
    axis: Option<i64>,
    /// Write the results as a .npy array.
    #[arg(short, long, value_name = "OUT.npy", help_heading = "Output")]
    output: PathBuf,
    /// Round each sum of 32-bit or 16-bit floats once: the same bits on every GPU.
    ///
    /// For 16-bit floats on GPUs that keep subnormals, which --verify checks.
    #[arg(long, help_heading = "Scan")]
    exact: bool,
    #[command(flatten)]
    adapter: AdapterArgs,
    /// Print one JSON array of {file, op, type, n, axis, shape, dtype, output, value, bits, index, gpu_ms, wall_ms, adapter}, as `halofold reduce` does.
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Print nothing.
    #[arg(short, long, conflicts_with = "json", help_heading = "Output")]
    quiet: bool,
    /// Check all results on the CPU; exit status 1 if one is wrong.
    ///
    /// The line ends in `verified`, `WRONG`, or `undecided` (a result overflows only in some orders).
    #[arg(long, help_heading = "Output")]
    verify: bool,
}

pub fn run(args: &ScanArgs) -> Result<(), Failure> {
    let start = Instant::now();
    npy::check_output("-o", &args.output)?;
    let source = Source::open(&args.file, args.raw.bare().as_ref()).map_err(Failure::usage)?;
    check(args, &source)?;
    let geometry = Geometry::new(&source, args.axis.as_ref().map(slice::from_ref), false, source.reverses());
    let geometry = geometry.map_err(|why| refusal!("{}: {why}", source.name()))?;
    let mut file = Reserved::open_apart("-o", &args.output, slice::from_ref(&args.file))?;
    let gpu = args.adapter.open()?;
    let dtype = op::dtype(args.op, source.stored());
    let shape = if args.axis.is_some() { source.shape().to_vec() } else { vec![source.len()] };
    let failed = |error| failure("-o", &args.output, &error);
    npy::write(file.file(), &dtype.descr(), &shape, false, &[]).map_err(failed)?;
    let mut scanner = Scanner::new(args, &source, &geometry, &gpu)?;
    scanner.run(|bytes| file.file().write_all(bytes).map_err(failed))?;
    let (check, gpu_ms) = (scanner.check, scanner.gpu_ms);
    file.finish()?;
    let axis = geometry.axes.as_deref().and_then(<[_]>::first);
    let array = Array {
        axis: axis.map_or(json!([]), |axis| json!(axis)),
        shape,
        dtype: dtype.numpy().to_owned(),
        output: Some(args.output.display().to_string()),
    };
    let row = Row {
        file: source.name().to_owned(),
        op: args.op.name().to_owned(),
        element: source.stored().name(),
        n: source.len(),
        array: Some(array),
        gpu_ms: gpu_ms.map(significant),
        wall_ms: ms_since(start),
        adapter: gpu.info.name.clone(),
        check,
        ..Row::default()
    };
    rows::deliver_array(row, args.json, args.quiet)
}

fn check(args: &ScanArgs, source: &Source) -> Result<(), Failure> {
    let (op, element, stored) = (args.op, source.element(), source.stored());
    let refused = |why: String| Err(refusal!("{}: {why}", source.name()));
    let rounds = element.is_float() && matches!(op, Op::Sum | Op::Product);
    if args.exact && !rounds {
        return refused(format!("`{op}` of {stored} rounds nothing as it is; leave out --exact"));
    }
    if args.exact && (op != Op::Sum || element == Element::F64) {
        return refused(format!("`{op}` of {stored} has no exact prefixes: sum of f32 and f16 has"));
    }
    Ok(())
}

struct Scanner<'a> {
    args: &'a ScanArgs,
    source: &'a Source,
    geometry: &'a Geometry,
    gpu: &'a Gpu,
    part: Part,
    monoid: Monoid,
    chunks: Vec<Chunk>,
    reference: Option<Reference>,
    check: Check,
    gpu_ms: Option<f64>,
}

impl<'a> Scanner<'a> {
    fn new(
        args: &'a ScanArgs,
        source: &'a Source,
        geometry: &'a Geometry,
        gpu: &'a Gpu,
    ) -> Result<Self, Failure> {
        let accuracy = if args.exact { Accuracy::Exact } else { Accuracy::Fast };
        // Integers of 32 bits have sums and products of their own.
        let part = parts::of(args.op, source.element(), accuracy)[0];
        let monoid = part.monoid().map_err(Failure::usage)?;
        let monoid = if args.exact { monoid.exact().unwrap_or(monoid) } else { monoid };
        let size = monoid.out_size().max(source.element().size());
        let room = gpu.device.limits().max_buffer_size / size;
        let fits = source.len() <= room.min(u32::MAX.into());
        let chunks = geometry.chunks(if fits { source.len() } else { room.min(CHUNK / size) });
        // Lines that all chunks have a part of would each have to go on.
        let chunks = chunks
            .ok()
            .filter(|chunks| chunks.len() == 1 || geometry.rows == 1 || chunks[0].rows < geometry.rows);
        let chunks = chunks.ok_or_else(|| {
            let (name, needed, room) = (source.name(), source.len() * size, room * size);
            refusal!(
                "{name}: the results need {needed} bytes in one buffer, and this adapter's hold {room}; scan along another axis, or split the array"
            )
        })?;
        let reference = args.verify.then(|| Reference::new(part, args.exclusive)).transpose()?;
        let check = if args.verify { Check::Right } else { Check::Unchecked };
        Ok(Scanner { args, source, geometry, gpu, part, monoid, chunks, reference, check, gpu_ms: Some(0.0) })
    }

    /// Scans chunk after chunk, and passes the results to `take` in the order of the file.
    fn run(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        let gpu = self.gpu;
        let missing = self.monoid.features() - gpu.device.features();
        let remedy = || gpu::instead(false, self.part.element, missing);
        let scan = Scan::new(self.monoid.clone());
        let scan = if self.args.exclusive { scan.exclusive() } else { scan };
        let continues = self.chunks.len() > 1 && self.geometry.rows == 1;
        let scan = if continues { scan.continuing() } else { scan };
        let on = || {
            Compiled::new(&gpu.device, scan.clone(), &Options::default())
                .map_err(|why| Failure::usage(format!("{}: {why}{}", self.source.name(), remedy())))
        };
        let operation = gpu.attempt(on)?;
        let state = output_buffer(gpu, scan.state_size());
        let inputs = Inputs::of(self.source, self.args.verify);
        let bar = progress::bytes(if self.args.quiet { 0 } else { self.source.bytes() });
        let mut depth = 0;
        for chunk in self.chunks.clone() {
            let block = gpu.attempt(|| inputs.load(gpu, self.geometry, &chunk))?;
            if block.lines.batches.is_empty() {
                continue;
            }
            let carried = Some(&state).filter(|_| continues);
            let (results, ms) =
                gpu.attempt(|| self.scanned(&operation, &block, (carried, chunk.before == 0)))?;
            self.gpu_ms = self.gpu_ms.zip(ms).map(|(all, ms)| all + ms);
            depth = if continues { depth } else { 0 } + scan.depth(chunk.len, &gpu.device.limits());
            if let Some(reference) = &mut self.reference {
                let check = reference.judge(&block, &results, (chunk.before == 0, depth));
                self.check.worsen(check);
            }
            take(&self.encoded(&chunk, results)?)?;
            bar.inc(block.lines.elements() * self.part.element.size());
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// The results of a block, line by line. They go on with the state that is `carried`, which begins with the first chunk.
    fn scanned(
        &self,
        operation: &Compiled<Scan>,
        block: &Block,
        (carried, is_first): (Option<&wgpu::Buffer>, bool),
    ) -> Result<(Vec<u8>, Option<f64>), Failure> {
        let gpu = self.gpu;
        let input = block.elements();
        let size = block.lines.elements() * self.monoid.out_size();
        let output = output_buffer(gpu, size.next_multiple_of(4));
        let is_one = self.geometry.rows == 1;
        let cut = if is_one { Cut::All } else { Cut::Rows(self.geometry.len.max(1)) };
        let prepared = match carried {
            None => vec![operation.of(input).cut(cut).bind(&output).map_err(Failure::usage)?],
            Some(state) => {
                let outputs = Outputs { prefixes: &output, state };
                let begin = is_first.then(|| operation.of(input).len(0).bind(outputs));
                let all = begin.into_iter().chain([operation.of(input).bind(outputs)]);
                all.collect::<Result<_, _>>().map_err(Failure::usage)?
            }
        };
        let record = |pass: &mut wgpu::ComputePass<'_>| {
            prepared.iter().for_each(|prepared| prepared.encode_in_pass(pass))
        };
        let (mut results, ms) = gpu.read_results("halofold scan", &output, record)?;
        results.truncate(size as usize);
        Ok((results, ms))
    }

    /// Results as elements of the file, in the places of their elements.
    fn encoded(&self, chunk: &Chunk, results: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let dtype = op::dtype(self.args.op, self.source.stored());
        let size = self.monoid.out_size() as usize;
        let bytes = match dtype.size() as usize {
            own if own == size => results,
            // Results of no elements may lie beyond a narrow type: its last number is there in their place.
            own => narrowed(&results, own, dtype.is_signed(), self.args.exclusive)
                .ok_or_else(|| Failure::usage(format!("a result does not fit {dtype}: the GPU is wrong")))?,
        };
        let Geometry { dims, order, .. } = self.geometry;
        if self.args.axis.is_none() || order.is_sorted() {
            return Ok(bytes);
        }
        let of = |axis: usize| if axis == 0 { chunk.layers.end - chunk.layers.start } else { dims[axis] };
        let lens: Vec<_> = order.iter().map(|axis| of(*axis) as usize).collect();
        let inverse: Vec<_> = (0..order.len())
            .map(|axis| order.iter().position(|other| *other == axis).unwrap_or(axis))
            .collect();
        Ok(permuted(bytes, dtype.size() as usize, &lens, &inverse))
    }
}
