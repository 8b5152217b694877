//! `halofold histogram`: the distribution of a file's elements, as text, JSON and an array.

pub(crate) mod count;
pub(crate) mod edges;
mod text;

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::files::npy;
use crate::output;
use crate::reserved::Reserved;
use count::{Counted, Request};

#[derive(Args)]
#[command(after_help = crate::examples::HISTOGRAM)]
pub struct HistogramArgs {
    #[command(flatten)]
    request: Request,
    /// Write the counts as a .npy array of 64-bit integers.
    #[arg(short, long, value_name = "COUNTS.npy", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Print one JSON object: {file, type, n, counted, bins, range, dtype, edges, counts, gpu_ms, wall_ms, adapter}.
    ///
    /// `n` counts all elements, `counted` those in the range; `dtype` is NumPy's type of the edges.
    #[arg(long, help_heading = "Output")]
    json: bool,
}

pub fn run(args: &HistogramArgs) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), |path| npy::check_output("-o", path))?;
    let inputs = [&args.request.file];
    let array = args.output.as_deref().map(|path| Reserved::open_apart("-o", path, &inputs)).transpose()?;
    let counted = count::count(&args.request, None)?;
    if let Some(array) = array {
        let bytes: Vec<_> = counted.counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        array.write_with(|file| npy::write(file, "<i8", &[counted.bins as u64], false, &bytes))?;
    }
    if args.json { output::print_json(&counted) } else { output::print(&text::text(&counted)) }
}

fn summary(counted: &Counted) -> String {
    let Counted { element, n, counted: inside, bins, range, dtype, .. } = counted;
    let [low, high] = range.map(|end| number(end, dtype));
    let inside = if inside == n { String::new() } else { format!(", {inside} of them in the range") };
    format!("{n} {element}{inside}, {bins} bins from {low} to {high}")
}

fn number(edge: f64, dtype: &str) -> String {
    if dtype == "f8" { edge.to_string() } else { (edge as f32).to_string() }
}
