//! The lines of an array in which elements are ranked, and the operations of the library that rank them.

use std::fmt::Display;

use halofold::rank::{Method, Quantiles, TopK};
use halofold::{Element, Slice, Value};

use super::buffers::{Kernel, Operation, output_buffer, recorded};
use super::file::Work;
use super::layout::{Axis, Layout};
use super::parts::Part;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::keys;

/// The most ranks that one operation finds.
const AT_ONCE: usize = 64;

/// The index of an element that does not exist.
const NONE: u32 = u32::MAX;

/// The lines of an array along some axes. A piece of its file has whole blocks, which no line leaves.
#[derive(Clone)]
pub struct Lines {
    /// The lines, and the elements of each.
    pub count: u64,
    pub len: u64,
    /// The blocks, and the elements of each.
    pub blocks: [u64; 2],
    /// The places of a block's elements in the order of the lines: lengths and strides, the innermost first. None if they lie so.
    pub places: Vec<[u64; 2]>,
}

impl Lines {
    /// Those along the axes with these numbers: elements in C's order, lines in the order of memory.
    pub fn along(numbers: &[usize], shape: &[u64], fortran: bool) -> Self {
        let product = |axes: &[usize]| axes.iter().fold(1u64, |all, axis| all.saturating_mul(shape[*axis]));
        let mut order: Vec<_> = (0..shape.len()).collect();
        if fortran {
            order.reverse();
        }
        let (along, kept): (Vec<usize>, Vec<usize>) = order.iter().partition(|axis| numbers.contains(axis));
        let ahead = order.iter().take_while(|axis| kept.contains(axis) || shape[**axis] == 1).count();
        let stride = |axis| {
            let place = order.iter().position(|other| *other == axis).unwrap_or_default();
            product(&order[place + 1..])
        };
        let mut innermost = along.clone();
        innermost.sort_unstable();
        let axes = innermost.into_iter().rev().chain(kept.iter().rev().copied());
        let mut places: Vec<[u64; 2]> = Vec::new();
        for axis in axes.filter(|axis| shape[*axis] != 1) {
            match places.last_mut() {
                Some([len, before]) if *before * *len == stride(axis) => *len *= shape[axis],
                _ => places.push([shape[axis], stride(axis)]),
            }
        }
        if places.len() == 1 {
            places.clear();
        }
        let blocks = [product(&order[..ahead]), product(&order[ahead..])];
        Lines { count: product(&kept), len: product(&along), blocks, places }
    }

    /// The pieces of lines that do not lie among each other, or parts of them.
    pub fn rows(&self) -> Layout {
        Layout::Axis(Axis::new(vec![1], false, &[self.count, self.len], false))
    }

    /// The pieces of the blocks.
    pub fn layout(&self) -> Layout {
        Layout::Axis(Axis::new(vec![1], false, &self.blocks, false))
    }
}

/// Kernels that find in each line of `len` the elements with some ranks. Unless NaNs are skipped, a line with one has no others.
pub fn of_ranks(
    (gpu, work): (&Gpu, &Work),
    len: u64,
    ranks: &[u64],
    skips_nan: bool,
) -> Result<Vec<Kernel>, Failure> {
    let element = work.stored.element();
    let kernel = |ranks: &[u64]| {
        // A single rank has no rule for NaNs, a quantile has: here the one that lies at the rank.
        let quantile = |rank: &u64| ((*rank as f64 + 0.5) / (len.max(2) - 1) as f64).min(1.0);
        let quantiles = if skips_nan {
            Ok(Quantiles::nth(element, ranks.iter().copied()))
        } else {
            Quantiles::new(element, ranks.iter().map(quantile)).map(|all| all.with_method(Method::Lower))
        };
        let made = quantiles.and_then(|quantiles| quantiles.rows(len).on(&gpu.device));
        let quantiles = made.map_err(|why| refused(work, why))?;
        let size = ranks.len() as u64 * value_size(element);
        let bind = move |gpu: &Gpu, input: Slice<'_>| {
            let output = output_buffer(gpu, input.size() / element.size() / len * size);
            Ok(recorded(quantiles.of(input).into(&output).map_err(Failure::usage)?, output))
        };
        Ok(Kernel { part: Part::own(element), operation: Operation::Other(Box::new(bind)) })
    };
    ranks.chunks(AT_ONCE).map(kernel).collect()
}

/// The kernel that finds the `k` largest elements, or the smallest, of each line of `len`, or of a whole piece.
pub fn of_top(
    (gpu, work): (&Gpu, &Work),
    len: Option<u64>,
    (k, is_smallest): (u32, bool),
) -> Result<Vec<Kernel>, Failure> {
    let element = work.stored.element();
    let make = || {
        let top = TopK::new(element, k)?;
        let top = if is_smallest { top.smallest() } else { top };
        if let Some(len) = len { top.rows(len) } else { top }.on(&gpu.device)
    };
    let top = make().map_err(|why| refused(work, why))?;
    let bind = move |gpu: &Gpu, input: Slice<'_>| {
        let elements = input.size() / element.size();
        let rows = len.map_or(1, |len| elements / len);
        let indices = top.config().indices_at(elements);
        let output = output_buffer(gpu, indices + 4 * rows * u64::from(k));
        Ok(recorded(top.of(input).into(&output).map_err(Failure::usage)?, output))
    };
    Ok(vec![Kernel { part: Part::own(element), operation: Operation::Other(Box::new(bind)) }])
}

/// The element of a line and of a rank, by their places, in the outputs of the kernels that find so many ranks.
pub fn value<'a>(
    element: Element,
    mut outputs: impl Iterator<Item = &'a [u8]>,
    (line, rank): (usize, usize),
    ranks: usize,
) -> Value {
    let kernel = rank / AT_ONCE;
    let of_line = (ranks - kernel * AT_ONCE).min(AT_ONCE);
    let at = (line * of_line + rank % AT_ONCE) * value_size(element) as usize;
    keys::of_bytes(element, &outputs.nth(kernel).unwrap_or_default()[at..])
}

/// The elements that were found in each line, with their places in it, in the output of the kernel that finds `k`.
pub fn found(element: Element, output: &[u8], lines: u64, k: u32) -> Vec<Vec<(Value, u64)>> {
    let (size, k) = (value_size(element) as usize, k as usize);
    // Places begin at a multiple of 256 bytes.
    let (values, places) = output.split_at((lines as usize * k * size).next_multiple_of(256));
    let places: Vec<u32> = bytemuck::pod_collect_to_vec(places);
    let values = values.chunks_exact(size).map(|bytes| keys::of_bytes(element, bytes));
    let found: Vec<_> = values.zip(places).collect();
    let is_there = |(_, place): &&(Value, u32)| *place != NONE;
    let line = |line: &[(Value, u32)]| {
        line.iter().filter(is_there).map(|(value, place)| (*value, u64::from(*place))).collect()
    };
    found.chunks(k).map(line).collect()
}

/// Bytes of an element in a result: a 16-bit float has become a 32-bit one.
fn value_size(element: Element) -> u64 {
    element.size().max(4)
}

/// A refusal that names the file.
pub fn refused(work: &Work, why: impl Display) -> Failure {
    Failure::Usage(format!("{}: {why}", work.path))
}
