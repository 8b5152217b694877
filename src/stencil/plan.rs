//! Plans: from a grid, a variant and limits to the dispatches of a step. Planning is pure and needs no GPU.

use std::ops::Range;

use wgpu::{Features, Limits};

use crate::operation::grid;
use crate::stencil::blocked;
use crate::stencil::catalogue::Mapping;
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::shape::{Border, Grid};
use crate::stencil::stencils::Dims;
use crate::stencil::window::{Cut, Halo, Window};

/// The most cells of one window: kernels count them in 32 bits, with signed positions.
const MOST_CELLS: u64 = (1 << 31) - (1 << 16);

/// The parameters of a kernel: `Params` of `shaders/stencil/shared/params.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[non_exhaustive]
pub struct Params {
    /// Cells of one row.
    pub cols: u32,
    /// Rows of one plane.
    pub rows: u32,
    /// Planes.
    pub planes: u32,
    /// Blocks in a row of blocks.
    pub blocks_across: u32,
    /// Rows of blocks.
    pub blocks_down: u32,
    /// Planes that one workgroup sweeps through, or rows that one of a time-blocked kernel writes.
    pub planes_per_group: u32,
    /// Workgroups in one row of the launched grid.
    pub row: u32,
    /// The border on each side: west, east, north, south, near, far; 0 fixed, 1 reflect, 2 wrap, 3 cut
    /// for a time-blocked kernel, 4 mirror, 5 constant.
    pub sides: [u32; 6],
    /// The first layer that a time-blocked kernel writes.
    pub begin: u32,
    /// One past the last layer that it writes.
    pub end: u32,
    /// The number of steps of a pass.
    pub steps: u32,
}

impl Params {
    /// These parameters for a dispatch that does nothing: a grid of one cell, which is border. Every kernel
    /// reads at most that cell.
    pub(crate) fn halted(self) -> Self {
        Params { cols: 1, rows: 1, planes: 1, sides: [Border::Fixed.code(); 6], begin: 0, end: 0, ..self }
    }
}

/// The dispatches of one step, or of one pass of a time-blocked kernel with its largest number of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(super) windows: Vec<Window>,
    /// The halo exchange between the two ends of a ring that is cut into windows.
    pub(super) halo: Option<Halo>,
}

impl Plan {
    /// The windows of the grid: one if a binding holds the grid, otherwise slabs of rows (2D) or planes (3D).
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Workgroups of the stencil's kernel in one step.
    pub fn workgroups(&self) -> u64 {
        let windows = self.windows.iter().map(|window| window.workgroups);
        windows
            .chain(self.halo.iter().map(|halo| halo.workgroups))
            .map(|[x, y]| u64::from(x) * u64::from(y))
            .sum()
    }

