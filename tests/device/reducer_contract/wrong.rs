//! Wrong use is an error value that names the remedy: never a panic, never an error of wgpu's.

use halofold::reduce::ladder::Rung;
use halofold::reduce::{
    Arity, BufferRange, Monoid, Op, Options, Plan, ReduceError, Reducer, Reduction, Shape, ShapeKind,
    Strategy, Tuning, Workspace,
};
use halofold::{BufferError, Element, Slice, wgpu};

use super::scene::{STORAGE, buffer, in_one_pass, is_poison, plan, read, reducer, room, shaped, sum};
use crate::common::{Gpu, cautious, gpu};

use BufferError as B;
use ReduceError as E;

const LEN: u64 = 1000;

/// Buffers to go wrong with.
struct Desk {
    gpu: &'static Gpu,
    good: wgpu::Buffer,
    result: wgpu::Buffer,
    bare: wgpu::Buffer,
}

impl Desk {
    fn new() -> Self {
        let gpu = gpu();
        let words = vec![1u8; 4 * LEN as usize + 8];
        Desk {
            gpu,
            good: buffer(gpu, &words, STORAGE),
            result: room(gpu, 4096),
            bare: buffer(gpu, &words, wgpu::BufferUsages::COPY_SRC),
        }
    }

    /// The whole of an input.
    fn all<'a>(&'a self, buffer: &'a wgpu::Buffer) -> Slice<'a> {
        Slice::new(buffer, 0, 4 * LEN)
    }

    /// Prepares a wrong reduction, and returns the error.
    fn refused(&self, reduction: Reduction<'_, '_>, output: Slice<'_>) -> ReduceError {
        self.gpu.clean(|| reduction.into(output)).expect_err("this is wrong")
    }

    fn whole(&self, input: Slice<'_>, output: Slice<'_>) -> ReduceError {
        self.refused(reducer(self.gpu, sum(Element::U32)).of(input), output)
    }
}

/// Asserts the kind of an error, and that its text names what to look at.
macro_rules! says {
    ($error:expr, $kind:pat, $($word:expr),+) => {{
        let error = $error;
        assert!(matches!(error, $kind), "{error:?}");
        let text = error.to_string();
        $(assert!(text.contains($word), "`{}` is not in: {text}", $word);)+
    }};
}

#[test]
fn wrong_inputs_are_refused() {
    let desk = Desk::new();
    let to = Slice::from(&desk.result);
    let at = |offset, size| desk.whole(Slice::new(&desk.good, offset, size), to);
    says!(desk.whole(desk.all(&desk.bare), to), E::Buffer(B::Usage { .. }), "input", "STORAGE", "create it");
    says!(at(0, 4 * LEN + 400), E::Buffer(B::TooShort { .. }), "input", "0..4400", "4016");
    says!(at(400, 4 * LEN), E::Buffer(B::TooShort { .. }), "input", "4400");
    says!(at(2, 40), E::Buffer(B::Misaligned { .. }), "byte 2", "4 bytes");
    says!(at(0, u64::MAX), E::Buffer(B::OutOfReach { .. }), "no buffer reaches");
    says!(at(0, 1 << 35), E::Buffer(B::TooMany(_)), "4294967295", "split");
    says!(at(u64::MAX - 3, 16), E::Buffer(B::OutOfReach { .. }), "no buffer reaches");
    says!(at(u64::MAX - 15, 4), E::Buffer(B::TooShort { .. }), "input");
    says!(at(1 << 63, 4000), E::Buffer(B::TooShort { .. }), "input");
    let behind = desk.whole(Slice::at(&desk.good, 5000), to);
    says!(behind, E::Buffer(B::TooShort { .. }), "input", "5000..5000", "give a slice");
}

#[test]
fn wrong_outputs_are_refused() {
    let desk = Desk::new();
    let to = |output, offset| desk.whole(desk.all(&desk.good), Slice::at(output, offset));
    says!(to(&desk.bare, 0), E::Buffer(B::Usage { .. }), "output", "STORAGE");
    says!(to(&desk.result, 4096), E::Buffer(B::TooShort { .. }), "output", "4096");
    says!(to(&desk.result, 4), E::Buffer(B::Offset { .. }), "output", "min_storage_buffer_offset_alignment");
    says!(to(&desk.result, u64::MAX - 255), E::Buffer(B::TooShort { .. }), "output");
    says!(to(&desk.result, u64::MAX), E::Buffer(B::TooShort { .. }), "output");
    let beyond = desk.whole(desk.all(&desk.good), Slice::new(&desk.result, 256, u64::MAX));
    says!(beyond, E::Buffer(B::TooShort { .. }), "output", "ends at byte 4096");
    // Nowhere in the same buffer, also where the two do not overlap.
    says!(to(&desk.good, 0), E::Buffer(B::Aliased { .. }), "input", "output", "one buffer");
}

