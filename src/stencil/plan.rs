//! Plans: from a grid, a variant and limits to the dispatches of a step. Planning is pure and needs no GPU.

use std::ops::Range;

use wgpu::{Features, Limits};

use crate::gpu::error::Error;
use crate::gpu::grid;
use crate::gpu::limits::LimitError;
use crate::gpu::operation::{Plan, Step};
use crate::gpu::params::parameters;
use crate::gpu::pass::{Binding, Pass};
use crate::gpu::range::ByteRange;
use crate::stencil::blocked;
use crate::stencil::catalogue::Mapping;
use crate::stencil::config::Config;
use crate::stencil::shape::{Border, Grid};
use crate::stencil::stencils::Dims;
use crate::stencil::window::{Cut, Layers};

/// The most cells of one window: kernels count them in 32 bits, with signed positions.
const MOST_CELLS: u64 = (1 << 31) - (1 << 16);

/// A side where a window was cut, as a time-blocked kernel knows it.
const CUT: u32 = 3;

/// The name of the stencil's own kernel among the dispatches of a plan. Others are those of the [halo exchange](crate::stencil::halo).
pub(super) const STEP: Step = "step";

parameters! {
    /// `Params` of `shaders/stencil/shared/params.wgsl`.
    struct Params {
        cols: u32,
        rows: u32,
        planes: u32,
        blocks_across: u32,
        blocks_down: u32,
        layers_per_group: u32,
        grid_row: u32,
        west: u32,
        east: u32,
        north: u32,
        south: u32,
        near: u32,
        far: u32,
        begin: u32,
        end: u32,
        steps: u32,
    }
}

impl Config {
    /// Cells of one layer: of a row in 2D, of a plane in 3D.
    pub fn layer(&self) -> u64 {
        match self.stencil.dims {
            Dims::Two => u64::from(self.grid.cols),
            Dims::Three => u64::from(self.grid.rows) * u64::from(self.grid.cols),
        }
    }

    /// Bytes of one layer.
    pub fn layer_bytes(&self) -> u64 {
        self.layer().saturating_mul(self.element.size())
    }

    /// Returns true if the last layer is the first one's neighbour.
    pub fn is_ring(&self) -> bool {
        self.outer_sides()[0] == Border::Wrap
    }

    /// Layers of the grid: its rows in 2D, its planes in 3D.
    pub fn layers(&self) -> u32 {
        match self.stencil.dims {
            Dims::Two => self.grid.rows,
            Dims::Three => self.grid.planes,
        }
    }

    /// The same with this many layers.
    pub fn with_layers(self, layers: u32) -> Config {
        let mut grid = self.grid;
        match self.stencil.dims {
            Dims::Two => grid.rows = layers,
            Dims::Three => grid.planes = layers,
        }
        Config { grid, ..self }
    }

    /// The borders before the first layer and behind the last.
    pub(super) fn outer_sides(&self) -> [Border; 2] {
        let (low, high) = self.borders.pairs()[self.stencil.dims.count() - 1];
        [low, high]
    }

    /// The layers that are not fixed.
    pub(super) fn computed_layers(&self) -> Range<u32> {
        let [first, last] = self.outer_sides().map(|side| self.fixed(side));
        first..self.layers().saturating_sub(last)
    }

    /// The cells at a side that are not computed: as many as the stencil reaches, if it is fixed.
    pub(super) fn fixed(&self, side: Border) -> u32 {
        if side == Border::Fixed { self.stencil.radius() } else { 0 }
    }

    /// The cut of the grid into windows, for sweeps of this many steps.
    pub(super) fn cut(&self, limits: &Limits, steps: u32) -> Cut {
        let most = limits.max_storage_buffer_binding_size / 4 * 4;
        let alignment = limits.min_storage_buffer_offset_alignment;
        let reach = steps * self.stencil.radius();
        let window = most.min(MOST_CELLS * self.element.size());
        Cut::new(self.layers(), self.layer_bytes(), window, alignment, reach)
    }

