//! One result from elements that are a stride apart.

use crate::gpu::error::Error;
use crate::gpu::window::Window;
use crate::reduce::plan::request::step;
use crate::reduce::plan::whole::Spread;
use crate::reduce::plan::{Inputs, Plan, Reads, Request, Span};
use crate::reduce::tuning::Tuning;

/// Workgroups that keep a GPU busy with scattered loads.
const MOST_WORKGROUPS: u32 = 2112;

/// The most windows. With more, a binding would hold too few elements to be worth a dispatch.
const MOST_WINDOWS: u64 = 1 << 16;

impl Request<'_> {
    /// Plans the reduction of `len` elements, each `stride` apart: one dispatch per window.
    pub(super) fn strided(&self, inputs: Inputs, stride: u64) -> Result<Plan, Error> {
        let len = inputs.first.len;
        let step = step(stride)?;
        let span = self.room() / self.item_size();
        // Elements of one window. The last one needs no stride after it.
        let most = span.saturating_sub(1) / stride + 1;
        // Bytes of as many elements as each window must hold.
        let least = (len.div_ceil(MOST_WINDOWS).saturating_sub(1) * stride + 1) * self.item_size();
        let lost = self.largest_binding() - self.room();
        self.check_binding("a window of the input", least.saturating_add(lost), "split the input")?;
        let windows = (0..len.div_ceil(most).max(1)).map(|number| {
            let begin = number * most;
            self.apart(inputs, begin..len.min(begin + most), stride)
        });
        let kernel = self.monoid.fold().whole;
        // Exact sums have few workgroups: of usual size, as on a device that has no larger ones.
        let most = if self.monoid.fold().shares_memory {
            let usual = wgpu::Limits {
                max_compute_invocations_per_workgroup: self.workgroup_size(),
                ..self.limits.clone()
            };
            Tuning::of(kernel, &usual, len.saturating_mul(self.item_size())).max_workgroups
        } else {
            MOST_WORKGROUPS
        };
        let spread = Spread { most, stride: step };
        let stage = self.stage(kernel, Reads::Strided, self.last());
        self.spread(&windows.collect::<Vec<_>>(), stage, spread)
    }

    /// The window that holds the elements `range`, counted in strides.
    fn apart(&self, inputs: Inputs, range: std::ops::Range<u64>, stride: u64) -> Span {
        if range.is_empty() {
            return self.span(inputs, range);
        }
        let spanned = range.start * stride..(range.end - 1) * stride + 1;
        let span = self.span(inputs, spanned);
        let window =
            Window { len: (range.end - range.start) as u32, index: range.start as u32, ..span.window };
        Span { window, ..span }
    }
}
