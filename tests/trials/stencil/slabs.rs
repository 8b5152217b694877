//! Slabs: however a grid is cut, the bits are those of the whole grid.

use halofold::stencil::slab::{Change, Side, Slab, SlabStepper};
use halofold::stencil::{Block, Config, Dims, Grid, Grids, Jacobi, STENCILS, Until};
use halofold::wgpu::{Buffer, BufferUsages};
use halofold::{Compiled, Element};

use super::run::{OnGpu, Run, borders, general_borders, random_cells, repeated};
use super::{Kernel, grids, windows};
use crate::common::{Gpu, buffer, compile, decode, gpu, in_turn, read};
use crate::{Checked, watched};

/// Weights of no particular kind: nothing is exact, and a sum in another order would have other bits.
const WEIGHTS: [f64; 4] = [0.231, 0.0973, 0.0153, 0.0007];

/// Parts, the most steps of a round, and the steps of each round, of a stencil that reaches one cell.
const CUTS: [(u32, u32, &[u32]); 5] =
    [(2, 4, &[4, 3, 1]), (3, 5, &[5, 5]), (1, 3, &[3, 2]), (4, 2, &[2, 1, 2]), (2, 9, &[8, 9])];

pub fn any_cut(kernel: Kernel, element: Element) -> Checked {
    let Kernel { stencil, variant } = kernel;
    let flat = [[41, 36], [301, 64], [37, 34]];
    let grids = grids(stencil.dims, &flat, &[[23, 9, 12], [64, 8, 32], [29, 5, 10]]);
    // A driver takes longest to compile: two kernels in 32 bits, one in other types. On a software adapter types and stencils take turns.
    let turns = if element == Element::F32 { &[0, 1, 2, 3, 4][..] } else { &[0, 2, 4] };
    let nth = kernel.nth() + element.size().ilog2() as usize;
    for &round in in_turn(turns, 3, nth) {
        let (parts, most, steps) = CUTS[round];
        // A stencil that reaches farther makes fewer steps with as many layers.
        let fewer = |steps: &u32| steps.div_ceil(stencil.radius());
        let (most, rounds) = (fewer(&most), steps.iter().map(fewer).collect::<Vec<_>>());
        // Once in a while a slab is larger than a binding.
        let gpu = if round % 3 == 1 { windows::small() } else { gpu() };
        let config = kernel.config(element, grids[round % 3]).with_borders(borders()[round]);
        let config = if variant.is_blocked() {
            super::blocked::small(config, round % 2)
        } else {
            config.with_block(Block { rows: 4, cols: 16 })
        };
        let general = general_borders().into_iter().filter(|_| variant.is_general());
        for borders in [config.borders].into_iter().chain(general) {
            let run = Run::new(gpu, config.with_borders(borders), repeated(WEIGHTS), rounds.iter().sum());
            let run = if round % 2 == 0 { run.with_rhs(cells(config.grid, 2)) } else { run };
            let cells = cells(config.grid, 1);
            let parted = watched(gpu, || Parts::new(&run, &cells, parts, most)?.run(&rounds))?;
            run.near(&parted, &run.on_gpu(&cells)?, 0.0)
                .map_err(|error| format!("{parts} parts, rounds of {rounds:?}: {error}"))?;
        }
    }
    Ok(())
}

/// Cells that no sum hits exactly.
fn cells(grid: Grid, seed: u64) -> Vec<f64> {
    random_cells(grid, seed, |word| (word % 1999) as f64 / 1024.0 - 0.9)
}

/// The slabs of a grid on one device.
struct Parts<'a> {
    run: &'a Run,
    parts: Vec<Part>,
}

struct Part {
    stepper: SlabStepper,
    both: [Buffer; 2],
    /// The edges for the neighbours on both sides.
    faces: [Buffer; 2],
}

impl<'a> Parts<'a> {
    fn new(run: &'a Run, cells: &[f64], parts: u32, halo: u32) -> Checked<Self> {
        let Grid { planes, rows, .. } = run.config.grid;
        let layers = if run.config.stencil.dims == Dims::Two { rows } else { planes };
        // An even number in each but the last, which gets what is left.
        let height = layers / parts / 2 * 2;
        let whole = run.upload(cells);
        // All slabs share one stencil.
        let mut stencil: Option<Compiled<Jacobi>> = None;
        let part = |nth| -> Checked<Part> {
            let end = if nth + 1 == parts { layers } else { (nth + 1) * height };
            let slab = Slab::new(run.config, nth * height..end, halo)?;
            let size = slab.layer_bytes() as usize;
            let held = |grid: &Buffer| {
                let grid = read(run.gpu, grid);
                let parts = slab.held_parts().into_iter();
                let layers = parts.flat_map(|of| &grid[of.start as usize * size..of.end as usize * size]);
                storage(run.gpu, &layers.copied().collect::<Vec<_>>())
            };
            let grids = OnGpu { both: whole.both.each_ref().map(held), rhs: whole.rhs.as_ref().map(held) };
            let made = || compile(&run.gpu.device, Jacobi::new(slab.config(), run.weights));
            let stepper = stencil.take().map_or_else(made, Ok)?;
            let prepared = stepper.bind_slab(&slab, grids.grids())?;
            stencil = Some(stepper);
            let faces = [(); 2].map(|()| storage(run.gpu, &vec![0; slab.face_bytes() as usize]));
            Ok(Part { stepper: prepared, both: grids.both, faces })
        };
        Ok(Parts { run, parts: (0..parts).map(part).collect::<Checked<_>>()? })
    }

