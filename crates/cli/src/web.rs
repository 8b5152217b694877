//! `halofold web`: a page that runs the ladder on its visitor's GPU, as static files.
//!
//! The page composes and plans nothing itself. Plans are exported here, in the schema of `halofold_plan`, for a WebGPU device with the
//! default limits. The package `halofold` for JavaScript carries them out. The page measures, and verifies by arithmetic of its own.

mod beside;
mod data;
mod ladder;
mod parts;
mod peak;
mod stencils;

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

/// The page's own scripts, one after the other. A classic script, as a browser refuses modules from a file.
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("web/assets/gpu.js"),
    include_str!("web/assets/timing.js"),
    include_str!("web/assets/verify.js"),
    include_str!("web/assets/runs.js"),
    include_str!("web/assets/record.js"),
    include_str!("web/assets/show.js"),
    include_str!("web/assets/heat.js"),
    include_str!("web/assets/main.js"),
);

/// A symbolic link to the module of the package `halofold` for JavaScript, which the page holds.
const MODULE: &str = include_str!("web/assets/halofold.js");

/// The page, with places for the number of rungs, the project, its version and the module.
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
    let files = [
        ("index.html", page()),
        ("style.css", STYLE.to_owned()),
        (KERNELS, data::script()),
        ("page.js", SCRIPT.to_owned()),
    ];
    for (name, text) in files {
        Reserved::open("--output", &folder.join(name))?.write(&text)?;
    }
    written(&index);
    Ok(())
}

fn page() -> String {
    PAGE.replace("{{rungs}}", &RUNGS.len().to_string())
        .replace("{{rows}}", &beside::rows())
        .replace("{{home}}", env!("CARGO_PKG_REPOSITORY"))
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{module}}", MODULE)
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
