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
    /// Files: .npy arrays, arrays of .npz archives as FILE.npz:NAME (FILE.npz if it holds one), or bare elements with --raw; `-` is
    /// standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub raw: BareArgs,
    /// Operators, separated by commas. NumPy's names work, too.
    ///
    /// Result types are NumPy's. Sums and products of integers have 64 bits; 64-bit elements wrap, except in wide-sum. dot of integers wraps in
    /// its own width. The mean of integers is f64. 16-bit floats give 32-bit results. Booleans count as 0 and 1; their min, max, and, or, xor and dot
    /// are Boolean. Logarithms of integers of up to 32 bits have the precision of f32.
    ///
    /// A NaN makes min and max NaN. arg-min and arg-max find the first of equal elements, or the first NaN, in C order. Without elements, the
    /// sum is 0, the product 1, and minima, maxima, means and variances have no value (`-`).
    ///
    /// top finds the largest elements and their indices, sorted; of equal elements the first wins, and NaN is the largest. p95 is the 95th percentile.
    /// The prefix nan, as in nanmean, means --skip-nan.
    #[arg(long, value_name = "OP", value_parser = op::operator(), value_delimiter = ',', default_value = "sum", help_heading = "Operators")]
    pub op: Vec<Operator>,
    /// Quantiles of --op quantile, each from 0 to 1. Each prints a line; with -o they are the first dimension of the array.
    #[arg(long, alias = "q", value_name = "Q,...", value_delimiter = ',', value_parser = op::quantile, allow_negative_numbers = true, help_heading = "Operators")]
    pub quantiles: Option<Vec<f64>>,
    /// Quantile method, by NumPy's names: linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased and others.
    #[arg(long, value_name = "METHOD", value_parser = named::method(), hide_possible_values = true, help_heading = "Operators")]
    pub method: Option<Method>,
    /// Number of elements for --op top: 10 by default.
    #[arg(long, value_name = "K", value_parser = counts(1, u32::MAX), help_heading = "Operators")]
    pub k: Option<u32>,
    /// Make --op top find the smallest elements.
    #[arg(long, help_heading = "Operators")]
    pub smallest: bool,
    /// Reduce by a custom operator in WGSL.
    ///
    /// The file declares a type Acc (a number, a vector or a struct of these, at most 16 words of 32 bits) and four functions:
    /// map(elem: Elem, index: u32) -> Acc, where index counts within the file or along --axis; identity() -> Acc;
    /// combine(a: Acc, b: Acc) -> Acc, which must be associative, and along --axis also commutative; finish(acc: Acc, n: u32) -> Out, for n
    /// elements. Elem is the element type: f32, u32, i32, f64, i64, u64 or f16. Booleans and narrow integers become 32-bit integers.
    /// With --with, map takes an element of each file before the index. The file's name names the operator.
    #[arg(long, value_name = "OP.wgsl", conflicts_with_all = ["op", "fast", "exact", "ddof", "verify"], help_heading = "Operators")]
    pub wgsl: Option<PathBuf>,
    /// Second input of dot, covariance, correlation, weighted-mean (there also --weights) or --wgsl: a file of FILE's type
    /// and shape.
    #[arg(long, alias = "weights", value_name = "FILE", help_heading = "Operators")]
    pub with: Option<PathBuf>,
    /// Reduce along one or several axes, separated by commas. Negative axes count from the end.
    ///
    /// As NumPy's `axis=K` and `axis=(J, K)`: the result lacks these axes. Along several axes, arg-min, arg-max and top count
    /// indices in C order.
    #[arg(long, value_name = "K,...", value_delimiter = ',', value_parser = axis, allow_hyphen_values = true, help_heading = "Axes, masks and groups")]
    pub axis: Option<Vec<i64>>,
    /// Keep reduced axes with length 1, as NumPy's `keepdims=True`; without --axis all of them.
    #[arg(long, help_heading = "Axes, masks and groups")]
    pub keepdims: bool,
    /// Number that variance, std and covariance subtract from the count: 0 by default. sample-variance and sample-std subtract 1.
    #[arg(long, value_name = "N", value_parser = counts(0, u32::MAX), allow_negative_numbers = true, help_heading = "Operators")]
    pub ddof: Option<u32>,
    /// Leave NaNs out, as NumPy's nansum and nanmean do. Of two inputs, leave out pairs with a NaN.
    ///
    /// The output says how many were skipped. If all elements are NaN, the sum is 0, the product 1, and minima, maxima, means and variances
    /// have no value (`-`, in arrays NaN).
    #[arg(long, help_heading = "Axes, masks and groups")]
    pub skip_nan: bool,
    /// Leave out elements where a mask is false, as NumPy's `where=` does. The mask is a .npy file of Booleans of FILE's shape.
    ///
    /// The output says how many were skipped. Works together with --skip-nan.
    #[arg(long = "where", value_name = "MASK.npy", help_heading = "Axes, masks and groups")]
    pub mask: Option<PathBuf>,
    /// Reduce by group: a file with a label per element, integers or Booleans in any order, of FILE's shape, or with --axis of the axis's
    /// length.
    ///
    /// Each label has a result. Results are sorted by label, which is the first dimension of arrays.
    #[arg(long, value_name = "LABELS.npy", help_heading = "Axes, masks and groups")]
    pub by: Option<PathBuf>,
    /// Write the indices that --op top finds as a .npy array.
    #[arg(long, value_name = "PLACES.npy", help_heading = "Output")]
    pub indices: Option<PathBuf>,
    /// Write the labels of the results as a .npy array.
    #[arg(long, value_name = "KEYS.npy", requires = "by", help_heading = "Output")]
    pub keys: Option<PathBuf>,
    /// Write results as an array of NumPy's type: one operator of one file to .npy, any number to .npz.
    ///
    /// arg-min and arg-max write indices. The last dimension of min-max is two, of top the number of elements.
    #[arg(short, long, value_name = "OUT.npy|OUT.npz", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Refuse results that are not rounded once, and print their bits, which are the same on every GPU.
    ///
    /// Exact sums are the default where they exist: for f32 sums, means, dot products, l1, l2, variances and deviations; for f16 and f64 sums, means and
    /// l1. Many short lines along an axis use them only with this option, because exact states would be larger than the
    /// elements.
    #[arg(long, conflicts_with = "fast", help_heading = "Operators")]
    pub exact: bool,
    /// Add floats in their own width, rounding each addition.
    #[arg(long, help_heading = "Operators")]
    pub fast: bool,
    #[command(flatten)]
    pub adapter: AdapterArgs,
    /// Print one JSON array of {file, op, type, n, value, bits, index, gpu_ms, wall_ms, adapter}.
    ///
    /// `value` is a number, a Boolean for any and all, a list of two for min-max, and null without a value. Integers are written in full; NaN and
    /// infinities are the strings "NaN", "inf" and "-inf". `bits` are the bits of floats that are rounded once, else null. `index` is what arg-min, arg-max
    /// and top found, else null. --axis and --keepdims add {axis, shape, dtype, output} after `n`, and make `value`, `bits` and `index`
    /// nested lists. --skip-nan and --where add `skipped` after `n`, --by adds `key` after `op`. `gpu_ms` is null without
    /// timestamps. `wall_ms` runs from opening the file to its last value, including --verify.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the results as CSV: a header, then a line per number with its position in the array that -o would write.
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub csv: bool,
    /// Print bare values, one per line, without progress; nothing with -o.
    #[arg(short, long, conflicts_with_all = ["json", "csv"], help_heading = "Output")]
    pub quiet: bool,
    /// Check all results on the CPU; exit status 1 if one is wrong.
    ///
    /// Lines end in `verified`, `WRONG`, or `undecided` (the sum overflows only in some orders of addition).
    #[arg(long, help_heading = "Output")]
    pub verify: bool,
}

fn axis(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| "axes are whole numbers, as in 0, -1 or 0,2".to_owned())
}