#[test]
fn wrong_second_inputs_are_refused() {
    let desk = Desk::new();
    let dot = reducer(desk.gpu, Op::Dot.over(Element::U32).unwrap());
    let one = reducer(desk.gpu, sum(Element::U32));
    let first = desk.all(&desk.good);
    let with = |reducer: &Reducer, second: Slice<'_>, to: &wgpu::Buffer| {
        desk.refused(reducer.of(first).with(second), to.into())
    };
    let short = Slice::new(&desk.good, 0, 40);
    says!(with(&dot, short, &desk.result), E::Lengths { .. }, "1000", "10", "as many");
    says!(
        with(&dot, desk.all(&desk.bare), &desk.result),
        E::Buffer(B::Usage { .. }),
        "second input",
        "STORAGE"
    );
    let other = buffer(desk.gpu, &[1; 4000], STORAGE);
    says!(with(&dot, desk.all(&other), &other), E::Buffer(B::Aliased { .. }), "second input", "output");
    let beyond = Slice::new(&other, 400, 4 * LEN);
    says!(with(&dot, beyond, &desk.result), E::Buffer(B::TooShort { .. }), "second input");
    says!(with(&one, first, &desk.result), E::Arity { .. }, "sum", "leave the second out");
    let alone = desk.refused(dot.of(first), (&desk.result).into());
    says!(alone, E::Arity { .. }, "dot", "give a second one");
    // One buffer may be both inputs: it is only read.
    desk.gpu.clean(|| {
        let squares = dot.of(first).with(first).into(&desk.result).unwrap();
        in_one_pass(desk.gpu, |pass| squares.encode_in_pass(pass));
    });
    let expected = 0x0101_0101u32.wrapping_mul(0x0101_0101).wrapping_mul(LEN as u32);
    assert_eq!(read(desk.gpu, &desk.result)[..4], expected.to_le_bytes());
}

#[test]
fn wrong_shapes_are_refused() {
    let desk = Desk::new();
    let to = Slice::from(&desk.result);
    let sums = reducer(desk.gpu, sum(Element::U32));
    let all = || sums.of(desk.all(&desk.good));
    for (shape, words) in [
        (Shape::Segments { len: 7 }, "divide the input"),
        (Shape::Segments { len: 0 }, "at least 1"),
        (Shape::Strided { stride: 0 }, "stride of 0: it can be at least 1"),
        (Shape::Strided { stride: 1 << 32 }, "stride of 4294967296: it can be 1 to 4294967295"),
        (Shape::Strided { stride: u64::MAX }, "stride of 18446744073709551615: it can be 1 to 4294967295"),
        (Shape::Axis { outer: 3, len: 5, inner: 7 }, "as many"),
        (Shape::Axis { outer: u64::MAX, len: 2, inner: u64::MAX }, "as many"),
        (Shape::Axis { outer: 1000, len: 0, inner: 1 }, "at least 1"),
        (Shape::Offsets { count: 1 << 40 }, "split the offsets"),
        (
            Shape::Offsets { count: u64::from(u32::MAX) },
            "segments of 4294967295: it can be at most 4294967294: split the offsets",
        ),
        (Shape::Offsets { count: u64::MAX }, "split the offsets"),
        (Shape::Offsets { count: 3 }, "`.segment_offsets(…)`"),
    ] {
        let error = desk.refused(all().shape(shape), to);
        assert!(error.to_string().contains(words), "{shape:?}: {error}");
    }
    let without = desk.refused(all().segment_offsets(&desk.good).shape(Shape::Whole), to);
    says!(without, E::Offsets(Shape::Whole), "segment_offsets");
    let mean = reducer(desk.gpu, Op::Mean.over(Element::U32).unwrap());
    says!(desk.refused(mean.of(&desk.good).accumulate(), to), E::NoAtomic { .. }, "mean", "u32");
    let two = all().chain(desk.all(&desk.good)).segments(10);
    says!(desk.refused(two, to), E::Parts(2), "exactly one");
    // A row of one value per column that no binding holds.
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 64 << 10, ..wgpu::Limits::default() };
    let wide = [BufferRange { offset: 0, len: 34_000 }];
    let wide = Plan::of(&sum(Element::U32), Shape::axis(1, 2, 17_000), &wide, None, &limits).unwrap_err();
    assert!(wide.to_string().contains("max_storage_buffer_binding_size"), "{wide}");
}

