//! Reductions of every form.

use halofold::ladder::{RUNGS, Setup};
use halofold::reduce::{Op, Options, Reducer, Shape, ShapeKind, Workspace};
use halofold::{Element, Slice};

use super::{Case, End, Scene, Tag, same, text};

/// Elements, if a buffer holds as many: several windows where a binding has 4 KiB.
const LEN: u64 = 5000;

/// The rung that sums floats only.
const EXACT: Way = Way::Rung("exact");

/// The special property of a reduction.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Plain,
    /// Its length stands in a buffer.
    Counted,
    /// By a rung of the ladder.
    Rung(&'static str),
}

/// The rungs that stand for all where many devices compile them.
const FEW: [&str; 4] = ["sequential", "tile", "vectorized", "workgroup-atomic"];

pub fn cases() -> Vec<Case> {
    let sums = ShapeKind::ALL.map(|form| (Op::Sum, form, Way::Plain));
    let counted = [ShapeKind::Whole, ShapeKind::Strided, ShapeKind::Accumulate];
    let counted = counted.map(|form| (Op::Sum, form, Way::Counted));
    let others = [Op::Dot, Op::ArgMax, Op::Max].map(|op| (op, ShapeKind::Whole, Way::Plain));
    let rungs = RUNGS.iter().map(|rung| (Op::Sum, ShapeKind::Whole, Way::Rung(rung.name())));
    let all = sums.into_iter().chain(counted).chain(others).chain(rungs);
    all.map(|(op, form, way)| {
        let (name, tag) = match way {
            Way::Plain => (format!("{op}, {form:?}"), Tag::Losses),
            Way::Counted => (format!("{op}, {form:?}, with a count"), Tag::Losses),
            Way::Rung(rung) => {
                let tag = if FEW.contains(&rung) { Tag::Losses } else { Tag::Limits };
                (format!("{op}, by {rung}"), tag)
            }
        };
        Case::new("Reducer", name, move |scene| Box::pin(reduce(scene, op, form, way))).tagged(tag)
    })
    .collect()
}

/// A shape of a form, over how many elements of so many.
fn shape(form: ShapeKind, len: u64) -> (Shape, u64) {
    let side = len.isqrt().max(1);
    match form {
        ShapeKind::Accumulate => (Shape::Accumulate, len),
        ShapeKind::Strided => (Shape::Strided { stride: 3 }, len.div_ceil(3)),
        ShapeKind::Segments => (Shape::Segments { len: side }, side * side),
        ShapeKind::Offsets => (Shape::Offsets { count: 3 }, len),
        ShapeKind::Axis => (Shape::Axis { outer: 1, len: side, inner: side }, side * side),
        _ => (Shape::Whole, len),
    }
}

/// The CPU's result, without the library.
fn expected(op: Op, shape: Shape, words: &[u32], cuts: &[u32]) -> Vec<u32> {
    let sum = |some: &mut dyn Iterator<Item = u32>| some.fold(0u32, u32::wrapping_add);
    let whole = |some: &[u32]| sum(&mut some.iter().copied());
    match (op, shape) {
        (Op::Dot, _) => vec![sum(&mut words.iter().map(|x| x.wrapping_mul(*x)))],
        (Op::ArgMax, _) => {
            let most = *words.iter().max().unwrap();
            vec![most, words.iter().position(|word| *word == most).unwrap() as u32]
        }
        (Op::Max, _) => vec![*words.iter().max().unwrap()],
        (_, Shape::Segments { len }) => words.chunks(len as usize).map(whole).collect(),
        (_, Shape::Offsets { .. }) => {
            cuts.windows(2).map(|cut| whole(&words[cut[0] as usize..cut[1] as usize])).collect()
        }
        (_, Shape::Axis { inner, .. }) => {
            let column = |at| sum(&mut words.iter().skip(at).step_by(inner as usize).copied());
            (0..inner as usize).map(column).collect()
        }
        _ => vec![whole(words)],
    }
}

async fn reduce(scene: &Scene, op: Op, form: ShapeKind, way: Way) -> Result<End, String> {
    let device = &scene.device;
    let (shape, len) = shape(form, scene.words(LEN));
    // Of floats small whole numbers, which the CPU adds as integers.
    let (element, word): (_, fn(u32) -> u32) = match way {
        EXACT => (Element::F32, |i| ((i % 1000) as f32).to_bits()),
        _ => (Element::U32, |i| i.wrapping_mul(2_654_435_761)),
    };
    let all: Vec<u32> = (0..scene.words(LEN) as u32).map(word).collect();
    let used = if way == Way::Counted { len / 2 } else { len };
    let stride = if let Shape::Strided { stride } = shape { stride as usize } else { 1 };
    let words: Vec<u32> = all.iter().copied().step_by(stride).take(used as usize).collect();
    let cuts = [0, len as u32 / 7, len as u32 / 2, len as u32];
    let input = scene.buffer(bytemuck::cast_slice(&all))?;
    let second = scene.buffer(bytemuck::cast_slice(&all))?;
    let offsets = scene.buffer(bytemuck::cast_slice(&cuts))?;
    let count = scene.buffer(&(used as u32).to_le_bytes())?;
    let expected = match way {
        EXACT => vec![(words.iter().map(|word| f32::from_bits(*word) as u32).sum::<u32>() as f32).to_bits()],
        _ => expected(op, shape, &words, &cuts),
    };
    scene.stage();
    let monoid = op.over(element).map_err(text)?;
    let mut options = Options::default();
    if let Way::Rung(name) = way {
        let rung = RUNGS.iter().find(|rung| rung.name() == name).ok_or("a rung")?;
        options = options.with_rung(Setup::new(rung, &device.limits(), 4 * len));
    }
    let reducer = Reducer::with_options(device, monoid, options).map_err(text)?;
    let elements = match shape {
        Shape::Strided { .. } => Slice::from(&input),
        _ => Slice::new(&input, 0, 4 * len),
    };
    let mut reduction = reducer.of(elements).shape(shape);
    if op == Op::Dot {
        reduction = reduction.with(Slice::new(&second, 0, 4 * len));
    }
    if form == ShapeKind::Offsets {
        reduction = reduction.segment_offsets(&offsets);
    }
    if way == Way::Counted {
        reduction = reduction.count_buffer(&count);
    }
    let plan = reduction.plan().map_err(text)?;
    scene.stage();
    let workspace = Workspace::new(device, &plan);
    let output = scene.room(plan.output())?;
    scene.stage();
    let prepared = reduction.workspace(&workspace).prepare(plan.clone(), &output).map_err(text)?;
    let got = scene.fetch(|encoder| prepared.encode(encoder), &output, plan.output()).await?;
    // Small workgroups may leave the rest to the host.
    if plan.results() > 1 && form == ShapeKind::Whole {
        let partials: Vec<u32> = bytemuck::pod_collect_to_vec(&got);
        return Ok(same(
            bytemuck::bytes_of(&partials.into_iter().fold(0, u32::wrapping_add)),
            bytemuck::cast_slice(&expected),
        ));
    }
    Ok(same(&got, bytemuck::cast_slice(&expected)))
}
