//! One count: the buffer with the keys, and where the counts go.

use wgpu::Queue;

use crate::Prepared;
use crate::histogram::error::HistogramError;
use crate::histogram::plan::Plan;
use crate::histogram::record::{Histogram, KEY};
use crate::read;
use crate::reduce::BufferRange;
use crate::slice::Slice;

/// The description of one histogram. [`Histogram::of`] starts it, and one of [`into`](Counting::into),
/// [`wait`](Counting::wait), [`read`](Counting::read) and [`plan`](Counting::plan) ends it. It borrows the
/// histogram (`'h`) and the buffer (`'b`), each for its own time.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is recorded before `into`, `wait` or `read`"]
pub struct Counting<'h, 'b> {
    histogram: &'h Histogram,
    keys: Slice<'b>,
    len: Option<u64>,
}

impl<'h, 'b> Counting<'h, 'b> {
    pub(super) fn new(histogram: &'h Histogram, keys: Slice<'b>) -> Self {
        Counting { histogram, keys, len: None }
    }

    /// Counts only the first `n` keys, for a buffer with more room than data. With `len(0)` any buffer is an
    /// empty input. If the input has fewer keys, the last step returns [`HistogramError::TooFewKeys`].
    pub fn len(self, n: u64) -> Self {
        Counting { len: Some(n), ..self }
    }

    /// Plans the dispatches.
    ///
    /// # Errors
    ///
    /// See [`Config::plan`](crate::histogram::Config::plan) and [`Counting::len`].
    pub fn plan(&self) -> Result<Plan, HistogramError> {
        let has = self.keys.size() / KEY;
        let len = self.len.unwrap_or(has);
        if len > has {
            return Err(HistogramError::TooFewKeys { asked: len, has });
        }
        self.histogram.plan(BufferRange { offset: self.keys.offset(), len })
    }

    /// Binds the buffers, once, and returns a histogram that can be recorded any number of times.
    ///
    /// The output is one `u32` per bin. This call compiles the kernels that are not compiled yet. It
    /// allocates one small uniform buffer, and a bind group per dispatch. Nothing is submitted, and no buffer
    /// is read or written yet.
    ///
    /// # Errors
    ///
    /// - The errors of [`Counting::plan`].
    /// - A buffer is too short, lacks [`wgpu::BufferUsages::STORAGE`], starts at an invalid offset, or is
    ///   both input and output.
    pub fn into<'s>(self, counts: impl Into<Slice<'s>>) -> Result<Prepared<Plan>, HistogramError> {
        self.histogram.prepare(self.plan()?, self.keys, counts.into())
    }

    /// Records, submits, waits, and returns the counts, one per bin. This is for tools and tests. In a
    /// browser only [`Counting::read`] works.
    ///
    /// # Errors
    ///
    /// - The errors of [`Counting::into`].
    /// - The device is lost.
    pub fn wait(self, queue: &Queue) -> Result<Vec<u32>, HistogramError> {
        let counts = self.submit(queue)?.wait(self.histogram.config().output())?;
        Ok(bytemuck::pod_collect_to_vec(&counts))
    }

    /// Returns the counts without blocking. It records and submits at once. The future completes when the
    /// work is done and something else has polled the device; in a browser it completes without polling.
    ///
    /// # Errors
    ///
    /// See [`Counting::wait`].
    pub fn read(self, queue: &Queue) -> impl Future<Output = Result<Vec<u32>, HistogramError>> + use<> {
        let size = self.histogram.config().output();
        let counts = self.submit(queue).map(|readback| readback.read(size));
        async move { Ok(bytemuck::pod_collect_to_vec(&counts?.await?)) }
    }

    fn submit(self, queue: &Queue) -> Result<read::Readback, HistogramError> {
        let size = self.histogram.config().output();
        read::submit((self.histogram.device(), queue), size, |counts, encoder| {
            self.histogram.prepare(self.plan()?, self.keys, counts.into())?.encode(encoder);
            Ok(())
        })
    }
}
