//! A grid in slabs on several adapters.

use std::ops::Range;

use halofold::stencil::{Outcome, Tuning, Until, Variant};
use halofold_fleet::Team;

use super::grid_state::{GridState, Sink, steps_of_submission};
use super::report::Together;
use crate::failure::Failure;

impl GridState for Team {
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, Failure> {
        self.step(steps, until).map_err(Failure::usage)?;
        Ok(None)
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn batch(&self, until: Option<&Until>) -> u32 {
        steps_of_submission(&self.workers()[0].stencil(), self.halo(), until, false)
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.finish().map_err(Failure::usage)
    }

    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), Failure> {
        self.read(range, sink).map_err(Failure::usage)
    }

    fn kernel(&self) -> (&'static Variant, Tuning) {
        let config = self.workers()[0].stencil();
        (config.variant, config.tuning)
    }

    fn together(&self) -> Option<Together> {
        let layers = self.workers().iter().map(|worker| worker.slab().own().len() as u32);
        Some(Together { layers: layers.collect(), halo: self.halo() })
    }
}
