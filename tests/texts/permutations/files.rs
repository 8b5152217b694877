//! The files of `shaders/ladder`, each as a module of its own.

use std::collections::BTreeSet;
use std::path::Path;

use halofold::Element;
use halofold::reduce::ladder::{Finish, RUNGS};
use halofold::reduce::plan::{Reads, Writes};
use halofold::reduce::{Op, Options, ShapeKind, Strategy, Tuning};
use halofold::wgpu::{Features, Limits};

use super::catalogue::Distinct;
use super::{KERNELS, lints, operations, operators};

/// Every rung is a valid module with nothing defined and a plain operator; the rungs about subgroups with those.
#[test]
fn every_rung_is_a_module_by_itself() {
    let sum = Op::Sum.over(Element::F32).unwrap();
    let mut files = BTreeSet::new();
    for rung in RUNGS {
        let tuning = Tuning::of(rung.kernel, &Limits::default(), 1 << 20);
        let strategy = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
        let stages =
            Options::default().with_strategy(strategy).stages(&sum, ShapeKind::Whole, &Limits::default());
        let is_plain = |stage: &&halofold::reduce::plan::Stage| {
            stage.kernel == rung.kernel && (stage.reads, stage.writes) == (Reads::Elements, Writes::Results)
        };
        let stage = stages.iter().find(is_plain).expect("each rung delivers results of elements");
        let features = if rung.kernel.needs_subgroups() { Features::SUBGROUP } else { Features::empty() };
        let text = sum.compose(*stage, features).expect("a float is a word");
        assert_eq!(lints::invalid_with(&text, features), None, "{}", rung.name());
        assert!(
            rung.finishes[0] == Finish::Atomic || text.contains("output[params.store"),
            "{}",
            rung.name()
        );
        files.insert(format!("{}.wgsl", rung.kernel.file));
    }
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let there = std::fs::read_dir(shaders.join("ladder")).unwrap();
    let there = there.map(|file| format!("ladder/{}", file.unwrap().file_name().to_string_lossy()));
    assert_eq!(there.collect::<BTreeSet<_>>(), files);
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
    for wgsl in reductions.chain(&operations).map(|item| &item.kernel.wgsl) {
        let mut file = "";
        for line in wgsl.lines() {
            file = line.strip_prefix("// ==== ").unwrap_or(file);
            composed.extend(name_of(line).map(|name| (file.to_owned(), name)));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = ["exact", "kernels", "ladder", "operators", "shared"]
        .map(|folder| root.join("shaders").join(folder))
        .into();
    let mut left_out = Vec::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let parts = path.strip_prefix(root).unwrap().iter().map(|part| part.to_string_lossy());
        let file = parts.collect::<Vec<_>>().join("/");
        let functions = text.lines().filter_map(name_of).map(|name| (file.clone(), name));
        left_out.extend(functions.filter(|function| !composed.contains(function)));
    }
    // Squares are of stencils; four at a time are combined, and values added, for operators of applications only; lengths have a kernel of their own.
    let elsewhere = ["squares", "map4_rolled", "length", "exact/operators/mapped"];
    left_out.retain(|(file, _)| !elsewhere.iter().any(|part| file.contains(part)));
    assert_eq!(left_out, []);
}
