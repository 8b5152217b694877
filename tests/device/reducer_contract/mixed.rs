//! Two hundred reductions of any operator, type, shape, size and place, recorded into one pass over one workspace.

use std::collections::HashMap;

use halofold::reduce::reference;
use halofold::reduce::{Arity, BufferRange, Op, Plan, Prepared, Reducer, Shape, ShapeKind, Workspace};
use halofold::{Element, Slice, wgpu};

use super::scene::{
    STORAGE, buffer, in_one_pass, is_poison, plan, poisoned, read, reducer, room, rounding, shaped, sum,
};
use crate::common::{Data, Gpu, Kind, Random, data, gpu, limited, over, right, spanned};

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
fn below(random: &mut Random, most: u64) -> u64 {
    let bits = random.next() % (u64::from(most.ilog2()) + 2);
    (random.next() & ((1 << bits) - 1)) % most
}

fn pick<T: Copy>(random: &mut Random, items: &[T]) -> T {
    items[(random.next() % items.len() as u64) as usize]
}

/// Reducers drawn among those that the device can run.
fn keys(gpu: &Gpu, random: &mut Random) -> Vec<Key> {
    let mut keys = Vec::new();
    while keys.len() < REDUCERS {
        let key = (pick(random, Op::ALL), pick(random, &Element::ALL), pick(random, &FORMS));
        let Ok(monoid) = key.0.over(key.1) else { continue };
        let limits = gpu.device.limits();
        // Two inputs between offsets take the most.
        let enough = monoid.arity() == Arity::One || limits.max_storage_buffers_per_shader_stage >= 8;
        if enough && gpu.device.features().contains(monoid.features()) && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// A reduction with its shape, inputs and expected groups.
struct Case {
    key: Key,
    shape: Shape,
    inputs: Vec<Data>,
    places: Vec<u64>,
    /// Elements that are taken.
    len: u64,
    /// The number of elements in the buffer that the GPU reads.
    count: Option<u32>,
    offsets: Option<Vec<u32>>,
    /// The elements of each result.
    groups: Vec<Vec<usize>>,
}

impl Case {
    fn new(random: &mut Random, key: Key) -> Self {
        let (op, element, form) = key;
        let n = below(random, 150_000) as usize;
        let mut case = Case {
            key,
            shape: Shape::Whole,
            inputs: Vec::new(),
            places: Vec::new(),
            len: n as u64,
            count: None,
            offsets: None,
            groups: Vec::new(),
        };
        let spanned = case.draw(random, form, n);
        let kind = pick(random, &[Kind::Random, Kind::Dyadic, Kind::Constant]);
        let arity = op.over(element).unwrap().arity();
        for _ in 0..if arity == Arity::Two { 2 } else { 1 } {
            case.inputs.push(data(kind, op, element, spanned, random.next()));
            case.places.push(element.size() * below(random, 300));
        }
        case
    }

    /// Draws a shape of about `n` elements and returns the number of elements of the input.
    fn draw(&mut self, random: &mut Random, form: ShapeKind, n: usize) -> usize {
        match form {
            ShapeKind::Whole => {
                self.count_some(random);
                self.groups = vec![(0..self.taken()).collect()];
                n
            }
            ShapeKind::Strided => {
                let stride = 1 + below(random, 20) as usize;
                self.shape = Shape::Strided { stride: stride as u64 };
                self.len = (n / stride) as u64;
                self.count_some(random);
                self.groups = vec![(0..self.taken()).map(|i| i * stride).collect()];
                (self.len as usize).saturating_sub(1) * stride + 1
            }
            ShapeKind::Segments => {
                let len = 1 + below(random, 20_000) as usize;
                let count = n.div_ceil(len).min(500);
                self.shape = Shape::Segments { len: len as u64 };
                self.len = (count * len) as u64;
                self.groups = (0..count).map(|k| (k * len..(k + 1) * len).collect()).collect();
                count * len
            }
            ShapeKind::Offsets => {
                let mut cuts: Vec<u32> =
                    (0..=1 + below(random, 300)).map(|_| (random.next() % (n as u64 + 1)) as u32).collect();
                cuts.sort_unstable();
                self.shape = Shape::Offsets { count: cuts.len() as u64 - 1 };
                self.groups =
                    cuts.windows(2).map(|pair| (pair[0] as usize..pair[1] as usize).collect()).collect();
                self.offsets = Some(cuts);
                n
            }
            _ => {
                let inner = 1 + below(random, 200) as usize;
                let outer = 1 + below(random, 5) as usize;
                let len = 1 + n / (inner * outer);
                self.shape = Shape::Axis { outer: outer as u64, len: len as u64, inner: inner as u64 };
                self.len = (outer * len * inner) as u64;
                let column = |k: usize| {
                    let start = k / inner * len * inner + k % inner;
                    (0..len).map(|i| start + i * inner).collect()
                };
                self.groups = (0..outer * inner).map(column).collect();
                outer * len * inner
            }
        }
    }

    /// Now and then the GPU knows how many elements there are: fewer than the input has, or more, which are not there.
    fn count_some(&mut self, random: &mut Random) {
        if random.next().is_multiple_of(4) {
            self.count = Some(below(random, self.len + 10) as u32);
        }
    }

    /// Number of elements that are reduced.
    fn taken(&self) -> usize {
        self.count.map_or(self.len, |count| self.len.min(count.into())) as usize
    }

    fn plan(&self, reducer: &Reducer) -> Plan {
        let extents: Vec<_> =
            self.places.iter().map(|&offset| BufferRange { offset, len: self.len }).collect();
        reducer.plan(self.shape, &extents[..1], extents.get(1).copied()).unwrap()
    }

    /// Binds it, its results to go `at` this byte.
    fn prepare(
        &self,
        gpu: &Gpu,
        reducer: &Reducer,
        workspace: &Workspace,
        (output, at): (&wgpu::Buffer, u64),
    ) -> Prepared {
        let buffers: Vec<_> =
            self.inputs.iter().zip(&self.places).map(|(data, &at)| poisoned(gpu, data.bytes(), at)).collect();
        let size = spanned(self.shape, self.len) * reducer.monoid().stride();
        let inputs: Vec<_> =
            buffers.iter().zip(&self.places).map(|(buffer, &at)| Slice::new(buffer, at, size)).collect();
        let mut reduction = over(reducer, &inputs).shape(self.shape).workspace(workspace);
        let words = |words: &[u32]| buffer(gpu, bytemuck::cast_slice(words), STORAGE);
        let cuts = self.offsets.as_deref().map(words);
        if let (Some(buffer), Some(list)) = (&cuts, &self.offsets) {
            reduction = reduction.segment_offsets(Slice::new(buffer, 0, 4 * list.len() as u64));
        }
        let count = self.count.map(|count| words(&[7, count, 7]));
        if let Some(buffer) = &count {
            reduction = reduction.count_buffer(Slice::at(buffer, 4));
        }
        let prepared = reduction.into(Slice::at(output, at)).unwrap();
        assert_eq!(*prepared.plan(), self.plan(reducer));
        prepared
    }

    /// Compares results with the CPU's.
    fn judge(&self, bytes: &[u8]) -> Result<(), String> {
        let (op, element, _) = self.key;
        let size = element.size() as usize;
        let answers = op.read(element, bytes);
        if answers.len() != self.groups.len() {
            return Err(format!("{} results instead of {}", answers.len(), self.groups.len()));
        }
        for (number, (got, group)) in answers.into_iter().zip(&self.groups).enumerate() {
            let elements = |data: &Data| -> Vec<u8> {
                group.iter().flat_map(|&i| &data.bytes()[i * size..][..size]).copied().collect()
            };
            let parts: Vec<_> = self.inputs.iter().map(elements).collect();
            let expected = reference::reduce(op, element, &parts[0], parts.get(1).map(Vec::as_slice));
            // No order of combining has more roundings than there are elements; a few more are in `map` and `finish`.
            let verdict = expected.ok_or("no reference")?.judge(got, group.len() as u64 + 16);
            right(verdict).map_err(|why| format!("result {number} of {} elements: {why}", group.len()))?;
        }
        Ok(())
    }
}

/// Leaves NaNs in all scratch memory that a workspace has.
fn soil(
    gpu: &Gpu,
    workspace: &Workspace,
    reducers: &[Reducer],
    plans: &[(Shape, u64)],
    input: &wgpu::Buffer,
) {
    let output = buffer(gpu, &[0; 4096], STORAGE | wgpu::BufferUsages::COPY_SRC);
    let cuts = buffer(gpu, bytemuck::cast_slice(&[0u32, 100_000]), STORAGE);
    let prepared: Vec<_> = reducers
        .iter()
        .zip(plans)
        .map(|(reducer, &(shape, len))| {
            let reduction = shaped(reducer.of(Slice::new(input, 0, 4 * len)), shape, Slice::new(&cuts, 0, 8));
            reduction.workspace(workspace).into(&output).unwrap()
        })
        .collect();
    in_one_pass(gpu, |pass| prepared.iter().for_each(|prepared| prepared.encode_in_pass(pass)));
    let first = read(gpu, &output)[..4].try_into().unwrap();
    assert!(f32::from_le_bytes(first).is_nan(), "nothing was soiled");
}

#[test]
fn any_two_hundred_reductions_go_into_one_pass() {
    any_two_hundred(gpu(), 20_261_121);
}

/// The same where a binding holds 16 KiB: up to seventy windows an input, of any type.
#[test]
fn any_two_hundred_reductions_in_windows_do() {
    any_two_hundred(&limited(|limits| limits.max_storage_buffer_binding_size = 16 << 10), 20_261_122);
}

fn any_two_hundred(gpu: &Gpu, seed: u64) {
    let mut random = Random::new(seed);
    gpu.watched(|| {
        let keys = keys(gpu, &mut random);
        let compiled: HashMap<Key, Reducer> =
            keys.iter().map(|&key| (key, reducer(gpu, key.0.over(key.1).unwrap()))).collect();
        let cases: Vec<_> = (0..REDUCTIONS)
            .map(|_| {
                let key = pick(&mut random, &keys);
                Case::new(&mut random, key)
            })
            .collect();

        // Long inputs without anything but NaNs, through forms that leave something in each part of the scratch memory.
        let soiling = [
            (Shape::Whole, 100_000),
            (Shape::Segments { len: 50_000 }, 100_000),
            (Shape::Offsets { count: 1 }, 100_000),
            (Shape::Axis { outer: 1, len: 50_000, inner: 2 }, 100_000),
        ];
        let soilers = soiling.map(|_| reducer(gpu, sum(Element::F32)));
        let mut plans: Vec<_> = cases.iter().map(|case| case.plan(&compiled[&case.key])).collect();
        plans.extend(soilers.iter().zip(soiling).map(|(soiler, (shape, len))| plan(soiler, shape, len)));
        let workspace = Workspace::for_plans(&gpu.device, &plans);
        soil(gpu, &workspace, &soilers, &soiling, &room(gpu, 400_000));

        let mut places = Vec::new();
        let mut end = APART;
        for plan in &plans[..cases.len()] {
            places.push(end);
            end += plan.output().next_multiple_of(APART) + APART;
        }
        let output = room(gpu, end);
        let prepared: Vec<_> = cases
            .iter()
            .zip(&places)
            .map(|(case, &at)| case.prepare(gpu, &compiled[&case.key], &workspace, (&output, at)))
            .collect();
        in_one_pass(gpu, |pass| prepared.iter().for_each(|prepared| prepared.encode_in_pass(pass)));

        let bytes = read(gpu, &output);
        let mut written = vec![false; bytes.len()];
        for ((case, plan), &at) in cases.iter().zip(&plans).zip(&places) {
            let range = at as usize..(at + plan.output()) as usize;
            let what = |error| format!("{:?} {:?} at {:?}: {error}", case.key, case.shape, case.places);
            case.judge(&bytes[range.clone()]).map_err(what)?;
            written[range].fill(true);
        }
        let beside = (0..bytes.len()).filter(|&at| !written[at] && !is_poison(at, bytes[at]));
        assert_eq!(beside.count(), 0, "bytes beside the results were written");
        Ok(())
    })
    .unwrap();
}

/// Inputs that start and end anywhere between two bindings: what lies in front of them and behind
/// is NaN, and would show in a maximum.
#[test]
fn nothing_beside_an_input_is_read() {
    let gpu = gpu();
    let data = rounding(1000, 5);
    gpu.clean(|| {
        let reducer = reducer(gpu, Op::Max.over(Element::F32).unwrap());
        let workspace = Workspace::new(
            &gpu.device,
            &reducer.plan(Shape::Whole, &[BufferRange { offset: 4, len: 1000 }], None).unwrap(),
        );
        for first in (0..8).chain(60..70) {
            for len in [1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 999] {
                let elements = &data[..len];
                let offset = 4 * first;
                let input = poisoned(gpu, bytemuck::cast_slice(elements), offset);
                let output = room(gpu, 4);
                let elements_of = Slice::new(&input, offset, 4 * len as u64);
                let prepared = reducer.of(elements_of).workspace(&workspace).into(&output).unwrap();
                in_one_pass(gpu, |pass| prepared.encode_in_pass(pass));
                let expected = elements.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                assert_eq!(read(gpu, &output)[..4], expected.to_le_bytes(), "{len} from {first} on");
            }
        }
    });
}
