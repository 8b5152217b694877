//! One GPU's slab of a grid.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use halofold::Compiled;
use halofold::read::{self, Readback};
use halofold::reduce::Bound;
use halofold::stencil::slab::{Change, Round, Side, Slab, SlabStepper};
use halofold::stencil::{Config, Grids, Jacobi};
use halofold::wgpu::{
    self, Buffer, BufferUsages, BufferView, CommandBuffer, Device, MapMode, Queue, SubmissionIndex,
};

use crate::download::download;
use crate::error::WorkerError;
use crate::error_scopes::in_error_scopes;
use crate::staging::Staging;
use crate::upload::upload;

/// A source of a grid's cells. It fills a slice with the cells from a byte of the whole grid on. Threads call it concurrently with
/// slices in memory that the GPU reads: write them front to back, and do not read them.
pub type Cells<'a> = &'a (dyn Fn(u64, &mut [u8]) -> io::Result<()> + Sync);

/// Makes a source of cells from memory.
pub fn in_memory(cells: &[u8]) -> impl Fn(u64, &mut [u8]) -> io::Result<()> + Sync {
    move |start, into| {
        let end = start.checked_add(into.len() as u64);
        let piece = end.and_then(|end| cells.get(start as usize..end as usize));
        let missing = || io::Error::other(format!("{} bytes of cells: the grid has more", cells.len()));
        into.copy_from_slice(piece.ok_or_else(missing)?);
        Ok(())
    }
}

/// An opened GPU: see [`halofold::adapter`].
#[derive(Clone, Debug)]
pub struct Member {
    /// Its device.
    pub device: Device,
    /// The device's queue.
    pub queue: Queue,
}

/// A slab on a GPU, with the buffers of its rounds and exchanges.
///
/// The caller carries faces from one GPU to another: [`Team`](crate::Team) copies them within a process, and
/// MPI would send them. In each round:
///
/// 1. [`Worker::begin`] submits the steps that compute the faces, then the interior.
/// 2. [`Worker::wait`] waits for the faces only.
/// 3. [`Worker::take`] returns the face on each side, [`Worker::give`] takes the neighbour's. The interior runs meanwhile.
/// 4. [`Worker::release`] ends the exchange.
#[derive(Debug)]
pub struct Worker {
    member: Member,
    stepper: SlabStepper,
    buffers: [Buffer; 2],
    faces: [Option<Face>; 2],
    rounds: HashMap<Kind, Round>,
    check: Option<Check>,
    /// The next round, recorded ahead if it is like the last one.
    recorded: Option<Recorded>,
    /// The index of the buffer that holds the grid.
    at: usize,
    stage: Stage,
}

/// A round's steps, and whether its last step is checked.
type Kind = (u32, bool);

/// Staging buffers of a side with a neighbour, kept for the whole run: for the face that leaves and the halo that arrives.
#[derive(Debug)]
struct Face {
    leaving: Staging,
    arriving: Staging,
}

#[derive(Clone, Debug)]
enum Stage {
    /// Halos are as they were loaded.
    Loaded,
    /// Halos are in the staging buffers.
    Given,
    /// A submission computes and copies the faces.
    Begun(SubmissionIndex),
    /// The host has the staging buffers.
    Exchanging,
}

/// A round recorded ahead, so that it is submitted as soon as its halos arrive.
#[derive(Debug)]
struct Recorded {
    kind: Kind,
    /// The index of the buffer that holds the grid after it.
    result: usize,
    edges: CommandBuffer,
    interior: CommandBuffer,
}

/// A check of a step's changes, and its readback.
#[derive(Debug)]
struct Check {
    parts: [Bound; 2],
    found: Buffer,
    readback: Readback,
}

