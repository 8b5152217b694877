//! Files of the repository beside the kernels that are composed of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{KERNELS, catalogue, operators};
use crate::read_all;

/// A condition that never holds, or an import that nothing makes, leaves functions of a file out of all kernels. `#for` ends names with `$`.
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
        let is_composed = |(file, name): &(String, String)| match name.split_once('$') {
            Some((begin, _)) => composed.iter().any(|(of, known)| of == file && known.starts_with(begin)),
            None => composed.contains(&(file.clone(), name.clone())),
        };
        let left_out: Vec<_> = functions.filter(|function| !is_composed(function)).collect();
        assert!(left_out.is_empty() || elsewhere.iter().any(|part| file.contains(part)), "{left_out:?}");
    }
}

/// The table of each kernel's choices is that of all kernels here.
#[test]
fn permutations_are_in_the_table() {
    let texts = read_all("shaders", "wgsl");
    let lines = texts.values().flat_map(|text| text.lines());
    let folders = lines.filter_map(|line| line.strip_prefix("#import ")?.strip_suffix("/*"));
    let folders: BTreeSet<_> = folders.filter(|folder| !folder.starts_with("operators/")).collect();
    let mut choices = BTreeMap::<_, BTreeMap<_, BTreeSet<_>>>::new();
    for item in KERNELS.iter() {
        let headings = item.kernel.wgsl.lines().filter_map(|line| line.strip_prefix("// ==== shaders/"));
        let mut files = headings.filter_map(|file| file.strip_suffix(".wgsl")?.rsplit_once('/'));
        let Some(kernel) = files.next() else { continue };
        for (folder, file) in files.filter(|(folder, _)| folders.contains(folder)) {
            choices.entry(kernel).or_default().entry(folder).or_default().insert(file);
        }
    }
    let mut table = String::new();
    for ((room, kernel), folders) in choices {
        table += &format!("{:24}", format!("{room}/{kernel}"));
        for (folder, files) in folders {
            table += &format!(" {folder}={}", files.into_iter().collect::<Vec<_>>().join(","));
        }
        table += "\n";
    }
    let known = include_str!("../../../shaders/permutations");
    assert!(known == table, "shaders/permutations should be:\n\n{table}");
}
