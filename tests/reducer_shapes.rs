//! Every shape of the embeddable reducer against the CPU: exact sums, and an operator whose accumulator takes twelve bytes
//! and remembers positions. Memory around inputs and results is poisoned.

use std::sync::LazyLock;

use halofold::read::Readback;
use halofold::reduce::{Input, Output};
use halofold::reducer::{
    Arity, Extent, Form, Monoid, Op, Options, Plan, Position, Reducer, ReducerError, Shape, Source, Workspace,
};
use halofold::{BufferError, Element, wgpu};
use wgpu::util::DeviceExt as _;

const POISON: u32 = 0xdead_beef;

/// Words of poison in front of a result and behind it.
const GUARD: usize = 64;

/// The position of the largest element, the first if there are several; how many were seen; and how many there are.
const LARGEST: &str = "
struct Acc { key: u32, index: u32, seen: u32 }
struct Found { index: u32, seen: u32, n: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, index, 1u); }
fn identity() -> Acc { return Acc(0u, 0xffffffffu, 0u); }
fn better(a: Acc, b: Acc) -> bool { return a.key > b.key || (a.key == b.key && a.index < b.index); }
fn combine(a: Acc, b: Acc) -> Acc {
    var best = b;
    if better(a, b) { best = a; }
    best.seen = a.seen + b.seen;
    return best;
}
fn finish(acc: Acc, n: u32) -> Found { return Found(acc.index, acc.seen, n); }
";

/// The sum of products with positions: a wrong partner or a wrong index shows.
const WEIGHTED: &str = "
alias Acc = u32;
fn map(first: Elem, second: Elem, index: u32) -> Acc { return first * second + index; }
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return acc + n; }
";

/// An operator and what the CPU makes of the elements of one result.
struct Case {
    monoid: Monoid,
    model: fn(&mut dyn Iterator<Item = u32>) -> Vec<u32>,
}

fn cases() -> [Case; 2] {
    [
        Case {
            monoid: Op::Sum.over(Element::U32).unwrap(),
            model: |elements| vec![elements.fold(0, u32::wrapping_add)],
        },
        Case {
            monoid: Monoid::custom("largest", Element::U32, Arity::One, LARGEST).unwrap(),
            model: |elements| {
                let (mut best, mut index, mut seen) = (0, u32::MAX, 0);
                for element in elements {
                    if element > best || index == u32::MAX {
                        (best, index) = (element, seen);
                    }
                    seen += 1;
                }
                vec![index, seen, seen]
            },
        },
    ]
}

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// A device as it comes.
static GPU: LazyLock<Gpu> = LazyLock::new(|| open(|_| ()));

/// A device whose bindings hold 64 KiB, so that everything larger needs windows.
static NARROW: LazyLock<Gpu> =
    LazyLock::new(|| open(|limits| limits.max_storage_buffer_binding_size = 64 << 10));

fn open(restrict: fn(&mut wgpu::Limits)) -> Gpu {
    let adapter = pollster::block_on(halofold::adapter::preferred(true)).expect("an adapter");
    let mut required_limits = halofold::adapter::helpful_limits(&adapter);
    restrict(&mut required_limits);
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: adapter.features() & halofold::adapter::HELPFUL_FEATURES,
        required_limits,
        ..Default::default()
    }))
    .expect("a device");
    Gpu { device, queue }
}

/// Both ways of compiling, where there are two.
fn reducers(gpu: &Gpu, monoid: &Monoid, form: Form) -> Vec<Reducer> {
    let ways: &[bool] = if monoid.acc_type() == "u32" { &[true, false] } else { &[false] };
    let compile = |subgroups: &bool| {
        let mut options = Options::default();
        options.subgroups = *subgroups;
        Reducer::with_options(&gpu.device, monoid.clone(), form, options).unwrap()
    };
    ways.iter().map(compile).collect()
}

/// Elements without a pattern.
fn elements(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ 0x5bd1).wrapping_mul(2_654_435_761).rotate_left(13)).collect()
}

