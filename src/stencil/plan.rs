//! From a grid, a variant and some limits to the dispatches of a step. Pure: no GPU here.

use std::ops::Range;

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::pipeline;
use crate::shader::{self, Composer};
use crate::stencil::catalogue::{Mapping, Variant};
use crate::stencil::error::StencilError;
use crate::stencil::shape::{Block, Border, Borders, Grid, Points};
use crate::stencil::window::{Cut, Seam, Window};

/// The most cells of one window: kernels count them in 32 bits, and positions with a sign.
const MOST_CELLS: u64 = (1 << 31) - (1 << 16);

/// The knobs of a variant, as a plain value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// The workgroup's shape.
    pub block: Block,
    /// Planes that one workgroup walks through, in 3D.
    pub planes_per_group: u32,
    /// Rows that one invocation of `register-rows` walks through.
    pub rows_per_invocation: u32,
    /// Rows beside each other that one invocation of `plane-sums` keeps: 1, 2 or 4.
    pub strip: u32,
}

impl Tuning {
    /// What halofold uses for a variant: what was best on an NVIDIA H200 (`docs/results/stencils.md`).
    pub fn of(variant: &Variant) -> Self {
        let (block, planes_per_group) = match variant.mapping {
            Mapping::Strips if variant.points == Points::Five => (Block { rows: 4, cols: 64 }, 1),
            Mapping::Strips => (Block { rows: 8, cols: 32 }, 32),
            Mapping::Cells => (Block { rows: 8, cols: 32 }, 1),
            Mapping::Direct | Mapping::Overlapped => (Block { rows: 8, cols: 32 }, 32),
        };
        Tuning { block, planes_per_group, rows_per_invocation: 2, strip: 2 }
    }

    /// The same with another block.
    pub const fn with_block(self, block: Block) -> Self {
        Tuning { block, ..self }
    }
}

/// The numbers a kernel is given: `Params` of `shaders/stencil/shared/params.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    /// Cells of one row.
    pub cols: u32,
    /// Rows of one plane.
    pub rows: u32,
    /// Planes.
    pub planes: u32,
    /// Blocks beside each other.
    pub blocks_across: u32,
    /// Blocks below each other.
    pub blocks_down: u32,
    /// Planes that one workgroup walks through.
    pub planes_per_group: u32,
    /// Workgroups in one row of the launched grid.
    pub row: u32,
    /// What lies beyond each side: west, east, north, south, near, far; 0 fixed, 1 mirror, 2 periodic.
    pub sides: [u32; 6],
}

impl Params {
    /// The same dispatch with nothing to do: one cell, which is all border. Every kernel reads that cell at most.
    pub(crate) fn halted(self) -> Self {
        Params { cols: 1, rows: 1, planes: 1, sides: [Border::Fixed as u32; 6], ..self }
    }
}

/// The dispatches of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The grid, in one window if a binding holds it, else cut into slabs of rows (2D) or planes (3D).
    pub windows: Vec<Window>,
    /// Where the two ends of a ring meet that was cut.
    pub seam: Option<Seam>,
}

impl Plan {
    /// Workgroups of the stencil's kernel in one step.
    pub fn workgroups(&self) -> u64 {
        let windows = self.windows.iter().map(|window| window.workgroups);
        windows
            .chain(self.seam.iter().map(|seam| seam.workgroups))
            .map(|[x, y]| u64::from(x) * u64::from(y))
            .sum()
    }

    /// Dispatches of one step: one a window, and three for the seam (fetch the layers, step them, bring them back).
    pub fn dispatches(&self) -> u64 {
        self.windows.len() as u64 + if self.seam.is_some() { 3 } else { 0 }
    }
}

/// What is to be stepped, and how.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The kernel.
    pub variant: &'static Variant,
    /// The element type: a float.
    pub element: Element,
    /// The grid.
    pub grid: Grid,
    /// What lies beyond its sides.
    pub borders: Borders,
    /// The knobs.
    pub tuning: Tuning,
}

impl Job {
    /// Bytes of one buffer.
    pub fn bytes(&self) -> u64 {
        self.grid.cells().saturating_mul(self.element.size())
    }

