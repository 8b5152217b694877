//! Slabs: a grid in parts, for several GPUs, several processes, or a grid that is larger than memory.
//!
//! A grid is cut along its outermost direction. A [`Slab`] is some layers (rows in 2D, planes in 3D) of its own, and on either side
//! a *halo*: the layers of its neighbours that its steps read. A halo of `d` layers is enough for `d` steps, because each step makes
//! one more of them stale. So a slab makes its steps in *rounds* of up to `d`, and before each round it needs its neighbours' outermost
//! layers: their *edges*. (A stencil that reaches R cells takes R layers a step: a halo of `d` is enough for `d / R` steps.)
//!
//! ```text
//!     halo in │ sweep, sweep, … │ last sweep: edges │ edges out │ last sweep: interior
//!             │ T steps each  │                  └── what the neighbours wait for ──
//! ```
//!
//! This records those parts into encoders, and nothing else: nothing is submitted, and how a face gets from one slab to the next is not known here.
//! Submit the first four together and the interior alone; then wait for the first submission only, and exchange the faces while the interior runs.
//! The more steps a round makes, the fewer exchanges there are, and the more layers are computed twice: about `d` in each slab.
//!
//! Every cell is computed by the same operations, whatever the slab. So slabs of any height give the grid of one GPU, bit for bit, as
//! long as the kernel is the same.
//!
//! ```
//! use halofold::{Compiled, Element, Options};
//! use halofold::stencil::{Config, FIVE_POINT, Grid, Grids, Jacobi, Weights};
//! use halofold::stencil::slab::{Side, Slab};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # use halofold::wgpu::{self, BufferUsages};
//! # let buffer = |size, usage| device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
//! // The upper half of a grid, for rounds of up to 8 steps. It has one neighbour: the lower half.
//! let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(100, 64));
//! let slab = Slab::new(config, 0..50, 8)?;
//! assert_eq!(slab.held(), 0..58);
//! assert_eq!(slab.edge(Side::High), Some(42 * 256..50 * 256));
//! assert_eq!((slab.halo(Side::High), slab.halo(Side::Low)), (Some(50 * 256..58 * 256), None));
//!
//! # let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
//! # let [first, second] = [0, 1].map(|_| buffer(slab.bytes(), usage));
//! # let [arrived, leaving] = [0, 1].map(|_| buffer(slab.face_bytes(), BufferUsages::COPY_SRC | BufferUsages::COPY_DST));
//! let jacobi = Compiled::new(&device, Jacobi::new(slab.config(), Weights::new(&[0.2; 4])), &Options::default())?;
//! let stepper = jacobi.bind_slab(&slab, Grids::new(&first, &second))?;
//! let round = stepper.round(8)?;
//!
//! let [mut edges, mut interior] = [0, 1].map(|_| device.create_command_encoder(&Default::default()));
//! let from = 0; // The buffer that holds the grid.
//! stepper.encode_halo_in(&mut edges, Side::High, from, &arrived)?;
//! round.encode_edges(&mut edges, from);
//! stepper.encode_edge_out(&mut edges, Side::High, round.result(from), &leaving)?;
//! round.encode_interior(&mut interior, from);
//! queue.submit([edges.finish()]);
//! queue.submit([interior.finish()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod plan;
mod round;
mod stepper;

use std::ops::Range;

use crate::element::Element;
use crate::gpu::error::Error;
use crate::stencil::config::Config;
use crate::stencil::shape::Border;

pub use change::Change;
pub use round::Round;
pub use stepper::SlabStepper;

/// A side of a slab where it may have a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before its first layer.
    Low,
    /// After its last layer.
    High,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Side; 2] = [Side::Low, Side::High];

    /// The other side.
    pub const fn opposite(self) -> Side {
        match self {
            Side::Low => Side::High,
            Side::High => Side::Low,
        }
    }
}

