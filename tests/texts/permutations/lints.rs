//! The project's own rules about kernels, as walks over naga's representation.
//!
//! naga accepts more than every back end and browser. Checked here: built-ins inside a struct, 64-bit values in subgroup operations, plain
//! loads and stores of 64-bit atomics. Tint finds barriers in non-uniform control flow (`scripts/front-ends`).

use halofold::wgpu::Features;
use halofold_measure::Kernel;
use naga::valid::{Capabilities, FunctionInfo, ValidationFlags, Validator};
use naga::{Block, Expression, Function, Handle, Module, Statement, TypeInner};

/// The rules that a kernel breaks, in words.
pub fn broken_rules(kernel: &Kernel) -> Vec<String> {
    // DX12 passes the label to DXC as the name of a source file.
    let strange = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    let label = kernel.label.contains(strange).then(|| format!("`{}` is no name of a file", kernel.label));
    broken_in(&kernel.wgsl).into_iter().chain(label).collect()
}

/// The rules that a module breaks.
fn broken_in(wgsl: &str) -> Vec<String> {
    let module = naga::front::wgsl::parse_str(wgsl).expect("kernels parse");
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .expect("kernels are valid");
    let mut broken = structs_of_built_ins(&module);
    let functions = module.functions.iter().map(|(handle, function)| (&info[handle], function));
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(index, entry)| (info.get_entry_point(index), &entry.function));
    for (info, function) in functions.chain(entries) {
        broken.extend(wide_subgroup_operations(&module, info, function));
        broken.extend(halved_atomics(&module, info, function));
    }
    broken
}

/// The error of naga for a module on a device with these features; `None` if it is valid.
pub fn invalid_with(wgsl: &str, features: Features) -> Option<String> {
    let capabilities = [
        (Features::SUBGROUP, Capabilities::SUBGROUP),
        (Features::SHADER_F16, Capabilities::SHADER_FLOAT16),
        (Features::SHADER_F64, Capabilities::FLOAT64),
        (Features::SHADER_INT64, Capabilities::SHADER_INT64),
        (Features::SHADER_INT64_ATOMIC_MIN_MAX, Capabilities::SHADER_INT64_ATOMIC_MIN_MAX),
        (Features::SHADER_INT64_ATOMIC_ALL_OPS, Capabilities::SHADER_INT64_ATOMIC_ALL_OPS),
        (Features::SHADER_FLOAT32_ATOMIC, Capabilities::SHADER_FLOAT32_ATOMIC),
    ];
    let has = capabilities.into_iter().filter(|(feature, _)| features.contains(*feature));
    let has = has.fold(Capabilities::empty(), |all, (_, capability)| all | capability);
    let module = naga::front::wgsl::parse_str(wgsl).expect("kernels parse");
    let error = Validator::new(ValidationFlags::all(), has).validate(&module).err()?;
    Some(error.emit_to_string(wgsl))
}

/// DX12 loses the semantics of built-ins that arrive inside a struct.
fn structs_of_built_ins(module: &Module) -> Vec<String> {
    let mut broken = Vec::new();
    for entry in &module.entry_points {
        for argument in &entry.function.arguments {
            if argument.binding.is_none()
                || matches!(module.types[argument.ty].inner, TypeInner::Struct { .. })
            {
                let name = argument.name.as_deref().unwrap_or("?");
                broken.push(format!("`{}` takes `{name}`, a struct of built-ins", entry.name));
            }
        }
    }
    broken
}

/// Metal has no 64-bit subgroup operations, and Vulkan's need a feature that wgpu does not turn on.
fn wide_subgroup_operations(module: &Module, info: &FunctionInfo, function: &Function) -> Vec<String> {
    let mut broken = Vec::new();
    for_each_statement(&function.body, &mut |statement| {
        let (Statement::SubgroupGather { argument, .. }
        | Statement::SubgroupCollectiveOperation { argument, .. }) = statement
        else {
            return;
        };
        let scalar = info[*argument].ty.inner_with(&module.types).scalar();
        if scalar.is_none_or(|scalar| scalar.width == 8) {
            let name = function.name.as_deref().unwrap_or("?");
            broken.push(format!("`{name}` has a subgroup operation on {scalar:?}"));
        }
    });
    broken
}

/// naga 30 writes an atomic load or store for DX12 as the 32-bit instruction, whatever the width of the word.
fn halved_atomics(module: &Module, info: &FunctionInfo, function: &Function) -> Vec<String> {
    let wide = |pointer: Handle<Expression>| match *info[pointer].ty.inner_with(&module.types) {
        TypeInner::Pointer { base, .. } => {
            matches!(module.types[base].inner, TypeInner::Atomic(scalar) if scalar.width == 8)
        }
        _ => false,
    };
    let name = function.name.as_deref().unwrap_or("?");
    let mut broken = Vec::new();
    for (_, expression) in function.expressions.iter() {
        if matches!(expression, Expression::Load { pointer } if wide(*pointer)) {
            broken.push(format!("`{name}` loads a 64-bit atomic: use atomicOr with 0"));
        }
    }
    for_each_statement(&function.body, &mut |statement| {
        if matches!(statement, Statement::Store { pointer, .. } if wide(*pointer)) {
            broken.push(format!("`{name}` stores to a 64-bit atomic: use atomicExchange"));
        }
    });
    broken
}

fn for_each_statement(block: &Block, visit: &mut impl FnMut(&Statement)) {
    for statement in block {
        visit(statement);
        match statement {
            Statement::Block(block) => for_each_statement(block, visit),
            Statement::If { accept, reject, .. } => {
                for_each_statement(accept, visit);
                for_each_statement(reject, visit);
            }
            Statement::Switch { cases, .. } => {
                cases.iter().for_each(|case| for_each_statement(&case.body, visit));
            }
            Statement::Loop { body, continuing, .. } => {
                for_each_statement(body, visit);
                for_each_statement(continuing, visit);
            }
            _ => {}
        }
    }
}
