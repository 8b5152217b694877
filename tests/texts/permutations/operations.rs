//! The kernels of operations beside reductions and stencils, and the program's own.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::translate;
use halofold::group::{GroupById, GroupByKey, ReduceRuns};
use halofold::histogram::{CLEAR, COUNT, Histogram, Keys, Method as Counting, Tuning};
use halofold::rank::{Method, Quantiles, TopK};
use halofold::reduce::{Op, length_kernel};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::{Features, Limits, TextureSampleType};
use halofold::{Element, Map, Operation, pyramid};
use halofold_measure::{Form, Kernel};

use super::catalogue::generous;
use super::item::{Item, Key};
use super::operators::over;

/// Every device has that much workgroup memory, in bytes.
pub const MEMORY_EVERYWHERE: u64 = 16 << 10;

/// The row of the program's own kernels in the table of kernels and compilers.
pub const PROGRAM: &str = "the program's own";

/// Every distinct kernel of every operation, those of the program, which measure memory, and the one that applies a
/// count on the GPU.
pub fn kernels() -> Vec<Item> {
    let mut kernels = Kernels::default();
    ranks(&mut kernels);
    groups(&mut kernels);
    scans(&mut kernels);
    histograms(&mut kernels);
    pyramids(&mut kernels);
    for forms in Form::tried(&generous(), false) {
        let kernel = Kernel::from(&forms[0]);
        let name = format!("{} {:?}", kernel.entry_point, kernel.overrides);
        kernels.insert(PROGRAM, &name, 0..=MEMORY_EVERYWHERE, kernel);
    }
    let (wgsl, overrides) = length_kernel();
    let label = "length".to_owned();
    kernels.insert(
        "length",
        "a count",
        0..=MEMORY_EVERYWHERE,
        Kernel { wgsl, entry_point: "main", overrides, label },
    );
    kernels.items
}

/// Kernels, each once in each row.
#[derive(Default)]
struct Kernels {
    items: Vec<Item>,
    seen: HashSet<(String, Key)>,
}

impl Kernels {
    /// The kernels of an operation, which every device has the memory for. An empty row is the kernel's own.
    fn add(&mut self, row: &str, of: &str, operation: &impl Operation, features: Features) {
        for kernel in operation.kernels(features, &Limits::default()) {
            let own = kernel.label.trim_start_matches("halofold.").replace('.', "/");
            self.insert(if row.is_empty() { &own } else { row }, of, 0..=MEMORY_EVERYWHERE, kernel.into());
        }
    }

    fn insert(&mut self, row: &str, operation: &str, memory: RangeInclusive<u64>, kernel: Kernel) {
        let label = format!("{} of {operation}", kernel.label);
        let item = Item { memory, ..Item::new(row, label, kernel) };
        if self.seen.insert((row.to_owned(), item.key())) {
            self.items.push(item);
        }
    }
}

/// Every type, one rank and several, results that are elements and results between elements.
fn ranks(kernels: &mut Kernels) {
    let offsets = [0, 100, 5000];
    for element in Element::ALL {
        let name = |of: &str| format!("{of} of {element}");
        let quantiles = |ranks: &[f64]| Quantiles::new(element, ranks.iter().copied()).unwrap();
        let largest = |count| TopK::new(element, count).unwrap();
        for ranks in [&[0.5][..], &[0.25, 0.5, 0.75]] {
            for method in [Method::Linear, Method::Lower] {
                let of = format!("{} quantiles ({method})", ranks.len());
                kernels.add("", &name(&of), &quantiles(ranks).with_method(method), Features::all());
            }
        }
        kernels.add("", &name("a rank"), &Quantiles::nth(element, [7]), Features::all());
        kernels.add("", &name("the largest"), &largest(10), Features::all());
        kernels.add("", &name("the largest of rows"), &largest(1000).rows(1024), Features::all());
        kernels.add("", &name("a million of the largest"), &largest(1 << 20), Features::all());
        kernels.add(
            "",
            &name("the largest of segments"),
            &largest(10).segment_offsets(offsets),
            Features::all(),
        );
        kernels.add(
            "",
            &name("the median of segments"),
            &quantiles(&[0.5]).segment_offsets(offsets),
            Features::all(),
        );
        kernels.add("", &name("the smallest"), &largest(10).smallest(), Features::all());
    }
}

