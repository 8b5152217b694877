//! All permutations of the catalogue, and what is known beforehand about each.

use std::collections::{HashMap, HashSet};

use halofold::Element;
use halofold::adapter::HELPFUL_FEATURES;
use halofold::reduce::{Accumulator, Finish, Job, Operator, RUNGS, Rung, Stage, Subgroups, Tuning};
use halofold::wgpu::{Features, Limits};
use halofold_measure::translate::{Kernel, Language, stage_name};

/// What a device may lack without a kernel becoming impossible: then it is composed in another way.
const OPTIONAL: [Features; 3] = [Features::SUBGROUP, Features::SHADER_INT64, Features::SHADER_FLOAT32_ATOMIC];

/// Everything that decides a kernel's text.
#[derive(Clone, Copy)]
pub struct Permutation {
    pub job: Job,
    pub stage: Stage,
    pub features: Features,
}

impl Permutation {
    pub fn label(&self) -> String {
        let Job { rung, accumulator, finish, tuning } = &self.job;
        let lacks = HELPFUL_FEATURES - self.features;
        format!(
            "{} {} of {} by {finish}, {}, WG {}, subgroups {}, without {lacks:?}",
            rung.name,
            accumulator.operator,
            accumulator.element,
            stage_name(self.stage),
            tuning.workgroup_size,
            tuning.subgroups,
        )
    }
}

