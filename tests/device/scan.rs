//! Prefixes against running results on the CPU.

use halofold::reduce::reference::prefixes;
use halofold::reduce::{Arity, BufferRange, Monoid, Op, Scalar};
use halofold::scan::Scan;
use halofold::{Element, OnDevice, OperationError, Value, wgpu};

use crate::common::{Gpu, Kind, Random, data, gpu, in_one_pass, read, right, room, with_few_invocations};
use crate::inputs::{Input, words, written};

/// The bytes of all results.
pub fn run(gpu: &Gpu, scan: &OnDevice<Scan>, elements: &[u8], offset: u64, size: u64) -> Vec<u8> {
    let input = Input::at(gpu, elements, offset);
    written(gpu, [size], |outputs| scan.of(&input).into_each(outputs)).remove(0)
}

/// Prefixes of elements of a kind, from a byte of the input on.
#[derive(Clone, Copy, Debug)]
struct Case {
    op: Op,
    element: Element,
    kind: Kind,
    len: usize,
    row: Option<usize>,
    is_exclusive: bool,
    offset: u64,
}

const SUMS: Case = Case {
    op: Op::Sum,
    element: Element::F32,
    kind: Kind::Random,
    len: 10_000,
    row: None,
    is_exclusive: false,
    offset: 0,
};

impl Case {
    fn scan(self) -> Scan {
        let scan = Scan::new(self.op.over(self.element).unwrap()).unwrap();
        let scan = if self.is_exclusive { scan.exclusive() } else { scan };
        self.row.map_or(scan.clone(), |row| scan.rows(row as u64))
    }

    /// Judges every prefix.
    fn check(self, gpu: &Gpu) {
        let Case { op, element, kind, len, row, is_exclusive, offset } = self;
        let scan = match self.scan().on(&gpu.device) {
            Err(OperationError::Map(missing)) => return println!("{op} of {element} not run: {missing}"),
            made => made.unwrap(),
        };
        let elements = data(kind, op, element, len, 3);
        let elements = elements.bytes();
        let size = len as u64 * op.over(element).unwrap().out_size();
        let results = gpu.clean(|| run(gpu, &scan, elements, offset, size));
        let depth = scan.config().depth(len as u64, &gpu.device.limits());
        let row = row.unwrap_or(len.max(1)) * element.size() as usize;
        let expected = elements.chunks(row).flat_map(|row| prefixes(op, element, row, is_exclusive).unwrap());
        let results = op.read(element, &results);
        assert_eq!(results.len(), len);
        for (at, (expected, got)) in expected.zip(results).enumerate() {
            right(expected.judge(got, depth)).unwrap_or_else(|wrong| panic!("{self:?}, {at}: {wrong}"));
        }
    }
}

#[test]
fn prefixes_of_every_type() {
    let gpu = gpu();
    for element in Element::ALL {
        Case { element, ..SUMS }.check(gpu);
    }
    for (op, element, kind) in [
        (Op::Product, Element::U32, Kind::Random),
        (Op::Product, Element::F32, Kind::Random),
        (Op::Min, Element::F32, Kind::Nan),
        (Op::Max, Element::I32, Kind::Random),
        (Op::Max, Element::F16, Kind::Extremes),
        (Op::Min, Element::F64, Kind::Random),
    ] {
        Case { op, element, kind, is_exclusive: true, ..SUMS }.check(gpu);
    }
}

#[test]
fn prefixes_of_lengths_around_tiles() {
    let gpu = gpu();
    for (len, offset) in
        [(0, 0), (1, 4), (3, 0), (4, 8), (4095, 0), (4096, 12), (4097, 4), (8192, 0), (8193, 0)]
    {
        Case { element: Element::I32, len, offset, is_exclusive: len % 3 == 0, ..SUMS }.check(gpu);
    }
}

