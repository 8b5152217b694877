//! Times of a GPU for rounds and passes over its slab, and of the host for exchanges.

use std::time::{Duration, Instant};

use halofold::read;
use halofold::stencil::Jacobi;
use halofold::stencil::slab::Side;
use halofold::wgpu::{CommandEncoder, DeviceType};

use super::{Member, Worker, encoder};
use crate::error::WorkerError;
use crate::error_scopes::in_error_scopes;

/// The longest time without a faster batch of passes after which a GPU is warm, and the longest time in all. The clock of an H100 that has
/// idled takes 100 to 400 ms, in few steps: some last for more than 150 ms.
const STEADY: Duration = Duration::from_millis(300);
const LONGEST: Duration = Duration::from_millis(1000);

/// The part of the shortest time that a batch must be shorter by, so that it counts as faster.
const FASTER: f64 = 0.03;

impl Worker {
    /// Makes batches of this many steps until they get no faster. A processor's clock needs none.
    pub(crate) fn warm(&self, jacobi: &Jacobi, steps: u32) -> Result<(), WorkerError> {
        if self.member.device.adapter_info().device_type == DeviceType::Cpu {
            return Ok(());
        }
        let start = Instant::now();
        let (mut shortest, mut since) = (f64::INFINITY, start);
        while since.elapsed() < STEADY && start.elapsed() < LONGEST {
            let seconds = self.passes_seconds(jacobi, steps)?;
            if seconds < shortest * (1.0 - FASTER) {
                (shortest, since) = (seconds, Instant::now());
            }
        }
        log::debug!("halofold fleet: warm after {:?}", start.elapsed());
        Ok(())
    }

    /// Seconds of a round whose edges come back as the halos, in the mean of several; of them, how many the host copies, and how many more it
    /// takes for the exchange. Edges are not demoted.
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
        let all = self.seconds_of("halofold fleet: edges out", |out| {
            for (side, face) in (0..copies).flat_map(|_| self.faces()) {
                self.stepper.encode_edge_out(out, side, self.at, face.leaving())?;
            }
            Ok(())
        });
        all.map(|seconds| seconds / f64::from(copies))
    }

    /// Seconds of this many steps over all that the slab holds, without rounds.
    pub(crate) fn passes_seconds(&self, jacobi: &Jacobi, steps: u32) -> Result<f64, WorkerError> {
        self.seconds_of("halofold fleet: passes", |encoder| {
            jacobi.prepare(self.grids())?.encode(encoder, steps);
            Ok(())
        })
    }

    /// Seconds from the submission of the recorded commands to their end.
    fn seconds_of(
        &self,
        label: &str,
        record: impl FnOnce(&mut CommandEncoder) -> Result<(), WorkerError>,
    ) -> Result<f64, WorkerError> {
        let Member { device, queue } = &self.member;
        in_error_scopes(device, || {
            let mut commands = device.create_command_encoder(&encoder(label));
            record(&mut commands)?;
            let start = Instant::now();
            read::wait_for(device, queue.submit([commands.finish()]))?;
            Ok(start.elapsed().as_secs_f64())
        })
    }
}
