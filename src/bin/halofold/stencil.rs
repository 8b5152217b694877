//! `halofold stencil`: Jacobi steps over a grid; the thesis's tables, replayed.

mod preset;

use halofold::Element;

use crate::Failure;
use crate::gpu::AdapterArgs;
pub use preset::{MACHINE, PRESETS, Preset, Published};
use preset::{PresetArgs, Setting};

/// Options of `halofold stencil`.
#[derive(clap::Args)]
pub struct StencilArgs {
    #[command(flatten)]
    preset: PresetArgs,
    /// How many steps: of a preset, those that the best rows and the thesis's own are run for in one go.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Element type: f32, f64 or f16.
    #[arg(long = "type", value_name = "TYPE")]
    element: Option<Element>,
    /// Print one JSON array of rows.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArgs,
}

/// Runs the command.
pub fn run(args: &StencilArgs) -> Result<(), Failure> {
    let StencilArgs { preset, steps, element, json, adapter } = args;
    match preset.chosen() {
        Some(chosen) => {
            let element = element.unwrap_or(Element::F32);
            preset::run(preset, chosen, &Setting { element, steps: *steps, json: *json, adapter })
        }
        None => Err(Failure::usage("name a table: --preset thesis-5pt or --preset thesis-27pt")),
    }
}