/// The first elements are those of a shorter slice, also across parts, a stride apart and of both inputs.
#[test]
fn lengths() {
    let desk = Desk::new();
    let sums = reducer(desk.gpu, sum(Element::U32));
    let dot = reducer(desk.gpu, Op::Dot.over(Element::U32).unwrap());
    let all = desk.all(&desk.good);
    let some = |n: u64| Slice::new(&desk.good, 0, 4 * n);
    for (first, shorter) in [
        (sums.of(all).len(10), sums.of(some(10))),
        (sums.of(all).len(0), sums.of(some(0))),
        (sums.of(all).chain(all).chain(all).len(LEN + 1), sums.of(all).chain(some(1)).chain(some(0))),
        (sums.of(all).strided(100).len(3), sums.of(some(201)).strided(100)),
        (sums.of(all).segments(5).len(10), sums.of(some(10)).segments(5)),
        (dot.of(all).with(all).len(10), dot.of(some(10)).with(some(10))),
    ] {
        assert_eq!(first.plan(), shorter.plan(), "{:?}", shorter.plan());
    }
    let more = desk.refused(sums.of(all).chain(all).len(2 * LEN + 1), (&desk.result).into());
    says!(more, E::Buffer(B::TooFew { .. }), "2001", "has 2000", "ask for fewer");
    let second = desk.refused(dot.of(all).with(some(9)).len(10), (&desk.result).into());
    says!(second, E::Buffer(B::TooFew { .. }), "10", "has 9");
}

/// A shape that 1000 elements have.
fn default_of(form: ShapeKind) -> Shape {
    match form {
        ShapeKind::Strided => Shape::Strided { stride: 1 },
        ShapeKind::Segments => Shape::Segments { len: 10 },
        ShapeKind::Offsets => Shape::Offsets { count: 1 },
        ShapeKind::Axis => Shape::Axis { outer: 1, len: 10, inner: 100 },
        ShapeKind::Accumulate => Shape::Accumulate,
        _ => Shape::Whole,
    }
}

/// Results of another type than was asked for, or more of them.
#[test]
fn wrong_result_types_are_refused() {
    let desk = Desk::new();
    let queue = &desk.gpu.queue;
    let least = reducer(desk.gpu, Op::ArgMin.over(Element::U32).unwrap());
    let all = || least.of(desk.all(&desk.good));
    let wait = |error: Result<f32, ReduceError>| error.unwrap_err();
    says!(wait(all().wait(queue)), E::ResultType { .. }, "arg-min", "(u32, u32)", "f32");
    says!(wait(all().segments(10).wait(queue)), E::Results(100), "`Vec`");
    let few = least.results::<(u32, u32)>(&[0; 3]).unwrap_err();
    says!(few, E::TooFewBytes { .. }, "3 bytes", "`arg-min` has 8");
    assert_eq!(all().wait::<(u32, u32)>(queue).unwrap(), (0x0101_0101, 0));
    assert_eq!(all().segments(10).wait::<Vec<(u32, u32)>>(queue).unwrap(), [(0x0101_0101, 0); 100]);
    let read = all().read::<(u32, u32)>(queue);
    desk.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    assert_eq!(pollster::block_on(read).unwrap(), (0x0101_0101, 0));
}

#[test]
fn wrong_offsets_and_counts_are_refused() {
    let desk = Desk::new();
    let to = Slice::from(&desk.result);
    let sums = reducer(desk.gpu, sum(Element::U32));
    let all = || sums.of(desk.all(&desk.good));
    let list = |buffer, offset| desk.refused(all().segment_offsets(Slice::new(buffer, offset, 16)), to);
    says!(list(&desk.bare, 0), E::Buffer(B::Usage { .. }), "list of offsets", "STORAGE");
    says!(list(&desk.good, 4), E::Buffer(B::Offset { .. }), "list of offsets", "alignment");
    says!(list(&desk.good, 2), E::Buffer(B::Offset { offset: 2, .. }), "list of offsets");
    says!(list(&desk.good, 1 << 20), E::Buffer(B::TooShort { .. }), "list of offsets");
    says!(list(&desk.good, u64::MAX - 255), E::Buffer(B::TooShort { .. }), "list of offsets");
    says!(list(&desk.result, 0), E::Buffer(B::Aliased { .. }), "list of offsets", "output");

    let count = |buffer, offset| desk.refused(all().count_buffer(Slice::new(buffer, offset, 4)), to);
    says!(count(&desk.bare, 0), E::Buffer(B::Usage { .. }), "count", "STORAGE");
    says!(count(&desk.good, 2), E::Buffer(B::Offset { offset: 2, align: 4, .. }), "count", "byte 2");
    says!(count(&desk.good, 1 << 20), E::Buffer(B::TooShort { .. }), "count");
    says!(count(&desk.good, u64::MAX - 3), E::Buffer(B::TooShort { .. }), "count");
    let half = desk.refused(all().count_buffer(Slice::new(&desk.good, 0, 2)), to);
    says!(half, E::Buffer(B::TooShort { .. }), "count", "0..4", "ends at byte 2");
    let counted = all().segments(10).count_buffer(&desk.good);
    says!(desk.refused(counted, to), E::Count(_), "Segments");
}

