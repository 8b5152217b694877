//! `halofold histogram`: the distribution of a file's elements, as text, SVG, JSON and an array.

mod picture;
mod text;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use halofold_run::histogram::{self, BinCount, Counted, Request};
use serde::Serialize;

use crate::failure::Failure;
use crate::gpu::{self, AnyAdapters};
use crate::input::{Bare, npy};
use crate::output;
use crate::reserved::Reserved;
use crate::table::count;

/// Options of `halofold histogram`.
#[derive(Args)]
pub struct HistogramArgs {
    /// The file: a .npy array, or with --raw bare elements; `-` is standard input.
    file: PathBuf,
    /// The number of bins, 1 to 65536, or NumPy's rule for it: sqrt, sturges, rice or scott.
    ///
    /// A rule looks at the elements; beside --range it does so only where they have 8 or 16 bits.
    #[arg(long, value_name = "N|RULE", default_value = "10")]
    bins: BinCount,
    /// The range of all bins: by default from the least to the largest element, found in a pass over the file before.
    ///
    /// NaN and elements outside of it are not counted. Each bin includes its lower edge, the last one its upper edge, too.
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// The file holds bare elements of a type that `halofold reduce --raw` takes: u8, i16, f32, '>f4' and others.
    #[arg(long, value_name = "TYPE")]
    raw: Option<Bare>,
    /// Write the counts as a .npy array of 64-bit integers, as NumPy has them.
    #[arg(short, long, value_name = "COUNTS.npy")]
    output: Option<PathBuf>,
    /// Draw the histogram as SVG.
    #[arg(long, value_name = "PLOT.svg")]
    svg: Option<PathBuf>,
    /// Print one JSON object: {file, type, n, counted, bins, range, dtype, edges, counts, gpu_ms, wall_ms, adapter}.
    ///
    /// `n` are all elements, `counted` those in the range; `dtype` is NumPy's name for the type of the edges.
    #[arg(long)]
    json: bool,
    /// Each of several takes the next piece of the file when it is free; counts are the same.
    #[command(flatten)]
    adapters: AnyAdapters,
    /// Read the file in pieces of at most this many bytes; Booleans and integers of 8 and 16 bits count as the 32-bit ones they become.
    #[arg(long, value_name = "BYTES", default_value = "64Mi", value_parser = crate::count::counts(8u64, 1 << 30))]
    piece: u64,
}

/// The histogram of a file. Its fields, in their order, are the keys in JSON.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    #[serde(rename = "type")]
    element: &'static str,
    n: u64,
    counted: u64,
    bins: usize,
    range: [f64; 2],
    dtype: &'static str,
    edges: &'a [f64],
    counts: &'a [u64],
    gpu_ms: Option<f64>,
    wall_ms: f64,
    adapter: String,
}

impl Report<'_> {
    /// The elements and the bins, in one line.
    fn summary(&self) -> String {
        let Report { element, n, counted, bins, .. } = self;
        let [low, high] = self.range.map(|end| self.number(end));
        let inside =
            if counted == n { String::new() } else { format!(", {} of them in the range", count(*counted)) };
        format!("{} {element}{inside}, {bins} bins from {low} to {high}", count(*n))
    }

    /// An edge, in the fewest digits of its type.
    fn number(&self, edge: f64) -> String {
        if self.dtype == "f8" { edge.to_string() } else { (edge as f32).to_string() }
    }
}

/// Reads the ends of a range.
fn range(text: &str) -> Result<[f64; 2], String> {
    let ends = text
        .split_once(',')
        .and_then(|(low, high)| Some([low.trim().parse().ok()?, high.trim().parse().ok()?]));
    let [low, high]: [f64; 2] =
        ends.ok_or("write two numbers with a comma between them, like 0,1 or -1e3,1e3")?;
    if !(low.is_finite() && high.is_finite()) {
        return Err("both ends must be finite".to_owned());
    }
    if low > high { Err(format!("{low} is above {high}: name the lower end first")) } else { Ok([low, high]) }
}

/// Runs the subcommand.
pub fn run(args: &HistogramArgs) -> Result<(), Failure> {
    if let Some(path) = args.output.as_deref().filter(|path| !npy::is_named(path)) {
        return Err(Failure::Usage(format!("-o {}: the name must end in .npy", path.display())));
    }
    let reserve = |option, path: &Option<PathBuf>| {
        path.as_deref().map(|path: &Path| Reserved::open_apart(option, path, &[&args.file])).transpose()
    };
    let (array, svg) = (reserve("-o", &args.output)?, reserve("--svg", &args.svg)?);
    let gpus = args.adapters.open()?;
    let HistogramArgs { file, raw, bins, range, piece, .. } = args;
    let request = Request { path: file, raw: raw.as_ref(), bins: *bins, range: *range, piece: *piece };
    let Counted { stored, n, counts, edges, dtype, gpu_ms, wall_ms } = histogram::count(request, &gpus)?;
    let report = Report {
        file: &file.to_string_lossy(),
        element: stored.name(),
        n,
        counted: counts.iter().sum(),
        bins: counts.len(),
        range: [edges[0], edges[counts.len()]],
        dtype,
        edges: &edges,
        counts: &counts,
        gpu_ms,
        wall_ms,
        adapter: gpu::names(&gpus),
    };
    if let Some(array) = array {
        let bytes: Vec<_> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        array.write_with(|file| npy::write(file, "<i8", &[counts.len() as u64], false, &bytes))?;
    }
    if let Some(svg) = svg {
        svg.write_with(|file| file.write_all(picture::svg(&report).as_bytes()))?;
    }
    if args.json { output::print_json(&report) } else { output::print(&text::text(&report)) }
}
