//! Operations as plain values, over every type: what compilers are given the kernels of.

use halofold::group::{GroupById, GroupByKey, ReduceRuns, RunLengths};
use halofold::histogram::{Histogram, Keys, Method as Counting, Tuning};
use halofold::rank::{Method, Quantiles, TopK};
use halofold::reduce::{Monoid, Op};
use halofold::scan::{Progress, Scan};
use halofold::select::Select;
use halofold::wgpu::{Features, Limits, TextureSampleType};
use halofold::{Cut, DispatchArguments, Element, Kernel, Map, OfTexels, Planned};

/// An operation, and the kernels of its plans.
pub struct Plain {
    /// The library's type.
    pub operation: &'static str,
    /// No other operation of its type has it.
    pub name: String,
    /// What a device that runs it may lack is missing here.
    pub kernels: Vec<Kernel>,
}

/// All of them.
pub fn operations() -> Vec<Plain> {
    let mut all = Operations::default();
    ranks(&mut all);
    groups(&mut all);
    scans(&mut all);
    histograms(&mut all);
    of_texels(&mut all);
    let arguments = DispatchArguments::new(64);
    all.add("DispatchArguments", "arguments of a dispatch".to_owned(), &arguments);
    all.0
}

#[derive(Default)]
struct Operations(Vec<Plain>);

impl Operations {
    fn add(&mut self, operation: &'static str, name: String, value: &impl Planned) {
        self.add_in(operation, name, value, Cut::All, Features::all());
    }

    /// Adds an operation in rows or segments for a device with these features.
    fn add_in(
        &mut self,
        operation: &'static str,
        name: String,
        value: &impl Planned,
        cut: Cut,
        features: Features,
    ) {
        let kernels = value.kernels(cut, features, &Limits::default()).expect("it is right");
        self.0.push(Plain { operation, name, kernels });
    }
}

/// An operator over a type that has it.
fn over(op: Op, element: Element) -> Monoid {
    op.over(element).expect("a type of the operator's")
}

/// Every type, one rank and several, results that are elements and results between elements.
fn ranks(all: &mut Operations) {
    let (features, segments) = (Features::all(), Cut::Segments([0, 100, 5000].into()));
    for element in Element::ALL {
        let name = |of: &str| format!("{of} of {element}");
        let quantiles = |ranks: &[f64]| Quantiles::new(element, ranks.iter().copied());
        let largest = |count| TopK::new(element, count);
        for ranks in [&[0.5][..], &[0.25, 0.5, 0.75]] {
            for method in [Method::Linear, Method::Lower] {
                let of = format!("{} quantiles ({method})", ranks.len());
                all.add("Quantiles", name(&of), &quantiles(ranks).with_method(method));
            }
        }
        all.add("Quantiles", name("a rank"), &Quantiles::nth(element, [7]));
        all.add("TopK", name("the largest"), &largest(10));
        all.add_in("TopK", name("the largest of rows"), &largest(1000), Cut::Rows(1024), features);
        all.add("TopK", name("a million of the largest"), &largest(1 << 20));
        all.add_in("TopK", name("the largest of segments"), &largest(10), segments.clone(), features);
        let median = quantiles(&[0.5]);
        all.add_in("Quantiles", name("the median of segments"), &median, segments.clone(), features);
        all.add("TopK", name("the smallest"), &largest(10).smallest());
    }
}

/// Results by id: every type, one result and all, one slice of groups and several. Runs of keys: two kinds of keys,
/// values of every type, accumulators of one number and of several, no values. Keys in any order: every type.
fn groups(all: &mut Operations) {
    type Asked = fn(GroupById) -> GroupById;
    let by_id: [(&str, u32, Asked); 5] = [
        ("sums", 4096, GroupById::sum),
        ("minima and counts", 256, |by_id| by_id.min().count()),
        ("means", 65_536, GroupById::mean),
        ("variances", 65_536, |by_id| by_id.variance().sample_variance()),
        // These take eight storage buffers, which every device has.
        ("many results", 256, |by_id| by_id.min().max().count().mean().sum().variance()),
    ];
    for element in [Element::F32, Element::I32, Element::U32] {
        for (name, groups, ask) in by_id {
            let by_id = ask(GroupById::new(element, groups));
            all.add("GroupById", format!("{name} of {element} by {groups} groups"), &by_id);
        }
    }
    let lengths = [Element::U32, Element::F32, Element::U64]
        .map(|key| (format!("lengths of {key}"), RunLengths::new(key)));
    let reduced = |name: &str, monoid| (name.to_owned(), ReduceRuns::new(Element::U32, monoid));
    let sums = Element::ALL.map(|element| reduced(&format!("sum of {element}"), over(Op::Sum, element)));
    let exact = reduced("exact sum of f32", over(Op::Sum, Element::F32).exact().expect("it is right"));
    let places = reduced("arg-max of f32", over(Op::ArgMax, Element::F32));
    for (of, lengths) in lengths {
        all.add("RunLengths", of, &lengths);
    }
    for (of, by_key) in sums.into_iter().chain([exact, places]) {
        all.add("ReduceRuns", of, &by_key);
    }
    type AskedByKey = fn(GroupByKey) -> GroupByKey;
    let group_by: [(&str, Element, u32, AskedByKey); 4] = [
        ("sums", Element::U32, 256, |by| by.sum().count()),
        ("sums", Element::I32, 4096, |by| by.sum().count()),
        ("sums", Element::F32, 65_536, |by| by.sum().count()),
        ("variances", Element::U32, 256, |by| by.variance().sample_variance()),
    ];
    for (name, key, groups, ask) in group_by {
        let group_by = ask(GroupByKey::new(key, Element::F32, groups));
        all.add("GroupByKey", format!("{name} by {groups} keys of {key}"), &group_by);
    }
}

