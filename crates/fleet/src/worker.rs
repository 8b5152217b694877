//! One GPU's slab of a grid.

mod timing;
mod upload;

use std::collections::HashMap;
use std::ops::Range;

use halofold::read::{self, Readback};
use halofold::reduce::Prepared;
use halofold::stencil::slab::{Change, Round, Side, Slab, SlabStepper};
use halofold::stencil::{Config, Grids, Jacobi};
use halofold::wgpu::{self, Buffer, BufferView, CommandBuffer, Device, Queue, SubmissionIndex};

use crate::cache::demote;
use crate::error::WorkerError;
use crate::error_scopes::in_error_scopes;
use crate::halo_face::HaloFace;
use upload::buffer;

/// Edges of at least so many bytes are demoted: shorter ones are copied by one thread, or by few.
const DEMOTED: usize = 1 << 20;

/// Bytes that are read back at once.
const PIECE: u64 = 64 << 20;

/// A GPU, opened: see [`halofold::adapter`].
#[derive(Clone, Debug)]
pub struct Member {
    /// Its device.
    pub device: Device,
    /// The device's queue.
    pub queue: Queue,
}

/// A slab on a GPU, with everything that its rounds and exchanges need.
///
/// A program brings faces from one GPU to another by any means: [`Team`](crate::Team) copies them within a
/// process, and MPI would send them. One round after the other:
///
/// 1. [`Worker::begin`] submits the steps up to the edges, and then the interior.
/// 2. [`Worker::wait`] waits for the edges only.
/// 3. [`Worker::take`] gives the edge on each side, [`Worker::give`] takes the neighbour's. The interior runs meanwhile.
/// 4. [`Worker::release`] ends the exchange.
#[derive(Debug)]
pub struct Worker {
    member: Member,
    /// Its rounds leave edges for rounds of its depth.
    stepper: SlabStepper,
    /// The steps that the halos are enough for.
    given: u32,
    buffers: [Buffer; 2],
    rhs: Option<Buffer>,
    faces: [Option<HaloFace>; 2],
    rounds: HashMap<Kind, Round>,
    check: Option<Check>,
    /// The next round, if it is like the last one.
    recorded: Option<Recorded>,
    /// The buffer that holds the grid.
    at: usize,
    stage: Stage,
}

/// A round's steps, true if the last one is checked, and the depth of the faces that it leaves.
type Kind = (u32, bool, u32);

#[derive(Clone, Debug)]
enum Stage {
    /// Halos are as they were loaded.
    Loaded,
    /// Halos lie in the staging buffers.
    Given,
    /// The edges are on their way.
    Begun(SubmissionIndex),
    /// The staging buffers belong to the host.
    Exchanging,
}

/// A round that was recorded ahead, so that it is submitted as soon as the halos are there.
#[derive(Debug)]
struct Recorded {
    kind: Kind,
    /// The buffer that holds the grid after it.
    result: usize,
    edges: CommandBuffer,
    interior: CommandBuffer,
}

/// A check of the changes of a step, and its readback.
#[derive(Debug)]
struct Check {
    parts: [Prepared; 2],
    found: Buffer,
    readback: Readback,
}

