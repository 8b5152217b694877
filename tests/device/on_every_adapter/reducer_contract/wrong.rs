//! Wrong use is an error value that names the remedy: never a panic, never an error of wgpu's.

use halofold::ladder::{Rung, Setup};
use halofold::reduce::{Arity, Both, BufferRange, Monoid, Op, Reduce, Reduction, Shape};
use halofold::{Compiled, Element, Error, Slice, Workspace, wgpu};
use halofold_cases::How;

use super::{reducer, sum};
use crate::common::{Gpu, buffer, cautious, gpu, room};
use crate::cut::reduce;
use crate::refusals;

const LEN: u64 = 1000;
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;

const USAGE: &str = "Buffer(Usage";
const TOO_SHORT: &str = "Buffer(TooShort";
const OFFSET: &str = "Buffer(Offset";
const ALIASED: &str = "Buffer(Aliased";

/// Buffers to go wrong with.
struct Desk {
    gpu: &'static Gpu,
    good: wgpu::Buffer,
    other: wgpu::Buffer,
    result: wgpu::Buffer,
    bare: wgpu::Buffer,
    sums: Compiled<Reduce>,
    dot: Compiled<Reduce>,
}

impl Desk {
    fn new() -> Self {
        let (gpu, words) = (gpu(), vec![1u8; 4 * LEN as usize + 8]);
        Desk {
            gpu,
            good: buffer(gpu, &words, STORAGE),
            other: buffer(gpu, &words, STORAGE),
            result: room(gpu, 4096),
            bare: buffer(gpu, &words, wgpu::BufferUsages::COPY_SRC),
            sums: reducer(gpu, sum(Element::U32)),
            dot: reducer(gpu, Op::Dot.over(Element::U32).unwrap()),
        }
    }

    /// A sum of the good input, to spoil.
    fn sum(&self) -> Reduction<'_, '_> {
        self.sums.of(all(&self.good))
    }

    /// Prepares a wrong reduction to the result, and returns the error.
    fn refused(&self, reduction: Reduction<'_, '_>) -> Error {
        self.refused_to(reduction, &self.result)
    }

    fn refused_to<'b>(&self, reduction: Reduction<'_, '_>, output: impl Into<Slice<'b>>) -> Error {
        self.gpu.clean(|| reduction.bind(output)).expect_err("this is wrong")
    }
}

/// The whole of an input.
fn all(buffer: &wgpu::Buffer) -> Slice<'_> {
    Slice::new(buffer, 0, 4 * LEN)
}

#[test]
fn wrong_buffers_are_refused() {
    let desk = Desk::new();
    let Desk { good, bare, other, result, sums, dot, .. } = &desk;
    let refused = |reduction: Reduction<'_, '_>| desk.refused(reduction);
    let at = |offset, size| refused(sums.of(Slice::new(good, offset, size)));
    let to = |buffer, offset| desk.refused_to(desk.sum(), Slice::at(buffer, offset));
    let beyond = desk.refused_to(desk.sum(), Slice::new(result, 256, u64::MAX));
    let (first, short) = (all(good), Slice::new(good, 0, 40));
    let with = |second: Slice<'_>| refused(dot.of(Both { first, second }));
    let both = Both { first, second: all(other) };
    let aliased = desk.refused_to(dot.of(both), other);
    let list = |buffer, offset| refused(desk.sum().segment_offsets(Slice::new(buffer, offset, 16)));
    let count = |offset, size| refused(desk.sum().count_buffer(Slice::new(good, offset, size)));
    refusals::check([
        (refused(sums.of(all(bare))), USAGE, "input; STORAGE; create it"),
        (at(0, 4 * LEN + 400), TOO_SHORT, "input; 0..4400; 4016"),
        (at(400, 4 * LEN), TOO_SHORT, "input; 4400"),
        (at(2, 40), "Buffer(Misaligned", "byte 2; 4 bytes"),
        (at(0, u64::MAX), "Buffer(OutOfReach", "no buffer reaches"),
        (at(0, 1 << 35), "Buffer(TooMany(", "4294967295; split"),
        (at(u64::MAX - 3, 16), "Buffer(OutOfReach", "no buffer reaches"),
        (at(u64::MAX - 15, 4), TOO_SHORT, "input"),
        (at(1 << 63, 4000), TOO_SHORT, "input"),
        (refused(sums.of(Slice::at(good, 5000))), TOO_SHORT, "input; 5000..5000; give a slice"),
        (to(bare, 0), USAGE, "output; STORAGE"),
        (to(result, 4096), TOO_SHORT, "output; 4096"),
        (to(result, 4), OFFSET, "output; min_storage_buffer_offset_alignment"),
        (to(result, u64::MAX - 255), TOO_SHORT, "output"),
        (to(result, u64::MAX), TOO_SHORT, "output"),
        (beyond, TOO_SHORT, "output; ends at byte 4096"),
        // Nowhere in the same buffer, also where the two do not overlap.
        (to(good, 0), ALIASED, "input; output; one buffer"),
        (with(short), "Buffer(Lengths", "1000; 10; as many"),
        (with(all(bare)), USAGE, "second input; STORAGE"),
        (aliased, ALIASED, "second input; output"),
        (with(Slice::new(other, 400, 4 * LEN)), TOO_SHORT, "second input"),
        (refused(sums.of(both)), "Buffer(SecondInput", "one input: leave the second one out"),
        (refused(dot.of(first)), "Buffer(SecondInput", "two inputs: give the second one"),
        (list(bare, 0), USAGE, "offsets; STORAGE"),
        (list(good, 4), OFFSET, "offsets; alignment"),
        (list(good, 2), OFFSET, "offsets; byte 2"),
        (list(good, 1 << 20), TOO_SHORT, "offsets"),
        (list(good, u64::MAX - 255), TOO_SHORT, "offsets"),
        (list(result, 0), ALIASED, "offsets; output"),
        (refused(desk.sum().count_buffer(bare)), USAGE, "count; STORAGE"),
        (count(2, 4), OFFSET, "count; byte 2; 4"),
        (count(1 << 20, 4), TOO_SHORT, "count"),
        (count(u64::MAX - 3, 4), TOO_SHORT, "count"),
        (count(0, 2), TOO_SHORT, "count; 0..4; ends at byte 2"),
        (refused(desk.sum().segments(10).count_buffer(good)), "Setting(count_buffer,", "Segments"),
    ]);
}