    /// Cells beside each other that one invocation of a strip takes.
    fn lanes(&self) -> u32 {
        if self.variant.uses("packs") && self.grid.cols.is_multiple_of(4) { 4 } else { 1 }
    }

    /// Cells that one block computes, in rows and columns.
    fn coverage(&self) -> (u32, u32) {
        let Tuning { block: Block { rows, cols }, rows_per_invocation, strip, .. } = self.tuning;
        match self.variant.mapping {
            Mapping::Cells | Mapping::Direct => (rows, cols),
            Mapping::Overlapped => (rows - 2, cols - 2),
            Mapping::Strips if self.variant.points == Points::Five => {
                (rows * rows_per_invocation, cols * self.lanes())
            }
            Mapping::Strips => (rows * strip, cols * self.lanes()),
        }
    }

    /// Checks everything against a device's features and limits.
    ///
    /// # Errors
    ///
    /// Names the limit or the feature that stands in the way.
    pub fn check(&self, features: Features, limits: &Limits) -> Result<(), StencilError> {
        let Job { variant, element, grid, tuning, .. } = *self;
        if !element.is_float() {
            return Err(StencilError::NoFloat(element));
        }
        let missing = element.feature() - features;
        if !missing.is_empty() {
            return Err(StencilError::MissingFeature { element, feature: missing });
        }
        if grid.cells() == 0 || (variant.points == Points::Five && grid.planes != 1) {
            return Err(StencilError::Grid { grid, points: variant.points });
        }
        if !self.borders.are_consistent() {
            return Err(StencilError::HalfPeriodic);
        }
        let block = tuning.block;
        let smallest = variant.smallest_side();
        if block.rows < smallest || block.cols < smallest {
            return Err(StencilError::BlockTooSmall { variant: variant.name, block, smallest });
        }
        let invocations = u64::from(block.rows) * u64::from(block.cols);
        let limit = limits.max_compute_invocations_per_workgroup;
        let sides = (limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y);
        if invocations > u64::from(limit) || block.cols > sides.0 || block.rows > sides.1 {
            return Err(StencilError::BlockTooLarge { block, limit });
        }
        let needed = variant.tile(block) * element.size();
        let limit = limits.max_compute_workgroup_storage_size;
        if needed > u64::from(limit) {
            return Err(StencilError::WorkgroupMemory { variant: variant.name, block, needed, limit });
        }
        let limit = limits.max_buffer_size;
        if self.bytes() > limit {
            return Err(StencilError::GridTooLarge { grid, needed: self.bytes(), limit });
        }
        let (cut, ring) = (self.cut(limits), self.is_ring());
        if !cut.is_whole() && cut.most < cut.least(ring) {
            let needed = self.layer().saturating_mul(u64::from(cut.least(ring)) * element.size());
            let limit = limits.max_storage_buffer_binding_size.min(MOST_CELLS * element.size());
            return Err(StencilError::LayersTooLarge { grid, least: cut.least(ring), needed, limit });
        }
        Ok(())
    }

    /// Cells of one layer: of a row in 2D, of a plane in 3D.
    fn layer(&self) -> u64 {
        match self.variant.points {
            Points::Five => u64::from(self.grid.cols),
            Points::TwentySeven => u64::from(self.grid.rows) * u64::from(self.grid.cols),
        }
    }

    /// Whether the last layer is the first one's neighbour.
    fn is_ring(&self) -> bool {
        self.borders.pairs()[self.variant.points.dimensions() - 1].0 == Border::Periodic
    }

    fn cut(&self, limits: &Limits) -> Cut {
        let layers = match self.variant.points {
            Points::Five => self.grid.rows,
            Points::TwentySeven => self.grid.planes,
        };
        let size = self.element.size();
        let most = limits.max_storage_buffer_binding_size / 4 * 4;
        let alignment = limits.min_storage_buffer_offset_alignment;
        Cut::new(layers, self.layer().saturating_mul(size), most.min(MOST_CELLS * size), alignment)
    }

