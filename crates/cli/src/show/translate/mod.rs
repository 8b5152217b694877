//! A kernel as the code each back end gets: SPIR-V, MSL, HLSL, GLSL, and its static facts. No GPU is needed. `tests/texts` takes
//! this module, too.
//!
//! The text goes through naga as it does inside wgpu 30: parsed, validated, overrides made constants, written by
//! the back end's own writer, with wgpu-hal's options (bounds checks, bounded loops, no zeroing of workgroup
//! memory, slots counted in the same way). Choices that depend on a device are fixed here: [`Language::assumption`].

pub mod facts;
mod write;

use std::fmt;
use std::str::FromStr;

use halofold::adapter::HELPFUL_FEATURES;
use halofold::ladder::Coverage;
use halofold::reduce::plan::{Reads, Stage};
use halofold::wgpu::Features;
use halofold_measure::Kernel;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

use facts::Facts;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Wgsl,
    Spirv,
    Msl,
    Hlsl,
    Glsl,
}

impl Language {
    pub const ALL: [Language; 5] =
        [Language::Wgsl, Language::Spirv, Language::Msl, Language::Hlsl, Language::Glsl];

    pub const fn name(self) -> &'static str {
        match self {
            Language::Wgsl => "wgsl",
            Language::Spirv => "spirv",
            Language::Msl => "msl",
            Language::Hlsl => "hlsl",
            Language::Glsl => "glsl",
        }
    }

    /// The device that a translation assumes, as one that wgpu meets often.
    ///
    /// Another one may get another language version, or a check more or less; the algorithm is the same.
    pub const fn assumption(self) -> &'static str {
        match self {
            Language::Wgsl => "as composed, before naga",
            Language::Spirv => {
                "SPIR-V 1.5 for Vulkan 1.2, robustBufferAccess2 (without it buffer indices are clamped too), \
                 names as in a debug instance"
            }
            Language::Msl => "MSL 3.2 for macOS 15 (wgpu takes the newest that the system has)",
            Language::Hlsl => "shader model 6.6, compiled by DXC (with FXC it would be 5.1)",
            Language::Glsl => "GLSL 4.50 core (OpenGL ES gets 3.10 or 3.20)",
        }
    }

    /// Of the features that help halofold, those that wgpu 30 offers on any device of the back end.
    pub fn offered(self) -> Features {
        let never = match self {
            Language::Wgsl | Language::Spirv => Features::empty(),
            Language::Msl => Features::SHADER_F64 | Features::SHADER_INT64_ATOMIC_ALL_OPS,
            Language::Hlsl => Features::SHADER_F64 | Features::SHADER_FLOAT32_ATOMIC,
            Language::Glsl => HELPFUL_FEATURES - Features::TIMESTAMP_QUERY,
        };
        HELPFUL_FEATURES - never
    }

    fn refusal(self, ty: &str) -> Option<&'static str> {
        match (self, ty) {
            (Language::Msl, "f64") => Some("Metal has no 64-bit floats"),
            (Language::Msl, "atomic<i64>" | "atomic<u64>") => {
                Some("of 64-bit atomics Metal has minimum and maximum only, and no way to read the word")
            }
            // naga 30 would write it, but turns a bitcast of one into a conversion of its value.
            (Language::Hlsl, "f64") => Some("wgpu offers no 64-bit floats on DX12"),
            (Language::Hlsl, "atomic<f32>") => Some("DX12 has no atomics on floats"),
            (Language::Glsl, "f16") => Some("GLSL has no 16-bit floats"),
            (Language::Glsl, "i64" | "u64" | "atomic<i64>" | "atomic<u64>") => {
                Some("GLSL has no 64-bit integers")
            }
            (Language::Glsl, "atomic<f32>") => Some("GLSL has no atomics on floats"),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Language {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || format!("unknown language `{name}`; the languages are wgsl, spirv, msl, hlsl, glsl");
        Language::ALL.into_iter().find(|language| language.name() == name).ok_or_else(unknown)
    }
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum TranslateError {
    #[error("{language} cannot express {ty}: {reason}")]
    Type { language: Language, ty: &'static str, reason: &'static str },
    /// A message of naga: the kernel is not valid, or a writer gave up.
    #[error("naga refuses this kernel:\n{0}")]
    Naga(String),
}

pub fn translate(kernel: &Kernel, language: Language) -> Result<Translation, TranslateError> {
    check(kernel)?.write(language)
}

/// A stage's name on the command line: its input, or its purpose.
pub fn stage_name(stage: Stage) -> &'static str {
    match (stage.kernel.coverage, stage.reads) {
        (Coverage::One, _) => stage.kernel.name,
        (_, Reads::Partials) => "partials",
        _ => "elements",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Text(String),
    Words(Vec<u32>),
}

#[derive(Clone, Debug)]
pub struct Translation {
    pub code: Code,
    /// The entry point's name there: some names are reserved words elsewhere.
    pub entry_point: String,
    pub facts: Facts,
}

/// A valid kernel, its overrides made constants: every language is written from it.
///
/// Bindings are numbered for a layout with every uniform of the module and the storage buffers that the entry
/// point uses, which is how halofold's own layouts are made.
#[derive(Debug)]
pub struct Checked<'a> {
    kernel: &'a Kernel,
    module: Module,
    info: ModuleInfo,
    layout: write::Layout,
    pub facts: Facts,
}