#[test]
fn wrong_shapes_are_refused() {
    let desk = Desk::new();
    let most = u64::from(u32::MAX);
    refusals::check(
        [
            (Shape::Segments { len: 7 }, "divide the input"),
            (Shape::Segments { len: 0 }, "at least 1"),
            (Shape::Strided { stride: 0 }, "stride of 0: it can be at least 1"),
            (Shape::Strided { stride: 1 << 32 }, "stride of 4294967296: it can be 1 to 4294967295"),
            (
                Shape::Strided { stride: u64::MAX },
                "stride of 18446744073709551615: it can be 1 to 4294967295",
            ),
            (Shape::Axis { outer: 3, len: 5, inner: 7 }, "as many"),
            (Shape::Axis { outer: u64::MAX, len: 2, inner: u64::MAX }, "as many"),
            (Shape::Axis { outer: 1000, len: 0, inner: 1 }, "at least 1"),
            (Shape::Offsets { count: 1 << 40 }, "split the offsets"),
            (Shape::Offsets { count: most }, "segments of 4294967295; at most 4294967294: split the offsets"),
            (Shape::Offsets { count: u64::MAX }, "split the offsets"),
            (Shape::Offsets { count: 3 }, "`.segment_offsets(…)`"),
        ]
        .map(|(shape, words)| (desk.refused(desk.sum().shape(shape)), "", words)),
    );
    let mean = reducer(desk.gpu, Op::Mean.over(Element::U32).unwrap());
    let without = desk.sum().segment_offsets(&desk.good).shape(Shape::Whole);
    // A row of one value per column that no binding holds.
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 64 << 10, ..wgpu::Limits::default() };
    let wide = [BufferRange { offset: 0, len: 34_000 }];
    let wide = How::default().plan(&sum(Element::U32), Shape::axis(1, 2, 17_000), &wide, None, &limits);
    refusals::check([
        (desk.refused(without), "Setting(segment_offsets,", "Whole; segment_offsets"),
        (desk.refused(mean.of(&desk.good).accumulate()), "Setting(shape,", "mean; u32"),
        (
            desk.refused(desk.sum().chain(all(&desk.good)).segments(10)),
            "Setting(parts,",
            "2 parts; exactly one",
        ),
        (wide.unwrap_err(), "", "max_storage_buffer_binding_size"),
    ]);
}

