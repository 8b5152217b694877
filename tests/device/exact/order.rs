//! Operators that compare 64-bit floats on a device without 64-bit types: the results of one that has them, and of the CPU.

use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Op, Reduce, Scalar, Shape};
use halofold::wgpu::Features;
use halofold::{Compiled, Element};
use halofold_cases::How;

use super::arrays::{Hard, array};
use crate::common::{Gpu, gather, gpu, takes_fewer, without};
use crate::cut::Cut;

/// Operators that read floats as their bits.
const COMPARING: [Op; 9] =
    [Op::Min, Op::Max, Op::MinMax, Op::ArgMin, Op::ArgMax, Op::MaxNorm, Op::CountNonzero, Op::Any, Op::All];

const FLOATS: [Element; 3] = [Element::F32, Element::F64, Element::F16];

/// A device without any type of 64 bits.
fn narrow() -> Gpu {
    without(Features::SHADER_F64 | Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS)
}

fn reducer(gpu: &Gpu, op: Op, to_states: bool) -> Compiled<Reduce> {
    let how = How::default().with_to_states(to_states);
    how.on(&gpu.device, &op.over(Element::F64).unwrap()).unwrap()
}

/// The bytes of what an operator makes of floats.
fn output(gpu: &Gpu, reducer: &Compiled<Reduce>, cut: &Cut, element: Element, bytes: &[u8]) -> Vec<u8> {
    cut.hold(gpu, element.size() as usize, &[bytes]).reduce(gpu, reducer)
}

/// Compares results with the reference's.
fn judge(op: Op, element: Element, cut: &Cut, bytes: &[u8], got: &[u8]) {
    let (got, size) = (op.read(element, got), element.size() as usize);
    assert_eq!(got.len(), cut.groups().len());
    for (got, group) in got.into_iter().zip(cut.groups()) {
        let expected = reference::reduce(op, element, &gather(bytes, size, group), None).unwrap();
        assert_eq!(expected.judge(got, 1), Verdict::Right, "{op} of {element}, {cut}: {got}");
    }
}

/// Results are those of the reference, and results and states those of a device with 64-bit integers, if the adapter has such.
#[test]
fn needs_no_64_bit_types() {
    let narrow = narrow();
    let wide = gpu().device.features().contains(Features::SHADER_INT64).then(gpu);
    let lengths = [0, 1, 2, 3, 5, 64, 1000, 4099].map(|len| Cut::whole(len).at(len % 3));
    let shapes = [
        // Short ones, empty ones, and one that tiles are cut from.
        Cut::between(vec![0, 3, 3, 1000, 40_000, 60_000], 60_000),
        Cut::whole(60_000),
        Cut::segments(30, 2000),
        Cut::segments(30_000, 2),
        Cut::axis([5, 600, 20]),
        Cut::strided(3, 60_000),
    ]
    .map(|cut| cut.at(5));
    let few = [Hard::Patterns, Hard::Anything, Hard::Special, Hard::Zeros];
    let all = few.into_iter().flat_map(|hard| shapes.iter().map(move |cut| (hard, cut)));
    let all = Hard::ALL.into_iter().flat_map(|hard| lengths.iter().map(move |cut| (hard, cut))).chain(all);
    for (turn, op) in COMPARING.into_iter().enumerate() {
        for to_states in &[false, true][..if takes_fewer() { 1 + turn % 2 } else { 2 }] {
            let to_states = *to_states;
            let of = |gpu| (gpu, reducer(gpu, op, to_states));
            let ((narrow, reducer), wide) = (of(&narrow), wide.map(of));
            let has_states = |cut: &Cut| !matches!(cut.shape, Shape::Strided { .. } | Shape::Offsets { .. });
            for (number, (hard, cut)) in
                all.clone().filter(|(_, cut)| !to_states || has_states(cut)).enumerate()
            {
                let bytes = array(hard, Element::F64, cut.len, (cut.len + number) as u64);
                let got = output(narrow, &reducer, cut, Element::F64, &bytes);
                if let Some((wide, reducer)) = &wide {
                    let same = output(wide, reducer, cut, Element::F64, &bytes) == got;
                    assert!(same, "{op} of {hard:?}, {cut}, states: {to_states}");
                }
                if !to_states {
                    judge(op, Element::F64, cut, &bytes, &got);
                }
            }
        }
    }
}

/// As NumPy, PyTorch and [`TopK`](halofold::rank::TopK) do: the first zero, whatever its sign.
#[test]
fn searches_take_both_zeros_as_equal() {
    let gpu = gpu();
    for (op, element) in
        [Op::ArgMin, Op::ArgMax].into_iter().flat_map(|op| FLOATS.map(|element| (op, element)))
    {
        let monoid = op.over(element).unwrap();
        if !gpu.device.features().contains(monoid.features()) {
            eprintln!("{op} of {element}: the adapter lacks {:?}", monoid.features());
            continue;
        }
        let reducer = gpu.compile(Reduce::new(monoid));
        for (len, seed) in (0..9).map(|seed| (2, seed)).chain([(5001, 1)]) {
            let (cut, zeros) = (Cut::whole(len).at(1), array(Hard::Zeros, element, len, seed));
            let got = output(gpu, &reducer, &cut, element, &zeros);
            judge(op, element, &cut, &zeros, &got);
            assert!(matches!(op.read(element, &got)[0], Scalar::At { index: 0, .. }), "{op} of {element}");
        }
    }
}
