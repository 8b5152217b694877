//! `halofold histogram`: the elements of a file in bins, with the counts and edges of `np.histogram`.
//!
//! Pieces take the road of `halofold reduce`: a histogram is one more operation that leaves a state of each piece, its counts, which
//! the host adds up in 64 bits. Elements of 8 and 16 bits are counted by their patterns, and NumPy's rule puts each pattern in a bin. Others
//! are counted between borders that the rule has beforehand; without a range a reduction finds it in a pass of its own.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

use halofold::Value;
use halofold::histogram::Keys;
use halofold::reduce::{Accuracy, Op, Scalar};
use serde::Serialize;

use super::edges::{Bins, Range};
use super::rule::{BinCount, Facts, Rule, between_quartiles, quartile_ranks};
use crate::count::counts;
use crate::failure::Failure;
use crate::files::{Bare, Stored};
use crate::gpu::{self, AnyAdapters};
use crate::keys;
use crate::passes::Passes;
use crate::reduce::file::Work;
use crate::reduce::totals::{OperatorResults, Wanted};

/// A file, and the bins to count its elements in.
#[derive(clap::Args)]
pub struct Request {
    /// The file: a .npy array, or with --raw bare elements; `-` is standard input.
    pub file: PathBuf,
    /// The number of bins, 1 to 65536, or NumPy's rule for it: auto, fd, sqrt, sturges, rice or scott.
    ///
    /// A rule looks at the elements, beside --range at those in it.
    #[arg(long, value_name = "N|RULE", default_value = "10")]
    bins: BinCount,
    /// The range of all bins: by default from the least to the largest element, found in a pass over the file before.
    ///
    /// NaN and elements outside of it are not counted. Each bin includes its lower edge, the last one its upper edge, too.
    #[arg(long, value_name = "LOW,HIGH", value_parser = ends_of, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// The file holds bare elements of a type that `halofold reduce --raw` takes: u8, i16, f32, '>f4' and others.
    #[arg(long, value_name = "TYPE")]
    raw: Option<Bare>,
    /// Each of several takes the next piece of the file when it is free; counts are the same.
    #[command(flatten)]
    adapters: AnyAdapters,
    /// Read the file in pieces of at most this many bytes; Booleans and integers of 8 and 16 bits count as the 32-bit ones they become.
    #[arg(long, value_name = "BYTES", default_value = "64Mi", value_parser = counts(8u64, 1 << 30))]
    piece: u64,
}

/// Reads the ends of a range.
fn ends_of(text: &str) -> Result<[f64; 2], String> {
    let ends = text.split_once(',');
    let ends = ends.and_then(|(low, high)| Some([low.trim().parse().ok()?, high.trim().parse().ok()?]));
    let [low, high]: [f64; 2] =
        ends.ok_or("write two numbers with a comma between them, like 0,1 or -1e3,1e3")?;
    if !(low.is_finite() && high.is_finite()) {
        return Err("both ends must be finite".to_owned());
    }
    if low > high { Err(format!("{low} is above {high}: name the lower end first")) } else { Ok([low, high]) }
}

/// The elements of a file in bins. Its fields, in their order, are the keys in JSON.
#[derive(Debug, Serialize)]
pub struct Counted {
    /// The file, as the command line names it.
    pub file: String,
    /// The type of the elements.
    #[serde(rename = "type")]
    pub element: &'static str,
    /// The number of elements.
    pub n: u64,
    /// Those of them in the range.
    pub counted: u64,
    /// The number of bins.
    pub bins: usize,
    /// The ends of the range.
    pub range: [f64; 2],
    /// NumPy's name of the type of the edges.
    pub dtype: &'static str,
    /// The edges of the bins, one more.
    pub edges: Vec<f64>,
    /// The elements in each bin.
    pub counts: Vec<u64>,
    /// Time on the GPU for the counts, if it tells.
    pub gpu_ms: Option<f64>,
    /// From opening the file to the counts.
    pub wall_ms: f64,
    /// The adapters' names.
    pub adapter: String,
}

