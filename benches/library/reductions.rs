//! Reductions: small integers, whatever the type, so that every order of additions gives the same sum and a result is right to the bit;
//! and floats whose sizes differ widely, for exact sums.

use half::f16;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Arity, Op, Reducer, Reduction, Scalar, Shape, reference};
use halofold::{Element, Slice, Value, wgpu};
use wgpu::util::DeviceExt as _;

use crate::calls::{Expected, Made, Operation, Way, recorded};
use crate::cases::{self, Case, Cut, Data};
use crate::common::{Extent, Machine};
use crate::pool::{PERIOD, Pool, Shared, generate, small, word};
use crate::task::Task;

/// The two inputs of one type, of at least `len` elements. The second one is that of dot products.
pub fn inputs<'a>(machine: &'a Machine, element: Element, data: Data, len: u64) -> [Shared<'a, Pool>; 2] {
    let pool = |seed| Pool::shared(machine, len * element.size(), move || block(element, data, seed));
    [pool(0), pool(PERIOD)]
}

/// All cases.
pub fn tasks(machine: &Machine) -> Vec<Task<'_>> {
    let mut tasks = Vec::new();
    let all = cases::all(machine.extent() == Extent::Software);
    for cases in all.chunk_by(|a, b| (a.element, a.data) == (b.element, b.data)) {
        let needs = |case: &Case| {
            let monoid = case.op.over(case.element).expect("only what is defined is run");
            let besides = monoid.accumulates().filter(|_| case.cut == Cut::Accumulate).unwrap_or_default();
            let output = case.results().unwrap_or(1) * monoid.out_size();
            (monoid.features() | besides, output.max(case.n * case.element.size()))
        };
        let runnable = cases.iter().filter(|case| {
            let (features, room) = needs(case);
            machine.runnable(features, room).is_ok()
        });
        let longest = runnable.map(|case| case.n).max().unwrap_or(0);
        let [first, second] = &inputs(machine, cases[0].element, cases[0].data, longest);
        tasks.extend(cases.iter().map(|&case| {
            let (features, room) = needs(&case);
            let work = [case.op.name(), case.shape().0, case.element.name()];
            let inputs = if case.op.arity() == Arity::Two { &[first, second][..] } else { &[first][..] };
            let bytes = inputs.len() as u64 * case.n * case.element.size();
            let make = move |way, inputs: &[Slice<'_>]| operation(&machine.device, case, way, inputs);
            let task = Task::new(work, case.n, bytes, inputs, make);
            Task { results: case.results(), ways: case.ways, features, room, keeps_skipped: true, ..task }
        }));
    }
    tasks
}

/// A case in one way.
fn operation<'a>(device: &wgpu::Device, case: Case, way: Way, inputs: &[Slice<'_>]) -> Made<Operation<'a>> {
    let reducer = Reducer::with_options(device, case.op.over(case.element)?, way.options())?;
    let words = match case.cut {
        Cut::Offsets(_) | Cut::Skewed => case.offsets(),
        _ => vec![case.n as u32],
    };
    let words = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("halofold offsets"),
        contents: bytemuck::cast_slice(&words),
        usage: wgpu::BufferUsages::STORAGE,
    });
    let plan = request(case, &reducer, &words, inputs).plan()?;
    let operation = Operation::new(
        &[plan.output()],
        move |buffers| {
            let workspace = buffers.workspace.expect("there is a plan");
            let request = request(case, &reducer, &words, buffers.inputs).workspace(workspace);
            recorded(request.into(&buffers.outputs[0]))
        },
        move |inputs, times| vec![expected(case, way, inputs, times)],
    );
    Ok(Operation { plan: Some(plan), adds_up: case.cut == Cut::Accumulate, ..operation })
}

/// A call. `words` are offsets or the number of elements, of shapes that need them.
fn request<'b>(
    case: Case,
    reducer: &'b Reducer,
    words: &'b wgpu::Buffer,
    inputs: &[Slice<'b>],
) -> Reduction<'b, 'b> {
    let first = reducer.of(inputs[0]).shape(case.shape().1);
    match case.cut {
        Cut::Counted => first.count_buffer(words),
        Cut::Offsets(_) | Cut::Skewed => first.segment_offsets(words),
        _ => match inputs.get(1) {
            Some(second) => first.with(*second),
            None => first,
        },
    }
}

/// The results over inputs that repeat these blocks.
pub fn expected(case: Case, way: Way, inputs: &[&[u8]], times: u64) -> Expected {
    match case.shape().1 {
        Shape::Axis { outer, len, inner } => Expected::words(&columns(inputs[0], [outer, len, inner])),
        // Segments of equal lengths repeat after a period.
        Shape::Segments { len } => segments(inputs[0], (0..=case.n / times).step_by(len as usize)),
        Shape::Offsets { .. } => segments(inputs[0], case.offsets().into_iter().map(u64::from)),
        _ if way.is_exact => Expected::One(case.op, case.element, exact(case, inputs, times), false),
        _ => Expected::One(case.op, case.element, whole(case, inputs, times), true),
    }
}