    /// Some layers of the grid as a grid of their own, with fixed sides where they were cut out.
    fn slab(&self, layers: u32, keeps_low: bool, keeps_high: bool) -> Job {
        let (mut grid, mut borders) = (self.grid, self.borders);
        let (count, low, high) = match self.variant.points {
            Points::Five => (&mut grid.rows, &mut borders.north, &mut borders.south),
            Points::TwentySeven => (&mut grid.planes, &mut borders.near, &mut borders.far),
        };
        *count = layers;
        if !keeps_low {
            *low = Border::Fixed;
        }
        if !keeps_high {
            *high = Border::Fixed;
        }
        Job { grid, borders, ..*self }
    }

    /// The dispatches of one step.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`], and more workgroups than a grid of two dimensions holds.
    pub fn plan(&self, features: Features, limits: &Limits) -> Result<Plan, StencilError> {
        self.check(features, limits)?;
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
        let seam = || {
            let (params, workgroups) = self.slab(4, false, false).dispatch(limits)?;
            Ok::<_, StencilError>(Seam {
                layer: layer as u32,
                tail: u64::from(cut.tail()) * bytes,
                skip: (u64::from(cut.layers - 2 - cut.tail()) * layer) as u32,
                params,
                workgroups,
            })
        };
        Ok(Plan { windows, seam: ring.then(seam).transpose()? })
    }

