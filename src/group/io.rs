//! Inputs, outputs and results of groups, by name.

use crate::element::Element;
use crate::gpu::BufferError;
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::io::{InputsOf, OutputsOf, outputs};
use crate::gpu::slice::Slice;
use crate::gpu::texels::Texels;
use crate::group::aggregate::Aggregate;
use crate::group::{GroupById, GroupByKey, ReduceRuns, RunLengths};
use crate::of_texels::OfTexels;
use crate::reduce::FromResults;
use crate::reduce::results::OutputLayout;

/// The inputs of operations on groups: keys and as many values. Of [`GroupById`] keys are ids.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<K, V> {
    /// A key, or an id, of each pair.
    pub keys: K,
    /// A value of each pair.
    pub values: V,
}

/// Makes pairs the inputs of an operation, whose kernels read one of both as the first input, which may be texels.
macro_rules! of_pairs {
    ($operation:ty, $first:ident: $of_first:ident, $second:ident: $of_second:ident) => {
        impl<'b, $of_first: Into<Slice<'b>>, $of_second: Into<Slice<'b>>> InputsOf<'b, $operation>
            for Pairs<K, V>
        {
            fn inputs(self) -> (Input<'b>, Option<Slice<'b>>) {
                (Input::Buffer(self.$first.into()), Some(self.$second.into()))
            }
        }

        impl<'b, $of_first: Into<Texels<'b>>, $of_second: Into<Slice<'b>>> InputsOf<'b, OfTexels<$operation>>
            for Pairs<K, V>
        {
            fn inputs(self) -> (Input<'b>, Option<Slice<'b>>) {
                (Input::Texels(self.$first.into()), Some(self.$second.into()))
            }
        }
    };
}

of_pairs!(GroupById, values: V, keys: K);
of_pairs!(GroupByKey, keys: K, values: V);
of_pairs!(ReduceRuns, keys: K, values: V);

/// The outputs of [`GroupById`] and [`GroupByKey`], each a buffer or a slice of one: one for each result that the operation computes, and
/// those of [`Outputs::keys`], [`Outputs::len`] and [`Outputs::rejected`] as you need them.
#[derive(Clone, Debug, Default)]
pub struct Outputs<'b> {
    keys: Option<Slice<'b>>,
    len: Option<Slice<'b>>,
    rejected: Option<Slice<'b>>,
    results: Vec<(Aggregate, Slice<'b>)>,
}

impl<'b> Outputs<'b> {
    /// No outputs yet.
    pub fn new() -> Self {
        Outputs::default()
    }

    /// The output for the different keys of [`GroupByKey`], in ascending order: four bytes for each group that it allows.
    pub fn keys(self, keys: impl Into<Slice<'b>>) -> Self {
        Outputs { keys: Some(keys.into()), ..self }
    }

    /// The output for the number of different keys of [`GroupByKey`]: a `u32` at any multiple of 4 bytes.
    pub fn len(self, len: impl Into<Slice<'b>>) -> Self {
        Outputs { len: Some(len.into()), ..self }
    }

    /// The output for the number of pairs that are in no group: a `u32`. They have an id that is too large, or a key too many.
    pub fn rejected(self, rejected: impl Into<Slice<'b>>) -> Self {
        Outputs { rejected: Some(rejected.into()), ..self }
    }

    /// The outputs for these results, and that of `rejected` behind them.
    fn of(&self, asked: &[Aggregate]) -> Result<Vec<Option<Slice<'b>>>, Error> {
        let given = |aggregate: &Aggregate| self.results.iter().find(|(known, _)| known == aggregate);
        let output = |aggregate: &Aggregate| match given(aggregate) {
            Some((_, output)) => Ok(Some(*output)),
            None => Err(BufferError::Output { name: aggregate.name(), is_needed: true }.into()),
        };
        if let Some((unasked, _)) = self.results.iter().find(|(known, _)| !asked.contains(known)) {
            return Err(BufferError::Output { name: unasked.name(), is_needed: false }.into());
        }
        asked.iter().map(output).chain([Ok(self.rejected)]).collect()
    }
}

