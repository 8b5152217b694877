//! A grid on several GPUs of one process.

use std::ops::Range;
use std::thread;

use halofold::stencil::slab::{Change, Side, Slab};
use halofold::stencil::{Border, Config, Dims, Jacobi, Outcome, Until, Weights};
use halofold::wgpu::Device;
use halofold::{Element, read};

use crate::depth::{self, Costs};
use crate::error::{FleetError, WorkerError};
use crate::split::split;
use crate::worker::{Member, Worker};

/// Faces of at least so many bytes are copied by a thread each: one thread copies slower than a bus.
const THREADED: u64 = 1 << 20;

/// Rounds that are timed, after one that is not: an even number.
const TIMED: u32 = 4;

/// How a grid is cut and how often faces are exchanged. By default everything is measured, which takes some rounds.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The layers of a halo, which is also the most steps between two exchanges. By default as many as two measured times say: that of
    /// a pass over memory, and what an exchange adds to it.
    pub halo: Option<u32>,
    /// How fast each GPU is, in any unit. By default measured, unless all have one name.
    pub shares: Option<Vec<f64>>,
}

impl Settings {
    /// The same with so many layers in a halo.
    pub fn with_halo(self, halo: u32) -> Self {
        Settings { halo: Some(halo), ..self }
    }

    /// The same with these speeds.
    pub fn with_shares(self, shares: Vec<f64>) -> Self {
        Settings { shares: Some(shares), ..self }
    }
}

/// A grid in slabs, one on each GPU.
///
/// One thread drives them all: it records and submits a round on each, waits for each one's edges, and copies faces from GPU to GPU while
/// the interiors run. The grid has the bits that one GPU gives, if the GPUs run the same kernel.
#[derive(Debug)]
pub struct Team {
    config: Config,
    workers: Vec<Worker>,
    /// Steps done.
    done: u32,
    outcome: Outcome,
}

impl Team {
    /// Cuts a grid into slabs, measures what [`Settings`] leave open, and uploads `cells`, and `rhs` if the configuration has a
    /// right-hand side.
    ///
    /// # Errors
    ///
    /// - The grid has too few layers for so many GPUs.
    /// - A GPU lacks a limit or a feature, or is lost.
    /// - There are other cells than the grid's.
    pub fn new(
        members: &[Member],
        config: Config,
        weights: Weights,
        (cells, rhs): (&[u8], Option<&[u8]>),
        settings: &Settings,
    ) -> Result<Self, FleetError> {
        for given in [Some(cells), rhs].into_iter().flatten() {
            if given.len() as u64 != config.bytes() {
                return Err(FleetError::Cells { given: given.len(), needed: config.bytes() });
            }
        }
        let first = members.first().ok_or(FleetError::Shares { shares: 0, members: 0 })?;
        let plan =
            Plan { members, config: kernel_of_parts(config, &first.device, members.len() as u32), weights };
        let (slabs, stencils) = plan.cut(settings)?;
        let rhs = rhs.unwrap_or_default();
        let load = |nth: usize| {
            let slab = &slabs[nth];
            let [cells, rhs] = [cells, rhs].map(|cells| pieces(slab, cells));
            Worker::new(&members[nth], &stencils[nth], slab, &cells, &rhs)
        };
        let workers = each(members.len(), load)?;
        Ok(Team { config, workers, done: 0, outcome: Outcome::NONE })
    }

    /// The workers, in the order of the GPUs.
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// The layers of a halo.
    pub fn halo(&self) -> u32 {
        self.workers.first().map_or(0, |worker| worker.slab().depth())
    }