pub fn check(kernel: &Kernel) -> Result<Checked<'_>, TranslateError> {
    let Kernel { wgsl, entry_point, overrides, .. } = kernel;
    let module = naga::front::wgsl::parse_str(wgsl)
        .map_err(|error| TranslateError::Naga(error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), capabilities())
        .validate(&module)
        .map_err(|error| TranslateError::Naga(error.emit_to_string(wgsl)))?;
    let layout = write::Layout::new(&module, info.get_entry_point(index_of(&module, entry_point)));
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let (module, info) =
        process_overrides(&module, &info, Some((ShaderStage::Compute, entry_point)), &overrides)
            .map_err(|error| TranslateError::Naga(error.to_string()))?;
    let (module, info) = (module.into_owned(), info.into_owned());
    let index = index_of(&module, entry_point);
    let facts = Facts::of(&module, info.get_entry_point(index), index);
    Ok(Checked { kernel, module, info, layout, facts })
}

fn index_of(module: &Module, entry_point: &str) -> usize {
    let mut entries = module.entry_points.iter();
    entries.position(|entry| entry.name == entry_point).expect("a kernel has its entry point")
}

impl Checked<'_> {
    pub fn write(&self, language: Language) -> Result<Translation, TranslateError> {
        let Checked { kernel: Kernel { wgsl, entry_point, .. }, module, info, layout, facts } = self;
        if let Some((ty, reason)) = first_refusal(module, info, language) {
            return Err(TranslateError::Type { language, ty, reason });
        }
        let written = match language {
            Language::Wgsl => Ok((Code::Text(wgsl.clone()), (*entry_point).to_owned())),
            Language::Spirv => write::spirv(module, info, entry_point, layout),
            Language::Msl => write::msl(module, info, entry_point, layout),
            Language::Hlsl => write::hlsl(module, info, entry_point, layout),
            Language::Glsl => write::glsl(module, info, entry_point, layout),
        };
        let (code, entry_point) =
            written.map_err(|error| TranslateError::Naga(format!("{language}: {error}")))?;
        Ok(Translation { code, entry_point, facts: facts.clone() })
    }
}

/// The capabilities of a device that was opened with all features that help halofold, and no more.
fn capabilities() -> Capabilities {
    Capabilities::SUBGROUP
        | Capabilities::SHADER_FLOAT16
        | Capabilities::FLOAT64
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_INT64_ATOMIC_MIN_MAX
        | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS
        | Capabilities::SHADER_FLOAT32_ATOMIC
}

/// The first type in the module that the language cannot express, and why.
///
/// Asked before a writer runs: the one for MSL panics when it meets an `f64`.
fn first_refusal(
    module: &Module,
    info: &ModuleInfo,
    language: Language,
) -> Option<(&'static str, &'static str)> {
    let declared = module.types.iter().map(|(_, ty)| &ty.inner);
    let functions = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(index, entry)| (&entry.function, info.get_entry_point(index)));
    let computed = functions.chain(entries).flat_map(|(function, info)| {
        function.expressions.iter().map(move |(handle, _)| info[handle].ty.inner_with(&module.types))
    });
    declared.chain(computed).find_map(|inner| {
        let ty = facts::special_scalar(inner)?;
        language.refusal(ty).map(|reason| (ty, reason))
    })
}
