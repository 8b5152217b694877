use bytemuck::Pod;

use super::*;
use crate::reduce::exact::Accuracy;

fn expected<T: Pod>(op: Op, element: Element, items: &[T]) -> Expected {
    reduce(op, element, bytemuck::cast_slice(items), None).unwrap()
}

fn value<T: Pod>(op: Op, element: Element, items: &[T]) -> Value {
    expected(op, element, items).answer.value().unwrap()
}

#[test]
fn every_operator_has_an_oracle() {
    for &op in Op::ALL {
        for element in Element::ALL {
            let defined = reduce(op, element, &[0; 8], Some(&[0; 8])).is_some();
            assert_eq!(defined, op.is_over(element), "{op} of {element}");
        }
    }
}

#[test]
fn the_first_of_the_best() {
    let at = |value, index| Scalar::At { value, index };
    let floats = [1.0f32, -0.0, 0.0, -0.0, 1.0];
    assert!(expected(Op::ArgMin, Element::F32, &floats).answer.same(at(Value::F32(0.0), 1)));
    assert!(expected(Op::ArgMax, Element::F32, &floats[1..4]).answer.same(at(Value::F32(0.0), 0)));
    assert!(expected(Op::ArgMax, Element::F32, &floats).answer.same(at(Value::F32(1.0), 0)));
    let broken = [f32::INFINITY, f32::NAN, f32::NAN];
    assert!(expected(Op::ArgMin, Element::F32, &broken).answer.same(at(Value::F32(f32::NAN), 1)));
    assert_eq!(expected(Op::ArgMax, Element::I32, &[-5, 3, 3]).answer, at(Value::Signed(3), 1));
    assert_eq!(
        expected::<i32>(Op::ArgMax, Element::I32, &[]).answer,
        at(Value::Signed(-1 << 31), u32::MAX.into())
    );
    let endless = at(Value::F32(f32::INFINITY), 0);
    assert_eq!(expected(Op::ArgMin, Element::F32, &[f32::INFINITY; 2]).answer, endless);
}

#[test]
fn means_of_integers_are_rounded_once() {
    fn mean<T: Pod>(element: Element, items: &[T]) -> Value {
        value(Op::Mean, element, items)
    }
    assert_eq!(mean(Element::U32, &[u32::MAX, u32::MAX, 0]), Value::F32(2_863_311_530.0));
    assert_eq!(mean(Element::U32, &[u32::MAX]), Value::F32(4_294_967_296.0));
    assert_eq!(mean(Element::I32, &[-1, 0, 0]), Value::F32(-1.0 / 3.0));
    assert_eq!(mean(Element::I64, &[i64::MIN, i64::MIN]), Value::F64(i64::MIN as f64));
    assert_eq!(mean(Element::I32, &[-1, 1]), Value::F32(0.0));
    assert!(mean::<u64>(Element::U64, &[]).as_f64().is_nan());
    // 2^24 + 1 lies half way between two floats: it rounds to even, unless there is a remainder.
    assert_eq!(mean(Element::U32, &[(1 << 24) + 1]), Value::F32(16_777_216.0));
    let just_above = [(1 << 24) + 1, (1 << 24) + 1, (1 << 24) + 2];
    assert_eq!(mean(Element::U32, &just_above), Value::F32(16_777_218.0));
}

#[test]
fn a_mean_that_hides_the_variance() {
    // One-pass sums in 32 bits give this wrong variance, which must be refused.
    let items: Vec<f32> = (0..1000).map(|i| 1000.0 + (i % 2) as f32).collect();
    let oracle = expected(Op::Variance, Element::F32, &items);
    assert_eq!(oracle.answer.value(), Some(Value::F32(0.25)));
    let sum: f32 = items.iter().sum();
    let squares: f32 = items.iter().map(|x| x * x).sum();
    let naive = squares / 1000.0 - (sum / 1000.0) * (sum / 1000.0);
    assert!(matches!(oracle.judge(Scalar::One(Value::F32(naive)), 20), Verdict::Wrong(_)), "{naive}");
    assert_eq!(oracle.judge(Scalar::One(Value::F32(0.250_01)), 20), Verdict::Right);
}

#[test]
fn roots_are_bounded_where_the_sum_is_zero() {
    let oracle = expected(Op::Deviation, Element::F32, &[5.0f32; 100]);
    assert_eq!(oracle.judge(Scalar::One(Value::F32(0.0)), 10), Verdict::Right);
    assert!(matches!(oracle.judge(Scalar::One(Value::F32(0.1)), 10), Verdict::Wrong(_)));
}