/// A buffer that holds words from number `offset` on, and poison around them.
fn buffer(gpu: &Gpu, words: &[u32], offset: usize) -> wgpu::Buffer {
    let contents = [&vec![POISON; offset], words, &[POISON; 37]].concat();
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(&contents),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    })
}

fn extents(source: &[Input<'_>]) -> Vec<Extent> {
    source.iter().map(|input| Extent { offset: input.offset, len: input.len }).collect()
}

/// Runs a reduction twice over and answers the results, after a look at what lies around them.
fn run(
    gpu: &Gpu,
    reducer: &Reducer,
    shape: Shape,
    source: Source<'_>,
    plan: &Plan,
    space: &Workspace,
) -> Vec<u32> {
    let words = plan.output as usize / 4;
    let poisoned = vec![POISON; GUARD + words + GUARD];
    let result = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: bytemuck::cast_slice(&poisoned),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    });
    let output = Output { buffer: &result, offset: 4 * GUARD as u64 };
    let prepared = reducer.prepare(&gpu.device, source, shape, output, space).unwrap();
    assert_eq!(prepared.plan(), plan);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    prepared.encode(&mut encoder);
    prepared.encode(&mut encoder);
    let readback = Readback::new(&gpu.device, result.size());
    readback.encode(&mut encoder, &result, 0, result.size()).unwrap();
    gpu.queue.submit([encoder.finish()]);
    let bytes = readback.wait(&gpu.device, result.size()).unwrap();
    let all: &[u32] = bytemuck::cast_slice(&bytes);
    let (before, rest) = all.split_at(GUARD);
    let (got, after) = rest.split_at(words);
    assert!(before.iter().chain(after).all(|word| *word == POISON), "{shape:?} wrote beside its output");
    got.to_vec()
}

/// Compares without printing a hundred thousand numbers.
fn compare(got: &[u32], want: &[u32], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    if let Some(at) = (0..got.len()).find(|at| got[*at] != want[*at]) {
        panic!("{what}: word {at} of {} is {} instead of {}", got.len(), got[at], want[at]);
    }
}

/// Runs a shape over one input in every way that a reducer is compiled, and compares.
fn check(gpu: &Gpu, reducers: &[Reducer], shape: Shape, data: &[u32], offset: usize, want: &[u32]) {
    let held = buffer(gpu, data, offset);
    // An input's length counts the elements taken.
    let len = match shape {
        Shape::Strided { stride } => (data.len() as u64).div_ceil(stride),
        _ => data.len() as u64,
    };
    let input = [Input { buffer: &held, offset: 4 * offset as u64, len }];
    for reducer in reducers {
        let plan = reducer.plan(shape, &extents(&input), None).unwrap();
        let space = Workspace::new(&gpu.device, &plan);
        let got = run(gpu, reducer, shape, Source::of(&input), &plan, &space);
        compare(&got, want, &format!("{} {shape:?} + {offset}", reducer.monoid().name()));
    }
}

fn segments(gpu: &Gpu, sizes: &[(usize, usize)]) {
    for case in cases() {
        let ways = reducers(gpu, &case.monoid, Form::Segments);
        for (number, &(len, count)) in sizes.iter().enumerate() {
            let data = elements(len * count);
            let want: Vec<_> =
                data.chunks(len).flat_map(|part| (case.model)(&mut part.iter().copied())).collect();
            let shape = Shape::Segments { len: len as u64 };
            check(gpu, &ways, shape, &data, number % 7, &want);
        }
    }
}

const LENGTHS: [usize; 19] =
    [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4096, 16_385, 40_000, 100_003];

#[test]
fn segments_of_every_length() {
    let counted = |len: usize| [1, 3, 300_000usize.div_ceil(len).min(70_000)].map(|count| (len, count));
    segments(&GPU, &LENGTHS.map(counted).concat());
}

#[test]
fn segments_in_windows() {
    segments(&NARROW, &[(1, 70_000), (3, 20_000), (257, 300), (5000, 40), (100_003, 3), (1 << 17, 2)]);
}

