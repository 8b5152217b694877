//! Reductions: of small integers, whatever the type, so that every order of additions gives the same sum and a result is right to the bit;
//! and of floats whose sizes differ widely, for exact sums.

use std::rc::Rc;

use halofold::Element::{self, F32};
use halofold::reduce::Op::{self, Sum};
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Accuracy, Arity, Both, Reduce, Scalar, Shape, reference};
use halofold::{Compiled, Options, Value, Workspace, wgpu};
use wgpu::util::DeviceExt as _;

use super::runnable::reduced;
use super::{
    CHAINED, EXACT, Expected, INDEPENDENT, Input, Made, NO_SUBGROUPS, PERIOD, Runnable, Timed, UNCHECKED,
};
use super::{Way, generate};
use crate::{Kind, data};

/// Independent calls, and calls that wait for one another; the same and exact ones; the same and kernels that lack something.
const USUAL: &[Way] = ALL.split_at(2).0;
const AND_EXACT: &[Way] = ALL.split_at(3).0;
const ALL: &[Way] = &[INDEPENDENT, CHAINED, EXACT, NO_SUBGROUPS, UNCHECKED];

/// Powers of two that the lengths of skewed segments go through.
const SKEWED: u32 = 21;

/// One reduction.
#[derive(Clone, Copy)]
struct Reduced {
    op: Op,
    element: Element,
    n: u64,
    /// The shape's name in rows. `counted` has the number of elements on the GPU, `skewed` segments of 1, 2, 4 … 2^20 elements in turn.
    name: &'static str,
    shape: Shape,
    ways: &'static [Way],
}

impl Reduced {
    /// Number of results, for shapes that may have many.
    fn results(&self) -> Option<u64> {
        match self.shape {
            Shape::Segments { len } => Some(self.n / len),
            Shape::Offsets { count } => Some(count),
            Shape::Axis { outer, inner, .. } => Some(outer * inner),
            _ => None,
        }
    }

    /// Lengths of segments or of an axis, each cut to what is left.
    fn lengths(self) -> impl Iterator<Item = u64> {
        let (len, mut left) = match self.shape {
            Shape::Offsets { count } => (self.n / count, self.n),
            Shape::Segments { len } => (len, self.n),
            Shape::Axis { len, inner, .. } => (len, self.n / inner),
            _ => (self.n, self.n),
        };
        (0..).map_while(move |at| {
            let len = left.min(if self.name == "skewed" { 1 << (at % SKEWED) } else { len });
            left -= len;
            (len > 0).then_some(len)
        })
    }

    /// The data's name.
    fn data(&self) -> &'static str {
        if matches!(self.name, "two-scales" | "wide") { self.name } else { "small" }
    }
}

