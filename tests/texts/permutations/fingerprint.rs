//! Fingerprints of kernels from their SPIR-V, independent of names and of the order of declarations: other changes of the text change them.
//!
//! The entry point's references are followed. A global is known by its parts or decorations, variables and values of a function by the order
//! of first reference. Unreachable declarations do not count.
//!
//! `HALOFOLD_KERNEL_HASHES=before.txt cargo test --release --test texts hashes` writes the fingerprints of all
//! kernels, a line each. `comm -3 before.txt after.txt` shows what differs after a change.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use std::sync::Mutex;

use super::{KERNELS, catalogue, in_parallel, say};
use crate::translate::{self, Code, Language};
use halofold_measure::Kernel;
use rspirv::dr::{Function, Instruction, Module, load_words};
use rspirv::spirv::{Op, Word};

/// The fingerprint of a kernel that naga can write.
fn fingerprint(kernel: &Kernel) -> u64 {
    let translation = translate::translate(kernel, Language::Spirv).expect("SPIR-V has every type");
    let Code::Words(words) = translation.code else { unreachable!("SPIR-V is words") };
    let module = load_words(words).expect("naga writes SPIR-V");
    let [entry] = &*module.entry_points else { panic!("one entry point was requested") };
    let mut known = Known::new(&module);
    let main = known.id(entry.operands[1].id_ref_any().expect("an entry point names its function"));
    let settings = module.capabilities.iter().chain(&module.memory_model).chain(&module.execution_modes);
    let mut settings: Vec<_> = settings.map(|setting| known.instruction(setting)).collect();
    settings.sort_unstable();
    hash_of((main, settings))
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The ids of a module, and the fingerprints of those that were mentioned.
struct Known<'a> {
    /// Definitions outside of functions, and places in globals.
    definitions: HashMap<Word, &'a Instruction>,
    functions: HashMap<Word, &'a Function>,
    decorations: HashMap<Word, Vec<u64>>,
    fingerprints: HashMap<Word, u64>,
    variables: usize,
    /// Values of the function at hand.
    locals: usize,
}

impl<'a> Known<'a> {
    fn new(module: &'a Module) -> Self {
        let globals = module.types_global_values.iter().chain(&module.ext_inst_imports);
        let mut definitions: HashMap<_, _> = globals.filter_map(|it| Some((it.result_id?, it))).collect();
        // naga computes places in globals at the start of a function, in the order of the globals' declarations.
        let is_global = |id: &Word| definitions.contains_key(id);
        let is_place =
            |it: &&Instruction| it.class.opcode == Op::AccessChain && ids(it).all(|id| is_global(&id));
        let places = module.functions.iter().flat_map(Function::all_inst_iter).filter(is_place);
        let places: Vec<_> = places.filter_map(|place| Some((place.result_id?, place))).collect();
        definitions.extend(places);
        let mut decorations = HashMap::<_, Vec<_>>::new();
        for decoration in &module.annotations {
            let target = decoration.operands[0].id_ref_any().expect("something is decorated");
            let what = hash_of((decoration.class.opcode as u32, &decoration.operands[1..]));
            decorations.entry(target).or_default().push(what);
        }
        decorations.values_mut().for_each(|all| all.sort_unstable());
        let functions = module.functions.iter().filter_map(|it| Some((it.def_id()?, it))).collect();
        let fingerprints = HashMap::new();
        Known { definitions, functions, decorations, fingerprints, variables: 0, locals: 0 }
    }

    fn id(&mut self, id: Word) -> u64 {
        if let Some(known) = self.fingerprints.get(&id) {
            return *known;
        }
        let found = if let Some(function) = self.functions.get(&id).copied() {
            let outer = std::mem::take(&mut self.locals);
            let body = function.all_inst_iter().filter(|it| !self.is_elsewhere(it)).collect::<Vec<_>>();
            let body: Vec<_> = body.into_iter().map(|it| self.instruction(it)).collect();
            self.locals = outer;
            hash_of(body)
        } else if let Some(definition) = self.definitions.get(&id).copied() {
            // A number tells apart two variables of the same type in workgroup memory.
            let is_variable = definition.class.opcode == Op::Variable;
            self.variables += usize::from(is_variable);
            hash_of((is_variable.then_some(self.variables), self.instruction(definition)))
        } else {
            self.locals += 1;
            hash_of(("local", self.locals))
        };
        self.fingerprints.insert(id, found);
        found
    }

    /// Returns true if an instruction of a function counts where it is mentioned.
    fn is_elsewhere(&self, instruction: &Instruction) -> bool {
        instruction.result_id.is_some_and(|id| self.definitions.contains_key(&id))
    }

    /// The fingerprint of one instruction: its operation, its operands, its result and the decorations of that.
    fn instruction(&mut self, instruction: &Instruction) -> u64 {
        let operands: Vec<_> = instruction
            .operands
            .iter()
            .map(|operand| match operand.id_ref_any() {
                Some(id) => Ok(self.id(id)),
                None => Err(operand),
            })
            .collect();
        let ty = instruction.result_type.map(|ty| self.id(ty));
        let local = instruction.result_id.filter(|id| !self.definitions.contains_key(id));
        let local = local.filter(|id| !self.functions.contains_key(id)).map(|id| self.id(id));
        let decorations = instruction.result_id.and_then(|id| self.decorations.get(&id));
        hash_of((instruction.class.opcode as u32, ty, local, operands, decorations))
    }
}

/// The ids that an instruction mentions.
fn ids(instruction: &Instruction) -> impl Iterator<Item = Word> {
    instruction.operands.iter().filter_map(|operand| operand.id_ref_any())
}

const FILE: &str = "HALOFOLD_KERNEL_HASHES";

#[test]
fn hashes_of_all_kernels() {
    let Some(file) = std::env::var_os(FILE) else {
        return say(&format!("permutations: no list of fingerprints, as {FILE} does not name a file"));
    };
    let lines = Mutex::new(BTreeSet::new());
    let smaller = catalogue::reductions(catalogue::monoids(), 64);
    in_parallel(&KERNELS.iter().chain(&smaller).collect::<Vec<_>>(), |item| {
        let line = format!("{:016x} {}/{}\n", fingerprint(&item.kernel), item.row, item.label);
        lines.lock().unwrap().insert(line);
        Vec::new()
    });
    std::fs::write(file, String::from_iter(lines.into_inner().unwrap())).unwrap();
}