fn arrays(gpu: &Gpu, sizes: &[[usize; 3]]) {
    for case in cases() {
        let ways = reducers(gpu, &case.monoid, Form::Axis);
        for (number, &[outer, len, inner]) in sizes.iter().enumerate() {
            let data = elements(outer * len * inner);
            let mut want = Vec::new();
            for plane in data.chunks(len * inner) {
                for column in 0..inner {
                    want.extend((case.model)(&mut plane[column..].iter().step_by(inner).copied()));
                }
            }
            let shape = Shape::axis(outer as u64, len as u64, inner as u64);
            check(gpu, &ways, shape, &data, number % 5, &want);
        }
    }
}

#[test]
fn axes_of_every_size() {
    let mut sizes = Vec::new();
    for inner in [1, 2, 3, 4, 5, 8, 31, 32, 33, 64, 65, 100, 256, 257, 1000] {
        for len in [1, 2, 3, 16, 17, 64, 255, 1000] {
            sizes.push([1, len, inner]);
            sizes.push([(40_000 / (len * inner)).clamp(2, 1000), len, inner]);
        }
        sizes.push([1, 200_000 / inner, inner]);
    }
    sizes.extend([[2, 1, 30_000], [1, 3, 70_000], [5000, 2, 2], [1, 100_003, 3]]);
    arrays(&GPU, &sizes);
}

#[test]
fn axes_in_windows() {
    arrays(
        &NARROW,
        &[
            [1, 50_000, 3],
            [1, 1000, 257],
            [7, 100, 100],
            [300, 5, 65],
            [2, 30, 4000],
            [1, 5, 5000],
            [1, 40, 4100],
        ],
    );
}

#[test]
fn every_stride() {
    for (gpu, most) in [(&*GPU, 100_003), (&NARROW, 60_000)] {
        for case in cases() {
            let ways = reducers(gpu, &case.monoid, Form::Strided);
            for stride in [1, 2, 3, 7, 64, 1000, 20_000] {
                for len in [1, 2, 255, 1000, most] {
                    // The last element has no stride behind it.
                    let spanned = (len.min(400_000 / stride).max(1) - 1) * stride + 1;
                    let data = elements(spanned);
                    let want = (case.model)(&mut data.iter().copied().step_by(stride));
                    check(gpu, &ways, Shape::Strided { stride: stride as u64 }, &data, stride % 5, &want);
                }
            }
        }
    }
}

/// Lists of offsets over 100 003 … 300 000 elements, and how many elements there are.
fn lists() -> Vec<(Vec<u32>, usize)> {
    let ends = |lengths: &mut dyn Iterator<Item = usize>, start: u32| {
        let mut at = start;
        let mut list = vec![at];
        list.extend(lengths.map(|len| {
            at += len as u32;
            at
        }));
        list
    };
    let all = |list: Vec<u32>| {
        let end = *list.last().unwrap() as usize;
        (list, end)
    };
    let regimes = LENGTHS.iter().flat_map(|len| [*len, 0, 1]).collect::<Vec<_>>();
    vec![
        all(ends(&mut [].into_iter(), 0)),
        all(ends(&mut [0].into_iter(), 0)),
        all(ends(&mut [1].into_iter(), 0)),
        all(ends(&mut [100_003].into_iter(), 0)),
        all(ends(&mut std::iter::repeat_n(0, 1000), 0)),
        // Nobody's elements in front and behind.
        (ends(&mut [5, 70_000, 0, 3].into_iter(), 50_000), 200_000),
        (ends(&mut std::iter::repeat_n(0, 10), 40_000), 100_000),
        all(ends(&mut regimes.iter().copied(), 0)),
        all(ends(&mut regimes.iter().rev().copied(), 0)),
        // One long segment among many short ones, at either end and in the middle.
        all(ends(&mut std::iter::repeat_n(10, 5000).chain([120_000]).chain(std::iter::repeat_n(7, 5000)), 0)),
        all(ends(&mut [120_000].into_iter().chain(std::iter::repeat_n(3, 20_000)), 0)),
        all(ends(&mut std::iter::repeat_n(1, 70_000).chain([90_000]), 0)),
        // As long as tiles, and a little more or less.
        all(ends(&mut [16_384, 16_384, 16_385, 16_383, 1, 32_768, 32_769, 16_384].into_iter(), 0)),
        all(ends(&mut std::iter::repeat_n(2000, 100), 0)),
        all(ends(&mut std::iter::repeat_n(256, 1000), 0)),
    ]
}