    /// Checks that a grid that is larger than one binding can be cut into windows.
    pub(super) fn check_cut(&self, limits: &Limits) -> Result<(), Error> {
        let (cut, ring) = (self.cut(limits, 1), self.is_ring());
        if cut.fits(ring) {
            return Ok(());
        }
        let least = cut.min_layers(ring);
        let needed = self.layer_bytes().saturating_mul(u64::from(least));
        let limit = limits.max_storage_buffer_binding_size.min(MOST_CELLS * self.element.size());
        let subject = format!(
            "a grid of {}, of which a binding holds at least {least} of the outermost layers (rows in 2D, planes in 3D),",
            self.grid
        );
        let error = LimitError::new("max_storage_buffer_binding_size", limit, needed);
        Err(error.of(subject).or("make the outermost dimension the longest").into())
    }

    /// A slab of layers as a grid of its own, with fixed borders where the grid was cut.
    pub(super) fn slab(&self, layers: u32, [keeps_low, keeps_high]: [bool; 2]) -> Config {
        let mut borders = self.borders;
        let (low, high) = match self.stencil.dims {
            Dims::Two => (&mut borders.north, &mut borders.south),
            Dims::Three => (&mut borders.near, &mut borders.far),
        };
        if !keeps_low {
            *low = Border::Fixed;
        }
        if !keeps_high {
            *high = Border::Fixed;
        }
        Config { borders, kinds: self.kinds(), constants: self.constants(), ..self.with_layers(layers) }
    }

    /// The dispatches of one step, or of one sweep of a time-blocked kernel with its largest number of steps. There is one if a binding
    /// holds the grid, otherwise one for each slab of rows (2D) or planes (3D). In a ring that is cut into slabs the halo exchange
    /// between its two ends takes three or, with a right-hand side, four: it gathers layers, steps them, and scatters them.
    ///
    /// # Errors
    ///
    /// - The errors of [`Config::check`].
    /// - A step needs more workgroups than a grid of two dimensions holds.
    pub fn plan(&self, features: Features, limits: &Limits) -> Result<Plan, Error> {
        self.check(features, limits)?;
        self.pass(limits, self.deepest(limits))
    }

    /// The dispatches of a sweep of this many steps.
    pub(super) fn pass(&self, limits: &Limits, steps: u32) -> Result<Plan, Error> {
        let cut = self.cut(limits, steps);
        if self.is_ring() && !cut.is_whole() {
            let mut passes = self.windows(limits, steps, cut.reach..cut.layers - cut.reach, [None; 2])?;
            let (exchange, memory) = self.exchange(limits, steps, cut)?;
            passes.extend(exchange);
            return Ok(Plan { passes, memory, outputs: Vec::new() });
        }
        let ends = self.outer_sides().map(Some);
        let passes = self.windows(limits, steps, self.computed_layers(), ends)?;
        Ok(Plan { passes, memory: Vec::new(), outputs: Vec::new() })
    }

    /// The windows of a sweep of this many steps that writes the layers `computed`. A kernel of single steps may also write a few before
    /// them. `ends` are the borders before the first layer and behind the last; `None` where the grid was cut.
    pub(super) fn windows(
        &self,
        limits: &Limits,
        steps: u32,
        computed: Range<u32>,
        ends: [Option<Border>; 2],
    ) -> Result<Vec<Pass>, Error> {
        let cut = self.cut(limits, steps);
        let layer = self.layer_bytes();
        let window = |Layers { held, written }: Layers| {
            let kept = [held.start == 0, held.end == cut.layers];
            let ends = [0, 1].map(|end| ends[end].filter(|_| kept[end]));
            let written = written.start - held.start..written.end.max(written.start) - held.start;
            let layers = held.end - held.start;
            // Only the part of the buffers that holds the grid, in whole words.
            let size = (u64::from(layers) * layer).next_multiple_of(4);
            let bytes = ByteRange { offset: u64::from(held.start) * layer, size };
            let rhs = self.rhs.then_some(Binding::Input(1, bytes));
            let dispatch = self.dispatch(limits, steps, layers, written, ends)?;
            Ok(dispatch.between([Some(Binding::Input(0, bytes)), rhs], Some(Binding::Output(bytes))))
        };
        cut.windows(computed).into_iter().map(window).collect()
    }

