//! A number for what a kernel computes, from its SPIR-V: the same whatever things are called and in whichever order
//! they are declared. A change of the text that only moves or renames leaves it as it is; any other changes it.
//!
//! What is declared outside of functions is known by what it is: a type by its parts, a buffer by its decorations.
//! In a function values are numbered in the order of their definition. What the entry point does not reach does not
//! count.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::translate;
use crate::translate::{Code, Language};
use halofold_measure::Kernel;
use rspirv::dr::{Function, Instruction, Module, load_words};
use rspirv::spirv::{Op, Word};

/// The fingerprint of a kernel that naga can write.
pub fn fingerprint(kernel: &Kernel) -> u64 {
    let translation = translate::translate(kernel, Language::Spirv).expect("SPIR-V has every type");
    let Code::Words(words) = translation.code else { unreachable!("SPIR-V is words") };
    let module = load_words(words).expect("naga writes SPIR-V");
    let [entry] = &*module.entry_points else { panic!("one entry point was asked for") };
    let main = entry.operands[1].id_ref_any().expect("an entry point names its function");
    let mut known = Known::new(&module);
    known.number_variables(main);

    let nothing = HashMap::new();
    let interface = entry.operands[3..].iter().filter_map(|operand| operand.id_ref_any());
    let mut parts: Vec<_> = interface.map(|variable| known.fingerprint(variable, &nothing)).collect();
    let settings = module.capabilities.iter().chain(&module.memory_model).chain(&module.execution_modes);
    parts.extend(settings.map(|setting| known.instruction(setting, &nothing)));
    parts.sort_unstable();
    hash_of((known.fingerprint(main, &nothing), parts))
}

fn hash_of(value: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The ids of a module, and the fingerprints of those that have been asked for.
struct Known<'a> {
    globals: HashMap<Word, &'a Instruction>,
    functions: HashMap<Word, &'a Function>,
    decorations: HashMap<Word, Vec<u64>>,
    /// The order in which variables are used first: it tells apart two of the same type in workgroup memory.
    variables: HashMap<Word, usize>,
    fingerprints: HashMap<Word, u64>,
}

impl<'a> Known<'a> {
    fn new(module: &'a Module) -> Self {
        let globals = module.types_global_values.iter().chain(&module.ext_inst_imports);
        let mut decorations = HashMap::<_, Vec<_>>::new();
        for decoration in &module.annotations {
            let target = decoration.operands[0].id_ref_any().expect("something is decorated");
            let what = hash_of((decoration.class.opcode as u32, &decoration.operands[1..]));
            decorations.entry(target).or_default().push(what);
        }
        decorations.values_mut().for_each(|all| all.sort_unstable());
        Known {
            globals: globals.filter_map(|global| Some((global.result_id?, global))).collect(),
            functions: module.functions.iter().filter_map(|it| Some((it.def_id()?, it))).collect(),
            decorations,
            variables: HashMap::new(),
            fingerprints: HashMap::new(),
        }
    }

    /// Numbers the variables in the order in which a function and those that it calls use them.
    fn number_variables(&mut self, function: Word) {
        for instruction in self.functions[&function].all_inst_iter() {
            // A buffer is known by its binding, and naga names them all at the start of a function.
            if self.is_place_of_a_global(instruction) {
                continue;
            }
            for id in instruction.operands.iter().filter_map(|operand| operand.id_ref_any()) {
                if self.globals.get(&id).is_some_and(|global| global.class.opcode == Op::Variable) {
                    let next = self.variables.len();
                    self.variables.entry(id).or_insert(next);
                } else if self.functions.contains_key(&id) {
                    self.number_variables(id);
                }
            }
        }
    }

    /// Returns true if an instruction only computes a place in a global. naga writes these at the start of a
    /// function, in the order of the globals' declarations.
    fn is_place_of_a_global(&self, instruction: &Instruction) -> bool {
        let mut ids = instruction.operands.iter().filter_map(|operand| operand.id_ref_any());
        instruction.class.opcode == Op::AccessChain && ids.all(|id| self.globals.contains_key(&id))
    }

