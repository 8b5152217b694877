//! `halofold replay`: measures every variant in every block shape, beside the thesis's tables and figures.

mod bench;
mod documents;
mod text;

use halofold::Element;
use halofold::stencil::{Block, Config, Dims, Grid, Mapping, Tuning, Variant};
use halofold_measure::{Peak, Record};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::lists::each_once;
use crate::named;
use crate::output::print;
use crate::record::RecordArgs;
use crate::row::{self, Row, StencilWork};
use crate::stencil::calibration;
use crate::{progress, table};
pub use bench::Bench;
pub use documents::{MACHINE, PRESETS, Preset};

#[derive(clap::Args)]
#[command(after_help = crate::examples::REPLAY)]
pub struct ReplayArgs {
    /// The thesis's table: thesis-5pt (2D) or thesis-27pt (3D). The best rows and the thesis's own also run for all steps at once, as in the
    /// thesis.
    #[arg(value_name = "TABLE", value_parser = documents::parser(), hide_possible_values = true)]
    preset: &'static Preset,
    /// Grid. Default: the thesis's (8192x8192, 256x512x512), or a smaller one on a software adapter.
    #[arg(id = "shape", long = "grid", value_name = "ROWSxCOLS|PLANESxROWSxCOLS", help_heading = "Work")]
    grid: Option<Grid>,
    /// Steps of the rows that run at once. Default: the thesis's, or fewer on a software adapter.
    #[arg(long, value_name = "N", value_parser = counts(1u32, u32::MAX), help_heading = "Work")]
    steps: Option<u32>,
    /// Element type: f32, f64 or f16.
    #[arg(long = "type", value_name = "TYPE", default_value = "f32", value_parser = named::float(), hide_possible_values = true, help_heading = "Work")]
    element: Element,
    /// Only these variants.
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = named::variant(), hide_possible_values = true, help_heading = "Kernels")]
    variants: Vec<String>,
    /// Only these block shapes, rows x columns.
    #[arg(long, value_delimiter = ',', value_name = "8x32,16x16", help_heading = "Kernels")]
    blocks: Vec<Block>,
    /// Timed samples per row. Default: 15, up to four times as many if they spread; 3 on a software adapter.
    #[arg(long, value_parser = counts(1u32, 512), help_heading = "Timing")]
    samples: Option<u32>,
    #[command(flatten)]
    output: RecordArgs,
    #[command(flatten)]
    adapter: AdapterArgs,
}

pub struct Replay {
    pub preset: &'static Preset,
    pub adapter: String,
    pub peak: Peak,
    pub grid: Grid,
    pub element: Element,
    pub steps: u32,
    pub blocks: Vec<Block>,
    pub rows: Vec<Row<StencilWork>>,
}

pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let variants = args.variants(args.preset)?;
    let file = args.output.reserve()?;
    let gpu = args.adapter.open()?;
    let replay = args.replay(args.preset, &gpu, &variants)?;
    if args.output.is_table() {
        print(&table::fitted(&text::report(&replay), false))?;
    }
    let record = Record { stencils: replay.rows, ..Record::new(&gpu.device, &replay.peak, Vec::new()) };
    args.output.put(file, &record, &record.stencils)?;
    row::check(&record.stencils)
}

impl ReplayArgs {
    fn variants(&self, preset: &Preset) -> Result<Vec<&'static Variant>, Failure> {
        if self.variants.is_empty() {
            return Ok(preset.stencil.variants().collect());
        }
        let named = |name: &String| Variant::named(preset.stencil, name.trim()).map_err(Failure::usage);
        self.variants.iter().map(named).collect()
    }

    /// Returns the block shapes for a variant: those requested, or the thesis's and halofold's own default.
    fn blocks(&self, variant: &Variant) -> Vec<Block> {
        // The block of a time-blocked kernel follows from its other parameters.
        if variant.is_blocked() {
            return vec![Tuning::of(variant).block];
        }
        if !self.blocks.is_empty() {
            return self.blocks.clone();
        }
        let mut blocks = documents::blocks();
        let own = Tuning::of(variant).block;
        if variant.mapping == Mapping::Strips && !blocks.contains(&own) {
            blocks.push(own);
        }
        blocks
    }

    fn replay(
        &self,
        preset: &'static Preset,
        gpu: &Gpu,
        variants: &[&'static Variant],
    ) -> Result<Replay, Failure> {
        let usual = if gpu.is_software() { preset.software } else { preset.thesis };
        let grid = self.grid.unwrap_or(usual.grid);
        if (grid.planes > 1) != (preset.stencil.dims == Dims::Three) {
            return Err(refusal!(
                "--grid: {} takes a grid of {} dimensions",
                preset.name,
                preset.stencil.dims.count()
            ));
        }
        let samples = calibration::samples(gpu);
        let element = self.element;
        let config = |variant: &'static Variant, block| {
            let config = Config::new(preset.stencil, variant, element, grid);
            if variant.is_blocked() {
                config.on_calibrated(&gpu.device, &samples)
            } else {
                config.with_block(block)
            }
        };
        let configs: Vec<_> = variants
            .iter()
            .flat_map(|variant| self.blocks(variant).into_iter().map(|block| config(variant, block)))
            .collect();
        let bench =
            Bench::new(gpu, config(documents::plainest(preset.stencil), documents::SMALLEST), self.samples)?;
        let bar = progress::bar(configs.len() as u64);
        let mut rows = Vec::new();
        for config in &configs {
            bar.set_message(format!("{} {}", config.variant.name, config.tuning.block));
            rows.push(preset.label(config, bench.row(config)?));
            bar.inc(1);
        }
        bar.finish_and_clear();
        let steps = self.steps.unwrap_or(usual.steps);
        for index in picked(&rows) {
            bench.run_through(&configs[index], steps, &mut rows[index])?;
        }
        let blocks = each_once(configs.iter().map(|config| config.tuning.block));
        let (adapter, peak) = (gpu.describe(), bench.peak());
        Ok(Replay { preset, adapter, peak, grid, element, steps, blocks, rows })
    }
}

type Kind<'a> = &'a dyn Fn(&Row<StencilWork>) -> bool;

/// Returns the indices of the rows that run for all steps, in the order of the catalogue: the thesis's rows, and the best direct,
/// the best overlapped and the best other row.
pub fn picked(rows: &[Row<StencilWork>]) -> Vec<usize> {
    let best = |mapping: Kind<'_>| {
        let timed = rows.iter().enumerate().filter(|(_, row)| mapping(row));
        let timed = timed.filter_map(|(index, row)| Some((index, row.time()?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    };
    let kinds: [Kind<'_>; 3] =
        [&|row| row.what.variant.starts_with("dir-"), &|row| row.what.variant.starts_with("sol-"), &|row| {
            row.what.row.as_deref() == Some(documents::BEYOND)
        }];
    let published = (0..rows.len()).filter(|index| rows[*index].figures.published_s.is_some());
    let mut picked: Vec<_> = published.chain(kinds.into_iter().filter_map(best)).collect();
    picked.sort_unstable();
    picked.dedup();
    picked.retain(|index| rows[*index].time().is_some());
    picked
}
