//! Quantiles and single ranks.

use wgpu::{Features, Limits};

use crate::element::{Element, Value};
use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::io::{OneInput, OneOutput, Output, ResultOf};
use crate::gpu::kernel::Kernel;
use crate::gpu::limits::SettingError;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::{BufferRange, Cut, Inputs};
use crate::rank::counted;
use crate::rank::kernels::{MOST_RANKS, Made, of_case};
use crate::rank::method::Method;
use crate::rank::selection::{Selection, Target};
use crate::rank::shape::Rows;
use crate::rank::values;
use crate::reduce::FromResults;
use crate::reduce::results::OutputLayout;

/// A description of quantiles, or of elements with given ranks, of all elements, of each [row](crate::Request::rows) or of each
/// [segment](crate::Request::segment_offsets). It is a plain value; [`Compiled`](crate::Compiled) brings it to a device. The module's page has [an example](crate::rank).
///
/// The output has a value for each quantile, in the order of the request. Rows, or segments, follow each other. A value is an element; a 16-bit element
/// becomes an `f32`. Methods that interpolate return an `f32` between two elements.
///
/// Few devices compute with 64-bit floats. Between two elements of 64 bits, the output has both, one after the other, and NaN twice if an
/// element is; [`Request::run`](crate::Request::run) and [`Request::run_async`](crate::Request::run_async) return the `f64` between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles {
    element: Element,
    /// Ranks of elements, from 0 for the smallest; empty if quantiles are requested.
    ranks: Vec<u64>,
    /// Quantiles from 0 to 1, and their method.
    quantiles: Vec<f64>,
    method: Method,
    rows: Rows,
}

impl Quantiles {
    /// Describes quantiles, each from 0 to 1, of elements of a type, by [`Method::Linear`]: 0.5 is the median.
    pub fn new(element: Element, quantiles: impl IntoIterator<Item = f64>) -> Self {
        let (ranks, quantiles) = (Vec::new(), quantiles.into_iter().collect());
        Quantiles { element, ranks, quantiles, method: Method::Linear, rows: Rows::default() }
    }

    /// Describes the elements with these ranks, from 0 for the smallest.
    pub fn nth(element: Element, ranks: impl IntoIterator<Item = u64>) -> Self {
        Quantiles { ranks: ranks.into_iter().collect(), ..Quantiles::new(element, []) }
    }

    /// Returns these quantiles by another method.
    pub fn with_method(self, method: Method) -> Self {
        Quantiles { method, ..self }
    }

    /// The number of results of a row.
    fn number(&self) -> usize {
        self.ranks.len() + self.quantiles.len()
    }

    /// The selection in rows of `len` elements.
    fn selection(&self, len: u64) -> Selection {
        Selection::of_ranks(self.element, len, self.targets(len))
    }

    /// The ranks in rows of `len` elements.
    fn targets(&self, len: u64) -> Vec<Target> {
        let of_rank = |rank: &u64| Target { lower: *rank, upper: *rank, way: 0.0 };
        let of_quantile = |q: &f64| {
            let (lower, upper, gamma) = self.method.position(*q, len.max(1));
            Target { lower, upper: if gamma as f32 == 0.0 { lower } else { upper }, way: gamma }
        };
        self.ranks.iter().map(of_rank).chain(self.quantiles.iter().map(of_quantile)).collect()
    }

    /// What the kernel of a count on the GPU needs to know of the ranks.
    fn counted_ranks(&self) -> Vec<[u32; 8]> {
        let quantiles = self.quantiles.iter().map(|q| counted::quantile(*q, self.method));
        self.ranks.iter().map(|rank| counted::rank(*rank)).chain(quantiles).collect()
    }

    fn made(&self) -> Made<'_> {
        Made {
            element: self.element,
            ranks: self.number() as u32,
            is_flipped: false,
            is_top: false,
            is_between: self.is_between(),
            nan_wins: self.ranks.is_empty(),
            method: if self.ranks.is_empty() { counted::number(self.method) } else { 0 },
            rows: &self.rows,
            k: 0,
        }
    }

    /// The type of a result that is one value.
    fn result(&self) -> Element {
        if self.is_between() { Element::F32 } else { self.element }
    }

    /// The numbers between the pairs of 64-bit elements of an output.
    fn between(&self, len: u64, output: &[u8]) -> Vec<f64> {
        let elements: Vec<_> = self.element.read_all(output).collect();
        let way = |row: u64, target: Target| if row > 0 { target.way } else { f64::NAN };
        let of_row = |row: u64| self.targets(row).into_iter().map(move |target| way(row, target));
        let ways: Vec<_> = self.rows.lens(len).into_iter().flat_map(of_row).collect();
        let between = |(pair, way): (&[Value], f64)| values::between(pair[0], pair[1], way);
        elements.chunks(2).zip(ways.into_iter().cycle()).map(between).collect()
    }

    /// True if results lie between elements.
    fn is_between(&self) -> bool {
        self.ranks.is_empty() && !self.method.is_discrete()
    }
}

impl Base for Quantiles {
    const LABEL: &'static str = "halofold::quantiles";

    of_case!();

    fn cut(self, cut: Cut) -> Result<Self, Error> {
        Ok(Quantiles { rows: Rows::of(cut, self.rows.is_counted), ..self })
    }

    fn check_settings(&self) -> Result<(), Error> {
        if let Some(wrong) = self.quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::setting("quantile", format!("a quantile of {wrong}: it can be 0 to 1")));
        }
        Ok(SettingError::unless("quantiles at once", self.number() as u64, 1..=MOST_RANKS)?)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        self.rows.memory(input, |len| self.selection(len), &self.counted_ranks(), limits)
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        let size = if self.made().in_pairs() { 16 } else { values::size(self.result()) };
        let number = self.rows.number(len).saturating_mul(self.number() as u64);
        vec![Output::new("values", number.saturating_mul(size))]
    }

    fn counted(mut self) -> Option<Self> {
        self.rows.is_counted = true;
        (!self.made().in_pairs()).then_some(self)
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        values::check(&self.outputs(inputs.first.len), limits)?;
        self.rows.plan(inputs.first, |len| self.selection(len), limits)
    }
}

impl OneInput for Quantiles {}
impl OneOutput for Quantiles {}

impl<T: FromResults> ResultOf<Quantiles> for T {
    fn results(operation: &Quantiles, len: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        if operation.made().in_pairs() {
            let floats = operation.between(len, outputs[0]);
            return OutputLayout::of("quantiles", Element::F64).read_all(bytemuck::cast_slice(&floats));
        }
        values::of("quantiles", operation.result(), outputs[0])
    }
}
