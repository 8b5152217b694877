//! Reductions on the CPU to compare with: one thread, as in the documents, or all threads.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use half::f16;
use halofold::reduce::reference::{Expected, Verdict};
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Value};
use rayon::prelude::*;

use crate::meter::Rejection;
use crate::row::{LadderWork, Machine, Row, Status, significant};
use crate::statistics::Summary;

/// Pieces per thread: several, so that a delayed thread does not delay the rest.
const PIECES_PER_THREAD: usize = 4;

/// The fewest elements that are worth another thread.
const SMALLEST_PIECE: usize = 4096;

/// Shortest sample. Short work is repeated, so that the clock's resolution does not matter.
const SAMPLE: Duration = Duration::from_micros(100);

const SAMPLES: (usize, usize) = (3, 101);

/// Returns the number of threads of `all_threads`.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Returns the name that a CPU row has instead of a rung.
pub const fn rung(all_threads: bool) -> &'static str {
    if all_threads { "cpu-all-threads" } else { "cpu-one-thread" }
}

/// A computation, and its number of threads.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The operator.
    pub op: Op,
    /// The type of the elements.
    pub element: Element,
    /// The elements.
    pub bytes: &'a [u8],
    /// True for all threads, false for one.
    pub all_threads: bool,
}

/// Measures a reduction on the CPU: verified, and timed if the result is right.
///
/// `blank` describes the computation; fields that only GPUs have are cleared.
pub fn row(blank: Row, work: Work<'_>, expected: &Expected, budget: Duration) -> Row {
    let rung = rung(work.all_threads).to_owned();
    let what = LadderWork { rung, finish: None, workgroup_size: None, ..blank.what };
    let machine = Machine { adapter: "CPU".to_owned(), backend: "cpu".to_owned() };
    let mut row = Row { what, machine, ..blank };
    let Some(verdict) = verify(work, expected) else {
        row.reason = Some(format!("the CPU has no plain loop for `{}`", work.op));
        return row;
    };
    if let Err(rejection) = Rejection::check(verdict) {
        row.reject(rejection);
    } else {
        row.status = Status::Pass;
        let ms = time(budget, || reduce(Work { bytes: black_box(work.bytes), ..work })).median;
        row.figures.wall_ms_median = Some(significant(ms));
        row.figures.gb_per_s = Some(significant(work.bytes.len() as f64 / 1e6 / ms));
        row.times.timing = Some("wall".to_owned());
    }
    row
}

/// Compares the CPU's value with the reference's; `None` if the CPU computes none.
fn verify(work: Work<'_>, expected: &Expected) -> Option<Verdict> {
    // One addition per element, and with several threads one more for the piece.
    let depth = work.bytes.len() as u64 / work.element.size() + 1;
    reduce(work).map(|value| expected.judge(Scalar::One(value), depth))
}

/// Times work within the budget, in milliseconds. The first run, which may start threads or fault in memory, does not
/// count.
fn time<T>(budget: Duration, work: impl Fn() -> T) -> Summary {
    let batch = |repeats: u32| {
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(work());
        }
        start.elapsed()
    };
    batch(1);
    let once = batch(1).max(Duration::from_nanos(1));
    let repeats = SAMPLE.as_nanos().div_ceil(once.as_nanos()) as u32;
    let (fewest, most) = SAMPLES;
    let mut ms = Vec::new();
    let start = Instant::now();
    while ms.len() < fewest || (ms.len() < most && start.elapsed() < budget) {
        ms.push(batch(repeats).as_secs_f64() * 1e3 / f64::from(repeats));
    }
    Summary::of(&ms).expect("a measurement has at least three samples")
}

impl Work<'_> {
    /// Maps each element to an accumulator and combines them.
    fn fold<E: Pod + Sync, A: Copy + Send + Sync>(
        self,
        identity: A,
        map: impl Fn(E) -> A + Sync,
        combine: impl Fn(A, A) -> A + Sync,
    ) -> A {
        let elements: &[E] = bytemuck::cast_slice(self.bytes);
        let plain_loop = |elements: &[E]| elements.iter().fold(identity, |acc, &x| combine(acc, map(x)));
        if !self.all_threads {
            return plain_loop(elements);
        }
        let piece = elements.len().div_ceil(PIECES_PER_THREAD * threads()).max(SMALLEST_PIECE);
        let one = |nth: usize| plain_loop(&elements[nth * piece..elements.len().min((nth + 1) * piece)]);
        in_parallel(elements.len().div_ceil(piece), &one).into_iter().fold(identity, combine)
    }
}