/// A part of a grid: some layers of its own, and the layers of its neighbours that its steps read.
///
/// In a grid that is periodic in its outermost direction every slab has two neighbours, which may be one slab, or the slab itself.
#[derive(Clone, Debug)]
pub struct Slab {
    /// The grid that it holds. Where it was cut, the border is fixed.
    config: Config,
    /// Layers of the whole grid.
    all: u32,
    own: Range<u32>,
    /// Layers that it holds of each neighbour.
    halo: u32,
    /// True if it has a neighbour, by [`Side`].
    cut: [bool; 2],
}

/// The message about a slab of another grid.
const OTHER_GRID: &str =
    "the slab is one of another grid: make the stencil with the configuration of a slab of this grid";

impl Slab {
    /// The layers `own` of a grid, for rounds of up to `steps` steps: a halo has as many layers as they reach.
    ///
    /// # Errors
    ///
    /// - There are no such layers.
    /// - The halo is empty, or has more layers than the slab's own or than the grid has beyond it: then a face would come from several
    ///   slabs.
    /// - A slab of `f16` does not consist of whole words. An even number of cells
    ///   must come before each neighbour, and lie in each halo.
    pub fn new(config: Config, own: Range<u32>, steps: u32) -> Result<Self, Error> {
        let layers = config.layers();
        if own.is_empty() || own.end > layers {
            let has = format!("the grid has {layers} (rows in 2D, planes in 3D)");
            let message = format!("a slab of the layers {}..{}: {has}", own.start, own.end);
            return Err(Error::setting("slab", message));
        }
        let ring = config.is_ring();
        let halo = steps.saturating_mul(config.stencil.radius());
        let cut = [own.start > 0 || ring, own.end < layers || ring];
        let count = own.end - own.start;
        let [low, high] = cut.map(|cut| if cut { halo } else { 0 });
        let held = count.checked_add(low).and_then(|held| held.checked_add(high));
        // As many layers lie beyond each cut, if the grid does not go round.
        let beyond = [own.start, layers - own.end];
        let is_there = |side: usize| ring || !cut[side] || beyond[side] >= halo;
        let possible = cut == [false; 2] || ((1..=count).contains(&halo) && is_there(0) && is_there(1));
        let (true, Some(held)) = (possible, held) else {
            let rule = "a halo has a layer for each cell that a round's steps reach, and at most as many as each slab has of its own";
            let remedy = "exchange more often or cut the grid into fewer slabs";
            let message = format!("slabs of {count} layers with halos of {halo}: {rule}; {remedy}");
            return Err(Error::setting("halo", message));
        };
        let slab = Slab { config: config.slab(held, cut.map(|cut| !cut)), all: layers, own, halo, cut };
        if slab.has_odd(halo) || (cut[1] && slab.has_odd(count)) {
            let rule = "faces are copied in words of two cells";
            let remedy = "use an even number of columns, or slabs and halos of an even number of layers";
            let message = format!("a slab of {count} layers with halos of {halo}, of f16: {rule}; {remedy}");
            return Err(Error::setting("cols", message));
        }
        Ok(slab)
    }

    /// All layers of a grid, for rounds of up to `steps` steps. It has no neighbour, not even itself where the grid is a ring, which must then fit one
    /// window: see [`Config::plan`].
    pub fn whole(config: Config, steps: u32) -> Self {
        let (all, halo) = (config.layers(), steps.saturating_mul(config.stencil.radius()));
        Slab { config, all, own: 0..all, halo, cut: [false; 2] }
    }

    /// True if `layers` layers of a slab with neighbours are no whole words.
    fn has_odd(&self, layers: u32) -> bool {
        let is_odd = u64::from(layers) * self.config.layer() % 2 == 1;
        self.config.element == Element::F16 && self.cut != [false; 2] && is_odd
    }

    /// The grid that it holds, as a configuration for [`Jacobi::new`](crate::stencil::Jacobi::new). Where it was cut, the border is fixed.
    pub const fn config(&self) -> Config {
        self.config
    }

    /// The layers of the whole grid that are its own.
    pub fn own(&self) -> Range<u32> {
        self.own.clone()
    }

    /// The most steps of a round.
    pub fn depth(&self) -> u32 {
        self.halo / self.config.stencil.radius()
    }

