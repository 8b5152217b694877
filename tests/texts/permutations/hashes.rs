//! The fingerprints of all kernels, to compare before and after a change that should only move text.
//!
//! `HALOFOLD_KERNEL_HASHES=before.txt cargo test --release --test texts hashes` writes them, a
//! line each: the fingerprint, and what has it. `comm -3 before.txt after.txt` shows what differs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use halofold_measure::Kernel;

use super::fingerprint::fingerprint;
use super::{MONOIDS, catalogue, fail_on, group, histogram, in_parallel, pyramid, rank, say, scan, stencils};

const FILE: &str = "HALOFOLD_KERNEL_HASHES";

/// The identity of a kernel: its text, its entry point, and the bits of its overrides.
type Key = (String, &'static str, Vec<(&'static str, u64)>);

/// Every kernel once, with everything that it is.
fn distinct() -> Vec<(Kernel, Vec<String>)> {
    let mut seen = HashMap::<Key, usize>::new();
    let mut kernels = Vec::<(Kernel, Vec<String>)>::new();
    let reductions = MONOIDS.iter().flat_map(catalogue::labelled);
    let others = [
        ("histogram", histogram::kernels()),
        ("rank", rank::kernels()),
        ("group", group::kernels()),
        ("scan", scan::kernels()),
        ("pyramid", pyramid::kernels()),
    ];
    let others = others.into_iter().flat_map(|(room, kernels)| {
        kernels.into_iter().map(move |(label, it)| (format!("{room}/{label}"), it))
    });
    for (label, kernel) in reductions.chain(others).chain(stencils::labelled()) {
        let overrides = kernel.overrides.iter().map(|(name, value)| (*name, value.to_bits())).collect();
        let key = (kernel.wgsl.clone(), kernel.entry_point, overrides);
        let at = *seen.entry(key).or_insert(kernels.len());
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
    fail_on(&in_parallel(&distinct(), |(kernel, labels)| {
        let number = fingerprint(kernel);
        lines.lock().unwrap().extend(labels.iter().map(|label| format!("{number:016x} {label}\n")));
        Vec::new()
    }));
    std::fs::write(file, String::from_iter(lines.into_inner().unwrap())).unwrap();
}