/// Prefixes and selections: every type, accumulators of one number and of several, rows, 64-bit floats as words.
fn scans(all: &mut Operations) {
    let (f32, f16) = (Element::F32, Element::F16);
    let scan = |op, element| Scan::new(over(op, element));
    let sum = |element| scan(Op::Sum, element);
    let exact = |element| Scan::new(over(Op::Sum, element).exact().expect("it is right"));
    let mut scans = vec![("prefixes of parts", f32, sum(f32).continuing(), Cut::All)];
    // Every type, and every other operator with some of them.
    let others = [Op::Mean, Op::Min, Op::ArgMax].into_iter().cycle();
    for (element, other) in Element::ALL.into_iter().zip(others) {
        let both = [("prefixes", Op::Sum), ("other prefixes", other)];
        scans.extend(both.map(|(of, op)| (of, element, scan(op, element), Cut::All)));
    }
    scans.extend(
        [f32, f16, Element::U64]
            .map(|of| ("exclusive prefixes of rows", of, sum(of).exclusive(), Cut::Rows(100))),
    );
    scans.extend([f32, f16].map(|of| ("exact prefixes", of, exact(of), Cut::All)));
    scans.push(("late prefixes", f32, sum(f32).with_progress(Progress::Stalled), Cut::All));
    scans.extend(
        [f32, Element::U64].map(|of| ("prefixes of segments", of, sum(of), Cut::Segments([5].into()))),
    );
    for (of, element, scan, cut) in scans {
        all.add_in("Scan", format!("{of} of {element}"), &scan, cut, Features::all());
    }
    let of = "prefixes without 64-bit integers of f64".to_owned();
    all.add_in("Scan", of, &scan(Op::Min, Element::F64), Cut::All, Features::empty());
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return elem > Elem(1) || index == 7u; }";
    for element in Element::ALL {
        let select = Select::new(element, keep).expect("it is right");
        for (of, select) in [("selections", select.clone()), ("selected indices", select.indices())] {
            all.add("Select", format!("{of} of {element}"), &select);
        }
    }
    for key in [f32, Element::U64] {
        all.add("Select", format!("unique of {key}"), &Select::unique(key));
    }
    let plain = Features::all() - Features::SUBGROUP;
    all.add_in("Scan", "prefixes without subgroups of f32".to_owned(), &sum(f32), Cut::All, plain);
    let select = Select::new(f32, keep).expect("it is right");
    all.add_in("Select", "selections without subgroups of f32".to_owned(), &select, Cut::All, plain);
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
        _ => {
            Map::components(TextureSampleType::Uint, if is_long { "rg" } else { "rgb" }).expect("it is right")
        }
    };
    let maps = [
        Map::custom(Element::I32, &element).expect("it is right"),
        Map::custom_struct(12, &pair).expect("it is right"),
        texels,
    ];
    let [one, two, texels] = maps.map(|map| config.clone().with_map(map));
    let with = [config.clone().with_stride(3, 1), config.clone().with_channels(3), one, two, texels];
    with.map(|with| with.with_tuning(config.tuning_on(&limits)))
}

/// Texels of every kind of sample as elements.
fn of_texels(all: &mut Operations) {
    let samples = [
        (Element::F32, TextureSampleType::Float { filterable: false }),
        (Element::U32, TextureSampleType::Uint),
        (Element::I32, TextureSampleType::Sint),
    ];
    for (element, sample) in samples {
        let map = Map::components(sample, "g").expect("a component");
        let nth = OfTexels::new(Quantiles::nth(element, [0]), map);
        all.add("Quantiles", format!("ranks of texels of {element}"), &nth);
    }
}

/// Every step, kind of key and method, at tunings that differ in every override.
fn histograms(all: &mut Operations) {
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
            let mut add = |by: &str, config: &Histogram| {
                all.add("Histogram", format!("{name}{by} in {bins} bins"), config);
            };
            add("", &config);
            let elements = [" of a stride", " of channels", " of elements", " of structs", " of texels"];
            elements.iter().zip(by_element(&config)).for_each(|(by, config)| add(by, &config));
        }
    }
}
