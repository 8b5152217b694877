//! Every operator of the reducer × element type × form × awkward length × data, against the CPU, on the adapter at hand.
//!
//! One trial per operator, element type and form. What the adapter cannot run is listed as ignored, with the reason.

use std::sync::atomic::{AtomicUsize, Ordering};

use halofold::Element;
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Arity, Monoid, Op, Reducer, Scalar, Shape, ShapeKind};
use libtest_mimic::Trial;

use crate::common::{Data, Kind, data, gpu, right};
use crate::reduced::{reduced, same};
use crate::{Adapters, Checked, watched};

const LENGTHS: [usize; 11] = [0, 1, 2, 3, 5, 63, 64, 65, 1000, 4099, 70_001];

/// Kinds of data at each length but the last, which gets one.
const FILLINGS: usize = 3;

/// Segments of each length in one input.
const SEGMENTS: usize = 3;

/// Results that the reference leaves open, of data that are expected to do so.
static LEFT_OPEN: AtomicUsize = AtomicUsize::new(0);

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &op in Op::ALL {
        for element in Element::ALL {
            let Ok(monoid) = op.over(element) else { continue };
            // Compiling takes most of the time: both forms where every adapter runs the type, else one or the other.
            let forms = [ShapeKind::Whole, ShapeKind::Segments];
            let forms = match element {
                Element::U32 | Element::F32 => &forms[..],
                _ => &forms[trials.len() % 2..][..1],
            };
            // An operator's atomic operation on every type that has one.
            let accumulate = monoid.accumulates().map(|_| ShapeKind::Accumulate);
            for form in forms.iter().copied().chain(accumulate) {
                trials.push(trial(op, element, monoid.clone(), form, trials.len()));
            }
        }
    }
    trials
}

/// Says how many results the reference left open.
pub fn say_what_is_left_open() {
    let open = LEFT_OPEN.load(Ordering::Relaxed);
    eprintln!(
        "reducer_ops: {open} float products are left open, as the order decides whether they leave the range"
    );
}

fn trial(op: Op, element: Element, monoid: Monoid, form: ShapeKind, number: usize) -> Trial {
    let name = format!("reducer_ops::{op}::{element}::{form:?}");
    let besides = monoid.accumulates().filter(|_| form == ShapeKind::Accumulate).unwrap_or_default();
    let adapters = Adapters::every_if(element == Element::F32 && form == ShapeKind::Whole);
    crate::trial(name, adapters, crate::lacking(monoid.features() | besides), move || {
        let reducer = watched(gpu(), || Ok(Reducer::new(&gpu().device, monoid)?))?;
        let bench = Bench { op, element, form, reducer };
        for (round, len) in LENGTHS.into_iter().enumerate() {
            for values in values(op, element, len, form, (number, round)) {
                watched(gpu(), || bench.compare(&values, len, round as u64))
                    .map_err(|message| format!("{len} elements, {:?}: {message}", values.kind))?;
            }
        }
        Ok(())
    })
}

/// Contents of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    /// A kind that the ladder is tested on, too.
    Common(Kind),
    /// Nothing but zeros, for whatever counts others.
    Zeros,
    /// One zero, in the middle.
    OneZero,
    /// A large mean and a small deviation; for integers, near the end of their range.
    Offset,
    /// Above zero, over many magnitudes: what has logarithms.
    Positive,
    /// Nothing but -∞: for floats only.
    MinusInfinity,
    /// Floats whose squares are smaller than any float, and floats whose squares are larger: for moments, which do not depend on the scale.
    Faint,
    Far,
}

impl Filling {
    /// Returns true if partial products of such floats are too large or too small for their type in some orders, so that no
    /// one result is right.
    fn leaves_the_range(self, op: Op, element: Element) -> bool {
        let uneven = matches!(
            self,
            Filling::Common(Kind::Nan) | Filling::Offset | Filling::OneZero | Filling::Positive
        );
        op == Op::Product && element.is_float() && uneven
    }
}

/// One or two inputs, of one segment or several.
struct Values {
    kind: Filling,
    inputs: Vec<Data>,
}

/// The data that an operator is tested on at one length. Kinds take turns: every operator and type meets all of them.
fn values(
    op: Op,
    element: Element,
    len: usize,
    form: ShapeKind,
    (number, round): (usize, usize),
) -> Vec<Values> {
    use Filling::{Common, Faint, Far, MinusInfinity, Offset, OneZero, Positive, Zeros};
    let mut fillings = vec![
        Common(Kind::Random),
        Common(Kind::Dyadic),
        Common(Kind::Constant),
        Common(Kind::Extremes),
        Common(Kind::Nan),
        Offset,
        Zeros,
        OneZero,
        Positive,
    ];
    if element.is_float() {
        fillings.push(MinusInfinity);
    }
    let is_spread = matches!(op, Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation)
        && element.is_float();
    if is_spread || matches!(op, Op::Skewness | Op::Kurtosis | Op::Covariance | Op::Correlation) {
        // Each as often as all others together.
        fillings = fillings.into_iter().flat_map(|filling| [filling, Faint, Far]).collect();
    }
    // From one length to the next, and from one operator and type to the next, other kinds.
    let turn = number + FILLINGS * round;
    let kept = if len == 0 || len > 10_000 { 1 } else { FILLINGS };
    let kept: Vec<_> = fillings.into_iter().cycle().skip(turn).take(kept).collect();
    let total = if form == ShapeKind::Segments { SEGMENTS * len } else { len };
    let arity = op.over(element).map_or(Arity::One, |monoid| monoid.arity());
    let inputs = if arity == Arity::Two { 2 } else { 1 };
    let one = |kind, seed| fill(kind, op, element, total, len, seed);
    kept.into_iter()
        .map(|kind| Values { kind, inputs: (0..inputs).map(|k| one(kind, round as u64 + 100 * k)).collect() })
        .collect()
}

