//! Heat on a ring of ranks, each with rows of its own: `mpirun -n 4 diffusion`.
//!
//! The size of the grid is given nowhere: it has the rows of all ranks. Diffusion keeps the heat but for rounding, so the exact sum of all
//! cells, which is the same for the same grid on any number of GPUs, shows how much the steps round.

use std::error::Error;
use std::process::ExitCode;

use halofold_mpi::halofold::Element;
use halofold_mpi::halofold::reduce::exact::{Format, State};
use halofold_mpi::halofold::stencil::{Border, Borders, Config, FIVE_POINT, Grid};
use halofold_mpi::{Field, GlobalGrid, RankGpu, Ranks, all_reduce};

const COLS: u32 = 64;

fn main() -> ExitCode {
    halofold_mpi::run(diffuse)
}

fn diffuse(ranks: &Ranks) -> Result<(), Box<dyn Error>> {
    let gpu = RankGpu::open(ranks)?;
    // The ranks' parts need not be equal.
    let rows = 20 + 3 * ranks.rank() as u32;
    let part = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(rows, COLS))
        .with_borders(Borders::all(Border::Wrap));

    // Once: the rows of each rank. Then values, steps, values.
    let grid = GlobalGrid::new(ranks, &gpu, part)?;
    let mut field = Field::new(&grid, &gpu, FIVE_POINT.usual, &bytes(&hot_in_places(&grid)), None)?;
    field.steps(100)?;

    let mut heat = State::new(Format::Single);
    field.read(|bytes| {
        heat.add(Element::F32, bytes);
        Ok(())
    })?;
    let heat = all_reduce(ranks, &heat)?;
    if ranks.is_first() {
        let Grid { rows, cols, .. } = grid.config().grid;
        println!("{rows} × {cols} cells on {} ranks: {:?}", ranks.count(), heat.sum());
    }
    Ok(())
}

/// This rank's cells, by their rows in the whole grid.
fn hot_in_places(grid: &GlobalGrid<'_>) -> Vec<f32> {
    let cell = |row: u32, col: u32| if (row / 5 + col / 7).is_multiple_of(3) { 1.0 } else { 0.1 };
    grid.own().flat_map(|row| (0..COLS).map(move |col| cell(row, col))).collect()
}

fn bytes(cells: &[f32]) -> Vec<u8> {
    cells.iter().flat_map(|cell| cell.to_ne_bytes()).collect()
}
