//! Measurements of `halofold stencil --tune`, in a file of the user's cache folder: one file for each adapter.
//!
//! A file that cannot be read, or that is of another driver or another version of this program, counts as none: the library's
//! own tables then choose.

use std::fs;
use std::path::PathBuf;

use halofold::Element;
use halofold::stencil::{Block, Config, Variant};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::reserved::Reserved;

#[derive(Deserialize, Serialize)]
struct Calibration {
    version: String,
    /// The adapter, its back end and its driver.
    adapter: String,
    samples: Vec<Line>,
}

/// A sample as it is written.
#[derive(Deserialize, Serialize)]
struct Line {
    points: String,
    #[serde(rename = "type")]
    element: String,
    grid: String,
    variant: String,
    block: String,
    levels_per_team: u32,
    cells_per_lane: u32,
    rows_per_turn: u32,
    strip: u32,
    layers_per_group: u32,
    ns: f64,
}

impl Line {
    fn of((timed, ns): &(Config, f64)) -> Self {
        let Config { stencil, variant, element, grid, tuning, .. } = *timed;
        Line {
            points: stencil.points().to_string(),
            element: element.name().to_owned(),
            grid: halofold_measure::sides(grid),
            variant: variant.name.to_owned(),
            block: tuning.block.to_string(),
            levels_per_team: tuning.levels_per_team,
            cells_per_lane: tuning.cells_per_lane,
            rows_per_turn: tuning.rows_per_turn,
            strip: tuning.strip,
            layers_per_group: tuning.layers_per_group,
            ns: *ns,
        }
    }

    fn sample(&self, gpu: &Gpu) -> Option<(Config, f64)> {
        let stencil = self.points.parse().ok()?;
        let variant = Variant::named(stencil, &self.variant).ok()?;
        let element: Element = self.element.parse().ok()?;
        let config = Config::new(stencil, variant, element, self.grid.parse().ok()?);
        let tuning = config
            .tuning
            .with_block(self.block.parse::<Block>().ok()?)
            .with_levels_per_team(self.levels_per_team)
            .with_cells_per_lane(self.cells_per_lane)
            .with_rows_per_turn(self.rows_per_turn)
            .with_strip(self.strip)
            .with_layers_per_group(self.layers_per_group);
        Some((config.with_tuning(tuning).on(&gpu.device), self.ns))
    }
}

/// The user's cache folder.
fn folder() -> Option<PathBuf> {
    let path = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let of_home = |within: &str| path("HOME").map(|home| home.join(within));
    let folder = path("XDG_CACHE_HOME").or_else(|| match std::env::consts::OS {
        "windows" => path("LOCALAPPDATA"),
        "macos" => of_home("Library/Caches"),
        _ => of_home(".cache"),
    });
    folder.map(|folder| folder.join("halofold"))
}

/// The file of an adapter.
fn file(gpu: &Gpu) -> Option<PathBuf> {
    let name = format!("stencil-{}-{}.json", gpu.info.backend, gpu.info.name).to_lowercase();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    Some(folder()?.join(name.chars().map(plain).collect::<String>()))
}

fn read(gpu: &Gpu) -> Option<Calibration> {
    let text = fs::read_to_string(file(gpu)?).ok()?;
    let calibration: Calibration = serde_json::from_str(&text).ok()?;
    let is_current =
        calibration.version == env!("CARGO_PKG_VERSION") && calibration.adapter == gpu.describe();
    is_current.then_some(calibration)
}

/// The samples of this adapter, configurations with nanoseconds a step; none if it was not calibrated.
pub fn samples(gpu: &Gpu) -> Vec<(Config, f64)> {
    let lines = read(gpu).map(|calibration| calibration.samples).unwrap_or_default();
    lines.iter().filter_map(|line| line.sample(gpu)).collect()
}

/// Stores samples, in place of older ones of the same stencils and types. Returns the file.
pub fn store(gpu: &Gpu, samples: &[(Config, f64)]) -> Result<PathBuf, Failure> {
    let path = file(gpu).ok_or_else(|| {
        Failure::usage("--tune: no folder to remember the result in: set XDG_CACHE_HOME, or HOME")
    })?;
    let lines: Vec<_> = samples.iter().map(Line::of).collect();
    let is_new =
        |old: &Line| lines.iter().any(|line| (&line.points, &line.element) == (&old.points, &old.element));
    let mut kept = read(gpu).map(|calibration| calibration.samples).unwrap_or_default();
    kept.retain(|line| !is_new(line));
    kept.extend(lines);
    let calibration =
        Calibration { version: env!("CARGO_PKG_VERSION").to_owned(), adapter: gpu.describe(), samples: kept };
    if let Some(folder) = path.parent() {
        let failed = |error| refusal!("--tune: {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let text = serde_json::to_string_pretty(&calibration).map_err(Failure::usage)?;
    Reserved::open("--tune", &path)?.write(&text)?;
    Ok(path)
}
