//! Prefixes against running results on the CPU, and selections against a filter.

use std::sync::Arc;

use halofold::reduce::reference::{Expected, reduce, running};
use halofold::reduce::{Accuracy, Arity, Monoid, Op};
use halofold::scan::{Outputs, Progress, Scan};
use halofold::select::Select;
use halofold::{Compiled, Cut, Element, Error, Options, Planned};

use crate::common::{
    Gpu, Kind, Random, compile, data, gpu, in_one_pass, is_poison, is_sampled, read, right, room,
    with_few_invocations,
};
use crate::cut;
use crate::inputs::{Input, WAYS, words, written};

/// The bytes of all results.
pub fn run(gpu: &Gpu, scan: &Compiled<Scan>, cut: Cut, elements: &[u8], offset: u64, size: u64) -> Vec<u8> {
    let input = Input::at(gpu, elements, offset);
    written(gpu, [size], |outputs| scan.of(&input).cut(cut.clone()).bind(outputs[0])).remove(0)
}

/// Judges every prefix of rows of a length, whose results `expected` gives. The input begins at a byte.
pub fn judge(
    gpu: &Gpu,
    (scan, op, element): (Scan, Op, Element),
    bytes: &[u8],
    (row, cut): (usize, Cut),
    offset: u64,
    expected: impl Fn(&[u8]) -> Vec<Expected>,
) {
    let what = format!("{scan:?}, {} bytes from {offset} on", bytes.len());
    let scan = match compile(&gpu.device, scan) {
        Err(missing @ Error::Feature(_)) => return println!("{op} of {element} not run: {missing}"),
        made => made.unwrap(),
    };
    let len = bytes.len() as u64 / element.size();
    let size = len * op.over(element).unwrap().out_size();
    let results = op.read(element, &gpu.clean(|| run(gpu, &scan, cut, bytes, offset, size)));
    let depth = scan.operation().depth(len, &gpu.device.limits());
    assert_eq!(results.len() as u64, len);
    let expected = bytes.chunks(row * element.size() as usize).flat_map(expected);
    for (at, (expected, got)) in expected.zip(results).enumerate() {
        right(expected.judge(got, depth)).unwrap_or_else(|wrong| panic!("{what}, {at}: {wrong}"));
    }
}

/// An operator, and a kind of data.
type Of = (Op, Element, Kind);

/// Judges prefixes of some elements, in rows or in one.
fn check(
    gpu: &Gpu,
    (op, element, kind): Of,
    len: usize,
    row: Option<usize>,
    is_exclusive: bool,
    offset: u64,
) {
    let scan = Scan::new(op.over(element).unwrap());
    let scan = if is_exclusive { scan.exclusive() } else { scan };
    let cut = row.map_or(Cut::All, |row| Cut::Rows(row as u64));
    let row = (row.unwrap_or(len.max(1)), cut);
    let expected = |row: &[u8]| running(op, element, Accuracy::Fast, is_exclusive).unwrap()(row);
    judge(gpu, (scan, op, element), data(kind, op, element, len, 3).bytes(), row, offset, expected);
}

const fn sums(element: Element) -> Of {
    (Op::Sum, element, Kind::Random)
}

#[test]
fn prefixes_of_every_type_length_and_row() {
    let gpu = gpu();
    Element::ALL.into_iter().for_each(|element| check(gpu, sums(element), 10_000, None, false, 0));
    for of in [
        (Op::Product, Element::U32, Kind::Random),
        (Op::Product, Element::F32, Kind::Random),
        (Op::Min, Element::F32, Kind::Nan),
        (Op::Max, Element::I32, Kind::Random),
        (Op::Max, Element::F16, Kind::Extremes),
        (Op::Min, Element::F64, Kind::Random),
    ] {
        check(gpu, of, 10_000, None, true, 0);
    }
    // Around tiles.
    let lens = [0, 1, 3, 4, 4095, 4096, 4097, 8191, 8192, 8193, 16_383, 16_385];
    for (len, offset) in lens.into_iter().zip([0, 4, 0, 8, 0, 12, 4, 0, 0, 0, 4, 0]) {
        check(gpu, sums(Element::I32), len, None, len % 3 == 0, offset);
    }
    let rows = [(1, 5000), (2, 4100), (3, 3000), (7, 1700), (100, 123), (4096, 3), (5000, 3), (9999, 1)];
    for (nth, (row, rows)) in rows.into_iter().enumerate() {
        check(gpu, sums(Element::U32), row * rows, Some(row), nth % 2 == 1, 4);
    }
}