/// Runs pieces on all threads. Takes a reference, so that rayon is not compiled for every operator.
fn in_parallel<A: Send>(pieces: usize, one: &(dyn Fn(usize) -> A + Sync)) -> Vec<A> {
    (0..pieces).into_par_iter().map(one).collect()
}

/// The operators over an integer type; wide ones compute in a wider type.
macro_rules! integers {
    ($elements:ident, $operator:ident, $type:ident => $value:ident, $wide:ident => $wide_value:ident) => {
        match $operator {
            Op::Sum => Value::$value($elements.fold(0, |x: $type| x, $type::wrapping_add).into()),
            Op::Product => Value::$value($elements.fold(1, |x: $type| x, $type::wrapping_mul).into()),
            Op::Min => Value::$value($elements.fold($type::MAX, |x| x, $type::min).into()),
            Op::Max => Value::$value($elements.fold($type::MIN, |x| x, $type::max).into()),
            Op::WideSum => {
                Value::$wide_value($elements.fold(0, |x: $type| $wide::from(x), $wide::wrapping_add))
            }
            Op::WideProduct => {
                Value::$wide_value($elements.fold(1, |x: $type| $wide::from(x), $wide::wrapping_mul))
            }
            _ => return None,
        }
    };
}

/// The operators over a float type.
macro_rules! floats {
    ($elements:ident, $operator:ident, $map:expr, $acc:ident => $value:ident) => {
        Some(Value::$value(match $operator {
            Op::Sum => $elements.fold(0.0, $map, |a: $acc, b| a + b),
            Op::Product => $elements.fold(1.0, $map, |a: $acc, b| a * b),
            Op::Min => $elements.fold($acc::INFINITY, $map, $acc::min),
            Op::Max => $elements.fold($acc::NEG_INFINITY, $map, $acc::max),
            _ => return None,
        }))
    };
}

/// Reduces elements; `None` unless the operator is one of these six and defined for the type.
///
/// This is the plain loop that a program would first write: floats are combined in order, in the accumulator's type. Minima and
/// maxima ignore NaNs, which generated data does not have. Several threads reduce pieces in the same way, and the pieces'
/// results are combined in order.
fn reduce(elements: Work<'_>) -> Option<Value> {
    let operator = elements.op;
    if !operator.is_over(elements.element) {
        return None;
    }
    match elements.element {
        Element::U32 => Some(integers!(elements, operator, u32 => Unsigned, u64 => Unsigned)),
        Element::I32 => Some(integers!(elements, operator, i32 => Signed, i64 => Signed)),
        Element::U64 => Some(integers!(elements, operator, u64 => Unsigned, i128 => Wide)),
        Element::I64 => Some(integers!(elements, operator, i64 => Signed, i128 => Wide)),
        Element::F32 => floats!(elements, operator, |x: f32| x, f32 => F32),
        Element::F16 => floats!(elements, operator, f16::to_f32, f32 => F32),
        Element::F64 => floats!(elements, operator, |x: f64| x, f64 => F64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use halofold::reduce::reference;

    use super::*;
    use crate::dataset::Host;

    const SIX: [Op; 6] = [Op::Sum, Op::Product, Op::Min, Op::Max, Op::WideSum, Op::WideProduct];

    #[test]
    fn one_thread_and_all_agree_with_the_reference() {
        for element in Element::ALL {
            for op in SIX {
                for len in [0, 1, 1000, 3 * SMALLEST_PIECE as u64 + 1] {
                    let host = Host::generate(op, element, len);
                    let expected = reference::reduce(op, element, host.bytes(), None);
                    for all_threads in [false, true] {
                        let work = Work { op, element, bytes: host.bytes(), all_threads };
                        let verdict = expected.map(|expected| verify(work, &expected));
                        let right = op.is_over(element).then_some(Some(Verdict::Right));
                        assert_eq!(verdict, right, "{op} of {len} {element}, all: {all_threads}");
                    }
                }
            }
        }
    }
}
