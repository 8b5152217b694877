//! Faults that a test puts into the kernels of its process, to show that they are found. The feature `faults` turns this on.

use std::sync::OnceLock;

/// Texts of kernels, and those that take their places.
static REPLACED: OnceLock<Vec<[String; 2]>> = OnceLock::new();

/// Replaces texts in every kernel that reducers of this process compile from now on. Only the first call counts.
pub fn insert(replaced: Vec<[String; 2]>) {
    let _ = REPLACED.set(replaced);
}

/// A kernel with the faults in it.
pub(super) fn inserted(wgsl: String) -> String {
    let faults = REPLACED.get().into_iter().flatten();
    faults.fold(wgsl, |wgsl, [text, by]| wgsl.replace(text, by))
}
