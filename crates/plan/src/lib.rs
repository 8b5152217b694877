//! halofold's plans as JSON, for a WebGPU host in any language.
//!
//! [`plan`] takes a request (an operation, lengths, limits) and returns a plan: modules of WGSL, pipelines, buffers, dispatches. It needs no GPU.
//! `docs/plan.md` describes both. Compiled to WebAssembly, this crate is the planner of the JavaScript package `halofold`.
//!
//! ```
//! use serde_json::json;
//!
//! let request = json!({ "operation": { "name": "reduce", "op": "sum", "type": "f32" }, "len": 1000 });
//! let plan = halofold_plan::plan(request)?;
//! assert_eq!(plan["halofold"], halofold_plan::VERSION);
//! assert_eq!(plan["outputs"], json!([{ "name": "output", "size": 4, "fields": ["f32"] }]));
//! # Ok::<(), halofold_plan::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

mod operation;
mod settings;
#[cfg(target_family = "wasm")]
mod wasm;

use std::slice;

use halofold::Element;
use halofold::data::{Data, Host, Source};
use halofold::reduce::BufferRange;
use halofold::wgpu::{Features, Limits};
use serde_json::{Map, Value, json};

use settings::Settings;

/// The version of the schema.
pub const VERSION: u32 = 1;

/// An error: the library's, or of a request.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Plans an operation. `docs/plan.md` describes the JSON.
///
/// # Errors
///
/// A setting is unknown, missing or out of range; a limit is too low; a text of WGSL is wrong.
pub fn plan(request: Value) -> Result<Value, Error> {
    let mut request = Settings::new("a request", request)?;
    let mut operation = Settings::new("the operation", request.need("operation")?)?;
    let len = request.take("len")?.unwrap_or(0);
    let offsets = request.take("offsets")?.unwrap_or([0; 2]);
    let host = host(request.take("host")?.unwrap_or_else(|| json!({})))?;
    let inputs = offsets.map(|offset| BufferRange { offset, len });
    let made = operation::plan(&mut operation, inputs, &host)?;
    operation.end()?;
    request.end()?;
    Ok(json(&made.data, &made.types))
}

/// The types of the numbers of an output's values, by its name.
fn fields(output: &str, (key, value): &(Element, Vec<Element>)) -> Vec<&'static str> {
    let types = match output {
        "counts" | "count" | "indices" | "len" | "rejected" => &[Element::U32],
        "mean" | "variance" | "sample_variance" => &[Element::F32],
        "keys" => slice::from_ref(key),
        _ => &**value,
    };
    types.iter().map(|element| element.name()).collect()
}

/// The device of a host, with WebGPU's default for each limit that is missing.
fn host(host: Value) -> Result<Host, Error> {
    let mut host = Settings::new("the host", host)?;
    let mut features = Features::empty();
    features.set(Features::SUBGROUP, host.flag("subgroups")?);
    features.set(Features::SHADER_F16, host.flag("f16")?);
    let given: Map<String, Value> = host.take("limits")?.unwrap_or_default();
    let mut limits = Limits::default();
    macro_rules! set {
        ($($field:ident = $name:literal,)*) => {
            $(if let Some(limit) = given.get($name) { limits.$field = serde_json::from_value(limit.clone())?; })*
        };
    }
    set! {
        max_bindings_per_bind_group = "maxBindingsPerBindGroup",
        max_buffer_size = "maxBufferSize",
        max_compute_invocations_per_workgroup = "maxComputeInvocationsPerWorkgroup",
        max_compute_workgroup_size_x = "maxComputeWorkgroupSizeX",
        max_compute_workgroup_size_y = "maxComputeWorkgroupSizeY",
        max_compute_workgroup_storage_size = "maxComputeWorkgroupStorageSize",
        max_compute_workgroups_per_dimension = "maxComputeWorkgroupsPerDimension",
        max_storage_buffer_binding_size = "maxStorageBufferBindingSize",
        max_storage_buffers_per_shader_stage = "maxStorageBuffersPerShaderStage",
        min_storage_buffer_offset_alignment = "minStorageBufferOffsetAlignment",
    }
    if !limits.min_storage_buffer_offset_alignment.is_power_of_two() {
        return Err("`minStorageBufferOffsetAlignment` is no power of two".into());
    }
    let (outputs, count) = (host.take("outputs")?.unwrap_or_default(), host.take("count")?);
    host.end()?;
    Ok(Host { features, limits, outputs, count })
}

/// Returns a plan of the library as JSON. `types` has the type of keys, and of the numbers of a value.
pub fn json(data: &Data, types: &(Element, Vec<Element>)) -> Value {
    let mut modules = Vec::new();
    let mut pipelines = Vec::new();
    for kernel in &data.kernels {
        // Browsers ask for this directive. Each kernel with subgroup operations reads a built-in of this kind.
        let enable = if kernel.wgsl.contains("@builtin(subgroup_") { "enable subgroups;\n" } else { "" };
        let text = format!("{enable}{}", kernel.wgsl);
        let module = modules.iter().position(|known| *known == text).unwrap_or(modules.len());
        if module == modules.len() {
            modules.push(text);
        }
        let constants = kernel.overrides.iter().map(|(name, value)| (name.to_string(), json!(value)));
        let bindings = kernel.bindings().into_iter().map(|(slot, kind)| json!([slot, kind]));
        pipelines.push(json!({
            "label": kernel.label, "module": module, "entry": kernel.entry_point,
            "constants": constants.collect::<Map<_, _>>(), "bindings": bindings.collect::<Vec<_>>(),
        }));
    }
    let buffers = data.buffers.iter().map(|buffer| {
        let len = buffer.contents.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        json!({ "size": buffer.size, "words": buffer.contents[..len] })
    });
    let inputs = data.inputs.iter().map(|name| match *name {
        "input" => "elements",
        "second input" => "second",
        name => name,
    });
    let outputs = data.outputs.iter().map(
        |output| json!({ "name": output.name, "size": output.size, "fields": fields(output.name, types) }),
    );
    let dispatches = data.dispatches.iter().map(|dispatch| {
        let bindings = dispatch.parts.iter().map(|(slot, part)| {
            let (of, index) = match part.of {
                Source::Input(index) => ("input", index),
                Source::Output(index) => ("output", index),
                Source::Memory(index) => ("buffer", index),
            };
            json!({ "binding": slot, "of": of, "index": index, "offset": part.offset, "size": part.size })
        });
        json!({
            "pipeline": dispatch.kernel, "workgroups": dispatch.grid, "bindings": bindings.collect::<Vec<_>>(),
        })
    });
    json!({
        "halofold": VERSION, "label": data.label, "modules": modules, "pipelines": pipelines,
        "buffers": buffers.collect::<Vec<_>>(), "inputs": inputs.collect::<Vec<_>>(), "outputs": outputs.collect::<Vec<_>>(),
        "dispatches": dispatches.collect::<Vec<_>>(), "depth": data.depth,
    })
}
