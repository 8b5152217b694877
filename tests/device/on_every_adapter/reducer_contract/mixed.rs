//! Two hundred reductions of any operator, type, shape, size and place, over one workspace.

use halofold::reduce::reference;
use halofold::reduce::{Arity, BufferRange, Op, Plan, Reduce, Shape, ShapeKind};
use halofold::{Compiled, Element, Slice, Workspace};

use super::{reducer, rounding, sum};
use crate::common::{
    Data, Gpu, Kind, Random, data, gather, gpu, in_one_pass, is_poison, limited, poison, read, right, room,
};
use crate::cut::{Cut, Held, reduce};

const REDUCTIONS: usize = 200;

/// Different reducers among them: few, as compiling takes long.
const REDUCERS: usize = 32;

/// Bytes between one result and the next: the alignment of offsets on every device.
const APART: u64 = 256;

/// Every form whose results do not depend on what the output held.
const FORMS: [ShapeKind; 5] =
    [ShapeKind::Whole, ShapeKind::Strided, ShapeKind::Segments, ShapeKind::Offsets, ShapeKind::Axis];

type Key = (Op, Element, ShapeKind);

/// A number below `most`, small ones as likely as large ones.
fn below(random: &mut Random, most: usize) -> usize {
    let bits = random.next() % (u64::from(most.ilog2()) + 2);
    (random.next() & ((1 << bits) - 1)) as usize % most
}

fn pick<'i, T>(random: &mut Random, items: &'i [T]) -> &'i T {
    &items[random.next() as usize % items.len()]
}

/// Reducers that the device can run, drawn at random.
fn reducers(gpu: &Gpu, random: &mut Random) -> Vec<(Key, Compiled<Reduce>)> {
    let limits = gpu.device.limits();
    let mut reducers: Vec<(Key, Compiled<Reduce>)> = Vec::new();
    while reducers.len() < REDUCERS {
        let key = (*pick(random, Op::ALL), *pick(random, &Element::ALL), *pick(random, &FORMS));
        let Ok(monoid) = key.0.over(key.1) else { continue };
        // Two inputs between offsets take the most.
        let enough = monoid.arity() == Arity::One || limits.max_storage_buffers_per_shader_stage >= 8;
        let is_new = reducers.iter().all(|(other, _)| *other != key);
        if enough && gpu.device.features().contains(monoid.features()) && is_new {
            reducers.push((key, reducer(gpu, monoid)));
        }
    }
    reducers
}

/// A shape of about `n` elements.
fn draw(random: &mut Random, form: ShapeKind, n: usize) -> Cut {
    let cut = match form {
        ShapeKind::Whole => Cut::whole(n),
        ShapeKind::Strided => Cut::strided(1 + below(random, 20), n),
        ShapeKind::Segments => {
            let len = 1 + below(random, 20_000);
            Cut::segments(len, n.div_ceil(len).min(500))
        }
        ShapeKind::Offsets => {
            let count = 2 + below(random, 300);
            let mut offsets: Vec<_> = (0..count).map(|_| (random.next() % (n as u64 + 1)) as u32).collect();
            offsets.sort_unstable();
            Cut::between(offsets, n)
        }
        _ => {
            let (inner, outer) = (1 + below(random, 200), 1 + below(random, 5));
            Cut::axis([outer, 1 + n / (inner * outer), inner])
        }
    };
    let cut = cut.at_both([below(random, 300), below(random, 300)]);
    // Now and then the GPU knows how many elements there are: fewer than the input has, or more, which are not there.
    let is_counted = matches!(form, ShapeKind::Whole | ShapeKind::Strided) && random.next().is_multiple_of(4);
    if is_counted { cut.counted(below(random, n + 10) as u32) } else { cut }
}

/// A reduction with its inputs.
struct Case<'a> {
    key: Key,
    reducer: &'a Compiled<Reduce>,
    cut: Cut,
    inputs: Vec<Data>,
    held: Held,
}

impl<'a> Case<'a> {
    fn new(gpu: &Gpu, random: &mut Random, (key, reducer): &'a (Key, Compiled<Reduce>)) -> Self {
        let (op, element, form) = *key;
        let n = below(random, 150_000);
        let cut = draw(random, form, n);
        let kind = *pick(random, &[Kind::Random, Kind::Dyadic, Kind::Constant]);
        let arity = if reducer.operation().monoid().arity() == Arity::Two { 2 } else { 1 };
        let inputs: Vec<_> = (0..arity).map(|_| data(kind, op, element, cut.len, random.next())).collect();
        let bytes: Vec<_> = inputs.iter().map(Data::bytes).collect();
        let held = cut.hold(gpu, element.size() as usize, &bytes);
        Case { key: *key, reducer, cut, inputs, held }
    }

    /// The plan, from the places of the inputs alone.
    fn plan(&self) -> Plan {
        let stride = if let Shape::Strided { stride } = self.cut.shape { stride } else { 1 };
        let len = (self.cut.len as u64).div_ceil(stride);
        let [first, second] = self.cut.at.map(|i| BufferRange { offset: i as u64 * self.key.1.size(), len });
        let second = self.inputs.get(1).map(|_| second);
        self.reducer.plan(self.cut.shape, &[first], second).unwrap()
    }

