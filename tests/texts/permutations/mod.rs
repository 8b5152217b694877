//! Every kernel there is, through naga into SPIR-V, MSL, HLSL and GLSL. No GPU is needed.
//!
//! A permutation is an operator over an element type, a form or a rung with a way to finish, a stage, and what a device offers
//! ([`catalogue`]). Each is composed; each distinct text is validated, checked against the project's own rules ([`lints`]) and
//! written in every language, or refused for a reason that [`refusals`] foresees. Histograms, order statistics, results by group, prefixes, pyramids and stencils
//! are walked in the same way ([`histogram`], [`rank`], [`scan`], [`group`], [`pyramid`], [`stencils`]). SPIR-V goes through `spirv-val` besides, where that is installed.

mod catalogue;
mod files;
mod fingerprint;
mod group;
mod hashes;
mod histogram;
mod lints;
mod listed;
mod program;
mod pyramid;
mod rank;
mod refusals;
mod scan;
mod shapes;
mod spirv_val;
mod stencils;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use self::catalogue::{Distinct, Entry, generous, ways};
use self::spirv_val::SpirvVal;
use self::written::{Met, is_new, traits};
use crate::translate;
use crate::translate::{Checked, Code, Language, TranslateError, Translation};
use halofold::reduce::ladder::{Finish, RUNGS};
use halofold::reduce::{
    Accuracy, Arity, BufferRange, Monoid, Op, Options, ReduceError, Shape, ShapeKind, Strategy, length_kernel,
};
use halofold::{Element, wgpu};
use halofold_measure::Kernel;
use wgpu::Features;

/// Every operator over every element type that it is defined for.
static MONOIDS: LazyLock<Vec<Monoid>> = LazyLock::new(|| catalogue::monoids(|_, _| true));

/// All kernels at a workgroup of 256, composed once for all tests.
static KERNELS: LazyLock<Distinct<'static>> = LazyLock::new(|| Distinct::of(&MONOIDS, 256));

/// Calls `work` for every item on all processors, and answers everything it complained about.
fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut complaints = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.extend(work(item));
        }
        complaints
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no translation panics")).collect()
    })
}

/// Checks that a kernel keeps the project's rules, and writes it in every language that has the types of its text. Returns the workgroup
/// memory that it takes, in bytes.
fn valid_in_every_language(label: &str, kernel: &Kernel) -> u64 {
    assert_eq!(lints::broken_rules(kernel), Vec::<String>::new(), "{label}");
    let checked = translate::check(kernel).unwrap_or_else(|error| panic!("{label}: {error}"));
    for language in Language::ALL {
        let written = checked.write(language);
        let lacked = match &written {
            Err(TranslateError::Type { ty, .. }) if refusals::is_in(&kernel.wgsl, ty, language) => vec![*ty],
            _ => Vec::new(),
        };
        let words = judge(written, &lacked).unwrap_or_else(|error| panic!("{label} as {language}: {error}"));
        if let (Some(words), Some(spirv_val)) = (words, SpirvVal::find()) {
            spirv_val.check(&words).unwrap_or_else(|error| panic!("{label}: {error}"));
        }
    }
    checked.facts.workgroup_memory_bytes
}

/// The kernels of operations beside reductions and stencils, the program's own, and the one that applies a count on the GPU. Those of
/// histograms take the memory that their tuning says.
#[test]
fn kernels_of_operations_in_every_language() {
    let (wgsl, overrides) = length_kernel();
    let counts =
        ("a count".to_owned(), Kernel { wgsl, entry_point: "main", overrides, label: "length".to_owned() });
    let ranks_and_groups = [rank::kernels(), group::kernels(), scan::kernels()].concat();
    let operations = [ranks_and_groups, pyramid::kernels(), program::kernels(), vec![counts]].concat();
    fail_on(&in_parallel(&operations, |(label, kernel)| {
        let takes = valid_in_every_language(label, kernel);
        assert!(takes <= 16 << 10, "{label}: {takes} bytes of workgroup memory, which not every device has");
        Vec::new()
    }));
    fail_on(&in_parallel(&histogram::kernels(), |(label, kernel)| {
        valid_in_every_language(label, kernel);
        Vec::new()
    }));
}

