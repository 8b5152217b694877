//! `halofold web`: a page that runs the ladder on its visitor's GPU, as static files.
//!
//! The page composes and plans nothing itself. Everything that the library decides is exported here, for a WebGPU device with
//! the default limits: the texts, the launches, their parameters, the depths that error bounds grow with. The page does the work of
//! a host: it creates buffers, pastes constants, records, measures, and verifies by arithmetic of its own.

mod beside;
mod data;
mod ladder;
mod peak;
mod plans;
mod stencils;
pub mod texts;

use std::fs;
use std::path::PathBuf;

use halofold::ladder::RUNGS;
use halofold::wgpu::Limits;

use crate::failure::Failure;
use crate::output::written;
use crate::reserved::Reserved;

#[derive(clap::Args)]
pub struct WebArgs {
    /// Write the page into this folder: open its index.html, or put the folder on any host.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// The scripts in the order in which the page runs them, behind `kernels.js`. Classic scripts, as a browser refuses modules from
/// a file.
const SCRIPTS: [(&str, &str); 8] = [
    ("gpu.js", include_str!("web/assets/gpu.js")),
    ("timing.js", include_str!("web/assets/timing.js")),
    ("verify.js", include_str!("web/assets/verify.js")),
    ("runs.js", include_str!("web/assets/runs.js")),
    ("record.js", include_str!("web/assets/record.js")),
    ("show.js", include_str!("web/assets/show.js")),
    ("heat.js", include_str!("web/assets/heat.js")),
    ("main.js", include_str!("web/assets/main.js")),
];

/// The page, with places for the number of rungs, the project, its version and the scripts.
const PAGE: &str = include_str!("web/assets/index.html");

const KERNELS: &str = "kernels.js";

const STYLE: &str = include_str!("web/assets/style.css");

pub fn run(args: &WebArgs) -> Result<(), Failure> {
    let folder = &args.output;
    fs::create_dir_all(folder).map_err(|error| refusal!("--output {}: {error}", folder.display()))?;
    let index = folder.join("index.html");
    if fs::read_to_string(&index).is_ok_and(|page| !page.contains(KERNELS)) {
        return Err(refusal!("--output {}: another page; name a folder of its own", index.display()));
    }
    for (name, text) in files() {
        Reserved::open("--output", &folder.join(name))?.write(&text)?;
    }
    written(&index);
    Ok(())
}

fn files() -> Vec<(&'static str, String)> {
    let scripts = SCRIPTS.map(|(name, text)| (name, text.to_owned()));
    let own = [("index.html", page()), ("style.css", STYLE.to_owned()), (KERNELS, data::script())];
    own.into_iter().chain(scripts).collect()
}

/// The page with its scripts, the exported kernels before the others.
fn page() -> String {
    let names = [KERNELS].into_iter().chain(SCRIPTS.map(|(name, _)| name));
    let scripts: String = names.map(|name| format!("<script src=\"{name}\"></script>\n")).collect();
    PAGE.replace("{{rungs}}", &RUNGS.len().to_string())
        .replace("{{rows}}", &beside::rows())
        .replace("{{home}}", env!("CARGO_PKG_REPOSITORY"))
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{scripts}}\n", &scripts)
}

/// The limits that a plan is made for: those of every WebGPU device, but for the invocations of a workgroup.
fn limits(invocations: u32) -> Limits {
    Limits {
        max_compute_invocations_per_workgroup: invocations,
        max_compute_workgroup_size_x: invocations,
        ..Limits::default()
    }
}

/// The largest workgroup that every device has, and the one that most GPUs have on request.
const INVOCATIONS: [u32; 2] = [256, 1024];

/// Elements that the page offers, ascending: powers of two, and a prime.
const LENGTHS: [u64; 7] = [1 << 12, 1 << 16, 1 << 18, 1_000_003, 1 << 20, 1 << 22, 1 << 24];
