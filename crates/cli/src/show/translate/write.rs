//! naga's writers, with the options that wgpu-hal 30 gives them.

use std::error::Error;

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Module, ResourceBinding, ShaderStage};

use super::Code;
use super::facts::Access;

type Written = Result<(Code, String), Box<dyn Error>>;

/// The slots of a pipeline layout, in the order in which wgpu goes over them.
#[derive(Debug)]
pub(super) struct Layout(Vec<(ResourceBinding, Access)>);

impl Layout {
    /// Every uniform of the module, and the storage buffers that the entry point uses.
    pub(super) fn new(module: &Module, entry: &FunctionInfo) -> Self {
        let mut slots: Vec<_> = module
            .global_variables
            .iter()
            .filter_map(|(handle, variable)| {
                let access = Access::of(module, variable)?;
                let bound = access == Access::Uniform || !entry[handle].is_empty();
                variable.binding.filter(|_| bound).map(|binding| (binding, access))
            })
            .collect();
        slots.sort_by_key(|(binding, _)| *binding);
        Layout(slots)
    }

    /// Each slot with its number among those that `class` puts into the same class.
    fn numbered<C: PartialEq>(
        &self,
        class: impl Fn(ResourceBinding, Access) -> C,
    ) -> impl Iterator<Item = (ResourceBinding, Access, u32)> {
        self.0.iter().enumerate().map(move |(at, &(binding, access))| {
            let own = class(binding, access);
            let before = self.0[..at].iter().filter(|(binding, access)| class(*binding, *access) == own);
            (binding, access, before.count() as u32)
        })
    }
}

/// Vulkan: `wgpu-hal/src/vulkan/adapter.rs`, `naga_options`, and `compile_stage` in `device.rs`.
pub(super) fn spirv(module: &Module, info: &ModuleInfo, entry_point: &str, layout: &Layout) -> Written {
    let binding = |(at, _, number): (ResourceBinding, Access, u32)| {
        let target = spv::BindingInfo { descriptor_set: at.group, binding: number, binding_array_size: None };
        (at, target)
    };
    let options = spv::Options {
        lang_version: (1, 5),
        flags: spv::WriterFlags::DEBUG
            | spv::WriterFlags::LABEL_VARYINGS
            | spv::WriterFlags::FORCE_POINT_SIZE,
        // The slots of a group are counted from 0 without gaps.
        binding_map: layout.numbered(|at, _| at.group).map(binding).collect(),
        fake_missing_bindings: false,
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            ..Default::default()
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: true,
        ..spv::Options::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry_point.to_owned() };
    let words = spv::write_vec(module, info, &options, Some(&pipeline))?;
    Ok((Code::Words(words), entry_point.to_owned()))
}

/// Metal: `wgpu-hal/src/metal/device.rs`, `load_shader` and `create_pipeline_layout`.
pub(super) fn msl(module: &Module, info: &ModuleInfo, entry_point: &str, layout: &Layout) -> Written {
    let mut resources = msl::EntryPointResources::default();
    let is_texture = |access| matches!(access, Access::Texture | Access::StorageTexture);
    // Buffers and textures are counted apart.
    for (at, access, number) in layout.numbered(|_, access| is_texture(access)) {
        let slot = Some(number as msl::Slot);
        let mutable = matches!(access, Access::ReadWrite | Access::StorageTexture);
        let target = if is_texture(access) {
            msl::BindTarget { texture: slot, mutable, ..Default::default() }
        } else {
            msl::BindTarget { buffer: slot, mutable, ..Default::default() }
        };
        resources.resources.insert(at, target);
    }
    // Behind all others comes the buffer with the lengths of the runtime-sized arrays.
    let buffers = layout.0.iter().filter(|(_, access)| !is_texture(*access)).count();
    resources.sizes_buffer = Some(buffers as msl::Slot);
    let options = msl::Options {
        lang_version: (3, 2),
        per_entry_point_map: [(entry_point.to_owned(), resources)].into(),
        spirv_cross_compatibility: false,
        fake_missing_bindings: false,
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Restrict,
            image_load: BoundsCheckPolicy::Restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: true,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, entry_point.to_owned())),
        vertex_pulling_transform: true,
        ..Default::default()
    };
    let (text, written) = msl::write_string(module, info, &options, &pipeline)?;
    Ok((Code::Text(text), only_name(written.entry_point_names)?))
}

/// DX12: `wgpu-hal/src/dx12/device.rs`, `load_shader` and `create_pipeline_layout`.
pub(super) fn hlsl(module: &Module, info: &ModuleInfo, entry_point: &str, layout: &Layout) -> Written {
    let register = |access| match access {
        Access::Uniform => 'b',
        Access::Read | Access::Texture => 't',
        Access::ReadWrite | Access::StorageTexture => 'u',
    };
    let target = |(at, _, register): (ResourceBinding, Access, u32)| {
        (at, hlsl::BindTarget { space: 0, register, ..Default::default() })
    };
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_6,
        // Registers b, t and u are counted apart.
        binding_map: layout.numbered(|_, access| register(access)).map(target).collect(),
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: false,
        restrict_indexing: true,
        force_loop_bounding: true,
        ..hlsl::Options::default()
    };
    let pipeline =
        hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, entry_point.to_owned())) };
    let mut text = String::new();
    let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None)?;
    Ok((Code::Text(text), only_name(written.entry_point_names)?))
}

/// OpenGL: `wgpu-hal/src/gles/device.rs`, `create_shader` and `create_pipeline_layout`.
pub(super) fn glsl(module: &Module, info: &ModuleInfo, entry_point: &str, layout: &Layout) -> Written {
    let options = glsl::Options {
        version: glsl::Version::Desktop(450),
        writer_flags: glsl::WriterFlags::ADJUST_COORDINATE_SPACE | glsl::WriterFlags::FORCE_POINT_SIZE,
        // Uniform buffers, storage buffers, textures and storage textures are counted apart.
        binding_map: layout
            .numbered(|_, access| if access == Access::ReadWrite { Access::Read } else { access })
            .map(|(at, _, number)| (at, number as u8))
            .collect(),
        zero_initialize_workgroup_memory: false,
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: entry_point.to_owned(),
        multiview: None,
    };
    // OpenGL's own robustness is relied upon.
    let policies =
        BoundsCheckPolicies { image_load: BoundsCheckPolicy::ReadZeroSkipWrite, ..Default::default() };
    let mut text = String::new();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)?.write()?;
    // GLSL knows one name only.
    Ok((Code::Text(text), "main".to_owned()))
}

fn only_name<E: Error + 'static>(names: Vec<Result<String, E>>) -> Result<String, Box<dyn Error>> {
    let [name] = <[_; 1]>::try_from(names).map_err(|_| "it did not write one entry point")?;
    Ok(name?)
}