/// A kernel that one or more permutations are composed to.
pub struct Entry {
    pub kernel: Kernel,
    /// The first of the permutations.
    pub first: Permutation,
    /// For each of [`Language::ALL`] the types for which it is refused.
    pub refused: [Vec<&'static str>; 5],
}

/// The distinct kernels of many permutations.
pub struct Distinct {
    pub kernels: Vec<Entry>,
    pub permutations: usize,
    pub met: HashSet<(&'static str, Finish, Element, Operator)>,
}

impl Distinct {
    /// Composes the pairs that `wanted` lets through, for every rung.
    pub fn of_catalogue(workgroup_size: u32, wanted: impl Fn(Operator, Element) -> bool) -> Self {
        let mut distinct = Distinct { kernels: Vec::new(), permutations: 0, met: HashSet::new() };
        let mut seen = HashMap::new();
        for permutation in permutations(workgroup_size, wanted) {
            let Permutation { job, stage, features } = &permutation;
            distinct.permutations += 1;
            let Accumulator { operator, element, .. } = job.accumulator;
            distinct.met.insert((job.rung.name, job.finish, element, operator));
            let kernel = Kernel::of(job, *stage, *features).expect("the stage is one of the job's");
            let refused = Language::ALL.map(|language| refused(&permutation, language));
            let at = *seen.entry((kernel.entry_point, kernel.wgsl.clone())).or_insert(distinct.kernels.len());
            match distinct.kernels.get(at) {
                Some(known) => {
                    let labels = (known.first.label(), permutation.label());
                    assert_eq!(known.refused, refused, "one kernel: {labels:?}");
                }
                None => distinct.kernels.push(Entry { kernel, first: permutation, refused }),
            }
        }
        distinct
    }
}

/// Every job of the catalogue, with subgroups and without.
pub fn jobs(workgroup_size: u32, wanted: impl Fn(Operator, Element) -> bool) -> impl Iterator<Item = Job> {
    let limits = Limits {
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        ..Limits::default()
    };
    let pairs =
        Element::ALL.into_iter().flat_map(|element| Operator::ALL.map(|operator| (operator, element)));
    let accumulators: Vec<_> = pairs
        .filter(|(operator, element)| wanted(*operator, *element))
        .filter_map(|(operator, element)| operator.over(element))
        .collect();
    RUNGS.iter().flat_map(move |rung| {
        let usual = Tuning::of(rung, &limits, u64::MAX).with_workgroup_size(workgroup_size);
        let accumulators = accumulators.clone();
        rung.finishes.iter().flat_map(move |&finish| {
            accumulators.clone().into_iter().flat_map(move |accumulator| {
                [true, false].map(|subgroups| {
                    let tuning = Tuning { subgroups, ..usual };
                    Job { rung, accumulator, tuning, finish }
                })
            })
        })
    })
}

/// Every stage of every job on every kind of device that runs it.
pub fn permutations(
    workgroup_size: u32,
    wanted: impl Fn(Operator, Element) -> bool,
) -> impl Iterator<Item = Permutation> {
    jobs(workgroup_size, wanted).flat_map(|job| {
        let devices = (0..1 << OPTIONAL.len()).map(|mask: usize| {
            let lacking = OPTIONAL.iter().enumerate().filter(move |(bit, _)| mask >> bit & 1 == 1);
            lacking.fold(HELPFUL_FEATURES, |features, (_, feature)| features - *feature)
        });
        devices.filter(move |features| job.supported_by(*features).is_ok()).flat_map(move |features| {
            job.stages().iter().map(move |&stage| Permutation { job, stage, features })
        })
    })
}

/// Every kernel of the catalogue at two workgroup sizes, by what it is.
pub fn labelled() -> impl Iterator<Item = (String, Kernel)> {
    [64, 256].into_iter().flat_map(|workgroup_size| {
        permutations(workgroup_size, |_, _| true).map(move |Permutation { job, stage, features }| {
            let Accumulator { operator, element, .. } = job.accumulator;
            let lanes = if job.uses_subgroups(features) { "subgroups" } else { "no subgroups" };
            let (rung, finish, stage_is) = (job.rung.name, job.finish, stage_name(stage));
            let label =
                format!("reduce/{rung} {finish} {stage_is} {operator} {element} {lanes} {workgroup_size}");
            (label, Kernel::of(&job, stage, features).expect("the stage is one of the job's"))
        })
    })
}

/// Whether no device runs this: there is no atomic word that wide.
pub fn never_runs(_rung: &Rung, finish: Finish, accumulator: Accumulator) -> bool {
    finish == Finish::Atomic && accumulator.atomic(HELPFUL_FEATURES).is_none()
}

/// Every reason to refuse a kernel: the language and the type that it lacks. Each is met by some kernel.
pub const REFUSALS: &[(&str, &str)] = &[
    ("msl", "f64"),
    ("msl", "atomic<i64>"),
    ("msl", "atomic<u64>"),
    ("hlsl", "f64"),
    ("hlsl", "atomic<f32>"),
    ("glsl", "f16"),
    ("glsl", "i64"),
    ("glsl", "u64"),
    ("glsl", "atomic<i64>"),
    ("glsl", "atomic<u64>"),
    ("glsl", "atomic<f32>"),
];

/// The types for which a language must refuse a kernel, by rule; none if it must not.
pub fn refused(permutation: &Permutation, language: Language) -> Vec<&'static str> {
    types(permutation).into_iter().filter(|ty| REFUSALS.contains(&(language.name(), ty))).collect()
}

/// The types in a kernel that some language lacks.
fn types(permutation: &Permutation) -> Vec<&'static str> {
    let Permutation { job, stage, features } = permutation;
    let Accumulator { elem, acc, .. } = job.accumulator;
    let mut types = Vec::new();
    // Elements are mapped where they are read; from there on there are accumulators only.
    let read = if *stage == Stage::Elements { elem } else { "" };
    for ty in ["f64", "i64", "u64", "f16"] {
        if read == ty || acc.contains(ty) {
            types.push(ty);
        }
    }
    if job.finish == Finish::Atomic {
        let word = job.accumulator.atomic(*features).map(|atomic| atomic.word);
        types.extend(match word {
            Some("i64") => Some("atomic<i64>"),
            Some("u64") => Some("atomic<u64>"),
            Some("f32") => Some("atomic<f32>"),
            _ => None,
        });
    }
    types.extend(moved_as_integers(permutation).then_some("u64"));
    types
}

/// Whether 64-bit accumulators travel between lanes or workgroups, which they do as 32-bit words of an integer.
fn moved_as_integers(permutation: &Permutation) -> bool {
    let Permutation { job, stage, features } = permutation;
    let kernel = matches!(stage, Stage::Elements | Stage::Partials);
    let lanes = job.rung.subgroups != Subgroups::Unused && job.uses_subgroups(*features);
    let wide = !job.accumulator.word_features().is_empty();
    wide && kernel && (lanes || job.finish == Finish::LastWorkgroup)
}
