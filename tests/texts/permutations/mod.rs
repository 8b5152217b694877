//! Every kernel there is, through naga into SPIR-V, MSL, HLSL and GLSL. No GPU is needed.
//!
//! A permutation is an operator over an element type, a form or a rung with a way to finish, a stage, and what a
//! device offers ([`catalogue`]). Each is composed; each distinct text is validated, checked against the project's
//! own rules ([`lints`]) and written in every language, or refused for a reason that [`refusals`] foresees. Other
//! operations ([`operations`]), operators of applications ([`operators`]) and [`stencils`] are lists of kernels
//! that go the same way ([`check`]). SPIR-V goes through `spirv-val` besides, where that is installed.

mod catalogue;
mod check;
mod devices;
mod files;
mod fingerprint;
mod hashes;
mod item;
mod lints;
mod operations;
mod operators;
mod refusals;
mod spirv_val;
mod stencils;
mod written;

use std::io::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use halofold::reduce::Monoid;

use self::catalogue::Distinct;

/// Every operator over every element type that it is defined for.
static MONOIDS: LazyLock<Vec<Monoid>> = LazyLock::new(catalogue::monoids);

/// All kernels at a workgroup of 256, composed once for all tests.
static KERNELS: LazyLock<Distinct<'static>> = LazyLock::new(|| Distinct::of(&MONOIDS, 256));

/// Calls `work` for every item on all processors, and fails with what it complained about.
fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut complaints = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.extend(work(item));
        }
        complaints
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let complaints: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no translation panics")).collect()
    });
    let shown = complaints.iter().take(10).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(complaints.is_empty(), "{} complaints, the first of them:\n{shown}", complaints.len());
}

/// Prints a line past the test harness, which captures the output of tests.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