/// Workgroups of sixteen invocations have many tiles, and short bindings a dozen windows.
#[test]
fn prefixes_on_a_small_device() {
    let small = &with_few_invocations(1 << 15);
    check(small, sums(Element::F32), 99_995, None, false, 12);
    check(small, sums(Element::U32), 99_995, Some(7), true, 12);
    check(small, sums(Element::U32), 99_995, Some(14_285), true, 12);
    check(small, sums(Element::F16), 100_003, None, false, 2);
}

/// The sums of elements and those before them.
fn sums_up_to(elements: &[u32]) -> impl Iterator<Item = u32> {
    elements.iter().scan(0u32, |sum, element| {
        *sum = sum.wrapping_add(*element);
        Some(*sum)
    })
}

/// Workgroups compute what is missing: sums of tiles, and prefixes of blocks. The input has four blocks.
#[test]
fn missing_sums_are_computed_on_every_adapter() {
    let small = with_few_invocations(1 << 16);
    let elements: Vec<u32> = (0..400_000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let sums = Scan::new(Op::Sum.over(Element::U32).unwrap());
    let input = Input::new(&small, &elements);
    // The same dispatch many times: each finds the links as the one before has left them.
    let output = room(&small, 4 * elements.len() as u64);
    for &progress in &WAYS[1..] {
        let scan = small.compile(sums.clone().with_progress(progress));
        for (cut, row) in [(Cut::All, 400_000), (Cut::Rows(400_000), 400_000), (Cut::Rows(200_000), 200_000)]
        {
            let expected: Vec<u32> = elements.chunks(row).flat_map(sums_up_to).collect();
            let bound = scan.of(&input).cut(cut.clone()).bind(&output).unwrap();
            for turn in 0..4 {
                small.clean(|| {
                    in_one_pass(&small, |pass| (0..=turn).for_each(|_| bound.encode_in_pass(pass)))
                });
                assert!(words(&read(&small, &output)) == expected, "{progress:?}, {cut:?}, turn {turn}");
            }
            // Tiles and prefixes that were computed for others.
            let counts = &words(&read(&small, &bound.memory()[0]))[..2];
            assert!(progress != Progress::Reversed || !counts.contains(&0), "{counts:?}");
        }
    }
}

/// Sums of floats have the same bits in 1000 runs under load, 100 in the sample. A quarter of the runs wait for missing sums, and each of the others
/// goes on in another way.
#[test]
fn sums_of_floats_have_the_same_bits_under_load_on_every_adapter() {
    let small = with_few_invocations(1 << 20);
    let elements = data(Kind::Random, Op::Sum, Element::F32, 150_000, 5);
    let input = Input::at(&small, elements.bytes(), 0);
    let outputs: Vec<_> = (0..10).map(|_| room(&small, 600_000)).collect();
    let mut first = None;
    // Two threads take the processor until the test ends, or fails.
    let running = Arc::new(());
    for _ in 0..2 {
        let running = Arc::downgrade(&running);
        std::thread::spawn(move || while running.strong_count() > 0 {});
    }
    let turns = if is_sampled() { 3 } else { 25 };
    let sums = Scan::new(Op::Sum.over(Element::F32).unwrap());
    for progress in WAYS {
        let scan = small.compile(sums.clone().with_progress(progress));
        let bound: Vec<_> = outputs.iter().map(|output| scan.of(&input).bind(output).unwrap()).collect();
        for turn in 0..turns {
            small.clean(|| {
                in_one_pass(&small, |pass| bound.iter().for_each(|bound| bound.encode_in_pass(pass)))
            });
            for output in &outputs {
                let got = read(&small, output);
                assert!(got == *first.get_or_insert_with(|| got.clone()), "{progress:?}, turn {turn}");
            }
        }
    }
}

/// The prefixes of elements, added up in the order of a plan with subgroups off: 32 elements by an invocation, and four sums in each step of a workgroup.
fn in_order(elements: &[f32], [workgroup, block]: [usize; 2]) -> Vec<f32> {
    let through = |mut sums: Vec<f32>| {
        for d in (0..).map(|step| 4usize.pow(step)).take_while(|d| *d < workgroup) {
            let last = sums.clone();
            let add =
                |sum: &mut f32, lid| (1..4).filter(|k| k * d <= lid).for_each(|k| *sum += last[lid - k * d]);
            sums.iter_mut().enumerate().for_each(|(lid, sum)| add(sum, lid));
        }
        sums
    };
    let (mut tiles, mut results, mut prefix, each) = (Vec::new(), Vec::new(), 0.0, block / workgroup);
    for (number, tile) in elements.chunks(32 * workgroup).enumerate() {
        let of_invocation = |lid| tile.iter().skip(32 * lid).take(32).fold(0.0, |sum, x| sum + x);
        let sums = through((0..workgroup).map(of_invocation).collect());
        let of_tiles = |lid: usize| {
            let all = (0..each).filter_map(|k| (number + lid * each + k).checked_sub(block));
            let in_block = all.filter(|of| of / block == number / block).filter_map(|of| tiles.get(of));
            in_block.fold(0.0, |sum, x| sum + x)
        };
        let before = prefix + through((0..workgroup).map(of_tiles).collect())[workgroup - 1];
        for (lid, own) in tile.chunks(32).enumerate() {
            let first = before + if lid > 0 { sums[lid - 1] } else { 0.0 };
            results.extend(own.iter().scan(first, |sum, x| {
                *sum += x;
                Some(*sum)
            }));
        }
        tiles.push(sums[workgroup - 1]);
        prefix = if (number + 1) % block == 0 { before + sums[workgroup - 1] } else { prefix };
    }
    results
}

#[test]
fn sums_of_floats_have_the_bits_of_their_order_on_every_adapter() {
    let (small, off) = (with_few_invocations(1 << 20), Options::default().with_subgroups(false));
    let text =
        "struct Elem { x: f32 } alias Acc = f32; fn map(elem: Elem, index: u32) -> f32 { return elem.x; }
        fn identity() -> f32 { return 0.0; } fn combine(a: f32, b: f32) -> f32 { return a + b; }
        fn finish(acc: f32, n: u32) -> f32 { return acc; }";
    let scan = Scan::new(Monoid::custom_struct("sum", 4, Arity::One, text).unwrap());
    let kernels = scan.kernels(Cut::All, wgpu::Features::empty(), &small.device.limits()).unwrap();
    let size = |name| kernels[0].overrides.iter().find(|(own, _)| *own == name).unwrap().1 as usize;
    let elements = data(Kind::Random, Op::Sum, Element::F32, 150_000, 5);
    let expected = in_order(bytemuck::cast_slice(elements.bytes()), ["WG", "BLOCK"].map(size));
    let bits_of = |scan: &Scan, options| {
        let scan = Compiled::new(&small.device, scan.clone(), options).unwrap();
        words(&small.clean(|| run(&small, &scan, Cut::All, elements.bytes(), 0, 600_000)))
    };
    for progress in WAYS {
        let got = bits_of(&scan.clone().with_progress(progress), &off);
        assert!(got == bytemuck::cast_slice::<_, u32>(&expected), "{progress:?}");
    }
    // Integers have the same bits by subgroup operations and without.
    let sums = Scan::new(Op::Sum.over(Element::U32).unwrap());
    assert!(bits_of(&sums, &Options::default()) == bits_of(&sums, &off));
}

/// Decimal digits of a number, of which it keeps the last, the index, and the number of elements: it is associative, and does not commute.
const DIGITS: &str = "
    struct Acc { power: u32, digits: u32, index: u32 }
    fn map(elem: Elem, index: u32) -> Acc { return Acc(10u, value(elem), index); }
    fn identity() -> Acc { return Acc(1u, 0u, 0u); }
    fn combine(a: Acc, b: Acc) -> Acc {
        return Acc(a.power * b.power, a.digits * b.power + b.digits, max(a.index, b.index));
    }
    fn finish(acc: Acc, n: u32) -> vec3<u32> { return vec3(acc.digits, acc.index, n); }
";

/// The operator of elements of one word.
fn digits() -> Scan {
    let text = format!("fn value(elem: u32) -> u32 {{ return elem; }} {DIGITS}");
    Scan::new(Monoid::custom("digits", Element::U32, Arity::One, &text).unwrap())
}

/// What it makes of segments of some lengths.
fn expected(elements: &[u32], lens: &[usize]) -> Vec<[u32; 3]> {
    let mut elements = elements.iter();
    let mut of = |len: usize| -> Vec<_> {
        let next = |digits: &mut u32, (at, element): (u32, &u32)| {
            *digits = digits.wrapping_mul(10).wrapping_add(*element);
            Some([*digits, at, at + 1])
        };
        (0..).zip(elements.by_ref().take(len)).scan(0, next).collect()
    };
    lens.iter().flat_map(|len| of(*len)).collect()
}

/// A vector of three numbers has padding.
fn vectors(bytes: &[u8]) -> Vec<[u32; 3]> {
    words(bytes).chunks_exact(4).map(|four| [four[0], four[1], four[2]]).collect()
}

#[test]
fn operators_need_not_commute_on_every_adapter() {
    let text = "struct Elem { other: u32, value: u32, another: u32 }
        fn value(elem: Elem) -> u32 { return elem.value; }";
    let digits = Monoid::custom_struct("digits", 12, Arity::One, &(text.to_owned() + DIGITS)).unwrap();
    let scan = gpu().compile(Scan::new(digits));
    let values: Vec<u32> = (0..9000).map(|i| i * i % 11).collect();
    let elements: Vec<[u32; 3]> = values.iter().map(|value| [7, *value, 7]).collect();
    let got = gpu().clean(|| run(gpu(), &scan, Cut::All, bytemuck::cast_slice(&elements), 12, 16 * 9000));
    assert_eq!(vectors(&got), expected(&values, &[9000]));
}

/// Rows, and segments of every length, empty segments too, across windows and blocks of tiles. `index` and `n` count in each.
#[test]
fn prefixes_of_segments() {
    let small = with_few_invocations(1 << 16);
    let mut random = Random::new(6);
    let longest = [1, 2, 3, 5, 40, 300, 20_000];
    let lens = (0..300).map(|nth| random.next() as usize % (longest[nth % longest.len()] + 1));
    let lens: Vec<usize> = [7].into_iter().chain(lens).collect();
    let ends = cut::Cut::of_lengths(0, lens.iter().copied(), 0).offsets.split_off(1);
    let [waiting, computing] =
        [digits(), digits().with_progress(Progress::Reversed)].map(|scan| small.compile(scan));
    for (cut, lens) in [(Cut::Segments(ends.into()), lens), (Cut::Rows(5), vec![5; 2000])] {
        let elements: Vec<u32> = (0..lens.iter().sum::<usize>()).map(|_| random.next() as u32).collect();
        let size = 16 * elements.len() as u64;
        for scan in [&waiting, &computing] {
            let cut = cut.clone();
            let got = small.clean(|| run(&small, scan, cut, bytemuck::cast_slice(&elements), 4, size));
            assert!(vectors(&got) == expected(&elements, &lens), "segments of {lens:?}");
        }
    }
}

/// Parts of any lengths have the prefixes of all elements: what goes on is the accumulator, of which the result is a part.
#[test]
fn parts_go_on_where_others_have_ended() {
    let elements: Vec<u32> = (0..30_000).map(|i| i * i % 11).collect();
    let all = expected(&elements, &[elements.len()]);
    for gpu in [gpu(), &with_few_invocations(1 << 15)] {
        let scan = gpu.compile(digits().continuing());
        let (state, mut at) = (room(gpu, scan.operation().state_size()), 0);
        // Twice, and the second time from the start. Parts are bound apart from each other, and have their states in common.
        for len in [0, 1, 4096, 9000, 0, 1, 4095, 12_289, 3] {
            at = if len == 0 { 0 } else { at };
            let input = Input::new(gpu, &elements[at..at + len]);
            let output = room(gpu, 16 * len as u64 + 4);
            gpu.clean(|| {
                let prepared = scan.of(&input).bind(Outputs { prefixes: &output, state: &state }).unwrap();
                in_one_pass(gpu, |pass| prepared.encode_in_pass(pass));
            });
            let got = vectors(&read(gpu, &output)[..16 * len]).into_iter().map(|[digits, ..]| digits);
            assert!(got.eq(all[at..at + len].iter().map(|of| of[0])), "{len} elements from {at} on");
            at += len;
        }
    }
}

/// Parts of several blocks of tiles.
#[test]
fn parts_go_on_behind_blocks_of_tiles() {
    let small = with_few_invocations(1 << 20);
    let scan = small.compile(Scan::new(Op::Sum.over(Element::U32).unwrap()).continuing());
    let state = room(&small, scan.operation().state_size());
    let elements: Vec<u32> = (0..300_000u32).map(|i| i.wrapping_mul(i)).collect();
    let mut expected = sums_up_to(&elements);
    for part in [&[][..], &elements[..150_000], &elements[150_000..299_997], &elements[299_997..]] {
        let (input, output) = (Input::new(&small, part), room(&small, 4 * part.len() as u64 + 4));
        let bound = scan.of(&input).bind(Outputs { prefixes: &output, state: &state }).unwrap();
        small.clean(|| in_one_pass(&small, |pass| bound.encode_in_pass(pass)));
        let got = &words(&read(&small, &output))[..part.len()];
        assert!(got.iter().copied().eq(expected.by_ref().take(got.len())), "{} elements", got.len());
    }
}

/// Rows and segments begin in each part, and the state is that of the last one: also behind a tile that is not full.
#[test]
fn parts_of_rows_write_the_last_rows_state() {
    let gpu = gpu();
    let elements: Vec<u32> = (1..=9000).collect();
    let scan = gpu.compile(Scan::new(Op::Sum.over(Element::U32).unwrap()).continuing());
    let segments = Cut::Segments([30, 4090, 8950].into());
    let cuts =
        [(Cut::Rows(40), vec![40; 225]), (Cut::Rows(9000), vec![9000]), (segments, vec![30, 4060, 4860, 50])];
    for (cut, lens) in cuts {
        let input = Input::new(gpu, &elements);
        // The second part has nothing of the first.
        let got = gpu.clean(|| {
            written(gpu, [36_000, 4], |outputs| {
                let outputs = Outputs { prefixes: outputs[0], state: outputs[1] };
                scan.of(&input).cut(cut.clone()).bind(outputs)
            })
        });
        let (prefixes, state) = (words(&got[0]), words(&got[1]));
        let mut begin = 0;
        for len in lens {
            let sums = sums_up_to(&elements[begin..begin + len]);
            assert!(prefixes[begin..begin + len].iter().copied().eq(sums), "{cut:?}, from {begin} on");
            begin += len;
        }
        assert_eq!(state[0], prefixes[8999], "{cut:?}");
    }
}

/// The text of a function that keeps some elements.
fn keeping(condition: &str) -> String {
    format!("fn keep(elem: Elem, index: u32) -> bool {{ return {condition}; }}")
}

/// Checks what is kept of elements of some bytes each: those for which `keeps` holds, or their indices.
fn check_kept(gpu: &Gpu, select: Select, elements: &[u8], size: usize, keeps: impl Fn(usize, &[u8]) -> bool) {
    for as_indices in [false, true] {
        let select = if as_indices { select.clone().indices() } else { select.clone() };
        let select = match compile(&gpu.device, select) {
            Err(missing @ Error::Feature(_)) => return println!("not run: {missing}"),
            made => made.unwrap(),
        };
        let number = elements.len() / size;
        let kept_size = if as_indices { 4 } else { size };
        let kept = elements.chunks(size).zip(0u32..).filter(|(element, at)| keeps(*at as usize, element));
        let item = |(element, at): (&[u8], u32)| {
            if as_indices { at.to_ne_bytes().to_vec() } else { element.to_vec() }
        };
        let expected: Vec<u8> = kept.flat_map(item).collect();
        let room_for = (number.max(1) * kept_size).next_multiple_of(4) as u64;
        let input = Input::at(gpu, elements, size as u64);
        let found = gpu.clean(|| {
            written(gpu, [room_for, 4], |outputs| {
                select.of(&input).bind(halofold::select::Outputs { kept: outputs[0], count: outputs[1] })
            })
        });
        let (kept, count) = (&found[0], words(&found[1])[0] as usize);
        assert_eq!(count, expected.len() / kept_size, "{number} elements of {size} bytes");
        assert!(kept[..expected.len()] == expected, "{number} elements of {size} bytes");
        let mut behind = kept.iter().enumerate().skip(expected.len());
        assert!(behind.all(|(at, byte)| is_poison(at, *byte)), "it wrote behind what is kept");
    }
}

fn random_words(len: usize) -> Vec<u32> {
    let mut random = Random::new(len as u64);
    (0..len).map(|_| random.next() as u32).collect()
}

fn word(element: &[u8]) -> u32 {
    bytemuck::pod_read_unaligned(element)
}

/// Lengths around tiles.
#[test]
fn some_all_or_no_elements_are_kept_on_every_adapter() {
    type Keeps = fn(usize, &[u8]) -> bool;
    let rows: [(_, &[usize], Keeps); 3] = [
        ("elem < 0x40000000u || index < 3u", &[0, 1, 3, 4, 4096, 4097, 20_000], |at, element| {
            word(element) < 1 << 30 || at < 3
        }),
        ("true", &[9000], |_, _| true),
        ("elem != elem", &[9000], |_, _| false),
    ];
    for (condition, lens, keeps) in rows {
        let select = Select::new(Element::U32, &keeping(condition)).unwrap();
        for len in lens {
            check_kept(gpu(), select.clone(), bytemuck::cast_slice(&random_words(*len)), 4, keeps);
        }
    }
}

#[test]
fn selections_of_every_type() {
    for element in Element::ALL {
        let elements = data(Kind::Random, Op::Sum, element, 10_001, 5);
        // Every type has these operators.
        let select = Select::new(element, &keeping("elem > Elem(0) && index % 3u != 1u")).unwrap();
        let value = |bytes: &[u8]| reduce(Op::Max, element, bytes, None).unwrap().answer.value().unwrap();
        let keeps = |at: usize, bytes: &[u8]| at % 3 != 1 && value(bytes).as_f64() > 0.0;
        check_kept(gpu(), select, elements.bytes(), element.size() as usize, keeps);
    }
}

/// Structs, several windows, and several blocks of tiles.
#[test]
fn selections_on_a_small_device() {
    let small = with_few_invocations(1 << 20);
    let points = random_words(3 * 80_000);
    const INSIDE: &str = "struct Elem { x: u32, y: u32, z: u32 }
    fn keep(elem: Elem, index: u32) -> bool { return elem.x > elem.y; }";
    let select = Select::custom_struct(12, INSIDE).unwrap();
    let keeps = |_, point: &[u8]| word(&point[..4]) > word(&point[4..8]);
    check_kept(&small, select, bytemuck::cast_slice(&points), 12, keeps);
}

/// Counts that others have not published, over 782 tiles in four blocks: Mesa 22 ends loops before a workgroup has computed some 1300.
#[test]
fn missing_counts_are_computed_on_every_adapter() {
    let small = with_few_invocations(1 << 21);
    let elements = random_words(200_000);
    let select = Select::new(Element::U32, &keeping("elem % 3u == index % 3u")).unwrap();
    let keeps = |at, element: &[u8]| word(element) as usize % 3 == at % 3;
    for progress in WAYS {
        check_kept(&small, select.clone().with_progress(progress), bytemuck::cast_slice(&elements), 4, keeps);
    }
}

/// Inputs whose invocations have more elements.
#[test]
fn selections_of_long_inputs() {
    use Progress::{Computing, Usual};
    for (len, nth, progress) in [(4_012_345, 3, Computing), (4_012_345, 3, Usual), (1 << 25, 61, Usual)] {
        let select = Select::new(Element::U32, &keeping(&format!("elem % {nth}u == 0u"))).unwrap();
        let keeps = |_, element: &[u8]| word(element).is_multiple_of(nth);
        check_kept(gpu(), select.with_progress(progress), bytemuck::cast_slice(&random_words(len)), 4, keeps);
    }
}

#[test]
fn kept_elements_are_values() {
    let gpu = gpu();
    let input = Input::new(gpu, &[1.5f32, -2.0, 0.25, -8.0]);
    let select = gpu.compile(Select::new(Element::F32, &keeping("elem < 0.0")).unwrap());
    assert_eq!(select.of(&input).run::<f32>(&gpu.queue).unwrap(), [-2.0, -8.0]);
    assert!(select.of(&input).len(0).run::<f32>(&gpu.queue).unwrap().is_empty());
    let error = select.of(&input).run::<u32>(&gpu.queue).unwrap_err();
    assert_eq!(error.to_string(), "`select` gives f32, not u32");
}
