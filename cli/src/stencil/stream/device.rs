//! A slab on the GPU: two buffers of its layers, and the steps between them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use halofold::stencil::{Border, Config, Dims, Grids, Jacobi, Stepper, Weights};
use halofold::wgpu::{self, Buffer, BufferUsages, Device, MapMode, Queue, SubmissionIndex};

use super::staging::{Staging, words};
use super::{Plan, StreamError};

/// How many bytes of grids the steps of one submission pass over: much more, and a slow device is thought to hang.
const BYTES_AT_ONCE: u64 = 8 << 30;

/// What a stepper depends on: how many layers there are, and on which sides they are cut from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Form {
    layers: u32,
    cut: (bool, bool),
}

/// The buffers that every slab in turn takes on the GPU.
pub(super) struct SlabDevice {
    device: Device,
    queue: Queue,
    /// Of the whole grid.
    config: Config,
    weights: Weights,
    plan: Plan,
    grids: [Buffer; 2],
    rhs: Option<Buffer>,
    steppers: HashMap<Form, Stepper>,
}

/// What the host fills before a slab is stepped: its layers, and those of the right-hand side.
pub(super) struct Upload {
    pub cells: Staging,
    pub rhs: Option<Staging>,
}

/// A slab that was submitted.
pub(super) struct Flight {
    pub slab: u32,
    pub upload: Upload,
    /// Takes the slab's own layers, which begin so many bytes behind its start.
    pub download: Staging,
    pub skip: u64,
    submission: SubmissionIndex,
}

impl SlabDevice {
    /// Allocates the buffers. Nothing is compiled yet.
    pub fn new(device: &Device, queue: &Queue, config: Config, weights: Weights, plan: Plan) -> Self {
        let size = words(0..plan.most_held() * layer_bytes(&config)).end;
        let buffer = |label| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let label = Some(label);
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        SlabDevice {
            device: device.clone(),
            queue: queue.clone(),
            config,
            weights,
            plan,
            grids: [buffer("halofold streamed grid"), buffer("halofold streamed grid")],
            rhs: config.rhs.then(|| buffer("halofold streamed right-hand side")),
            steppers: HashMap::new(),
        }
    }

    /// A buffer for the layers of a slab on their way here, and one for the right-hand side.
    pub fn upload(&self) -> Upload {
        let size = self.grids[0].size();
        let staging = || Staging::upload(&self.device, size);
        Upload { cells: staging(), rhs: self.rhs.as_ref().map(|_| staging()) }
    }

    /// A buffer for the layers of a slab on their way back.
    pub fn download(&self) -> Staging {
        // Its own layers may begin and end inside a word.
        let word = wgpu::COPY_BUFFER_ALIGNMENT;
        Staging::download(&self.device, u64::from(self.plan.height()) * layer_bytes(&self.config) + 2 * word)
    }

    /// Submits the way of a slab: there, its steps, and back.
    pub fn submit(
        &mut self,
        (slab, steps): (u32, u32),
        mut upload: Upload,
        mut download: Staging,
    ) -> Result<Flight, StreamError> {
        let layer = layer_bytes(&self.config);
        let held = self.plan.held(slab);
        if steps > 0 {
            self.prepare(self.form(slab))?;
        }
        upload.cells.unmap();
        let mut encoder = self.encoder();
        let all = words(0..held * layer).end;
        let [first, second] = &self.grids;
        encoder.copy_buffer_to_buffer(upload.cells.buffer(), 0, first, 0, all);
        // Fixed cells are never written: the second buffer needs them too.
        encoder.copy_buffer_to_buffer(first, 0, second, 0, all);
        if let (Some(staging), Some(rhs)) = (&upload.rhs, &self.rhs) {
            staging.unmap();
            encoder.copy_buffer_to_buffer(staging.buffer(), 0, rhs, 0, all);
        }
        // The first buffer has the grid before every submission of an even number of steps.
        let at_once = (BYTES_AT_ONCE / (2 * all) / 2 * 2).clamp(2, u64::from(u32::MAX - 1)) as u32;
        let mut left = steps;
        while left > 0 {
            let now = left.min(at_once);
            self.steppers[&self.form(slab)].encode(&mut encoder, now);
            left -= now;
            if left > 0 {
                self.queue.submit([encoder.finish()]);
                encoder = self.encoder();
            }
        }
        let own = self.own(slab);
        let copied = words(own.clone());
        let result = &self.grids[steps as usize % 2];
        encoder.copy_buffer_to_buffer(result, copied.start, download.buffer(), 0, copied.end - copied.start);
        let submission = self.queue.submit([encoder.finish()]);
        upload.cells.ask(MapMode::Write);
        upload.rhs.iter_mut().for_each(|rhs| rhs.ask(MapMode::Write));
        download.ask(MapMode::Read);
        Ok(Flight { slab, upload, download, skip: own.start - copied.start, submission })
    }

    /// Waits for a slab.
    pub fn wait(&self, flight: &mut Flight) -> Result<(), StreamError> {
        let Flight { upload, download, submission, .. } = flight;
        upload.cells.wait(&self.device, submission)?;
        if let Some(rhs) = &mut upload.rhs {
            rhs.wait(&self.device, submission)?;
        }
        download.wait(&self.device, submission)
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Where a slab's own layers lie in its buffers.
    fn own(&self, slab: u32) -> Range<u64> {
        let (low, own) = (u64::from(self.plan.halo(slab).0), self.plan.own(slab).len() as u64);
        let layer = layer_bytes(&self.config);
        low * layer..(low + own) * layer
    }

    fn form(&self, slab: u32) -> Form {
        Form { layers: self.plan.held(slab) as u32, cut: self.plan.cut(slab) }
    }

    /// Compiles what steps slabs of a form, unless that was done for another one.
    fn prepare(&mut self, form: Form) -> Result<(), StreamError> {
        if let Entry::Vacant(place) = self.steppers.entry(form) {
            let jacobi = Jacobi::new(&self.device, part(self.config, form), self.weights)?;
            let [first, second] = &self.grids;
            let grids = Grids::new(first, second);
            let grids = self.rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs));
            place.insert(jacobi.prepare(grids)?);
        }
        Ok(())
    }
}

/// Bytes of one layer: a row of a 2D grid, a plane of a 3D grid.
pub(super) fn layer_bytes(config: &Config) -> u64 {
    let rows = if config.stencil.dims == Dims::Two { 1 } else { config.grid.rows };
    u64::from(rows) * u64::from(config.grid.cols) * config.element.size()
}

/// Some layers of a grid as a grid of its own. What it is cut from is not there, so that its outermost layer there stays as it is.
fn part(config: Config, Form { layers, cut }: Form) -> Config {
    let mut part = config;
    let (count, low, high) = match config.stencil.dims {
        Dims::Two => (&mut part.grid.rows, &mut part.borders.north, &mut part.borders.south),
        _ => (&mut part.grid.planes, &mut part.borders.near, &mut part.borders.far),
    };
    *count = layers;
    if cut.0 {
        *low = Border::Fixed;
    }
    if cut.1 {
        *high = Border::Fixed;
    }
    part
}
