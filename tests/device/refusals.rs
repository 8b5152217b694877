//! Wrong requests: each an error value that says in certain words what is wrong, and no complaint of wgpu.

#[path = "refusals/pictures.rs"]
mod on_every_adapter;

use std::fmt::{Debug, Display};

use halofold::group::{Group, GroupById, GroupByKey, Outputs, Pairs, ReduceRuns, Run, RunLengths};
use halofold::histogram::{Histogram, Keys, Map, Method};
use halofold::rank::{Quantiles, Ranked, TopK};
use halofold::reduce::{BufferRange, Op};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::{self, Features, Limits};
use halofold::{Cut, DispatchArguments, Element, Planned, Slice, Value};

use crate::common::{Gpu, buffer, cautious, compile, gpu, limited, room};
use crate::inputs::Input;

/// The message of an error.
fn said<T>(result: Result<T, impl std::fmt::Display>) -> String {
    result.err().map_or_else(|| "nothing was refused".to_owned(), |error| error.to_string())
}

/// Checks each error's kind, as `Debug` writes it (`Setting(accuracy,` for a setting), and the words of its text, between semicolons.
#[track_caller]
pub fn check<E: Debug + Display, W: AsRef<str>>(refusals: impl IntoIterator<Item = (E, &'static str, W)>) {
    for (number, (error, kind, words)) in refusals.into_iter().enumerate() {
        let (text, found) = (error.to_string(), format!("{error:?}"));
        let found = found.replace("SettingError { name: ", "").replace('"', "");
        assert!(found.starts_with(kind), "refusal {number} is {found}, not {kind}");
        for word in words.as_ref().split("; ") {
            assert!(text.contains(word), "refusal {number}: `{word}` is not in: {text}");
        }
    }
}

/// Checks messages alone, and that the validation layers had none.
#[track_caller]
fn check_messages<const N: usize>(rows: [(String, &'static str); N]) {
    gpu().clean(|| ());
    check(rows.map(|(message, words)| (message, "", words)));
}

#[test]
fn histograms() {
    let gpu @ Gpu { device, .. } = gpu();
    let made = |keys, bins| said(compile(device, Histogram::new(keys, bins)));
    let numbers = |bins| made(Keys::Numbers, bins);
    let range = |low, high| made(Keys::Ranges { low, high }, 10);
    let levels = |levels: &[f32]| made(Keys::Levels(levels.into()), 2);
    let finite = "both must be finite, and the first less than the second";
    let config = Histogram::new(Keys::Numbers, 1000);
    let tuning = config.tuning_on(&device.limits());
    let tuned = |tuning| said(compile(device, config.clone().with_tuning(tuning)));
    let with = |copies, slices| tuned(tuning.with_method(Method::Workgroup { copies, slices, merge: false }));
    let histogram = compile(device, Histogram::new(Keys::Numbers, 100)).unwrap();
    let keys = &buffer(gpu, &[1; 4 * 1000], wgpu::BufferUsages::STORAGE);
    let counts = &buffer(gpu, &[0; 4 * 400], wgpu::BufferUsages::STORAGE);
    let other = &buffer(gpu, &[0; 4 * 1000], wgpu::BufferUsages::COPY_SRC);
    let bound = |input: &wgpu::Buffer, offset, len: u64, output: Slice<'_>| {
        said(histogram.of(Slice::new(input, offset, 4 * len)).bind(output))
    };
    let from = |offset, len| bound(keys, offset, len, counts.into());
    let to = |output| bound(keys, 0, 10, output);
    let end = u64::MAX - 3;
    check_messages([
        (numbers(0), " of 0: it can be 1 to 65536"),
        (numbers(65_537), " of 65537: it can be 1 to 65536"),
        (range(1.0, 1.0), finite),
        (range(2.0, 1.0), finite),
        (range(0.0, -0.0), finite),
        (range(f32::NAN, 1.0), finite),
        (range(0.0, f32::NAN), finite),
        (range(f32::NEG_INFINITY, 0.0), finite),
        (range(0.0, f32::INFINITY), finite),
        (levels(&[0.0, 1.0]), "2 levels for 2 bins"),
        (levels(&[0.0, 2.0, 1.0]), "none below the one before"),
        (levels(&[0.0, f32::NAN, 1.0]), "none NaN"),
        (made(Keys::U64Levels([1, 0].into()), 1), "none below the one before"),
        (tuned(tuning.with_workgroup_size(96)), "power of two"),
        (tuned(tuning.with_workgroup_size(32)), "64 to"),
        (tuned(tuning.with_workgroup_size(2048)), "64 to"),
        (tuned(tuning.with_max_workgroups(0)), "at least 1"),
        (with(3, 1), "power of two"),
        (with(0, 1), "power of two"),
        (with(128, 1), "power of two"),
        (with(1, 0), "slices of 0: it can be 1 to 1000"),
        (with(1, 1001), "slices of 1001: it can be 1 to 1000"),
        (with(64, 1), "max_compute_workgroup_storage_size"),
        (from(2, 10), "an input starts at byte 2: start it at a multiple of 4 bytes"),
        (from(0, 1 << 32), "4294967296 elements: one operation takes at most 4294967295"),
        (from(end, 1), "1 elements from byte 18446744073709551612 on: no buffer reaches"),
        (from(4, 1000), "the input slice needs bytes 4..4004, but ends at byte 4000"),
        (to(Slice::at(counts, 1280)), "the counts slice needs bytes 1280..1680, but ends at byte 1600"),
        (
            to(Slice::at(counts, end)),
            "the counts slice needs bytes 18446744073709551612..18446744073709551615",
        ),
        (to(Slice::new(counts, 0, 2000)), "the counts slice needs bytes 0..2000, but ends at byte 1600"),
        (said(histogram.of(keys).len(1001).plan()), "the first 1001 elements of an input that has 1000"),
        (bound(other, 0, 10, counts.into()), "the input buffer lacks BufferUsages(STORAGE)"),
        (to(other.into()), "the counts buffer lacks BufferUsages(STORAGE)"),
        (to(Slice::at(keys, 2048)), "the input and the counts are one buffer"),
        (to(Slice::at(counts, 4)), "the counts slice starts at byte 4, which is not a multiple of"),
    ]);
}

#[test]
fn histograms_on_a_small_device() {
    let small = cautious(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    let range = |high| Keys::Ranges { low: 0.0, high };
    let made = |keys, bins| said(compile(&small.device, Histogram::new(keys, bins)));
    let halves = "fn map(elem: Elem, index: u32) -> f32 { return f32(elem) * 0.5; }";
    let halves = Map::custom(Element::F64, halves).unwrap();
    let halves = Histogram::new(range(8.0), 16).with_map(halves);
    check_messages([
        (made(Keys::Numbers, 16_385), "max_storage_buffer_binding_size of 65540; has 65536; use fewer bins"),
        (made(range(1.0), 8193), "max_storage_buffer_binding_size of 65544; has 65536; use fewer bins"),
        (said(compile(&small.device, halves)), "the map needs SHADER_F64, which this device lacks"),
    ]);
}

#[test]
fn elements_of_histograms() {
    let device = &gpu().device;
    let config = Histogram::new(Keys::Numbers, 10);
    let made = |config: Histogram| said(compile(device, config));
    let custom = |text: &str| Map::custom(Element::F32, text);
    let map = |result, body| format!("fn map(elem: Elem, index: u32) -> {result} {{ {body} }}");
    let pure = "may contain only constants, types, functions";
    let mapped = |text: &str| made(config.clone().with_map(custom(text).unwrap()));
    let small = "struct Elem { x: f32 } fn map(elem: Elem, index: u32) -> f32 { return elem.x; }";
    let points = compile(device, config.clone().with_channels(3)).unwrap();
    let words = Input::new(gpu(), &[0u32; 30]);
    let many = Histogram::new(Keys::Numbers, 20_000).with_channels(4);
    check_messages([
        (made(config.clone().with_channels(0)), "channels of 0: it can be 1 to 16"),
        (made(config.clone().with_channels(17)), "channels of 17: it can be 1 to 16"),
        (made(config.clone().with_map(Map::bytes()).with_channels(3)), "it can be 4 to 4"),
        (made(many), "bins of all channels of 80000"),
        (made(config.clone().with_stride(0, 0)), "stride of 0"),
        (mapped(&map("f32", "return elem;")), "the map returns `f32`: let it return u32"),
        (said(custom(&("var<private> x: u32; ".to_owned() + &map("u32", "return x;")))), pure),
        (said(custom(&map("u32", "workgroupBarrier(); return index;"))), pure),
        (said(custom("fn map(elem: Elem) -> u32 { return 1u; }")), "fn map(f32, u32) -> u32"),
        (said(custom(&("\n".to_owned() + &map("u32", "return elem;")))), "line 2"),
        (said(custom("fn other() {}")), "lacks the function"),
        (said(Map::custom_struct(16, small)), "an element takes 4 bytes in an array, not 16"),
        (said(points.of(words.part(4, 100)).bind(&room(gpu(), 120))), "start it at a multiple of 12 bytes"),
    ]);
}

#[test]
fn groups_and_keys() {
    let Gpu { device, queue } = gpu();
    let zeros = Input::new(gpu(), &[0u32; 16]);
    let by_id = compile(device, GroupById::new(Element::F32, 10).sum().min()).unwrap();
    let ids = |element, groups| said(compile(device, GroupById::new(element, groups)));
    let of = |ids| by_id.of(Pairs { keys: ids, values: Slice::from(&zeros) });
    let room = room(gpu(), 400);
    let keys = Input::new(gpu(), &[2.5f32, -1.0, 2.5, f32::NAN]);
    let by_two = compile(device, GroupByKey::new(Element::F32, Element::U32, 2).max()).unwrap();
    let groups = |key, of, groups| said(compile(device, GroupByKey::new(key, of, groups)));
    let sums = compile(device, ReduceRuns::new(Element::U32, Op::Sum.over(Element::U32).unwrap())).unwrap();
    let dot = ReduceRuns::new(Element::U32, Op::Dot.over(Element::F32).unwrap());
    let sixteen = BufferRange { offset: 0, len: 16 };
    check_messages([
        (said(of(zeros.part(0, 60)).run::<Group<u32, f32>>(queue)), "inputs of 16 and 15 elements"),
        (said(of((&zeros).into()).bind(Outputs::new().sum(&room))), "the output `min` is missing"),
        (
            said(of((&zeros).into()).bind(Outputs::new().sum(&room).max(&room))),
            "the output `max` is not written",
        ),
        (said(of((&zeros).into()).bind(Outputs::new().len(&room))), "the output `len` is not written"),
        (ids(Element::F64, 1), "f32, u32 or i32"),
        (ids(Element::F32, 0), "groups of 0"),
        (said(compile(device, GroupById::new(Element::F32, 1))), "results of a group of 0"),
        (
            said(by_two.of(Pairs { keys: &keys, values: &keys }).run::<Group<f32, f32>>(queue)),
            "more than 2 different keys",
        ),
        (groups(Element::U64, Element::F32, 1), "f32, u32 or i32"),
        (groups(Element::U32, Element::F64, 1), "f32, u32 or i32"),
        (groups(Element::U32, Element::F32, 0), "groups of 0"),
        (said(compile(device, RunLengths::new(Element::F64))), "bytes of a key of 8"),
        (said(compile(device, dot)), "`dot`"),
        (said(sums.of(&keys).run::<Run<u32, f32>>(queue)), "give the second one"),
        (said(sums.operation().plan(Cut::All, sixteen, None, &device.limits())), "give the second one"),
    ]);
}

#[test]
fn scans_and_selections() {
    let Gpu { device, queue } = gpu();
    let scan = Scan::new(Op::Sum.over(Element::F32).unwrap());
    let dot = Scan::new(Op::Dot.over(Element::F32).unwrap());
    let parts = compile(device, scan.clone().continuing()).unwrap();
    let all = compile(device, scan.clone()).unwrap();
    let elements = Input::new(gpu(), &[0f32; 10]);
    let narrow = Limits { max_storage_buffer_binding_size: 8192, ..Limits::default() };
    let long = scan.plan(Cut::All, BufferRange { offset: 0, len: 1 << 20 }, None, &narrow);
    let small = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    let keep = |value| format!("fn keep(elem: Elem, index: u32) -> bool {{\n    return {value};\n}}");
    let select = small.compile(Select::new(Element::F32, &keep("true")).unwrap());
    check_messages([
        (said(compile(device, dot)), "one input"),
        (said(all.of(&elements).rows(3).plan()), "10 elements in rows of 3"),
        (said(all.of(&elements).segment_offsets(&[5, 4]).plan()), "segment 0 from 5 to 4, of 10 elements"),
        (said(all.of(elements.part(2, 8)).plan()), "starts at byte 2: start it at a multiple of 4"),
        (said(parts.of(&elements).run::<f32>(queue)), "give it and the prefixes"),
        (said(pollster::block_on(parts.of(&elements).run_async::<f32>(queue))), "give it and the prefixes"),
        (said(long), "max_storage_buffer_binding_size"),
        (said(Select::new(Element::F32, &keep("elem + 1.0"))), "the operator is not valid WGSL:\nline"),
        (said(select.of(&room(&small, 64)).rows(4).plan()), "neither rows nor segments"),
        (
            said(select.operation().plan(Cut::Rows(4), BufferRange { offset: 0, len: 8 }, None, &narrow)),
            "neither rows",
        ),
        (said(select.of(&room(&small, 1 << 17)).plan()), "the output needs max_storage_buffer_binding_size"),
    ]);
}

#[test]
fn ranks() {
    let Gpu { device, queue } = gpu();
    let input = Input::new(gpu(), &[0f32; 10]);
    let median = |offsets: &[u32]| {
        let median = compile(device, Quantiles::new(Element::F32, [0.5])).unwrap();
        said(median.of(&input).segment_offsets(offsets).run::<Value>(queue))
    };
    let quantiles = |number| said(compile(device, Quantiles::new(Element::F32, vec![0.5; number])));
    let long = buffer(gpu(), &[0; 1 << 20], wgpu::BufferUsages::STORAGE);
    let most = compile(device, TopK::new(Element::F32, u32::MAX)).unwrap();
    let ten = BufferRange { offset: 0, len: 10 };
    let arguments = compile(device, DispatchArguments::new(1)).unwrap();
    check_messages([
        (median(&[0, 4, 3]), "segment 1 from 4 to 3, of 10 elements"),
        (median(&[1, 11]), "segment 0 from 1 to 11"),
        (quantiles(0), "quantiles at once of 0: it can be 1 to 64"),
        (quantiles(65), "quantiles at once of 65: it can be 1 to 64"),
        (
            said(compile(device, Quantiles::new(Element::F32, [0.5, 2.0]))),
            "a quantile of 2: it can be 0 to 1",
        ),
        (said(compile(device, TopK::new(Element::F32, 0))), "k of 0: it can be at least 1"),
        (said(TopK::new(Element::F32, 0).plan(Cut::All, ten, None, &Limits::default())), "k of 0"),
        (said(TopK::new(Element::F32, 0).kernels(Cut::All, Features::empty(), &Limits::default())), "k of 0"),
        (said(compile(device, DispatchArguments::new(0))), "items of a workgroup of 0"),
        (said(arguments.of(&input).count_buffer(&long).plan()), "a count on the GPU does not go with"),
        (said(most.of(&long).run::<Ranked<Value>>(queue)), "output; max_"),
    ]);
}
