//! The k largest or smallest elements.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::io::{OneInput, Output, ResultOf, outputs};
use crate::gpu::kernel::Kernel;
use crate::gpu::limits::SettingError;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::{BufferRange, Cut, Inputs};
use crate::rank::counted;
use crate::rank::kernels::{Made, of_case};
use crate::rank::selection::Selection;
use crate::rank::shape::Rows;
use crate::rank::values;
use crate::reduce::FromResults;

/// The index of an element that does not exist.
const NONE: u32 = u32::MAX;

/// A description of the k largest elements, or the k smallest, of all elements, of each [row](crate::Request::rows) or of each
/// [segment](crate::Request::segment_offsets), with their indices. It is a plain value; [`Compiled`](crate::Compiled) brings it to a device.
///
/// ```
/// use halofold::rank::{Ranked, TopK};
/// use halofold::{Compiled, Element, Options};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let scores: Vec<f32> = (0..5000).map(|i| ((i * 7) % 5000) as f32).collect();
/// # let scores = buffer(bytemuck::cast_slice(&scores));
/// let best: Vec<Ranked<f32>> = Compiled::new(&device, TopK::new(Element::F32, 10), &Options::default())?.of(&scores).run(&queue)?;
/// assert_eq!(best[0], Ranked { value: 4999.0, index: 2857 });
/// # assert_eq!(best[9].value, 4990.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Elements come in their order, the best first; of equal ones, the one with the smaller index. NaNs are the largest elements.
///
/// It writes two [`Outputs`], elements and indices; on the host each element is a [`Ranked`]. If a row has fewer than k elements, its last values
/// are 0, and their indices 2^32 − 1; the host gets none for them.
#[derive(Clone, Debug, PartialEq)]
pub struct TopK {
    element: Element,
    k: u32,
    is_smallest: bool,
    rows: Rows,
}

impl TopK {
    /// Describes the k largest elements of a type, one at least.
    pub fn new(element: Element, k: u32) -> Self {
        TopK { element, k, is_smallest: false, rows: Rows::default() }
    }

    /// Returns this description for the k smallest elements.
    pub fn smallest(self) -> Self {
        TopK { is_smallest: true, ..self }
    }

    /// The selection in rows of `len` elements.
    fn selection(&self, len: u64) -> Selection {
        Selection::of_top(self.element, len, self.k.into())
    }

    fn made(&self) -> Made<'_> {
        Made {
            element: self.element,
            ranks: 1,
            is_flipped: !self.is_smallest,
            is_top: true,
            is_between: false,
            nan_wins: false,
            method: 0,
            rows: &self.rows,
            k: self.k,
        }
    }
}

impl Base for TopK {
    const LABEL: &'static str = "halofold::top_k";

    of_case!();

    fn cut(self, cut: Cut) -> Result<Self, Error> {
        Ok(TopK { rows: Rows::of(cut, self.rows.is_counted), ..self })
    }

    fn check_settings(&self) -> Result<(), Error> {
        Ok(SettingError::unless("k", self.k, 1..=u32::MAX)?)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let last = counted::rank(u64::from(self.k) - 1);
        self.rows.memory(input, |len| self.selection(len), &[last], limits)
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        let number = self.rows.number(len).saturating_mul(self.k.into());
        let bytes = |size: u64| number.saturating_mul(size);
        vec![Output::new("values", bytes(values::size(self.element))), Output::new("indices", bytes(4))]
    }

    fn counted(mut self) -> Option<Self> {
        self.rows.is_counted = true;
        Some(self)
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        values::check(&self.outputs(inputs.first.len), limits)?;
        self.rows.plan(inputs.first, |len| self.selection(len), limits)
    }
}

impl OneInput for TopK {}

/// The outputs of [`TopK`]: for each row k of both, a row after the other.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<V, I> {
    /// The elements. One of 16 bits becomes an `f32`.
    pub values: V,
    /// Their indices, a `u32` each, which count from the start of the row or segment.
    pub indices: I,
}

outputs!(Outputs<V: values, I: indices>, TopK);

/// One of the k best elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked<T> {
    /// The element.
    pub value: T,
    /// Its index in the row or segment.
    pub index: u32,
}

impl<T: FromResults> ResultOf<TopK> for Ranked<T> {
    fn results(operation: &TopK, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let values: Vec<T> = values::of("top-k", operation.element, outputs[0])?;
        let indices = bytemuck::pod_collect_to_vec::<u8, u32>(outputs[1]);
        let ranked = values.into_iter().zip(indices).map(|(value, index)| Ranked { value, index });
        Ok(ranked.filter(|ranked| ranked.index != NONE).collect())
    }
}
