//! The kernels of a reduction: a rung, or a shape of the library.

use std::fmt;

use halofold::adapter::HELPFUL_FEATURES;
use halofold::reduce::ladder::Coverage;
use halofold::reduce::plan::{Stage, Writes};
use halofold::reduce::{Monoid, Options, ReduceError, ShapeKind};
use halofold::wgpu::Features;
use halofold_measure::{Job, Kernel};

use super::limits;
use super::translate::{Language, TranslateError, stage_name, translate};
use crate::failure::Failure;
use crate::lists::each_once;

/// An operator, its shape, and how.
pub struct Reduction {
    name: &'static str,
    monoid: Monoid,
    shape: ShapeKind,
    options: Options<'static>,
}

impl Reduction {
    /// The kernels of a rung.
    pub fn of_rung(job: &Job) -> Self {
        Reduction {
            name: job.rung.name(),
            monoid: job.monoid(),
            shape: ShapeKind::Whole,
            options: job.options(),
        }
    }

    /// The kernels that the library launches for a shape.
    pub fn of_shape(name: &'static str, monoid: Monoid, shape: ShapeKind, subgroups: bool) -> Self {
        Reduction { name, monoid, shape, options: Options::default().with_subgroups(subgroups) }
    }

    /// The kernels that reduce the change of a stencil's step.
    pub fn of_residual(monoid: Monoid, subgroups: bool) -> Self {
        Reduction::of_shape("residual", monoid, ShapeKind::Whole, subgroups)
    }

    /// Checks that a device of any back end runs it.
    pub fn check(&self) -> Result<(), Failure> {
        self.options.check(&self.monoid, self.shape, HELPFUL_FEATURES, &limits()).map_err(Failure::usage)
    }

    /// The stage of that name as a large input has it.
    pub fn stage(&self, wanted: &str) -> Result<Stage, Failure> {
        let stages = self.options.stages(&self.monoid, self.shape, &limits());
        // A rung's elements become partial results on the way to the result; those of another shape become results.
        let (name, writes) = match wanted {
            "elements" if self.shape == ShapeKind::Whole => (wanted, Writes::Partials),
            "chunks" => ("elements", Writes::Partials),
            _ => (wanted, Writes::Results),
        };
        let named = || stages.iter().filter(|stage| stage_name(**stage) == name);
        let usual = named().find(|stage| stage.writes == writes && stage.kernel.coverage != Coverage::One);
        let any = || if wanted == "chunks" { None } else { named().next() };
        usual.or_else(any).copied().ok_or_else(|| {
            let mut offered = each_once(stages.iter().map(|stage| stage_name(*stage)));
            offered.sort_unstable();
            if self.shape != ShapeKind::Whole && stages.iter().any(|stage| stage.writes == Writes::Partials) {
                offered.insert(0, "chunks");
            }
            Failure::Usage(format!("{self} has no stage `{wanted}`; it has {}", offered.join(", ")))
        })
    }

    /// The kernel on a device of the language's back end that has all that such a device may have.
    pub fn kernel(&self, stage: Stage, language: Language) -> Result<Kernel, Failure> {
        let allowed = |features: Features| {
            if self.options.subgroups { features } else { features - Features::SUBGROUP }
        };
        let translatable = Kernel::of(&self.monoid, stage, allowed(HELPFUL_FEATURES))
            .map_or(Ok(()), |kernel| translate(&kernel, language).map(|_| ()));
        let offered = allowed(language.offered());
        let runs = self.options.check(&self.monoid, self.shape, offered, &limits());
        match (Kernel::of(&self.monoid, stage, offered), runs) {
            (Some(kernel), Ok(())) => Ok(kernel),
            // That the language lacks a type says more than that no device offers the feature.
            (_, Err(error)) => Err(match translatable {
                Err(error @ TranslateError::Type { .. }) => Failure::usage(error),
                _ => Failure::Usage(never_offered(&error, language)),
            }),
            (None, Ok(())) => Err(Failure::usage("the operator has no such kernel")),
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)
    }
}

/// Error text for code that naga can write but no wgpu device of this back end accepts.
fn never_offered(error: &ReduceError, language: Language) -> String {
    let backend = match language {
        Language::Wgsl | Language::Spirv => "Vulkan",
        Language::Msl => "Metal",
        Language::Hlsl => "DX12",
        Language::Glsl => "OpenGL",
    };
    match error {
        ReduceError::MissingFeature { name, feature, .. } => {
            let names: Vec<_> = feature.iter_names().map(|(name, _)| name).collect();
            format!("`{name}` needs {}, which wgpu offers on no {backend} device", names.join(" and "))
        }
        error => error.to_string(),
    }
}
