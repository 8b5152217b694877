//! Elements on their way to the kernels: Booleans and narrow integers become 32-bit integers on the GPU, and those of lines come next to each
//! other.

use halofold::wgpu;
use halofold::wgpu::util::DeviceExt as _;
use halofold_measure::Kernel;

use super::file::Work;
use crate::failure::Failure;
use crate::files::Stored;
use crate::gpu::Gpu;

/// Invocations of a workgroup, as the kernel has them.
const WORKGROUP: u64 = 64;

/// The most dimensions of an order, as the kernel has them.
const DIMENSIONS: usize = 34;

/// The compiled kernels, one for each type and order of the files.
pub struct Unpack {
    pipelines: Vec<(Form, wgpu::ComputePipeline, wgpu::Buffer)>,
}

/// The type of elements, and the lengths and strides of their order.
type Form = (Stored, Vec<[u64; 2]>);

impl Unpack {
    /// Compiles the kernels that the files need.
    pub fn new(gpu: &Gpu, work: &[Work]) -> Result<Self, Failure> {
        let mut forms: Vec<Form> = Vec::new();
        for work in work.iter().filter(|work| work.is_unpacked()) {
            let form = form(work);
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        let compiled = forms.into_iter().map(|form| {
            let pipeline = compile(gpu, &form)?;
            let order = order(gpu, &form);
            Ok((form, pipeline, order))
        });
        Ok(Unpack { pipelines: compiled.collect::<Result<_, Failure>>()? })
    }

    /// Records unpacking so many elements of each input into the buffer that reductions read.
    pub fn encode<'a>(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        work: &Work,
        inputs: impl Iterator<Item = (&'a wgpu::Buffer, &'a wgpu::Buffer)>,
        len: u64,
    ) {
        let form = form(work);
        let Some((_, pipeline, order)) = self.pipelines.iter().find(|(other, ..)| *other == form) else {
            return;
        };
        let stored = work.stored;
        let most = u64::from(gpu.device.limits().max_compute_workgroups_per_dimension);
        pass.set_pipeline(pipeline);
        for (packed, elements) in inputs {
            let sizes = [len * stored.size(), len * stored.element().size(), order.size()];
            let sizes = sizes.map(|bytes| bytes.next_multiple_of(4));
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
                entries: &[entry(0, packed), entry(1, elements), entry(2, order)],
            });
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups((sizes[1] / 4).div_ceil(WORKGROUP).min(most) as u32, 1, 1);
        }
    }
}

fn form(work: &Work) -> Form {
    (work.stored, work.places().to_vec())
}

/// The order as the kernel reads it. Elements of 64 bits are two words.
fn order(gpu: &Gpu, (stored, places): &Form) -> wgpu::Buffer {
    let words = (stored.size() / 4).max(1);
    let pair = Some([words, 1]).filter(|_| words > 1);
    let places = places.iter().map(|[len, stride]| [*len, stride * words]);
    let places: Vec<_> = pair.into_iter().chain(places).collect();
    let mut order = [[0u32; 4]; DIMENSIONS];
    for (number, (dimension, [len, stride])) in order.iter_mut().zip(&places).enumerate() {
        // The last one is as long as it takes.
        let len = if number + 1 == places.len() { u32::MAX } else { *len as u32 };
        *dimension = [len, *stride as u32, 0, 0];
    }
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("halofold order"),
        contents: bytemuck::cast_slice(&order),
        usage: wgpu::BufferUsages::UNIFORM,
    })
}

fn compile(gpu: &Gpu, (stored, places): &Form) -> Result<wgpu::ComputePipeline, Failure> {
    let number = |truth: bool| f64::from(u8::from(truth));
    let dimensions = if places.is_empty() { 0 } else { places.len() + usize::from(stored.size() == 8) };
    let kernel = Kernel {
        wgsl: include_str!("unpack.wgsl").to_owned(),
        entry_point: "unpack",
        overrides: vec![
            ("BITS", 8.0 * stored.size().min(4) as f64),
            ("DIMENSIONS", dimensions as f64),
            ("SIGNED", number(stored.is_signed())),
            ("TRUTH", number(*stored == Stored::Bool)),
            ("HALVES", number(stored.element().size() == 2)),
        ],
        label: "halofold.unpack".to_owned(),
    };
    halofold_measure::compile(&gpu.device, &kernel).map_err(Failure::usage)
}
