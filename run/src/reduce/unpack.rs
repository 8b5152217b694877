//! Packed elements on their way to the reductions: Booleans and narrow integers become 32-bit integers on the GPU.

use halofold::wgpu;
use halofold_measure::translate::Kernel;

use super::file::Work;
use crate::failure::Failure;
use crate::files::Stored;
use crate::gpu::Gpu;

/// Invocations of a workgroup, as the kernel has them.
const WORKGROUP: u64 = 64;

/// The compiled kernels, one for each packed type of the files.
pub struct Unpack {
    pipelines: Vec<(Stored, wgpu::ComputePipeline)>,
}

impl Unpack {
    /// Compiles the kernels that the files need.
    pub fn new(gpu: &Gpu, work: &[Work]) -> Result<Self, Failure> {
        let has = |stored: &Stored| work.iter().any(|work| work.stored == *stored);
        let types = Stored::PACKED.into_iter().filter(has);
        let compiled = types.map(|stored| Ok((stored, compile(gpu, stored)?)));
        Ok(Unpack { pipelines: compiled.collect::<Result<_, Failure>>()? })
    }

    /// Records unpacking so many elements of each input into the buffer that reductions read.
    pub fn encode<'a>(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        stored: Stored,
        inputs: impl Iterator<Item = (&'a wgpu::Buffer, &'a wgpu::Buffer)>,
        len: u64,
    ) {
        let Some((_, pipeline)) = self.pipelines.iter().find(|(packed, _)| *packed == stored) else { return };
        let most = u64::from(gpu.device.limits().max_compute_workgroups_per_dimension);
        pass.set_pipeline(pipeline);
        for (packed, elements) in inputs {
            let sizes = [(len * stored.size()).next_multiple_of(4), len * stored.element().size()];
            let entry = |binding: usize, buffer| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: 0,
                    size: wgpu::BufferSize::new(sizes[binding]),
                }),
            };
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("halofold unpack"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[entry(0, packed), entry(1, elements)],
            });
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(len.div_ceil(WORKGROUP).min(most) as u32, 1, 1);
        }
    }
}

fn compile(gpu: &Gpu, stored: Stored) -> Result<wgpu::ComputePipeline, Failure> {
    let number = |truth: bool| f64::from(u8::from(truth));
    let kernel = Kernel {
        wgsl: include_str!("unpack.wgsl").to_owned(),
        entry_point: "unpack",
        overrides: vec![
            ("BITS", 8.0 * stored.size() as f64),
            ("SIGNED", number(stored.is_signed())),
            ("TRUTH", number(stored == Stored::Bool)),
        ],
        label: "halofold.unpack".to_owned(),
    };
    halofold_measure::compile(&gpu.device, &kernel).map_err(Failure::usage)
}
