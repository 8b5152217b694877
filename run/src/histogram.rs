//! `halofold histogram`: the elements of a file in bins, with the counts and edges of `np.histogram`.
//!
//! Pieces take the road of `halofold reduce`: a histogram is one more operation that leaves a state of each piece, its counts, which
//! the host adds up in 64 bits. Elements of 8 and 16 bits are counted by their patterns, and NumPy's rule puts each pattern in a bin. Others
//! are counted between borders that the rule has beforehand; without a range a reduction finds it in a pass of its own.

mod edges;
mod rule;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::slice;
use std::time::Instant;

use half::f16;
use halofold::histogram::{Config, Histogram, Keys, Map, Options};
use halofold::reduce::{Accuracy, Op, Scalar};
use halofold::{Element, Value};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::count::counts;
use crate::failure::Failure;
use crate::files::{Bare, Source, Stored};
use crate::gpu::{self, AnyAdapters, Gpu};
use crate::reduce::buffers::{Kernel, Operation};
use crate::reduce::engine::Engine;
use crate::reduce::file::{self, Work};
use crate::reduce::parts::Part;
use crate::reduce::steps::Steps;
use crate::reduce::totals::Wanted;
use crate::reduce::{kernels, reduce};
use crate::transport::{Alone, Transport as _};
use crate::{output, progress};
use edges::{Bins, Range};
use rule::{BinCount, Facts, Rule, between_quartiles, quartile_ranks};

/// A file, and the bins to count its elements in.
#[derive(clap::Args)]
pub struct Request {
    /// The file: a .npy array, or with --raw bare elements; `-` is standard input.
    pub file: PathBuf,
    /// The number of bins, 1 to 65536, or NumPy's rule for it: auto, fd, sqrt, sturges, rice or scott.
    ///
    /// A rule looks at the elements; beside --range it does so only where they have 8 or 16 bits.
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
    let gpus = &request.adapters.open()?[..];
    let start = Instant::now();
    let stored = work.stored;
    let mut file = Passes { request, gpus, work, stored, n: 0, gpu_ms: None };
    let (bins, counts) = if stored.size() <= 2 { file.patterns()? } else { file.between_borders()? };
    Ok(Counted {
        file: request.file.display().to_string(),
        element: stored.name(),
        n: file.n,
        counted: counts.iter().sum(),
        bins: counts.len(),
        range: [bins.edges[0], bins.edges[counts.len()]],
        dtype: bins.dtype(),
        edges: bins.edges,
        counts,
        gpu_ms: file.gpu_ms,
        wall_ms: start.elapsed().as_secs_f64() * 1e3,
        adapter: gpu::names(gpus),
    })
}

/// A file on its way through the GPUs.
struct Passes<'a> {
    request: &'a Request,
    gpus: &'a [Gpu],
    work: Work,
    stored: Stored,
    n: u64,
    gpu_ms: Option<f64>,
}

