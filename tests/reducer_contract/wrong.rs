//! Wrong use is an error value that says what to do about it: never a panic, never a fault that wgpu finds.

use halofold::reduce::{
    Arity, Extent, Form, Input, Monoid, Op, Output, PlanError, Position, ReduceError, Reducer, Shape, Source,
    Workspace,
};
use halofold::{BufferError, Element, adapter, wgpu};

use crate::common::{Gpu, alone, gpu};
use crate::scene::{STORAGE, buffer, in_one_pass, is_poison, plan, read, reducer, room, sum};

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
    fn all<'a>(&'a self, buffer: &'a wgpu::Buffer) -> Input<'a> {
        Input { buffer, offset: 0, len: LEN }
    }

    /// A workspace for anything.
    fn workspace(&self, reducer: &Reducer, shape: Shape) -> Workspace {
        let second = (reducer.monoid().arity() == Arity::Two).then_some(Extent { offset: 0, len: LEN });
        let plan = reducer.plan(shape, &[Extent { offset: 0, len: LEN }], second).unwrap();
        Workspace::new(&self.gpu.device, &plan)
    }

    /// Prepares what should not be, and answers the error.
    fn refused(
        &self,
        reducer: &Reducer,
        source: Source<'_>,
        shape: Shape,
        (output, offset): (&wgpu::Buffer, u64),
        workspace: &Workspace,
    ) -> ReduceError {
        let output = Output { buffer: output, offset };
        let prepared =
            self.gpu.watched(|| Ok(reducer.prepare(&self.gpu.device, source, shape, output, workspace)));
        prepared.expect("wgpu finds no fault").expect_err("this is wrong")
    }

    fn whole(&self, input: Input<'_>, output: (&wgpu::Buffer, u64)) -> ReduceError {
        let reducer = reducer(self.gpu, sum(Element::U32), Form::Whole);
        let workspace = self.workspace(&reducer, Shape::Whole);
        self.refused(&reducer, Source::of(&[input]), Shape::Whole, output, &workspace)
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
fn inputs() {
    let _alone = alone();
    let desk = Desk::new();
    let to = (&desk.result, 0);
    let at = |offset, len| desk.whole(Input { buffer: &desk.good, offset, len }, to);
    says!(
        desk.whole(desk.all(&desk.bare), to),
        ReduceError::Buffer(BufferError::Usage { .. }),
        "input",
        "STORAGE",
        "create it"
    );
    says!(at(0, LEN + 100), ReduceError::Buffer(BufferError::TooShort { .. }), "input", "0..4400", "4016");
    says!(at(400, LEN), ReduceError::Buffer(BufferError::TooShort { .. }), "input", "4400");
    says!(at(2, 10), ReduceError::Plan(PlanError::Misaligned { .. }), "byte 2", "4 bytes");
    says!(at(0, u64::MAX), ReduceError::Plan(PlanError::OutOfReach { .. }), "no buffer reaches");
    says!(at(0, 1 << 33), ReduceError::Plan(PlanError::TooManyElements(_)), "4294967295", "split");
    says!(at(u64::MAX - 3, 4), ReduceError::Plan(PlanError::OutOfReach { .. }), "no buffer reaches");
    says!(at(u64::MAX - 15, 1), ReduceError::Buffer(BufferError::TooShort { .. }), "input");
    says!(at(1 << 63, 1000), ReduceError::Buffer(BufferError::TooShort { .. }), "input");
}

#[test]
fn outputs() {
    let _alone = alone();
    let desk = Desk::new();
    let to = |output, offset| desk.whole(desk.all(&desk.good), (output, offset));
    says!(to(&desk.bare, 0), ReduceError::Buffer(BufferError::Usage { .. }), "output", "STORAGE");
    says!(to(&desk.result, 4096), ReduceError::Buffer(BufferError::TooShort { .. }), "output", "4096");
    says!(
        to(&desk.result, 4),
        ReduceError::Buffer(BufferError::Offset { .. }),
        "output",
        "min_storage_buffer_offset_alignment"
    );
    says!(to(&desk.result, u64::MAX - 255), ReduceError::Buffer(BufferError::TooShort { .. }), "output");
    says!(to(&desk.result, u64::MAX), ReduceError::Buffer(BufferError::TooShort { .. }), "output");
    // Nowhere in the same buffer, also where the two do not overlap.
    says!(
        to(&desk.good, 0),
        ReduceError::Buffer(BufferError::Aliased { .. }),
        "input",
        "output",
        "one buffer"
    );
}

#[test]
fn second_inputs() {
    let _alone = alone();
    let desk = Desk::new();
    let dot = reducer(desk.gpu, Op::Dot.over(Element::U32).unwrap(), Form::Whole);
    let one = reducer(desk.gpu, sum(Element::U32), Form::Whole);
    let workspace = desk.workspace(&dot, Shape::Whole);
    let first = [desk.all(&desk.good)];
    let with = |reducer, second, to: &wgpu::Buffer| {
        desk.refused(reducer, Source::pairs(&first, second), Shape::Whole, (to, 0), &workspace)
    };
    let short = Input { len: 10, ..first[0] };
    says!(with(&dot, short, &desk.result), ReduceError::Lengths { .. }, "1000", "10", "as many");
    says!(
        with(&dot, desk.all(&desk.bare), &desk.result),
        ReduceError::Buffer(BufferError::Usage { .. }),
        "second input",
        "STORAGE"
    );
    let other = buffer(desk.gpu, &[1; 4000], STORAGE);
    says!(
        with(&dot, desk.all(&other), &other),
        ReduceError::Buffer(BufferError::Aliased { .. }),
        "second input",
        "output"
    );
    let beyond = Input { offset: 400, ..desk.all(&other) };
    says!(
        with(&dot, beyond, &desk.result),
        ReduceError::Buffer(BufferError::TooShort { .. }),
        "second input"
    );
    says!(with(&one, first[0], &desk.result), ReduceError::Arity { .. }, "sum", "leave the second out");
    let alone = desk.refused(&dot, Source::of(&first), Shape::Whole, (&desk.result, 0), &workspace);
    says!(alone, ReduceError::Arity { .. }, "dot", "give a second one");
    // One buffer may be both inputs: it is only read.
    let target = Output { buffer: &desk.result, offset: 0 };
    let both = Source::pairs(&first, first[0]);
    desk.gpu
        .watched(|| {
            let squares = dot.prepare(&desk.gpu.device, both, Shape::Whole, target, &workspace).unwrap();
            in_one_pass(desk.gpu, |pass| squares.encode_in_pass(pass));
            Ok(())
        })
        .unwrap();
    let expected = 0x0101_0101u32.wrapping_mul(0x0101_0101).wrapping_mul(LEN as u32);
    assert_eq!(read(desk.gpu, &desk.result)[..4], expected.to_le_bytes());
}

#[test]
fn shapes() {
    let _alone = alone();
    let desk = Desk::new();
    let parts = [desk.all(&desk.good)];
    let to = (&desk.result, 0);
    for (form, shape, words) in [
        (Form::Whole, Shape::Segments { len: 10 }, "make one for Segments"),
        (Form::Segments, Shape::Whole, "make one for Whole"),
        (Form::Segments, Shape::Segments { len: 7 }, "divide the input"),
        (Form::Segments, Shape::Segments { len: 0 }, "at least 1"),
        (Form::Strided, Shape::Strided { stride: 0 }, "from 1"),
        (Form::Strided, Shape::Strided { stride: u64::MAX }, "no buffer reaches"),
        (Form::Axis, Shape::Axis { outer: 3, len: 5, inner: 7 }, "as many"),
        (Form::Axis, Shape::Axis { outer: u64::MAX, len: 2, inner: u64::MAX }, "as many"),
        (Form::Axis, Shape::Axis { outer: 1000, len: 0, inner: 1 }, "at least 1"),
        (Form::Offsets, Shape::Offsets { count: 1 << 40 }, "split the offsets"),
        (Form::Offsets, Shape::Offsets { count: u64::MAX }, "split the offsets"),
        (Form::Offsets, Shape::Offsets { count: 3 }, "go with `Shape::Offsets`"),
    ] {
        let reducer = reducer(desk.gpu, sum(Element::U32), form);
        let workspace = desk.workspace(&reducer, default_of(form));
        let error = desk.refused(&reducer, Source::of(&parts), shape, to, &workspace);
        assert!(error.to_string().contains(words), "{shape:?}: {error}");
    }
    let segments = reducer(desk.gpu, sum(Element::U32), Form::Segments);
    let workspace = desk.workspace(&segments, Shape::Segments { len: 10 });
    let two = [parts[0]; 2];
    let error = desk.refused(&segments, Source::of(&two), Shape::Segments { len: 10 }, to, &workspace);
    says!(error, ReduceError::Parts(2), "exactly one");
}

/// A shape that 1000 elements have.
fn default_of(form: Form) -> Shape {
    match form {
        Form::Strided => Shape::Strided { stride: 1 },
        Form::Segments => Shape::Segments { len: 10 },
        Form::Offsets => Shape::Offsets { count: 1 },
        Form::Axis => Shape::Axis { outer: 1, len: 10, inner: 100 },
        _ => Shape::Whole,
    }
}

#[test]
fn offsets_and_counts() {
    let _alone = alone();
    let desk = Desk::new();
    let parts = [desk.all(&desk.good)];
    let source = Source::of(&parts);
    let to = (&desk.result, 0);
    let between = reducer(desk.gpu, sum(Element::U32), Form::Offsets);
    let shape = Shape::Offsets { count: 3 };
    let workspace = desk.workspace(&between, shape);
    let list = |buffer, offset| {
        let source = source.with_offsets(Position { buffer, offset });
        desk.refused(&between, source, shape, to, &workspace)
    };
    says!(list(&desk.bare, 0), ReduceError::Buffer(BufferError::Usage { .. }), "list of offsets", "STORAGE");
    says!(
        list(&desk.good, 4),
        ReduceError::Buffer(BufferError::Offset { .. }),
        "list of offsets",
        "alignment"
    );
    says!(list(&desk.good, 1 << 20), ReduceError::Buffer(BufferError::TooShort { .. }), "list of offsets");
    says!(
        list(&desk.good, u64::MAX - 255),
        ReduceError::Buffer(BufferError::TooShort { .. }),
        "list of offsets"
    );
    says!(
        list(&desk.result, 0),
        ReduceError::Buffer(BufferError::Aliased { .. }),
        "list of offsets",
        "output"
    );

    let whole = reducer(desk.gpu, sum(Element::U32), Form::Whole);
    let workspace = desk.workspace(&whole, Shape::Whole);
    let count = |buffer, offset| {
        let source = source.with_count(Position { buffer, offset });
        desk.refused(&whole, source, Shape::Whole, to, &workspace)
    };
    says!(count(&desk.bare, 0), ReduceError::Buffer(BufferError::Usage { .. }), "count", "STORAGE");
    says!(count(&desk.good, 2), ReduceError::Plan(PlanError::Misaligned { .. }), "byte 2");
    says!(count(&desk.good, 1 << 20), ReduceError::Buffer(BufferError::TooShort { .. }), "count");
    says!(count(&desk.good, u64::MAX - 3), ReduceError::Buffer(BufferError::TooShort { .. }), "count");
    let segments = reducer(desk.gpu, sum(Element::U32), Form::Segments);
    let shape = Shape::Segments { len: 10 };
    let workspace = desk.workspace(&segments, shape);
    let counted = source.with_count(Position { buffer: &desk.good, offset: 0 });
    says!(desk.refused(&segments, counted, shape, to, &workspace), ReduceError::Count(_), "Segments");
}

#[test]
fn workspaces() {
    let _alone = alone();
    let desk = Desk::new();
    let long = buffer(desk.gpu, &vec![1; 4 << 20], STORAGE);
    let input = [Input { buffer: &long, offset: 0, len: 1 << 20 }];
    for (shape, role) in [
        (Shape::Whole, "partials buffer"),
        (Shape::Segments { len: 1 << 19 }, "scratch memory"),
        (Shape::Axis { outer: 1, len: 1 << 19, inner: 2 }, "scratch memory"),
    ] {
        let reducer = reducer(desk.gpu, sum(Element::U32), shape.form());
        let small = desk.workspace(&reducer, default_of(shape.form()));
        let error = desk.refused(&reducer, Source::of(&input), shape, (&desk.result, 0), &small);
        says!(error, ReduceError::Buffer(BufferError::TooShort { .. }), role);
    }
}

/// A device that was opened without anything that it could do without.
#[test]
fn devices() {
    let _alone = alone();
    let adapter = pollster::block_on(adapter::preferred(true)).expect("an adapter");
    let descriptor =
        wgpu::DeviceDescriptor { required_limits: wgpu::Limits::downlevel_defaults(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("a small device");
    let small = Gpu { device, queue };
    let refused = |monoid: Monoid, form| {
        let made = small.watched(|| Ok(Reducer::new(&small.device, monoid, form)));
        made.expect("wgpu finds no fault").expect_err("the device cannot do this")
    };
    for (element, feature) in
        [(Element::F64, "SHADER_F64"), (Element::I64, "SHADER_INT64"), (Element::F16, "SHADER_F16")]
    {
        for form in Form::ALL {
            if form == Form::Accumulate && element == Element::F64 {
                says!(refused(sum(element), form), ReduceError::NoAtomic { .. }, "f64", "Shape::Whole");
                continue;
            }
            says!(refused(sum(element), form), ReduceError::MissingFeature { .. }, feature, element.name());
        }
    }
    let error = refused(sum(Element::F32), Form::Accumulate);
    says!(error, ReduceError::MissingFeature { .. }, "sum", "SHADER_FLOAT32_ATOMIC");
    let wide = "alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc { return f32(f64(elem) / 3.0lf); }
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc; }";
    let custom = Monoid::custom("thirds", Element::F32, Arity::One, wide).unwrap();
    says!(refused(custom, Form::Whole), ReduceError::MissingFeature { .. }, "thirds", "SHADER_F64");
    // Four storage buffers in a shader are few.
    let dot = Op::Dot.over(Element::F32).unwrap();
    says!(
        refused(dot, Form::Whole),
        ReduceError::Bindings { .. },
        "dot",
        "max_storage_buffers_per_shader_stage",
        "6",
        "4"
    );
    // What fits does run.
    for form in [Form::Whole, Form::Segments, Form::Strided, Form::Axis] {
        small
            .watched(|| {
                Reducer::new(&small.device, sum(Element::F32), form).map_err(|error| error.to_string())
            })
            .unwrap();
    }
}

#[test]
fn operators() {
    let _alone = alone();
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
    let made = gpu().watched(|| Ok(Reducer::new(&gpu().device, monoid, Form::Whole)));
    says!(made.unwrap().unwrap_err(), ReduceError::Composed { .. }, "rename", "group_index");
}

/// Of nothing there is the identity, or no result at all; and nothing is touched besides.
#[test]
fn nothing_is_no_mistake() {
    let _alone = alone();
    let desk = Desk::new();
    let gpu = desk.gpu;
    let anywhere = Input { buffer: &desk.good, offset: 0, len: 0 };
    let beyond = Input { buffer: &desk.good, offset: desk.good.size(), len: 0 };
    let none: &[Input<'_>] = &[];
    for (shape, parts, results) in [
        (Shape::Whole, &[anywhere][..], 1),
        (Shape::Whole, &[beyond], 1),
        (Shape::Whole, &[anywhere, beyond], 1),
        (Shape::Whole, none, 1),
        (Shape::Strided { stride: 5 }, &[beyond], 1),
        (Shape::Segments { len: 5 }, &[anywhere], 0),
        (Shape::Axis { outer: 0, len: 5, inner: 3 }, &[anywhere], 0),
        (Shape::Offsets { count: 2 }, &[anywhere], 2),
        (Shape::Offsets { count: 0 }, &[anywhere], 0),
    ] {
        let done = gpu.watched(|| {
            let reducer = reducer(gpu, sum(Element::U32), shape.form());
            let workspace = Workspace::new(&gpu.device, &plan(&reducer, shape, 0));
            let output = room(gpu, 64);
            let zeros = buffer(gpu, &[0; 64], STORAGE);
            let mut source = Source::of(parts);
            if shape.form() == Form::Offsets {
                source = source.with_offsets(Position { buffer: &zeros, offset: 0 });
            }
            let target = Output { buffer: &output, offset: 0 };
            let prepared = reducer.prepare(&gpu.device, source, shape, target, &workspace);
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
