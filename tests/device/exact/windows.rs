//! Windows that come and go: data whose scales change on the way, so that invocations choose a second window, leave it for another
//! one, and need none again.

use halofold::Element;
use halofold::reduce::Op;

use super::arrays::Fields;
use super::bench::{Arrays, Bench, Case, exact};
use crate::common::{Random, gpu, in_turn};
use crate::cut::Cut;

/// Scales that no window holds two of, as exponents in parts of all that a type has.
const SCALES: [u64; 6] = [80, 50, 24, 8, 66, 40];

/// The scales of each part of an array, mixed. The first window is chosen by the largest numbers.
const PARTS: [&[usize]; 10] =
    [&[3], &[0], &[0, 1], &[1], &[0, 2], &[1, 2], &[0, 1, 2, 3, 4], &[3], &[0, 3], &[0]];

/// The same of scales so near to one another that 32-bit floats of the smaller one are just below the window of the larger one:
/// no number needs limbs, but the sum in a second window does.
const NEAR: [&[usize]; 4] = [&[5], &[1], &[1, 5], &[1]];

/// An array of such parts, their negatives in another order, and a few elements of the first part's scale: large numbers cancel, so
/// none may get lost.
fn array(element: Element, parts: &[&[usize]], part: usize, zeros: bool, seed: u64) -> Vec<u8> {
    let fields = Fields::of(element);
    let mut random = Random::new(seed);
    let mut number = |scales: &[usize]| {
        let (word, other) = (random.next(), random.next());
        let scale = SCALES[scales[other as usize % scales.len()]];
        let exponent = (scale << fields.exponent) / 100 + (other >> 8) % 6;
        let is_zero = zeros && (other >> 16).is_multiple_of(3);
        if is_zero { 0 } else { fields.bits(false, exponent, word >> 1) }
    };
    let half: Vec<_> = (0..parts.len() * part).map(|i| number(parts[i / part])).collect();
    let minus = fields.bits(true, 0, 0);
    let negatives = half.iter().rev().map(|bits| bits | minus);
    let rest: Vec<_> = (0..7).map(|_| number(parts[0])).collect();
    fields.bytes(&half.iter().copied().chain(negatives).chain(rest).collect::<Vec<_>>())
}

/// Numbers for which a window moves and comes back, and which are all so near to it that none needs limbs of its own: so many
/// batches of so many numbers each, of these exponents.
fn there_and_back(batch: usize) -> Vec<u8> {
    let mut random = Random::new(5);
    let parts: [(usize, [u32; 2]); 3] = [(5, [127, 127]), (3, [105, 122]), (16, [127, 127])];
    let exponents =
        parts.into_iter().flat_map(|(batches, two)| (0..batches * batch).map(move |i| two[i % 2]));
    exponents.flat_map(|exponent| ((exponent << 23) | (random.next() >> 41) as u32).to_le_bytes()).collect()
}

/// A reducer of one workgroup of this size, if the adapter has such: so few invocations that each takes many batches.
fn of_size(case: Case, size: u32, subgroups: bool) -> Option<Bench<'static>> {
    Bench::tuned(case, subgroups, |tuning| tuning.with_workgroup_size(size).with_max_workgroups(1))
}

#[test]
fn a_window_moves_and_comes_back_on_every_adapter() {
    let case = (Op::Sum, Element::F32);
    let mut sizes = 0;
    for size in [32, 64, 128, 256, 1024] {
        let Some(bench) = of_size(case, size, true) else { continue };
        sizes += 1;
        bench.check_whole(vec![there_and_back(16 * size as usize)], format_args!("workgroups of {size}"));
    }
    assert!(sizes >= 3, "only {sizes} sizes");
    // Segments are summed by workgroups of a size of their own.
    let bench = Bench::new(gpu(), case, exact());
    for size in [64, 128, 256] {
        let bytes = there_and_back(16 * size);
        let arrays = Arrays { case, inputs: vec![bytes.repeat(2)] };
        bench.check(&Cut::segments(bytes.len() / 4, 2), &arrays, "segments");
    }
}

#[test]
fn scales_change_on_the_way() {
    let most = gpu().device.limits().max_compute_invocations_per_workgroup;
    let cases = [(Op::Sum, Element::F32), (Op::Mean, Element::F32), (Op::Sum, Element::F64)];
    for case in in_turn(cases, 2, 0) {
        // Only workgroups of 256 and 512 have a second window; not every adapter has the larger ones.
        let (mut sizes, mut largest) = (0, 0);
        for (size, subgroups) in
            [(32, true), (256, true), (512, true), (1024, true), (64, false), (512, false)]
        {
            let Some(bench) = of_size(case, size, subgroups) else { continue };
            sizes += 1;
            largest = largest.max(size);
            let arrays = [(1, false, &PARTS[..]), (2, true, &PARTS), (3, false, &NEAR), (4, true, &NEAR)];
            for (seed, zeros, parts) in in_turn(arrays, 2, sizes) {
                let bytes = array(case.1, parts, 4 * 16 * size as usize, zeros, seed);
                bench.check_whole(vec![bytes], format_args!("changing scales {seed}, workgroups of {size}"));
            }
        }
        assert!(sizes >= 2, "{case:?} ran in {sizes} sizes");
        assert!(largest >= most.min(512), "{case:?}: {largest}");
    }
}
