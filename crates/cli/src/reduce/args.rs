//! The options of `halofold reduce`.

use std::path::PathBuf;

use halofold::rank::Method;

use super::op::{self, Operator};
use crate::count::counts;
use crate::files::BareArgs;
use crate::gpu::AdapterArgs;
use crate::named;

#[derive(clap::Args)]
#[command(after_help = crate::examples::REDUCE)]
pub struct ReduceArgs {
    /// Files: .npy arrays, arrays of .npz archives by FILE.npz:NAME (FILE.npz if it holds one), or with --raw bare elements; `-` is
    /// standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub raw: BareArgs,
    /// Operators, separated by commas; NumPy's names work, too.
    ///
    /// Results are NumPy's: sums and products of integers of up to 32 bits are 64 bits wide; those of 64-bit integers wrap (wide-sum does
    /// not), and so does dot of integers, in their own width; the mean of integers is an f64; a NaN anywhere makes min and max NaN;
    /// arg-min and arg-max find the first of equal elements, or the first NaN, in C order. 16-bit floats give 32-bit results;
    /// Booleans count as 0 and 1, and min, max, and, or, xor and dot of them are true or false. Results
    /// that take logarithms of integers of up to 32 bits have the precision of an f32. Without any elements the sum is 0, the product 1, and
    /// minima, maxima, means and variances have no value (`-`).
    ///
    /// top finds the largest elements and their places: in order, of equal ones the first; NaN is the largest. p95 is the 95th percentile.
    /// nansum, nanmean and so on leave NaNs out, as --skip-nan does for all operators.
    #[arg(long, value_name = "OP", value_parser = op::operator(), value_delimiter = ',', default_value = "sum", help_heading = "Operators")]
    pub op: Vec<Operator>,
    /// Quantiles of --op quantile, each from 0 to 1. Each has a line, and with -o a place in the first dimension of the array.
    #[arg(long, alias = "q", value_name = "Q,...", value_delimiter = ',', value_parser = op::quantile, allow_negative_numbers = true, help_heading = "Operators")]
    pub quantiles: Option<Vec<f64>>,
    /// Method of quantiles, by NumPy's names: linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased and others.
    #[arg(long, value_name = "METHOD", value_parser = named::method(), hide_possible_values = true, help_heading = "Operators")]
    pub method: Option<Method>,
    /// Number of elements that --op top finds: 10 by default.
    #[arg(long, value_name = "K", value_parser = counts(1, u32::MAX), help_heading = "Operators")]
    pub k: Option<u32>,
    /// Find the smallest elements with --op top, in place of the largest.
    #[arg(long, help_heading = "Operators")]
    pub smallest: bool,
    /// Reduce by an operator of your own: a file with WGSL.
    ///
    /// It declares a type Acc (a number, a vector or a struct of these, of at most 16 words of 32 bits) and four functions:
    /// map(elem: Elem, index: u32) -> Acc, of an element and its index in the file, or along --axis; identity() -> Acc;
    /// combine(a: Acc, b: Acc) -> Acc, which must be associative, and along --axis also commutative; finish(acc: Acc, n: u32) -> Out, the
    /// result of n elements. Elem is the type of the elements: f32, u32, i32, f64, i64, u64 or f16; that of Booleans and narrow integers has
    /// 32 bits. With --with, map takes an element of each file before the index. The name of the file is that of the operator.
    #[arg(long, value_name = "OP.wgsl", conflicts_with_all = ["op", "fast", "exact", "ddof", "verify"], help_heading = "Operators")]
    pub wgsl: Option<PathBuf>,
    /// Second input of dot, covariance, correlation and weighted-mean (there also --weights), or of --wgsl: a file like FILE, of the same
    /// type and shape.
    #[arg(long, alias = "weights", value_name = "FILE", help_heading = "Operators")]
    pub with: Option<PathBuf>,
    /// Reduce along an axis of an array, or along several separated by commas: counted from 0, or from the end if negative.
    ///
    /// As NumPy's `axis=K` and `axis=(J, K)`: the result is an array without these axes. arg-min, arg-max and top along several axes count the
    /// places along them in C order.
    #[arg(long, value_name = "K,...", value_delimiter = ',', value_parser = axis, allow_hyphen_values = true, help_heading = "Axes, masks and groups")]
    pub axis: Option<Vec<i64>>,
    /// Keep the axes that are reduced as dimensions of one, as NumPy's `keepdims=True`; without --axis all of them.
    #[arg(long, help_heading = "Axes, masks and groups")]
    pub keepdims: bool,
    /// Number that variance, std and covariance subtract from the number of elements: 0 by default. sample-variance and sample-std subtract 1.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX), allow_negative_numbers = true, help_heading = "Operators")]
    pub ddof: Option<u32>,
    /// Leave NaNs out, as NumPy's nansum, nanmean, nanmin and so on do; of two inputs the pairs that have one.
    ///
    /// A line says how many were skipped. Where all elements are NaN, the sum is 0, the product 1, and minima, maxima, means and variances
    /// have no value (`-`, and NaN in an array). Integers have no NaN.
    #[arg(long, help_heading = "Axes, masks and groups")]
    pub skip_nan: bool,
    /// Leave out the elements where a mask is false, as NumPy's `where=` does: a .npy file of Booleans of FILE's shape.
    ///
    /// A line says how many were skipped. Results are those of the elements that are kept, as with --skip-nan; both go together.
    #[arg(long = "where", value_name = "MASK.npy", help_heading = "Axes, masks and groups")]
    pub mask: Option<PathBuf>,
    /// Reduce by group: a file with a label for each element, integers or Booleans in any order, of FILE's shape; with --axis also of the length
    /// of the axis.
    ///
    /// Each label has a result of its elements; the results come in the order of the labels, which are a first dimension of arrays.
    #[arg(long, value_name = "LABELS.npy", help_heading = "Axes, masks and groups")]
    pub by: Option<PathBuf>,
    /// Write the places that --op top finds as a .npy array.
    #[arg(long, value_name = "PLACES.npy", help_heading = "Output")]
    pub indices: Option<PathBuf>,
    /// Write the labels of the results as a .npy array.
    #[arg(long, value_name = "KEYS.npy", requires = "by", help_heading = "Output")]
    pub keys: Option<PathBuf>,
    /// Write results as an array of the type that NumPy has: of one operator to a .npy file, of any number to a .npz archive.
    ///
    /// For arg-min and arg-max it holds the indices; for min-max its last dimension is two, for top it is the number of elements.
    #[arg(short, long, value_name = "OUT.npy|OUT.npz", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Only results that are rounded at the end, and their bits: the same on every GPU.
    ///
    /// Sums, means, dot products, norms (l1, l2), variances and deviations of floats are such results wherever that is possible, with and
    /// without this option: all of them of f32, sums, means and l1 of f16 and f64; of many short lines along an axis they are not, as their exact
    /// states would take longer to read than the elements. With it operators without an exact form are refused.
    #[arg(long, conflicts_with = "fast", help_heading = "Operators")]
    pub exact: bool,
    /// Add floats in their own width, rounded at each addition, in the order that is the fastest.
    #[arg(long, help_heading = "Operators")]
    pub fast: bool,
    #[command(flatten)]
    pub adapter: AdapterArgs,
    /// Print one JSON array of {file, op, type, n, value, bits, index, gpu_ms, wall_ms, adapter}.
    ///
    /// `value` is a number, integers in full; NaN and infinities are the strings "NaN", "inf" and "-inf"; any and all give true or
    /// false, min-max a list of two; it is null if there is no value. `bits` are those of floats that were rounded only at the end, else
    /// null. `index` is the place that arg-min, arg-max and top found, else null. With --axis or --keepdims there are also {axis, shape, dtype, output}
    /// after `n`, and `value`, `bits` and `index` are nested lists. With --skip-nan or --where there is
    /// `skipped` after `n`, and with --by `key` after `op`. `gpu_ms` is null if nothing ran on
    /// the GPU or it has no timestamps; `wall_ms` is the time from opening the file to its last value, with --verify the CPU's part
    /// included.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the results as CSV: a line of names, and a line for each number, with its place in the array that -o would write.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub csv: bool,
    /// Print the values alone, one a line, and draw no progress: the numbers that -o would write; nothing with -o.
    #[arg(short, long, conflicts_with_all = ["json", "csv"], help_heading = "Output")]
    pub quiet: bool,
    /// Compute everything on the CPU too; exit status 1 if the GPU is wrong.
    ///
    /// A line ends in `verified`, `WRONG`, or `undecided` (the sum overflows in some orders of addition and not in others).
    #[arg(long, help_heading = "Output")]
    pub verify: bool,
}

fn axis(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| "axes are whole numbers, as in 0, -1 or 0,2".to_owned())
}