    /// Steps done.
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// What the last check found.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Makes so many steps. It returns when the last edges have been exchanged; interiors may still run.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn advance(&mut self, steps: u32) -> Result<(), FleetError> {
        let mut left = steps;
        while left > 0 {
            let round = left.min(self.halo());
            self.round(round, false)?;
            left -= round;
        }
        Ok(())
    }

    /// Makes up to so many steps, until a check finds that the last step changed little enough. As with
    /// [`Jacobi::prepare_until`], a check comes after every [`Until::every`] steps since the first, and after the last one. Squares
    /// are always added exactly, so that runs on any GPUs stop at the same step.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - A device is lost.
    pub fn advance_until(&mut self, steps: u32, until: &Until) -> Result<Outcome, FleetError> {
        until.check()?;
        let end = self.done.saturating_add(steps);
        while self.done < end && !self.outcome.converged {
            let due = until.next_check(self.done, end);
            let round = (due - self.done).min(self.halo());
            let is_checked = self.done + round == due;
            self.round(round, is_checked)?;
            if is_checked {
                let change = self.change()?;
                (self.outcome.max, self.outcome.l2) = (change.max(), change.l2());
                self.outcome.converged = change.meets(until);
            }
        }
        Ok(self.outcome)
    }

    /// What the last step changed in all slabs.
    fn change(&self) -> Result<Change, FleetError> {
        let mut changes = self.workers.iter().enumerate().map(|(nth, worker)| of(nth, worker.change()));
        let first = changes.next().expect("there is a GPU");
        changes.try_fold(first?, |mut all, change| {
            all.merge(&change?);
            Ok(all)
        })
    }

    /// A round on each GPU, and the exchange after it.
    fn round(&mut self, steps: u32, is_checked: bool) -> Result<(), FleetError> {
        for (nth, worker) in self.workers.iter_mut().enumerate() {
            of(nth, worker.begin(steps, is_checked))?;
        }
        for (nth, worker) in self.workers.iter_mut().enumerate() {
            of(nth, worker.wait())?;
        }
        self.exchange()?;
        for (nth, worker) in self.workers.iter_mut().enumerate() {
            of(nth, worker.release())?;
        }
        self.done += steps;
        self.outcome.steps = self.done;
        Ok(())
    }

    /// Brings each edge to the neighbour's halo.
    fn exchange(&self) -> Result<(), FleetError> {
        let count = self.workers.len();
        let copy = |nth: usize, side: Side| {
            let neighbour = match side {
                Side::Low => (nth + count - 1) % count,
                Side::High => (nth + 1) % count,
            };
            match of(nth, self.workers[nth].take(side))? {
                Some(edge) => of(neighbour, self.workers[neighbour].give(side.opposite(), &edge)),
                None => Ok(()),
            }
        };
        let faces = (0..count).flat_map(|nth| Side::BOTH.map(|side| (nth, side)));
        let is_threaded = self.workers[0].slab().face_bytes() >= THREADED;
        if !is_threaded {
            return faces.into_iter().try_for_each(|(nth, side)| copy(nth, side));
        }
        thread::scope(|scope| {
            let copies: Vec<_> = faces.map(|(nth, side)| scope.spawn(move || copy(nth, side))).collect();
            copies.into_iter().try_for_each(|copy| copy.join().expect("a copy does not panic"))
        })
    }

    /// Waits for everything submitted.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn finish(&self) -> Result<(), FleetError> {
        self.workers.iter().enumerate().try_for_each(|(nth, worker)| of(nth, worker.finish()))
    }

    /// Waits for everything submitted, and reads some bytes of the grid.
    ///
    /// # Errors
    ///
    /// - The range is not inside the grid.
    /// - A device is lost.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, FleetError> {
        let mut bytes = Vec::with_capacity((range.end.saturating_sub(range.start)) as usize);
        for (nth, worker) in self.workers.iter().enumerate() {
            let slab = worker.slab();
            let [begin, end] =
                [slab.own().start, slab.own().end].map(|layer| u64::from(layer) * slab.layer_bytes());
            let (start, stop) = (range.start.max(begin), range.end.min(end));
            if start < stop {
                of(nth, worker.read(start - begin..stop - begin, |piece| bytes.extend_from_slice(piece)))?;
            }
        }
        if bytes.len() as u64 == range.end.saturating_sub(range.start) {
            return Ok(bytes);
        }
        Err(FleetError::Cells { given: bytes.len(), needed: self.config.bytes() })
    }
}

/// The configuration of a grid with the kernel that all its parts are stepped by, if that is still open: the one that a GPU would take for
/// the whole grid, so that the bits are those of one GPU, or if it is too large for a GPU, for one of so many parts. The kernel's tuning
/// is left to each GPU.
pub fn kernel_of_parts(config: Config, device: &Device, parts: u32) -> Config {
    let mut grid = config.grid;
    if config.bytes() > device.limits().max_buffer_size {
        let layers = if config.stencil.dims == Dims::Two { &mut grid.rows } else { &mut grid.planes };
        *layers = (*layers / parts.max(1)).max(1);
    }
    config.kernel_for(grid, device)
}

/// What is to be cut, and for whom.
struct Plan<'a> {
    members: &'a [Member],
    config: Config,
    weights: Weights,
}

/// The slabs of all GPUs, and a stencil for each.
type Cut = (Vec<Slab>, Vec<Jacobi>);

