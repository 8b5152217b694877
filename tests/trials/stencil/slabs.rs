//! Slabs: however a grid is cut, the bits are those of the whole grid.

use halofold::Element;
use halofold::stencil::slab::{Change, Side, Slab, SlabStepper};
use halofold::stencil::{
    BOXES, Block, Border, Borders, Config, Dims, Grid, Grids, Jacobi, STENCILS, Stencil, Until, Variant,
};
use halofold::wgpu::{Buffer, BufferDescriptor, BufferUsages};
use libtest_mimic::{Failed, Trial};

use super::run::{self, Run, borders, general_borders, repeated};
use super::{Kernel, windows};
use crate::common::{Gpu, Random, gpu, in_turn, read};

/// Weights of no particular kind: nothing is exact, and a sum in another order would have other bits.
const WEIGHTS: [f64; 4] = [0.231, 0.0973, 0.0153, 0.0007];

/// Parts, the most steps of a round, and the steps of each round, of a stencil that reaches one cell.
const CUTS: [(u32, u32, &[u32]); 5] =
    [(2, 4, &[4, 3, 1]), (3, 5, &[5, 5]), (1, 3, &[3, 2]), (4, 2, &[2, 1, 2]), (2, 9, &[8, 9])];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &stencil in STENCILS.iter().chain(BOXES) {
        for variant in kernels(stencil) {
            for element in [Element::F32, Element::F64, Element::F16] {
                let name = format!("stencil::slabs::{}::{}::{element}", stencil.name, variant.name);
                let left_out = super::reason_to_leave_out(variant.is_blocked(), element);
                trials.push(crate::trial(name, left_out, move || any_cut(stencil, variant, element)));
            }
        }
    }
    trials.push(crate::trial("stencil::slabs::grids_that_cannot_be_cut_are_refused", None, refused));
    trials.push(crate::trial("stencil::slabs::changes_merge", None, changes));
    trials
}

/// The fastest kernel that makes single steps, the simplest one, and the time-blocked one.
fn kernels(stencil: &'static Stencil) -> Vec<&'static Variant> {
    let blocked = stencil.variants().find(|variant| variant.is_blocked());
    let simple = stencil.variants().find(|variant| variant.name == "direct-global");
    let mut kernels = vec![stencil.fastest_step()];
    kernels.extend(simple.into_iter().chain(blocked));
    kernels.dedup_by_key(|variant| variant.name);
    kernels
}

fn any_cut(stencil: &'static Stencil, variant: &'static Variant, element: Element) -> Result<(), Failed> {
    let grids = match stencil.dims {
        Dims::Two => [Grid::plane(41, 36), Grid::plane(301, 64), Grid::plane(37, 34)],
        _ => [(23, 9, 12), (64, 8, 32), (29, 5, 10)].map(|(planes, rows, cols)| Grid { planes, rows, cols }),
    };
    // A driver takes longest to compile: two kernels in 32 bits, one in other types. On a software adapter types and stencils take turns.
    let turns = if element == Element::F32 { &[0, 1, 2, 3, 4][..] } else { &[0, 2, 4] };
    let nth = Kernel { stencil, variant }.nth() + element.size().ilog2() as usize;
    for &round in in_turn(turns, 3, nth) {
        let ((parts, most, rounds), borders) = (CUTS[round], all_borders()[round]);
        // A stencil that reaches farther makes fewer steps with as many layers.
        let fewer = |steps: u32| steps.div_ceil(stencil.radius());
        let rounds: Vec<_> = rounds.iter().map(|steps| fewer(*steps)).collect();
        let cut = (parts, fewer(most), &rounds[..]);
        // Once in a while a slab is larger than a binding.
        let gpu = if round % 3 == 1 { windows::small() } else { gpu() };
        let config = Config::new(stencil, variant, element, grids[round % 3]).with_borders(borders);
        let config = if variant.is_blocked() {
            super::blocked::small(config, round % 2)
        } else {
            config.with_block(Block { rows: 4, cols: 16 })
        };
        let config = if round % 2 == 0 { config.with_rhs() } else { config };
        same_bits(gpu, config, cut)
            .map_err(|error| format!("{} {borders:?} {cut:?}: {error}", config.grid))?;
        for borders in general_borders().into_iter().filter(|_| variant.is_general()) {
            let config = config.with_borders(borders);
            same_bits(gpu, config, cut)
                .map_err(|error| format!("{} {borders:?} {cut:?}: {error}", config.grid))?;
        }
    }
    Ok(())
}

/// Those of other tests, and one kind beyond the last layer, which most slabs do not see.
fn all_borders() -> [Borders; 5] {
    let [first, second, third, fourth] = borders();
    [
        first,
        second,
        third,
        fourth,
        Borders { south: Border::Reflect, far: Border::Reflect, ..Borders::default() },
    ]
}

/// Cells that no sum hits exactly.
fn cells(grid: Grid, seed: u64) -> Vec<f64> {
    let mut numbers = Random::new(seed);
    (0..grid.cells()).map(|_| (numbers.next() % 1999) as f64 / 1024.0 - 0.9).collect()
}

fn same_bits(
    gpu: &'static Gpu,
    config: Config,
    (parts, halo, rounds): (u32, u32, &[u32]),
) -> Result<(), String> {
    let run = Run::new(gpu, config, repeated(WEIGHTS), rounds.iter().sum());
    let run = if config.rhs { run.with_rhs(cells(config.grid, 2)) } else { run };
    let cells = cells(config.grid, 1);
    let whole = run.on_gpu(&cells)?;
    let parted = gpu.watched(|| Parts::new(&run, &cells, parts, halo)?.run(rounds))?;
    run.same(&parted, &whole)
}

/// The slabs of a grid on one device.
struct Parts<'a> {
    run: &'a Run,
    parts: Vec<Part>,
}