#[test]
fn segments_between_offsets() {
    for gpu in [&*GPU, &NARROW] {
        for case in cases() {
            for reducer in reducers(gpu, &case.monoid, Form::Offsets) {
                // One workspace for all, with what the list before has left there.
                let planned = |list: &[u32], len: usize, offset: usize| {
                    let shape = Shape::Offsets { count: list.len() as u64 - 1 };
                    let extent = Extent { offset: 4 * offset as u64, len: len as u64 };
                    (shape, reducer.plan(shape, &[extent], None).unwrap())
                };
                let lists = lists();
                let plans: Vec<_> = lists.iter().map(|(list, len)| planned(list, *len, 3).1).collect();
                let space = Workspace::for_plans(&gpu.device, &plans);
                for (number, (list, len)) in lists.iter().enumerate() {
                    let data = elements(*len);
                    let offset = number % 4;
                    let (held, positions) = (buffer(gpu, &data, offset), buffer(gpu, list, 64));
                    let (shape, plan) = planned(list, *len, offset);
                    let input = [Input { buffer: &held, offset: 4 * offset as u64, len: *len as u64 }];
                    let source =
                        Source::of(&input).with_offsets(Position { buffer: &positions, offset: 256 });
                    let got = run(gpu, &reducer, shape, source, &plan, &space);
                    let part = |ends: &[u32]| {
                        (case.model)(&mut data[ends[0] as usize..ends[1] as usize].iter().copied())
                    };
                    let want: Vec<_> = list.windows(2).flat_map(part).collect();
                    compare(&got, &want, &format!("{} list {number}", reducer.monoid().name()));
                }
            }
        }
    }
}

/// Offsets that make no sense must not lead anywhere: what is summed is at most the input, and nothing else is written.
#[test]
fn offsets_that_do_not_ascend() {
    for gpu in [&*GPU, &NARROW] {
        let monoid = Op::Sum.over(Element::U32).unwrap();
        for reducer in reducers(gpu, &monoid, Form::Offsets) {
            for list in [
                vec![u32::MAX, 0, u32::MAX, 5],
                vec![0, u32::MAX, u32::MAX],
                vec![100_000, 50_000, 0],
                elements(3000),
                (0..3000).map(|i| (i * 7919) % 100_000).collect(),
            ] {
                // Ones among poison: whatever is read from elsewhere gives a sum that no ones give.
                let (held, positions) = (buffer(gpu, &[1; 100_000], 1), buffer(gpu, &list, 0));
                let input = [Input { buffer: &held, offset: 4, len: 100_000 }];
                let shape = Shape::Offsets { count: list.len() as u64 - 1 };
                let plan = reducer.plan(shape, &extents(&input), None).unwrap();
                let space = Workspace::new(&gpu.device, &plan);
                let source = Source::of(&input).with_offsets(Position { buffer: &positions, offset: 0 });
                let got = run(gpu, &reducer, shape, source, &plan, &space);
                assert!(got.iter().all(|sum| *sum <= 100_000 || *sum == POISON), "{got:?}");
            }
        }
    }
}