/// The result of everything: the reference's of one period, multiplied by the number of periods.
fn whole(case: Case, inputs: &[&[u8]], times: u64) -> Scalar {
    let expected = reference::reduce(case.op, case.element, inputs[0], inputs.get(1).copied())
        .expect("the cases are defined");
    let Scalar::One(value) = expected.answer else { return expected.answer };
    let repeated = |x: f64| match case.op {
        Op::Sum | Op::Dot => x * times as f64,
        Op::L2 => x * (times as f64).sqrt(),
        Op::LogSumExp => x + (times as f64).ln(),
        _ => x,
    };
    // The first bytes of an integer are those of a narrower one that has wrapped.
    let bytes = match value {
        Value::Unsigned(x) => x.wrapping_mul(times).to_le_bytes().to_vec(),
        Value::Signed(x) => x.wrapping_mul(times as i64).to_le_bytes().to_vec(),
        Value::F32(x) => (repeated(x.into()) as f32).to_le_bytes().to_vec(),
        _ => repeated(value.as_f64()).to_le_bytes().to_vec(),
    };
    case.op.read(case.element, &bytes)[0]
}

/// The exact result over all periods, rounded once.
fn exact(case: Case, inputs: &[&[u8]], times: u64) -> Scalar {
    let mut state = State::new(Format::of(case.op, case.element).expect("the cases have an exact form"));
    state.add_of(case.op, case.element, inputs[0], inputs.get(1).copied());
    let words = state.words().into_iter().map(|word| word.wrapping_mul(times as i64));
    let total = State::from_words(words.collect()).expect("as many words as before");
    Scalar::One(if case.op == Op::Mean { total.mean() } else { total.sum() })
}

/// The sums of segments between neighbouring offsets, of a block that repeats without end.
fn segments(block: &[u8], offsets: impl Iterator<Item = u64>) -> Expected {
    let mut prefixes = vec![0.0];
    for element in bytemuck::pod_collect_to_vec::<u8, f32>(block) {
        prefixes.push(prefixes[prefixes.len() - 1] + f64::from(element));
    }
    let period = prefixes.len() - 1;
    let up_to = |at: usize| prefixes[period] * (at / period) as f64 + prefixes[at % period];
    let sums: Vec<f64> = offsets.map(|offset| up_to(offset as usize)).collect();
    let between: Vec<f32> = sums.windows(2).map(|pair| (pair[1] - pair[0]) as f32).collect();
    Expected::words(&between)
}

/// The sums of the middle axis of an array that repeats a block.
fn columns(block: &[u8], [outer, len, inner]: [u64; 3]) -> Vec<f32> {
    let elements: Vec<f32> = bytemuck::pod_collect_to_vec(block);
    let mut lines = elements.chunks_exact(inner as usize).cycle();
    let mut sums = vec![0.0; (outer * inner) as usize];
    for sums in sums.chunks_exact_mut(inner as usize) {
        for line in lines.by_ref().take(len as usize) {
            sums.iter_mut().zip(line).for_each(|(sum, element)| *sum += element);
        }
    }
    sums
}

/// One period.
fn block(element: Element, data: Data, seed: u64) -> Vec<u8> {
    if data == Data::Small {
        return integers(seed).into_iter().flat_map(|integer| encoded(element, integer)).collect();
    }
    generate(PERIOD, 0, |at, word| {
        let exponent = match data {
            Data::TwoScales => [127 + 49, 127 - 17][at as usize % 2],
            _ => 1 + (word >> 32) as u32 % 253,
        };
        ((word as u32) & 1 << 31 | exponent << 23 | (word >> 41) as u32 & 0x7f_ffff).to_le_bytes()
    })
}

/// Integers from -4 to 4. A smallest one comes once, and their sum is 3, so that no partial sum of hundreds of periods leaves what a
/// 32-bit float holds exactly.
fn integers(seed: u64) -> Vec<i64> {
    /// Position of the smallest.
    const LEAST: usize = PERIOD as usize / 8 * 5 + 3;
    let mut integers: Vec<i64> = (seed..seed + PERIOD).map(|at| small(word(at))).collect();
    integers[LEAST] = -5;
    let mut excess = integers.iter().sum::<i64>() - 3;
    for integer in &mut integers {
        let moved = *integer - excess.signum();
        if *integer >= -4 && (-4..=4).contains(&moved) {
            (*integer, excess) = (moved, excess - excess.signum());
        }
    }
    integers
}

/// A small integer as an element; 5 more if it has no sign.
fn encoded(element: Element, integer: i64) -> Vec<u8> {
    match element {
        Element::F16 => f16::from_f64(integer as f64).to_le_bytes().to_vec(),
        Element::F32 => (integer as f32).to_le_bytes().to_vec(),
        Element::F64 => (integer as f64).to_le_bytes().to_vec(),
        Element::U32 | Element::U64 => (integer + 5).to_le_bytes()[..element.size() as usize].to_vec(),
        _ => integer.to_le_bytes()[..element.size() as usize].to_vec(),
    }
}