/// Results by id: every type, one result and all, one slice of groups and several. Runs of keys: two kinds of keys,
/// values of every type, accumulators of one number and of several, no values. Keys in any order: every type.
fn groups(kernels: &mut Kernels) {
    let features = Features::all();
    type Asked = fn(GroupById) -> GroupById;
    let by_id: [(&str, u32, Asked); 5] = [
        ("sums", 4096, GroupById::sum),
        ("minima and counts", 256, |by_id| by_id.min().count()),
        ("means", 65_536, GroupById::mean),
        ("variances", 65_536, |by_id| by_id.variance().sample_variance()),
        // As many as the eight storage buffers that every device has.
        ("many results", 256, |by_id| by_id.min().max().count().mean().sum().variance()),
    ];
    for element in [Element::F32, Element::I32, Element::U32] {
        for (name, groups, ask) in by_id {
            let by_id = ask(GroupById::new(element, groups).unwrap());
            kernels.add("", &format!("{name} of {element} by {groups} groups"), &by_id, features);
        }
    }
    let lengths = [Element::U32, Element::F32, Element::U64]
        .map(|key| (format!("lengths of {key}"), ReduceRuns::lengths(key).unwrap()));
    let reduced = |name: &str, monoid| (name.to_owned(), ReduceRuns::new(Element::U32, monoid).unwrap());
    let sums = Element::ALL.map(|element| reduced(&format!("sum of {element}"), over(Op::Sum, element)));
    let exact = reduced("exact sum of f32", over(Op::Sum, Element::F32).exact().unwrap());
    let places = reduced("arg-max of f32", over(Op::ArgMax, Element::F32));
    for (of, by_key) in lengths.into_iter().chain(sums).chain([exact, places]) {
        kernels.add("", &of, &by_key, features);
    }
    type AskedByKey = fn(GroupByKey) -> GroupByKey;
    let group_by: [(&str, Element, u32, AskedByKey); 4] = [
        ("sums", Element::U32, 256, |by| by.sum().count()),
        ("sums", Element::I32, 4096, |by| by.sum().count()),
        ("sums", Element::F32, 65_536, |by| by.sum().count()),
        ("variances", Element::U32, 256, |by| by.variance().sample_variance()),
    ];
    for (name, key, groups, ask) in group_by {
        let group_by = ask(GroupByKey::new(key, Element::F32, groups).unwrap());
        kernels.add("", &format!("{name} by {groups} keys of {key}"), &group_by, features);
    }
}

/// Prefixes and selections: every type, accumulators of one number and of several, rows, 64-bit floats as pairs of
/// words.
fn scans(kernels: &mut Kernels) {
    let (all, f32, f16) = (Features::all(), Element::F32, Element::F16);
    let scan = |op, element| Scan::new(over(op, element)).unwrap();
    let sum = |element| scan(Op::Sum, element);
    let exact = |element| Scan::new(over(Op::Sum, element).exact().unwrap()).unwrap();
    let mut scans = vec![
        ("prefixes of parts", f32, sum(f32).continuing(), all),
        ("prefixes without 64-bit integers", Element::F64, scan(Op::Min, Element::F64), Features::empty()),
    ];
    // Every type, and every other operator with some of them.
    let others = [Op::Mean, Op::Min, Op::ArgMax].into_iter().cycle();
    for (element, other) in Element::ALL.into_iter().zip(others) {
        scans.extend([sum(element), scan(other, element)].map(|scan| ("prefixes", element, scan, all)));
    }
    scans.extend(
        [f32, f16, Element::U64]
            .map(|of| ("exclusive prefixes of rows", of, sum(of).rows(100).exclusive(), all)),
    );
    scans.extend([f32, f16].map(|of| ("exact prefixes", of, exact(of), all)));
    scans.extend(
        [f32, Element::U64].map(|of| ("prefixes of segments", of, sum(of).segment_offsets([5]), all)),
    );
    for (of, element, scan, features) in scans {
        kernels.add("scan", &format!("{of} of {element}"), &scan, features);
    }
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return elem > Elem(1) || index == 7u; }";
    for element in Element::ALL {
        let select = Select::new(element, keep).unwrap();
        for (of, select) in [("selections", select.clone()), ("selected indices", select.indices())] {
            kernels.add("scan", &format!("{of} of {element}"), &select, all);
        }
    }
}

/// Every operator, source and number of levels, in the memory that [`pyramid`] promises to devices.
fn pyramids(kernels: &mut Kernels) {
    let red = || Map::components(TextureSampleType::Depth, "r").unwrap();
    let rgb = || Map::components(TextureSampleType::Float { filterable: false }, "rgb").unwrap();
    let sources = [("depth", red(), false), ("colours", rgb(), false), ("a level", red(), true)];
    for (op, memory) in [(Op::Min, 4980), (Op::Max, 4980), (Op::MinMax, 9960)] {
        for (source, map, of_level) in &sources {
            for levels in [1, 4, 6] {
                let (label, wgsl) = pyramid::kernel(op, map.clone(), *of_level, levels).unwrap();
                let kernel = Kernel { wgsl, entry_point: "main", overrides: Vec::new(), label };
                let of = format!("{levels} levels, {op}, of {source}");
                kernels.insert("pyramid", &of, memory..=memory, kernel);
            }
        }
    }
}