    /// Plans a dispatch that reads `layers` layers and writes those in `written`. It binds nothing yet.
    pub(super) fn dispatch(
        &self,
        limits: &Limits,
        steps: u32,
        layers: u32,
        written: Range<u32>,
        ends: [Option<Border>; 2],
    ) -> Result<Pass, Error> {
        let slab = self.slab(layers, ends.map(|end| end.is_some()));
        let Grid { planes, rows, cols } = slab.grid;
        let mut sides = slab.borders.pairs().map(|(low, high)| [low, high].map(Border::code));
        let [across, down, chunks] = if self.variant.is_blocked() {
            sides[self.stencil.dims.count() - 1] = ends.map(|end| end.map_or(CUT, Border::code));
            blocked::workgroups(self, steps, written.end - written.start)
        } else {
            slab.blocks()
        };
        let groups = u64::from(across) * u64::from(down) * u64::from(chunks);
        let workgroups = grid::of(groups, limits, "use a larger block")?;
        let [[west, east], [north, south], [near, far]] = sides;
        let params = Params {
            cols,
            rows,
            planes,
            blocks_across: across,
            blocks_down: down,
            layers_per_group: self.tuning.layers_per_group,
            grid_row: workgroups[0],
            west,
            east,
            north,
            south,
            near,
            far,
            begin: written.start,
            end: written.end,
            steps,
        };
        Ok(Pass::new(STEP, workgroups, params))
    }

    /// The blocks of a kernel of single steps: side by side, one below the other, and one behind the other.
    fn blocks(&self) -> [u32; 3] {
        let Grid { planes, rows, cols } = self.grid;
        let [columns, lines, depths] = self.borders.pairs();
        let computed = |length: u32, (low, high): (Border, Border)| {
            length.saturating_sub(self.fixed(low) + self.fixed(high))
        };
        let from_first_cell = matches!(self.variant.mapping, Mapping::Cells | Mapping::Strips);
        let span = |length, sides| if from_first_cell { length } else { computed(length, sides) };
        let (block_rows, block_cols) = self.coverage();
        let chunks = match self.stencil.dims {
            Dims::Two => 1,
            Dims::Three => computed(planes, depths).div_ceil(self.tuning.layers_per_group),
        };
        [span(cols, columns).div_ceil(block_cols), span(rows, lines).div_ceil(block_rows), chunks]
            .map(|blocks| blocks.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::stencil::shape::Borders;
    use crate::stencil::stencils::{FIVE_POINT, Stencil, TWENTY_SEVEN_POINT};

    fn config(stencil: &'static Stencil, grid: Grid) -> Config {
        Config::new(stencil, stencil.general(), Element::F32, grid)
    }

    #[test]
    fn parameters_are_those_of_the_kernels() {
        for stencil in crate::stencil::STENCILS {
            let planes = if stencil.dims == Dims::Two { 1 } else { 64 };
            for variant in stencil.variants() {
                let config = Config::new(stencil, variant, Element::F32, Grid { planes, rows: 64, cols: 64 });
                crate::gpu::params::assert_alike::<Params>(variant.name, &config.compose());
            }
        }
    }

    #[test]
    fn borders_that_wrap_on_one_side_are_refused() {
        let borders = Borders { west: Border::Wrap, ..Borders::default() };
        let plane = config(&FIVE_POINT, Grid::plane(8, 8)).with_borders(borders);
        let error = plane.plan(Features::empty(), &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("on both sides"), "{error}");
    }

    #[test]
    fn grids_that_cannot_be_cut_are_refused() {
        let limits = Limits { max_storage_buffer_binding_size: 1 << 14, ..Limits::default() };
        let wide = config(&FIVE_POINT, Grid::plane(100, 1001));
        let error = wide.plan(Features::empty(), &limits).unwrap_err();
        assert!(error.to_string().contains("at least 66 of the outermost layers"), "{error}");
        let large = config(&TWENTY_SEVEN_POINT, Grid { planes: u32::MAX, rows: u32::MAX, cols: 9 });
        let error = large.plan(Features::empty(), &Limits::default()).unwrap_err();
        assert!(matches!(&error, Error::Limit(error) if error.name == "max_buffer_size"), "{error}");
    }
}
