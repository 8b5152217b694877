//! Trials that are generated from tables: every rung, operator and stencil, over its types and forms, one trial each, on the adapter at
//! hand. What the adapter cannot run is listed as ignored, with the reason.

#[path = "../common/mod.rs"]
mod common;
mod exp_log;
mod kept;
mod ladder;
mod reduced;
mod reducer_ops;
mod states;
mod stencil;

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use common::{Gpu, gpu, takes_fewer};
use halofold::adapter;
use halofold::wgpu::{Backend, Features};
use libtest_mimic::{Arguments, Trial};

fn main() {
    let mut arguments = Arguments::from_args();
    if gpu().device.adapter_info().backend == Backend::Gl {
        // A device on GL has one context: others would wait for it for as long as a thread compiles, and wgpu gives up.
        arguments.test_threads = Some(1);
    }
    let trials = [
        exp_log::trials(),
        reducer_ops::trials(),
        kept::trials(),
        states::trials(),
        ladder::trials(),
        stencil::trials(),
    ];
    let conclusion = libtest_mimic::run(&arguments, trials.into_iter().flatten().collect());
    say_what_took_longest();
    // The device must go before its driver's own exit handlers run.
    conclusion.exit();
}

/// The end of a check, or of a part of one.
type Checked<T = ()> = Result<T, Box<dyn Error>>;

/// Runs `work` and fails if wgpu found fault with anything in it.
fn watched<T>(gpu: &Gpu, work: impl FnOnce() -> Checked<T>) -> Checked<T> {
    Ok(gpu.watched(|| work().map_err(|error| error.to_string()))?)
}

/// The time that each trial took.
static TIMES: Mutex<Vec<(Duration, String)>> = Mutex::new(Vec::new());

/// Says which ten trials took longest: they decide how long all take.
fn say_what_took_longest() {
    let mut times = std::mem::take(&mut *TIMES.lock().unwrap());
    times.sort_unstable_by(|a, b| b.cmp(a));
    for (time, name) in times.iter().take(10) {
        eprintln!("trials: {:5.1} s {name}", time.as_secs_f64());
    }
}

/// Makes a trial; ignored if there is a reason to leave it out. Other adapters run the sampled ones (`HALOFOLD_TESTS=sample`).
fn trial(
    name: impl Into<String>,
    is_sampled: bool,
    left_out: Option<String>,
    check: impl FnOnce() -> Checked + Send + 'static,
) -> Trial {
    let name = name.into();
    let left_out = left_out.or_else(|| outside_of_sample(&name, is_sampled));
    let timed = {
        let name = name.clone();
        move || {
            let start = Instant::now();
            let result = check();
            TIMES.lock().unwrap().push((start.elapsed(), name));
            Ok(result?)
        }
    };
    match left_out {
        None => Trial::test(name, timed),
        Some(reason) => Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true),
    }
}

/// Of how many trials a software adapter runs one, besides the first of each subject.
const SOFTWARE_RUNS_ONE_OF: u32 = 8;

/// The reason to leave a trial out that no adapter needs to run but one, or that a software adapter would compile for too long.
fn outside_of_sample(name: &str, is_sampled: bool) -> Option<String> {
    if common::is_sampled() {
        return (!is_sampled).then(|| "not in the sample".to_owned());
    }
    // The first of each rung, operator and stencil; of the others those that their names choose, of every type and form.
    static MET: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let subject = name.split("::").take(2).collect::<Vec<_>>().join("::");
    let is_first = MET.lock().unwrap().insert(subject);
    let hash = name.bytes().fold(0u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let is_chosen = is_first || (hash >> 8).is_multiple_of(SOFTWARE_RUNS_ONE_OF);
    let is_left_out = takes_fewer() && !is_chosen;
    is_left_out.then(|| "a software adapter runs a sample; HALOFOLD_TESTS=all runs all".to_owned())
}

/// The features that the adapter lacks, as a reason to leave a trial out.
fn lacking(needed: Features) -> Option<String> {
    let missing = needed - gpu().device.features();
    (!missing.is_empty()).then(|| format!("the adapter lacks {}", adapter::feature_names(missing)))
}