    /// The fingerprint of an id's definition, where `locals` are those of the function it is used in.
    fn fingerprint(&mut self, id: Word, locals: &HashMap<Word, u64>) -> u64 {
        if let Some(known) = locals.get(&id).or_else(|| self.fingerprints.get(&id)) {
            return *known;
        }
        let found = match self.functions.get(&id).copied() {
            Some(function) => self.function(function),
            None => {
                let global = self.globals[&id];
                let number = self.variables.get(&id).copied();
                hash_of((self.instruction(global, &HashMap::new()), number))
            }
        };
        self.fingerprints.insert(id, found);
        found
    }

    fn function(&mut self, function: &Function) -> u64 {
        let is_place: Vec<_> = function.all_inst_iter().map(|it| self.is_place_of_a_global(it)).collect();
        let mut locals = HashMap::new();
        // Branches lead forward: all are numbered before any is looked at.
        for (instruction, is_place) in function.all_inst_iter().zip(&is_place) {
            if let (Some(id), false) = (instruction.result_id, is_place) {
                locals.insert(id, hash_of(("local", locals.len())));
            }
        }
        let mut body = Vec::new();
        for (instruction, is_place) in function.all_inst_iter().zip(is_place) {
            let what = self.instruction(instruction, &locals);
            match instruction.result_id {
                Some(id) if is_place => drop(locals.insert(id, what)),
                _ => body.push(what),
            }
        }
        hash_of(body)
    }

    /// The fingerprint of one instruction: its operation, its operands, and the decorations of its result.
    fn instruction(&mut self, instruction: &Instruction, locals: &HashMap<Word, u64>) -> u64 {
        let mut hasher = DefaultHasher::new();
        (instruction.class.opcode as u32).hash(&mut hasher);
        instruction.result_type.map(|ty| self.fingerprint(ty, locals)).hash(&mut hasher);
        for operand in &instruction.operands {
            match operand.id_ref_any() {
                Some(id) => self.fingerprint(id, locals).hash(&mut hasher),
                None => operand.hash(&mut hasher),
            }
        }
        instruction.result_id.and_then(|id| self.decorations.get(&id)).hash(&mut hasher);
        hasher.finish()
    }
}

const DECLARED: [&str; 5] = [
    "@group(0) @binding(0) var<uniform> given: vec4<u32>;",
    "@group(0) @binding(1) var<storage, read_write> data: array<u32>;",
    "var<workgroup> near: array<u32, 64>; var<workgroup> far: array<u32, 64>;",
    "fn first(x: u32) -> u32 { return x * 3u + given.x; }",
    "fn second(x: u32) -> u32 { return first(x) / given.y; }",
];
const MAIN: &str = "@compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) lid: u32) {
        near[lid] = data[lid];
        far[lid] = second(near[lid]);
        workgroupBarrier();
        data[lid] = far[63u - lid] + near[lid];
    }";

fn of(wgsl: String) -> u64 {
    fingerprint(&Kernel { wgsl, entry_point: "main", overrides: Vec::new(), label: String::new() })
}

fn declared() -> String {
    DECLARED.concat() + MAIN
}

#[test]
fn moving_and_renaming_change_nothing() {
    let same = of(declared());
    let backwards: String = DECLARED.into_iter().rev().collect();
    assert_eq!(of(backwards + MAIN), same);
    assert_eq!(of(declared().replace("second", "other").replace("near", "close")), same);
    assert_eq!(of(declared() + "fn unused(x: u32) -> u32 { return x + 7u; }"), same);
}

#[test]
fn every_other_change_changes_the_fingerprint() {
    let before = of(declared());
    for (old, new) in [
        ("x * 3u", "x + 3u"),
        ("x * 3u", "x * 4u"),
        ("first(x) / given.y", "first(x) / given.x"),
        ("@binding(0)", "@binding(2)"),
        ("workgroup_size(64)", "workgroup_size(32)"),
        ("+ near[lid]", "+ far[lid]"),
        ("far[63u - lid]", "near[63u - lid]"),
        ("workgroupBarrier();", ""),
        ("second(near[lid])", "first(near[lid])"),
        ("read_write> data: array<u32>", "read_write> data: array<u32, 64>"),
    ] {
        assert!(declared().contains(old));
        assert_ne!(of(declared().replace(old, new)), before, "{new} for {old}");
    }
}