struct Part {
    stepper: SlabStepper,
    buffers: [Buffer; 2],
    /// The edges for the neighbours on both sides.
    faces: [Buffer; 2],
}

impl<'a> Parts<'a> {
    fn new(run: &'a Run, cells: &[f64], parts: u32, halo: u32) -> Result<Self, String> {
        let layers = match run.config.stencil.dims {
            Dims::Two => run.config.grid.rows,
            _ => run.config.grid.planes,
        };
        // An even number in each but the last, which gets what is left.
        let height = layers / parts / 2 * 2;
        let [first, second] = run.buffers(cells).map(|buffer| read(run.gpu, &buffer));
        let rhs = run.rhs_buffer().map(|buffer| read(run.gpu, &buffer));
        let mut all = Vec::new();
        // All slabs share one stencil.
        let mut stencil: Option<Jacobi> = None;
        for nth in 0..parts {
            let own = nth * height..if nth + 1 == parts { layers } else { (nth + 1) * height };
            let slab = Slab::new(run.config, own, halo).map_err(|error| error.to_string())?;
            let buffers = [&first, &second].map(|bytes| buffer(run.gpu, &held(&slab, bytes)));
            let rhs = rhs.as_ref().map(|bytes| buffer(run.gpu, &held(&slab, bytes)));
            let make = || Jacobi::new(&run.gpu.device, slab.config(), run.weights);
            let made = stencil.take().map_or_else(make, Ok).map_err(|error| error.to_string())?;
            let grids = run::grids(&buffers, rhs.as_ref());
            let stepper = made.prepare_slab(&slab, grids).map_err(|error| error.to_string())?;
            stencil = Some(made);
            let faces = [0, 1].map(|_| buffer(run.gpu, &vec![0; slab.face_bytes() as usize]));
            all.push(Part { stepper, buffers, faces });
        }
        Ok(Parts { run, parts: all })
    }

    fn run(&self, rounds: &[u32]) -> Result<Vec<f64>, String> {
        let mut from = 0;
        for &steps in rounds {
            from = self.round(steps, from).map_err(|error| error.to_string())?;
        }
        let mut cells = Vec::new();
        for part in &self.parts {
            let bytes = read(self.run.gpu, &part.buffers[from]);
            let own = part.stepper.slab().own_bytes();
            cells.extend(run::decode_all(
                self.run.config.element,
                &bytes[own.start as usize..own.end as usize],
            ));
        }
        Ok(cells)
    }