    /// The layers of the whole grid that it holds. In a ring they may begin before the first layer (below 0) and end after the last:
    /// layers of the other end.
    pub fn held(&self) -> Range<i64> {
        let [low, high] = self.halos().map(i64::from);
        i64::from(self.own.start) - low..i64::from(self.own.end) + high
    }

    /// The same as ranges of the grid's layers, in the order in which it holds them: one range, or several where a ring closes.
    pub fn held_parts(&self) -> Vec<Range<u32>> {
        let all = i64::from(self.all);
        let Range { mut start, end } = self.held();
        let mut parts = Vec::new();
        while start < end {
            let first = start.rem_euclid(all);
            let count = (end - start).min(all - first);
            parts.push(first as u32..(first + count) as u32);
            start += count;
        }
        parts
    }

    /// Bytes of one layer.
    pub fn layer_bytes(&self) -> u64 {
        self.config.layer_bytes()
    }

    /// Bytes of each of its two grids, which hold its layers and its halos.
    pub fn bytes(&self) -> u64 {
        self.config.bytes()
    }

    /// Its own layers, in bytes from the start of its grids.
    pub fn own_bytes(&self) -> Range<u64> {
        self.byte_range(self.local())
    }

    /// Bytes of a face: of an edge, and of a halo.
    pub fn face_bytes(&self) -> u64 {
        u64::from(self.halo) * self.layer_bytes()
    }

    /// The layers that come from the neighbour on a side, in bytes from the start of its grids; `None` without a neighbour there.
    pub fn halo(&self, side: Side) -> Option<Range<u64>> {
        self.beside(side, side == Side::Low).map(|layers| self.byte_range(layers))
    }

    /// The layers that its neighbour on a side needs, in bytes from the start of its grids; `None` without a neighbour there.
    pub fn edge(&self, side: Side) -> Option<Range<u64>> {
        self.edge_layers(side).map(|layers| self.byte_range(layers))
    }

    /// The same slab, stepped as a stencil on a device steps it.
    fn tuned(&self, chosen: &Config) -> Result<Slab, Error> {
        let Config { stencil, element, rhs, grid, borders, .. } = self.config;
        let same = stencil == chosen.stencil
            && (element, rhs) == (chosen.element, chosen.rhs)
            && chosen.with_layers(self.config.layers()).grid == grid
            && chosen.borders.pairs()[..stencil.dims.count() - 1]
                == borders.pairs()[..stencil.dims.count() - 1];
        // A kernel for fixed borders would leave out the others, and have other bits than one for all.
        let same =
            same && chosen.kinds() == self.config.kinds() && chosen.constants() == self.config.constants();
        let config = Config { grid, borders, ..*chosen };
        if same { Ok(Slab { config, ..self.clone() }) } else { Err(Error::setting("slab", OTHER_GRID)) }
    }

    /// Its own layers, counted from the first that it holds.
    fn local(&self) -> Range<u32> {
        let [low, _] = self.halos();
        low..low + (self.own.end - self.own.start)
    }

    /// Layers of both halos.
    fn halos(&self) -> [u32; 2] {
        self.cut.map(|cut| if cut { self.halo } else { 0 })
    }

    fn edge_layers(&self, side: Side) -> Option<Range<u32>> {
        self.beside(side, side == Side::High)
    }

    /// The layers of a face before or after an end of its own layers; `None` without a neighbour there.
    fn beside(&self, side: Side, is_before: bool) -> Option<Range<u32>> {
        let Range { start, end } = self.local();
        let at = if side == Side::Low { start } else { end };
        let before = at.saturating_sub(self.halo)..at;
        self.cut[side as usize].then(|| if is_before { before } else { at..at.saturating_add(self.halo) })
    }

    fn byte_range(&self, layers: Range<u32>) -> Range<u64> {
        u64::from(layers.start) * self.layer_bytes()..u64::from(layers.end) * self.layer_bytes()
    }

    /// The borders before the first layer that it holds and behind the last; `None` where it was cut.
    fn ends(&self) -> [Option<Border>; 2] {
        let sides = self.config.outer_sides();
        [0, 1].map(|end| (!self.cut[end]).then_some(sides[end]))
    }
}