#[test]
fn wrong_workspaces_are_refused() {
    let desk = Desk::new();
    let long = buffer(desk.gpu, &vec![1; 4 << 20], STORAGE);
    let input = Slice::new(&long, 0, 4 << 20);
    let sums = reducer(desk.gpu, sum(Element::U32));
    let rung = Rung::named("vectorized").unwrap();
    let tuning = Tuning::of(rung.kernel, &desk.gpu.device.limits(), LEN);
    let tuning = tuning.with_workgroup_size(64).with_max_workgroups(1000);
    let strategy = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
    let options = Options::default().with_strategy(strategy);
    let of_rung = Reducer::with_options(&desk.gpu.device, sum(Element::U32), options).unwrap();
    for (sums, shape, role) in [
        (&sums, Shape::Whole, "partials buffer"),
        (&of_rung, Shape::Whole, "scratch memory"),
        (&sums, Shape::Segments { len: 1 << 19 }, "scratch memory"),
        (&sums, Shape::Axis { outer: 1, len: 1 << 19, inner: 2 }, "scratch memory"),
    ] {
        let small = Workspace::new(&desk.gpu.device, &plan(sums, default_of(shape.kind()), LEN));
        let reduction = sums.of(input).shape(shape).workspace(&small);
        let error = desk.refused(reduction, (&desk.result).into());
        says!(error, E::Buffer(B::TooShort { .. }), role);
    }
}

/// A device that was opened without anything that it could do without.
#[test]
fn missing_features_and_limits_are_refused() {
    let small = cautious(|_| ());
    let compiled = |monoid: Monoid, form| {
        let second = (monoid.arity() == Arity::Two).then_some(BufferRange { offset: 0, len: LEN });
        let reducer = Reducer::new(&small.device, monoid)?;
        reducer.compile(&reducer.plan(default_of(form), &[BufferRange { offset: 0, len: LEN }], second)?)
    };
    let refused =
        |monoid: Monoid, form| small.clean(|| compiled(monoid, form)).expect_err("the device cannot do this");
    for (element, feature) in
        [(Element::F64, "SHADER_F64"), (Element::I64, "SHADER_INT64"), (Element::F16, "SHADER_F16")]
    {
        for form in ShapeKind::ALL {
            says!(refused(sum(element), form), E::Monoid(_), feature, element.name());
        }
    }
    let error = refused(sum(Element::F32), ShapeKind::Accumulate);
    says!(error, E::Monoid(_), "sum", "SHADER_FLOAT32_ATOMIC");
    let wide = "alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc { return f32(f64(elem) / 3.0lf); }
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc; }";
    let custom = Monoid::custom("thirds", Element::F32, Arity::One, wide).unwrap();
    says!(refused(custom, ShapeKind::Whole), E::Monoid(_), "thirds", "SHADER_F64");
    // Four storage buffers in a shader are few.
    let dot = Op::Dot.over(Element::F32).unwrap();
    says!(
        refused(dot, ShapeKind::Whole),
        E::Limit(_),
        "`dot`",
        "max_storage_buffers_per_shader_stage",
        "6",
        "4"
    );
    // Shapes that fit do run.
    for form in [ShapeKind::Whole, ShapeKind::Segments, ShapeKind::Strided, ShapeKind::Axis] {
        small
            .watched(|| compiled(sum(Element::F32), form).map_err(|error: ReduceError| error.to_string()))
            .unwrap();
    }
}