/// Declares what each result has: a method that sets its output, and how its array is read.
macro_rules! results {
    ($($name:ident: $aggregate:ident),*) => {
        impl<'b> Outputs<'b> {
            $(
                #[doc = concat!("The output for what [`GroupById::", stringify!($name), "`] asks for: four bytes a group.")]
                pub fn $name(mut self, output: impl Into<Slice<'b>>) -> Self {
                    self.results.retain(|(known, _)| *known != Aggregate::$aggregate);
                    self.results.push((Aggregate::$aggregate, output.into()));
                    self
                }
            )*
        }

        impl<K, V: FromResults> Group<K, V> {
            /// Reads the results of groups with these keys, from the arrays of the results of `operation`.
            pub(super) fn read(
                operation: &GroupById,
                keys: impl IntoIterator<Item = K>,
                arrays: &[&[u8]],
            ) -> Result<Vec<Self>, Error> {
                let mut groups: Vec<_> = keys.into_iter().map(|key| Group { key, $($name: None),* }).collect();
                for (aggregate, array) in operation.aggregates.iter().zip(arrays) {
                    let layout = OutputLayout::of("group", aggregate.result(operation.element));
                    let array = &array[..4 * groups.len()];
                    match aggregate {
                        $(Aggregate::$aggregate => {
                            let results = layout.read_all(array)?;
                            groups.iter_mut().zip(results).for_each(|(group, result)| group.$name = Some(result));
                        })*
                    }
                }
                Ok(groups)
            }
        }
    };
}

results! {
    count: Count, sum: Sum, mean: Mean, min: Min, max: Max, variance: Variance, sample_variance: SampleVariance
}

impl<'b> OutputsOf<'b, GroupById> for Outputs<'b> {
    fn slices(self, operation: &GroupById) -> Result<Vec<Option<Slice<'b>>>, Error> {
        for (name, given) in [("keys", self.keys), ("len", self.len)] {
            given.map_or(Ok(()), |_| Err(BufferError::Output { name, is_needed: false }))?;
        }
        self.of(&operation.aggregates)
    }
}

impl<'b> OutputsOf<'b, GroupByKey> for Outputs<'b> {
    fn slices(self, operation: &GroupByKey) -> Result<Vec<Option<Slice<'b>>>, Error> {
        Ok([vec![self.keys, self.len], self.of(&operation.by_id.aggregates)?].concat())
    }
}

/// The outputs of [`ReduceRuns`] and of [`RunLengths`].
#[derive(Clone, Copy, Debug)]
pub struct RunOutputs<K, R, L> {
    /// The key of each run, with the bits of its first one. There is room for as many as there are keys.
    pub keys: K,
    /// The result of each run, [`Monoid::out_size`](crate::reduce::Monoid::out_size) bytes each, or its length, a `u32`. There is room for as
    /// many as there are keys.
    pub results: R,
    /// The number of runs, a `u32` at any multiple of 4 bytes.
    pub len: L,
}

outputs!(RunOutputs<K: keys, R: results, L: len>, ReduceRuns);
outputs!(RunOutputs<K: keys, R: results, L: len>, RunLengths);

/// The results of a group. A result that the operation does not compute is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Group<K, V> {
    /// Its key, or its id.
    pub key: K,
    /// The number of its values.
    pub count: Option<u32>,
    /// Their sum.
    pub sum: Option<V>,
    /// Their mean.
    pub mean: Option<f32>,
    /// The minimum.
    pub min: Option<V>,
    /// The maximum.
    pub max: Option<V>,
    /// The population variance.
    pub variance: Option<f32>,
    /// The sample variance.
    pub sample_variance: Option<f32>,
}

/// The result of a run of equal neighbouring keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run<K, R> {
    /// The key.
    pub key: K,
    /// The result of its values, or their number.
    pub result: R,
}

/// Reads the results of runs, from the arrays of their keys and results and their number.
pub(super) fn runs<K: FromResults, R: FromResults>(
    key: Element,
    layout: &OutputLayout,
    outputs: &[&[u8]],
) -> Result<Vec<Run<K, R>>, Error> {
    let runs = number(outputs[2]);
    let keys = &outputs[0][..key.size() as usize * runs];
    let keys: Vec<K> = OutputLayout::of("keys", key).read_all(keys)?;
    let results: Vec<R> = layout.read_all(&outputs[1][..layout.stride as usize * runs])?;
    Ok(keys.into_iter().zip(results).map(|(key, result)| Run { key, result }).collect())
}

/// The number of keys that an operation has found.
pub(super) fn number(bytes: &[u8]) -> usize {
    bytemuck::pod_read_unaligned::<u32>(bytes) as usize
}
