//! The report of a run.

use std::time::Instant;

use halofold::stencil::{Norm, Outcome};
use halofold::wgpu::Backend;
use halofold_measure::significant;
use serde::{Serialize, Serializer};

use crate::failure::Failure;
use crate::grid::GridArgs;
use crate::grid::request::Request;
use crate::output::{ms_since, print, print_json, visible};
use crate::table;

/// A run in numbers, key by key as `--json` prints them.
#[derive(Serialize)]
pub struct Report {
    pub file: String,
    pub variant: &'static str,
    pub points: u32,
    #[serde(serialize_with = "sides")]
    pub grid: Vec<u64>,
    /// Invocations of a workgroup: rows x columns.
    pub block: String,
    pub boundary: String,
    pub steps: u32,
    #[serde(rename = "type")]
    pub element: &'static str,
    /// Time of one step on the GPU: the median over all.
    pub gpu_ms_median: Option<f64>,
    pub wall_ms: f64,
    /// Cells of the grid per step and time, by the GPU's clock where it tells.
    pub gcells_per_s: Option<f64>,
    /// The largest change of a cell in the last step that was looked at.
    #[serde(serialize_with = "number")]
    pub residual_max: Option<f64>,
    /// The root of the sum of squares of all changes.
    #[serde(serialize_with = "number")]
    pub residual_l2: Option<f64>,
    pub converged: Option<bool>,
    pub output: Option<String>,
    pub adapter: String,
    pub backend: String,
    #[serde(skip)]
    pub norm: Norm,
    /// Of several adapters or ranks, the time of compiling and uploading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup_ms: Option<f64>,
    #[serde(flatten)]
    pub together: Option<Together>,
}

pub struct Stepped {
    pub outcome: Outcome,
    /// Time of one step on the GPU: the median over all.
    pub gpu_ms_median: Option<f64>,
    pub gcells_per_s: Option<f64>,
}

/// The cut of a grid into slabs.
#[derive(Serialize)]
pub struct Together {
    /// The layers of each adapter's slab: rows in 2D, planes in 3D.
    pub layers: Vec<u32>,
    pub halo: u32,
}

impl From<(Vec<u32>, u32)> for Together {
    fn from((layers, halo): (Vec<u32>, u32)) -> Self {
        Together { layers, halo }
    }
}

/// A number, as a string where JSON has none for it.
fn number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if !value.is_finite() => serializer.collect_str(value),
        value => value.serialize(serializer),
    }
}

/// Dimensions as a preset's rows have them: `1080x1920`.
fn sides<S: Serializer>(grid: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    let sides: Vec<_> = grid.iter().map(u64::to_string).collect();
    sides.join("x").serialize(serializer)
}

impl Report {
    /// The report of a run that began at `start` and ends now, on adapters of these names and their back end.
    pub fn new(
        args: &GridArgs,
        request: &Request,
        (adapter, backend): (String, Backend),
        stepped: Stepped,
        start: Instant,
    ) -> Self {
        let Request { source, config, until, .. } = request;
        let Stepped { outcome, gpu_ms_median, gcells_per_s } = stepped;
        let checked = until.map(|_| outcome);
        Report {
            file: source.name().to_owned(),
            variant: config.variant.name,
            points: config.stencil.points(),
            grid: source.shape().to_vec(),
            block: config.tuning.block.to_string(),
            boundary: args.boundary.to_string(),
            steps: outcome.steps,
            element: config.element.name(),
            gpu_ms_median: gpu_ms_median.map(significant),
            wall_ms: ms_since(start),
            gcells_per_s: gcells_per_s.map(significant),
            residual_max: checked.map(|outcome| outcome.max),
            residual_l2: checked.map(|outcome| outcome.l2),
            converged: checked.map(|outcome| outcome.converged),
            output: args.output.as_ref().map(|path| path.display().to_string()),
            adapter,
            backend: backend.to_string(),
            norm: args.norm,
            setup_ms: None,
            together: None,
        }
    }

    /// Prints it, as JSON or for people. A run that has not converged fails then.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            print_json(self)?
        } else {
            print(&self.text())?
        }
        self.verdict()
    }

    pub fn verdict(&self) -> Result<(), Failure> {
        if self.converged != Some(false) {
            return Ok(());
        }
        let (file, steps) = (visible(&self.file, &[]), table::count(self.steps.into()));
        let is_nan = self.residual_max.is_some_and(f64::is_nan);
        let why = if is_nan { "a change of that step is NaN" } else { "allow more with --steps" };
        Err(Failure::NotConverged(format!("{file}: not converged after step {steps}: {why}")))
    }

    fn text(&self) -> String {
        let sides: Vec<_> = self.grid.iter().map(u64::to_string).collect();
        let mut text = format!(
            "{} ({})\n{}: {} {}, {} points by {} in blocks of {}, {} borders\n{} step{}: ",
            self.adapter,
            self.backend,
            visible(&self.file, &[]),
            sides.join(" × "),
            self.element,
            self.points,
            self.variant,
            self.block,
            self.boundary,
            table::count(self.steps.into()),
            if self.steps == 1 { "" } else { "s" },
        );
        if let Some(ms) = self.gpu_ms_median {
            text += &format!("{} a step on the GPU, ", table::time(Some(ms)));
        }
        if let Some(rate) = self.gcells_per_s {
            text += &format!("{} GCell/s, ", table::digits(rate));
        }
        text += &format!("{} in all, with the file", table::time(Some(self.wall_ms)));
        if let (Some(converged), Some(most), Some(l2)) = (self.converged, self.residual_max, self.residual_l2)
        {
            let verdict = if converged { "converged" } else { "not converged" };
            let changed = "the last step that was checked changed";
            text += &match (self.steps, self.norm) {
                (0, _) => format!("\n{verdict}: no step was checked"),
                (_, Norm::L2) => format!("\n{verdict}: {changed} the grid by {l2:.3e} in the L2 norm"),
                _ => format!("\n{verdict}: {changed} a cell by {most:.3e} at most"),
            };
        }
        if let Some(Together { layers, halo, .. }) = self.together.as_ref().filter(|cut| cut.layers.len() > 1)
        {
            let layers: Vec<_> = layers.iter().map(|layers| table::count((*layers).into())).collect();
            text += &format!("\nslabs of {} layers, faces ", layers.join(", "));
            text += &match *halo < self.steps {
                true => format!("exchanged every {halo} steps"),
                false => "never exchanged: the steps need none".to_owned(),
            };
        }
        text += &match &self.output {
            Some(output) => format!("\nwritten: {output}"),
            None => "\nthe last grid was not written: give -o OUT.npy or -o OUT.png".to_owned(),
        };
        text + "\n"
    }
}
