//! Every kernel there is, through naga into SPIR-V, MSL, HLSL and GLSL. No GPU is needed.
//!
//! A permutation is an operator over an element type, a form or a rung with a finish, a stage, and a device's features ([`catalogue`]). Each is
//! composed; each distinct text is validated, checked against the project's rules ([`lints`]) and written in every language, or refused for
//! a type that the language's back end lacks. Kernels of other [`operations`], of applications' [`operators`] and of [`stencils`] go the
//! same way ([`check`]). `spirv-val` checks SPIR-V, where it is installed.

mod catalogue;
mod check;
mod devices;
mod files;
mod fingerprint;
mod item;
mod lints;
mod operations;
mod operators;
mod spirv_val;
mod stencils;
mod written;

use std::io::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use halofold::Element;
use halofold::reduce::{Arity, Monoid};

use self::item::Item;

/// Every kernel there is, at a workgroup of 256, composed once for all tests.
static KERNELS: LazyLock<Vec<Item>> = LazyLock::new(|| {
    let of_operators = [operators::exact_residuals(), operators::of_texels()].concat();
    let differ = include_str!("../../../crates/measure/shaders/differ.wgsl");
    let differ = Monoid::custom("differ", Element::U32, Arity::Two, differ).unwrap();
    let mut comparing = catalogue::reductions(vec![differ], 256);
    comparing.iter_mut().for_each(|item| item.row = operations::PROGRAM.to_owned());
    let reductions = [catalogue::monoids(), of_operators].map(|monoids| catalogue::reductions(monoids, 256));
    let stencils = [stencils::tuned(), stencils::permutations()].concat();
    [reductions.concat(), comparing, stencils, operations::kernels()].concat()
});

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
