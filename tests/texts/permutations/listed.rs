//! Lists of the kernels of operations.

use std::collections::HashSet;

use halofold_measure::Kernel;

/// Kernels with their names, each text with its overrides once.
#[derive(Default)]
pub struct Listed {
    kernels: Vec<(String, Kernel)>,
    seen: HashSet<(String, String)>,
}

impl Listed {
    /// Adds kernels as an operation composes them: a label, the WGSL, and the values of overrides.
    pub fn add(
        &mut self,
        operation: &str,
        composed: impl Iterator<Item = (String, String, Vec<(&'static str, f64)>)>,
    ) {
        for (label, wgsl, overrides) in composed {
            if self.seen.insert((wgsl.clone(), format!("{overrides:?}"))) {
                let kernel = Kernel { wgsl, entry_point: "main", overrides, label };
                self.kernels.push((format!("{} of {operation}", kernel.label), kernel));
            }
        }
    }

    pub fn into_kernels(self) -> Vec<(String, Kernel)> {
        self.kernels
    }
}