impl Worker {
    /// Uploads a slab, with cells of the whole grid and of its right-hand side if it has one, and compiles the kernels of a full round.
    ///
    /// # Errors
    ///
    /// - The cells cannot be read, or there is no right-hand side for a configuration that has one.
    /// - The device lacks a limit or a feature, or is lost.
    pub fn new(
        member: &Member,
        jacobi: &Compiled<Jacobi>,
        slab: &Slab,
        cells: Cells<'_>,
        rhs: Option<Cells<'_>>,
    ) -> Result<Self, WorkerError> {
        in_error_scopes(&member.device, || {
            let own = |at: u64, into: &mut [u8]| held(slab, cells, at, into);
            let (buffers, loaded) = two_filled(member, slab.bytes(), &own)?;
            let fill = |cells: Cells<'_>| {
                filled(member, slab.bytes(), &|at: u64, into: &mut [u8]| held(slab, cells, at, into))
            };
            let rhs = rhs.map(fill).transpose()?;
            let grids = Grids::new(&buffers[0], &buffers[1]);
            let stepper = jacobi.bind_slab(slab, rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs)))?;
            let face = |side| slab.edge(side).map(|_| Face::new(&member.device, slab.face_bytes()));
            let mut worker = Worker {
                member: member.clone(),
                stepper,
                buffers,
                faces: Side::BOTH.map(face),
                rounds: HashMap::new(),
                check: None,
                recorded: None,
                at: 0,
                stage: Stage::Loaded,
            };
            // The first round should not wait for compiling or binding.
            worker.bind((slab.depth(), false))?;
            read::wait_for(&member.device, loaded)?;
            Ok(worker)
        })
    }

    /// Returns the slab.
    pub fn slab(&self) -> &Slab {
        self.stepper.slab()
    }

    /// Returns the configuration that steps the slab.
    pub fn stencil(&self) -> Config {
        self.slab().config()
    }

    /// Submits a round of `steps` steps, at most the slab's depth: first up to the faces and their copies, then the interior. If `checked`, the
    /// last sweep is one step, and [`Worker::change`] returns its change. The first round of its kind may compile.
    ///
    /// # Errors
    ///
    /// - The round has no steps, or more than the halo allows.
    /// - The last exchange has not ended.
    /// - The device is lost.
    pub fn begin(&mut self, steps: u32, checked: bool) -> Result<(), WorkerError> {
        let is_given = match self.stage {
            Stage::Loaded => false,
            Stage::Given => true,
            _ => return Err(WorkerError::Order("a round begins after `release` of the one before")),
        };
        let kind = (steps, checked);
        let device = self.member.device.clone();
        in_error_scopes(&device, || {
            let recorded = match self.recorded.take() {
                Some(recorded) if is_given && recorded.kind == kind => recorded,
                _ => self.record(kind, is_given)?,
            };
            let index = self.member.queue.submit([recorded.edges]);
            self.stagings().for_each(Staging::ask);
            self.member.queue.submit([recorded.interior]);
            self.at = recorded.result;
            self.stage = Stage::Begun(index);
            // While this round runs: the next one is usually alike.
            self.recorded = Some(self.record(kind, true)?);
            Ok(())
        })
    }

    /// Records a round, with halos from the staging buffers if `is_given`.
    fn record(&mut self, kind: Kind, is_given: bool) -> Result<Recorded, WorkerError> {
        self.bind(kind)?;
        let device = &self.member.device;
        let round = &self.rounds[&kind];
        let result = round.result(self.at);
        let mut edges = device.create_command_encoder(&encoder("halofold fleet: edges"));
        for (side, face) in self.faces().filter(|_| is_given) {
            self.stepper.encode_halo_in(&mut edges, side, self.at, face.arriving.buffer())?;
        }
        round.encode_edges(&mut edges, self.at);
        for (side, face) in self.faces() {
            self.stepper.encode_edge_out(&mut edges, side, result, face.leaving.buffer())?;
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

    /// Binds a round and a check, if they are the first of their kind.
    fn bind(&mut self, kind: Kind) -> Result<(), WorkerError> {
        let (steps, checked) = kind;
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

    /// Waits until the round's faces have reached the host. The interior goes on.
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
        self.stagings().try_for_each(|staging| staging.wait(&self.member.device))?;
        self.stage = Stage::Exchanging;
        Ok(())
    }

    /// Returns the face on a side, after [`Worker::wait`]; `None` without a neighbour there. Drop it before [`Worker::release`].
    ///
    /// # Errors
    ///
    /// - No exchange is under way.
    /// - The device is lost.
    pub fn take(&self, side: Side) -> Result<Option<BufferView>, WorkerError> {
        self.check_exchanging()?;
        let bytes = self.slab().face_bytes();
        self.faces[side as usize].as_ref().map(|face| face.leaving.view(..bytes)).transpose()
    }

    /// Copies the neighbour's face into the halo on `side` for the next round. Does nothing without a neighbour there.
    ///
    /// # Errors
    ///
    /// - No exchange is under way.
    /// - There are not as many bytes as [`Slab::face_bytes`].
    /// - The device is lost.
    pub fn give(&self, side: Side, bytes: &[u8]) -> Result<(), WorkerError> {
        self.check_exchanging()?;
        let Some(face) = &self.faces[side as usize] else { return Ok(()) };
        let (given, needed) = (bytes.len(), self.slab().face_bytes());
        if given as u64 == needed {
            face.arriving.fill(needed, in_memory(bytes))
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
            self.stagings().for_each(Staging::unmap);
            Ok(())
        })?;
        self.stage = Stage::Given;
        Ok(())
    }

    /// Returns the change of the slab's own layers in the last step of the last checked round. It waits for it.
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

    /// Waits for all submitted work, then passes bytes of the slab's own layers to `sink`, in pieces and in order.
    ///
    /// # Errors
    ///
    /// - The range exceeds the own layers.
    /// - `sink` fails.
    /// - The device is lost.
    pub fn read(
        &self,
        range: Range<u64>,
        sink: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WorkerError> {
        let own = self.slab().own_bytes();
        let [start, end] = [range.start, range.end].map(|at| own.start.saturating_add(at));
        if end > own.end || start > end {
            return Err(WorkerError::Order("only the slab's own layers can be read"));
        }
        let Member { device, queue } = &self.member;
        in_error_scopes(device, || download(device, queue, &self.buffers[self.at], start..end, sink))
    }

    /// Waits for all submitted work.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn finish(&self) -> Result<(), WorkerError> {
        let index = in_error_scopes(&self.member.device, || Ok(self.member.queue.submit([])))?;
        Ok(read::wait_for(&self.member.device, index)?)
    }

    /// Returns the sides with neighbours.
    fn faces(&self) -> impl Iterator<Item = (Side, &Face)> {
        Side::BOTH.into_iter().zip(&self.faces).filter_map(|(side, face)| Some((side, face.as_ref()?)))
    }

    fn stagings(&self) -> impl Iterator<Item = &Staging> {
        self.faces().flat_map(|(_, face)| [&face.leaving, &face.arriving])
    }
}