/// Prints a line past the test harness, which captures the output of tests.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn fail_on(complaints: &[String]) {
    let shown = complaints.iter().take(10).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(complaints.is_empty(), "{} complaints, the first of them:\n{shown}", complaints.len());
}

/// The SPIR-V of a kernel that was written, if it is that, or a complaint.
fn judge(
    written: Result<Translation, TranslateError>,
    foreseen: &[&'static str],
) -> Result<Option<Vec<u32>>, String> {
    match written {
        Ok(_) if !foreseen.is_empty() => Err(format!("to be refused for {foreseen:?}, but was written")),
        Ok(translation) => match translation.code {
            Code::Words(words) => Ok(Some(words)),
            Code::Text(text) if text.contains(&translation.entry_point) => Ok(None),
            Code::Text(text) => Err(format!("no `{}` in\n{text}", translation.entry_point)),
        },
        Err(TranslateError::Type { ty, .. }) if foreseen.contains(&ty) => Ok(None),
        Err(error) => Err(format!("{error}\n(foreseen: {foreseen:?})")),
    }
}

/// Writes a kernel in a language and validates the SPIR-V; returns the type for which it is refused, if it is, or a complaint.
fn write(
    entry: &Entry<'_>,
    checked: &Checked<'_>,
    language: Language,
    spirv_val: Option<&SpirvVal>,
) -> Result<Option<&'static str>, String> {
    let at = Language::ALL.iter().position(|other| *other == language).expect("it is one of them");
    let must = !entry.refused[at].is_empty();
    match checked.write(language) {
        Err(TranslateError::Type { ty, .. }) if refusals::may(&entry.first, language, ty) => Ok(Some(ty)),
        Err(error) => Err(format!("{error}\n(foreseen: {:?})", entry.refused[at])),
        Ok(_) if must => Err(format!("to be refused for {:?}, but was written", entry.refused[at])),
        Ok(translation) => match (translation.code, spirv_val) {
            (Code::Words(words), Some(spirv_val)) => spirv_val.check(&words).map(|()| None),
            (Code::Text(text), _) if !text.contains(&translation.entry_point) => {
                Err(format!("no `{}` in\n{text}", translation.entry_point))
            }
            _ => Ok(None),
        },
    }
}

/// Kernels that together have each pair of a step, an operator and a type, with and without what a device may lack: of all those
/// that are validated, these are written in every language. `HALOFOLD_KERNELS_ALL=1` takes all.
fn sample<'a>(kernels: &'a [Entry<'a>]) -> Vec<&'a Entry<'a>> {
    let (takes_all, mut met) = (std::env::var_os(written::ALL).is_some(), Met::new());
    kernels.iter().filter(|entry| takes_all || is_new(&mut met, &traits(entry, true), true)).collect()
}

/// Checks that the sample keeps the project's rules and writes it in all languages; returns how often each language refused a kernel for each
/// type.
fn write_all(distinct: &Distinct<'_>) -> BTreeMap<(&'static str, &'static str), usize> {
    let refused = Mutex::new(BTreeMap::new());
    // A program that is started for each kernel takes longer than all that comes before it.
    let (spirv_val, met) = (SpirvVal::find(), Mutex::new(Met::new()));
    fail_on(&in_parallel(&sample(&distinct.kernels), |entry| {
        let spirv_val = spirv_val.filter(|_| is_new(&mut met.lock().unwrap(), &traits(entry, false), true));
        let mut complaints = lints::broken_rules(&entry.kernel);
        let checked = translate::check(&entry.kernel).expect("it is valid");
        for language in Language::ALL {
            match write(entry, &checked, language, spirv_val) {
                Ok(Some(ty)) => *refused.lock().unwrap().entry((language.name(), ty)).or_default() += 1,
                Ok(None) => {}
                Err(why) => complaints.push(format!("{} as {language}: {why}", entry.first.label())),
            }
        }
        complaints
    }));
    refused.into_inner().unwrap()
}

