//! Operators that a user writes: errors are found without a device, and point at the line.

use crate::common::{buffer, cautious, gpu, without};
use crate::refusals;
use halofold::reduce::ladder::Rung;
use halofold::reduce::{Arity, Monoid, MonoidError, Options, ReduceError, Reducer, Shape, Strategy};
use halofold::{BufferError, Element, wgpu};

/// A sum of squares that is right; each test spoils something.
const SQUARES: &str = "\
alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc { return f32(elem) * f32(elem); }
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc / f32(max(n, 1u)); }
";

fn custom(wgsl: &str) -> Result<Monoid, MonoidError> {
    Monoid::custom("squares", Element::F32, Arity::One, wgsl)
}

#[test]
fn a_valid_operator_has_its_types_and_needs_no_features() {
    let monoid = custom(SQUARES).unwrap();
    assert_eq!((monoid.acc_type(), monoid.out_type(), monoid.out_size()), ("f32", "f32", 4));
    assert_eq!(monoid.features(), wgpu::Features::empty());
}

/// naga once refused such constants in kernels with an array as long as the workgroup, which only those without subgroups have.
#[test]
fn constants_may_be_vectors_and_arrays() {
    let constants = "const SCALE = vec2<f32>(0.5, 2.0);\nconst SHIFTS = array<f32, 3>(1.0, 2.0, 3.0);\n";
    let used = SQUARES.replace("f32(elem) * f32(elem)", "dot(vec2(elem), SCALE) + SHIFTS[index % 3u]");
    let text = format!("{constants}{used}");
    for gpu in [gpu(), &without(wgpu::Features::SUBGROUP)] {
        let elements = buffer(gpu, bytemuck::cast_slice(&[2.0f32; 3000]), wgpu::BufferUsages::STORAGE);
        let mean = Reducer::new(&gpu.device, custom(&text).unwrap()).unwrap();
        for shape in
            [Shape::Whole, Shape::Segments { len: 30 }, Shape::Axis { outer: 10, len: 30, inner: 10 }]
        {
            let means = mean.of(&elements).shape(shape);
            let means: Vec<f32> = gpu.clean(|| means.wait(&gpu.queue)).unwrap();
            assert!(means.iter().all(|mean| *mean == 7.0), "{shape:?}: {means:?}");
        }
    }
}

/// A kernel's declarations, and the parts of the right text that are spoiled.
const MAP: &str = "fn map(elem: Elem, index: u32)";
const IDENTITY: &str = "fn identity() -> Acc { return 0.0; }";
const COMBINE: &str = "fn combine(a: Acc, b: Acc) -> Acc { return a + b; }";
const SUM: &str = "return a + b;";

#[test]
fn wrong_texts_are_refused() {
    let spoilt = [
        (SUM, "return a + ;", "Invalid(", "line 4"),
        ("return 0.0;", "return 1u;", "Invalid(", "line 3"),
        ("f32(elem) * f32(elem)", "undeclared(elem)", "", "line 2"),
        ("fn map(", "fn other(", "Missing", "`fn map"),
        ("fn identity(", "fn other(", "Missing", "lacks the function `fn identity"),
        ("fn combine(", "fn other(", "Missing", "`fn combine"),
        ("fn finish(", "fn other(", "Missing", "`fn finish"),
        (MAP, "fn map(elem: Elem)", "Signature", "line 2; `map`"),
        (MAP, "fn map(elem: Elem, index: i32)", "Signature", "line 2: `map` must be declared"),
        (IDENTITY, "fn identity() {}", "Signature", "line 3; `identity`"),
        (COMBINE, "fn combine(a: Acc) -> Acc { return a; }", "Signature", "line 4; `combine`"),
        ("fn finish(acc: Acc, n: u32)", "fn finish(n: u32, acc: Acc)", "Signature", "line 5; `finish`"),
        (
            "f32 { return acc / f32(max(n, 1u)); }",
            "bool { return true; }",
            "NotStorable(\"Out\")",
            "`Out` must be",
        ),
        // Kernels call an operator in loops that turn more often for some invocations than for others: what waits for neighbours there,
        // or asks them, would be undefined on a device that has it, and an error of wgpu's on one that has not.
        (SUM, "workgroupBarrier(); return a + b;", "NotPure", "a barrier; line 4"),
        (
            SUM,
            "if a > b { for (var i = 0; i < 3; i++) { storageBarrier(); } } return a + b;",
            "NotPure",
            "a barrier; line 4",
        ),
        (SUM, "subgroupBarrier(); return a + b;", "NotPure", "a barrier; line 4"),
        (SUM, "return a + subgroupAdd(b);", "NotPure", "a subgroup operation; line 4"),
        (
            SUM,
            "switch u32(a) { case 1u: { return subgroupShuffleXor(b, 1u); } default: { return a; } }",
            "NotPure",
            "a subgroup; line 4",
        ),
        (SUM, "return a + f32(subgroupBallot(b > a).x);", "NotPure", "a subgroup operation; line 4"),
        (SUM, "return a + dpdx(b);", "NotPure", "a fragment shader; line 4"),
        (SUM, "if a > b { discard; } return a + b;", "NotPure", "a fragment shader; line 4"),
        // Also in what the quartet calls.
        (SUM, "return both(a + b);", "NotPure", "a barrier; line 6"),
    ];
    let helper = "fn both(x: f32) -> f32 { workgroupBarrier(); return x; }\n";
    refusals::check(spoilt.map(|(right, wrong, kind, words)| {
        assert!(SQUARES.contains(right), "{right}");
        let text = SQUARES.replace(right, wrong) + if wrong.contains("both") { helper } else { "" };
        (custom(&text).expect_err(wrong), kind, words)
    }));

    let two = Monoid::custom("squares", Element::F32, Arity::Two, SQUARES).unwrap_err();
    refusals::check([(two, "Signature", "fn map(f32, f32, u32) -> f32")]);
}