impl Passes<'_> {
    /// Counts each pattern of bits in one pass, and then puts the patterns in bins.
    fn patterns(&mut self) -> Result<(Bins, Vec<u64>), Failure> {
        let stored = self.stored;
        self.work.take_patterns();
        let found = self.counted(&Keys::Numbers, 1 << (8 * stored.size()), None)?;
        let found = found.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let found: Vec<_> = found.map(|(bits, count)| (value(stored, bits as u16), count)).collect();
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
            (Some(_), BinCount::Of(_)) => {
                return Err(self.refused(
                    "beside --range, --bins takes a number: a rule looks at the elements in the range only",
                ));
            }
            (None, bins) => self.facts(bins)?,
        };
        let range = self.range(facts.ends)?;
        let bins = self.bins(range, self.number(range, facts)?)?;
        let mut counts = Vec::new();
        if let Some((keys, used)) = bins.keys() {
            counts = self.counted(&keys, used, edges::key_map(self.stored.element()).as_ref())?;
        }
        counts.resize(bins.count(), 0);
        Ok((bins, counts))
    }

    /// Reduces the file to what the bins depend on.
    fn facts(&mut self, bins: BinCount) -> Result<Facts, Failure> {
        if self.work.passes_once() {
            return Err(self.refused("a stream passes once: name its range with --range LOW,HIGH"));
        }
        let ops = [Op::MinMax, Op::Deviation];
        let ops = if bins == BinCount::Of(Rule::Scott) { &ops[..] } else { &ops[..1] };
        let wanted = Wanted {
            ops,
            own: None,
            ddof: 0,
            accuracy: Accuracy::Exact,
            verify: false,
            skips_nan: false,
            is_masked: false,
            is_stored: false,
        };
        let works = slice::from_ref(&self.work);
        let engine = Engine::new(self.gpus, works, (1, self.request.piece), |gpu, most| {
            kernels::of_ops(gpu, works, &[wanted], most)
        });
        let mut engine = engine.map_err(|failure| match (failure, bins) {
            (Failure::Usage(why), BinCount::Number(_)) => {
                Failure::Usage(format!("{why}; or name the range with --range LOW,HIGH"))
            }
            (failure, _) => failure,
        })?;
        let (mut sources, bar) = self.open()?;
        let advance = |bytes| bar.inc(bytes);
        let (gpu, all) = (&self.gpus[0], (wanted, None, true));
        let totals = reduce((&mut engine, gpu), &Alone, &self.work, &mut sources, all, advance)?;
        bar.finish_and_clear();
        self.n = totals.n();
        let results: Vec<_> = totals.into_each().map(|total| total.results.only()).collect();
        let ends = match results[0] {
            Some(Scalar::Range { min, max }) => Some([min, max]),
            _ => None,
        };
        let deviation = results.get(1).copied().flatten().and_then(Scalar::value);
        let deviation = deviation.map_or(0.0, Value::as_f64);
        let mut facts = Facts { n: self.n, ends, deviation, between_quartiles: 0.0 };
        if matches!(bins, BinCount::Of(Rule::Fd | Rule::Auto)) && self.n > 0 {
            self.range(ends)?;
            let found = self.at_ranks(quartile_ranks(self.n).collect())?;
            facts.between_quartiles = between_quartiles(self.n, self.stored, |rank| found[&rank]);
        }
        Ok(facts)
    }

    /// Finds the elements with some ranks, from 0 in order: a histogram of the first digits of 16 bits says with which digit each begins, then
    /// one of the next digits of those that begin so, and so on. The file passes once for each beginning.
    fn at_ranks(&mut self, ranks: Vec<u64>) -> Result<BTreeMap<u64, f64>, Failure> {
        let element = self.stored.element();
        let mut searches: Vec<_> = ranks.iter().map(|rank| (Vec::new(), *rank)).collect();
        for _ in 0..element.size() / 2 {
            let mut counted: BTreeMap<Vec<u16>, Vec<u64>> = BTreeMap::new();
            for (digits, left) in &mut searches {
                if !counted.contains_key(digits) {
                    let map = edges::digit_map(element, digits);
                    counted.insert(digits.clone(), self.counted(&Keys::Numbers, 1 << 16, Some(&map))?);
                }
                let counts = counted[digits].iter().zip(0..=u16::MAX);
                for (count, digit) in counts {
                    if *left < *count {
                        digits.push(digit);
                        break;
                    }
                    *left -= count;
                }
            }
        }
        let found = searches.into_iter().map(|(digits, _)| edges::of_digits(element, &digits));
        Ok(ranks.into_iter().zip(found).collect())
    }

    /// Passes the file through a histogram.
    fn counted(&mut self, keys: &Keys, bins: u32, map: Option<&Map>) -> Result<Vec<u64>, Failure> {
        let part = Part::own(self.work.stored.element());
        let works = slice::from_ref(&self.work);
        let mut engine = Engine::new(self.gpus, works, (1, self.request.piece), |gpu, _| {
            let limits = gpu.device.limits();
            let config = Config::new(keys.clone(), bins, &limits);
            let config = match map {
                Some(map) => config.with_map(map.clone(), &limits),
                None => config,
            };
            let histogram = gpu.attempt(|| {
                Histogram::with_config(&gpu.device, config, Options::default())
                    .map_err(|why| self.refused(why))
            });
            Ok(vec![Kernel { part, operation: Operation::Histogram(Box::new(histogram?)) }])
        })?;
        let (mut sources, bar) = self.open()?;
        let mut counts = vec![0u64; bins as usize];
        let (mut n, mut gpu_ms) = (0, Some(0.0));
        engine.run(
            &self.work,
            &mut sources,
            &Steps::counting(&self.work),
            Alone.place(),
            |share, left| {
                let states: Vec<u32> = bytemuck::pod_collect_to_vec(&left[0].states);
                counts.iter_mut().zip(states).for_each(|(count, more)| *count += u64::from(more));
                n += share.elements();
                gpu_ms = gpu_ms.zip(left[0].gpu_ms).map(|(all, ms)| all + ms);
                bar.inc(share.elements() * self.stored.size());
                Ok(())
            },
        )?;
        bar.finish_and_clear();
        (self.n, self.gpu_ms) = (n, gpu_ms);
        Ok(counts)
    }

    /// Opens the file for a pass.
    fn open(&mut self) -> Result<(Vec<Source>, ProgressBar), Failure> {
        let sources = file::open(&mut self.work, None, self.request.raw.as_ref())?;
        let bar = progress::bytes(self.work.bytes().unwrap_or(0));
        bar.set_message(output::visible(&self.work.path, &[]));
        Ok((sources, bar))
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
        Failure::usage(format!("{}: {why}", self.work.path))
    }
}

/// The number that a pattern of 8 or 16 bits stands for.
fn value(stored: Stored, bits: u16) -> Value {
    match stored {
        Stored::Bool => Value::Unsigned((bits != 0).into()),
        Stored::I8 => Value::Signed((bits as u8 as i8).into()),
        Stored::I16 => Value::Signed((bits as i16).into()),
        Stored::Element(Element::F16) => Value::F32(f16::from_bits(bits).to_f32()),
        _ => Value::Unsigned(bits.into()),
    }
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
