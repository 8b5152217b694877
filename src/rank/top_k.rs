//! The k largest or smallest elements.

use wgpu::{Features, Limits};

use crate::element::{Element, Value};
use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::kernel::Kernel;
use crate::gpu::limits::SettingError;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::BufferRange;
use crate::rank::described::described;
use crate::rank::kernels::Made;
use crate::rank::selection::{Selection, indices_at};
use crate::rank::shape::Rows;
use crate::rank::values;

/// The index of an element that does not exist.
const NONE: u32 = u32::MAX;

/// A description of the k largest elements, or the k smallest, of all elements, of each row or of each segment, with their indices. It is a
/// plain value; [`Compiled`](crate::Compiled) brings it to a device.
///
/// ```
/// use halofold::rank::TopK;
/// use halofold::{Compiled, Element, Options, Value};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let scores: Vec<f32> = (0..5000).map(|i| ((i * 7) % 5000) as f32).collect();
/// # let scores = buffer(bytemuck::cast_slice(&scores));
/// let best: Vec<(Value, u32)> = Compiled::new(&device, TopK::new(Element::F32, 10)?, &Options::default())?.of(&scores).run(&queue)?;
/// # assert_eq!(best[0], (Value::F32(4999.0), 2857));
/// # assert_eq!(best[9].0, Value::F32(4990.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Elements come in their order, the best first; of equal ones, the one with the smaller index. NaNs are the largest elements.
///
/// The output has the k values of each row, a row after the other; then, from byte [`TopK::indices_at`] on, as many indices, a `u32` each,
/// which count from the start of the row or segment. An element of 16 bits becomes an `f32`. If a row has fewer than k elements, its last
/// values are 0, and their indices 2^32 − 1.
#[derive(Clone, Debug, PartialEq)]
pub struct TopK {
    element: Element,
    k: u32,
    is_smallest: bool,
    rows: Rows,
}

described!(TopK);

impl TopK {
    /// Describes the k largest elements of a type.
    ///
    /// # Errors
    ///
    /// k is 0.
    pub fn new(element: Element, k: u32) -> Result<Self, Error> {
        SettingError::unless("k", k, 1..=u32::MAX)?;
        Ok(TopK { element, k, is_smallest: false, rows: Rows::All })
    }

    /// Returns this description for the k smallest elements.
    pub fn smallest(self) -> Self {
        TopK { is_smallest: true, ..self }
    }

    /// The offset of the indices in the output, in bytes, for an input of `len` elements: a multiple of 256.
    pub fn indices_at(&self, len: u64) -> u64 {
        indices_at(self.element, self.rows.number(len).saturating_mul(self.k.into()))
    }

    /// The selection in rows of `len` elements.
    fn selection(&self, len: u64) -> Selection {
        Selection::of_top(self.element, len, self.k.into())
    }

    fn made(&self) -> Made {
        Made {
            element: self.element,
            ranks: 1,
            is_flipped: !self.is_smallest,
            is_top: true,
            is_between: false,
            nan_wins: false,
            row: self.rows.len(),
            is_segments: self.rows.is_segments(),
            k: self.k,
        }
    }
}

impl Base for TopK {
    const LABEL: &'static str = "halofold::top_k";
    type Value = (Value, u32);

    fn check_on(&self, _: Features, limits: &Limits) -> Result<(), Error> {
        self.made().check(limits)
    }

    fn steps(&self) -> &'static [Step] {
        self.made().steps()
    }

    fn kernel(&self, step: Step, _: Features, limits: &Limits) -> Kernel {
        self.made().kernel(step, limits)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        self.rows.memory(input, |len| self.selection(len), limits)
    }

    fn item(&self) -> u64 {
        self.element.size()
    }

    fn outputs(&self, len: u64) -> Vec<u64> {
        let indices = self.rows.number(len).saturating_mul(4 * u64::from(self.k));
        vec![self.indices_at(len).saturating_add(indices)]
    }

    fn values(&self, len: u64, output: &[u8]) -> Vec<(Value, u32)> {
        let number = self.k as usize * self.rows.number(len) as usize;
        let (elements, indices) = output.split_at(self.indices_at(len) as usize);
        let indices = bytemuck::pod_collect_to_vec::<u8, u32>(indices);
        let size = values::size(self.element) as usize;
        let elements = values::of(self.element, &elements[..size * number]);
        elements.into_iter().zip(indices).filter(|(_, index)| *index != NONE).collect()
    }

    fn plan_over(
        &self,
        input: BufferRange,
        _: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error> {
        values::check(self.outputs(input.len)[0], limits)?;
        self.rows.plan(input, |len| self.selection(len), limits)
    }
}
