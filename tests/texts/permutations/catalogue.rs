//! Every kernel that a reducer may launch: operators over element types, forms and rungs, results and states, on every kind of device.

use std::collections::HashSet;
use std::sync::Arc;

use halofold::adapter::{HELPFUL_FEATURES, feature_names};
use halofold::ladder::{RUNGS, Setup};
use halofold::reduce::plan::Stage;
use halofold::reduce::{Accuracy, Monoid, Op, ShapeKind, Tuning};
use halofold::wgpu::{Features, Limits};
use halofold::{Element, Launches};
use halofold_cases::How;
use halofold_measure::Kernel;

use super::item::Item;

/// Optional features: without them a kernel is composed in another way. The last one matters for 64-bit floats alone.
const OPTIONAL: [Features; 3] = [Features::SUBGROUP, Features::SHADER_FLOAT32_ATOMIC, Features::SHADER_INT64];

/// Everything that decides a kernel's text, and who asks for it.
#[derive(Clone, Copy)]
pub struct Permutation {
    pub monoid: &'static Monoid,
    pub form: ShapeKind,
    pub how: How,
    pub stage: Stage,
    pub features: Features,
}

impl Permutation {
    /// Its name in lists of fingerprints: the same words from one version to the next.
    fn label(&self) -> String {
        let Permutation { monoid, form, how, stage, .. } = *self;
        let (name, element) = (monoid.name(), monoid.element().map_or("structs", Element::name));
        let way = match how.rung {
            Some(Setup { rung, finish, .. }) => format!("{} by {finish}", rung.name()),
            None => format!("{form:?}"),
        };
        let lacks = self.lacks();
        let marks = [
            (how.accuracy == Accuracy::Exact, ", exact"),
            (how.options.launches == Launches::Two, " in two launches"),
            (how.from_states, ", from states"),
            (how.to_states, ", to states"),
            (monoid.sample().is_some(), ", of texels"),
            (!lacks.is_empty(), &*format!(", without {}", feature_names(lacks))),
        ];
        let marks: String = marks.into_iter().filter_map(|(holds, mark)| holds.then_some(mark)).collect();
        let Stage { kernel, reads, writes, workgroup_size, .. } = stage;
        let launched = format!("{} of {workgroup_size}, {reads:?} to {writes:?}", kernel.name);
        format!("{name} of {element}, {way}{marks}: {launched}")
    }

    fn lacks(&self) -> Features {
        OPTIONAL.into_iter().fold(Features::empty(), |all, feature| all | feature) - self.features
    }

    pub fn kernel(&self) -> Kernel {
        Kernel::of(self.monoid, self.stage, self.features).expect("the stage is one of the reducer's")
    }

    /// Its kernel with all that is known of it.
    fn item(self, kernel: Kernel) -> Item {
        let Permutation { monoid, form, how, stage, features } = self;
        let element = monoid.element().map_or("structs", Element::name);
        // All kernels load by the same functions.
        let source = format!("{:?} of {:?}", stage.reads, monoid.sample());
        let launched = format!("{} {:?} {:?}", stage.kernel.name, stage.reads, stage.writes);
        Item {
            traits: [&launched, &source, monoid.name(), element].map(str::to_owned).into(),
            lacks: format!("{:?}", self.lacks()),
            is_given: Arc::new(move |wgsl, offered| {
                how.check(monoid, form, features & offered, &generous()).is_ok()
                    && monoid.compose(stage, features & offered).as_deref() == Some(wgsl)
            }),
            ..Item::new(stage.kernel.file, self.label(), kernel)
        }
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

/// Every way to make a reducer: each form, with elements and states, in one dispatch and two, and exact; each rung and finish.
pub fn ways(workgroup_size: u32) -> Vec<(ShapeKind, How)> {
    let mut ways = Vec::new();
    for form in ShapeKind::ALL {
        let states: &[bool] = match form {
            ShapeKind::Whole | ShapeKind::Segments | ShapeKind::Axis => &[false, true],
            _ => &[false],
        };
        for &from_states in states {
            for &to_states in states {
                let how = How::default().with_from_states(from_states).with_to_states(to_states);
                ways.push((form, how));
                if form != ShapeKind::Accumulate {
                    ways.push((form, how.with_accuracy(Accuracy::Exact)));
                }
                if matches!(form, ShapeKind::Whole | ShapeKind::Strided) {
                    ways.push((form, how.with_launches(Launches::Two)));
                }
            }
        }
    }
    for rung in RUNGS {
        let tuning = Tuning::of(rung.kernel, &generous(), u64::MAX).with_workgroup_size(workgroup_size);
        for &finish in rung.finishes {
            ways.push((ShapeKind::Whole, How::default().with_rung(Setup { rung, finish, tuning })));
        }
    }
    ways
}

/// Every stage of an operator's reducers on every kind of device that runs it, in workgroups of one size.
pub fn permutations(monoid: &'static Monoid, workgroup_size: u32) -> Vec<Permutation> {
    let optional = &OPTIONAL[..if monoid.element() == Some(Element::F64) { 3 } else { 2 }];
    let devices = (0..1 << optional.len()).map(|mask: usize| {
        let lacking = optional.iter().enumerate().filter(move |(bit, _)| mask >> bit & 1 == 1);
        lacking.fold(HELPFUL_FEATURES, |features, (_, feature)| features - *feature)
    });
    let devices: Vec<_> = devices.collect();
    let mut permutations = Vec::new();
    for (form, how) in ways(workgroup_size) {
        let mut stages = how.stages(monoid, form, &generous());
        for stage in &mut stages {
            stage.workgroup_size = stage.workgroup_size.min(workgroup_size);
        }
        stages.dedup();
        for &features in &devices {
            if how.check(monoid, form, features, &generous()).is_ok() {
                let of = |stage: &Stage| Permutation { monoid, form, how, stage: *stage, features };
                permutations.extend(stages.iter().map(of));
            }
        }
    }
    permutations
}

/// The distinct kernels of some operators, in workgroups of one size.
pub fn reductions(monoids: Vec<Monoid>, workgroup_size: u32) -> Vec<Item> {
    let mut items = Vec::new();
    // Items keep their operators.
    for monoid in &*monoids.leak() {
        let (mut composed, mut texts) = (HashSet::new(), HashSet::new());
        for permutation in permutations(monoid, workgroup_size) {
            if composed.insert((permutation.stage, permutation.features)) {
                let kernel = permutation.kernel();
                if texts.insert(kernel.wgsl.clone()) {
                    items.push(permutation.item(kernel));
                }
            }
        }
    }
    items
}