    /// What a kernel over the whole grid is given, and its workgroups.
    fn dispatch(&self, limits: &Limits) -> Result<(Params, [u32; 2]), StencilError> {
        let Grid { planes, rows, cols } = self.grid;
        let [columns, lines, depths] = self.borders.pairs();
        let computed = |length: u32, (low, high): (Border, Border)| {
            length.saturating_sub(u32::from(low == Border::Fixed) + u32::from(high == Border::Fixed))
        };
        let from_first_cell = matches!(self.variant.mapping, Mapping::Cells | Mapping::Strips);
        let span = |length, sides| if from_first_cell { length } else { computed(length, sides) };
        let (block_rows, block_cols) = self.coverage();
        let blocks_across = span(cols, columns).div_ceil(block_cols).max(1);
        let blocks_down = span(rows, lines).div_ceil(block_rows).max(1);
        let planes_per_group = self.tuning.planes_per_group.clamp(1, 32_768);
        let chunks = match self.variant.points {
            Points::Five => 1,
            Points::TwentySeven => computed(planes, depths).div_ceil(planes_per_group).max(1),
        };
        let groups = u64::from(blocks_across) * u64::from(blocks_down) * u64::from(chunks);
        let workgroups = pipeline::folded(groups, limits)
            .ok_or_else(|| StencilError::too_many_workgroups(groups, limits))?;
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
            sides: [west, east, north, south, near, far].map(|border| border as u32),
        };
        Ok((params, workgroups))
    }

    /// The kernel's WGSL: the kernel first, then all it refers to. The block is in the overrides `ROWS` and `COLS`.
    pub fn compose(&self) -> String {
        let mut composer = Composer::default();
        if self.element == Element::F16 {
            composer.enable("f16");
        }
        composer.add(&format!("shaders/stencil/{}", self.variant.file), self.variant.kernel);
        composer.add("generated: the element type", &format!("alias Elem = {};", self.element));
        for name in shader::uses(self.variant.kernel) {
            for piece in self.pieces(name) {
                composer.piece(&format!("stencil/shared/{piece}"));
            }
        }
        composer.finish()
    }

    /// The pieces that a name of a `//! use` line stands for.
    fn pieces(&self, name: &'static str) -> Vec<&'static str> {
        let three = self.variant.points == Points::TwentySeven;
        let sides = &self.borders.pairs()[..if three { 3 } else { 2 }];
        let fixed = sides.iter().all(|sides| *sides == (Border::Fixed, Border::Fixed));
        match name {
            "border" if fixed => vec!["border_fixed"],
            "border" => vec!["border_any"],
            "packs" if self.lanes() == 4 => vec!["packs_vector"],
            "packs" => vec!["cells", "packs_scalar"],
            "outputs" if self.variant.shares_sums => vec!["outputs_shared"],
            "outputs" => vec!["outputs_apart"],
            "strip" => vec![match self.tuning.strip {
                1 => "strip_1",
                2 => "strip_2",
                _ => "strip_4",
            }],
            name => vec![name],
        }
    }

    /// The pipeline overrides of the kernel.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let Tuning { block, rows_per_invocation, .. } = self.tuning;
        let mut overrides = vec![("ROWS", f64::from(block.rows)), ("COLS", f64::from(block.cols))];
        if self.variant.uses("walk") {
            overrides.push(("UNROLL", f64::from(self.variant.unroll)));
        }
        if self.variant.kernel.contains("override ROWS_PER_INVOCATION") {
            overrides.push(("ROWS_PER_INVOCATION", f64::from(rows_per_invocation)));
        }
        overrides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(points: Points, grid: Grid, border: Border) -> Job {
        let variant = Variant::named(points, "direct-global").unwrap();
        let tuning = Tuning::of(variant);
        Job { variant, element: Element::F32, grid, borders: Borders::all(border), tuning }
    }

    fn binding(bytes: u64) -> Limits {
        Limits { max_storage_buffer_binding_size: bytes, ..Limits::default() }
    }

    #[test]
    fn one_window_has_the_grid_as_it_is() {
        let job = job(Points::Five, Grid::plane(64, 64), Border::Periodic);
        let plan = job.plan(Features::empty(), &binding(1 << 14)).unwrap();
        assert_eq!((plan.windows.len(), &plan.seam), (1, &None));
        assert_eq!(plan.windows[0].own, 0..64 * 64);
        assert_eq!(plan.windows[0].params.sides, [2; 6]);
    }

    #[test]
    fn cut_sides_are_fixed_and_the_others_stay() {
        let job = job(Points::Five, Grid::plane(100, 64), Border::Mirror);
        let plan = job.plan(Features::empty(), &binding(1 << 14)).unwrap();
        let sides: Vec<_> = plan.windows.iter().map(|window| window.params.sides).collect();
        assert_eq!(sides, [[1, 1, 1, 0, 1, 1], [1, 1, 0, 1, 1, 1]]);
        assert_eq!(plan.windows[1].offset, 62 * 256);
        assert_eq!(plan.windows[1].own, 64..38 * 64);
    }

    #[test]
    fn a_cut_ring_has_a_seam() {
        let grid = Grid { planes: 100, rows: 8, cols: 8 };
        let plan =
            job(Points::TwentySeven, grid, Border::Periodic).plan(Features::empty(), &binding(1 << 14));
        let plan = plan.unwrap();
        assert!(plan.windows.iter().all(|window| window.params.sides == [2, 2, 2, 2, 0, 0]));
        let seam = plan.seam.unwrap();
        assert_eq!((seam.layer, seam.tail, seam.skip, seam.params.planes), (64, 98 * 256, 0, 4));
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let wide = job(Points::Five, Grid::plane(100, 1001), Border::Fixed);
        let error = wide.plan(Features::empty(), &binding(1 << 14)).unwrap_err();
        assert!(matches!(error, StencilError::LayersTooLarge { least: 66, .. }), "{error}");
        let large =
            job(Points::TwentySeven, Grid { planes: u32::MAX, rows: u32::MAX, cols: 9 }, Border::Fixed);
        let error = large.plan(Features::empty(), &Limits::default()).unwrap_err();
        assert!(matches!(error, StencilError::GridTooLarge { .. }), "{error}");
    }

    #[test]
    fn halted_dispatches_compute_nothing() {
        let job = job(Points::Five, Grid::plane(64, 64), Border::Mirror);
        let plan = job.plan(Features::empty(), &Limits::default()).unwrap();
        let halted = plan.windows[0].params.halted();
        assert_eq!([halted.cols, halted.rows, halted.planes], [1; 3]);
        assert_eq!(halted.sides, [0; 6]);
        assert!(halted.blocks_across > 0 && halted.blocks_down > 0 && halted.planes_per_group > 0);
    }
}