#[test]
fn whole_inputs_in_windows() {
    const WINDOW: usize = (64 << 10) / 4;
    for case in cases() {
        let ways = reducers(&NARROW, &case.monoid, Form::Whole);
        for (len, passes) in [
            (WINDOW - 8, 1),
            (WINDOW, 1),
            (WINDOW + 1, 1),
            (2 * WINDOW - 3, 1),
            (2 * WINDOW, 1),
            (2 * WINDOW + 1, 2),
            (3 * WINDOW + 7, 2),
            (5 * WINDOW, 3),
        ] {
            let data = elements(len);
            let want = (case.model)(&mut data.iter().copied());
            let plan = ways[0].plan(Shape::Whole, &[Extent { offset: 0, len: len as u64 }], None).unwrap();
            // Two windows a dispatch.
            assert_eq!(plan.passes.len(), passes, "{len}");
            for offset in [0, 1, 7, 64] {
                check(&NARROW, &ways, Shape::Whole, &data, offset, &want);
            }
        }
    }
}

/// Calls that go on where the one before stopped: other lengths, other buffers, a length from the GPU.
#[test]
fn totals_that_run_on() {
    let sum = || Op::Sum.over(Element::U32).unwrap();
    for gpu in [&*GPU, &NARROW] {
        for reducer in reducers(gpu, &sum(), Form::Accumulate) {
            let result = buffer(gpu, &[17], 64);
            let mut total = 17u32;
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            for (len, counted) in [
                (1, None),
                (1000, None),
                (0, None),
                (100_003, None),
                (70_000, Some(5_001)),
                (70_000, Some(99_999)),
            ] {
                let data = elements(len);
                let held = [buffer(gpu, &data[..len / 3], 5), buffer(gpu, &data[len / 3..], 2)];
                let parts = [
                    Input { buffer: &held[0], offset: 20, len: len as u64 / 3 },
                    Input { buffer: &held[1], offset: 8, len: (len - len / 3) as u64 },
                ];
                let plan = reducer.plan(Shape::Accumulate, &extents(&parts), None).unwrap();
                assert_eq!((plan.board, plan.scratch, plan.output), (0, 0, 4));
                let space = Workspace::new(&gpu.device, &plan);
                let counts = buffer(gpu, &[counted.unwrap_or(0)], 0);
                let mut source = Source::of(&parts);
                if counted.is_some() {
                    source = source.with_count(Position { buffer: &counts, offset: 0 });
                }
                let output = Output { buffer: &result, offset: 256 };
                let prepared =
                    reducer.prepare(&gpu.device, source, Shape::Accumulate, output, &space).unwrap();
                // Twice, as an application would in two frames.
                prepared.encode(&mut encoder);
                prepared.encode(&mut encoder);
                let taken = counted.map_or(len, |count| len.min(count as usize));
                let once = data[..taken].iter().fold(0, |sum: u32, elem| sum.wrapping_add(*elem));
                total = total.wrapping_add(once.wrapping_mul(2));
            }
            let readback = Readback::new(&gpu.device, result.size());
            readback.encode(&mut encoder, &result, 0, result.size()).unwrap();
            gpu.queue.submit([encoder.finish()]);
            let bytes = readback.wait(&gpu.device, result.size()).unwrap();
            let words: &[u32] = bytemuck::cast_slice(&bytes);
            assert_eq!(words[64], total);
            assert!(words.iter().enumerate().all(|(at, word)| at == 64 || *word == POISON));
        }
    }
}