    fn run(&self, rounds: &[u32]) -> Checked<Vec<f64>> {
        let from = rounds.iter().try_fold(0, |from, steps| self.round(*steps, from))?;
        let own = |part: &Part| {
            let own = part.stepper.slab().own_bytes();
            read(self.run.gpu, &part.both[from])[own.start as usize..own.end as usize].to_vec()
        };
        let bytes = self.parts.iter().map(own).collect::<Vec<_>>().concat();
        Ok(decode(self.run.config.element, &bytes))
    }

    /// Edges of all, then faces, then interiors: an interior must not need what the edges' dispatches did not leave.
    fn round(&self, steps: u32, from: usize) -> Checked<usize> {
        let rounds = self.parts.iter().map(|part| part.stepper.round(steps));
        let rounds = rounds.collect::<Result<Vec<_>, _>>()?;
        let result = rounds[0].result(from);
        let mut encoder = self.run.gpu.device.create_command_encoder(&Default::default());
        for (part, round) in self.parts.iter().zip(&rounds) {
            round.encode_edges(&mut encoder, from);
            for side in Side::BOTH {
                part.stepper.encode_edge_out(&mut encoder, side, result, &part.faces[side as usize])?;
            }
        }
        rounds.iter().for_each(|round| round.encode_interior(&mut encoder, from));
        let count = self.parts.len();
        for (at, part) in self.parts.iter().enumerate() {
            for (side, neighbour) in Side::BOTH.into_iter().zip([at + count - 1, at + 1]) {
                let face = &self.parts[neighbour % count].faces[side.opposite() as usize];
                part.stepper.encode_halo_in(&mut encoder, side, result, face)?;
            }
        }
        self.run.gpu.queue.submit([encoder.finish()]);
        Ok(result)
    }

    /// The merged changes of the last step of a round.
    fn change(&self, steps: u32) -> Checked<Change> {
        let of = |part: &Part| -> Checked<Change> {
            let round = part.stepper.checked_round(steps)?;
            let (check, found) = part.stepper.check()?;
            self.run.gpu.submit(|encoder| {
                round.encode(encoder, 0);
                check.iter().for_each(|part| part.encode(encoder));
            });
            Ok(Change::parse(&read(self.run.gpu, &found)).ok_or("no change")?)
        };
        let (first, others) = self.parts.split_first().ok_or("no slabs")?;
        others.iter().try_fold(of(first)?, |mut all, part| {
            all.merge(&of(part)?);
            Ok(all)
        })
    }
}

fn storage(gpu: &Gpu, bytes: &[u8]) -> Buffer {
    buffer(gpu, bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)
}

pub fn refused() -> Checked {
    let stencil = STENCILS[0];
    let config = |element, cols| Config::new(stencil, stencil.fastest_step(), element, Grid::plane(20, cols));
    let (config, narrow) = (config(Element::F32, 8), config(Element::F16, 7));
    for (own, halo, said) in [
        (3..3, 1, "3..3"),
        (10..21, 1, "the grid has 20"),
        (0..4, 5, "exchange more often"),
        (0..4, 0, "a layer for each cell"),
        (2..12, 3, "exchange more often"),
        (8..18, 3, "exchange more often"),
    ] {
        let error = Slab::new(config, own.clone(), halo).unwrap_err().to_string();
        assert!(error.contains(said), "{own:?} {halo}: {error}");
    }
    for (own, halo, is_allowed) in [(0..5, 2, false), (0..6, 2, true), (6..20, 3, false), (11..20, 2, true)] {
        assert_eq!(Slab::new(narrow, own.clone(), halo).is_ok(), is_allowed, "{own:?} {halo}");
    }
    let (slab, other) = (Slab::new(config, 0..10, 4)?, Slab::new(narrow, 0..10, 4)?);
    let [first, second] = [(); 2].map(|()| storage(gpu(), &vec![0; slab.bytes() as usize]));
    let jacobi = compile(&gpu().device, Jacobi::new(slab.config(), repeated(WEIGHTS)))?;
    assert!(jacobi.bind_slab(&other, Grids::new(&first, &second)).is_err());
    let stepper = jacobi.bind_slab(&slab, Grids::new(&first, &second))?;
    assert!(stepper.round(0).is_err() && stepper.round(5).is_err() && stepper.round(4).is_ok());
    Ok(())
}

/// The sum of a step's changes is the same to the last bit, however a grid is cut.
pub fn changes(kernel: Kernel, element: Element) -> Checked {
    let config = kernel.config(element, Grid::plane(61, 52));
    let after = |steps| Run::new(gpu(), config, repeated(WEIGHTS), steps);
    let (run, cells) = (after(5), cells(config.grid, 3));
    // Differences of 16-bit floats are rounded to 32 bits.
    let differ = |(a, b): (f64, f64)| match element {
        Element::F64 => (a - b).abs(),
        _ => f64::from(a as f32 - b as f32).abs(),
    };
    let both = after(4).on_gpu(&cells)?.into_iter().zip(run.on_gpu(&cells)?);
    let largest = both.map(differ).fold(0.0, f64::max);
    let whole = Parts::new(&run, &cells, 1, 5)?.change(5)?;
    assert!(whole.meets(&Until::new(1.01 * largest)) && !whole.meets(&Until::new(0.99 * largest)));
    for parts in [1, 2, 5] {
        let change = Parts::new(&run, &cells, parts, 5)?.change(5)?;
        assert_eq!((change.max(), change.l2().to_bits()), (largest, whole.l2().to_bits()), "{parts}");
    }
    Ok(())
}