#[test]
fn prefixes_of_rows() {
    let gpu = gpu();
    let shapes = [(1, 5000), (2, 4100), (3, 3000), (7, 1700), (100, 123), (4096, 3), (5000, 3), (9999, 1)];
    for (nth, (row, rows)) in shapes.into_iter().enumerate() {
        let is_exclusive = nth % 2 == 1;
        let len = row * rows;
        Case { element: Element::U32, len, row: Some(row), is_exclusive, offset: 4, ..SUMS }.check(gpu);
    }
}

/// Workgroups of sixteen invocations need states of states of states, and short bindings a dozen windows.
#[test]
fn prefixes_on_a_small_device() {
    let small = with_few_invocations(1 << 15);
    let long = Case { len: 99_995, offset: 12, ..SUMS };
    let counts = Case { element: Element::U32, is_exclusive: true, ..long };
    for case in [long, Case { row: Some(7), ..counts }, Case { row: Some(14_285), ..counts }] {
        case.check(&small);
    }
    Case { element: Element::F16, len: 100_003, offset: 2, ..long }.check(&small);
}

/// The last number that is not zero: `combine` is associative, and does not commute.
#[test]
fn operators_need_not_commute_on_every_adapter() {
    const LAST: &str = "
    alias Acc = u32;
    fn map(elem: Elem, index: u32) -> Acc { return elem.value; }
    fn identity() -> Acc { return 0u; }
    fn combine(a: Acc, b: Acc) -> Acc { return select(b, a, b == 0u); }
    fn finish(acc: Acc, n: u32) -> vec2<u32> { return vec2(acc, n); }
    struct Elem { value: u32, other: u32, another: u32 }
    ";
    let gpu = gpu();
    let last = Monoid::custom_struct("last", 12, Arity::One, LAST).unwrap();
    let scan = Scan::new(last).unwrap().on(&gpu.device).unwrap();
    let elements: Vec<[u32; 3]> = (0..9000).map(|i| [if i % 500 < 3 { i } else { 0 }, 7, 7]).collect();
    let got = gpu.clean(|| run(gpu, &scan, bytemuck::cast_slice(&elements), 12, 8 * 9000));
    let got: Vec<[u32; 2]> = bytemuck::pod_collect_to_vec(&got);
    for (i, got) in (0..9000u32).zip(got) {
        let last = if i % 500 < 3 { i } else { i / 500 * 500 + 2 };
        assert_eq!(got, [last, i + 1], "{i}");
    }
}

/// Segments of every length, of which some are empty, over windows and over states of states. Indices and numbers count in the segment.
#[test]
fn prefixes_of_segments() {
    const COUNTED: &str = "
    struct Acc { sum: u32, index: u32 }
    fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, index); }
    fn identity() -> Acc { return Acc(0u, 0u); }
    fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, max(a.index, b.index)); }
    fn finish(acc: Acc, n: u32) -> vec3<u32> { return vec3(acc.sum, acc.index, n); }
    ";
    let small = with_few_invocations(1 << 15);
    let mut random = Random::new(6);
    let longest = [1, 2, 3, 5, 40, 300, 20_000];
    let lens = (0..300).map(|nth| random.next() as usize % (longest[nth % longest.len()] + 1));
    let lens: Vec<usize> = [7].into_iter().chain(lens).collect();
    let ends = lens.iter().scan(0, |end, len| {
        *end += len;
        Some(*end as u32)
    });
    let counted = Monoid::custom("counted", Element::U32, Arity::One, COUNTED).unwrap();
    let scan = Scan::new(counted).unwrap().segment_offsets(ends).on(&small.device).unwrap();
    let elements: Vec<u32> = (0..lens.iter().sum::<usize>()).map(|_| random.next() as u32).collect();
    let size = 16 * elements.len() as u64;
    let got = small.clean(|| run(&small, &scan, bytemuck::cast_slice(&elements), 4, size));
    let mut got = bytemuck::pod_collect_to_vec::<u8, [u32; 4]>(&got).into_iter();
    let mut elements = elements.iter();
    for (number, len) in lens.iter().enumerate() {
        let mut sum = 0u32;
        for (at, element) in (0u32..).zip(elements.by_ref().take(*len)) {
            sum = sum.wrapping_add(*element);
            assert_eq!(got.next().unwrap()[..3], [sum, at, at + 1], "{at} of {number}");
        }
    }
}