/// The first elements are those of a shorter slice, also across parts, a stride apart and of both inputs.
#[test]
fn lengths() {
    let desk = Desk::new();
    let (sums, dot, all) = (&desk.sums, &desk.dot, all(&desk.good));
    let some = |n: u64| Slice::new(&desk.good, 0, 4 * n);
    let both = |first, second| dot.of(Both { first, second });
    for (first, shorter) in [
        (sums.of(all).len(10), sums.of(some(10))),
        (sums.of(all).len(0), sums.of(some(0))),
        (sums.of(all).chain(all).chain(all).len(LEN + 1), sums.of(all).chain(some(1)).chain(some(0))),
        (sums.of(all).strided(100).len(3), sums.of(some(201)).strided(100)),
        (sums.of(all).segments(5).len(10), sums.of(some(10)).segments(5)),
        (both(all, all).len(10), both(some(10), some(10))),
    ] {
        assert_eq!(first.plan(), shorter.plan(), "{:?}", shorter.plan());
    }
    let (two, pairs) = (sums.of(all).chain(all).len(2 * LEN + 1), both(all, some(9)).len(10));
    refusals::check([
        (desk.refused(two), "Buffer(TooFew", "2001; has 2000; ask for fewer"),
        (desk.refused(pairs), "Buffer(TooFew", "10; has 9"),
    ]);
    // Slices of nothing may lie at the end of a buffer.
    let (anywhere, beyond) = (Slice::new(&desk.good, 0, 0), Slice::at(&desk.good, desk.good.size()));
    for nothing in [sums.of(beyond), sums.of(anywhere).chain(beyond), sums.of(beyond).strided(5)] {
        assert_eq!(desk.gpu.clean(|| reduce(desk.gpu, &nothing)), [0; 4]);
    }
}

/// Results of another type than the operator has, or more of them.
#[test]
fn wrong_result_types_are_refused() {
    let desk = Desk::new();
    let queue = &desk.gpu.queue;
    let least = reducer(desk.gpu, Op::ArgMin.over(Element::U32).unwrap());
    let all = || least.of(all(&desk.good));
    refusals::check([
        (all().run::<f32>(queue).unwrap_err(), "Setting(type,", "arg-min; (u32, u32); f32"),
        (all().segments(10).run::<f32>(queue).unwrap_err(), "Setting(results,", "100 results; `Vec`"),
        (least.results::<(u32, u32)>(&[0; 3]).unwrap_err(), "Data(Format(", "3 bytes; `arg-min` has 8"),
    ]);
    assert_eq!(all().segments(10).run::<Vec<(u32, u32)>>(queue).unwrap(), [(0x0101_0101, 0); 100]);
    let read = all().run_async::<(u32, u32)>(queue);
    desk.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    assert_eq!(pollster::block_on(read).unwrap(), (0x0101_0101, 0));
}

#[test]
fn workspaces_of_other_devices_are_refused() {
    let desk = Desk::new();
    let long = buffer(desk.gpu, &[1; 4000], STORAGE);
    let other = Workspace::new(&cautious(|_| ()).device);
    let refused = desk.refused(desk.sums.of(&long).workspace(&other));
    refusals::check([(refused, "Setting(workspace", "make one on the operation's")]);
}

/// A device that was opened without anything that it could do without.
#[test]
fn missing_features_and_limits_are_refused() {
    let small = cautious(|_| ());
    // Shapes that 1000 elements have.
    let [strided, segments] = [Shape::Strided { stride: 1 }, Shape::Segments { len: 10 }];
    let fitting = [Shape::Whole, strided, segments, Shape::axis(1, 10, 100)];
    let others = [Shape::Offsets { count: 1 }, Shape::Accumulate];
    let compiled = |monoid: Monoid, shape, how: How| {
        let all = BufferRange { offset: 0, len: LEN };
        let second = (monoid.arity() == Arity::Two).then_some(all);
        let reducer = how.on(&small.device, &monoid)?;
        reducer.compile(&reducer.plan(shape, &[all], second)?)
    };
    let made = |monoid, shape| small.clean(|| compiled(monoid, shape, How::default()));
    let refused = |monoid, shape| made(monoid, shape).expect_err("the device cannot do this");
    for (element, words) in [
        (Element::F64, "SHADER_F64; f64"),
        (Element::I64, "SHADER_INT64; i64"),
        (Element::F16, "SHADER_F16; f16"),
    ] {
        let shapes = fitting.into_iter().chain(others);
        refusals::check(shapes.map(|shape| (refused(sum(element), shape), "Feature(", words)));
    }
    let wide = "alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc { return f32(f64(elem) / 3.0lf); }
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc; }";
    let custom = Monoid::custom("thirds", Element::F32, Arity::One, wide).unwrap();
    let dot = Op::Dot.over(Element::F32).unwrap();
    let shuffle = Setup::new(Rung::named("subgroup-shuffle").unwrap(), &small.device.limits(), LEN);
    let shuffle = compiled(sum(Element::U32), Shape::Whole, How::default().with_rung(shuffle));
    refusals::check([
        (refused(sum(Element::F32), Shape::Accumulate), "Feature(", "sum; SHADER_FLOAT32_ATOMIC"),
        (refused(custom, Shape::Whole), "Feature(", "thirds; SHADER_F64"),
        (shuffle.unwrap_err(), "", "SUBGROUP"),
        // Four storage buffers in a shader are few.
        (refused(dot, Shape::Whole), "Limit(", "`dot`; max_storage_buffers_per_shader_stage; 6; 4"),
    ]);
    for shape in fitting {
        made(sum(Element::F32), shape).unwrap();
    }
}
