//! Every kernel that the catalogue can produce, through naga into SPIR-V, MSL, HLSL and GLSL. No GPU is needed.
//!
//! A permutation is a rung, an operator over an element type, a way to finish, a stage, and what a device offers.
//! Each is composed; each distinct text is validated, held against the project's own rules ([`lints`]) and written
//! in every language, or refused for the reason that [`refused`] foresees. The stencils are walked in the same way
//! ([`stencils`]). SPIR-V goes through `spirv-val` besides,
//! where that is installed.

mod catalogue;
mod fingerprint;
mod hashes;
mod histogram;
mod lints;
mod reducer;
mod spirv_val;
mod stencils;

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalogue::{Distinct, refused};
use halofold::reduce::{Operator, RUNGS};
use halofold::{Element, wgpu};
use halofold_measure::translate::{Code, Kernel, Language, TranslateError};
use spirv_val::SpirvVal;

/// All permutations at a workgroup of 256, composed once for all tests.
fn permutations() -> &'static Distinct {
    static DISTINCT: OnceLock<Distinct> = OnceLock::new();
    DISTINCT.get_or_init(|| Distinct::of_catalogue(256, |_, _| true))
}

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

/// Says something although the test harness captures what tests print.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn fail_on(complaints: &[String]) {
    let shown = complaints.iter().take(10).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(complaints.is_empty(), "{} complaints, the first of them:\n{shown}", complaints.len());
}