#[test]
fn wrong_operators_are_refused() {
    let refused = |text: &str| Monoid::custom("odd", Element::F32, Arity::One, text).unwrap_err().to_string();
    let good = "alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc { return elem; }
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc; }";
    for (was, is, words) in [
        ("return elem;", "return elm;", "line 2"),
        ("fn identity()", "fn unity()", "lacks the function `fn identity"),
        ("index: u32", "index: i32", "line 2: `map` must be declared"),
        ("-> f32 { return acc; }", "-> bool { return true; }", "`Out` must be"),
        ("alias", "var<private> x: f32; alias", "a variable"),
        ("alias", "override x = 1u; alias", "an override"),
    ] {
        let error = refused(&good.replacen(was, is, 1));
        assert!(error.contains(words), "{error}");
    }
    // A name of halofold's own.
    let taken = format!("{good}\nfn group_index(id: vec3<u32>) -> u32 {{ return id.x; }}");
    let monoid = Monoid::custom("taken", Element::F32, Arity::One, &taken).unwrap();
    let made = gpu().watched(|| Ok(Reducer::new(&gpu().device, monoid)));
    says!(made.unwrap().unwrap_err(), E::Composed { .. }, "rename", "group_index");
}

/// Of nothing there is the identity, or no result at all; and nothing is touched besides.
#[test]
fn empty_inputs_are_allowed() {
    let desk = Desk::new();
    let gpu = desk.gpu;
    let anywhere = Slice::new(&desk.good, 0, 0);
    let beyond = Slice::at(&desk.good, desk.good.size());
    for (shape, parts, results) in [
        (Shape::Whole, &[anywhere][..], 1),
        (Shape::Whole, &[beyond], 1),
        (Shape::Whole, &[anywhere, beyond], 1),
        (Shape::Strided { stride: 5 }, &[beyond], 1),
        (Shape::Segments { len: 5 }, &[anywhere], 0),
        (Shape::Axis { outer: 0, len: 5, inner: 3 }, &[anywhere], 0),
        (Shape::Offsets { count: 2 }, &[anywhere], 2),
        (Shape::Offsets { count: 0 }, &[anywhere], 0),
    ] {
        let done = gpu.watched(|| {
            let reducer = reducer(gpu, sum(Element::U32));
            let output = room(gpu, 64);
            let zeros = buffer(gpu, &[0; 64], STORAGE);
            let offsets = Slice::new(&zeros, 0, 4 * (results as u64 + 1));
            let first = shaped(reducer.of(parts[0]), shape, offsets);
            let all = parts[1..].iter().fold(first, |all, part| all.chain(*part));
            let prepared = all.into(&output);
            let prepared = prepared.map_err(|error| format!("{shape:?}: {error}"))?;
            in_one_pass(gpu, |pass| prepared.encode_in_pass(pass));
            Ok(read(gpu, &output))
        });
        let bytes = done.unwrap();
        let (written, rest) = bytes.split_at(4 * results);
        assert!(written.iter().all(|byte| *byte == 0), "{shape:?} gave {written:?}");
        assert!(
            rest.iter().enumerate().all(|(at, byte)| is_poison(at, *byte)),
            "{shape:?} wrote more than {results}"
        );
    }
}

/// A plan serves reductions of other buffers, and no reduction that binds or counts other elements.
#[test]
fn plans_of_other_reductions_are_refused() {
    let desk = Desk::new();
    let (held, other) = (&desk.good, buffer(desk.gpu, &[1; 4000], STORAGE));
    let words = |buffer, first: u64, len: u64| Slice::new(buffer, 4 * first, 4 * len);
    let of = |element, options| {
        Reducer::with_options(&desk.gpu.device, Op::ArgMax.over(element).unwrap(), options).unwrap()
    };
    let least = of(Element::U32, Options::default());
    let states = of(Element::U32, Options::default().with_to_states(true));
    let floats = of(Element::F64, Options::default());
    let plan = least.of(words(held, 0, 900)).plan().unwrap();
    let prepare = |reduction: Reduction<'_, '_>| reduction.prepare(plan.clone(), &desk.result);
    assert_eq!(*prepare(least.of(words(&other, 0, 900))).unwrap().plan(), plan);
    for differs in [
        least.of(words(held, 0, 899)),
        least.of(words(held, 1, 900)),
        least.of(words(held, 0, 900)).len(899),
        least.of(words(held, 0, 900)).segments(900),
        least.of(words(held, 0, 450)).chain(words(held, 450, 450)),
        least.of(words(held, 0, 900)).counting_from(1),
        least.of(words(held, 0, 900)).element_count(7),
        states.of(words(held, 0, 900)),
        floats.of(Slice::new(held, 0, 3600)).len(450),
    ] {
        assert_eq!(prepare(differs).unwrap_err(), E::OtherPlan);
    }
}
