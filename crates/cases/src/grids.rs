//! Stencils, step by step and until nothing changes.

use halofold::stencil::reference::Problem;
use halofold::stencil::{
    BOXES, Border, Borders, Config, Dims, Grid, Grids, Jacobi, STENCILS, Stencil, Until, Variant,
};
use halofold::{Element, wgpu};

use super::{Case, End, Scene, Tag, encode, text};

const STEPS: u32 = 3;

/// The fastest variant of a stencil.
type Fastest = fn(&Stencil) -> &'static Variant;

/// Each kernel of each stencil, with each border that it knows; of those that are blocked in time, the fastest.
pub fn cases(fastest: Fastest) -> Vec<Case> {
    let mut all = Vec::new();
    let stencils = STENCILS.iter().map(|stencil| (*stencil, false));
    for (stencil, is_box) in stencils.chain(BOXES.iter().map(|stencil| (*stencil, true))) {
        let fastest = fastest(stencil);
        let few = ["direct-global", "dir-smem", fastest.name];
        for variant in stencil.variants().filter(|kernel| !kernel.is_blocked() || kernel.name == fastest.name)
        {
            let others = [Border::Mirror, Border::Constant(2.0)].into_iter().filter(|_| variant.is_general());
            for border in [Border::Fixed, Border::Reflect, Border::Wrap].into_iter().chain(others) {
                let is_few = !is_box && few.contains(&variant.name);
                let name = format!("{} by {}, {}", stencil.name, variant.name, border.name());
                let config = config(stencil, variant, border);
                let case = Case::new("Jacobi", name, async move |scene: &Scene| steps(scene, config).await);
                all.push(case.tagged(tag(is_few, border)));
            }
        }
        for border in [Border::Fixed, Border::Reflect, Border::Wrap] {
            let name = format!("{} until, {}", stencil.name, border.name());
            let config = config(stencil, fastest, border);
            let case = Case::new("Jacobi", name, async move |scene: &Scene| until(scene, config).await);
            all.push(case.tagged(tag(!is_box, border)));
        }
    }
    all
}

/// Of few kernels, these borders have all that a border may need: no cell beside the grid, and one at its other end.
fn tag(is_few: bool, border: Border) -> Tag {
    if is_few && matches!(border, Border::Fixed | Border::Wrap) { Tag::Losses } else { Tag::Once }
}

/// A long grid: several windows where a binding has 4 KiB.
fn config(stencil: &'static Stencil, variant: &'static Variant, border: Border) -> Config {
    let grid = match stencil.dims {
        Dims::Two => Grid::plane(200, 8),
        _ => Grid { planes: 100, rows: 4, cols: 4 },
    };
    Config::new(stencil, variant, Element::F32, grid).with_borders(Borders::all(border))
}

/// Small integers: with weights that are powers of two no step rounds.
fn cells(config: &Config) -> Vec<f64> {
    (0..config.grid.cells()).map(|at| f64::from((at as u32).wrapping_mul(2_654_435_761) >> 29)).collect()
}

/// Two buffers that start alike.
fn buffers(scene: &Scene, config: &Config) -> Result<(wgpu::Buffer, wgpu::Buffer), String> {
    let cells = encode(Element::F32, cells(config));
    Ok((scene.buffer(&cells)?, scene.buffer(&cells)?))
}

fn after(config: &Config, steps: u32) -> Vec<f64> {
    let (mut source, mut target) = (cells(config), cells(config));
    for _ in 0..steps {
        Problem::of(config, config.stencil.dyadic).step(&source, &mut target);
        std::mem::swap(&mut source, &mut target);
    }
    source
}

fn jacobi(scene: &Scene, config: Config) -> Result<Jacobi, String> {
    scene.stage();
    let jacobi = Jacobi::new(&scene.device, config, config.stencil.dyadic).map_err(text);
    scene.stage();
    jacobi
}

async fn steps(scene: &Scene, config: Config) -> Result<End, String> {
    // A grid that no buffer holds is refused; only then are there buffers.
    config.check(scene.device.features(), &scene.device.limits()).map_err(text)?;
    let (first, second) = buffers(scene, &config)?;
    let jacobi = jacobi(scene, config)?;
    let stepper = jacobi.prepare(Grids::new(&first, &second)).map_err(text)?;
    let expected = encode(Element::F32, after(&config, STEPS));
    scene.compare(|encoder| stepper.encode(encoder, STEPS), &second, &expected).await
}

async fn until(scene: &Scene, config: Config) -> Result<End, String> {
    config.check(scene.device.features(), &scene.device.limits()).map_err(text)?;
    let (first, second) = buffers(scene, &config)?;
    let jacobi = jacobi(scene, config)?;
    let grids = Grids::new(&first, &second);
    let run = jacobi.prepare_until(grids, Until::new(0.0).with_every(2)).map_err(text)?;
    let size = config.bytes();
    // The grid, and behind it how the run ended: the number of steps.
    let both = scene.room(size + 4)?;
    let mut expected = encode(Element::F32, after(&config, STEPS));
    expected.extend(STEPS.to_le_bytes());
    let record = |encoder: &mut wgpu::CommandEncoder| {
        run.encode(encoder, 0..1);
        run.encode(encoder, 1..STEPS);
        encoder.copy_buffer_to_buffer(&second, 0, &both, 0, size);
        encoder.copy_buffer_to_buffer(run.outcome(), 0, &both, size, 4);
    };
    scene.compare(record, &both, &expected).await
}