#[test]
fn log_sum_exp_answers_as_scipy() {
    let of = |items: &[f32]| value(Op::LogSumExp, Element::F32, items);
    assert_eq!(of(&[]), Value::F32(f32::NEG_INFINITY));
    assert_eq!(of(&[f32::NEG_INFINITY; 3]), Value::F32(f32::NEG_INFINITY));
    assert_eq!(of(&[f32::INFINITY, f32::NEG_INFINITY]), Value::F32(f32::INFINITY));
    assert!(of(&[f32::INFINITY, f32::NAN]).as_f64().is_nan());
    assert_eq!(of(&[1000.0, 1000.0]), Value::F32(1000.0 + std::f32::consts::LN_2));
}

#[test]
fn geometric_mean_answers_as_scipy() {
    let of = |items: &[f32]| value(Op::GeometricMean, Element::F32, items);
    assert_eq!(of(&[4.0, 4.0, 4.0]), Value::F32(4.0));
    assert_eq!(of(&[1e30, 1e30, 1e-30, 1e-30]), Value::F32(1.0));
    assert!(of(&[]).same(Value::F32(f32::NAN)) && of(&[1.0, -1.0]).same(Value::F32(f32::NAN)));
    assert!(of(&[0.0, f32::INFINITY]).same(Value::F32(f32::NAN)));
    assert!(of(&[2.0, -0.0]).same(Value::F32(0.0)) && of(&[2.0, 1e-40]).same(Value::F32(0.0)));
    assert_eq!(of(&[2.0, f32::INFINITY]), Value::F32(f32::INFINITY));
}

#[test]
fn log_sum_exp_of_integers_moves_by_what_their_conversion_rounds() {
    let judge = |items: &[i32], got| {
        let oracle = expected(Op::LogSumExp, Element::I32, items);
        oracle.judge(Scalar::One(Value::F32(got)), 10)
    };
    // 2^31 - 1 is not a 32-bit float. Its neighbours are 128 apart.
    assert_eq!(judge(&[i32::MAX], 2_147_483_648.0), Verdict::Right);
    assert!(matches!(judge(&[i32::MAX], 2_147_482_624.0), Verdict::Wrong(_)));
    // Elements that are too far below the peak to matter do not enlarge the bound.
    assert_eq!(judge(&[0, -i32::MAX], 0.000_001), Verdict::Right);
    assert!(matches!(judge(&[0, -i32::MAX], 0.000_1), Verdict::Wrong(_)));
    assert_eq!(value(Op::LogSumExp, Element::U64, &[7u64; 8]), Value::F64(7.0 + 8f64.ln()));
}

#[test]
fn log_sum_exp_of_64_bits_is_held_to_few_units() {
    let oracle = expected(Op::LogSumExp, Element::F64, &[1.0f64, 1.0]);
    let judge = |off: f64| oracle.judge(Scalar::One(Value::F64(1.0 + std::f64::consts::LN_2 + off)), 10);
    assert_eq!(judge(0.0), Verdict::Right);
    assert!(matches!(judge(1e-13), Verdict::Wrong(_)));
}

/// Merges the states of `parts` in this order.
fn merged(op: Op, element: Element, parts: &[impl AsRef<[u8]>]) -> Merger {
    let mut merger = Merger::new(op, element, Accuracy::Fast).unwrap();
    parts.iter().enumerate().for_each(|(part, state)| merger.add(state.as_ref(), 10 * part as u64).unwrap());
    merger
}

#[test]
fn places_count_from_the_start_in_64_bits() {
    let state = |rank: i32, index: u32| [rank.to_ne_bytes(), index.to_ne_bytes()].concat();
    let place = |merger: &Merger| match merger.finish(40) {
        Scalar::At { index, .. } => index,
        other => panic!("{other}"),
    };
    let states = [state(1, 3), state(5, 4), state(5, 0)];
    let mut merger = merged(Op::ArgMax, Element::I32, &states);
    assert_eq!(place(&merger), 14);
    merger.add(&state(6, 7), 1 << 40).unwrap();
    assert_eq!(place(&merger), (1 << 40) + 7);
    // Of equal extremes the smaller index wins, in any order of merging.
    merger.add_at(&state(6, 7), 9).unwrap();
    merger.add_at(&state(6, 7), 11).unwrap();
    assert_eq!(place(&merger), 9);
}

#[test]
fn counts_of_several_parts_are_those_of_all() {
    let merger = merged(Op::CountNonzero, Element::U32, &[u32::MAX.to_ne_bytes(); 2]);
    assert_eq!(merger.finish(1 << 40), Scalar::One(Value::Unsigned(8_589_934_590)));
}

#[test]
fn parts_of_a_variance_keep_both_floats_of_a_mean() {
    let state =
        |n: f64, mean: f64, low: f64, squares: f64| [n, mean, low, squares].map(f64::to_ne_bytes).concat();
    // 1e14, 1e14 + 1/1024 twice, which states have halved: the distance is less than a unit of the mean.
    let (one, two) = (state(1.0, 0.5e14, 0.0, 0.0), state(2.0, 0.5e14, 1.0 / 2048.0, 0.0));
    let nothing = state(0.0, 0.0, 0.0, 0.0);
    let merger = merged(Op::Variance, Element::F64, &[&nothing, &one, &nothing, &two]);
    let expected = (2.0 / 9.0) / 1024.0 / 1024.0;
    assert!((merger.variance(3, 0) / expected - 1.0).abs() < 1e-15);
    assert!((merger.variance(3, 1) / expected / 1.5 - 1.0).abs() < 1e-15);
}