    /// Dispatches of one step: one per window, and three for the halo exchange (gather the layers, step them,
    /// scatter them). With a right-hand side the halo exchange takes four, because its layers are gathered,
    /// too.
    pub fn dispatches(&self) -> u64 {
        let exchange = self.halo.as_ref().map_or(0, |halo| 3 + u64::from(halo.rhs));
        self.windows.len() as u64 + exchange
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

    pub(super) fn cut(&self, limits: &Limits) -> Cut {
        let size = self.element.size();
        let most = limits.max_storage_buffer_binding_size / 4 * 4;
        let alignment = limits.min_storage_buffer_offset_alignment;
        let cut = Cut::new(self.layers(), self.layer_bytes(), most.min(MOST_CELLS * size), alignment);
        Cut { radius: self.stencil.radius(), ..cut }
    }

    /// Checks that a grid that is larger than one binding can be cut into windows.
    pub(super) fn check_cut(&self, limits: &Limits) -> Result<(), StencilError> {
        let (cut, ring) = (self.cut(limits), self.is_ring());
        if cut.is_whole() || cut.most >= cut.least(ring) {
            return Ok(());
        }
        let size = self.element.size();
        let needed = self.layer().saturating_mul(u64::from(cut.least(ring)) * size);
        let limit = limits.max_storage_buffer_binding_size.min(MOST_CELLS * size);
        Err(StencilError::LayersTooLarge { grid: self.grid, least: cut.least(ring), needed, limit })
    }

    /// A slab of layers as a grid of its own, with fixed borders at the cuts.
    pub(super) fn slab(&self, layers: u32, keeps_low: bool, keeps_high: bool) -> Config {
        let (mut grid, mut borders) = (self.grid, self.borders);
        let (count, low, high) = match self.stencil.dims {
            Dims::Two => (&mut grid.rows, &mut borders.north, &mut borders.south),
            Dims::Three => (&mut grid.planes, &mut borders.near, &mut borders.far),
        };
        *count = layers;
        if !keeps_low {
            *low = Border::Fixed;
        }
        if !keeps_high {
            *high = Border::Fixed;
        }
        Config { grid, borders, kinds: self.kinds(), constants: self.constants(), ..*self }
    }

    /// The dispatches of one step, or of one pass of a time-blocked kernel.
    ///
    /// # Errors
    ///
    /// - The errors of [`Config::check`].
    /// - A step needs more workgroups than a grid of two dimensions holds.
    pub fn plan(&self, features: Features, limits: &Limits) -> Result<Plan, StencilError> {
        self.check(features, limits)?;
        if self.variant.is_blocked() {
            return blocked::plan(self, limits, self.deepest(limits));
        }
        let cut = self.cut(limits);
        let ring = self.is_ring() && !cut.is_whole();
        let layer = self.layer();
        let bytes = layer * self.element.size();
        let window = |layers: Range<u32>| {
            let (low, high) = (layers.start == 0 && !ring, layers.end == cut.layers && !ring);
            let (params, workgroups) = self.slab(layers.end - layers.start, low, high).dispatch(limits)?;
            let own = cut.own(&layers);
            let cells = |at: u32| (u64::from(at - layers.start) * layer) as u32;
            Ok(Window {
                offset: u64::from(layers.start) * bytes,
                size: u64::from(layers.end - layers.start) * bytes,
                own: cells(own.start)..cells(own.end),
                params,
                workgroups,
            })
        };
        let windows = cut.windows().into_iter().map(window).collect::<Result<_, StencilError>>()?;
        let halo = || {
            let radius = cut.radius;
            let (params, workgroups) = self.slab(4 * radius, false, false).dispatch(limits)?;
            Ok::<_, StencilError>(Halo {
                layers: (u64::from(radius) * layer) as u32,
                tail: u64::from(cut.tail()) * bytes,
                skip: (u64::from(cut.layers - 2 * radius - cut.tail()) * layer) as u32,
                params,
                workgroups,
                rhs: self.rhs,
            })
        };
        Ok(Plan { windows, halo: ring.then(halo).transpose()? })
    }

    /// The windows of one step that writes the layers `computed`, and perhaps a few before them. `kept` tells whether the first
    /// layer and the last are at a side of the grid.
    pub(super) fn step_windows(
        &self,
        limits: &Limits,
        computed: Range<u32>,
        kept: [bool; 2],
    ) -> Result<Vec<Window>, StencilError> {
        let cut = self.cut(limits);
        let (layer, size) = (self.layer(), self.element.size());
        let mut windows = Vec::new();
        let mut begin = computed.start;
        while begin < computed.end {
            let first = begin.saturating_sub(cut.radius) / cut.step * cut.step;
            let last =
                computed.end.saturating_add(cut.radius).min(first.saturating_add(cut.most)).min(cut.layers);
            let end = if last == cut.layers { computed.end } else { last - cut.radius };
            let keeps = [first == 0 && kept[0], last == cut.layers && kept[1]];
            let (params, workgroups) = self.slab(last - first, keeps[0], keeps[1]).dispatch(limits)?;
            let cells = |at: u32| (u64::from(at - first) * layer) as u32;
            windows.push(Window {
                offset: u64::from(first) * layer * size,
                size: u64::from(last - first) * layer * size,
                own: cells(begin)..cells(end),
                params,
                workgroups,
            });
            begin = end;
        }
        Ok(windows)
    }

    /// The parameters of a kernel over the whole grid, and its workgroups.
    fn dispatch(&self, limits: &Limits) -> Result<(Params, [u32; 2]), StencilError> {
        let Grid { planes, rows, cols } = self.grid;
        let [columns, lines, depths] = self.borders.pairs();
        let computed = |length: u32, (low, high): (Border, Border)| {
            length.saturating_sub(self.fixed(low) + self.fixed(high))
        };
        let from_first_cell = matches!(self.variant.mapping, Mapping::Cells | Mapping::Strips);
        let span = |length, sides| if from_first_cell { length } else { computed(length, sides) };
        let (block_rows, block_cols) = self.coverage();
        let blocks_across = span(cols, columns).div_ceil(block_cols).max(1);
        let blocks_down = span(rows, lines).div_ceil(block_rows).max(1);
        let planes_per_group = self.tuning.planes_per_group;
        let chunks = match self.stencil.dims {
            Dims::Two => 1,
            Dims::Three => computed(planes, depths).div_ceil(planes_per_group).max(1),
        };
        let groups = u64::from(blocks_across) * u64::from(blocks_down) * u64::from(chunks);
        let workgroups = grid::of(groups, limits, ", or use a larger block")?;
        let [west, east, north, south, near, far] =
            [columns.0, columns.1, lines.0, lines.1, depths.0, depths.1];
        let params = Params {
            cols,
            rows,
            planes,
            blocks_across,
            blocks_down,
            planes_per_group,
            row: workgroups[0],
            sides: [west, east, north, south, near, far].map(Border::code),
            ..Params::default()
        };
        Ok((params, workgroups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::stencil::catalogue::Variant;
    use crate::stencil::shape::Borders;
    use crate::stencil::stencils::{FIVE_POINT, Stencil, TWENTY_SEVEN_POINT};

    fn config(stencil: &'static Stencil, grid: Grid, border: Border) -> Config {
        let variant = Variant::named(stencil, "direct-global").unwrap();
        Config::new(stencil, variant, Element::F32, grid).with_borders(Borders::all(border))
    }

    fn binding(bytes: u64) -> Limits {
        Limits { max_storage_buffer_binding_size: bytes, ..Limits::default() }
    }

    #[test]
    fn one_window_has_the_grid_as_it_is() {
        let config = config(&FIVE_POINT, Grid::plane(64, 64), Border::Wrap);
        let plan = config.plan(Features::empty(), &binding(1 << 14)).unwrap();
        assert_eq!((plan.windows.len(), &plan.halo), (1, &None));
        assert_eq!(plan.windows[0].own, 0..64 * 64);
        assert_eq!(plan.windows[0].params.sides, [2; 6]);
    }

    #[test]
    fn cut_sides_are_fixed_and_the_others_stay() {
        let config = config(&FIVE_POINT, Grid::plane(100, 64), Border::Reflect);
        let plan = config.plan(Features::empty(), &binding(1 << 14)).unwrap();
        let sides: Vec<_> = plan.windows.iter().map(|window| window.params.sides).collect();
        assert_eq!(sides, [[1, 1, 1, 0, 1, 1], [1, 1, 0, 1, 1, 1]]);
        assert_eq!(plan.windows[1].offset, 62 * 256);
        assert_eq!(plan.windows[1].own, 64..38 * 64);
    }

    #[test]
    fn a_cut_ring_has_a_halo() {
        let grid = Grid { planes: 100, rows: 8, cols: 8 };
        let plan = config(&TWENTY_SEVEN_POINT, grid, Border::Wrap).plan(Features::empty(), &binding(1 << 14));
        let plan = plan.unwrap();
        assert!(plan.windows.iter().all(|window| window.params.sides == [2, 2, 2, 2, 0, 0]));
        let halo = plan.halo.unwrap();
        assert_eq!((halo.layers, halo.tail, halo.skip, halo.params.planes), (64, 98 * 256, 0, 4));
    }

    #[test]
    fn grids_that_cannot_be_cut_are_refused() {
        let wide = config(&FIVE_POINT, Grid::plane(100, 1001), Border::Fixed);
        let error = wide.plan(Features::empty(), &binding(1 << 14)).unwrap_err();
        assert!(matches!(error, StencilError::LayersTooLarge { least: 66, .. }), "{error}");
        let large =
            config(&TWENTY_SEVEN_POINT, Grid { planes: u32::MAX, rows: u32::MAX, cols: 9 }, Border::Fixed);
        let error = large.plan(Features::empty(), &Limits::default()).unwrap_err();
        assert!(matches!(error, StencilError::Limit(_)), "{error}");
    }

    #[test]
    fn halted_dispatches_compute_nothing() {
        let config = config(&FIVE_POINT, Grid::plane(64, 64), Border::Reflect);
        let plan = config.plan(Features::empty(), &Limits::default()).unwrap();
        let halted = plan.windows[0].params.halted();
        assert_eq!([halted.cols, halted.rows, halted.planes], [1; 3]);
        assert_eq!(halted.sides, [0; 6]);
        assert!(halted.blocks_across > 0 && halted.blocks_down > 0 && halted.planes_per_group > 0);
    }
}
