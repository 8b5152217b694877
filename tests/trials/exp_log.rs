//! The exponential and the logarithm of 64-bit floats on the adapter at hand, in units in the last place.
//!
//! The oracle computes with pairs of floats, of 100 bits or more; and is itself compared with a table.

mod pair;

use std::f64::consts::{LN_2, SQRT_2};

use crate::common::{Random, gpu, poisoned, run};
use halofold::reduce::{Arity, Monoid, Op, Options, Reducer, Scalar, ShapeKind};
use halofold::{Element, Slice, Value, wgpu};
use libtest_mimic::Trial;
use pair::Pair;

use crate::{Adapters, Checked, lacking, trial};

/// Largest error of a result, in units in its last place.
const MOST: f64 = 2.0;

/// Random arguments of each test.
const COUNT: usize = 20_000;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exp_log::the_oracle_knows_the_table", Adapters::Every, None, the_oracle_knows_the_table),
        on_gpu("exponential", &function("exponential"), exponential),
        on_gpu("exponential_of_what_is_hardly_normal", &function("exponential"), hardly_normal),
        on_gpu("logarithm", &function("logarithm"), logarithm),
    ]
}

/// A trial on a device with the features that an operator needs.
fn on_gpu(name: &str, monoid: &Monoid, check: impl Fn(&Reducer) -> Checked + Send + 'static) -> Trial {
    let (missing, monoid) = (lacking(monoid.features()), monoid.clone());
    trial(format!("exp_log::{name}"), Adapters::Every, missing, move || {
        let compile = || Reducer::new(&gpu().device, monoid).map_err(|error| error.to_string());
        check(&gpu().watched(compile)?)
    })
}

/// The sum of a function of the piece: over segments of one element, the function itself.
fn function(name: &str) -> Monoid {
    let monoid = Op::LogSumExp.over(Element::F64).expect("f64 has one");
    let stages = Options::default().stages(&monoid, ShapeKind::Segments, &wgpu::Limits::default());
    let module = monoid.compose(stages[0], wgpu::Features::empty()).expect("it has segments");
    let pieces = module.split("// ==== shaders/operators/shared/");
    let text: String = pieces
        .filter(|piece| piece.starts_with("real.wgsl") || piece.starts_with("exp_log.wgsl"))
        .map(|piece| {
            piece
                .lines()
                .skip(1)
                .take_while(|line| !line.starts_with("// ===="))
                .fold(String::new(), |text, line| text + line + "\n")
        })
        .collect();
    let quartet = format!(
        "alias Acc = Real;
fn map(elem: Elem, index: u32) -> Acc {{ return {name}(elem); }}
fn identity() -> Acc {{ return Acc(0); }}
fn combine(a: Acc, b: Acc) -> Acc {{ return a + b; }}
fn finish(acc: Acc, n: u32) -> Acc {{ return acc; }}
"
    );
    Monoid::custom(name, Element::F64, Arity::One, &(text + &quartet)).expect("the pieces are valid WGSL")
}

/// Applies a function to numbers.
fn apply(reducer: &Reducer, numbers: &[f64]) -> Result<Vec<f64>, String> {
    gpu().watched(|| record_and_read(reducer, numbers))
}

fn record_and_read(reducer: &Reducer, numbers: &[f64]) -> Result<Vec<f64>, String> {
    let gpu = gpu();
    let bytes = bytemuck::cast_slice(numbers);
    let buffer = poisoned(gpu, bytes, 0);
    let input = Slice::new(&buffer, 0, bytes.len() as u64);
    let [first, _] = run(gpu, &reducer.of(input).segments(1), None)?;
    let value = |answer: Scalar| answer.value().map_or(f64::NAN, Value::as_f64);
    Ok(Op::Sum.read(Element::F64, &first).into_iter().map(value).collect())
}

/// The distance from a normal number to the next larger one.
fn unit(x: f64) -> f64 {
    let x = x.abs();
    f64::from_bits(x.to_bits() + 1) - x
}

/// The largest error among some results, with its argument.
struct Worst {
    error: f64,
    of: String,
}

impl Worst {
    fn new() -> Self {
        Worst { error: 0.0, of: String::new() }
    }

    /// Takes a result into account, off by this many units.
    fn see(&mut self, error: f64, of: impl FnOnce() -> String) {
        // Not `>`, which is false of a NaN.
        if error.is_nan() || error > self.error {
            *self = Worst { error, of: of() };
        }
    }

    /// Says how large it is, and whether that is too large.
    fn verdict(self, what: &str) -> Checked {
        let Worst { error, of } = self;
        eprintln!("{what}: at most {error:.3} units in the last place, of {of}");
        if error <= MOST { Ok(()) } else { Err(format!("{error} units in the last place, of {of}").into()) }
    }
}

