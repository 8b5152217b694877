//! Files of the repository beside the kernels that are composed of them.

use std::collections::BTreeSet;

use halofold::Element;
use halofold::reduce::ladder::{Finish, RUNGS};
use halofold::reduce::plan::{Reads, Stage, Writes};
use halofold::reduce::{Op, Options, ShapeKind, Strategy, Tuning};
use halofold::wgpu::{Features, Limits};

use super::catalogue::Distinct;
use super::{KERNELS, lints, operations, operators};
use crate::read_all;

/// Every rung is a valid module with nothing defined and a plain operator; the rungs about subgroups with those.
#[test]
fn every_rung_is_a_module_by_itself() {
    let sum = Op::Sum.over(Element::F32).unwrap();
    let mut files = BTreeSet::new();
    for rung in RUNGS {
        let tuning = Tuning::of(rung.kernel, &Limits::default(), 1 << 20);
        let options =
            Options::default().with_strategy(Strategy::Rung { rung, finish: rung.finishes[0], tuning });
        let stages = options.stages(&sum, ShapeKind::Whole, &Limits::default());
        let is_plain = |stage: &&Stage| {
            stage.kernel == rung.kernel && (stage.reads, stage.writes) == (Reads::Elements, Writes::Results)
        };
        let stage = stages.iter().find(is_plain).expect("each rung delivers results of elements");
        let features = if rung.kernel.needs_subgroups() { Features::SUBGROUP } else { Features::empty() };
        let text = sum.compose(*stage, features).expect("a float is a word");
        assert_eq!(lints::invalid_with(&text, features), None, "{}", rung.name());
        let stores = text.contains("output[params.store");
        assert!(rung.finishes[0] == Finish::Atomic || stores, "{}", rung.name());
        files.insert(format!("shaders/{}.wgsl", rung.kernel.file));
    }
    assert_eq!(read_all("shaders/ladder", "wgsl").into_keys().collect::<BTreeSet<_>>(), files);
}

/// A condition that never holds, or an import that nothing makes, leaves functions of a file out of all kernels.
#[test]
fn every_function_is_in_a_kernel() {
    let name_of = |line: &str| Some(line.strip_prefix("fn ")?.split('(').next()?.to_owned());
    let mut composed = BTreeSet::new();
    let others = [operators::of_texels(), operators::keeping()].concat();
    let others = Distinct::of(&others, 256).kernels;
    let reductions = KERNELS.kernels.iter().chain(&others).map(|entry| &entry.item);
    let mut operations = operations::kernels();
    operations.retain(|item| ["rank", "group"].contains(&&*item.row));
    for item in reductions.chain(&operations) {
        let mut file = "";
        for line in item.kernel.wgsl.lines() {
            file = line.strip_prefix("// ==== ").unwrap_or(file);
            composed.extend(name_of(line).map(|name| (file.to_owned(), name)));
        }
    }
    // Squares are of stencils; four at a time are combined, and values added, for operators of applications only;
    // lengths have a kernel of their own.
    let elsewhere = ["squares", "map4_rolled", "length", "exact/operators/mapped"];
    let folders = ["exact", "kernels", "ladder", "operators", "shared"];
    for (file, text) in folders.iter().flat_map(|folder| read_all(&format!("shaders/{folder}"), "wgsl")) {
        let functions = text.lines().filter_map(name_of).map(|name| (file.clone(), name));
        let left_out: Vec<_> = functions.filter(|function| !composed.contains(function)).collect();
        assert!(left_out.is_empty() || elsewhere.iter().any(|part| file.contains(part)), "{left_out:?}");
    }
}

/// The places that compile the kernels looked at here. All others have a literal label, or none.
const COMPILING: [&str; 2] = ["src/gpu/kernel.rs", "crates/measure/src/compile.rs"];

#[test]
fn no_module_has_a_colon_in_its_label() {
    let mut met = BTreeSet::new();
    for (file, text) in
        ["src", "crates", "examples", "benches"].iter().flat_map(|folder| read_all(folder, "rs"))
    {
        for statement in
            text.split("ShaderModuleDescriptor {").skip(1).filter_map(|rest| rest.split(';').next())
        {
            met.insert(file.clone());
            let label = statement.split("label: ").nth(1).unwrap_or_default();
            let literal = label.strip_prefix("Some(\"").and_then(|rest| rest.split('"').next());
            let is_plain = label.starts_with("None") || literal.is_some_and(|name| !name.contains(':'));
            assert!(is_plain || COMPILING.contains(&&*file), "{file}: {statement}");
        }
    }
    assert!(COMPILING.iter().all(|file| met.contains(*file)), "{met:?}");
}
