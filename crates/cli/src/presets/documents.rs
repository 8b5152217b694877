//! The documents' tables as data: `documents.json`.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use halofold::Element;
use halofold::ladder::Finish;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    pub name: String,
    pub title: String,
    pub note: String,
    #[serde(deserialize_with = "by_name")]
    pub element: Element,
    pub workgroup: u32,
    pub cpu: Cpu,
    pub rows: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cpu {
    Nothing,
    /// One row for the whole table; the GPU's rows show how many times as fast they are.
    Once,
    EveryLength,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub name: String,
    pub rung: String,
    #[serde(deserialize_with = "by_name")]
    pub finish: Finish,
    pub n: u64,
    pub workgroup: Option<u32>,
    pub tile: Option<u32>,
    /// The most workgroups, if not the rung's.
    pub grid: Option<u32>,
    /// Partial results that the GPU leaves, at most.
    #[serde(default = "one")]
    pub leave: u32,
    pub published_ms: Option<f64>,
    pub published_gb_s: Option<f64>,
    /// The OpenCL tutorial's t_gpu and speed-up.
    pub published_end_to_end: Option<(f64, f64)>,
    /// True if `published_ms` spans the way to the host and its sum too.
    #[serde(default)]
    pub published_is_whole: bool,
}

const fn one() -> u32 {
    1
}

/// Reads a value by its name on the command line.
pub fn by_name<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(text: D) -> Result<T, D::Error> {
    String::deserialize(text)?.parse().map_err(D::Error::custom)
}

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("documents.json")).expect("the tables are as the types say")
});

pub fn named(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

pub fn parser() -> impl TypedValueParser<Value = &'static Preset> {
    PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name.as_str()))
        .map(|name| named(&name).expect("clap has checked the name"))
}
