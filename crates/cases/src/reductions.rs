//! Reductions compared with the CPU: integers in 128 bits, floats within a bound, exact sums as integer fractions of any length.

use std::iter::{StepBy, zip};
use std::ops::Range;

use crate::compile;
use halofold::ladder::{RUNGS, Setup};
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Accuracy, Arity, Both, Numbers, Op, Reduce, Shape, ShapeKind};
use halofold::{Element, Slice, Workspace};

use super::{Case, End, Kind, Scene, Tag, data, exact as oracle, gather, same, text};

/// Elements, if a buffer holds this many. Bindings of 4 KiB make several windows of them.
const LEN: u64 = 6000;

/// How a reduction is made, beyond its operator, type and shape.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Plain,
    /// The length is in a GPU buffer.
    Counted,
    /// By this rung of the ladder.
    Rung(&'static str),
}

/// One reduction.
#[derive(Clone, Copy, Debug)]
struct Reduced {
    op: Op,
    element: Element,
    kind: ShapeKind,
    way: Way,
    accuracy: Accuracy,
    values: Kind,
}

/// A sample of operators for tests that compile on many devices, over whole inputs.
const FEW: [Op; 3] = [Op::Dot, Op::ArgMax, Op::Max];

/// A sample of rungs for tests that compile on many devices.
const FEW_RUNGS: [&str; 4] = ["sequential", "tile", "vectorized", "workgroup-atomic"];

impl Reduced {
    /// A reduction of random elements without special properties.
    const fn new(op: Op, element: Element, kind: ShapeKind) -> Self {
        Reduced { op, element, kind, way: Way::Plain, accuracy: Accuracy::Fast, values: Kind::Random }
    }

    fn case(self) -> Case {
        let is_whole = self.kind == ShapeKind::Whole;
        let tag = match self.way {
            Way::Plain if self.element != Element::U32 => Tag::Once,
            Way::Plain if self.op != Op::Sum && !(is_whole && FEW.contains(&self.op)) => Tag::Once,
            Way::Rung(rung) if !FEW_RUNGS.contains(&rung) => Tag::Limits,
            _ => Tag::Losses,
        };
        Case::new("Reduce", format!("{self:?}"), async move |scene: &Scene| self.judged(scene).await)
            .tagged(tag)
    }
}

pub fn every_operator() -> Vec<Case> {
    let pairs = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    let of = |(op, element): (Op, Element)| {
        let accumulates = op.over(element).map(|monoid| monoid.accumulates().is_some());
        let is_defined =
            |kind: &ShapeKind| accumulates.as_ref().is_ok_and(|it| *it || *kind != ShapeKind::Accumulate);
        let kinds = ShapeKind::ALL.into_iter().filter(is_defined);
        kinds.map(|kind| Reduced::new(op, element, kind).case()).collect::<Vec<_>>()
    };
    pairs.flat_map(of).collect()
}

pub fn exact() -> Vec<Case> {
    let floats = [Element::F16, Element::F32, Element::F64];
    let sums = [Op::Sum, Op::Mean, Op::L1].into_iter().flat_map(|op| floats.map(|element| (op, element)));
    let sums = sums.chain([(Op::Dot, Element::F32)]);
    let kinds = ShapeKind::ALL.into_iter().filter(|kind| *kind != ShapeKind::Accumulate);
    let cases = sums.flat_map(|(op, element)| kinds.clone().map(move |kind| Reduced::new(op, element, kind)));
    let exact = |values| move |case| Reduced { accuracy: Accuracy::Exact, values, ..case }.case();
    cases.clone().map(exact(Kind::Random)).chain(cases.map(exact(Kind::Extremes))).collect()
}

/// Sums by every rung, and sums with lengths in buffers.
pub fn ways() -> Vec<Case> {
    let sum = |kind, way| Reduced { way, ..Reduced::new(Op::Sum, Element::U32, kind) };
    let counted = [ShapeKind::Whole, ShapeKind::Strided, ShapeKind::Accumulate];
    let counted = counted.map(|kind| sum(kind, Way::Counted));
    let rungs = RUNGS.iter().map(|rung| match rung.name() {
        // `exact` sums floats only.
        name @ "exact" => Reduced {
            element: Element::F32,
            accuracy: Accuracy::Exact,
            ..sum(ShapeKind::Whole, Way::Rung(name))
        },
        name => sum(ShapeKind::Whole, Way::Rung(name)),
    });
    rungs.chain(counted).map(Reduced::case).collect()
}

/// Indices of the elements of one result: in every shape an arithmetic progression.
pub type Group = StepBy<Range<usize>>;

/// Returns the indices of each result's elements among `len` elements. Segments begin and end at `offsets`. In shapes of one result,
/// the first `most` elements count.
pub fn groups(shape: Shape, len: usize, offsets: &[u32], most: usize) -> Vec<Group> {
    match shape {
        Shape::Strided { stride } => {
            let stride = stride as usize;
            vec![(0..len.min(most.saturating_mul(stride))).step_by(stride)]
        }
        Shape::Segments { len: each } => {
            let each = each as usize;
            (0..len / each).map(|segment| (segment * each..(segment + 1) * each).step_by(1)).collect()
        }
        Shape::Offsets { .. } => {
            offsets.windows(2).map(|ends| (ends[0] as usize..ends[1] as usize).step_by(1)).collect()
        }
        Shape::Axis { outer, len: rows, inner } => {
            let [outer, rows, inner] = [outer, rows, inner].map(|number| number as usize);
            let first = |column: usize| column / inner * rows * inner + column % inner;
            let column = |column| (first(column)..first(column) + rows * inner).step_by(inner);
            (0..outer * inner).map(column).collect()
        }
        _ => vec![(0..len.min(most)).step_by(1)],
    }
}

