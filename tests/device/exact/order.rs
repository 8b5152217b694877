//! Operators that compare 64-bit floats, on a device without 64-bit types: their results are those of a device that has
//! them, and of the CPU.

use halofold::Element;
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Op, Options, Reducer, Scalar};
use halofold::wgpu::Features;

use super::arrays::{Fields, Hard, array};
use crate::common::{Gpu, gpu, in_turn, without};
use crate::cut::Cut;

/// Operators that read floats as their bits.
const COMPARING: [Op; 9] =
    [Op::Min, Op::Max, Op::MinMax, Op::ArgMin, Op::ArgMax, Op::MaxNorm, Op::CountNonzero, Op::Any, Op::All];

/// A device without any type of 64 bits.
fn narrow() -> Gpu {
    without(Features::SHADER_F64 | Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS)
}

fn reducer(gpu: &Gpu, op: Op, to_states: bool) -> Reducer {
    let options = Options::default().with_to_states(to_states);
    Reducer::with_options(&gpu.device, op.over(Element::F64).unwrap(), options).unwrap()
}

/// The bytes of what an operator makes of 64-bit floats.
fn output(gpu: &Gpu, reducer: &Reducer, cut: &Cut, bytes: &[u8]) -> Vec<u8> {
    cut.hold(gpu, 8, &[bytes]).reduce(gpu, reducer)
}

#[test]
fn needs_no_64_bit_types() {
    let narrow = narrow();
    let whole = [0, 1, 2, 3, 5, 64, 1000, 4099].map(|len| Cut::whole(len).at(len % 3));
    // Short ones, empty ones, and one that tiles are cut from.
    let segments = Cut::between(vec![0, 3, 3, 1000, 40_000, 60_000], 60_000).at(1);
    for op in COMPARING {
        let reducer = reducer(&narrow, op, false);
        for (number, hard) in Hard::ALL.into_iter().enumerate() {
            for cut in whole.iter().chain((hard == Hard::Anything).then_some(&segments)) {
                let bytes = array(hard, Element::F64, cut.len, (cut.len + number) as u64);
                let got = op.read(Element::F64, &output(&narrow, &reducer, cut, &bytes));
                assert_eq!(got.len(), cut.groups().len());
                for (got, group) in got.into_iter().zip(cut.groups()) {
                    let part: Vec<u8> = group.flat_map(|at| &bytes[8 * at..8 * at + 8]).copied().collect();
                    let expected = reference::reduce(op, Element::F64, &part, None).unwrap();
                    assert_eq!(expected.judge(got, 1), Verdict::Right, "{op} of {hard:?}, {cut}: {got}");
                }
            }
        }
    }
}

#[test]
fn same_bytes_with_and_without_64_bit_integers() {
    if !gpu().device.features().contains(Features::SHADER_INT64) {
        eprintln!("same_bytes_with_and_without_64_bit_integers: the adapter lacks SHADER_INT64");
        return;
    }
    let narrow = narrow();
    let cuts = [
        Cut::whole(60_000),
        Cut::segments(30, 2000),
        Cut::segments(30_000, 2),
        Cut::axis([5, 600, 20]),
        Cut::strided(3, 60_000),
    ];
    for (turn, op) in COMPARING.into_iter().enumerate() {
        for to_states in in_turn([false, true], 2, turn) {
            let reducers = [gpu(), &narrow].map(|gpu| (gpu, reducer(gpu, op, to_states)));
            for hard in [Hard::Patterns, Hard::Anything, Hard::Special, Hard::Zeros] {
                let bytes = array(hard, Element::F64, 60_000, 9);
                // A stride leaves no states.
                for cut in cuts[..if to_states { 4 } else { 5 }].iter().map(|cut| cut.clone().at(5)) {
                    let [wide, slim] =
                        reducers.each_ref().map(|(gpu, reducer)| output(gpu, reducer, &cut, &bytes));
                    assert_eq!(wide, slim, "{op} of {hard:?}, {cut}, states: {to_states}");
                }
            }
        }
    }
}

#[test]
fn states_are_64_bit_integers_on_every_device() {
    let narrow = narrow();
    let bytes: Vec<u8> = [3.5f64, -2.0, 0.25].iter().flat_map(|x| x.to_le_bytes()).collect();
    let [largest, first] = [Op::Max, Op::ArgMax].map(|op| reducer(&narrow, op, true));
    let state = output(&narrow, &largest, &Cut::whole(3), &bytes);
    assert_eq!(largest.results::<i64>(&state).unwrap(), 3.5f64.to_bits() as i64);
    let state = output(&narrow, &first, &Cut::whole(3), &bytes);
    assert_eq!(first.results::<(i64, u32)>(&state).unwrap(), (3.5f64.to_bits() as i64, 0));
}

/// As NumPy, PyTorch and [`TopK`](halofold::rank::TopK) do: the first zero, whatever its sign.
#[test]
fn searches_take_both_zeros_as_equal() {
    let narrow = narrow();
    let wide = gpu();
    for (gpu, element) in
        [(wide, Element::F32), (wide, Element::F64), (&narrow, Element::F64), (wide, Element::F16)]
    {
        let fields = Fields::of(element);
        for op in [Op::ArgMin, Op::ArgMax] {
            let monoid = op.over(element).unwrap();
            if !gpu.device.features().contains(monoid.features()) {
                eprintln!("{op} of {element}: the adapter lacks {:?}", monoid.features());
                continue;
            }
            let reducer = Reducer::new(&gpu.device, monoid).unwrap();
            for signs in [vec![false, true], vec![true, false], (0..5001).map(|at| at % 3 > 0).collect()] {
                let zeros: Vec<_> = signs.iter().map(|is_negative| fields.bits(*is_negative, 0, 0)).collect();
                let held = Cut::whole(signs.len()).at(1).hold(gpu, fields.size, &[&fields.bytes(&zeros)]);
                let got = op.read(element, &held.reduce(gpu, &reducer))[0];
                assert!(
                    matches!(got, Scalar::At { value, index: 0 } if value.as_f64() == 0.0),
                    "{op}: {got}"
                );
            }
        }
    }
}
