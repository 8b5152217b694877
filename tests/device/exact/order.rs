//! Operators that compare 64-bit floats, on a device without 64-bit types: their results are those of a device that has
//! them, and of the CPU.

use halofold::Element;
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Op, Options, Reducer, Scalar, Shape};
use halofold::wgpu::{self, Features};

use super::arrays::{Hard, array};
use super::gpu::{Inputs, of_reduction, output};
use crate::common::{Gpu, buffer, gpu, in_turn, without};

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

#[test]
fn needs_no_64_bit_types() {
    let narrow = narrow();
    for op in COMPARING {
        let reducer = reducer(&narrow, op, false);
        for (number, hard) in Hard::ALL.into_iter().enumerate() {
            for len in [0, 1, 2, 3, 5, 64, 1000, 4099] {
                let bytes = array(hard, Element::F64, len, (len + number) as u64);
                let inputs = Inputs::new(&narrow, Element::F64, &[&bytes], len as u64 % 3);
                let got = op.read(Element::F64, &output(&narrow, &reducer, Shape::Whole, &inputs))[0];
                let expected = reference::reduce(op, Element::F64, &bytes, None).unwrap();
                let verdict = expected.judge(got, 1);
                assert_eq!(verdict, Verdict::Right, "{op} of {len} {hard:?}: {got}");
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
    let shapes = [
        Shape::Whole,
        Shape::Segments { len: 30 },
        Shape::Segments { len: 30_000 },
        Shape::Strided { stride: 3 },
        Shape::Axis { outer: 5, len: 600, inner: 20 },
    ];
    for (turn, op) in COMPARING.into_iter().enumerate() {
        for to_states in in_turn([false, true], 2, turn) {
            let reducers = [gpu(), &narrow].map(|gpu| (gpu, reducer(gpu, op, to_states)));
            for hard in [Hard::Patterns, Hard::Anything, Hard::Special, Hard::Zeros] {
                let bytes = array(hard, Element::F64, 60_000, 9);
                for shape in shapes {
                    if to_states && matches!(shape, Shape::Strided { .. }) {
                        continue;
                    }
                    let [wide, slim] = reducers.each_ref().map(|(gpu, reducer)| {
                        let inputs = Inputs::new(gpu, Element::F64, &[&bytes], 5);
                        output(gpu, reducer, shape, &inputs)
                    });
                    assert_eq!(wide, slim, "{op} of {hard:?}, {shape:?}, states: {to_states}");
                }
            }
        }
    }
}

#[test]
fn segments_between_offsets() {
    let narrow = narrow();
    // Short ones, empty ones, and one that tiles are cut from.
    let offsets = [0u32, 3, 3, 1000, 40_000, 60_000];
    let list = buffer(&narrow, bytemuck::cast_slice(&offsets), wgpu::BufferUsages::STORAGE);
    let bytes = array(Hard::Anything, Element::F64, 60_000, 4);
    let inputs = Inputs::new(&narrow, Element::F64, &[&bytes], 1);
    for op in COMPARING {
        let reducer = reducer(&narrow, op, false);
        let got = of_reduction(&narrow, &reducer.of(inputs.slices()[0]).segment_offsets(&list));
        for (got, ends) in op.read(Element::F64, &got).into_iter().zip(offsets.windows(2)) {
            let part = &bytes[8 * ends[0] as usize..8 * ends[1] as usize];
            let expected = reference::reduce(op, Element::F64, part, None).unwrap();
            assert_eq!(expected.judge(got, 1), Verdict::Right, "{op} between {ends:?}: {got}");
        }
    }
}

#[test]
fn states_are_64_bit_integers_on_every_device() {
    let narrow = narrow();
    let bytes: Vec<u8> = [3.5f64, -2.0, 0.25].iter().flat_map(|x| x.to_le_bytes()).collect();
    let inputs = Inputs::new(&narrow, Element::F64, &[&bytes], 0);
    let largest = reducer(&narrow, Op::Max, true);
    let state = of_reduction(&narrow, &crate::common::over(&largest, &inputs.slices()));
    assert_eq!(largest.results::<i64>(&state).unwrap(), 3.5f64.to_bits() as i64);
    let first = reducer(&narrow, Op::ArgMax, true);
    let state = of_reduction(&narrow, &crate::common::over(&first, &inputs.slices()));
    assert_eq!(first.results::<(i64, u32)>(&state).unwrap(), (3.5f64.to_bits() as i64, 0));
}

/// As NumPy, PyTorch and [`TopK`](halofold::rank::TopK) do: the first zero, whatever its sign.
#[test]
fn searches_take_both_zeros_as_equal() {
    let narrow = narrow();
    let bytes = |element, signs: &[bool]| -> Vec<u8> {
        let zero = |is_negative: &bool| match element {
            Element::F16 => (u16::from(*is_negative) << 15).to_le_bytes().to_vec(),
            Element::F32 => (u32::from(*is_negative) << 31).to_le_bytes().to_vec(),
            _ => (u64::from(*is_negative) << 63).to_le_bytes().to_vec(),
        };
        signs.iter().flat_map(zero).collect()
    };
    for (gpu, element) in
        [(gpu(), Element::F32), (gpu(), Element::F64), (&narrow, Element::F64), (gpu(), Element::F16)]
    {
        for op in [Op::ArgMin, Op::ArgMax] {
            let monoid = op.over(element).unwrap();
            if !gpu.device.features().contains(monoid.features()) {
                eprintln!("{op} of {element}: the adapter lacks {:?}", monoid.features());
                continue;
            }
            let reducer = Reducer::new(&gpu.device, monoid).unwrap();
            for signs in [vec![false, true], vec![true, false], (0..5001).map(|at| at % 3 > 0).collect()] {
                let inputs = Inputs::new(gpu, element, &[&bytes(element, &signs)], 1);
                let got = op.read(element, &output(gpu, &reducer, Shape::Whole, &inputs))[0];
                assert!(
                    matches!(got, Scalar::At { value, index: 0 } if value.as_f64() == 0.0),
                    "{op}: {got}"
                );
            }
        }
    }
}