/// Returns a shape of this kind over about `len` elements, and the exact number that it covers.
fn shape_over(kind: ShapeKind, len: u64) -> (Shape, u64) {
    let side = len.isqrt().max(1);
    let half = (side / 2).max(1);
    let planes = (len / (half * half)).min(4);
    match kind {
        ShapeKind::Strided => (Shape::Strided { stride: 7 }, len),
        ShapeKind::Segments => (Shape::Segments { len: side }, side * side),
        ShapeKind::Offsets => (Shape::Offsets { count: 4 }, len),
        ShapeKind::Axis => (Shape::Axis { outer: planes, len: half, inner: half }, planes * half * half),
        ShapeKind::Accumulate => (Shape::Accumulate, len),
        _ => (Shape::Whole, len),
    }
}

impl Reduced {
    async fn judged(self, scene: &Scene) -> Result<End, String> {
        let Reduced { op, element, kind, way, accuracy, values } = self;
        let (device, size) = (&scene.device, element.size());
        let monoid = op.over(element).map_err(text)?;
        let arity = if monoid.arity() == Arity::Two { 2 } else { 1 };
        let len = (4 * scene.words(LEN * size / 4) / size) as usize;
        let (shape, spanned) = shape_over(kind, len as u64);
        // One segment is empty.
        let ends = [0, len / 7, len / 7, len / 2, len].map(|end| end as u32);
        let of = |most| groups(shape, spanned as usize, &ends, most);
        let mut groups = of(usize::MAX);
        if way == Way::Counted {
            groups = of(groups[0].len() / 2);
        }
        let inputs: Vec<_> = (0..arity).map(|seed| data(values, op, element, len, seed)).collect();
        let buffers: Vec<_> = inputs.iter().map(|one| scene.buffer(one.bytes())).collect::<Result<_, _>>()?;
        let ends = scene.buffer(bytemuck::cast_slice(&ends))?;
        let count = scene.buffer(&(groups[0].len() as u32).to_le_bytes())?;
        scene.stage();

        let mut reduce = Reduce::new(monoid).with_accuracy(accuracy);
        if let Way::Rung(name) = way {
            let rung = RUNGS.iter().find(|rung| rung.name() == name).ok_or("a rung")?;
            reduce = reduce.with_rung(Setup::new(rung, &device.limits(), size * spanned));
        }
        let reducer = compile(device, reduce).map_err(text)?;
        let slices = buffers.iter().map(|buffer| match shape {
            Shape::Strided { .. } => Slice::from(buffer),
            _ => Slice::new(buffer, 0, size * spanned),
        });
        let slices: Vec<_> = slices.collect();
        let elements = match slices[..] {
            [first, second] => reducer.of(Both { first, second }),
            _ => reducer.of(slices[0]),
        };
        let reduction = match (shape, way) {
            (Shape::Offsets { .. }, _) => elements.clone().segment_offsets(&ends),
            (_, Way::Counted) => elements.clone().shape(shape).count_buffer(&count),
            _ => elements.clone().shape(shape),
        };
        let plan = reduction.plan().map_err(text)?;
        scene.stage();
        let workspace = Workspace::new(device);
        let output = scene.room(plan.output())?;
        // Without elements, accumulation writes the identity, which the reduction then adds to.
        let nothing = (kind == ShapeKind::Accumulate).then(|| elements.len(0).bind(&output));
        let nothing = nothing.transpose().map_err(text)?;
        scene.stage();
        let prepared = reduction.clone().workspace(&workspace).bind(&output).map_err(text)?;
        let record = |encoder: &mut _| {
            nothing.iter().chain([&prepared]).for_each(|reduction| reduction.encode(encoder));
        };
        let got = scene.fetch(record, &output, plan.output()).await?;

        if kind != ShapeKind::Accumulate && !plan.leaves_partials() {
            // A browser cannot block. Elsewhere nothing polls the device while a result is awaited.
            let awaited: Result<Vec<Numbers>, _> = match cfg!(target_family = "wasm") {
                true => reduction.run_async(&scene.queue).await,
                false => reduction.run(&scene.queue),
            };
            let awaited = awaited.map_err(text)?;
            let numbers: Vec<Numbers> = reducer.results(&got).map_err(text)?;
            // Compared as text, where NaN equals NaN.
            if format!("{awaited:?}") != format!("{numbers:?}") {
                return Err(format!("{awaited:?} awaited, {numbers:?} recorded"));
            }
        }

        let picked = |group: &Group| -> Vec<Vec<u8>> {
            inputs.iter().map(|input| gather(input.bytes(), size as usize, group.clone())).collect()
        };
        let parts = groups.iter().map(picked);
        if accuracy == Accuracy::Exact {
            let size = if element == Element::F64 { 8 } else { 4 };
            let expected = parts.flat_map(|part| {
                oracle::expected(op, element, &part[0], part.get(1).map(Vec::as_slice)).to_le_bytes()[..size]
                    .to_vec()
            });
            return Ok(same(&got, &expected.collect::<Vec<_>>()));
        }
        let combined = || reference::combine(op, element, &got, groups[0].len() as u64).into_iter().collect();
        let answers = if plan.leaves_partials() { combined() } else { op.read(element, &got) };
        if answers.len() != groups.len() {
            return Ok(End::Wrong(format!("{} results instead of {}", answers.len(), groups.len())));
        }
        for (part, got) in zip(parts, answers) {
            let expected = reference::reduce(op, element, &part[0], part.get(1).map(Vec::as_slice));
            match expected.ok_or("no reference")?.judge(got, plan.depth()) {
                Verdict::Right => {}
                verdict => return Ok(End::Wrong(format!("{verdict:?}"))),
            }
        }
        Ok(End::Right)
    }
}
