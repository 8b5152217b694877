//! The fingerprints of all kernels, to compare before and after a change that should only move text.
//!
//! `HALOFOLD_KERNEL_HASHES=before.txt cargo test --release --test texts hashes` writes them, a
//! line each: the fingerprint, and what has it. `comm -3 before.txt after.txt` shows what differs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use halofold_measure::Kernel;

use super::fingerprint::fingerprint;
use super::item::key;
use super::{MONOIDS, catalogue, in_parallel, operations, say, stencils};

const FILE: &str = "HALOFOLD_KERNEL_HASHES";

/// Every kernel once, with everything that it is.
fn distinct() -> Vec<(Kernel, Vec<String>)> {
    let mut seen = HashMap::new();
    let mut kernels = Vec::<(Kernel, Vec<String>)>::new();
    let reductions = MONOIDS.iter().flat_map(catalogue::labelled);
    let operations =
        operations::kernels().into_iter().map(|it| (format!("{}/{}", it.row, it.label), it.kernel));
    let stencils = stencils::permutations().into_iter();
    let stencils = stencils.map(|item| (format!("stencil/{}", item.label), item.kernel));
    for (label, kernel) in reductions.chain(operations).chain(stencils) {
        let at = *seen.entry(key(&kernel)).or_insert(kernels.len());
        match kernels.get_mut(at) {
            Some((_, labels)) => labels.push(label),
            None => kernels.push((kernel, vec![label])),
        }
    }
    kernels
}

#[test]
fn hashes_of_all_kernels() {
    let Some(file) = std::env::var_os(FILE) else {
        return say(&format!("permutations: no list of fingerprints, as {FILE} does not name a file"));
    };
    let lines = Mutex::new(BTreeSet::new());
    in_parallel(&distinct(), |(kernel, labels)| {
        let number = fingerprint(kernel);
        lines.lock().unwrap().extend(labels.iter().map(|label| format!("{number:016x} {label}\n")));
        Vec::new()
    });
    std::fs::write(file, String::from_iter(lines.into_inner().unwrap())).unwrap();
}
