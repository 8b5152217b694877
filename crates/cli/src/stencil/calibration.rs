//! Measurements of `halofold tune`, in a file of the user's cache folder: one file for each adapter.
//!
//! A file that cannot be read, or that is of another driver or another version of this program, counts as none: the library's
//! own tables then choose.

use std::fs;
use std::path::PathBuf;

use halofold::Element;
use halofold::stencil::{Block, Config, Tuning, Variant};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::reserved::Reserved;
use crate::row::{Row, StencilWork};

#[derive(Deserialize, Serialize)]
struct Calibration {
    version: String,
    adapter: String,
    samples: Vec<Sample>,
}

/// A configuration and nanoseconds a step, as they are written. `tuning` has levels per team, cells per lane, rows per turn, strip, and layers
/// per group.
#[derive(Deserialize, Serialize)]
struct Sample {
    #[serde(flatten)]
    what: StencilWork,
    tuning: [u32; 5],
    ns: f64,
}

impl Sample {
    fn of(gpu: &Gpu, (config, ns): &(Config, f64)) -> Self {
        let Tuning { levels_per_team, cells_per_lane, rows_per_turn, strip, layers_per_group, .. } =
            config.tuning;
        let tuning = [levels_per_team, cells_per_lane, rows_per_turn, strip, layers_per_group];
        Sample { what: Row::<StencilWork>::blank(config, &gpu.info).what, tuning, ns: *ns }
    }

    fn config(&self, gpu: &Gpu) -> Option<(Config, f64)> {
        let StencilWork { points, variant, element, grid, block, .. } = &self.what;
        let stencil = points.to_string().parse().ok()?;
        let variant = Variant::named(stencil, variant).ok()?;
        let config = Config::new(stencil, variant, element.parse::<Element>().ok()?, grid.parse().ok()?);
        let [levels, cells, rows, strip, layers] = self.tuning;
        let tuning = config
            .tuning
            .with_block(block.parse::<Block>().ok()?)
            .with_levels_per_team(levels)
            .with_cells_per_lane(cells)
            .with_rows_per_turn(rows)
            .with_strip(strip)
            .with_layers_per_group(layers);
        Some((config.with_tuning(tuning).on(&gpu.device), self.ns))
    }
}

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
    let samples = read(gpu).map(|calibration| calibration.samples).unwrap_or_default();
    samples.iter().filter_map(|sample| sample.config(gpu)).collect()
}

/// Stores samples, in place of older ones of the same stencils and types. Returns the file.
pub fn store(gpu: &Gpu, samples: &[(Config, f64)]) -> Result<PathBuf, Failure> {
    let path = file(gpu)
        .ok_or_else(|| Failure::usage("tune: no cache folder for the times; set XDG_CACHE_HOME or HOME"))?;
    let new: Vec<_> = samples.iter().map(|sample| Sample::of(gpu, sample)).collect();
    let of = |sample: &Sample| (sample.what.points, sample.what.element.clone());
    let is_new = |old: &Sample| new.iter().any(|sample| of(sample) == of(old));
    let mut kept = read(gpu).map(|calibration| calibration.samples).unwrap_or_default();
    kept.retain(|sample| !is_new(sample));
    kept.extend(new);
    let calibration =
        Calibration { version: env!("CARGO_PKG_VERSION").to_owned(), adapter: gpu.describe(), samples: kept };
    if let Some(folder) = path.parent() {
        let failed = |error| refusal!("tune: {}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let text = serde_json::to_string_pretty(&calibration).map_err(Failure::usage)?;
    Reserved::open("tune:", &path)?.write(&text)?;
    Ok(path)
}
