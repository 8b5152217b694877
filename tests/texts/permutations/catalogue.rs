//! Every kernel that a reducer may launch: operators over element types, forms and rungs, results and states, on
//! every kind of device.

use std::collections::{HashMap, HashSet};

use crate::translate::stage_name;
use halofold::Element;
use halofold::adapter::HELPFUL_FEATURES;
use halofold::reduce::ladder::RUNGS;
use halofold::reduce::plan::{Reads, Stage, Writes};
use halofold::reduce::{Accuracy, Launches, Monoid, Op, Options, ShapeKind, Strategy, Tuning};
use halofold::wgpu::{Features, Limits};
use halofold_measure::Kernel;

use super::item::Item;
use super::refusals::Foreseen;

/// Features that a device may lack without a kernel becoming impossible: then it is composed in another way. The
/// last one is of interest for 64-bit floats alone.
pub const OPTIONAL: [Features; 3] =
    [Features::SUBGROUP, Features::SHADER_FLOAT32_ATOMIC, Features::SHADER_INT64];

/// Everything that decides a kernel's text, and who asks for it.
#[derive(Clone, Copy)]
pub struct Permutation<'a> {
    pub monoid: &'a Monoid,
    pub form: ShapeKind,
    pub options: Options<'static>,
    pub stage: Stage,
    pub features: Features,
}

impl Permutation<'_> {
    /// Its name in lists of fingerprints: the same words from one version to the next.
    pub fn label(&self) -> String {
        let Permutation { monoid, form, options, stage, features } = *self;
        let lanes = features.contains(Features::SUBGROUP);
        let (name, element) = (monoid.name(), monoid.element().map_or("structs", Element::name));
        let mut label = match options.strategy {
            Strategy::Rung { rung, finish, tuning } => {
                let lanes = if lanes { "subgroups" } else { "no subgroups" };
                let (rung, stage, size) = (rung.name(), stage_name(stage), tuning.workgroup_size);
                format!("reduce/{rung} {finish} {stage} {name} {element} {lanes} {size}")
            }
            _ => {
                let (step, size) = (step(form, stage), stage.workgroup_size);
                format!("reducer/{name} of {element}, {step}, subgroups {lanes}, {size}")
            }
        };
        if options.launches == Launches::Two {
            label += &format!(", {} of two launches", stage_name(stage));
        }
        let variants = [
            (options.from_states, ", from states"),
            (options.to_states, ", to states"),
            (self.is_in_words(), ", in words"),
            (options.accuracy == Accuracy::Exact, ", exact"),
            (stage.writes == Writes::Components, ", in arrays"),
            (monoid.sample().is_some(), ", of texels"),
        ];
        for (holds, what) in variants {
            label += if holds { what } else { "" };
        }
        label
    }

    /// Returns true if it compares 64-bit floats as pairs of words.
    pub fn is_in_words(&self) -> bool {
        let is_wide = self.monoid.element() == Some(Element::F64) && self.monoid.features().is_empty();
        is_wide && !self.features.contains(Features::SHADER_INT64)
    }

    pub fn kernel(&self) -> Kernel {
        Kernel::of(self.monoid, self.stage, self.features).expect("the stage is one of the reducer's")
    }

    /// Its kernel with all that is known of it.
    fn item(&self, kernel: Kernel) -> Item {
        let Permutation { monoid, stage, features, .. } = *self;
        let optional = OPTIONAL.into_iter().fold(Features::empty(), |all, feature| all | feature);
        let element = monoid.element().map_or("structs", Element::name);
        // All kernels load by the same functions.
        let source = format!("{:?} of {:?}", stage.reads, monoid.sample());
        let launched = format!("{} {:?} {:?}", stage.kernel.name, stage.reads, stage.writes);
        Item {
            row: stage.kernel.file.to_owned(),
            label: self.label(),
            kernel,
            traits: [&launched, &source, monoid.name(), element].map(str::to_owned).into(),
            lacks: format!("{:?}", optional - features),
            foreseen: Foreseen::of(self),
            memory: 0..=u64::MAX,
        }
    }

    /// Returns true if a device with these features is given this text, too.
    pub fn is_text_with(&self, features: Features, text: &str) -> bool {
        let Permutation { monoid, form, options, stage, .. } = self;
        options.check(monoid, *form, features, &generous()).is_ok()
            && monoid.compose(*stage, features).as_deref() == Some(text)
    }
}

/// The name of a stage's task in a form.
fn step(form: ShapeKind, stage: Stage) -> &'static str {
    let place = match (stage.reads, stage.writes) {
        (Reads::Partials, _) => 2,
        (_, Writes::Partials) => 1,
        _ => 0,
    };
    match form {
        ShapeKind::Whole if stage.reads == Reads::Adjoining => "Adjoining { workgroup_size: 256 }",
        ShapeKind::Whole => "Whole { workgroup_size: 256 }",
        ShapeKind::Accumulate => "Accumulate { workgroup_size: 256 }",
        ShapeKind::Strided => "Strided",
        ShapeKind::Segments => ["Segments", "Chunks", "Merge"][place],
        ShapeKind::Offsets => ["Offsets", "Tiles", "Join"][place],
        ShapeKind::Axis => ["Columns", "ColumnChunks", "ColumnMerge"][place],
        other => unreachable!("{other:?} is new"),
    }
}

/// Every operator over every element type that it is defined for.
pub fn monoids() -> Vec<Monoid> {
    let over = |element| Op::ALL.iter().filter_map(move |op| op.over(element).ok());
    Element::ALL.into_iter().flat_map(over).collect()
}