fn fill(filling: Filling, op: Op, element: Element, total: usize, len: usize, seed: u64) -> Data {
    let kind = if let Filling::Common(kind) = filling { kind } else { Kind::Random };
    let mut filled = data(kind, op, element, total, seed);
    filled.change(element, |i, bits, random| match filling {
        Filling::Common(_) => bits,
        Filling::Zeros => 0,
        Filling::OneZero if i % len == len / 2 => 0,
        Filling::OneZero => bits_of(element, 1.0 + (random % 8) as f64),
        Filling::Positive => {
            let x = (1.0 + (random % 1000) as f64 / 1000.0) * (f64::from(random as i16 % 10)).exp2();
            bits_of(element, if element.is_float() { x } else { x.ceil() })
        }
        Filling::Offset if element == Element::I32 => (1 << 31) + random % 100,
        Filling::Offset if element == Element::I64 => (1 << 63) + random % 100,
        Filling::Offset if element.is_float() => bits_of(element, 1000.0 + (random % 16) as f64 / 4.0),
        Filling::Offset => u64::MAX - random % 100,
        Filling::MinusInfinity => bits_of(element, f64::NEG_INFINITY),
        Filling::Faint | Filling::Far => {
            // The distance of two far ones may be larger than any float.
            let [faint, far] = match element {
                Element::F16 => [-22, 4],
                Element::F32 => [-100, 117],
                _ => [-900, 1013],
            };
            let exponent = if filling == Filling::Faint { faint } else { far };
            bits_of(element, ((random % 3400) as f64 - 1500.0) * f64::from(exponent).exp2())
        }
    });
    filled
}

/// The bits of a small whole number, or of a float.
fn bits_of(element: Element, x: f64) -> u64 {
    match element {
        Element::F16 => half::f16::from_f64(x).to_bits().into(),
        Element::F32 => (x as f32).to_bits().into(),
        Element::F64 => x.to_bits(),
        _ => x as u64,
    }
}

/// The result of an operator over no integers, in as many bytes as its result has.
fn of_nothing(op: Op, element: Element, size: usize) -> Vec<u8> {
    let mut bytes = match op {
        Op::And | Op::Min => vec![0xff; size],
        _ => vec![0; size],
    };
    match (op, element) {
        (Op::All, _) => bytes[0] = 1,
        (Op::Min, Element::I32 | Element::I64) => bytes[size - 1] = 0x7f,
        (Op::Max, Element::I32 | Element::I64) => bytes[size - 1] = 0x80,
        _ => {}
    }
    bytes
}

struct Bench {
    op: Op,
    element: Element,
    form: ShapeKind,
    reducer: Reducer,
}

impl Bench {
    /// Reduces, and compares every result with the CPU's.
    fn compare(&self, values: &Values, len: usize, round: u64) -> Checked {
        let Bench { op, element, form, .. } = *self;
        if form == ShapeKind::Segments && len == 0 {
            return Ok(());
        }
        let (count, shape) = match form {
            ShapeKind::Segments => (SEGMENTS, Shape::Segments { len: len as u64 }),
            ShapeKind::Accumulate => (1, Shape::Accumulate),
            _ => (1, Shape::Whole),
        };
        let (answers, depth) = self.run(values, shape, round)?;
        assert_eq!(answers.len(), count, "results");
        let bytes = len * element.size() as usize;
        for (segment, got) in answers.into_iter().enumerate() {
            let part = |input: &Data| input.bytes()[segment * bytes..][..bytes].to_vec();
            let parts: Vec<_> = values.inputs.iter().map(part).collect();
            let second = parts.get(1).map(Vec::as_slice);
            let expected = reference::reduce(op, element, &parts[0], second).ok_or("no reference")?;
            match expected.judge(got, depth) {
                Verdict::Undecided if values.kind.leaves_the_range(op, element) => {
                    LEFT_OPEN.fetch_add(1, Ordering::Relaxed);
                }
                verdict => {
                    right(verdict).map_err(|why| format!("segment {segment} at depth {depth}: {why}"))?;
                }
            }
        }
        Ok(())
    }

    /// Runs twice, and returns the results with the plan's depth.
    fn run(&self, values: &Values, shape: Shape, round: u64) -> Checked<(Vec<Scalar>, u64)> {
        let Bench { op, element, .. } = *self;
        // The second input starts elsewhere than the first, in some rounds also between two vectors.
        let offsets = [round % 7, round % 5].map(|elements| elements * element.size());
        let inputs: Vec<_> = values.inputs.iter().map(Data::bytes).collect();
        let accumulates = shape == Shape::Accumulate;
        let size = self.reducer.monoid().out_size() as usize;
        let start = accumulates.then(|| of_nothing(op, element, size));
        let (runs, depth) = reduced(&self.reducer, &inputs, offsets, shape, start.as_deref())?;
        // Only float sums in the order that chance gives are allowed to differ.
        if !(accumulates && element.is_float()) {
            same(runs.clone())?;
        }
        Ok((op.read(element, &runs[0]), depth))
    }
}
