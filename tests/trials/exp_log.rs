//! The exponential and the logarithm of 64-bit floats on the adapter at hand, beside the standard library's.

use std::f64::consts::{LN_2, SQRT_2};
use std::iter::repeat_with;

use halofold::reduce::{Arity, Monoid, Op, Reduce, ShapeKind};
use halofold::{Element, Slice, Value, wgpu};
use halofold_cases::How;
use libtest_mimic::Trial;

use crate::common::{Random, compile, gpu, poisoned, run};
use crate::{Checked, lacking, trial, watched};

/// Largest distance of a result from the standard library's, in units in its last place.
const MOST: f64 = 2.0;

/// Random arguments of each kind.
const COUNT: usize = 20_000;

pub fn trials() -> Vec<Trial> {
    vec![on_gpu("exponential", f64::exp, of_exponential), on_gpu("logarithm", f64::ln, of_logarithm)]
}

fn on_gpu(name: &str, function: fn(f64) -> f64, arguments: fn() -> Vec<f64>) -> Trial {
    let monoid = sum_of(name);
    let missing = lacking(monoid.features());
    trial(format!("exp_log::{name}"), true, missing, move || {
        watched(gpu(), || compare(monoid, function, &arguments()))
    })
}

/// The sum of a function of `exp_log.wgsl`: over segments of one element, the function itself.
fn sum_of(function: &str) -> Monoid {
    let monoid = Op::LogSumExp.over(Element::F64).expect("f64 has one");
    let stages = How::default().stages(&monoid, ShapeKind::Segments, &wgpu::Limits::default());
    let module = monoid.compose(stages[0], monoid.features()).expect("it has segments");
    let pieces = module.split("// ==== shaders/operators/shared/");
    let pieces = pieces.filter(|piece| piece.starts_with("real.wgsl") || piece.starts_with("exp_log.wgsl"));
    let lines = pieces.flat_map(|one| one.lines().skip(1).take_while(|line| !line.starts_with("// ====")));
    let text = lines.collect::<Vec<_>>().join("\n");
    let quartet = format!(
        "
alias Acc = Real;
fn map(elem: Elem, index: u32) -> Acc {{ return {function}(elem); }}
fn identity() -> Acc {{ return Acc(0); }}
fn combine(a: Acc, b: Acc) -> Acc {{ return a + b; }}
fn finish(acc: Acc, n: u32) -> Acc {{ return acc; }}
"
    );
    Monoid::custom(function, Element::F64, Arity::One, &(text + &quartet)).expect("the pieces are valid WGSL")
}

fn compare(monoid: Monoid, function: fn(f64) -> f64, arguments: &[f64]) -> Checked {
    let bytes = bytemuck::cast_slice(arguments);
    let buffer = poisoned(gpu(), bytes, 0);
    let reducer = compile(&gpu().device, Reduce::new(monoid))?;
    let input = Slice::new(&buffer, 0, bytes.len() as u64);
    let [first, _] = run(gpu(), &reducer.of(input).segments(1), None)?;
    let results = Op::Sum.read(Element::F64, &first).into_iter();
    let results: Vec<_> = results.map(|got| got.value().map_or(f64::NAN, Value::as_f64)).collect();

    let pairs = || arguments.iter().map(|x| (*x, function(*x))).zip(&results);
    // A device may flush subnormal results to zero: then all of them.
    let flushes = pairs().all(|((_, exact), got)| !exact.is_subnormal() || *got == 0.0);
    for ((x, exact), &got) in pairs() {
        let unit = f64::from_bits(exact.abs().to_bits() + 1) - exact.abs();
        let is_near = got == exact || (got - exact).abs() <= MOST * unit;
        assert!(is_near || (flushes && exact.is_subnormal()), "of {x:e}: {got:e} instead of {exact:e}");
    }
    Ok(())
}

/// Pseudo-random numbers from one to another.
fn uniform(from: f64, to: f64, seed: u64) -> impl Iterator<Item = f64> {
    let mut random = Random::new(seed);
    let unit = move || (random.next() >> 11) as f64 / (1u64 << 53) as f64;
    repeat_with(unit).map(move |unit| from + (to - from) * unit).take(COUNT)
}

/// Places at which one power of two follows another, with their neighbours.
fn edges(of: impl Fn(f64) -> [f64; 2]) -> impl Iterator<Item = f64> {
    (-1021..1023).flat_map(move |k| of(k.into())).flat_map(|x| [x.next_down(), x, x.next_up()])
}

/// Arguments of every size; the third kind has subnormal results. At the ends the results are 1, infinity and zero.
fn of_exponential() -> Vec<f64> {
    let small = f64::MIN_POSITIVE;
    let ends = [0.0, -0.0, small, -small, 709.782_712_893_383_9, 709.782_712_893_384_1, -708.396, 1400.0];
    uniform(-708.3, 709.78, 1)
        .chain(uniform(-2.0, 2.0, 2))
        .chain(uniform(-744.0, -708.397, 4))
        .chain(uniform(-60.0, 9.0, 3).zip([1.0, -1.0].into_iter().cycle()).map(|(x, sign)| sign * x.exp2()))
        .chain(edges(|k| [(k + 0.5) * LN_2, k * LN_2]))
        .chain(ends)
        .chain([-745.2, -1400.0])
        .collect()
}

/// All normal numbers, and many near 1.
fn of_logarithm() -> Vec<f64> {
    let mut random = Random::new(5);
    let (first, end) = (f64::MIN_POSITIVE.to_bits(), f64::INFINITY.to_bits());
    let any = repeat_with(|| f64::from_bits(first + random.next() % (end - first))).take(COUNT);
    any.chain(uniform(0.5, 2.0, 6))
        .chain(uniform(-52.0, -1.0, 7).flat_map(|x| [1.0 - x.exp2(), 1.0 + x.exp2()]))
        .chain(edges(|k| [k.exp2(), k.exp2() * SQRT_2]))
        .chain([f64::MIN_POSITIVE, 1.0, f64::MAX])
        .collect()
}
