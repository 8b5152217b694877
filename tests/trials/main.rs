//! What is generated from tables: every rung, operator and stencil, over its types and forms, one trial each, on the adapter at
//! hand. What the adapter cannot run is listed as ignored, with the reason.

#[path = "../common/mod.rs"]
mod common;
mod exp_log;
mod ladder;
mod reducer_ops;
mod states;
mod stencil;

use common::gpu;
use halofold::adapter;
use halofold::wgpu::{Backend, Features};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let mut arguments = Arguments::from_args();
    if gpu().device.adapter_info().backend == Backend::Gl {
        // A device on GL has one context: others would wait for it for as long as a thread compiles, and wgpu gives up.
        arguments.test_threads = Some(1);
    }
    let trials =
        [exp_log::trials(), reducer_ops::trials(), states::trials(), ladder::trials(), stencil::trials()];
    let conclusion = libtest_mimic::run(&arguments, trials.into_iter().flatten().collect());
    reducer_ops::say_what_is_left_open();
    // The device must go before its driver's own exit handlers run.
    conclusion.exit();
}

/// Makes a trial; ignored if there is a reason to leave it out.
fn trial(
    name: impl Into<String>,
    left_out: Option<String>,
    check: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match left_out {
        None => Trial::test(name, check),
        Some(reason) => Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true),
    }
}

/// The features that the adapter lacks, as a reason to leave a trial out.
fn lacking(needed: Features) -> Option<String> {
    let missing = needed - gpu().device.features();
    (!missing.is_empty()).then(|| format!("the adapter lacks {}", adapter::feature_names(missing)))
}
