//! The record of a run: the machine, its peak, and all rows.
use halofold::adapter::{HELPFUL_FEATURES, feature_names};
use serde::{Deserialize, Serialize};

use crate::{Inputs, LibraryWork, Peak, Row, StencilWork};

/// The version of the schema: written, and the newest that is read.
pub const SCHEMA: u32 = 1;

/// One run on one machine, as in the JSON file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this schema: [`SCHEMA`].
    pub schema: u32,
    /// The version of halofold that ran.
    pub halofold: String,
    /// The version of wgpu: `30.0`.
    pub wgpu: String,
    /// Date and time in UTC: `2026-11-21T00:50:00Z`.
    pub date: String,
    /// The adapter.
    pub adapter: Adapter,
    /// Operating system and architecture.
    pub os: String,
    /// The measured peak of its memory.
    pub peak: Peak,
    /// Inputs of `rows` and `stencils`: warm (one input) or cold (copies larger than a cache). Inputs of `library` are always cold.
    /// Older records are warm.
    #[serde(default)]
    pub inputs: Inputs,
    /// Rows of reductions, measured or skipped.
    pub rows: Vec<Row>,
    /// Rows of stencils. The first records lack this list, and their readers ignore it, so the schema did not
    /// change.
    #[serde(default)]
    pub stencils: Vec<Row<StencilWork>>,
    /// Rows of library operations.
    #[serde(default)]
    pub library: Vec<Row<LibraryWork>>,
}

/// The adapter of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Its back end.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// Discrete, integrated, virtual or CPU.
    pub device_type: String,
    /// The narrowest and the widest subgroup.
    pub subgroup_range: [u32; 2],
    /// The helpful features that the device was opened with.
    pub features: Vec<String>,
}

impl Record {
    /// Makes a record of rows just measured on a device, over warm inputs.
    pub fn new(device: &wgpu::Device, peak: &Peak, rows: Vec<Row>) -> Self {
        Record {
            schema: SCHEMA,
            halofold: env!("CARGO_PKG_VERSION").to_owned(),
            wgpu: WGPU.to_owned(),
            date: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
            adapter: Adapter::of(&device.adapter_info(), device.features()),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            peak: peak.rounded(),
            inputs: Inputs::Warm,
            rows,
            stencils: Vec::new(),
            library: Vec::new(),
        }
    }

    /// Formats the record as indented JSON with a final newline.
    ///
    /// # Errors
    ///
    /// Those of serde; a record has nothing that JSON cannot represent.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// The version of wgpu that this version of halofold is built for.
const WGPU: &str = "30.0";

impl Adapter {
    fn of(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Self {
        let names = feature_names(features & HELPFUL_FEATURES);
        Adapter {
            name: info.name.clone(),
            backend: info.backend.to_string(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            device_type: format!("{:?}", info.device_type),
            subgroup_range: [info.subgroup_min_size, info.subgroup_max_size],
            features: names.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_wgpu_is_the_manifests() {
        let manifest = include_str!("../../../Cargo.toml");
        assert!(manifest.contains(&format!("wgpu = {{ version = \"{WGPU}\", default-features = false")));
    }
}
