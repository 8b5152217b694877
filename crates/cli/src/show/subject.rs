//! The kernels that `halofold show` knows, by name and in groups.

use std::fmt::Write as _;

use halofold::reduce::ShapeKind;
use halofold::reduce::ladder::{RUNGS, Rung};
use halofold::stencil::{FIVE_POINT, STENCILS, Stencil, VARIANTS, Variant};

use crate::failure::Failure;
use crate::lists::each_once;

/// A kernel, or a few that belong together.
#[derive(Clone, Copy)]
pub enum Subject {
    /// A rung of the ladder.
    Rung(&'static Rung),
    /// The kernels of a shape of reductions.
    Shape(&'static str, ShapeKind),
    /// The kernel that applies a count on the GPU.
    Length,
    /// A kernel of histograms.
    Histogram(HistogramKernel),
    /// The kernels of quantiles.
    Quantiles,
    /// The kernels of the k largest elements.
    TopK,
    /// The kernel of pyramids.
    Pyramid,
    /// A variant of a stencil.
    Variant(&'static Stencil, &'static Variant),
    /// The reduction of the change of a step.
    Residual,
    /// Kernels between the steps of a stencil, by their entry points.
    Between(&'static [&'static str]),
}

/// A kernel of histograms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HistogramKernel {
    /// It sets the counters to zero.
    Clear,
    /// It counts in workgroup memory.
    Workgroup,
    /// It counts in storage.
    Storage,
}

/// The kernels for shapes beyond the ladder's.
const SHAPES: [(&str, ShapeKind); 4] = [
    ("accumulate", ShapeKind::Accumulate),
    ("segments", ShapeKind::Segments),
    ("offsets", ShapeKind::Offsets),
    ("columns", ShapeKind::Axis),
];
const LENGTH: &str = "length";

const HISTOGRAMS: [(&str, HistogramKernel); 3] = [
    ("histogram-workgroup", HistogramKernel::Workgroup),
    ("histogram-storage", HistogramKernel::Storage),
    ("histogram-clear", HistogramKernel::Clear),
];

const QUANTILES: &str = "quantiles";
const TOP_K: &str = "top-k";

const PYRAMID: &str = "pyramid";

const RESIDUAL: &str = "residual";
const BETWEEN: [(&str, &[&str]); 2] =
    [("convergence", &["begin", "resume", "count", "decide"]), ("halo", &["gather", "scatter"])];

/// The stencil and the variant in whose steps the kernels between steps are shown.
pub static USUAL: (&Stencil, &Variant) = (&FIVE_POINT, &VARIANTS[0]);

impl Subject {
    /// Finds a kernel by its name. A variant that serves several stencils is the one of `stencil`, or of the first that it serves.
    pub fn named(name: &str, stencil: Option<&'static Stencil>) -> Result<Self, Failure> {
        if let Some(rung) = RUNGS.iter().find(|rung| rung.name() == name) {
            return Ok(Subject::Rung(rung));
        }
        if let Some((name, shape)) = SHAPES.iter().find(|(known, _)| *known == name) {
            return Ok(Subject::Shape(name, *shape));
        }
        if let Some((_, kernel)) = HISTOGRAMS.iter().find(|(known, _)| *known == name) {
            return Ok(Subject::Histogram(*kernel));
        }
        if let Some((_, stages)) = BETWEEN.iter().find(|(known, _)| *known == name) {
            return Ok(Subject::Between(stages));
        }
        if VARIANTS.iter().any(|variant| variant.name == name) {
            return variant(name, stencil);
        }
        match name {
            LENGTH => Ok(Subject::Length),
            QUANTILES => Ok(Subject::Quantiles),
            TOP_K => Ok(Subject::TopK),
            PYRAMID => Ok(Subject::Pyramid),
            RESIDUAL => Ok(Subject::Residual),
            _ => Err(Failure::Usage(format!("unknown kernel `{name}`\n{}", listing()))),
        }
    }
}

fn variant(name: &str, stencil: Option<&'static Stencil>) -> Result<Subject, Failure> {
    let serves = |stencil: &'static Stencil| {
        Variant::named(stencil, name).map(|found| Subject::Variant(stencil, found))
    };
    match stencil {
        Some(stencil) => serves(stencil).map_err(Failure::usage),
        None => Ok(STENCILS
            .iter()
            .find_map(|stencil| serves(stencil).ok())
            .expect("each variant serves a stencil")),
    }
}

/// All names, by group.
fn groups() -> [(&'static str, Vec<&'static str>); 7] {
    let shapes = SHAPES.iter().map(|(name, _)| *name).chain([LENGTH]);
    let between = [RESIDUAL].into_iter().chain(BETWEEN.iter().map(|(name, _)| *name));
    [
        ("rungs", RUNGS.iter().map(Rung::name).collect()),
        ("reductions of other shapes", shapes.collect()),
        ("histograms", HISTOGRAMS.iter().map(|(name, _)| *name).collect()),
        ("order statistics", vec![QUANTILES, TOP_K]),
        ("pyramids", vec![PYRAMID]),
        ("stencils", each_once(VARIANTS.iter().map(|variant| variant.name))),
        ("between the steps of a stencil", between.collect()),
    ]
}

/// All names.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    groups().into_iter().flat_map(|(_, names)| names)
}

/// The names as text.
pub fn listing() -> String {
    let mut text = String::from("the kernels are");
    for (group, names) in groups() {
        let _ = write!(text, "\n  {group}: {}", names.join(", "));
    }
    text
}
