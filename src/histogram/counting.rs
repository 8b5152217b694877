//! One histogram: which keys of which buffer, and what becomes of the counts.

use wgpu::Queue;

use crate::histogram::error::HistogramError;
use crate::histogram::plan::Plan;
use crate::histogram::record::{Histogram, KEY, Prepared};
use crate::read;
use crate::reduce::Extent;
use crate::slice::Slice;

/// The keys that a [`Histogram`] is to count: made by [`Histogram::of`], ended by [`into`](Counting::into), [`wait`](Counting::wait),
/// [`read`](Counting::read) or [`plan`](Counting::plan).
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is recorded before `into`, `wait` or `read`"]
pub struct Counting<'a> {
    histogram: &'a Histogram,
    keys: Slice<'a>,
}

impl<'a> Counting<'a> {
    pub(super) fn new(histogram: &'a Histogram, keys: Slice<'a>) -> Self {
        Counting { histogram, keys }
    }

    /// The dispatches.
    ///
    /// # Errors
    ///
    /// Those of [`Job::plan`](crate::histogram::Job::plan).
    pub fn plan(&self) -> Result<Plan, HistogramError> {
        self.histogram.plan(Extent { offset: self.keys.offset(), len: self.keys.size() / KEY })
    }

    /// Binds buffers, once; what comes back can be recorded any number of times.
    ///
    /// The output is one `u32` a bin. Allocates one small uniform buffer and a bind group per dispatch; the first time it compiles what is
    /// not compiled yet. Nothing is submitted, and no buffer is read or written yet.
    ///
    /// # Errors
    ///
    /// Those of [`Counting::plan`]; a buffer that is too short, lacks [`wgpu::BufferUsages::STORAGE`], starts in the wrong place or is
    /// both input and output.
    pub fn into(self, counts: impl Into<Slice<'a>>) -> Result<Prepared, HistogramError> {
        self.histogram.prepare(self.keys, counts.into())
    }

    /// Records, submits and waits: the counts on the host, one a bin. For tools and tests. In a browser only [`Counting::read`] works.
    ///
    /// # Errors
    ///
    /// Those of [`Counting::into`]; a device that is lost.
    pub fn wait(self, queue: &Queue) -> Result<Vec<u32>, HistogramError> {
        let counts = self.submit(queue)?.wait(self.histogram.job().output())?;
        Ok(bytemuck::pod_collect_to_vec(&counts))
    }

    /// The same without blocking: submits at once, and completes when the work is done and the device has been polled, by somebody
    /// else (in a browser, on its own).
    ///
    /// # Errors
    ///
    /// As [`Counting::wait`].
    pub fn read(self, queue: &Queue) -> impl Future<Output = Result<Vec<u32>, HistogramError>> + use<'a> {
        let counts = self.submit(queue).map(|readback| readback.read(self.histogram.job().output()));
        async move { Ok(bytemuck::pod_collect_to_vec(&counts?.await?)) }
    }

    fn submit(self, queue: &Queue) -> Result<read::Readback, HistogramError> {
        let size = self.histogram.job().output();
        read::submit((self.histogram.device(), queue), size, |counts, encoder| {
            self.histogram.prepare(self.keys, counts.into())?.encode(encoder);
            Ok(())
        })
    }
}