    /// Compares results with the CPU's.
    fn judge(&self, bytes: &[u8]) -> Result<(), String> {
        let (op, element, _) = self.key;
        let size = element.size() as usize;
        let (answers, groups) = (op.read(element, bytes), self.cut.groups());
        if answers.len() != groups.len() {
            return Err(format!("{} results instead of {}", answers.len(), groups.len()));
        }
        for (number, (got, group)) in answers.into_iter().zip(groups).enumerate() {
            let elements = |data: &Data| gather(data.bytes(), size, group.clone());
            let parts: Vec<_> = self.inputs.iter().map(elements).collect();
            let expected = reference::reduce(op, element, &parts[0], parts.get(1).map(Vec::as_slice));
            // No order of combining has more roundings than there are elements; a few more are in `map` and `finish`.
            let verdict = expected.ok_or("no reference")?.judge(got, group.len() as u64 + 16);
            right(verdict).map_err(|why| format!("result {number} of {} elements: {why}", group.len()))?;
        }
        Ok(())
    }
}

/// Also where a binding holds 16 KiB: up to seventy windows an input, of any type.
#[test]
fn any_two_hundred_reductions_share_a_workspace() {
    any_two_hundred(gpu(), 20_261_121);
    any_two_hundred(&limited(|limits| limits.max_storage_buffer_binding_size = 16 << 10), 20_261_122);
}

fn any_two_hundred(gpu: &Gpu, seed: u64) {
    let mut random = Random::new(seed);
    gpu.watched(|| {
        let reducers = reducers(gpu, &mut random);
        let case = |_| {
            let reducer = pick(&mut random, &reducers);
            Case::new(gpu, &mut random, reducer)
        };
        let cases: Vec<_> = (0..REDUCTIONS).map(case).collect();
        let mut plans: Vec<_> = cases.iter().map(Case::plan).collect();

        // Long inputs without anything but NaNs, through forms that leave something in each part of the scratch memory.
        let soiling = [
            Cut::whole(100_000),
            Cut::segments(50_000, 2),
            Cut::between(vec![0, 100_000], 100_000),
            Cut::axis([1, 50_000, 2]),
        ];
        let soilers = soiling
            .map(|cut| (reducer(gpu, sum(Element::F32)), cut.hold(gpu, 4, &[&poison(400_000)])))
            .map(|(reducer, held)| (held.reduction(&reducer).plan().unwrap(), reducer, held));
        plans.extend(soilers.iter().map(|(plan, ..)| plan.clone()));
        let workspace = Workspace::new(&gpu.device);
        let ends = plans.iter().scan(APART, |end, plan| {
            let at = *end;
            *end += plan.output().next_multiple_of(APART) + APART;
            Some(at)
        });
        let places: Vec<_> = ends.collect();
        let output = room(gpu, places[cases.len()]);
        let prepare = |((case, plan), at): ((&Case<'_>, &Plan), &u64)| {
            let reduction = case.held.reduction(case.reducer).workspace(&workspace);
            assert!(reduction.plan().unwrap() == *plan);
            reduction.bind(Slice::at(&output, *at)).unwrap()
        };
        let prepare_all = || -> Vec<_> { cases.iter().zip(&plans).zip(&places).map(prepare).collect() };
        // The workspace has grown before anything that is recorded takes its memory.
        drop(prepare_all());
        for (_, reducer, held) in &soilers {
            let first = reduce(gpu, &held.reduction(reducer).workspace(&workspace))[..4].try_into().unwrap();
            assert!(f32::from_le_bytes(first).is_nan(), "nothing was soiled");
        }
        let prepared = prepare_all();
        in_one_pass(gpu, |pass| prepared.iter().for_each(|prepared| prepared.encode_in_pass(pass)));
        let bytes = read(gpu, &output);

        let mut is_beside = vec![true; bytes.len()];
        for ((case, plan), &at) in cases.iter().zip(&plans).zip(&places) {
            let range = at as usize..(at + plan.output()) as usize;
            let what = |error| format!("{:?} {}: {error}", case.key, case.cut);
            case.judge(&bytes[range.clone()]).map_err(what)?;
            is_beside[range].fill(false);
        }
        let written = (0..bytes.len()).filter(|&at| is_beside[at] && !is_poison(at, bytes[at]));
        assert_eq!(written.count(), 0, "bytes beside the results were written");

        // The other way round, in passes of their own and among others, with scratch memory as the first left it.
        gpu.queue.write_buffer(&output, 0, &poison(bytes.len()));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for two in prepared.rchunks_exact(2) {
            two[1].encode(&mut encoder);
            two[0].encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()));
        }
        gpu.queue.submit([encoder.finish()]);
        assert!(read(gpu, &output) == bytes, "the second time, other bits");
        Ok(())
    })
    .unwrap();
}

/// Inputs that start and end anywhere between two bindings. NaN lies in front of them and behind, and would show in a maximum.
#[test]
fn nothing_beside_an_input_is_read() {
    let (gpu, data) = (gpu(), rounding(1000, 5));
    let reducer = reducer(gpu, Op::Max.over(Element::F32).unwrap());
    for first in (0..8).chain(60..70) {
        for len in [1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 999] {
            let elements = &data[..4 * len];
            let got = Cut::whole(len).at(first).hold(gpu, 4, &[elements]).reduce(gpu, &reducer);
            let floats = elements.chunks_exact(4).map(|float| f32::from_le_bytes(float.try_into().unwrap()));
            assert_eq!(got, floats.fold(f32::MIN, f32::max).to_le_bytes(), "{len} from {first} on");
        }
    }
}
