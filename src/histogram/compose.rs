//! Composes the WGSL of one dispatch from a config and a step.

use crate::histogram::config::Config;
use crate::histogram::keys::Keys;
use crate::histogram::plan::Step;
use crate::histogram::tuning::Method;
use crate::operation::kernel::{Access, PARAMETERS, Slot};
use crate::shader::{self, Composer};

impl Config {
    /// The file that contains the entry point of a step.
    fn kernel(&self, step: Step) -> &'static str {
        match (step, self.tuning.method) {
            (Step::Clear, _) => "histogram/clear",
            (Step::Count, Method::Workgroup { .. }) => "histogram/workgroup",
            (Step::Count, Method::Storage) => "histogram/storage",
        }
    }

    /// Returns the label of a step's module and pipeline.
    pub fn label(&self, step: Step) -> String {
        shader::label(&[self.kernel(step)])
    }

    /// Composes the WGSL of a step: the kernel first, then everything that it imports. The entry point is
    /// `main`.
    pub fn compose(&self, step: Step) -> String {
        let keys = match self.keys {
            Keys::Numbers => "histogram/shared/keys",
            Keys::Ranges { .. } => "histogram/shared/ranges",
        };
        Composer::default().choose("keys", keys).compose(self.kernel(step), &[])
    }

    /// The values of a step's overrides.
    pub fn overrides(&self, step: Step) -> Vec<(&'static str, f64)> {
        let mut overrides =
            vec![("WG", f64::from(self.tuning.workgroup_size)), ("BINS", f64::from(self.bins))];
        if let (Step::Count, Method::Workgroup { copies, slices, merge }) = (step, self.tuning.method) {
            overrides.extend([
                ("COPIES", f64::from(copies)),
                ("SLICES", f64::from(slices)),
                ("SLICE_BINS", f64::from(self.bins.div_ceil(slices.max(1)))),
                ("SLOTS", f64::from(self.tuning.method.slots(self.bins))),
                ("MERGE", f64::from(u8::from(merge))),
            ]);
        }
        overrides
    }

    /// The bindings of group 0 that a step's module declares.
    pub(super) fn slots(&self, step: Step) -> &'static [Slot] {
        const SLOTS: [Slot; 5] = [
            (1, Access::Write),
            (PARAMETERS, Access::Uniform),
            (0, Access::Read),
            (3, Access::Read),
            (5, Access::Read),
        ];
        match (step, self.keys) {
            (Step::Clear, _) => &SLOTS[..2],
            (Step::Count, Keys::Numbers) => &SLOTS[..4],
            (Step::Count, Keys::Ranges { .. }) => &SLOTS,
        }
    }
}