impl Worker {
    /// Uploads a slab, and compiles the kernels of a full round. `held` are the cells of [`Slab::held_parts`], in pieces of any size, one after the other, and `rhs` those of
    /// the right-hand side, if the configuration has one. A worker that only measures takes none.
    ///
    /// # Errors
    ///
    /// The device lacks a limit or a feature, or is lost.
    pub fn new(
        member: &Member,
        jacobi: &Jacobi,
        slab: &Slab,
        held: &[&[u8]],
        rhs: &[&[u8]],
    ) -> Result<Self, WorkerError> {
        in_error_scopes(&member.device, || {
            let buffers = [buffer(member, slab.bytes(), held)?, buffer(member, slab.bytes(), &[])?];
            let rhs = jacobi.config().rhs.then(|| buffer(member, slab.bytes(), rhs)).transpose()?;
            // Fixed cells are never written: the second buffer needs them too.
            let mut copy = member.device.create_command_encoder(&encoder("halofold fleet: load"));
            copy.copy_buffer_to_buffer(&buffers[0], 0, &buffers[1], 0, buffers[0].size());
            let loaded = member.queue.submit([copy.finish()]);
            let grids = Grids::new(&buffers[0], &buffers[1]);
            let grids = rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs));
            let stepper = jacobi.prepare_slab(slab, grids)?;
            let room = u64::from(slab.halo_layers()) * slab.layer_bytes();
            let face = |side| slab.edge(side).map(|_| HaloFace::new(&member.device, room));
            let mut worker = Worker {
                member: member.clone(),
                stepper,
                given: slab.depth(),
                buffers,
                rhs,
                faces: Side::BOTH.map(face),
                rounds: HashMap::new(),
                check: None,
                recorded: None,
                at: 0,
                stage: Stage::Loaded,
            };
            if !held.is_empty() {
                // The first round is to wait for neither.
                worker.bind((slab.depth(), false, slab.depth()))?;
                read::wait_for(&member.device, loaded)?;
            }
            Ok(worker)
        })
    }

    /// Its slab.
    pub fn slab(&self) -> &Slab {
        self.stepper.slab()
    }

    /// The configuration by which it is stepped.
    pub fn stencil(&self) -> Config {
        self.slab().config()
    }

    /// Makes the edges of the rounds to come be for rounds of up to this many steps, 1 to as many as its halo has layers for. Between two rounds,
    /// on all workers alike.
    ///
    /// # Errors
    ///
    /// - There are no such faces: see [`Slab::with_depth`].
    /// - A round is under way.
    pub fn set_depth(&mut self, steps: u32) -> Result<(), WorkerError> {
        if !matches!(self.stage, Stage::Loaded | Stage::Given) {
            return Err(WorkerError::Order("the depth is set between two rounds"));
        }
        if steps != self.slab().depth() {
            self.stepper = self.stepper.with_depth(steps)?;
            self.recorded = None;
        }
        Ok(())
    }

    /// Submits a round of this many steps, as many as the last faces are enough for at most: first up to the edges and their copies, then the interior. With `checked` the
    /// last pass is one step, and [`Worker::change`] returns its change. The first round of another number of steps, or the first with a check, may compile.
    ///
    /// # Errors
    ///
    /// - The round has no steps, or more than the halo has layers that are right.
    /// - The last exchange is not over.
    /// - The device is lost.
    pub fn begin(&mut self, steps: u32, checked: bool) -> Result<(), WorkerError> {
        let is_given = match self.stage {
            Stage::Loaded => false,
            Stage::Given => true,
            _ => return Err(WorkerError::Order("a round begins after `release` of the one before")),
        };
        if steps > self.given && self.faces().next().is_some() {
            return Err(WorkerError::Order("a round has no more steps than the last faces are enough for"));
        }
        let kind = (steps, checked, self.slab().depth());
        let device = self.member.device.clone();
        in_error_scopes(&device, || {
            let recorded = match self.recorded.take() {
                Some(recorded) if is_given && recorded.kind == kind => recorded,
                _ => self.record(kind, is_given.then_some(self.given))?,
            };
            let index = self.member.queue.submit([recorded.edges]);
            self.faces().for_each(|(_, face)| face.ask());
            self.member.queue.submit([recorded.interior]);
            self.at = recorded.result;
            self.stage = Stage::Begun(index);
            self.given = kind.2;
            // While this one runs: as a rule the next round is alike.
            self.recorded = Some(self.record(kind, Some(self.given))?);
            Ok(())
        })
    }

    /// Records a round, with halos from the staging buffers if they are given, for so many steps.
    fn record(&mut self, kind: Kind, given: Option<u32>) -> Result<Recorded, WorkerError> {
        self.bind(kind)?;
        let device = &self.member.device;
        let round = &self.rounds[&kind];
        let result = round.result(self.at);
        let mut edges = device.create_command_encoder(&encoder("halofold fleet: edges"));
        if let Some(given) = given {
            let stepper = self.stepper.with_depth(given)?;
            for (side, face) in self.faces() {
                stepper.encode_halo_in(&mut edges, side, self.at, face.arriving())?;
            }
        }
        round.encode_edges(&mut edges, self.at);
        for (side, face) in self.faces() {
            self.stepper.encode_edge_out(&mut edges, side, result, face.leaving())?;
        }
        let mut interior = device.create_command_encoder(&encoder("halofold fleet: interior"));
        round.encode_interior(&mut interior, self.at);
        if let Some(Check { parts, found, readback }) = self.check.as_ref().filter(|_| kind.1) {
            parts.iter().for_each(|part| part.encode(&mut interior));
            readback.encode(&mut interior, found, 0, found.size())?;
        }
        let [edges, interior] = [edges, interior].map(wgpu::CommandEncoder::finish);
        Ok(Recorded { kind, result, edges, interior })
    }

    /// Binds a round, and a check, if they are the first of their kind.
    fn bind(&mut self, kind: Kind) -> Result<(), WorkerError> {
        let (steps, checked, _) = kind;
        if !self.rounds.contains_key(&kind) {
            let round = if checked { self.stepper.checked_round(steps) } else { self.stepper.round(steps) };
            self.rounds.insert(kind, round?);
        }
        if checked && self.check.is_none() {
            let (parts, found) = self.stepper.check()?;
            let readback = Readback::new(&self.member.device, found.size());
            self.check = Some(Check { parts, found, readback });
        }
        Ok(())
    }

    /// Waits until the edges of the round that was begun have reached the host. The interior goes on.
    ///
    /// # Errors
    ///
    /// - No round was begun.
    /// - The device is lost.
    pub fn wait(&mut self) -> Result<(), WorkerError> {
        let Stage::Begun(index) = &self.stage else {
            return Err(WorkerError::Order("there is no round to wait for: `begin` it"));
        };
        read::wait_for(&self.member.device, index.clone())?;
        for (_, face) in self.faces() {
            face.wait(&self.member.device)?;
        }
        self.stage = Stage::Exchanging;
        Ok(())
    }

    /// The edge on a side, after [`Worker::wait`]; `None` without a neighbour there. Drop it before [`Worker::release`].
    ///
    /// # Errors
    ///
    /// - No exchange is under way.
    /// - The device is lost.
    pub fn take(&self, side: Side) -> Result<Option<BufferView>, WorkerError> {
        self.check_exchanging()?;
        let bytes = self.slab().face_bytes();
        self.faces[side as usize].as_ref().map(|face| face.read(bytes)).transpose()
    }

    /// Takes the halo on a side for the next round: the edge of the neighbour there. Without a neighbour there this does nothing.
    ///
    /// # Errors
    ///
    /// - No exchange is under way.
    /// - There are not as many bytes as [`Slab::face_bytes`].
    /// - The device is lost.
    pub fn give(&self, side: Side, bytes: &[u8]) -> Result<(), WorkerError> {
        self.give_from(side, bytes, |_| ())
    }

    /// Takes an edge from memory that a GPU will write again, and demotes it if several threads copy it.
    pub(crate) fn give_edge(&self, side: Side, bytes: &[u8]) -> Result<(), WorkerError> {
        self.give_from(side, bytes, if bytes.len() < DEMOTED { |_| () } else { demote })
    }

    fn give_from(&self, side: Side, bytes: &[u8], copied: fn(&[u8])) -> Result<(), WorkerError> {
        self.check_exchanging()?;
        let Some(face) = &self.faces[side as usize] else { return Ok(()) };
        let (given, needed) = (bytes.len(), self.slab().face_bytes());
        if given as u64 == needed {
            face.write(bytes, copied)
        } else {
            Err(WorkerError::Face { given, needed })
        }
    }

    fn check_exchanging(&self) -> Result<(), WorkerError> {
        match self.stage {
            Stage::Exchanging => Ok(()),
            _ => Err(WorkerError::Order("faces are exchanged between `wait` and `release`")),
        }
    }

    /// Ends the exchange.
    ///
    /// # Errors
    ///
    /// - No exchange is under way.
    /// - The device is lost.
    pub fn release(&mut self) -> Result<(), WorkerError> {
        self.check_exchanging()?;
        in_error_scopes(&self.member.device, || {
            self.faces().for_each(|(_, face)| face.release());
            Ok(())
        })?;
        self.stage = Stage::Given;
        Ok(())
    }

    /// The change by the last step of the last checked round in the slab's own layers. It waits for it.
    ///
    /// # Errors
    ///
    /// - No round was checked.
    /// - The device is lost.
    pub fn change(&self) -> Result<Change, WorkerError> {
        let Some(Check { found, readback, .. }) = &self.check else {
            return Err(WorkerError::Order("no round was checked"));
        };
        let bytes = readback.wait(found.size())?;
        Change::parse(&bytes).ok_or(WorkerError::Order("no round was checked"))
    }

    /// Waits for everything submitted, and reads some bytes of the slab's own layers, in pieces.
    ///
    /// # Errors
    ///
    /// - The range is not inside the own layers.
    /// - The device is lost.
    pub fn read(&self, range: Range<u64>, sink: impl FnMut(&[u8])) -> Result<(), WorkerError> {
        self.read_of(&self.buffers[self.at], range, sink)
    }

    /// The same of the right-hand side. There is one.
    pub(crate) fn read_rhs(&self, range: Range<u64>, sink: impl FnMut(&[u8])) -> Result<(), WorkerError> {
        let rhs = self.rhs.as_ref().ok_or(WorkerError::Order("there is no right-hand side"))?;
        self.read_of(rhs, range, sink)
    }

    fn read_of(
        &self,
        buffer: &Buffer,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]),
    ) -> Result<(), WorkerError> {
        let own = self.slab().own_bytes();
        let [start, end] = [range.start, range.end].map(|at| own.start.saturating_add(at));
        if end > own.end || start > end {
            return Err(WorkerError::Order("only the slab's own layers can be read"));
        }
        // Copies are of whole words; a plane of 16-bit floats may begin or end inside one.
        let mut at = start / 4 * 4;
        let readback = Readback::new(&self.member.device, PIECE.min((end - at).next_multiple_of(4)));
        while at < end {
            let size = PIECE.min((end - at).next_multiple_of(4));
            in_error_scopes(&self.member.device, || {
                let mut encoder = self.member.device.create_command_encoder(&encoder("halofold fleet: read"));
                readback.encode(&mut encoder, buffer, at, size)?;
                self.member.queue.submit([encoder.finish()]);
                Ok(())
            })?;
            let bytes = readback.wait(size)?;
            sink(&bytes[start.saturating_sub(at) as usize..(end - at).min(size) as usize]);
            at += size;
        }
        Ok(())
    }

    /// Waits for everything submitted.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn finish(&self) -> Result<(), WorkerError> {
        let index = in_error_scopes(&self.member.device, || Ok(self.member.queue.submit([])))?;
        Ok(read::wait_for(&self.member.device, index)?)
    }

    fn grids(&self) -> Grids<'_> {
        let grids = Grids::new(&self.buffers[0], &self.buffers[1]);
        self.rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs))
    }

    /// The sides with neighbours.
    fn faces(&self) -> impl Iterator<Item = (Side, &HaloFace)> {
        Side::BOTH.into_iter().zip(&self.faces).filter_map(|(side, face)| Some((side, face.as_ref()?)))
    }
}

fn encoder(label: &str) -> wgpu::CommandEncoderDescriptor<'_> {
    wgpu::CommandEncoderDescriptor { label: Some(label) }
}
