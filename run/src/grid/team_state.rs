//! A grid in slabs on several adapters.

use std::ops::Range;

use halofold::stencil::{Config, Outcome, Until, Weights};
use halofold_fleet::{FleetError, Member, Settings, Team};

use super::grid_state::GridState;
use crate::failure::Failure;
use crate::gpu::{self, Gpu};

/// The grid, and the adapters that step it.
pub struct TeamState {
    team: Team,
    until: Option<Until>,
}

impl TeamState {
    /// Cuts a grid, compiles, and uploads the slabs; `halo` is the number of steps between two exchanges, if it is given.
    pub fn new(
        gpus: &[Gpu],
        (config, weights): (Config, Weights),
        until: Option<Until>,
        cells: (&[u8], Option<&[u8]>),
        halo: Option<u32>,
    ) -> Result<Self, Failure> {
        let member = |gpu: &Gpu| Member { device: gpu.device.clone(), queue: gpu.queue.clone() };
        let members: Vec<_> = gpus.iter().map(member).collect();
        let settings = halo.map_or(Settings::default(), |halo| Settings::default().with_halo(halo));
        let team = Team::new(&members, config, weights, cells, &settings).map_err(explain)?;
        Ok(TeamState { team, until })
    }

    /// The grid's configuration as the first adapter steps its slab.
    pub fn config(&self) -> Config {
        self.team.workers()[0].stencil()
    }

    /// The layers of each adapter's slab.
    pub fn layers(&self) -> Vec<u32> {
        self.team.workers().iter().map(|worker| worker.slab().own().len() as u32).collect()
    }

    /// The steps between two exchanges.
    pub fn halo(&self) -> u32 {
        self.team.halo()
    }
}

impl GridState for TeamState {
    fn advance(&mut self, steps: u32) -> Result<Option<f64>, Failure> {
        match &self.until {
            None => self.team.advance(steps).map_err(explain)?,
            Some(until) => self.team.advance_until(steps, until).map(drop).map_err(explain)?,
        }
        self.team.finish().map_err(explain)?;
        Ok(None)
    }

    fn done(&self) -> u32 {
        self.team.done()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.until.map(|_| self.team.outcome())
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        self.team.read(range).map_err(explain)
    }
}

fn explain(error: FleetError) -> Failure {
    Failure::Usage(gpu::explain(&error))
}
