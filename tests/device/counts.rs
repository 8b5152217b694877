//! Counts on the GPU: an operation takes as many elements as one on the host would say.

use halofold::group::{GroupById, GroupByKey, Outputs, Pairs, ReduceRuns, RunLengths, RunOutputs};
use halofold::histogram::{Histogram, Keys};
use halofold::rank::{Method, Quantiles, TopK};
use halofold::reduce::Op;
use halofold::scan::Scan;
use halofold::select::{self, Select};
use halofold::wgpu::{Buffer, BufferUsages};
use halofold::{
    Bound, Compiled, Cut, DispatchArguments, Element, InputsOf, Kernels, Options, Planned, Slice,
};

use crate::common::{Gpu, buffer, gpu, held, in_one_pass, limited, read, room, with_few_invocations};
use crate::inputs::{outputs_of, words};

const LEN: u32 = 70_000;

fn check<'i, O: Planned>(gpu: &Gpu, operation: O, inputs: impl InputsOf<'i, O> + Copy) {
    check_of(gpu, operation, inputs, (LEN, &[0, 4097, LEN - 1, LEN + 9]));
}

fn check_of<'i, O: Planned>(
    gpu: &Gpu,
    operation: O,
    inputs: impl InputsOf<'i, O> + Copy,
    (len, counts): (u32, &[u32]),
) {
    let compiled = gpu.compile(operation);
    for &count in counts {
        let held = held(gpu, &[9, 9, count, 9]);
        let found = outputs_of(gpu, compiled.of(inputs).count_buffer(Slice::new(&held, 8, 4)));
        let expected = outputs_of(gpu, compiled.of(inputs).len(count.min(len).into()));
        // Outputs have room for more, which stays zero.
        let is_same = |(found, expected): (&Vec<u8>, &Vec<u8>)| {
            let (found, behind) = found.split_at(expected.len());
            found == expected && behind.iter().all(|byte| *byte == 0)
        };
        assert!(found.iter().zip(&expected).all(is_same), "{count} of {:?}", compiled.operation());
    }
}

fn numbers(gpu: &Gpu, of: fn(u32) -> u32) -> Buffer {
    held(gpu, &(0..LEN).map(of).collect::<Vec<_>>())
}

#[test]
fn counts_on_the_gpu_are_those_of_the_host() {
    // Inputs of several windows.
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 17);
    for gpu in [gpu(), &narrow] {
        let numbers = |of| numbers(gpu, of);
        let values = &numbers(|i| i.wrapping_mul(2_654_435_761) >> 12);
        let keys = &numbers(|i| i.wrapping_mul(2_654_435_761) >> 23);
        let pairs = Pairs { keys, values };
        check(gpu, Histogram::new(Keys::Numbers, 512), keys);
        check(gpu, GroupById::new(Element::U32, 512).sum().count(), pairs);
        check(gpu, GroupByKey::new(Element::U32, Element::U32, 600).sum().max(), pairs);
    }
    // Prefixes of the first elements do not depend on those behind them.
    let (all, count) = (numbers(gpu(), |i| i), held(gpu(), &[5000]));
    let scan = gpu().compile(Scan::new(Op::Mean.over(Element::U32).unwrap()));
    let means = &outputs_of(gpu(), scan.of(&all).count_buffer(&count))[0];
    assert!(
        bytemuck::pod_collect_to_vec::<u8, f32>(&means[..20_000])
            .into_iter()
            .eq((0..5000).map(|at| at as f32 / 2.0))
    );
    // Runs and selections; pairs in parts, and in storage.
    let numbers = |of| numbers(gpu(), of);
    let values = &numbers(|i| i.wrapping_mul(2_654_435_761) >> 12);
    let runs = &numbers(|i| i / 3);
    let sums = || ReduceRuns::new(Element::U32, Op::Sum.over(Element::U32).unwrap());
    check(gpu(), sums(), Pairs { keys: runs, values });
    let few = limited(|limits| limits.max_compute_invocations_per_workgroup = 64);
    let keys = &self::numbers(&few, |i| i / 3);
    check(&few, sums(), Pairs { keys, values: keys });
    check(gpu(), RunLengths::new(Element::U32), runs);
    // A run over several tiles, up to the count.
    check(gpu(), RunLengths::new(Element::U32), &numbers(|i| if i < 9000 { i / 3 } else { i / 50_000 }));
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return elem % 3u == 1u; }";
    check(gpu(), Select::new(Element::U32, keep).unwrap(), values);
    if gpu().device.features().contains(wgpu::Features::SHADER_F16) {
        let of_half = Select::new(Element::F16, &keep.replace("elem %", "index %")).unwrap().indices();
        check(gpu(), of_half, Slice::new(values, 0, 2 * u64::from(LEN)));
    }
    // Counts that end with a tile, behind blocks of tiles.
    let small = with_few_invocations(1 << 20);
    let values_there = &self::numbers(&small, |i| i.wrapping_mul(2_654_435_761) >> 12);
    check_of(&small, Select::new(Element::U32, keep).unwrap(), values_there, (LEN, &[33_280, 65_536]));
    let runs_there = &self::numbers(&small, |i| i / 9);
    check_of(&small, RunLengths::new(Element::U32), runs_there, (LEN, &[33_280, 65_536]));
    let ids = &numbers(|i| i.wrapping_mul(2_654_435_761) >> 16);
    for groups in [6000, 70_000] {
        check(gpu(), GroupById::new(Element::U32, groups).count(), Pairs { keys: ids, values: ids });
    }
}

