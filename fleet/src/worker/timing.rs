//! What a GPU takes for rounds and passes over its slab, and the host for exchanges.

use std::time::Instant;

use halofold::read;
use halofold::stencil::Jacobi;
use halofold::stencil::slab::Side;

use super::{Worker, encoder};
use crate::error::WorkerError;
use crate::watched::watched;

impl Worker {
    /// Seconds of a round whose edges come back as the halos, in the mean of several; of them, how many the host copies, and how many more it
    /// takes for the exchange.
    pub(crate) fn rounds_seconds(&mut self, steps: u32, rounds: u32) -> Result<[f64; 3], WorkerError> {
        let (mut copies, mut others) = (0.0, 0.0);
        let start = Instant::now();
        for _ in 0..rounds {
            let given = Instant::now();
            self.begin(steps, false)?;
            others += given.elapsed().as_secs_f64();
            self.wait()?;
            let arrived = Instant::now();
            for side in Side::BOTH {
                if let Some(edge) = self.take(side)? {
                    self.give(side, &edge)?;
                }
            }
            self.release()?;
            copies += arrived.elapsed().as_secs_f64();
        }
        self.finish()?;
        Ok([start.elapsed().as_secs_f64(), copies, others].map(|seconds| seconds / f64::from(rounds)))
    }

    /// Seconds of the copies of all edges over the bus, in the mean of several.
    pub(crate) fn edges_seconds(&self, copies: u32) -> Result<f64, WorkerError> {
        watched(&self.member.device, || {
            let mut out = self.member.device.create_command_encoder(&encoder("halofold fleet: edges out"));
            for _ in 0..copies {
                for (side, face) in self.faces() {
                    self.stepper.encode_edge_out(&mut out, side, self.at, face.leaving())?;
                }
            }
            let start = Instant::now();
            let index = self.member.queue.submit([out.finish()]);
            read::wait_for(&self.member.device, index)?;
            Ok(start.elapsed().as_secs_f64() / f64::from(copies))
        })
    }

    /// Seconds of so many steps over all that the slab holds, without rounds.
    pub(crate) fn passes_seconds(&self, jacobi: &Jacobi, steps: u32) -> Result<f64, WorkerError> {
        watched(&self.member.device, || {
            let stepper = jacobi.prepare(self.grids())?;
            let mut encoder = self.member.device.create_command_encoder(&encoder("halofold fleet: passes"));
            stepper.encode(&mut encoder, steps);
            let start = Instant::now();
            let index = self.member.queue.submit([encoder.finish()]);
            read::wait_for(&self.member.device, index)?;
            Ok(start.elapsed().as_secs_f64())
        })
    }
}