#[test]
fn lengths_known_to_the_gpu() {
    for gpu in [&*GPU, &NARROW] {
        for case in cases() {
            let data = elements(100_003);
            let held: Vec<_> = [(0, 50_000, 1), (50_000, 50_001, 0), (50_001, 100_003, 6)]
                .map(|(begin, end, offset)| (buffer(gpu, &data[begin..end], offset), offset, end - begin))
                .into();
            let inputs: Vec<_> = held
                .iter()
                .map(|(buffer, offset, len)| Input { buffer, offset: 4 * *offset as u64, len: *len as u64 })
                .collect();
            let whole = reducers(gpu, &case.monoid, Form::Whole);
            let strided = reducers(gpu, &case.monoid, Form::Strided);
            for count in [0, 1, 5, 49_999, 50_000, 50_001, 50_002, 77_777, 100_003, 100_004, u32::MAX] {
                let counts = buffer(gpu, &[count], 67);
                let place = Position { buffer: &counts, offset: 4 * 67 };
                let taken = data.len().min(count as usize);
                let want = (case.model)(&mut data[..taken].iter().copied());
                for reducer in &whole {
                    let plan = reducer.plan(Shape::Whole, &extents(&inputs), None).unwrap();
                    let space = Workspace::new(&gpu.device, &plan);
                    let source = Source::of(&inputs).with_count(place);
                    let got = run(gpu, reducer, Shape::Whole, source, &plan, &space);
                    compare(&got, &want, &format!("{} of {count}", reducer.monoid().name()));
                }
                // Every third one of the last part.
                let taken = 16_000.min(count as usize);
                let want = (case.model)(&mut data[50_001..].iter().copied().step_by(3).take(taken));
                for reducer in &strided {
                    let part = [Input { len: 16_000, ..inputs[2] }];
                    let shape = Shape::Strided { stride: 3 };
                    let plan = reducer.plan(shape, &extents(&part), None).unwrap();
                    let space = Workspace::new(&gpu.device, &plan);
                    let got = run(gpu, reducer, shape, Source::of(&part).with_count(place), &plan, &space);
                    compare(&got, &want, &format!("{} of {count} strides", reducer.monoid().name()));
                }
            }
        }
    }
}