/// Translates a kernel into one language; answers the SPIR-V, if that is what it is, or a complaint.
fn translate(
    kernel: &Kernel,
    foreseen: &[&'static str],
    language: Language,
) -> Result<Option<Vec<u32>>, String> {
    match kernel.translate(language) {
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

/// Writes all kernels in all languages and validates the SPIR-V; answers the complaints.
fn translate_all(distinct: &Distinct) -> Vec<String> {
    let spirv_val = SpirvVal::find();
    in_parallel(&distinct.kernels, |entry| {
        let mut complaints = Vec::new();
        for (language, foreseen) in Language::ALL.into_iter().zip(&entry.refused) {
            let outcome =
                translate(&entry.kernel, foreseen, language).and_then(|words| match (words, spirv_val) {
                    (Some(words), Some(spirv_val)) => spirv_val.check(&words),
                    _ => Ok(()),
                });
            complaints
                .extend(outcome.err().map(|why| format!("{} as {language}: {why}", entry.first.label())));
        }
        complaints
    })
}

#[test]
fn every_permutation_in_every_language() {
    let distinct = permutations();
    let mut tally = format!(
        "permutations: {} of the catalogue, {} distinct kernels;",
        distinct.permutations,
        distinct.kernels.len()
    );
    for (at, language) in Language::ALL.into_iter().enumerate() {
        let mut refused = BTreeMap::<_, usize>::new();
        for ty in distinct.kernels.iter().filter_map(|entry| entry.refused[at].first()) {
            *refused.entry(ty).or_default() += 1;
        }
        let written = distinct.kernels.len() - refused.values().sum::<usize>();
        tally += &format!(" {language} {written}");
        if !refused.is_empty() {
            tally += &format!(" (refused: {refused:?})");
        }
    }
    say(&tally);
    fail_on(&translate_all(distinct));
}

/// The catalogue is walked whole, and every reason to refuse a kernel is met.
#[test]
fn nothing_is_left_out() {
    let distinct = permutations();
    for rung in RUNGS {
        for &finish in rung.finishes {
            for element in Element::ALL {
                for operator in Operator::ALL.into_iter().filter(|operator| operator.over(element).is_some())
                {
                    let known = (rung.name, finish, element, operator);
                    let excused = catalogue::never_runs(rung, finish, operator.over(element).unwrap());
                    assert_eq!(distinct.met.contains(&known), !excused, "{known:?}");
                }
            }
        }
    }
    let met: HashSet<_> = (Language::ALL.into_iter().enumerate())
        .flat_map(|(at, language)| {
            let refused = distinct.kernels.iter().flat_map(move |entry| &entry.refused[at]);
            refused.map(move |ty| (language.name(), *ty))
        })
        .collect();
    let foreseen: HashSet<_> = catalogue::REFUSALS.iter().copied().collect();
    assert_eq!(met, foreseen);
}

#[test]
fn other_workgroup_sizes() {
    let sample = |operator, element| {
        [
            (Operator::Sum, Element::F32),
            (Operator::Max, Element::F32),
            (Operator::Product, Element::F64),
            (Operator::Sum, Element::F16),
            (Operator::WideSum, Element::I64),
            (Operator::WideProduct, Element::I32),
        ]
        .contains(&(operator, element))
    };
    for workgroup_size in [1, 64, 1024] {
        let distinct = Distinct::of_catalogue(workgroup_size, sample);
        assert!(distinct.kernels.len() > RUNGS.len(), "{workgroup_size}");
        fail_on(&translate_all(&distinct));
    }
}

#[test]
fn no_kernel_breaks_a_rule() {
    fail_on(&in_parallel(&permutations().kernels, |entry| {
        let broken = lints::broken_rules(&entry.kernel.wgsl);
        broken.into_iter().map(|rule| format!("{}: {rule}", entry.first.label())).collect()
    }));
}

/// The kernels that measure the memory's peak are not in the catalogue.
#[test]
fn the_measuring_kernels() {
    let spirv_val = SpirvVal::find();
    let read = (include_str!("../../measure/shaders/read.wgsl"), "GROUPS", 64.0);
    let copy = (include_str!("../../measure/shaders/copy.wgsl"), "VECTORS", 4.0);
    for (wgsl, name, value) in [read, copy] {
        assert_eq!(lints::broken_rules(wgsl), Vec::<String>::new());
        let overrides = vec![("WG", 256.0), (name, value)];
        let kernel = Kernel { wgsl: wgsl.to_owned(), entry_point: "main", overrides };
        for language in Language::ALL {
            let words = translate(&kernel, &[], language).unwrap();
            if let (Some(words), Some(spirv_val)) = (words, spirv_val) {
                spirv_val.check(&words).unwrap();
            }
        }
    }
}

/// A job that a device has too little workgroup memory for is refused, not left to the driver.
#[test]
fn workgroup_memory_is_checked() {
    // Every device has that much.
    const EVERYWHERE: u64 = 16 << 10;
    for workgroup_size in [256, 512, 1024] {
        let widest = |operator, element| (operator, element) == (Operator::WideSum, Element::I64);
        let distinct = Distinct::of_catalogue(workgroup_size, widest);
        fail_on(&in_parallel(&distinct.kernels, |entry| {
            let facts = entry.kernel.translate(Language::Wgsl).expect("it is valid").facts;
            let takes = facts.workgroup_memory_bytes;
            let limits = wgpu::Limits {
                max_compute_invocations_per_workgroup: 1024,
                max_compute_workgroup_size_x: 1024,
                max_compute_workgroup_storage_size: takes.saturating_sub(1) as u32,
                ..wgpu::Limits::default()
            };
            let passes = takes > EVERYWHERE && entry.first.job.check(&limits).is_ok();
            passes.then(|| format!("{} takes {takes} bytes", entry.first.label())).into_iter().collect()
        }));
    }
}

/// What a plan dispatches is what this test looked at.
#[test]
fn plans_have_no_other_stages() {
    let limits = wgpu::Limits::default();
    for job in catalogue::jobs(256, |_, _| true) {
        for len in [0, 1, 1000, 1 << 24] {
            let Ok(plan) = job.plan(0, len, &limits) else { continue };
            for pass in plan.passes {
                assert!(job.stages().contains(&pass.stage), "{} {pass:?}", job.rung.name);
            }
        }
    }
}

/// The rules of this test and the library's own word agree on what a back end is never offered.
#[test]
fn a_refusal_is_never_offered_by_the_back_end() {
    for permutation in catalogue::permutations(256, |_, _| true) {
        for language in Language::ALL {
            if !refused(&permutation, language).is_empty() {
                let offered = permutation.features & language.offered();
                let runs = permutation.job.supported_by(offered).is_ok();
                let same = runs
                    && permutation.job.compose(permutation.stage, offered)
                        == permutation.job.compose(permutation.stage, permutation.features);
                assert!(!same, "{} as {language}", permutation.label());
            }
        }
    }
}