    /// Edges of all, then faces, then interiors: an interior must not need what the edges' launches did not leave.
    fn round(&self, steps: u32, from: usize) -> Result<usize, halofold::stencil::StencilError> {
        let gpu = self.run.gpu;
        let rounds =
            self.parts.iter().map(|part| part.stepper.round(steps)).collect::<Result<Vec<_>, _>>()?;
        let result = rounds[0].result(from);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (part, round) in self.parts.iter().zip(&rounds) {
            round.encode_edges(&mut encoder, from);
            for side in Side::BOTH {
                part.stepper.encode_edge_out(&mut encoder, side, result, &part.faces[side as usize])?;
            }
        }
        rounds.iter().for_each(|round| round.encode_interior(&mut encoder, from));
        let count = self.parts.len();
        for (at, part) in self.parts.iter().enumerate() {
            let low = &self.parts[(at + count - 1) % count].faces[Side::High as usize];
            let high = &self.parts[(at + 1) % count].faces[Side::Low as usize];
            part.stepper.encode_halo_in(&mut encoder, Side::Low, result, low)?;
            part.stepper.encode_halo_in(&mut encoder, Side::High, result, high)?;
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(result)
    }
}

/// The layers that a slab holds.
fn held(slab: &Slab, grid: &[u8]) -> Vec<u8> {
    let size = slab.layer_bytes() as usize;
    let bytes = |part: std::ops::Range<u32>| &grid[part.start as usize * size..part.end as usize * size];
    let mut bytes = slab.held_parts().into_iter().map(bytes).collect::<Vec<_>>().concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn buffer(gpu: &Gpu, bytes: &[u8]) -> Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let size = bytes.len() as u64;
    let buffer =
        gpu.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    gpu.queue.write_buffer(&buffer, 0, bytes);
    buffer
}

fn refused() -> Result<(), Failed> {
    let stencil = STENCILS[0];
    let config = Config::new(stencil, stencil.fastest_step(), Element::F32, Grid::plane(20, 8));
    for (own, halo, said) in [
        (3..3, 1, "3..3"),
        (10..21, 1, "the grid has 20"),
        (0..4, 5, "exchange more often"),
        (0..4, 0, "a layer for each cell"),
        (2..12, 3, "exchange more often"),
        (8..18, 3, "exchange more often"),
    ] {
        match Slab::new(config, own.clone(), halo) {
            Err(error) if error.to_string().contains(said) => {}
            other => return Err(format!("{own:?} {halo}: {other:?}").into()),
        }
    }
    let narrow = Config::new(stencil, stencil.fastest_step(), Element::F16, Grid::plane(20, 7));
    assert!(Slab::new(narrow, 0..5, 2).is_err() && Slab::new(narrow, 0..6, 2).is_ok());
    assert!(Slab::new(narrow, 6..20, 3).is_err() && Slab::new(narrow, 11..20, 2).is_ok());
    let (slab, other) = (Slab::new(config, 0..10, 4)?, Slab::new(narrow, 0..10, 4)?);
    let [first, second] = [0, 1].map(|_| buffer(gpu(), &vec![0; slab.bytes() as usize]));
    let jacobi = Jacobi::new(&gpu().device, slab.config(), repeated(WEIGHTS))?;
    assert!(jacobi.prepare_slab(&other, Grids::new(&first, &second)).is_err());
    let stepper = jacobi.prepare_slab(&slab, Grids::new(&first, &second))?;
    assert!(stepper.round(0).is_err() && stepper.round(5).is_err() && stepper.round(4).is_ok());
    Ok(())
}

/// The sum of a step's changes is the same to the last bit, however a grid is cut.
fn changes() -> Result<(), Failed> {
    for element in [Element::F32, Element::F64, Element::F16] {
        let missing = element.feature() - gpu().device.features();
        if missing.is_empty() {
            same_change(element)?;
        } else {
            eprintln!("not run: {element}: {}", halofold::adapter::feature_names(missing));
        }
    }
    Ok(())
}

fn same_change(element: Element) -> Result<(), Failed> {
    let stencil = STENCILS[0];
    let config = Config::new(stencil, stencil.fastest_step(), element, Grid::plane(61, 52));
    let run = Run::new(gpu(), config, repeated(WEIGHTS), 5);
    let cells = cells(config.grid, 3);
    let found: Vec<Change> =
        [1, 2, 5].into_iter().map(|parts| change(&run, &cells, parts)).collect::<Result<_, _>>()?;
    let before = Run::new(gpu(), config, repeated(WEIGHTS), 4).on_gpu(&cells)?;
    let after = run.on_gpu(&cells)?;
    // Differences of 16-bit floats are rounded to 32 bits.
    let differ =
        |a: f64, b: f64| if element == Element::F64 { a - b } else { f64::from(a as f32 - b as f32) };
    let largest = before.iter().zip(&after).map(|(a, b)| differ(*a, *b).abs()).fold(0.0, f64::max);
    for change in &found {
        assert_eq!((change.max(), change.l2().to_bits()), (largest, found[0].l2().to_bits()));
    }
    let change = &found[0];
    assert!(change.meets(&Until::new(1.01 * largest)) && !change.meets(&Until::new(0.99 * largest)));
    Ok(())
}

fn change(run: &Run, cells: &[f64], parts: u32) -> Result<Change, String> {
    let halo = 5;
    let parts = Parts::new(run, cells, parts, halo)?;
    let mut merged: Option<Change> = None;
    for part in &parts.parts {
        let text = |error: halofold::stencil::StencilError| error.to_string();
        let round = part.stepper.checked_round(halo).map_err(text)?;
        let (check, found) = part.stepper.check().map_err(text)?;
        let mut encoder = run.gpu.device.create_command_encoder(&Default::default());
        round.encode(&mut encoder, 0);
        check.iter().for_each(|part| part.encode(&mut encoder));
        run.gpu.queue.submit([encoder.finish()]);
        let found = Change::parse(&read(run.gpu, &found)).ok_or("no change")?;
        match &mut merged {
            Some(all) => all.merge(&found),
            None => merged = Some(found),
        }
    }
    merged.ok_or_else(|| "no slabs".to_owned())
}