/// Limits that allow every workgroup.
pub fn generous() -> Limits {
    Limits {
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        max_compute_workgroup_storage_size: 1 << 20,
        ..Limits::default()
    }
}

/// Every way to make a reducer: each form, with elements and states, in one launch and two, and exact; each rung,
/// by each of its finishes.
pub fn ways(workgroup_size: u32) -> Vec<(ShapeKind, Options<'static>)> {
    let mut ways = Vec::new();
    for form in ShapeKind::ALL {
        let states: &[bool] = match form {
            ShapeKind::Whole | ShapeKind::Segments | ShapeKind::Axis => &[false, true],
            _ => &[false],
        };
        for &from_states in states {
            for &to_states in states {
                let options = Options::default().with_from_states(from_states).with_to_states(to_states);
                ways.push((form, options));
                if form != ShapeKind::Accumulate {
                    ways.push((form, options.with_accuracy(Accuracy::Exact)));
                }
                if matches!(form, ShapeKind::Whole | ShapeKind::Strided) {
                    ways.push((form, options.with_launches(Launches::Two)));
                }
            }
        }
    }
    for rung in RUNGS {
        let tuning = Tuning::of(rung.kernel, &generous(), u64::MAX).with_workgroup_size(workgroup_size);
        for &finish in rung.finishes {
            let strategy = Strategy::Rung { rung, finish, tuning };
            ways.push((ShapeKind::Whole, Options::default().with_strategy(strategy)));
        }
    }
    ways
}

/// Every stage of an operator's reducers on every kind of device that runs it, in workgroups of one size.
pub fn permutations(monoid: &Monoid, workgroup_size: u32) -> Vec<Permutation<'_>> {
    let optional = &OPTIONAL[..if monoid.element() == Some(Element::F64) { 3 } else { 2 }];
    let devices = (0..1 << optional.len()).map(|mask: usize| {
        let lacking = optional.iter().enumerate().filter(move |(bit, _)| mask >> bit & 1 == 1);
        lacking.fold(HELPFUL_FEATURES, |features, (_, feature)| features - *feature)
    });
    let devices: Vec<_> = devices.collect();
    let mut permutations = Vec::new();
    for (form, options) in ways(workgroup_size) {
        let mut stages = options.stages(monoid, form, &generous());
        for stage in &mut stages {
            stage.workgroup_size = stage.workgroup_size.min(workgroup_size);
        }
        stages.dedup();
        // Results of several numbers may go to an array each.
        if monoid.out_elements().is_some_and(|numbers| numbers.len() > 1) {
            let mut each = stages.clone();
            each.retain(|stage| stage.writes == Writes::Results);
            each.iter_mut().for_each(|stage| stage.writes = Writes::Components);
            stages.extend(each);
        }
        for &features in &devices {
            if options.check(monoid, form, features, &generous()).is_ok() {
                let of = |stage: &Stage| Permutation { monoid, form, options, stage: *stage, features };
                permutations.extend(stages.iter().map(of));
            }
        }
    }
    permutations
}

/// A kernel that one or more permutations are composed to.
pub struct Entry<'a> {
    pub item: Item,
    /// The first of the permutations.
    pub first: Permutation<'a>,
}

impl AsRef<Item> for Entry<'_> {
    fn as_ref(&self) -> &Item {
        &self.item
    }
}

/// The distinct kernels of some operators.
#[derive(Default)]
pub struct Distinct<'a> {
    pub kernels: Vec<Entry<'a>>,
    pub permutations: usize,
    /// The askers that were met, with operator and element type.
    pub met: HashSet<(String, Op, Option<Element>)>,
}

/// The part of the program that asks for a kernel: a rung and its finish, or a form.
pub fn asker(form: ShapeKind, options: &Options<'_>) -> String {
    match options.strategy {
        Strategy::Rung { rung, finish, .. } => format!("{} by {finish}", rung.name()),
        _ => {
            let Options { from_states, to_states, launches, accuracy, .. } = options;
            format!("{form:?} from states {from_states} to states {to_states}, {launches:?}, {accuracy:?}")
        }
    }
}

impl<'a> Distinct<'a> {
    /// Composes all stages in workgroups of one size.
    pub fn of(monoids: &'a [Monoid], workgroup_size: u32) -> Self {
        let mut distinct = Distinct::default();
        for monoid in monoids {
            let mut composed = HashMap::new();
            let mut texts = HashMap::<String, usize>::new();
            for permutation in permutations(monoid, workgroup_size) {
                distinct.permutations += 1;
                if let Some(op) = monoid.op() {
                    let by = asker(permutation.form, &permutation.options);
                    distinct.met.insert((by, op, monoid.element()));
                }
                let at = *composed.entry((permutation.stage, permutation.features)).or_insert_with(|| {
                    let kernel = permutation.kernel();
                    *texts.entry(kernel.wgsl.clone()).or_insert_with(|| {
                        let item = permutation.item(kernel);
                        distinct.kernels.push(Entry { item, first: permutation });
                        distinct.kernels.len() - 1
                    })
                });
                let known = &distinct.kernels[at];
                let labels = || (known.first.label(), permutation.label());
                let must = Foreseen::of(&permutation).must;
                assert_eq!(known.item.foreseen.must, must, "one kernel: {:?}", labels());
            }
        }
        distinct
    }
}

/// Every kernel of an operator at two workgroup sizes.
pub fn labelled(monoid: &Monoid) -> impl Iterator<Item = (String, Kernel)> {
    let all = [64, 256].into_iter().flat_map(|size| permutations(monoid, size));
    all.map(|permutation| (permutation.label(), permutation.kernel()))
}