/// All of them; those of the same elements follow one another.
fn reductions(is_small: bool) -> Vec<Reduced> {
    use Shape::{Accumulate, Whole};
    let lengths: &[u32] = if is_small { &[10, 14, 16] } else { &[10, 16, 20, 22, 24, 26, 28] };
    let (most, shorter) = lengths.split_last().expect("there are lengths");
    let (n, most, long) = (1 << most, &[*most][..], if is_small { &[16u32][..] } else { &[24, 26, 28] });
    let [columns, tall, axis] = if is_small {
        [[1, 256, 256], [1, 1024, 64], [16, 64, 64]]
    } else {
        [[1, 16_384, 16_384], [1, 1 << 20, 256], [256, 1024, 1024]]
    }
    .map(|[outer, len, inner]| Shape::Axis { outer, len, inner });
    let segments = |len| Shape::Segments { len };
    let offsets = |len| Shape::Offsets { count: n / len };
    // Whole turns through all lengths, and the lengths that begin in the rest.
    let turn = (1 << SKEWED) - 1;
    let skewed = n / turn * u64::from(SKEWED) + u64::from(u64::BITS - (n % turn).leading_zeros());
    let skewed = Shape::Offsets { count: skewed };
    let rows: [(&[Op], _, _, _, &[u32], &'static [Way]); _] = [
        (&[Sum], F32, "whole", Whole, shorter, AND_EXACT),
        (&[Sum], F32, "whole", Whole, most, ALL),
        (&[Sum], F32, "accumulate", Accumulate, lengths, USUAL),
        (&[Sum], F32, "counted", Whole, if is_small { &[16] } else { &[24] }, USUAL),
        (&[Op::Min, Op::Max, Op::MinMax, Op::ArgMin], F32, "whole", Whole, most, USUAL),
        (&[Op::Mean], F32, "whole", Whole, most, AND_EXACT),
        (&[Op::Variance, Op::L2, Op::LogSumExp], F32, "whole", Whole, most, USUAL),
        (&[Op::Dot], F32, "whole", Whole, most, AND_EXACT),
        (&[Sum], F32, "fixed", segments(1), most, USUAL),
        (&[Sum], F32, "fixed", segments(4), most, USUAL),
        (&[Sum], F32, "fixed", segments(16), most, USUAL),
        (&[Sum], F32, "fixed", segments(32), most, USUAL),
        (&[Sum], F32, "fixed", segments(64), most, USUAL),
        (&[Sum], F32, "fixed", segments(256), most, ALL),
        (&[Sum], F32, "fixed", segments(1024), most, AND_EXACT),
        (&[Sum], F32, "fixed", segments(65_536), most, AND_EXACT),
        (&[Sum], F32, "offsets", offsets(256), most, USUAL),
        (&[Sum], F32, "skewed", skewed, most, USUAL),
        (&[Sum], F32, "offsets", offsets(1024), most, AND_EXACT),
        (&[Sum], F32, "columns", columns, most, AND_EXACT),
        (&[Sum], F32, "columns", tall, most, USUAL),
        (&[Sum], F32, "axis", axis, most, USUAL),
        (&[Sum], Element::F16, "whole", Whole, long, AND_EXACT),
        (&[Sum], Element::I32, "whole", Whole, long, USUAL),
        (&[Sum], Element::U32, "whole", Whole, long, USUAL),
        (&[Sum], Element::F64, "whole", Whole, long, AND_EXACT),
        (&[Op::LogSumExp], Element::F64, "whole", Whole, most, USUAL),
        (&[Sum], Element::I64, "whole", Whole, long, USUAL),
        (&[Sum], F32, "two-scales", Whole, long, &[EXACT]),
        (&[Sum], F32, "wide", Whole, long, &[EXACT]),
    ];
    let mut all = Vec::new();
    for (ops, element, name, shape, powers, ways) in rows {
        for op in ops {
            all.extend(powers.iter().map(|power| Reduced {
                op: *op,
                element,
                n: 1 << power,
                name,
                shape,
                ways,
            }));
        }
    }
    all
}

/// The two inputs of one type, of at least `len` elements. The second one is that of dot products.
fn inputs(reduced: Reduced, len: u64) -> [Rc<Input>; 2] {
    let element = reduced.element;
    [0, 1].map(|seed| Input::new(len * element.size(), move || block(element, reduced.data(), seed)))
}

/// The sum of 2^`power` small floats.
pub fn sum(power: u32) -> Timed {
    let sum =
        Reduced { op: Op::Sum, element: F32, n: 1 << power, name: "whole", shape: Shape::Whole, ways: ALL };
    row(sum, &inputs(sum, sum.n))
}

/// All rows.
pub fn rows(is_small: bool) -> Vec<Timed> {
    let all = reductions(is_small);
    let alike = all.chunk_by(|a, b| (a.element, a.data()) == (b.element, b.data()));
    let rows = alike.flat_map(|alike| {
        let longest = alike.iter().map(|reduced| reduced.n).max().unwrap_or(0);
        let inputs = inputs(alike[0], longest);
        alike.iter().map(move |reduced| row(*reduced, &inputs))
    });
    rows.collect()
}

/// The row of a reduction.
fn row(reduced: Reduced, [first, second]: &[Rc<Input>; 2]) -> Timed {
    let Reduced { op, element, n, name, shape, ways } = reduced;
    let monoid = op.over(element).expect("only what is defined is run");
    let adds_up = shape == Shape::Accumulate;
    let atomics = monoid.accumulates().filter(|_| adds_up).unwrap_or_default();
    let inputs = if op.arity() == Arity::Two { &[first, second][..] } else { &[first] };
    let bytes = inputs.len() as u64 * n * element.size();
    let work = [op.name(), name, element.name()];
    let row = Timed::new(work, n, bytes, inputs, move |device, _, way| compiled(device, reduced, way));
    Timed { results: reduced.results(), ways, features: monoid.features() | atomics, adds_up, ..row }
}

/// Options of a way to call.
fn options(way: Way) -> Options<'static> {
    let options = Options::default();
    match way {
        NO_SUBGROUPS => options.with_subgroups(false),
        // SAFETY: the operators are halofold's own.
        UNCHECKED => unsafe { options.unchecked() },
        _ => options,
    }
}

