//! Operators that a user writes: errors are found without a device, and point at the line.

use crate::common::{gpu, held, without};
use crate::refusals;
use halofold::histogram::{Histogram, Keys};
use halofold::ladder::{Rung, Setup};
use halofold::reduce::{Arity, Monoid, Reduce, Shape};
use halofold::select::Select;
use halofold::{Element, Error, Map, Slice, Value, wgpu};
use halofold_cases::How;

/// A sum of squares that is right; each test spoils something.
const SQUARES: &str = "\
alias Acc = f32;
fn map(elem: Elem, index: u32) -> Acc { return f32(elem) * f32(elem); }
fn identity() -> Acc { return 0.0; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> f32 { return acc / f32(max(n, 1u)); }
";

fn custom(wgsl: &str) -> Result<Monoid, Error> {
    Monoid::custom("squares", Element::F32, Arity::One, wgsl)
}

/// naga once refused such constants in kernels with an array as long as the workgroup, which only those without subgroups have.
#[test]
fn constants_may_be_vectors_and_arrays() {
    let constants = "const SCALE = vec2<f32>(0.5, 2.0);\nconst SHIFTS = array<f32, 3>(1.0, 2.0, 3.0);\n";
    let used = SQUARES.replace("f32(elem) * f32(elem)", "dot(vec2(elem), SCALE) + SHIFTS[index % 3u]");
    let text = format!("{constants}{used}");
    for gpu in [gpu(), &without(wgpu::Features::SUBGROUP)] {
        let elements = held(gpu, &[2.0f32; 3000]);
        let mean = gpu.compile(Reduce::new(custom(&text).unwrap()));
        for shape in [Shape::Whole, Shape::Segments { len: 30 }, Shape::axis(10, 30, 10)] {
            let means = mean.of(&elements).shape(shape);
            let means: Vec<f32> = gpu.clean(|| means.run(&gpu.queue)).unwrap();
            assert!(means.iter().all(|mean| (mean - 7.0).abs() < 1e-6), "{shape:?}: {means:?}");
        }
    }
}

/// The parts of the right text that are spoiled.
const MAP: &str = "fn map(elem: Elem, index: u32)";
const SQUARE: &str = "return f32(elem) * f32(elem);";
const IDENTITY: &str = "fn identity() -> Acc { return 0.0; }";
const COMBINE: &str = "fn combine(a: Acc, b: Acc) -> Acc { return a + b; }";
const SUM: &str = "return a + b;";
const FINISH: &str = "fn finish(acc: Acc, n: u32)";
const MEAN: &str = "f32 { return acc / f32(max(n, 1u)); }";

#[test]
fn wrong_texts_are_refused() {
    let spoilt = [
        (SUM, "return a + ;", "Wgsl(Invalid(", "line 4"),
        ("return 0.0;", "return 1u;", "Wgsl(Invalid(", "line 3"),
        (SQUARE, "return undeclared(elem);", "", "line 2"),
        // Types are checked after names: the line inside of a function that is right otherwise.
        (SQUARE, "\n    return f32(elem) +\n        index;\n", "", "line 3, column 12"),
        (MEAN, "f32 {\n    if acc * 2.0 { return 0.0; }\n    return acc;\n}", "", "line 6, column 8"),
        // A text whose first line says f16 is still counted from its own first column.
        ("alias Acc = f32;", "alias Acc = f32; alias H = f61; alias G = f16;", "", "line 1, column 28"),
        ("fn map(", "fn other(", "Wgsl(Missing", "`fn map"),
        ("fn identity(", "fn other(", "Wgsl(Missing", "lacks the function `fn identity"),
        ("fn combine(", "fn other(", "Wgsl(Missing", "`fn combine"),
        ("fn finish(", "fn other(", "Wgsl(Missing", "`fn finish"),
        (MAP, "fn map(elem: Elem)", "Wgsl(Signature", "line 2; `map`"),
        (MAP, "fn map(elem: Elem, index: i32)", "Wgsl(Signature", "line 2: `map` must be declared"),
        (IDENTITY, "fn identity() {}", "Wgsl(Signature", "line 3; `identity`"),
        (COMBINE, "fn combine(a: Acc) -> Acc { return a; }", "Wgsl(Signature", "line 4; `combine`"),
        (FINISH, "fn finish(n: u32, acc: Acc)", "Wgsl(Signature", "line 5; `finish`"),
        (MEAN, "bool { return true; }", "Wgsl(NotStorable(Out)", "`Out` must be"),
        // Operators run in loops whose turns differ between invocations: barriers and subgroup operations would be undefined there.
        (SUM, "workgroupBarrier(); return a + b;", "Wgsl(NotPure", "a barrier; line 4"),
        (
            SUM,
            "if a > b { loop { storageBarrier(); break; } } return a + b;",
            "Wgsl(NotPure",
            "a barrier; line 4",
        ),
        (SUM, "subgroupBarrier(); return a + b;", "Wgsl(NotPure", "a barrier; line 4"),
        (SUM, "return a + subgroupAdd(b);", "Wgsl(NotPure", "a subgroup operation; line 4"),
        (
            SUM,
            "switch u32(a) { case 1u: { return subgroupShuffleXor(b, 1u); } default: { return a; } }",
            "Wgsl(NotPure",
            "a subgroup; line 4",
        ),
        (SUM, "return a + f32(subgroupBallot(b > a).x);", "Wgsl(NotPure", "a subgroup operation; line 4"),
        (SUM, "return a + dpdx(b);", "Wgsl(NotPure", "a fragment shader; line 4"),
        (SUM, "if a > b { discard; } return a + b;", "Wgsl(NotPure", "a fragment shader; line 4"),
        // Also in what the quartet calls.
        (SUM, "return both(a + b);", "Wgsl(NotPure", "a barrier; line 6"),
    ];
    let helper = "fn both(x: f32) -> f32 { workgroupBarrier(); return x; }\n";
    refusals::check(spoilt.map(|(right, wrong, kind, words)| {
        assert!(SQUARES.contains(right), "{right}");
        let text = SQUARES.replace(right, wrong) + if wrong.contains("both") { helper } else { "" };
        (custom(&text).expect_err(wrong), kind, words)
    }));

    let any = SQUARES.replace("= f32", "= bool").replace(SQUARE, "return elem != 0.0;");
    let any = any.replace("return 0.0", "return false").replace(SUM, "return a || b;");
    let any = any.replace(MEAN, "u32 { return select(0u, 1u, acc); }");
    let wide = "struct Acc { a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32>, e: f32 }
fn map(elem: Elem, index: u32) -> Acc { var acc = Acc(); acc.e = elem; return acc; }
fn identity() -> Acc { return Acc(); }
fn combine(a: Acc, b: Acc) -> Acc { var c = a; c.e += b.e; return c; }
fn finish(acc: Acc, n: u32) -> f32 { return acc.e; }
";
    let two = Monoid::custom("squares", Element::F32, Arity::Two, SQUARES);
    refusals::check([
        (two.unwrap_err(), "Wgsl(Signature", "fn map(f32, f32, u32) -> f32"),
        (custom(&any).unwrap_err(), "Wgsl(NotStorable(Acc)", ""),
        // naga's first label of this error has no place in the text.
        (custom(&any.replace("return false", "return 0.0")).unwrap_err(), "", "line 3, column"),
        (custom(wide).unwrap_err(), "Wgsl(TooLarge { words: 17, limit: 16 }", ""),
    ]);
}

/// Functions, constants and types may be declared besides, and one buffer of parameters.
#[test]
fn other_declarations_are_refused() {
    const TWO_BUFFERS: &str =
        "@group(0) @binding(9) var<uniform> x: u32;\n@group(0) @binding(10) var<storage> y: u32;";
    const MAP4: &str = "fn map4(v: vec2<Elem>, index: u32) -> Acc { return v.x; }";
    let declared = [
        ("var<private> count: u32;", "Wgsl(NotPure", "a variable; line 6"),
        ("override SCALE: f32 = 2.0;", "Wgsl(NotPure", "an override; line 6"),
        ("@compute @workgroup_size(1) fn start() {}", "Wgsl(NotPure { line: None", ""),
        ("@group(0) @binding(8) var<uniform> count: u32;", "Wgsl(NotPure", "line 6"),
        ("@group(1) @binding(9) var<uniform> count: u32;", "Wgsl(NotPure", "line 6"),
        ("@group(0) @binding(9) var<storage> count: u32;", "Wgsl(NotPure", "line 6"),
        ("@group(0) @binding(10) var<storage, read_write> count: u32;", "Wgsl(NotPure", "line 6"),
        (TWO_BUFFERS, "Wgsl(NotPure", "line 7"),
        (MAP4, "Wgsl(Signature", "fn map4(vec4<f32>, u32) -> f32; line 6"),
    ];
    let refused = |declaration| custom(&format!("{SQUARES}{declaration}\n")).expect_err(declaration);
    refusals::check(declared.map(|(declaration, kind, words)| (refused(declaration), kind, words)));
}

/// Names that kernels declare, or call, are names of the application's, too.
#[test]
fn any_names_may_be_declared() {
    let gpu = gpu();
    let other = "
        struct Params { load: u32, input: f32 }
        const WG: f32 = 1.0;
        alias Place = f32;
        fn fold(x: Place) -> f32 { let params = Params(1u, x); return params.input * WG; }
        fn group_index(x: f32) -> f32 { return fold(x); }
        fn min(a: f32, b: f32) -> f32 { return a * b; }
        fn size(x: f32) -> f32 { return x; } // Words of attributes, too.
        struct Aligned { @size(16) x: f32 }
        fn main(elem: f32) -> f32 { return min(group_index(elem), size(Aligned(elem).x)); }";
    let operator = format!(
        "{other}
        alias Acc = f32;
        fn map(elem: Elem, index: u32) -> Acc {{ return main(elem); }}
        fn identity() -> Acc {{ return 0.0; }}
        fn combine(a: Acc, b: Acc) -> Acc {{ return a + b; }}
        fn finish(acc: Acc, n: u32) -> Acc {{ return acc; }}"
    );
    let elements = [1.0f32, -2.0, 3.0];
    let held = held(gpu, &elements);
    let input = Slice::new(&held, 0, 12);
    let squares = gpu.compile(Reduce::new(custom(&operator).unwrap()));
    assert_eq!(squares.of(input).run::<f32>(&gpu.queue), Ok(14.0));
    assert_eq!(squares.of(input).segments(1).run::<Vec<f32>>(&gpu.queue), Ok(vec![1.0, 4.0, 9.0]));

    let own = "struct Acc { combine: f32 }\nfn map(x: f32) -> f32 { return Acc(x).combine; }";
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return map(main(elem)) > 3.0; }";
    let keep = format!("{other}\n{own}\n{keep}");
    let large = gpu.compile(Select::new(Element::F32, &keep).unwrap());
    assert_eq!(large.of(input).run(&gpu.queue), Ok(vec![Value::F32(-2.0), Value::F32(3.0)]));

    let map = format!("{other}\nfn map(elem: Elem, index: u32) -> u32 {{ return u32(main(elem)); }}");
    let counts = Histogram::new(Keys::Numbers, 10).with_map(Map::custom(Element::F32, &map).unwrap());
    let counts = gpu.compile(counts);
    assert_eq!(counts.of(input).run(&gpu.queue), Ok(vec![0, 1, 0, 0, 1, 0, 0, 0, 0, 1]));
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

// Software adapters branch to other kernels, which combine in the same order.
#[test]
fn operators_that_branch_and_count() {
    const LEN: u32 = 100_003;
    let gpu = gpu();
    let numbers: Vec<f32> = (0..LEN).map(|i| (i * 7919 % 65537) as f32 / 1000.0).collect();
    let input = held(gpu, &numbers);
    let input = Slice::new(&input, 0, 4 * u64::from(LEN));
    let reducer = |wgsl: &str, how: How| how.on(&gpu.device, &custom(wgsl).unwrap()).unwrap();
    let rung = Rung::named("interleaved-modulo-pair").unwrap();
    let in_order = Setup::new(rung, &gpu.device.limits(), 4 * u64::from(LEN));
    for how in [How::default(), How::default().with_rung(in_order)] {
        let top = reducer(TOP_TWO, how);
        let found: (f32, u32, f32, u32) = top.of(input).run(&gpu.queue).unwrap();
        assert_eq!(found, (65.536, 25_225, 65.536, 90_762));
    }
    let branching = SQUARES.replace(SUM, "if a < b { return b + a; } return a + b;");
    let [plain, branching] = [SQUARES, &branching]
        .map(|wgsl| reducer(wgsl, How::default()).of(input).run::<f32>(&gpu.queue).unwrap().to_bits());
    assert_eq!(branching, plain);
}

#[test]
fn types_and_features_are_found_in_the_text() {
    let of = |wgsl: &str| custom(wgsl).unwrap();
    let squares = of(SQUARES);
    assert_eq!((squares.acc_type(), squares.out_type(), squares.out_size()), ("f32", "f32", 4));
    assert_eq!(squares.features(), wgpu::Features::empty());
    let half = of(&SQUARES.replace(SQUARE, "let h = f16(elem); return f32(h * h);"));
    assert_eq!(half.features(), wgpu::Features::SHADER_F16);
    let numbers = of(TOP_TWO).out_elements().unwrap();
    assert_eq!(numbers, [Element::F32, Element::U32, Element::F32, Element::U32]);
}
