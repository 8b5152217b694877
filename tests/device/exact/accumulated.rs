//! Exact sums in accumulators: prefixes, and runs of equal keys.

use halofold::group::ByKey;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Monoid, Op};
use halofold::scan::Scan;
use halofold::{Element, wgpu};

use super::arrays::{Hard, array};
use crate::by_key::{outputs, runs};
use crate::common::{Random, gpu};
use crate::scan;

/// Elements of a row: more than a tile has.
const ROW: usize = 1500;

fn exact(op: Op, element: Element) -> Monoid {
    op.over(element).unwrap().exact().unwrap()
}

fn sum(state: &State) -> u32 {
    (state.sum().as_f64() as f32).to_bits()
}

/// Every kind of array is a row, whose prefixes pass through all magnitudes, subnormal numbers, infinities and NaNs.
fn check_prefixes(element: Element) {
    let gpu = gpu();
    let scan = Scan::new(exact(Op::Sum, element)).unwrap().exclusive().rows(ROW as u64);
    let scan = scan.on(&gpu.device).unwrap();
    let rows = Hard::ALL.map(|hard| array(hard, element, ROW, 7));
    let got = gpu.clean(|| scan::run(gpu, &scan, &rows.concat(), 0, 4 * (ROW * rows.len()) as u64));
    let got: Vec<u32> = bytemuck::pod_collect_to_vec(&got);
    for ((row, hard), got) in rows.iter().zip(Hard::ALL).zip(got.chunks(ROW)) {
        let mut state = State::new(Format::Single);
        for (at, (item, got)) in row.chunks(element.size() as usize).zip(got).enumerate() {
            assert_eq!(*got, sum(&state), "{element}, {hard:?}, before {at}");
            state.add(element, item);
        }
    }
}

#[test]
fn prefixes_are_those_of_whole_sums() {
    check_prefixes(Element::F32);
    if gpu().device.features().contains(wgpu::Features::SHADER_F16) {
        check_prefixes(Element::F16);
    }
}

/// The same runs come twice, and the second time the values of each are in another order and lie in other tiles. They are 16-bit floats where
/// the device has these.
#[test]
fn runs_have_the_same_bits_in_any_order() {
    let has_half = gpu().device.features().contains(wgpu::Features::SHADER_F16);
    let element = if has_half { Element::F16 } else { Element::F32 };
    let size = element.size() as usize;
    let mut random = Random::new(5);
    let (keys, ranges) = runs(9000, 3000, &mut random);
    let mut values = Vec::new();
    for (range, hard) in ranges.iter().zip(Hard::ALL.into_iter().cycle()) {
        values.extend(array(hard, element, range.len(), range.start as u64));
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    for range in &ranges {
        for at in range.clone().rev() {
            order.swap(at, range.start + random.next() as usize % (at + 1 - range.start));
        }
    }
    let again = order.iter().flat_map(|at| &values[size * at..][..size]).copied();
    let twice: Vec<u8> = values.iter().copied().chain(again).collect();
    let other_keys = keys.iter().map(|key| !key);
    let keys: Vec<u32> = keys.iter().copied().chain(other_keys).collect();
    let by_key = ByKey::new(Element::U32, exact(Op::Sum, element)).unwrap();
    let (_, sums) = outputs(by_key, &keys, Some(&twice), [0, 4]);
    let (first, second) = sums.split_at(ranges.len());
    assert_eq!(first, second, "in another order");
    for (range, got) in ranges.iter().zip(first) {
        let mut state = State::new(Format::Single);
        state.add(element, &values[size * range.start..size * range.end]);
        assert_eq!(*got, sum(&state), "{range:?}");
    }
}

#[test]
fn sums_without_accumulators_are_refused() {
    for (op, element) in [(Op::Sum, Element::F64), (Op::Mean, Element::F32), (Op::Dot, Element::F32)] {
        let error = Scan::new(exact(op, element)).unwrap_err();
        assert!(error.to_string().contains("exact sums of f32 and f16"), "{error}");
    }
}
