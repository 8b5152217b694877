//! Facts about a kernel that are known without running it.

use naga::common::wgsl::TypeContext as _;
use naga::valid::FunctionInfo;
use naga::{AddressSpace, GlobalVariable, ImageClass, Module, Scalar, StorageAccess, TypeInner};

/// Static facts about one entry point, for one value of each override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub workgroup_size: [u32; 3],
    pub workgroup_memory_bytes: u64,
    pub bindings: Vec<Binding>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub group: u32,
    pub slot: u32,
    pub name: String,
    pub access: Access,
    pub ty: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Uniform,
    Read,
    ReadWrite,
    Texture,
    StorageTexture,
}

impl Access {
    /// That of a variable; `None` if it is neither a buffer nor a texture.
    pub(super) fn of(module: &Module, variable: &GlobalVariable) -> Option<Self> {
        match variable.space {
            AddressSpace::Handle => match module.types[variable.ty].inner {
                TypeInner::Image { class: ImageClass::Storage { .. }, .. } => Some(Access::StorageTexture),
                TypeInner::Image { .. } => Some(Access::Texture),
                _ => None,
            },
            AddressSpace::Uniform => Some(Access::Uniform),
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                Some(Access::ReadWrite)
            }
            AddressSpace::Storage { .. } => Some(Access::Read),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Access::Uniform => "var<uniform>",
            Access::Read => "var<storage, read>",
            Access::ReadWrite => "var<storage, read_write>",
            Access::Texture | Access::StorageTexture => "var",
        }
    }
}

impl Facts {
    /// Those of an entry point of a module without overrides.
    pub(super) fn of(module: &Module, info: &FunctionInfo, index: usize) -> Self {
        let entry = &module.entry_points[index];
        let used = || module.global_variables.iter().filter(|(handle, _)| !info[*handle].is_empty());
        let mut bindings: Vec<_> = used()
            .filter_map(|(_, variable)| {
                let (at, access) = (variable.binding?, Access::of(module, variable)?);
                let (name, ty) =
                    (variable.name.clone().unwrap_or_default(), module.to_ctx().type_to_string(variable.ty));
                Some(Binding { group: at.group, slot: at.binding, name, access, ty })
            })
            .collect();
        bindings.sort_by_key(|binding| (binding.group, binding.slot));
        let memory = used().filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
        Facts {
            workgroup_size: entry.workgroup_size,
            workgroup_memory_bytes: memory
                .map(|(_, variable)| u64::from(module.types[variable.ty].inner.size(module.to_ctx())))
                .sum(),
            bindings,
        }
    }
}

/// The name of a type that some language lacks, in WGSL: 64-bit ones, 16-bit ones, and atomics of these and of floats.
pub(super) fn special_scalar(inner: &TypeInner) -> Option<&'static str> {
    let (scalar, atomic) = match *inner {
        TypeInner::Atomic(scalar) => (scalar, true),
        _ => (inner.scalar()?, false),
    };
    match (scalar, atomic) {
        (Scalar::F64, _) => Some("f64"),
        (Scalar::F16, _) => Some("f16"),
        (Scalar::F32, true) => Some("atomic<f32>"),
        (Scalar::I64, true) => Some("atomic<i64>"),
        (Scalar::U64, true) => Some("atomic<u64>"),
        (Scalar::I64, false) => Some("i64"),
        (Scalar::U64, false) => Some("u64"),
        _ => None,
    }
}