/// Functions, constants and types may be declared besides, and one buffer of parameters.
#[test]
fn other_declarations_are_refused() {
    let declared = [
        ("var<private> count: u32;", "NotPure", "a variable; line 6"),
        ("override SCALE: f32 = 2.0;", "NotPure", "an override; line 6"),
        ("@compute @workgroup_size(1) fn start() {}", "NotPure { line: None", ""),
        ("@group(0) @binding(8) var<uniform> count: u32;", "NotPure", "line 6"),
        ("@group(1) @binding(9) var<uniform> count: u32;", "NotPure", "line 6"),
        ("@group(0) @binding(9) var<storage> count: u32;", "NotPure", "line 6"),
        ("@group(0) @binding(10) var<storage, read_write> count: u32;", "NotPure", "line 6"),
        (
            "@group(0) @binding(9) var<uniform> x: u32;\n@group(0) @binding(10) var<storage> y: u32;",
            "NotPure",
            "line 7",
        ),
        (
            "fn map4(v: vec2<Elem>, index: u32) -> Acc { return v.x; }",
            "Signature",
            "fn map4(vec4<f32>, u32) -> f32; line 6",
        ),
    ];
    let refused = |declaration| custom(&format!("{SQUARES}{declaration}\n")).expect_err(declaration);
    refusals::check(declared.map(|(declaration, kind, words)| (refused(declaration), kind, words)));

    // Names that halofold's own kernels declare are found when both are put together.
    let names = [
        "fn fold() -> u32 { return 1u; }",
        "fn main() {}",
        "struct Params { x: u32 }",
        "const WG: u32 = 1u;",
        "fn group_index(id: vec3<u32>) -> u32 { return id.x; }",
    ];
    refusals::check(names.map(|declaration| {
        let monoid = custom(&format!("\n\n{SQUARES}{declaration}\n")).unwrap();
        let made = gpu().clean(|| Reducer::new(&gpu().device, monoid));
        let end = declaration.find(['(', ':', '{']).unwrap();
        let name = declaration[..end].split(' ').nth(1).unwrap();
        (made.expect_err(declaration), "Composed", format!("rename; line 8: ; {name}"))
    }));
}

#[test]
fn accumulators_that_no_buffer_holds_are_refused() {
    let any = "alias Acc = bool;
fn map(elem: Elem, index: u32) -> Acc { return elem != 0.0; }
fn identity() -> Acc { return false; }
fn combine(a: Acc, b: Acc) -> Acc { return a || b; }
fn finish(acc: Acc, n: u32) -> u32 { return select(0u, 1u, acc); }
";
    let wide = "struct Acc { a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32>, e: f32 }
fn map(elem: Elem, index: u32) -> Acc { var acc = Acc(); acc.e = elem; return acc; }
fn identity() -> Acc { return Acc(); }
fn combine(a: Acc, b: Acc) -> Acc { var c = a; c.e += b.e; return c; }
fn finish(acc: Acc, n: u32) -> f32 { return acc.e; }
";
    assert_eq!(custom(any).unwrap_err(), MonoidError::NotStorable("Acc"));
    assert_eq!(custom(wide).unwrap_err(), MonoidError::TooLarge { words: 17, limit: 16 });
    // naga's first label of this error has no place in the text.
    let float = custom(&any.replace("return false", "return 0.0")).unwrap_err().to_string();
    assert!(float.contains("line 3, column"), "{float}");
}

/// Types are checked after names: what is wrong is somewhere inside of a function that is right otherwise.
#[test]
fn type_errors_have_their_own_line() {
    let text = "
alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc {
    let near = elem;
    return near +
        index;
}
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 {
    if acc * 2.0 { return 0.0; }
    return acc;
}
";
    let error = custom(text).unwrap_err().to_string();
    assert!(error.contains("line 5, column 12"), "{error}");
    let error = custom(&text.replace("index;", "elem;")).unwrap_err().to_string();
    assert!(error.contains("line 11, column 8"), "{error}");
}

