//! Expected results of the calls, from one period of the input.

use halofold::reduce::reference;
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Value};

use crate::cases::{Case, Task};
use crate::pool::{PERIOD, Pools};

/// Relative tolerance of floats that are not exact.
const NEAR: f64 = 1e-5;

/// Results, in the order of the output.
pub enum Expected {
    /// One.
    One(Op, Element, Scalar),
    /// One, to the last bit.
    Exact(Op, Element, Scalar),
    /// Bytes of as many as are wanted, which repeat.
    Bytes(Vec<u8>),
}

impl Expected {
    /// The result of so many calls that add to one output.
    pub fn of_all(case: &Case, pools: &Pools<'_>, count: u64) -> Self {
        let results = (0..count).map(|number| whole(case, pools, pools.first.start(case.n, number)));
        let total = results.filter_map(Scalar::value).map(Value::as_f64).sum::<f64>();
        Expected::One(case.op, case.element, Scalar::One(Value::F32(total as f32)))
    }

    /// The results of a case over the inputs of the call of a number.
    pub fn of(case: &Case, pools: &Pools<'_>, number: u64) -> Self {
        let Case { n, task, .. } = *case;
        let start = pools.first.start(n, number);
        let block = &pools.first.block;
        match task {
            Task::Whole | Task::Counted | Task::Accumulate => {
                Expected::One(case.op, case.element, whole(case, pools, start))
            }
            // After a period they repeat.
            Task::Fixed(len) => Prefix::of(block).between((0..=PERIOD.min(n)).step_by(len as usize), start),
            Task::Offsets(_) | Task::Skewed => {
                Prefix::of(block).between(task.offsets(n).into_iter().map(u64::from), start)
            }
            Task::Axis(array) => floats(&columns(block, array, start)),
        }
    }

    /// Checks some bytes of the results, from byte `at` on.
    pub fn check(&self, at: u64, got: &[u8]) -> Result<(), String> {
        match self {
            Expected::One(op, element, expected) | Expected::Exact(op, element, expected) => {
                let is_right = |answer: &Scalar| match self {
                    Expected::Exact(..) => answer.same(*expected),
                    _ => alike(*answer, *expected),
                };
                let answer = op.read(*element, got).first().copied();
                match answer.filter(is_right) {
                    Some(_) => Ok(()),
                    None => Err(format!("got {answer:?}, expected {expected}")),
                }
            }
            Expected::Bytes(expected) => {
                let mut from = (at % expected.len() as u64) as usize;
                let mut rest = got;
                while !rest.is_empty() {
                    let (now, later) = rest.split_at(rest.len().min(expected.len() - from));
                    if now != &expected[from..][..now.len()] {
                        let byte = at as usize + got.len() - rest.len();
                        return Err(format!("a result is wrong behind byte {byte} of the output"));
                    }
                    (rest, from) = (later, 0);
                }
                Ok(())
            }
        }
    }
}

/// The result of everything: the reference's of one period, multiplied by the number of periods.
fn whole(case: &Case, pools: &Pools<'_>, start: u64) -> Scalar {
    let (first, times) = pools.first.repeated(start, case.n);
    let second = (case.op == Op::Dot).then(|| pools.second.repeated(start, case.n).0);
    let expected = reference::reduce(case.op, case.element, first, second);
    let answer = expected.expect("the cases are defined").answer;
    let Scalar::One(value) = answer else { return answer };
    Scalar::One(match case.op {
        Op::Sum | Op::Dot => multiplied(case.element, value, times),
        Op::L2 => mapped(value, |norm| norm * (times as f64).sqrt()),
        Op::LogSumExp => mapped(value, |log| log + (times as f64).ln()),
        _ => value,
    })
}

/// A sum, this many times; integers wrap.
fn multiplied(element: Element, value: Value, times: u64) -> Value {
    match value {
        Value::Unsigned(x) if element == Element::U32 => {
            Value::Unsigned((x as u32).wrapping_mul(times as u32).into())
        }
        Value::Unsigned(x) => Value::Unsigned(x.wrapping_mul(times)),
        Value::Signed(x) if element == Element::I32 => {
            Value::Signed((x as i32).wrapping_mul(times as i32).into())
        }
        Value::Signed(x) => Value::Signed(x.wrapping_mul(times as i64)),
        float => mapped(float, |x| x * times as f64),
    }
}

/// A float, changed.
fn mapped(value: Value, change: impl Fn(f64) -> f64) -> Value {
    match value {
        Value::F32(x) => Value::F32(change(x.into()) as f32),
        other => Value::F64(change(other.as_f64())),
    }
}

/// Equal, or near where the expected value is no whole number: then additions round.
fn alike(got: Scalar, expected: Scalar) -> bool {
    match (got, expected) {
        (Scalar::One(got), Scalar::One(expected)) if expected.as_f64().fract() != 0.0 => {
            (got.as_f64() - expected.as_f64()).abs() <= NEAR * expected.as_f64().abs()
        }
        _ => got.same(expected),
    }
}

/// Prefix sums of a period, which repeats without end.
struct Prefix(Vec<f64>);

impl Prefix {
    fn of(block: &[u8]) -> Self {
        let mut sum = 0.0;
        let sums = elements(block).map(|x| {
            sum += f64::from(x);
            sum
        });
        Prefix([0.0].into_iter().chain(sums).collect())
    }

    /// The sum of the first `n` elements.
    fn up_to(&self, n: u64) -> f64 {
        let all = self.0[PERIOD as usize];
        all * (n / PERIOD) as f64 + self.0[(n % PERIOD) as usize]
    }

    /// The sums between neighbours, counted from `start` on.
    fn between(&self, offsets: impl Iterator<Item = u64>, start: u64) -> Expected {
        let sums: Vec<f64> = offsets.map(|offset| self.up_to(start + offset)).collect();
        let between: Vec<f32> = sums.windows(2).map(|pair| (pair[1] - pair[0]) as f32).collect();
        floats(&between)
    }
}

/// The sums of the middle axis of an array that begins at `start`.
fn columns(block: &[u8], [outer, len, inner]: [u64; 3], start: u64) -> Vec<f32> {
    let items: Vec<f32> = elements(block).collect();
    let mut sums = vec![0.0; (outer * inner) as usize];
    for (slab, sums) in (0..).zip(sums.chunks_exact_mut(inner as usize)) {
        for row in 0..len {
            let from = (start + (slab * len + row) * inner) % PERIOD;
            for (sum, item) in sums.iter_mut().zip(&items[from as usize..]) {
                *sum += item;
            }
        }
    }
    sums
}

fn elements(block: &[u8]) -> impl Iterator<Item = f32> {
    block.chunks_exact(4).map(bytemuck::pod_read_unaligned)
}

fn floats(values: &[f32]) -> Expected {
    Expected::Bytes(bytemuck::cast_slice(values).to_vec())
}
