//! Files of the repository beside the kernels that are composed of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{KERNELS, catalogue, operators};
use crate::read_all;

/// A condition that never holds, or an import that nothing makes, leaves functions of a file out of all kernels.
#[test]
fn every_function_is_in_a_kernel() {
    let name_of = |line: &str| Some(line.strip_prefix("fn ")?.split('(').next()?.to_owned());
    let mut composed = BTreeSet::new();
    let others = catalogue::reductions(operators::keeping(), 256);
    for item in KERNELS.iter().chain(&others) {
        let mut file = "";
        for line in item.kernel.wgsl.lines() {
            file = line.strip_prefix("// ==== ").unwrap_or(file);
            composed.extend(name_of(line).map(|name| (file.to_owned(), name)));
        }
    }
    // Only applications' operators combine four elements in a loop, and values. `length` has no headings. Residuals are checked in their exact form.
    let elsewhere = ["combine_four/loop", "kernels/length", "exact/operators/mapped", "stencil/residual"];
    for (file, text) in read_all("shaders", "wgsl") {
        let functions = text.lines().filter_map(name_of).map(|name| (file.clone(), name));
        // The name of a function that a loop repeats ends differently each time.
        let is_composed = |(file, name): &(String, String)| match name.split_once('$') {
            Some((begin, _)) => composed.iter().any(|(other, name)| other == file && name.starts_with(begin)),
            None => composed.contains(&(file.clone(), name.clone())),
        };
        let left_out: Vec<_> = functions.filter(|function| !is_composed(function)).collect();
        assert!(left_out.is_empty() || elsewhere.iter().any(|part| file.contains(part)), "{left_out:?}");
    }
}

/// The table begins with this.
const HEAD: &str = "\
# The kernels that import one file of a folder, `#import folder/*`, and the files that they are composed with. Operators choose files of
# operators/ themselves. Two files of a folder may not go with two of another: Rust chooses by the operator, its type and the device.
";

/// The table of each kernel's choices is that of all kernels here.
#[test]
fn permutations_are_in_the_table() {
    let texts = read_all("shaders", "wgsl");
    let imports =
        texts.values().flat_map(|text| text.lines()).filter_map(|line| line.strip_prefix("#import "));
    let folders: BTreeSet<_> = imports.filter_map(|import| import.strip_suffix("/*")).collect();
    let mut choices = BTreeMap::<&str, BTreeMap<&str, BTreeSet<&str>>>::new();
    for item in KERNELS.iter() {
        let headings = item.kernel.wgsl.lines().filter_map(|line| line.strip_prefix("// ==== shaders/"));
        let mut files = headings.filter_map(|file| file.strip_suffix(".wgsl"));
        let Some(kernel) = files.next() else { continue };
        for (folder, file) in files
            .filter_map(|file| file.rsplit_once('/'))
            .filter(|(folder, _)| folders.contains(folder) && !folder.starts_with("operators/"))
        {
            choices.entry(kernel).or_default().entry(folder).or_default().insert(file);
        }
    }
    let mut table = HEAD.to_owned();
    for (kernel, folders) in choices {
        let line = folders
            .into_iter()
            .map(|(folder, files)| format!(" {folder}={}", files.into_iter().collect::<Vec<_>>().join(",")));
        table += &format!("{kernel:24}{}\n", line.collect::<String>());
    }
    let known = include_str!("../../../shaders/permutations");
    assert!(known == table, "shaders/permutations should be:\n\n{table}");
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