/// The two largest elements and their positions: SwiftShader does not come to an end with several copies of this `combine`.
const TOP_TWO: &str = "
struct Acc { first: f32, at: u32, second: f32, then: u32 }
fn before(x: f32, i: u32, y: f32, j: u32) -> bool { return x > y || (x == y && i < j); }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, index, -0x1.fffffep+127f, 0xffffffffu); }
fn identity() -> Acc { return Acc(-0x1.fffffep+127f, 0xffffffffu, -0x1.fffffep+127f, 0xffffffffu); }
fn combine(a: Acc, b: Acc) -> Acc {
    if before(a.first, a.at, b.first, b.at) {
        if before(a.second, a.then, b.first, b.at) { return a; }
        return Acc(a.first, a.at, b.first, b.at);
    }
    if before(b.second, b.then, a.first, a.at) { return b; }
    return Acc(b.first, b.at, a.first, a.at);
}
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";

/// Branches take other kernels on software adapters, which combine the same elements in the same order.
#[test]
fn operators_that_branch() {
    let gpu = gpu();
    let numbers: Vec<f32> = (0..100_003u32).map(|i| (i * 7919 % 65537) as f32 / 1000.0).collect();
    let contents = bytemuck::cast_slice(&numbers);
    let input = crate::common::buffer(gpu, contents, wgpu::BufferUsages::STORAGE);
    let reducer = |wgsl: &str| Reducer::new(&gpu.device, custom(wgsl).unwrap()).unwrap();
    let top: (f32, u32, f32, u32) = reducer(TOP_TWO).of(&input).len(100_003).wait(&gpu.queue).unwrap();
    assert_eq!(top, (65.536, 25_225, 65.536, 90_762));
    let branching = SQUARES.replace("return a + b;", "if a < b { return b + a; } return a + b;");
    let [plain, branching] = [SQUARES, branching.as_str()]
        .map(|wgsl| reducer(wgsl).of(&input).len(100_003).wait::<f32>(&gpu.queue).unwrap().to_bits());
    assert_eq!(branching, plain);
}

#[test]
fn types_need_the_devices_feature() {
    let device = cautious(|_| ()).device;
    let half = SQUARES.replace("return f32(elem) * f32(elem)", "let h = f16(elem); return f32(h * h)");
    let monoid = custom(&half).unwrap();
    assert_eq!(monoid.features(), wgpu::Features::SHADER_F16);
    let error = Reducer::new(&device, monoid).unwrap_err();
    let ReduceError::Monoid(MonoidError::MissingFeature { features, .. }) = &error else { panic!("{error}") };
    assert_eq!(*features, wgpu::Features::SHADER_F16);
    assert!(error.to_string().contains("SHADER_F16"), "{error}");
    // A text whose first line says f16 is still counted from its own first column.
    let error =
        custom(&half.replace("alias Acc = f32;", "alias Acc = f32; alias H = f61; // f16")).unwrap_err();
    assert!(error.to_string().contains("line 1, column 28"), "{error}");
}

#[test]
fn uses_of_index_and_count_are_found_in_the_text() {
    let counts =
        |wgsl: &str| custom(wgsl).map(|monoid| (monoid.reads_index(), monoid.reads_count())).unwrap();
    assert_eq!(counts(SQUARES), (false, true));
    assert_eq!(counts(TOP_TWO), (true, false));
    let map4 = format!("{SQUARES}fn map4(v: vec4<f32>, index: u32) -> Acc {{ return v.x * f32(index); }}");
    assert_eq!(counts(&map4), (true, true));
    let numbers = custom(TOP_TWO).unwrap().out_elements().unwrap();
    assert_eq!(numbers, [Element::F32, Element::U32, Element::F32, Element::U32]);
}

/// Parts of an input count as the whole does, by whatever rung reads them.
#[test]
fn indices_count_from_the_one_that_is_given() {
    let gpu = gpu();
    let numbers: Vec<f32> = (0..100_003u32).map(|i| (i * 7919 % 65537) as f32 / 1000.0).collect();
    let input = crate::common::buffer(gpu, bytemuck::cast_slice(&numbers), wgpu::BufferUsages::STORAGE);
    let rung = Rung::named("interleaved-modulo-pair").unwrap();
    let in_order = Strategy::rung(rung, &gpu.device.limits(), 400_012);
    for strategy in [Strategy::Fastest, in_order] {
        let options = Options::default().with_strategy(strategy);
        let reducer = Reducer::with_options(&gpu.device, custom(TOP_TWO).unwrap(), options).unwrap();
        let top = |index| reducer.of(&input).len(100_003).counting_from(index);
        let found: (f32, u32, f32, u32) = top(4_000_000_000).wait(&gpu.queue).unwrap();
        assert_eq!(found, (65.536, 4_000_025_225, 65.536, 4_000_090_762));
        let too_many = top(u32::MAX - 100_002).plan().unwrap_err();
        assert_eq!(too_many, BufferError::TooMany(1 << 32).into());
        let segments = reducer.of(&input).segments(7).counting_from(1).plan().unwrap_err();
        assert_eq!(segments, ReduceError::Index(Shape::Segments { len: 7 }));
    }
}
