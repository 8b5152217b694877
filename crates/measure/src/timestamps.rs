//! The GPU's clock around passes: pairs of timestamps.

use std::ops::Range;

use halofold::read::Readback;
use wgpu::{BufferUsages, Device, Features, Queue};

use crate::MeasureError;
use crate::buffer::buffer;

const PAIR: u64 = 16;

/// Pairs of timestamps of one device.
#[derive(Debug)]
pub(crate) struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: Readback,
    ms_per_tick: f64,
}

impl Timestamps {
    /// Room for this many pairs; `None` on a device without timestamps.
    pub(crate) fn new(device: &Device, queue: &Queue, pairs: u32) -> Option<Self> {
        let size = PAIR * u64::from(pairs);
        device.features().contains(Features::TIMESTAMP_QUERY).then(|| Timestamps {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("halofold::measure::timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * pairs,
            }),
            resolved: buffer(
                device,
                "halofold::measure::resolved",
                size,
                BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
            ),
            readback: Readback::new(device, size),
            ms_per_tick: f64::from(queue.get_timestamp_period()) / 1e6,
        })
    }

    /// Timestamp writes for the pass whose time is number `place`.
    pub(crate) fn around(&self, place: u32) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * place),
            end_of_pass_write_index: Some(2 * place + 1),
        }
    }

    /// The milliseconds of some passes that are over, in a submission of its own; `None` for those whose timestamps make no
    /// sense.
    pub(crate) fn resolve(
        &self,
        device: &Device,
        queue: &Queue,
        places: Range<u32>,
    ) -> Result<Vec<Option<f64>>, MeasureError> {
        let size = PAIR * places.len() as u64;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
            label: Some("halofold::measure::resolve"),
        });
        encoder.resolve_query_set(&self.queries, 2 * places.start..2 * places.end, &self.resolved, 0);
        self.readback.encode(&mut encoder, &self.resolved, 0, size)?;
        queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(size)?;
        let ticks: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        let ms = |pair: &[u64]| elapsed(pair[0], pair[1]).map(|ticks| ticks as f64 * self.ms_per_tick);
        Ok(ticks.chunks_exact(2).map(ms).collect())
    }
}

/// The ticks between two timestamps; `None` if either is zero, they are equal or run backwards.
fn elapsed(start: u64, end: u64) -> Option<u64> {
    end.checked_sub(start).filter(|ticks| start != 0 && *ticks > 0)
}

#[cfg(test)]
mod tests {
    use super::elapsed;

    #[test]
    fn invalid_timestamps_give_no_time() {
        assert_eq!(elapsed(5, 7), Some(2));
        for (start, end) in [(0, 0), (0, 7), (7, 0), (7, 7), (9, 7), (u64::MAX, 1)] {
            assert_eq!(elapsed(start, end), None, "{start} to {end}");
        }
    }
}
