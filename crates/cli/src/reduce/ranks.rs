//! Order statistics: medians, quantiles and the largest elements of each line.

use halofold::rank::{Method, Quantiles, Ranked, TopK, between};
use halofold::reduce::{Op, Scalar};
use halofold::{Compiled, Cut, Element, Options, Value};
use halofold_fleet::host::Batch;

use super::block::Block;
use super::op;
use crate::failure::Failure;
use crate::files::Stored;
use crate::gpu::Gpu;

const AT_ONCE: usize = 64;

#[derive(Clone, Copy, Debug)]
pub struct Quantile {
    /// The quantile, from 0 to 1; `None` for a median.
    pub q: Option<f64>,
    pub method: Method,
}

impl Quantile {
    fn position(self, n: u64) -> (u64, u64, f64) {
        self.method.position(self.q.unwrap_or(0.5), n)
    }

    /// Returns the result's type: medians are means; other interpolated results have 64 bits.
    pub fn dtype(self, stored: Stored) -> Stored {
        match self.q {
            None => op::dtype(Op::Mean, stored),
            Some(_) if self.method.is_discrete() => op::dtype(Op::Min, stored),
            Some(_) => Element::F64.into(),
        }
    }

    fn value(self, stored: Stored, ends: [Value; 2], gamma: f64) -> Value {
        let is_nan = ends.iter().any(|end| end.as_f64().is_nan());
        match (self.dtype(stored), self.q) {
            _ if self.q.is_some() && self.method.is_discrete() => ends[0],
            (_, Some(_)) if !is_nan => Value::F64(between(ends[0], ends[1], gamma)),
            (dtype, _) => {
                let middle = if is_nan { f64::NAN } else { middle(ends) };
                if dtype == Element::F32.into() { Value::F32(middle as f32) } else { Value::F64(middle) }
            }
        }
    }
}

/// Returns the mean of two elements, rounded once.
fn middle(ends: [Value; 2]) -> f64 {
    match ends {
        [Value::Unsigned(_), _] | [Value::Signed(_), _] => between(ends[0], ends[1], 0.5),
        floats => {
            let [low, high] = floats.map(Value::as_f64);
            low.midpoint(high)
        }
    }
}

/// Finds quantiles of each of `lines` lines: per quantile, a result per line; `None` for lines without elements.
pub fn quantiles(
    gpu: &Gpu,
    block: &Block,
    stored: Stored,
    quantiles: &[Quantile],
    lines: usize,
) -> Result<Vec<Vec<Option<Scalar>>>, Failure> {
    let mut results = vec![vec![None; lines]; quantiles.len()];
    let batches = &block.lines.batches;
    // A NaN has the last rank and is the result of its line.
    let ranks_of = |len: u64| {
        let ends = quantiles.iter().flat_map(move |quantile| {
            let (lower, upper, _) = quantile.position(len);
            [lower, upper]
        });
        ends.chain([len - 1])
    };
    let mut ranks: Vec<u64> = batches.iter().flat_map(|batch| ranks_of(batch.len as u64)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let found = ranks.chunks(AT_ONCE).map(|ranks| nth(gpu, block, ranks)).collect::<Result<Vec<_>, _>>()?;
    let rows = batches.iter().flat_map(|batch| batch.lines.iter().map(|line| (batch.len as u64, *line)));
    for (row, (len, line)) in rows.enumerate() {
        let nth = |rank: u64| {
            let place = ranks.binary_search(&rank).unwrap_or_default();
            let of_line = (ranks.len() - place / AT_ONCE * AT_ONCE).min(AT_ONCE);
            found[place / AT_ONCE][row * of_line + place % AT_ONCE]
        };
        let last = nth(len - 1);
        for (quantile, results) in quantiles.iter().zip(&mut results) {
            let (lower, upper, gamma) = quantile.position(len);
            let ends = if last.as_f64().is_nan() { [last; 2] } else { [nth(lower), nth(upper)] };
            results[line as usize] = Some(Scalar::One(quantile.value(stored, ends, gamma)));
        }
    }
    Ok(results)
}

/// Finds the elements with these ranks in each line. A line without such a rank gives any element.
fn nth(gpu: &Gpu, block: &Block, ranks: &[u64]) -> Result<Vec<Value>, Failure> {
    let quantiles = Quantiles::nth(block.element, ranks.iter().copied());
    gpu.attempt(|| {
        let quantiles = Compiled::new(&gpu.device, quantiles, &Options::default()).map_err(Failure::usage)?;
        let request = quantiles.of(block.elements()).cut(cut(&block.lines.batches));
        request.run(&gpu.queue).map_err(Failure::usage)
    })
}

/// Finds the `k` largest or smallest elements of each of `lines` lines, sorted; shorter lines give fewer. Indices count within the array's
/// line.
pub fn top(
    gpu: &Gpu,
    block: &Block,
    (k, is_smallest): (u32, bool),
    lines: usize,
) -> Result<Vec<Vec<Scalar>>, Failure> {
    let mut results = vec![Vec::new(); lines];
    let batches = &block.lines.batches;
    let Some(longest) = batches.iter().map(|batch| batch.len).max() else { return Ok(results) };
    let k = k.min(longest as u32);
    let found = gpu.attempt(|| {
        let top = TopK::new(block.element, k);
        let top = if is_smallest { top.smallest() } else { top };
        Compiled::new(&gpu.device, top, &Options::default())
            .map_err(Failure::usage)?
            .of(block.elements())
            .cut(cut(batches))
            .run::<Ranked<Value>>(&gpu.queue)
            .map_err(Failure::usage)
    })?;
    let mut found = found.into_iter();
    for batch in batches {
        for (row, line) in batch.lines.iter().enumerate() {
            let of_line = found.by_ref().take((k as usize).min(batch.len));
            let placed = |Ranked { value, index }| Scalar::At {
                value,
                index: block.lines.place(batch, row, index.into()),
            };
            results[*line as usize] = of_line.map(placed).collect();
        }
    }
    Ok(results)
}

fn cut(batches: &[Batch]) -> Cut {
    match batches {
        [batch] if batch.lines.len() == 1 => Cut::All,
        [batch] => Cut::Rows(batch.len as u64),
        batches => Cut::Segments(offsets(batches).into()),
    }
}

/// Returns the offset of each line's first element, and the end of the last line.
fn offsets(batches: &[Batch]) -> Vec<u32> {
    let starts = batches
        .iter()
        .flat_map(|batch| (0..batch.lines.len()).map(|row| (batch.start + row * batch.len) as u32));
    let end = batches.last().map_or(0, |batch| (batch.start + batch.len * batch.lines.len()) as u32);
    starts.chain([end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_two_elements_is_between_them() {
        let median = Quantile { q: None, method: Method::Linear };
        let value = |stored: Stored, ends| median.value(stored, ends, 0.5);
        assert_eq!(value(Element::I32.into(), [Value::Signed(-3), Value::Signed(4)]), Value::F64(0.5));
        assert_eq!(value(Element::F32.into(), [Value::F32(f32::MAX); 2]), Value::F32(f32::MAX));
        assert_eq!(value(Element::I64.into(), [i64::MIN, i64::MAX].map(Value::Signed)), Value::F64(-0.5));
        assert_eq!(value(Element::I64.into(), [1 - (1 << 62), 1 << 62].map(Value::Signed)), Value::F64(0.5));
        assert_eq!(
            value(Element::U64.into(), [u64::MAX; 2].map(Value::Unsigned)),
            Value::F64(u64::MAX as f64)
        );
    }
}
