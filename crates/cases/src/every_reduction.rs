//! Every operator over every type in every shape, beside the CPU: integers in 128 bits, floats within a bound, and exact sums as
//! fractions of whole numbers of any length.

use halofold::Element;
use halofold::read::Readback;
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Accuracy, Arity, Numbers, Op, Options, Reducer, Reduction, Shape, ShapeKind};
use halofold::wgpu::Buffer;

use super::{Case, Data, End, Kind, Scene, Tag, data, exact as oracle, text};

const LEN: usize = 6000;

/// The ends of segments between offsets; one of them is empty.
const CUTS: [u32; 5] = [0, 17, 17, 4099, LEN as u32];

/// One reduction.
#[derive(Clone, Copy, Debug)]
struct Reduced {
    op: Op,
    element: Element,
    kind: ShapeKind,
    accuracy: Accuracy,
    values: Kind,
}

pub fn every_operator() -> Vec<Case> {
    let pairs = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    let cases = pairs.flat_map(|(op, element)| {
        ShapeKind::ALL.map(|kind| Reduced {
            op,
            element,
            kind,
            accuracy: Accuracy::Fast,
            values: Kind::Random,
        })
    });
    let is_defined = |case: &Reduced| match case.op.over(case.element) {
        Ok(monoid) => case.kind != ShapeKind::Accumulate || monoid.accumulates().is_some(),
        Err(_) => false,
    };
    cases.filter(is_defined).map(Reduced::case).collect()
}

pub fn exact() -> Vec<Case> {
    let floats = [Element::F16, Element::F32, Element::F64];
    let sums = [Op::Sum, Op::Mean, Op::L1].into_iter().flat_map(|op| floats.map(|element| (op, element)));
    let sums = sums.chain([(Op::Dot, Element::F32)]);
    let cases = sums.flat_map(|(op, element)| {
        let kinds = ShapeKind::ALL.into_iter().filter(|kind| *kind != ShapeKind::Accumulate);
        kinds.flat_map(move |kind| {
            let case = |values| Reduced { op, element, kind, accuracy: Accuracy::Exact, values };
            [Kind::Random, Kind::Extremes].map(case)
        })
    });
    cases.map(Reduced::case).collect()
}

fn shape(kind: ShapeKind) -> Shape {
    match kind {
        ShapeKind::Accumulate => Shape::Accumulate,
        ShapeKind::Strided => Shape::Strided { stride: 7 },
        ShapeKind::Segments => Shape::Segments { len: 100 },
        ShapeKind::Offsets => Shape::Offsets { count: CUTS.len() as u64 - 1 },
        ShapeKind::Axis => Shape::Axis { outer: 4, len: 50, inner: 30 },
        _ => Shape::Whole,
    }
}

/// The number of the result that an element belongs to.
fn result_of(shape: Shape, at: usize) -> Option<usize> {
    let axis = |len: u64, inner: u64| at as u64 / (len * inner) * inner + at as u64 % inner;
    match shape {
        Shape::Strided { stride } => (at as u64).is_multiple_of(stride).then_some(0),
        Shape::Segments { len } => Some(axis(len, 1) as usize),
        Shape::Offsets { .. } => Some(CUTS.partition_point(|cut| *cut <= at as u32) - 1),
        Shape::Axis { len, inner, .. } => Some(axis(len, inner) as usize),
        _ => Some(0),
    }
}

impl Reduced {
    fn case(self) -> Case {
        Case::new("Reducer", format!("{self:?}"), move |scene| Box::pin(self.judged(scene))).tagged(Tag::Once)
    }