/// Counts the elements of a file.
///
/// # Errors
///
/// The file cannot be read, or has no histogram with these bins; a GPU is not there, or fails.
pub fn count(request: &Request) -> Result<Counted, Failure> {
    let work = Work::whole(&request.file, request.raw.as_ref())?;
    let gpus = &request.adapters.open_for(work.bytes())?[..];
    let start = Instant::now();
    let stored = work.stored;
    let passes = Passes::new(gpus, work, request.raw.clone(), request.piece);
    let mut file = Counter { request, stored, passes };
    let (bins, counts) = if stored.size() <= 2 { file.patterns()? } else { file.between_borders()? };
    Ok(Counted {
        file: request.file.display().to_string(),
        element: stored.name(),
        n: file.passes.n,
        counted: counts.iter().sum(),
        bins: counts.len(),
        range: [bins.edges[0], bins.edges[counts.len()]],
        dtype: bins.dtype(),
        edges: bins.edges,
        counts,
        gpu_ms: file.passes.gpu_ms,
        wall_ms: start.elapsed().as_secs_f64() * 1e3,
        adapter: gpu::names(gpus),
    })
}

/// A file, and the bins that are asked for.
struct Counter<'a> {
    request: &'a Request,
    stored: Stored,
    passes: Passes<'a>,
}