#[test]
fn every_permutation_in_every_language() {
    let refused = write_all(&KERNELS);
    let (permutations, kernels) = (KERNELS.permutations, KERNELS.kernels.len());
    say(&format!("permutations: {permutations}, {kernels} distinct kernels; refused: {refused:?}"));
}

/// Every operator goes through every form and every rung, and every reason to refuse a kernel is met.
#[test]
fn nothing_is_left_out() {
    for monoid in MONOIDS.iter() {
        for (form, options) in ways(256) {
            let op = monoid.op().expect("it is one of halofold's own");
            let known = (catalogue::asker(form, &options), op, monoid.element());
            let excused = match options.strategy {
                Strategy::Rung { finish: Finish::Atomic, .. } => !fits_a_word(monoid),
                Strategy::Fastest if options.accuracy == Accuracy::Exact => {
                    is_not_exact(monoid, form, &options)
                }
                Strategy::Rung { rung, .. } if rung.name() == "exact" => is_not_exact(monoid, form, &options),
                _ => form == ShapeKind::Accumulate && monoid.accumulates().is_none(),
            };
            assert_eq!(KERNELS.met.contains(&known), !excused, "{known:?}");
        }
    }
    let kernels = KERNELS.kernels.iter();
    let met: BTreeSet<_> = kernels
        .flat_map(|entry| Language::ALL.into_iter().zip(&entry.refused))
        .flat_map(|(language, types)| types.iter().map(move |ty| (language.name(), *ty)))
        .collect();
    let foreseen: BTreeSet<_> = refusals::REFUSALS.iter().map(|(language, ty, _)| (*language, *ty)).collect();
    assert_eq!(met, foreseen);
}

/// Returns true if an operator has no exact form.
fn is_not_exact(monoid: &Monoid, form: ShapeKind, options: &Options<'_>) -> bool {
    let checked = options.check(monoid, form, Features::all(), &wgpu::Limits::default());
    matches!(checked, Err(ReduceError::NotExact { .. }))
}

/// Returns true if an atomic word takes accumulators and turns into the result.
fn fits_a_word(monoid: &Monoid) -> bool {
    let bits = |ty: &str| match ty {
        "u32" | "i32" | "f32" => Some(32),
        "u64" | "i64" | "f64" => Some(64),
        _ => None,
    };
    let [acc, out] = [monoid.acc_type(), monoid.out_type()].map(bits);
    acc.is_some() && acc == out
}

#[test]
fn other_workgroup_sizes() {
    let sample = catalogue::monoids(|op, element| {
        [
            (Op::Sum, Element::F32),
            (Op::Max, Element::F32),
            (Op::Product, Element::F64),
            (Op::Sum, Element::F16),
            (Op::WideSum, Element::I64),
            (Op::WideProduct, Element::I32),
        ]
        .contains(&(op, element))
    });
    for workgroup_size in [1, 64, 1024] {
        let distinct = Distinct::of(&sample, workgroup_size);
        assert!(distinct.kernels.len() > RUNGS.len(), "{workgroup_size}");
        write_all(&distinct);
    }
}

/// A device that lacks what a kernel needs is refused when the reducer is made, not by the driver.
#[test]
fn no_kernel_needs_more_than_is_checked() {
    fail_on(&in_parallel(&sample(&KERNELS.kernels), |entry| {
        let catalogue::Permutation { monoid, form, options, stage, .. } = entry.first;
        // The least that a device may have for this text.
        let mut features = entry.first.features;
        for (_, feature) in features.iter_names() {
            let less = features - feature;
            let runs = options.check(monoid, form, less, &generous()).is_ok();
            if runs && monoid.compose(stage, less).as_ref() == Some(&entry.kernel.wgsl) {
                features = less;
            }
        }
        let error = lints::invalid_with(&entry.kernel.wgsl, features);
        error.map(|error| format!("{} with {features:?}: {error}", entry.first.label())).into_iter().collect()
    }));
}