/// Pseudo-random numbers from one to another.
fn uniform(from: f64, to: f64, seed: u64) -> impl Iterator<Item = f64> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || from + (to - from) * ((random.next() >> 11) as f64 / (1u64 << 53) as f64))
}

/// A number and its neighbours.
fn around(x: f64) -> [f64; 3] {
    [x.next_down(), x, x.next_up()]
}

fn the_oracle_knows_the_table() -> Checked {
    for (function, x, high, low) in pair::TABLE {
        let Pair(a, b) = if function == "exp" { Pair::exp(Pair::from(x)) } else { Pair::ln(Pair::from(x)) };
        let error = ((a - high) + (b - low)).abs() / high.abs();
        let is_near = error <= (-95f64).exp2();
        assert!(is_near, "{function} {x:e}: {a:e} + {b:e} instead of {high:e} + {low:e}");
    }
    Ok(())
}

/// Compares a function with the oracle, for arguments whose results are normal.
fn compare(reducer: &Reducer, arguments: &[f64], oracle: fn(Pair) -> Pair, what: &str) -> Checked {
    let mut worst = Worst::new();
    for (&x, got) in arguments.iter().zip(apply(reducer, arguments)?) {
        let exact = oracle(Pair::from(x));
        worst.see(exact.distance(got) / unit(exact.0), || format!("{x:e}"));
    }
    worst.verdict(what)
}

fn exponential(reducer: &Reducer) -> Checked {
    let mut arguments: Vec<_> = uniform(-708.3, 709.78, 1).take(COUNT).collect();
    arguments.extend(uniform(-2.0, 2.0, 2).take(COUNT));
    // Of every size.
    arguments.extend(
        uniform(-60.0, 9.0, 3)
            .take(COUNT)
            .enumerate()
            .map(|(i, x)| if i % 2 == 0 { x.exp2() } else { -x.exp2() }),
    );
    // Arguments at which one power of two follows another.
    arguments.extend((-1021..1023).flat_map(|k| around((f64::from(k) + 0.5) * LN_2)));
    arguments.extend((-1021..1023).flat_map(|k| around(f64::from(k) * LN_2)));
    arguments.extend([0.0, -0.0, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 709.782_712_893_383_9, -708.396]);
    compare(reducer, &arguments, Pair::exp, "exp")?;
    let ends = apply(reducer, &[0.0, -0.0, 709.782_712_893_384_1, 1400.0, -745.2, -1400.0])?;
    let right = [1.0, 1.0, f64::INFINITY, f64::INFINITY, 0.0, 0.0];
    if ends == right { Ok(()) } else { Err(format!("{ends:?} instead of {right:?}").into()) }
}

/// Rounded twice at most; or zero, on a device that flushes such numbers: then all of them.
fn hardly_normal(reducer: &Reducer) -> Checked {
    let arguments: Vec<_> = uniform(-744.0, -708.397, 4).take(COUNT).collect();
    let results = apply(reducer, &arguments)?;
    let flushed = results.iter().filter(|x| **x == 0.0).count();
    eprintln!("exp: {flushed} of {COUNT} results below the normal ones are zero");
    if flushed == COUNT {
        return Ok(());
    }
    let unit = f64::from_bits(1);
    for (x, got) in arguments.into_iter().zip(results) {
        // From the normal range, where the oracle has all digits.
        let exact = Pair::exp(Pair::from(x) + Pair::from(100.0)).0 * Pair::exp(Pair::from(-100.0)).0;
        let off = (got - exact).abs() / unit;
        assert!(off <= MOST, "of {x:e}: {got:e} instead of {exact:e}");
    }
    Ok(())
}

fn logarithm(reducer: &Reducer) -> Checked {
    let mut random = Random::new(5);
    let normal = f64::MIN_POSITIVE.to_bits()..f64::INFINITY.to_bits();
    let any = || f64::from_bits(normal.start + random.next() % (normal.end - normal.start));
    let mut arguments: Vec<_> = std::iter::repeat_with(any).take(COUNT).collect();
    arguments.extend(uniform(0.5, 2.0, 6).take(COUNT));
    arguments.extend(uniform(-52.0, -1.0, 7).take(COUNT).flat_map(|x| [1.0 - x.exp2(), 1.0 + x.exp2()]));
    arguments.extend((-1021..1023).flat_map(|k| around(f64::from(k).exp2())));
    arguments.extend((-1021..1023).flat_map(|k| around(f64::from(k).exp2() * SQRT_2)));
    arguments.extend([f64::MIN_POSITIVE, f64::MAX]);
    // Its logarithm, 0, has no last place.
    arguments.retain(|x| *x != 1.0);
    compare(reducer, &arguments, Pair::ln, "log")?;
    let of_one = apply(reducer, &[1.0])?;
    if of_one == [0.0] { Ok(()) } else { Err(format!("{of_one:?} instead of 0").into()) }
}