#[test]
fn two_inputs_in_every_shape() {
    let monoid = Monoid::custom("weighted", Element::U32, Arity::Two, WEIGHTED).unwrap();
    let model = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
        let sum = |(n, sum): (u32, u32), (a, b): (u32, u32)| {
            (n + 1, sum.wrapping_add(a.wrapping_mul(b)).wrapping_add(n))
        };
        let (n, sum) = pairs.fold((0, 0), sum);
        sum.wrapping_add(n)
    };
    let len = 60_000;
    let (first, second) = (elements(len), elements(2 * len).split_off(len));
    let pairs: Vec<_> = first.iter().copied().zip(second.iter().copied()).collect();
    let list = [0u32, 3, 3, 20_000, 20_100, 59_000, 60_000];
    let shapes = [
        Shape::Whole,
        Shape::Strided { stride: 6 },
        Shape::Segments { len: 3 },
        Shape::Segments { len: 250 },
        Shape::Segments { len: 30_000 },
        Shape::Offsets { count: 6 },
        Shape::axis(6, 1000, 10),
        Shape::axis(1, 12_000, 5),
    ];
    for gpu in [&*GPU, &NARROW] {
        let positions = buffer(gpu, &list, 0);
        for shape in shapes {
            let want: Vec<u32> = match shape {
                Shape::Whole => vec![model(&mut pairs.iter().copied())],
                Shape::Strided { stride } => vec![model(&mut pairs.iter().copied().step_by(stride as usize))],
                Shape::Segments { len } => {
                    pairs.chunks(len as usize).map(|part| model(&mut part.iter().copied())).collect()
                }
                Shape::Offsets { .. } => {
                    let part =
                        |ends: &[u32]| model(&mut pairs[ends[0] as usize..ends[1] as usize].iter().copied());
                    list.windows(2).map(part).collect()
                }
                Shape::Axis { len, inner, .. } => {
                    let column = |number: usize| {
                        let (plane, column) = (number / inner as usize, number % inner as usize);
                        let column = &pairs[plane * (len * inner) as usize + column..];
                        model(&mut column.iter().copied().step_by(inner as usize).take(len as usize))
                    };
                    (0..pairs.len() / len as usize).map(column).collect()
                }
                other => unreachable!("{other:?} is new"),
            };
            for reducer in reducers(gpu, &monoid, shape.form()) {
                for (at, beside) in [(0, 0), (1, 5), (3, 2), (0, 63)] {
                    let (a, b) = (buffer(gpu, &first, at), buffer(gpu, &second, beside));
                    let len =
                        if let Shape::Strided { stride } = shape { len as u64 / stride } else { len as u64 };
                    let one = [Input { buffer: &a, offset: 4 * at as u64, len }];
                    let other = Input { buffer: &b, offset: 4 * beside as u64, len };
                    let plan = reducer
                        .plan(shape, &extents(&one), Some(Extent { offset: other.offset, len }))
                        .unwrap();
                    let space = Workspace::new(&gpu.device, &plan);
                    let mut source = Source::pairs(&one, other);
                    if shape.form() == Form::Offsets {
                        source = source.with_offsets(Position { buffer: &positions, offset: 0 });
                    }
                    let got = run(gpu, &reducer, shape, source, &plan, &space);
                    compare(&got, &want, &format!("{shape:?} + {at} and {beside}"));
                }
            }
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let gpu = &*GPU;
    let held = buffer(gpu, &elements(1000), 0);
    let result = buffer(gpu, &elements(1000), 0);
    let input = [Input { buffer: &held, offset: 0, len: 1000 }];
    let place = Position { buffer: &held, offset: 0 };
    let error =
        Reducer::new(&gpu.device, Op::Mean.over(Element::U32).unwrap(), Form::Accumulate).unwrap_err();
    assert_eq!(error, ReducerError::NoAtomic { name: "mean".to_owned(), element: Element::U32 });
    let refusal = |shape: Shape, source: Source<'_>, offset: u64| {
        let reducer = Reducer::new(&gpu.device, Op::Sum.over(Element::U32).unwrap(), shape.form()).unwrap();
        let plan = reducer.plan(shape, &extents(&input), None).unwrap();
        let space = Workspace::new(&gpu.device, &plan);
        let output = Output { buffer: &result, offset };
        reducer.prepare(&gpu.device, source, shape, output, &space).unwrap_err()
    };
    let some = Source::of(&input);
    let offsets = Shape::Offsets { count: 20 };
    assert_eq!(refusal(offsets, some, 0), ReducerError::Offsets(offsets));
    assert_eq!(refusal(Shape::Whole, some.with_offsets(place), 0), ReducerError::Offsets(Shape::Whole));
    let rows = Shape::Segments { len: 10 };
    assert_eq!(refusal(rows, some.with_count(place), 0), ReducerError::Count(rows));
    let inside = Position { offset: 2, ..place };
    let error = refusal(Shape::Whole, some.with_count(inside), 0);
    assert_eq!(error, ReducerError::Misaligned { offset: 2, size: 4 });
    let error = refusal(offsets, some.with_offsets(Position { offset: 2, ..place }), 0);
    assert!(
        matches!(error, ReducerError::Buffer(BufferError::Offset { role: "list of offsets", offset: 2, .. })),
        "{error}"
    );
    let error = refusal(offsets, some.with_offsets(Position { offset: 4096, ..place }), 0);
    assert!(
        matches!(error, ReducerError::Buffer(BufferError::TooShort { role: "list of offsets", .. })),
        "{error}"
    );
    let error = refusal(offsets, some.with_offsets(Position { buffer: &result, offset: 0 }), 0);
    assert!(
        matches!(error, ReducerError::Buffer(BufferError::Aliased { first: "list of offsets", .. })),
        "{error}"
    );

    let limits = wgpu::Limits { max_storage_buffer_binding_size: 64 << 10, ..wgpu::Limits::default() };
    let sum = Op::Sum.over(Element::U32).unwrap();
    let plan = |shape, len| Plan::of(&sum, shape, &[Extent { offset: 0, len }], None, &limits).unwrap_err();
    let error = plan(Shape::axis(1, 2, 17_000), 34_000);
    assert!(error.to_string().contains("max_storage_buffer_binding_size"), "{error}");
    assert!(matches!(plan(Shape::axis(3, 3, 3), 28), ReducerError::Axis { total: 28, .. }));
    assert_eq!(plan(Shape::Strided { stride: 0 }, 1), ReducerError::Stride(0));
    assert_eq!(
        plan(Shape::Offsets { count: u64::from(u32::MAX) }, 1),
        ReducerError::TooManySegments(u64::from(u32::MAX))
    );
}
