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
    let mut table = String::new();
    for (kernel, folders) in choices {
        let line = folders
            .into_iter()
            .map(|(folder, files)| format!(" {folder}={}", files.into_iter().collect::<Vec<_>>().join(",")));
        table += &format!("{kernel:24}{}\n", line.collect::<String>());
    }
    let known = include_str!("../../../shaders/permutations");
    assert!(known == table, "shaders/permutations should be:\n\n{table}");
}