#[test]
fn pyramid_of_too_few_or_many_levels_is_refused() {
    for levels in [0, 7] {
        let map = Map::components(TextureSampleType::Depth, "r").unwrap();
        let error = pyramid::kernel(Op::Min, map, false, levels).unwrap_err().to_string();
        assert_eq!(error, format!("levels of {levels}: it can be 1 to 6"));
    }
}

/// The kernel of one step.
fn of_step(histogram: &Histogram, step: &str) -> Kernel {
    let kernels = histogram.kernels(Features::all(), &Limits::default());
    kernels.into_iter().nth(usize::from(step == COUNT)).expect("two steps").into()
}

fn histogram(keys: Keys, bins: u32, workgroup_size: u32, method: Counting) -> Histogram {
    let limits = Limits::default();
    let tuning = Tuning::of(&limits, bins, 0).with_workgroup_size(workgroup_size).with_method(method);
    Histogram::new(keys, bins).with_tuning(tuning)
}

/// The histogram with a stride, with channels, with maps of an element and of a struct, and of a texture.
fn by_element(config: &Histogram) -> [Histogram; 5] {
    let limits = Limits::default();
    let (ty, keys) = match config.keys {
        Keys::Ranges { .. } | Keys::Levels(_) => ("f32", "f32(x), f32(y)"),
        _ => ("u32", "x, y"),
    };
    let is_long = matches!(config.keys, Keys::U64Levels(_));
    let key = if is_long { "vec2<u32>" } else { ty };
    let element =
        format!("fn map(elem: Elem, index: u32) -> {key} {{ return {key}({ty}(max(elem, i32(index)))); }}");
    let pair = format!(
        "struct Elem {{ x: u32, y: u32, z: u32 }}
        fn map(elem: Elem, index: u32) -> vec2<{ty}> {{
            let x = elem.x; let y = elem.z + index; return vec2({keys});
        }}"
    );
    let texels = match ty {
        "f32" => Map::luminance(),
        _ => Map::components(TextureSampleType::Uint, if is_long { "rg" } else { "rgb" }).unwrap(),
    };
    let maps = [Map::custom(Element::I32, &element).unwrap(), Map::custom_struct(12, &pair).unwrap(), texels];
    let [one, two, texels] = maps.map(|map| config.clone().with_map(map));
    let with = [config.clone().with_stride(3, 1), config.clone().with_channels(3), one, two, texels];
    with.map(|with| with.with_tuning(config.tuning_on(&limits)))
}

/// Every step, kind of key and method, at tunings that differ in every override.
fn histograms(kernels: &mut Kernels) {
    let methods = [
        Counting::Storage,
        Counting::Workgroup { copies: 32, slices: 1, merge: false },
        Counting::Workgroup { copies: 1, slices: 3, merge: true },
    ];
    type UpTo = fn(u16) -> Keys;
    let kinds: [(&str, UpTo); 5] = [
        ("numbers", |_| Keys::Numbers),
        ("a range", |_| Keys::Ranges { low: -1.0, high: 1.0 }),
        ("levels", |bins| Keys::Levels((0..=bins).map(f32::from).collect())),
        ("levels of u32", |bins| Keys::U32Levels((0..=bins).map(u32::from).collect())),
        ("levels of u64", |bins| Keys::U64Levels((0..=bins).map(u64::from).collect())),
    ];
    let sizes = [(64, 3), (256, 100), (1024, 256)];
    for (nth, (name, keys)) in kinds.into_iter().enumerate() {
        // Sizes are overrides, which no text depends on: each method has one, with other keys another.
        for (method, (workgroup_size, bins)) in
            methods.into_iter().zip(sizes.into_iter().cycle().skip(nth + 1))
        {
            let config = histogram(keys(bins as u16), bins, workgroup_size, method);
            let mut add = |by: &str, config: &Histogram, step| {
                let of = format!("{name}{by} in {bins} bins");
                kernels.insert("histogram", &of, 0..=u64::MAX, of_step(config, step));
            };
            add("", &config, CLEAR);
            add("", &config, COUNT);
            let elements = [" of a stride", " of channels", " of elements", " of structs", " of texels"];
            elements.iter().zip(by_element(&config)).for_each(|(by, config)| add(by, &config, COUNT));
        }
    }
}

/// A configuration is checked for the memory that its kernel takes.
#[test]
fn histogram_of_too_much_memory_is_refused() {
    for (bins, copies, slices) in [(256, 32, 1), (1000, 2, 3), (65_536, 1, 6)] {
        let config =
            histogram(Keys::Numbers, bins, 256, Counting::Workgroup { copies, slices, merge: false });
        let kernel = of_step(&config, COUNT);
        let takes = translate::check(&kernel).unwrap().facts.workgroup_memory_bytes as u32;
        for (memory, fits) in [(takes, true), (takes - 4, false)] {
            let limits = Limits { max_compute_workgroup_storage_size: memory, ..Limits::default() };
            assert_eq!(config.check(&limits).is_ok(), fits, "{config:?}: {takes}");
        }
    }
}