    async fn judged(self, scene: &Scene) -> Result<End, String> {
        let Reduced { op, element, values, .. } = self;
        let monoid = op.over(element).map_err(text)?;
        let count = if monoid.arity() == Arity::Two { 2 } else { 1 };
        let inputs: Vec<_> = (0..count).map(|seed| data(values, op, element, LEN, seed)).collect();
        let options = Options::default().with_accuracy(self.accuracy);
        let reducer = Reducer::with_options(&scene.device, monoid, options).map_err(text)?;
        let (bytes, results, depth) = self.bytes(scene, &reducer, &inputs).await?;

        let parts = self.parts(&inputs, results as usize);
        let parts = parts.iter().map(|[first, second]| (&**first, (count == 2).then_some(&**second)));
        if self.accuracy == Accuracy::Exact {
            let result = if element == Element::F64 { Element::F64 } else { Element::F32 };
            let got = oracle::bits_of(result, &bytes);
            let expected: Vec<_> =
                parts.map(|(first, second)| oracle::expected(op, element, first, second)).collect();
            return Ok(if got == expected {
                End::Right
            } else {
                End::Wrong(format!("{got:x?}, {expected:x?}"))
            });
        }
        let answers = op.read(element, &bytes);
        if answers.len() != parts.len() {
            return Ok(End::Wrong(format!("{} results instead of {}", answers.len(), parts.len())));
        }
        for ((first, second), got) in parts.zip(answers) {
            let expected = reference::reduce(op, element, first, second).ok_or("no reference")?;
            match expected.judge(got, depth) {
                Verdict::Right => {}
                verdict => return Ok(End::Wrong(format!("{verdict:?}"))),
            }
        }
        Ok(End::Right)
    }

    /// The elements of each result, of the first input and of the second.
    fn parts(self, inputs: &[Data], results: usize) -> Vec<[Vec<u8>; 2]> {
        let mut parts = vec![[Vec::new(), Vec::new()]; results];
        for (nth, input) in inputs.iter().enumerate() {
            for (at, bytes) in input.bytes().chunks_exact(self.element.size() as usize).enumerate() {
                if let Some(result) = result_of(shape(self.kind), at) {
                    parts[result][nth].extend_from_slice(bytes);
                }
            }
        }
        parts
    }

    /// The bytes of the results, their number, and the depth of the plan. What `read` gives has to be the same.
    async fn bytes(
        self,
        scene: &Scene,
        reducer: &Reducer,
        inputs: &[Data],
    ) -> Result<(Vec<u8>, u64, u64), String> {
        let buffers: Vec<_> =
            inputs.iter().map(|input| scene.buffer(input.bytes())).collect::<Result<_, _>>()?;
        let cuts = scene.buffer(bytemuck::cast_slice(&CUTS))?;
        let reduction = described(reducer, &buffers, shape(self.kind), &cuts);
        let plan = reduction.plan().map_err(text)?;
        let output = scene.room(plan.output())?;
        let prepared = reduction.clone().into(&output).map_err(text)?;
        let readback = Readback::new(&scene.device, plan.output());
        let mut encoder = scene.device.create_command_encoder(&Default::default());
        if self.kind == ShapeKind::Accumulate {
            // It adds to the result of an empty input.
            let nothing = described(reducer, &buffers, Shape::Whole, &cuts).len(0);
            nothing.into(&output).map_err(text)?.encode(&mut encoder);
        }
        prepared.encode(&mut encoder);
        readback.encode(&mut encoder, &output, 0, plan.output()).map_err(text)?;
        scene.queue.submit([encoder.finish()]);
        let bytes = scene.arrival(readback.read(plan.output())).await?;
        if self.kind != ShapeKind::Accumulate {
            // A browser cannot wait, and elsewhere nobody polls while a result is awaited.
            let awaited: Result<Vec<Numbers>, _> = match cfg!(target_family = "wasm") {
                true => reduction.read(&scene.queue).await,
                false => reduction.wait(&scene.queue),
            };
            let awaited = awaited.map_err(text)?;
            let numbers: Vec<Numbers> = reducer.results(&bytes).map_err(text)?;
            // As text, in which NaN is NaN.
            if format!("{awaited:?}") != format!("{numbers:?}") {
                return Err(format!("{awaited:?} awaited, {numbers:?} recorded"));
            }
        }
        Ok((bytes, plan.results(), plan.depth()))
    }
}

fn described<'r, 'b>(
    reducer: &'r Reducer,
    inputs: &'b [Buffer],
    shape: Shape,
    cuts: &'b Buffer,
) -> Reduction<'r, 'b> {
    let first = reducer.of(&inputs[0]);
    let reduction = inputs.get(1).map_or(first.clone(), |second| first.with(second));
    if let Shape::Offsets { .. } = shape { reduction.segment_offsets(cuts) } else { reduction.shape(shape) }
}
