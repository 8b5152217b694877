//! A grid in slabs on several adapters.

use std::ops::Range;

use halofold::stencil::{Config, Outcome, Until, Weights};
use halofold_fleet::{Team, TeamOptions};

use super::grid_state::GridState;
use super::report::Together;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// Cuts a grid, compiles, and uploads the slabs, for a run of so many steps, which is not short; `halo` is the number of steps between two exchanges, if
/// it is given.
pub fn team(
    gpus: &[Gpu],
    (config, weights): (Config, Weights),
    cells: (&[u8], Option<&[u8]>),
    (steps, halo): (u32, Option<u32>),
) -> Result<Team, Failure> {
    let members: Vec<_> = gpus.iter().map(Gpu::member).collect();
    let options = TeamOptions::default().with_steps(steps).known_long();
    let options = halo.map_or(options.clone(), |halo| options.with_halo(halo));
    Team::new(&members, config, weights, cells, &options).map_err(Failure::usage)
}

impl GridState for Team {
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, Failure> {
        self.step(steps, until).and_then(|_| self.finish()).map_err(Failure::usage)?;
        Ok(None)
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn depth(&self) -> u32 {
        self.halo()
    }

    fn together(&self) -> Option<Together> {
        let layers = self.workers().iter().map(|worker| worker.slab().own().len() as u32);
        Some(Together { layers: layers.collect(), halo: self.halo(), used: self.used().to_vec() })
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        self.read(range).map_err(Failure::usage)
    }
}
