//! `halofold-mpi reduce`: each rank reduces its part of a file, and MPI merges what they found.
//!
//! Every piece of a part leaves a state on the GPU, the host merges states by adding or comparing their words, and MPI does the same
//! with the words of all ranks. Nothing is rounded before the end, so it does not matter how a file is cut.

mod pieces;
mod rule;

use halofold::reduce::Op;
use halofold::{Element, Value};
use halofold_files::{Source, Stored};
use halofold_mpi::{Gpu, Ranks};

use crate::Failure;
use pieces::Pieces;
use rule::{OPS, Rule};

/// What `halofold-mpi reduce` takes.
#[derive(clap::Args)]
pub struct ReduceArgs {
    /// The files, which all ranks can read: .npy arrays, or with --raw bare elements.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The files hold bare little-endian elements: u32, i32, f32, f64, i64, u64, f16, u16, i16, u8, i8 or bool.
    #[arg(long, value_name = "TYPE")]
    raw: Option<Stored>,
    /// What to compute: sum, mean, dot, min or max.
    ///
    /// Sums, means and dot products of floats are exact and rounded once, so their bits do not depend on the number of ranks. Sums of
    /// integers of up to 32 bits are 64 bits wide, those of 64 bits wrap, as in NumPy.
    #[arg(long, value_name = "OP", default_value = "sum")]
    op: Op,
    /// The second input of dot: a file like FILE, of the same type and number of elements.
    #[arg(long, value_name = "FILE")]
    with: Option<String>,
    /// Read files in pieces of at most this many bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20, value_parser = clap::value_parser!(u64).range(8..=1 << 30))]
    piece: u64,
}

/// A file, or two that go together.
struct Work {
    sources: Vec<Source>,
    rule: Rule,
    element: Element,
    /// Elements in all.
    n: u64,
}

/// Runs the subcommand.
pub fn run(args: &ReduceArgs, ranks: &Ranks) -> Result<(), Failure> {
    let work = args.files.iter().map(|path| look(path, args)).collect::<Result<Vec<_>, _>>();
    let work = ranks.agree(work);
    for work in &work {
        let name = work.sources[0].name();
        let is_same = ranks.is_same(work.n) && ranks.is_same(work.element as u64);
        ranks.agree(if is_same { Ok(()) } else { Err(format!("{name}: is not the same file on all ranks")) });
    }
    let gpu = ranks.agree(Gpu::open(ranks));
    let mut lines = String::new();
    for work in work {
        lines += &reduce(work, args, &gpu, ranks)?;
    }
    if ranks.is_first() {
        print!("{lines}");
    }
    Ok(())
}

/// Opens a file and checks what can be known without reading it.
fn look(path: &String, args: &ReduceArgs) -> Result<Work, String> {
    let is_dot = args.op == Op::Dot;
    if is_dot != args.with.is_some() || is_dot && args.files.len() != 1 {
        return Err("--op dot takes two inputs, FILE and --with FILE, and nothing else takes two".to_owned());
    }
    let open = |path: &String| {
        let source = Source::open_widening(path, args.raw).map_err(|error| error.with_raw_hint())?;
        match source.len() {
            Some(len) if path != "-" => Ok((source, len)),
            _ => Err(format!("{path}: ranks read parts of files, not streams")),
        }
    };
    let (first, n) = open(path)?;
    let element = first.element();
    let Some(rule) = Rule::of(args.op, element) else {
        return Err(format!("{path}: `{}` of {element} over ranks: there are {OPS}", args.op));
    };
    let mut sources = vec![first];
    if let Some(with) = &args.with {
        let (second, others) = open(with)?;
        if (second.stored(), others) != (sources[0].stored(), n) {
            return Err(format!(
                "--with {with}: {others} elements of {}, and {path} has {n} of {element}",
                second.stored()
            ));
        }
        sources.push(second);
    }
    Ok(Work { sources, rule, element, n })
}

/// Reduces a file: the line that is printed.
fn reduce(work: Work, args: &ReduceArgs, gpu: &Gpu, ranks: &Ranks) -> Result<String, Failure> {
    let Work { sources, rule, element, n } = work;
    let (name, stored) = (sources[0].name().to_owned(), sources[0].stored());
    let part = ranks.part(n);
    let mut sources =
        sources.into_iter().map(|source| source.part(part.clone())).collect::<Result<Vec<_>, _>>()?;
    let largest = args.piece.min(gpu.device.limits().max_buffer_size) / 8 * 8;
    let size = largest.min((part.end - part.start) * element.size()).next_multiple_of(8).max(8);
    let mut pieces = ranks.agree(Pieces::new(gpu, rule, element, sources.len(), size));
    let mut host = vec![vec![0; size as usize]; sources.len()];
    let mut words = rule.nothing();
    let mut is_busy = false;
    loop {
        // The next piece is read while the GPU reduces the one before.
        let mut len = 0;
        for (source, bytes) in sources.iter_mut().zip(&mut host) {
            len = source.read(bytes)? * element.size() as usize;
        }
        if is_busy {
            rule.merge.merge(&mut words, &rule.words(&pieces.state()?));
        }
        if len == 0 {
            break;
        }
        pieces.submit(&host.iter().map(|bytes| &bytes[..len]).collect::<Vec<_>>())?;
        is_busy = true;
    }
    let value = rule.finish(rule.merge.all(ranks, &words), n);
    Ok(format!("{name}  {}  {stored}  {n}  {}\n", args.op, value.map_or("-".to_owned(), show)))
}

/// The fewest digits that mean this value and no other; of a float its bits, too.
fn show(value: Value) -> String {
    match value {
        Value::F32(x) => format!("{x:?}  {:#010x}", x.to_bits()),
        Value::F64(x) => format!("{x:?}  {:#018x}", x.to_bits()),
        integer => integer.to_string(),
    }
}