/// Ranks of as many elements as a count says: in one workgroup, and by a sample.
#[test]
fn ranks_among_a_count() {
    const ASKED: [f64; 9] = [0.0, 1e-9, 0.1, 0.25, 1.0 / 3.0, 0.5, 0.9, 0.999_999, 1.0];
    let (gpu, kernels) = (gpu(), Kernels::default());
    for len in [1000u32, 100_003] {
        let elements: Vec<f32> = (0..len).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
        let input = &held(gpu, &elements);
        let words = Slice::new(input, 0, 4 * u64::from(len));
        let is_short = len == 1000;
        let counts = &[0, 3, len / 2 + 1, len + 5, 1, 2, 10, 11, 999][..if is_short { 9 } else { 4 }];
        let methods = &Method::ALL[if is_short { 0..13 } else { 5..7 }];
        let both = |count: u32| (held(gpu, &[9, count]), u64::from(count.min(len)));
        for method in methods {
            let quantiles = Quantiles::new(Element::F32, ASKED).with_method(*method);
            let quantiles =
                Compiled::new(&gpu.device, quantiles, &Options::default().with_kernels(&kernels)).unwrap();
            for (held, count) in counts.iter().copied().map(both) {
                let found =
                    outputs_of(gpu, quantiles.of(words).count_buffer(Slice::new(&held, 4, 4))).remove(0);
                let expected = outputs_of(gpu, quantiles.of(words).len(count)).remove(0);
                let [found, expected] =
                    [found, expected].map(|bytes| bytemuck::pod_collect_to_vec::<u8, f32>(&bytes));
                let is_near = |(a, b): (&f32, &f32)| {
                    (a - b).abs() <= 4.0 * f32::EPSILON * b.abs() || a.is_nan() && b.is_nan()
                };
                assert!(
                    found.iter().zip(&expected).all(is_near),
                    "{method} of {count} of {len}: {found:?}, not {expected:?}"
                );
            }
        }
        check_of(gpu, Quantiles::nth(Element::F32, [0, 7, 500]), words, (len, counts));
        for k in [1, 7, 300] {
            check_of(gpu, TopK::new(Element::F32, k), words, (len, counts));
        }
    }
    let held = &held(gpu, &[0; 200]);
    for (element, cut) in [(Element::F64, Cut::All), (Element::F32, Cut::Rows(2))] {
        let median = gpu.compile(Quantiles::new(element, [0.5]));
        let error = median.of(held).cut(cut).count_buffer(Slice::new(held, 0, 4)).plan().unwrap_err();
        assert!(error.to_string().contains("elements of 64 bits"), "{error}");
    }
}

/// The arguments of an indirect draw, and then those of an indirect dispatch, in one buffer: each number goes to its place alone.
#[test]
fn counts_are_arguments_on_every_adapter() {
    let gpu = gpu();
    let input = &held(gpu, &(0..200_000).map(|i| i / 2).collect::<Vec<u32>>());
    let [room, behind] = &[(); 2].map(|()| room(gpu, 800_000));
    let sevens =
        || buffer(gpu, bytemuck::cast_slice(&[7; 100]), BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let select =
        Select::new(Element::U32, "fn keep(elem: Elem, index: u32) -> bool { return elem % 4u == 1u; }");
    let select = gpu.compile(select.unwrap());
    let runs = gpu.compile(RunLengths::new(Element::U32));
    let by_key = gpu.compile(GroupByKey::new(Element::U32, Element::U32, 100_000).count());
    let found = |bind: &dyn Fn(Slice<'_>) -> Bound| {
        let arguments = sevens();
        let count = bind(Slice::new(&arguments, 4 * 65, 4));
        let dispatch = gpu.compile(DispatchArguments::new(3));
        let copy = sevens();
        let dispatch =
            dispatch.of(Slice::new(&arguments, 4 * 65, 4)).bind(Slice::new(&copy, 4 * 70, 12)).unwrap();
        gpu.clean(|| {
            in_one_pass(gpu, |pass| {
                [&count, &dispatch].into_iter().for_each(|bound| bound.encode_in_pass(pass))
            })
        });
        let [arguments, copy] = [&arguments, &copy].map(|buffer| words(&read(gpu, buffer)));
        let untouched = |words: &[u32], at: std::ops::Range<usize>| {
            words.iter().enumerate().all(|(place, word)| at.contains(&place) || *word == 7)
        };
        assert!(untouched(&arguments, 65..66) && untouched(&copy, 70..73));
        (arguments[65], [copy[70], copy[71], copy[72]])
    };
    let kept = |count: Slice<'_>| select.of(input).bind(select::Outputs { kept: room, count }).unwrap();
    assert_eq!(found(&|count| kept(count)), (50_000, [16_667, 1, 1]));
    let each = |len: Slice<'_>| runs.of(input).bind(RunOutputs { keys: room, results: behind, len }).unwrap();
    assert_eq!(found(&|len| each(len)), (100_000, [33_334, 1, 1]));
    let pairs = Pairs { keys: input, values: input };
    let groups = |len: Slice<'_>| by_key.of(pairs).bind(Outputs::new().len(len).count(behind)).unwrap();
    assert_eq!(found(&|len| groups(len)).0, 100_000);
    let odd = Slice::new(behind, 2, 4);
    let error = select.of(input).bind(select::Outputs { kept: room, count: odd }).unwrap_err();
    assert!(error.to_string().contains("the count slice starts at byte 2"), "{error}");
    // More workgroups than a dimension holds: rows of as many.
    let all = held(gpu, &[300_000]);
    let one = gpu.compile(DispatchArguments::new(1));
    assert_eq!(words(&outputs_of(gpu, one.of(&all))[0]), [60_000, 5, 1]);
}