/// Compiles it in one way.
fn compiled(device: &wgpu::Device, reduction: Reduced, way: Way) -> Made<Runnable> {
    let device = device.clone();
    let monoid = reduction.op.over(reduction.element)?;
    let output = reduction.results().unwrap_or(1) * monoid.out_size();
    let accuracy = if way == EXACT { Accuracy::Exact } else { Accuracy::Fast };
    let reduce = Reduce::new(monoid).with_accuracy(accuracy);
    let reducer = Compiled::new(&device, reduce, &options(way))?;
    // Offsets, or the number of elements.
    let ends = reduction.lengths().scan(0, |end, len| {
        *end += len as u32;
        Some(*end)
    });
    let words: Vec<u32> = match reduction.shape {
        Shape::Offsets { .. } => [0].into_iter().chain(ends).collect(),
        _ => vec![reduction.n as u32],
    };
    let words = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("halofold offsets"),
        contents: bytemuck::cast_slice(&words),
        usage: wgpu::BufferUsages::STORAGE,
    });
    let workspace = Workspace::new(&device);
    Runnable::new(
        &[output],
        move |inputs, outputs| {
            let all = match *inputs {
                [first, second] => reducer.of(Both { first, second }),
                _ => reducer.of(inputs[0]),
            };
            let all = all.shape(reduction.shape);
            let request = match reduction.name {
                "counted" => all.count_buffer(&words),
                "offsets" | "skewed" => all.segment_offsets(&words),
                _ => all,
            };
            reduced(way, &workspace, request, (&outputs[0]).into())
        },
        move |inputs, times| vec![expected(reduction, inputs, times)],
    )
}

/// The results over inputs that repeat these blocks.
fn expected(reduction: Reduced, inputs: &[&[u8]], times: usize) -> Expected {
    match reduction.results() {
        Some(results) => Expected::words(sums(reduction, inputs[0], results), 1),
        None => Expected::Scalar(reduction.op, reduction.element, whole(reduction, inputs, times)),
    }
}

/// The result of everything: an exact sum or mean over all periods, rounded once, or the reference's of one period, continued.
fn whole(Reduced { op, element, .. }: Reduced, inputs: &[&[u8]], times: usize) -> Scalar {
    let second = inputs.get(1).copied();
    if let (Op::Sum | Op::Mean | Op::Dot, Some(format)) = (op, Format::of(op, element)) {
        let mut state = State::new(format);
        state.add_of(op, element, inputs[0], second);
        let words = state.words().into_iter().map(|word| word.wrapping_mul(times as i64));
        let total = State::from_words(words.collect()).expect("as many words as before");
        return Scalar::One(if op == Op::Mean { total.mean() } else { total.sum() });
    }
    let one = reference::reduce(op, element, inputs[0], second).expect("only what is defined is run").answer;
    let count = times as f64;
    let continued = |x: f64| if op == Op::L2 { x * count.sqrt() } else { x + count.ln() };
    match (op, one) {
        (Op::L2 | Op::LogSumExp, Scalar::One(Value::F32(x))) => {
            Scalar::One(Value::F32(continued(x.into()) as f32))
        }
        (Op::LogSumExp, Scalar::One(Value::F64(x))) => Scalar::One(Value::F64(continued(x))),
        (Sum, Scalar::One(Value::Unsigned(x))) => Scalar::One(Value::Unsigned(x * times as u64)),
        (Sum, Scalar::One(Value::Signed(x))) => Scalar::One(Value::Signed(x * times as i64)),
        _ => one,
    }
}

/// The sums of segments, or of the middle axis of an array, of small floats that repeat a block.
fn sums(reduction: Reduced, block: &[u8], results: u64) -> Vec<f32> {
    let elements: Vec<f32> = bytemuck::pod_collect_to_vec(block);
    let inner = if let Shape::Axis { inner, .. } = reduction.shape { inner as usize } else { 1 };
    let mut lines = elements.chunks_exact(inner).cycle();
    let mut sums = vec![0.0; results as usize];
    for (sums, len) in sums.chunks_exact_mut(inner).zip(reduction.lengths()) {
        for line in lines.by_ref().take(len as usize) {
            sums.iter_mut().zip(line).for_each(|(sum, element)| *sum += element);
        }
    }
    sums
}

/// One period: small integers, or floats of two sizes in turn, 2^66 apart, or with exponents over the whole range.
fn block(element: Element, kind: &str, seed: u64) -> Vec<u8> {
    if kind == "small" {
        return data(Kind::Dyadic, Op::Sum, element, PERIOD as usize, seed).bytes().to_vec();
    }
    generate(PERIOD, |at, word| {
        let exponent = match kind {
            "two-scales" => [127 + 49, 127 - 17][at as usize % 2],
            _ => 1 + (word >> 32) as u32 % 253,
        };
        (word as u32) & 1 << 31 | exponent << 23 | (word >> 41) as u32 & 0x7f_ffff
    })
}