#[test]
fn running_means_count_in_their_row() {
    let gpu = gpu();
    let scan = Scan::new(Op::Mean.over(Element::U32).unwrap()).unwrap().rows(5).on(&gpu.device).unwrap();
    let elements: Vec<u32> = (0..20).map(|i| 2 * (i % 5)).collect();
    let got = run(gpu, &scan, bytemuck::cast_slice(&elements), 0, 80);
    let means = Op::Mean.read(Element::U32, &got);
    for (i, mean) in means.into_iter().enumerate() {
        assert_eq!(mean, Scalar::One(Value::F32((i % 5) as f32)));
    }
}

/// Parts of any lengths have the prefixes of all elements: what goes on is the accumulator, of which the result is a part.
#[test]
fn parts_go_on_where_others_have_ended() {
    const DIGITS: &str = "
    alias Acc = vec2<u32>;
    fn map(elem: u32, index: u32) -> Acc { return Acc(10u, elem); }
    fn identity() -> Acc { return Acc(1u, 0u); }
    fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.x * b.x, a.y * b.x + b.y); }
    fn finish(acc: Acc, n: u32) -> u32 { return acc.y; }
    ";
    let elements: Vec<u32> = (0..30_000).map(|i| i * i % 11).collect();
    let all = elements.iter().scan(0u32, |sum, x| {
        *sum = sum.wrapping_mul(10).wrapping_add(*x);
        Some(*sum)
    });
    let all: Vec<u32> = all.collect();
    for gpu in [gpu(), &with_few_invocations(1 << 15)] {
        let digits = Monoid::custom("digits", Element::U32, Arity::One, DIGITS).unwrap();
        let scan = Scan::new(digits).unwrap().continuing().on(&gpu.device).unwrap();
        let (state, mut at) = (room(gpu, 8), 0);
        // Twice, as the second time begins anew. Parts are bound apart from each other, and have their states in common.
        for len in [0, 1, 4096, 9000, 0, 1, 4095, 12_289, 3] {
            at = if len == 0 { 0 } else { at };
            let input = Input::new(gpu, &elements[at..at + len]);
            let output = room(gpu, 4 * len as u64 + 4);
            gpu.clean(|| {
                let prepared = scan.of(&input).into_each([&output, &state]).unwrap();
                in_one_pass(gpu, |pass| prepared.encode_in_pass(pass));
            });
            let results = words(&read(gpu, &output)[..4 * len]);
            assert_eq!(results, all[at..at + len], "{len} elements from {at} on");
            at += len;
        }
    }
}

/// Rows and segments begin anew in each part, and the state is that of the last one: also behind a tile that is not full.
#[test]
fn parts_of_rows_leave_the_state_of_the_last() {
    let gpu = gpu();
    let elements: Vec<u32> = (1..=9000).collect();
    let sums = Scan::new(Op::Sum.over(Element::U32).unwrap()).unwrap().continuing();
    let segments = sums.clone().segment_offsets([30, 4090, 8950]);
    let range = BufferRange { offset: 0, len: 9000 };
    let scratch = segments.scratch(range, &wgpu::Limits::default()).unwrap();
    assert!(
        scratch.iter().all(|(_, size, contents)| *size >= 4 * contents.len().max(1) as u64),
        "{scratch:?}"
    );
    for (scan, last) in [(sums.rows(40), 40), (segments, 50)] {
        let scan = scan.on(&gpu.device).unwrap();
        let input = Input::new(gpu, &elements);
        let got = gpu.clean(|| {
            // The second part has nothing of the first.
            written(gpu, [36_000, 4], |outputs| scan.of(&input).into_each(outputs))
        });
        let got = [words(&got[0]), words(&got[1])].concat();
        let sum: u32 = elements[9000 - last..].iter().sum();
        assert_eq!(got[8999..], [sum, sum], "the last {last}");
        assert_eq!(got[..2], [1, 3]);
    }
}