/// A rung that a device has too little workgroup memory for is refused, not left to the driver; and what halofold chooses itself
/// fits every device.
#[test]
fn workgroup_memory_is_checked() {
    // Every device has that much.
    const EVERYWHERE: u32 = 16 << 10;
    let limits = |bytes: u64| wgpu::Limits { max_compute_workgroup_storage_size: bytes as u32, ..generous() };
    let widest = catalogue::monoids(|op, element| {
        [(Op::WideSum, Element::I64), (Op::LogSumExp, Element::F64)].contains(&(op, element))
    });
    for workgroup_size in [256, 512, 1024] {
        let distinct = Distinct::of(&widest, workgroup_size);
        fail_on(&in_parallel(&distinct.kernels, |entry| {
            let catalogue::Permutation { monoid, form, options, features, .. } = entry.first;
            let takes = translate::check(&entry.kernel).expect("it is valid").facts.workgroup_memory_bytes;
            let is_rung = matches!(options.strategy, Strategy::Rung { .. });
            let less = limits(takes.saturating_sub(1));
            let passes =
                takes > EVERYWHERE.into() && is_rung && options.check(monoid, form, features, &less).is_ok();
            passes.then(|| format!("{} takes {takes} bytes", entry.first.label())).into_iter().collect()
        }));
    }
    for monoid in &widest {
        for (form, options) in
            ways(256).into_iter().filter(|(_, options)| options.strategy == Strategy::Fastest)
        {
            for stage in options.stages(monoid, form, &limits(EVERYWHERE.into())) {
                let Some(kernel) = Kernel::of(monoid, stage, Features::all() - Features::SUBGROUP) else {
                    continue;
                };
                let checked = translate::check(&kernel).expect("it is valid");
                assert!(
                    checked.facts.workgroup_memory_bytes <= EVERYWHERE.into(),
                    "{} {form:?} {stage:?}",
                    monoid.name()
                );
            }
        }
    }
}

/// Plans launch only stages that this test has looked at.
#[test]
fn plans_have_no_other_stages() {
    let limits = wgpu::Limits::default();
    for monoid in MONOIDS.iter() {
        for (form, options) in ways(256) {
            let stages = options.stages(monoid, form, &limits);
            for len in [0, 1, 1000, 1 << 20, 1 << 26] {
                let Some(plan) = plan(monoid, form, &options, len, &limits) else { continue };
                for launch in plan.launches() {
                    assert!(
                        stages.contains(&launch.stage),
                        "{} {form:?} {options:?} {launch:?}",
                        monoid.name()
                    );
                }
            }
        }
    }
}

/// A plan of a form for this many items; `None` where there is none.
fn plan(
    monoid: &Monoid,
    form: ShapeKind,
    options: &Options<'_>,
    len: u64,
    limits: &wgpu::Limits,
) -> Option<halofold::reduce::Plan> {
    let shape = match form {
        ShapeKind::Whole => Shape::Whole,
        ShapeKind::Accumulate => Shape::Accumulate,
        ShapeKind::Strided => Shape::Strided { stride: 3 },
        ShapeKind::Segments => Shape::Segments { len: len.max(1) },
        ShapeKind::Offsets => Shape::Offsets { count: 10 },
        _ => Shape::Axis { outer: len.min(1), len: (len / 2).max(1), inner: 1 + len.min(2) / 2 },
    };
    let input = BufferRange { offset: 0, len };
    let is_pair = monoid.arity() == Arity::Two && !options.from_states;
    options.plan(monoid, shape, &[input], is_pair.then_some(input), limits).ok()
}

/// The rules of this test and the library agree on the features that a back end never has.
#[test]
fn a_refusal_is_never_offered_by_the_back_end() {
    fail_on(&in_parallel(&sample(&KERNELS.kernels), |entry| {
        let catalogue::Permutation { monoid, form, options, stage, features } = entry.first;
        let refusing = Language::ALL.into_iter().zip(&entry.refused).filter(|(_, types)| !types.is_empty());
        let wrong = refusing.filter(|(language, _)| {
            let offered = features & language.offered();
            let runs = options.check(monoid, form, offered, &generous()).is_ok();
            runs && monoid.compose(stage, offered).as_ref() == Some(&entry.kernel.wgsl)
        });
        wrong.map(|(language, _)| format!("{} as {language}", entry.first.label())).collect()
    }));
}