impl Face {
    fn new(device: &Device, size: u64) -> Self {
        Face {
            leaving: Staging::new(device, "halofold fleet: edge", size, MapMode::Read),
            arriving: Staging::new(device, "halofold fleet: halo", size, MapMode::Write),
        }
    }
}

/// Allocates a buffer for the bytes of a grid or slab.
fn empty(member: &Member, bytes: u64) -> Buffer {
    member.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold fleet: grid"),
        size: bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Allocates a buffer and fills it with cells.
pub(crate) fn filled(member: &Member, bytes: u64, cells: Cells<'_>) -> Result<Buffer, WorkerError> {
    let buffer = empty(member, bytes);
    upload(&member.device, &member.queue, &buffer, bytes, cells)?;
    Ok(buffer)
}

/// Allocates the two buffers that steps alternate between. Returns the submission after which both hold the cells: fixed cells are never
/// written, so the second buffer needs them, too.
pub(crate) fn two_filled(
    member: &Member,
    bytes: u64,
    cells: Cells<'_>,
) -> Result<([Buffer; 2], SubmissionIndex), WorkerError> {
    let (first, second) = (filled(member, bytes, cells)?, empty(member, bytes));
    let mut copy = member.device.create_command_encoder(&encoder("halofold fleet: load"));
    copy.copy_buffer_to_buffer(&first, 0, &second, 0, first.size());
    let loaded = member.queue.submit([copy.finish()]);
    Ok(([first, second], loaded))
}

/// Fills a slice with a slab's cells from byte `at` on. At the end of a grid that wraps, it continues at the start.
fn held(slab: &Slab, cells: Cells<'_>, mut at: u64, mut into: &mut [u8]) -> io::Result<()> {
    for part in slab.held_parts() {
        let start = u64::from(part.start) * slab.layer_bytes();
        let size = u64::from(part.end) * slab.layer_bytes() - start;
        if at < size {
            let (here, rest) = into.split_at_mut(into.len().min((size - at) as usize));
            cells(start + at, here)?;
            into = rest;
        }
        if into.is_empty() {
            break;
        }
        at = at.saturating_sub(size);
    }
    Ok(())
}

fn encoder(label: &str) -> wgpu::CommandEncoderDescriptor<'_> {
    wgpu::CommandEncoderDescriptor { label: Some(label) }
}
