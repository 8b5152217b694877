//! The result of `halofold stencil`, as text or JSON.

use std::time::Instant;

use halofold::stencil::{Norm, Outcome};
use halofold::wgpu::Backend;
use halofold_measure::significant;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{ms_since, print, print_json, visible};
use crate::stencil::StencilArgs;
use crate::stencil::request::Request;
use crate::table;

pub struct Report<'a> {
    args: &'a StencilArgs,
    request: &'a Request,
    /// Names of the adapters, and their back end.
    adapters: (String, Backend),
    stepped: Stepped,
    wall_ms: f64,
    /// Time to compile and upload, in milliseconds. Only for several adapters or ranks.
    pub setup_ms: Option<f64>,
    /// Layers of each slab (rows in 2D, planes in 3D), and steps per round. Only for several adapters or ranks.
    pub cut: Option<(Vec<u32>, u32)>,
}

pub struct Stepped {
    pub outcome: Outcome,
    /// Median GPU time of one step, in milliseconds. `None` without timestamps.
    pub gpu_ms_median: Option<f64>,
    /// Cell updates per second in 10^9, by GPU time if there are timestamps.
    pub gcells_per_s: Option<f64>,
}

impl<'a> Report<'a> {
    /// Makes the report of a run that began at `start` and ends now.
    pub fn new(
        args: &'a StencilArgs,
        request: &'a Request,
        adapters: (String, Backend),
        stepped: Stepped,
        start: Instant,
    ) -> Self {
        Report { args, request, adapters, stepped, wall_ms: ms_since(start), setup_ms: None, cut: None }
    }

    fn json(&self) -> Value {
        let Report { request: Request { source, config, until, .. }, stepped, .. } = self;
        let checked = until.map(|_| stepped.outcome);
        let sides: Vec<_> = source.shape().iter().map(u64::to_string).collect();
        // JSON has no NaN or infinity: write strings.
        let number = |x: f64| if x.is_finite() { json!(x) } else { json!(x.to_string()) };
        let mut json = json!({
            "file": source.name(),
            "variant": config.variant.name,
            "points": config.stencil.points(),
            "grid": sides.join("x"),
            "block": config.tuning.block.to_string(),
            "boundary": self.args.boundary.to_string(),
            "steps": stepped.outcome.steps,
            "type": config.element.name(),
            "gpu_ms_median": stepped.gpu_ms_median.map(significant),
            "wall_ms": self.wall_ms,
            "gcells_per_s": stepped.gcells_per_s.map(significant),
            "residual_max": checked.map(|outcome| number(outcome.max)),
            "residual_l2": checked.map(|outcome| number(outcome.l2)),
            "converged": checked.map(|outcome| outcome.converged),
            "output": self.args.output.as_ref().map(|path| path.display().to_string()),
            "adapter": self.adapters.0,
            "backend": self.adapters.1.to_string(),
        });
        if let Some((layers, halo)) = &self.cut {
            (json["setup_ms"], json["layers"], json["halo"]) =
                (json!(self.setup_ms), json!(layers), json!(halo));
        }
        json
    }

    /// Prints the report as JSON or text. Returns a failure if the run has not converged.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            print_json(&self.json())?
        } else {
            print(&self.text())?
        }
        self.verdict()
    }

    pub fn verdict(&self) -> Result<(), Failure> {
        let outcome = self.stepped.outcome;
        if self.request.until.is_none() || outcome.converged {
            return Ok(());
        }
        let (file, steps) = (visible(self.request.source.name(), &[]), outcome.steps);
        let why = if outcome.is_nan() { "a change of that step is NaN" } else { "allow more with --steps" };
        Err(Failure::NotConverged(format!("{file}: not converged after step {steps}: {why}")))
    }

    fn text(&self) -> String {
        let Report { request: Request { source, config, .. }, stepped, .. } = self;
        let outcome = stepped.outcome;
        let sides: Vec<_> = source.shape().iter().map(u64::to_string).collect();
        let mut text = format!(
            "{} ({})\n{}: {} {}, {} points by {} in blocks of {}, {} borders\n{} step{}: ",
            self.adapters.0,
            self.adapters.1,
            visible(source.name(), &[]),
            sides.join(" × "),
            config.element,
            config.stencil.points(),
            config.variant.name,
            config.tuning.block,
            self.args.boundary,
            outcome.steps,
            if outcome.steps == 1 { "" } else { "s" },
        );
        if let Some(ms) = stepped.gpu_ms_median {
            text += &format!("{} a step on the GPU, ", table::time(Some(ms)));
        }
        if let Some(rate) = stepped.gcells_per_s {
            text += &format!("{} GCell/s, ", table::digits(rate));
        }
        text += &format!("{} in all, with the file", table::time(Some(self.wall_ms)));
        if self.request.until.is_some() {
            let verdict = if outcome.converged { "converged" } else { "not converged" };
            let changed = "the last step that was checked changed";
            text += &match (outcome.steps, self.args.norm) {
                (0, _) => format!("\n{verdict}: no step was checked"),
                (_, Norm::L2) => {
                    format!("\n{verdict}: {changed} the grid by {:.3e} in the L2 norm", outcome.l2)
                }
                _ => format!("\n{verdict}: {changed} a cell by {:.3e} at most", outcome.max),
            };
        }
        if let Some((layers, halo)) = self.cut.as_ref().filter(|(layers, _)| layers.len() > 1) {
            let layers: Vec<_> = layers.iter().map(u32::to_string).collect();
            text += &format!("\nslabs of {} layers, faces ", layers.join(", "));
            text += &match *halo < outcome.steps {
                true => format!("exchanged every {halo} steps"),
                false => "never exchanged: the steps need none".to_owned(),
            };
        }
        text += &match &self.args.output {
            Some(output) => format!("\nwritten: {}", output.display()),
            None => "\nthe last grid was not written: give -o OUT.npy or -o OUT.png".to_owned(),
        };
        text + "\n"
    }
}