/// Merges float states of one element each and returns the result.
fn of_floats(op: Op, states: &[f64]) -> Value {
    let states: Vec<_> = states.iter().map(|state| state.to_ne_bytes()).collect();
    merged(op, Element::F64, &states).finish(states.len() as u64).value().unwrap()
}

#[test]
fn floats_are_merged_in_64_bits_and_more() {
    assert_eq!(of_floats(Op::Sum, &[1e100, 1.0, -1e100]), Value::F64(1.0));
    assert_eq!(of_floats(Op::Mean, &[1e100, 3.0, -1e100]), Value::F64(1.0));
    assert_eq!(of_floats(Op::L2, &[9.0, 16.0]), Value::F64(5.0));
    let product = of_floats(Op::Product, &[1e300, 1e300, 1e-300, 1e-300]).as_f64();
    assert!((product - 1.0).abs() < 1e-15, "{product}");
    for op in [Op::Sum, Op::Product, Op::Mean, Op::Dot, Op::L1, Op::L2] {
        assert!(of_floats(op, &[1.0, f64::NAN, f64::INFINITY]).as_f64().is_nan(), "{op}");
    }
}

#[test]
fn extremes_keep_signed_zeros_and_nan() {
    let key = |x: f32| {
        let bits = x.to_bits().cast_signed();
        (if bits < 0 { bits ^ i32::MAX } else { bits }).to_ne_bytes()
    };
    let of = |op, parts: [f32; 2]| merged(op, Element::F32, &parts.map(key)).finish(2).value().unwrap();
    assert!(
        of(Op::Min, [0.0, -0.0]).same(Value::F32(-0.0)) && of(Op::Max, [-0.0, 0.0]).same(Value::F32(0.0))
    );
    assert!(of(Op::Max, [f32::NEG_INFINITY, 1.0]).same(Value::F32(1.0)));
    // NaN has the key beyond the infinity, on the side that wins.
    let nan = i32::MAX.to_ne_bytes();
    let with_nan = merged(Op::Max, Element::F32, &[key(f32::INFINITY), nan, key(0.0)]);
    assert!(with_nan.finish(3).value().unwrap().same(Value::F32(f32::NAN)));
}

#[test]
fn infinities_and_nans_of_exponentials_and_logarithms() {
    let of = |op, size: usize, states: &[[u64; 3]]| {
        let states: Vec<_> = states
            .iter()
            .map(|state| state[..size].iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>())
            .collect();
        merged(op, Element::F64, &states).finish(2).value().unwrap()
    };
    let one = 1f64.to_bits();
    for (flags, expected) in [([0, 1], f64::INFINITY), ([1, 2], f64::NAN), ([2, 0], f64::NAN)] {
        let states = flags.map(|flags| [one, one, flags]);
        assert!(of(Op::LogSumExp, 3, &states).same(Value::F64(expected)), "{flags:?}");
    }
    for (flags, expected) in [([0, 1], 0.0), ([2, 0], f64::INFINITY), ([1, 2], f64::NAN), ([4, 0], f64::NAN)]
    {
        let states = flags.map(|flags| [one, flags, 0]);
        assert!(of(Op::GeometricMean, 2, &states).same(Value::F64(expected)), "{flags:?}");
    }
}

#[test]
fn variances_of_integers_are_exact_until_the_end() {
    // A billion ones and a zero: (n - 1) / n².
    let words =
        |n: u64| [n as u32, (n >> 32) as u32, n as u32, (n >> 32) as u32, 0].map(u32::to_ne_bytes).concat();
    let merger = merged(Op::Variance, Element::U32, &[words(1_000_000_000), words(0)]);
    let n = 1_000_000_001u64;
    let expected = 1e9 / n as f64 / n as f64;
    assert!((merger.variance(n, 0) / expected - 1.0).abs() < 4.0 * f64::EPSILON);
    assert!(merger.variance(1, 1).is_nan() || merger.variance(1, 1).is_infinite());
}

#[test]
fn states_are_as_large_as_the_accumulators() {
    for &op in Op::ALL {
        for element in Element::ALL {
            let Ok(monoid) = op.over(element) else { continue };
            for (accuracy, monoid) in
                [(Accuracy::Exact, monoid.exact()), (Accuracy::Fast, Some(monoid.clone()))]
            {
                let size = Merger::new(op, element, accuracy).map(|merger| merger.state_size() as u64);
                assert_eq!(size, monoid.map(|monoid| monoid.acc_size()), "{op} of {element}, {accuracy:?}");
            }
        }
    }
}
