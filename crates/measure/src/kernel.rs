use halofold::reduce::Monoid;
use halofold::reduce::plan::Stage;
use halofold::stencil::Config;
use wgpu::Features;

/// A compute kernel with everything that makes a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The whole module.
    pub wgsl: String,
    /// Its entry point.
    pub entry_point: &'static str,
    /// The values of its overrides.
    pub overrides: Vec<(&'static str, f64)>,
    /// The label of its module and pipeline, which DXC uses as a file name.
    pub label: String,
}

impl Kernel {
    /// Composes a stage for a device with these features; `None` if the operator has no such stage.
    pub fn of(monoid: &Monoid, stage: Stage, features: Features) -> Option<Self> {
        let wgsl = monoid.compose(stage, features)?;
        let label = monoid.label(stage);
        Some(Kernel { wgsl, entry_point: "main", overrides: stage.overrides(), label })
    }

    /// Composes the main kernel of a stencil.
    pub fn of_stencil(config: &Config) -> Self {
        let (wgsl, overrides) = (config.compose(), config.overrides());
        Kernel { wgsl, entry_point: "main", overrides, label: config.label() }
    }
}

impl From<halofold::Kernel> for Kernel {
    fn from(halofold::Kernel { wgsl, entry_point, overrides, label, .. }: halofold::Kernel) -> Self {
        Kernel { wgsl, entry_point, overrides, label }
    }
}