impl Plan<'_> {
    /// The slabs, and a stencil for each, as settings and measurements say.
    fn cut(&self, settings: &Settings) -> Result<Cut, FleetError> {
        let count = self.members.len();
        let equal = vec![1.0; count];
        if let (Some(halo), Some(shares)) = (settings.halo, self.known_shares(settings, &equal)) {
            return self.slabs(shares, halo);
        }
        let shares = self.known_shares(settings, &equal).unwrap_or(&equal);
        // A first cut, in rounds of one pass, tells what passes and exchanges cost.
        let (slabs, stencils) = self.slabs(shares, self.even(1))?;
        let steps = each(count, |nth| Ok(stencils[nth].config().steps_per_pass()))?;
        let steps = steps.into_iter().max().unwrap_or(1).min(self.thinnest(&slabs));
        let (slabs, stencils) = self.slabs(shares, self.even(steps))?;
        let costs = self.measure(&slabs, &stencils)?;
        let speeds: Vec<f64> = slabs
            .iter()
            .zip(&costs)
            .map(|(slab, costs)| f64::from(slab.own().len() as u32) / costs.pass)
            .collect();
        let shares = self.known_shares(settings, &equal).unwrap_or(&speeds).to_vec();
        log::debug!(
            "halofold fleet: {costs:?} for slabs of {:?}",
            slabs.iter().map(Slab::own).collect::<Vec<_>>()
        );
        let halo = settings.halo.unwrap_or_else(|| {
            let faces = if count > 2 || slabs[0].edge(Side::Low).is_some() { 2 } else { 1 };
            let passes = slabs
                .iter()
                .zip(&costs)
                .map(|(slab, costs)| depth::passes(*costs, self.even(steps), slab.own().len() as u32, faces));
            self.even(steps) * passes.min().unwrap_or(1)
        });
        let least = self.layers() / count as u32;
        self.slabs(&shares, if settings.halo.is_some() { halo } else { halo.min(least.max(1)) })
    }

    /// The speeds, if they need not be measured.
    fn known_shares<'s>(&self, settings: &'s Settings, equal: &'s [f64]) -> Option<&'s [f64]> {
        let name = |member: &Member| member.device.adapter_info().name;
        let alike = self.members.windows(2).all(|pair| name(&pair[0]) == name(&pair[1]));
        settings.shares.as_deref().or_else(|| alike.then_some(equal))
    }

    fn slabs(&self, shares: &[f64], halo: u32) -> Result<Cut, FleetError> {
        let members = self.members.len();
        if shares.len() != members || members == 0 {
            return Err(FleetError::Shares { shares: shares.len(), members });
        }
        let layers = self.layers();
        let cut = if members == 1 && !self.is_ring() { 1 } else { halo };
        let parts = split(layers, shares, cut, self.unit());
        let parts = parts.ok_or(FleetError::Layers { layers, members, halo })?;
        let slabs: Vec<_> =
            parts.into_iter().map(|own| Slab::new(self.config, own, halo)).collect::<Result<_, _>>()?;
        let stencil =
            |nth: usize| Ok(Jacobi::new(&self.members[nth].device, slabs[nth].config(), self.weights)?);
        let stencils = each(members, stencil)?;
        Ok((slabs, stencils))
    }

    /// What passes and exchanges cost each GPU, one after the other.
    fn measure(&self, slabs: &[Slab], stencils: &[Jacobi]) -> Result<Vec<Costs>, FleetError> {
        let cost = |nth: usize| {
            let mut worker = Worker::new(&self.members[nth], &stencils[nth], &slabs[nth], &[], &[])?;
            let steps = slabs[nth].depth();
            worker.rounds_seconds(steps, 1)?;
            let round = worker.rounds_seconds(steps, TIMED)?;
            worker.passes_seconds(&stencils[nth], steps)?;
            let pass = worker.passes_seconds(&stencils[nth], TIMED * steps)? / f64::from(TIMED);
            drop(worker);
            // Its buffers go when the device is polled: there may be no room for two grids.
            read::poll(&self.members[nth].device)?;
            Ok(Costs { pass, exchange: (round - pass).max(0.0) })
        };
        (0..slabs.len()).map(|nth| of(nth, cost(nth))).collect()
    }

    fn layers(&self) -> u32 {
        match self.config.stencil.dims {
            Dims::Two => self.config.grid.rows,
            _ => self.config.grid.planes,
        }
    }

    fn is_ring(&self) -> bool {
        let [_, rows, planes] = self.config.borders.pairs();
        let outer = if self.config.stencil.dims == Dims::Two { rows } else { planes };
        outer.0 == Border::Periodic
    }

    /// Faces are copied in whole words: layers of an odd number of 16-bit cells go by twos.
    fn unit(&self) -> u32 {
        let grid = self.config.grid;
        let layer = if self.config.stencil.dims == Dims::Two { 1 } else { u64::from(grid.rows) };
        let is_odd = layer * u64::from(grid.cols) % 2 == 1;
        if self.config.element == Element::F16 && is_odd { 2 } else { 1 }
    }

    fn even(&self, steps: u32) -> u32 {
        steps.next_multiple_of(self.unit())
    }

    fn thinnest(&self, slabs: &[Slab]) -> u32 {
        slabs.iter().map(|slab| slab.own().len() as u32).min().unwrap_or(1)
    }
}

/// The cells that a slab holds, of a whole grid.
fn pieces<'a>(slab: &Slab, cells: &'a [u8]) -> Vec<&'a [u8]> {
    if cells.is_empty() {
        return Vec::new();
    }
    let size = slab.layer_bytes() as usize;
    let piece = |layers: Range<u32>| &cells[layers.start as usize * size..layers.end as usize * size];
    slab.held_parts().into_iter().map(piece).collect()
}

/// Does something for each GPU, side by side: compiling and uploading take long.
fn each<T: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, WorkerError> + Sync,
) -> Result<Vec<T>, FleetError> {
    let work = &work;
    thread::scope(|scope| {
        let all: Vec<_> = (0..count).map(|nth| scope.spawn(move || of(nth, work(nth)))).collect();
        all.into_iter().map(|one| one.join().expect("a worker does not panic")).collect()
    })
}

/// Says which GPU an error is about.
fn of<T>(member: usize, result: Result<T, WorkerError>) -> Result<T, FleetError> {
    result.map_err(|error| FleetError::Member { member, error })
}
