//! Stencils, step by step and until nothing changes.

use halofold::stencil::reference::Problem;
use halofold::stencil::{
    BOXES, Border, Borders, Config, Dims, Grid, Grids, Jacobi, STENCILS, Stencil, Until, Variant,
};
use halofold::{Element, wgpu};

use super::{Case, End, Scene, Tag, encode, text};

const STEPS: u32 = 3;

/// Each kernel of each stencil with each border that it knows; of time-blocked ones the fastest, which also runs until nothing changes.
pub fn cases(fastest: fn(&Stencil) -> &'static Variant) -> Vec<Case> {
    let of = |stencil: &'static Stencil| {
        let fastest = fastest(stencil);
        let usual = [Border::Fixed, Border::Reflect, Border::Wrap];
        let kernels = stencil.variants().filter(|kernel| !kernel.is_blocked() || kernel.name == fastest.name);
        let steps = kernels.flat_map(move |variant| {
            let others = [Border::Mirror, Border::Constant(2.0)].into_iter().filter(|_| variant.is_general());
            usual.into_iter().chain(others).map(move |border| (variant, border, false))
        });
        let all = steps.chain(usual.map(|border| (fastest, border, true)));
        all.map(move |(variant, border, ends)| {
            let is_box = BOXES.iter().any(|other| other.name == stencil.name);
            let is_few = ends || ["direct-global", "dir-smem", fastest.name].contains(&variant.name);
            // Of few kernels, these borders have all that a border may need: no cell beside the grid, and one at its other end.
            let has_all = !is_box && is_few && matches!(border, Border::Fixed | Border::Wrap);
            let how = if ends { "until".to_owned() } else { format!("by {}", variant.name) };
            let name = format!("{} {how}, {}", stencil.name, border.name());
            let config = config(stencil, variant, border);
            let run = async move |scene: &Scene| steps_of(scene, config, ends).await;
            Case::new("Jacobi", name, run).tagged(if has_all { Tag::Losses } else { Tag::Once })
        })
    };
    STENCILS.iter().chain(BOXES).copied().flat_map(of).collect()
}

/// A long grid: several windows where a binding has 4 KiB.
fn config(stencil: &'static Stencil, variant: &'static Variant, border: Border) -> Config {
    let grid = match stencil.dims {
        Dims::Two => Grid::plane(200, 8),
        _ => Grid { planes: 100, rows: 4, cols: 4 },
    };
    Config::new(stencil, variant, Element::F32, grid).with_borders(Borders::all(border))
}

/// Compares the grid after some steps, and after the grid the number of steps of a run that may end.
async fn steps_of(scene: &Scene, config: Config, ends: bool) -> Result<End, String> {
    // A grid that no buffer holds is refused; only then are there buffers.
    config.check(scene.device.features(), &scene.device.limits()).map_err(text)?;
    let weights = config.stencil.dyadic;
    // Small integers: with weights that are powers of two no step rounds.
    let cell = |at| f64::from((at as u32).wrapping_mul(2_654_435_761) >> 29);
    let cells: Vec<_> = (0..config.grid.cells()).map(cell).collect();
    let bytes = encode(Element::F32, cells.iter().copied());
    let (first, second) = (scene.buffer(&bytes)?, scene.buffer(&bytes)?);
    let grids = Grids::new(&first, &second);
    scene.stage();
    let jacobi = scene.compile(Ok(Jacobi::new(config, weights)))?;
    scene.stage();
    let (after, _) = Problem::of(&config, weights).until(&cells, STEPS, Until::new(0.0));
    let mut expected = encode(Element::F32, after);
    if !ends {
        let stepper = jacobi.bind(grids).map_err(text)?;
        return scene.compare(|encoder| stepper.encode(encoder, STEPS), &second, &expected).await;
    }
    let run = jacobi.bind_until(grids, Until::new(0.0).with_every(2)).map_err(text)?;
    let size = config.bytes();
    let both = scene.room(size + 4)?;
    expected.extend(STEPS.to_le_bytes());
    let record = |encoder: &mut wgpu::CommandEncoder| {
        run.encode(encoder, 0..1);
        run.encode(encoder, 1..STEPS);
        encoder.copy_buffer_to_buffer(&second, 0, &both, 0, size);
        encoder.copy_buffer_to_buffer(run.outcome(), 0, &both, size, 4);
    };
    scene.compare(record, &both, &expected).await
}