impl Counter<'_> {
    /// Counts each pattern of bits in one pass, and then puts the patterns in bins.
    fn patterns(&mut self) -> Result<(Bins, Vec<u64>), Failure> {
        let (stored, found) = (self.stored, self.passes.patterns()?);
        let range = self.range(ends(&found))?;
        // A rule looks at the elements in the range.
        let whole = self.bins(range, 1)?;
        let inside: Vec<_> = found.into_iter().filter(|(x, _)| whole.place(x.as_f64()) == 0).collect();
        let bins = self.bins(range, self.number(range, Facts::of(stored, &inside, ends(&inside)))?)?;
        let mut counts = vec![0; bins.count()];
        inside.iter().for_each(|(x, count)| counts[bins.place(x.as_f64()) as usize] += count);
        Ok((bins, counts))
    }

    /// Counts elements between the borders of the bins. Without a range they pass a reduction before.
    fn between_borders(&mut self) -> Result<(Bins, Vec<u64>), Failure> {
        let facts = match (self.request.range, self.request.bins) {
            (Some(_), BinCount::Number(_)) => Facts::default(),
            (Some(range), BinCount::Of(rule)) => self.facts_in(Range::Given(range), rule)?,
            (None, bins) => self.facts(bins)?,
        };
        let range = self.range(facts.ends)?;
        let bins = self.bins(range, self.number(range, facts)?)?;
        let mut counts = self.counts(bins.keys())?;
        counts.resize(bins.count(), 0);
        Ok((bins, counts))
    }

    /// Counts elements by keys of the library, if any lies in a bin.
    fn counts(&mut self, keys: Option<(Keys, u32)>) -> Result<Vec<u64>, Failure> {
        let Some((keys, used)) = keys else { return Ok(Vec::new()) };
        let map = keys::key_map(self.stored.element());
        Ok(self.passes.counted(&keys, used, &[map])?.remove(0))
    }

    /// Finds what a rule depends on among the elements in a range: those with the ranks from its lower end on.
    fn facts_in(&mut self, range: Range, rule: Rule) -> Result<Facts, Failure> {
        if self.passes.work.passes_once() {
            return Err(self.refused("a stream passes once: beside --range, --bins takes a number"));
        }
        let mut counts = self.counts(self.bins(range, 1)?.keys_from(-1))?;
        counts.resize(2, 0);
        let (below, n) = (counts[0], counts[1]);
        if n == 0 {
            return Ok(Facts::default());
        }
        let ends = [0, n - 1].into_iter();
        let ranks = ends.chain(quartile_ranks(n)).map(|rank| below + rank).collect();
        let (_, found) = self.passes.at_ranks(|_, _| ranks)?;
        let nth = |rank| found[&(below + rank)];
        let between_quartiles = between_quartiles(n, self.stored, nth);
        let ends = [nth(0), nth(n - 1)];
        let deviation = if rule == Rule::Scott { self.deviation_between(ends)? } else { 0.0 };
        Ok(Facts { n, ends: Some(ends), deviation, between_quartiles })
    }

    /// The standard deviation of the elements from one to another.
    fn deviation_between(&mut self, ends: [Value; 2]) -> Result<f64, Failure> {
        let mut mask = self.passes.mask_between(ends)?;
        let wanted = Wanted { is_masked: true, ..wanted(&[Op::Deviation]) };
        let found = self.passes.reduced(wanted, Some(&mut mask), |failure| failure)?;
        Ok(deviation(&found[0]))
    }

    /// Reduces the file to what the bins depend on.
    fn facts(&mut self, bins: BinCount) -> Result<Facts, Failure> {
        if self.passes.work.passes_once() {
            return Err(self.refused("a stream passes once: name its range with --range LOW,HIGH"));
        }
        let ops = [Op::MinMax, Op::Deviation];
        let ops = if bins == BinCount::Of(Rule::Scott) { &ops[..] } else { &ops[..1] };
        let wanted = wanted(ops);
        let totals = self.passes.reduced(wanted, None, |failure| match (failure, bins) {
            (Failure::Usage(why), BinCount::Number(_)) => {
                Failure::Usage(format!("{why}; or name the range with --range LOW,HIGH"))
            }
            (failure, _) => failure,
        })?;
        let ends = match totals[0].results.only() {
            Some(Scalar::Range { min, max }) => Some([min, max]),
            _ => None,
        };
        let deviation = totals.get(1).map_or(0.0, deviation);
        let n = self.passes.n;
        let mut facts = Facts { n, ends, deviation, between_quartiles: 0.0 };
        if matches!(bins, BinCount::Of(Rule::Fd | Rule::Auto)) && n > 0 {
            self.range(ends)?;
            let (_, found) = self.passes.at_ranks(|_, _| quartile_ranks(n))?;
            facts.between_quartiles = between_quartiles(n, self.stored, |rank| found[&rank]);
        }
        Ok(facts)
    }

    /// The range of the request, or that of elements with these ends; from 0 to 1 without any, as in NumPy.
    fn range(&self, ends: Option<[Value; 2]>) -> Result<Range, Failure> {
        match (self.request.range, ends) {
            (Some(range), _) => Ok(Range::Given(range)),
            (None, None) => Ok(Range::Given([0.0, 1.0])),
            (None, Some(ends)) if ends.iter().all(|end| end.as_f64().is_finite()) => Ok(Range::Found(ends)),
            (None, Some([min, max])) => Err(self.refused(format!(
                "the elements reach from {min} to {max}: name a range with --range LOW,HIGH, and NaN and what lies outside of it \
                 is not counted"
            ))),
        }
    }

    /// The number of bins over a range.
    fn number(&self, range: Range, facts: Facts) -> Result<u32, Failure> {
        match self.request.bins {
            BinCount::Number(bins) => Ok(bins),
            BinCount::Of(rule) => rule.bins(facts, range, self.stored).map_err(|why| self.refused(why)),
        }
    }

    fn bins(&self, range: Range, bins: u32) -> Result<Bins, Failure> {
        Bins::new(self.stored, range, bins).map_err(|why| self.refused(why))
    }

    fn refused(&self, why: impl Display) -> Failure {
        self.passes.refused(why)
    }
}

/// A request for exact reductions.
fn wanted(ops: &[Op]) -> Wanted<'_> {
    Wanted {
        ops,
        own: None,
        ddof: 0,
        accuracy: Accuracy::Exact,
        verify: false,
        skips_nan: false,
        is_masked: false,
        is_stored: false,
    }
}

/// The only result of a standard deviation; 0 if there is none.
fn deviation(found: &OperatorResults) -> f64 {
    found.results.only().and_then(Scalar::value).map_or(0.0, Value::as_f64)
}

/// The least and the largest of some numbers, which NaN is if it is among them.
fn ends(found: &[(Value, u64)]) -> Option<[Value; 2]> {
    let numbers = || found.iter().map(|(x, _)| *x);
    if let Some(nan) = numbers().find(|x| x.as_f64().is_nan()) {
        return Some([nan, nan]);
    }
    let order = |a: &Value, b: &Value| a.as_f64().total_cmp(&b.as_f64());
    Some([numbers().min_by(order)?, numbers().max_by(order)?])
}
