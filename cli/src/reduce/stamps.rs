//! The GPU's clock around kernels that nobody waits for. (The library's timer waits for what it times.)

use halofold::read::Readback;
use halofold::wgpu;

use crate::failure::Failure;
use crate::gpu::Gpu;

/// Timestamps of one piece's kernels.
pub struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: Readback,
    ms_per_tick: f64,
}

impl Stamps {
    /// Room for so many kernels; `None` on a device without timestamps.
    pub fn new(gpu: &Gpu, kernels: u32) -> Option<Self> {
        let size = u64::from(2 * kernels) * 8;
        gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| Stamps {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("halofold reduce"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * kernels,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("halofold reduce"),
                size,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            readback: Readback::new(&gpu.device, size),
            ms_per_tick: f64::from(gpu.queue.get_timestamp_period()) / 1e6,
        })
    }

    /// What goes around the pass of kernel number `place`.
    pub fn around(&self, place: u32) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * place),
            end_of_pass_write_index: Some(2 * place + 1),
        }
    }

    /// How long each of the first so many kernels took, once they are done: on macOS, stamps that are resolved earlier
    /// may be zeros. Stamps that make no sense are no time.
    pub fn read(&self, gpu: &Gpu, kernels: u32) -> Result<Vec<Option<f64>>, Failure> {
        let size = u64::from(2 * kernels) * 8;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.resolve_query_set(&self.queries, 0..2 * kernels, &self.resolved, 0);
        self.readback.encode(&mut encoder, &self.resolved, 0, size).map_err(Failure::usage)?;
        gpu.queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(&gpu.device, size).map_err(Failure::usage)?;
        let ticks: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        Ok(ticks
            .chunks_exact(2)
            .map(|pair| elapsed(pair[0], pair[1]).map(|t| t * self.ms_per_tick))
            .collect())
    }
}

/// The ticks between two stamps, unless they are zero or run backwards.
fn elapsed(start: u64, end: u64) -> Option<f64> {
    let ticks = end.checked_sub(start).filter(|ticks| start != 0 && *ticks > 0);
    ticks.map(|ticks| ticks as f64)
}

#[cfg(test)]
mod tests {
    use super::elapsed;

    #[test]
    fn stamps_that_make_no_sense_are_no_time() {
        assert_eq!(elapsed(5, 7), Some(2.0));
        for (start, end) in [(0, 7), (7, 7), (9, 7)] {
            assert_eq!(elapsed(start, end), None);
        }
    }
}
