//! An application's own kernel between halo updates: a fire spreads over the rows of all ranks. `mpirun -n 4 own_kernel`.
//!
//! A cell burns once a cell beside it does. Each rank has an array of its rows with a halo on either side; before each step the halos get
//! the neighbours' rows. This kernel runs on the host; one on the GPU would take the array from its buffer and put it back.

use std::error::Error;
use std::process::ExitCode;

use halofold_mpi::halofold::Element;
use halofold_mpi::halofold::stencil::{Border, Borders, Config, FIVE_POINT, Grid};
use halofold_mpi::{GlobalGrid, RankGpu, Ranks};

const COLS: usize = 30;

/// Rows of each rank.
const ROWS: u32 = 8;

fn main() -> ExitCode {
    halofold_mpi::run(burn)
}

fn burn(ranks: &Ranks) -> Result<(), Box<dyn Error>> {
    let part =
        Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, Grid::plane(ROWS, COLS as u32))
            .with_borders(Borders::all(Border::Wrap));
    let grid = GlobalGrid::with_halo(ranks, &RankGpu::open(ranks)?, part, Some(1))?;

    // The row before, the rank's own rows, the row after. The fire begins in one cell of the whole grid.
    let mut cells = vec![0f32; COLS * (ROWS as usize + 2)];
    if grid.own().contains(&2) {
        cells[COLS * (1 + 2 - grid.own().start as usize) + 20] = 1.0;
    }
    for _ in 0..9 {
        grid.update_halo(bytemuck::cast_slice_mut(&mut cells))?;
        cells = spread(&cells);
    }
    let burning = cells[COLS..COLS * (ROWS as usize + 1)].iter().sum::<f32>();
    let burning = ranks.sum(&[burning as i64])[0];
    if ranks.is_first() {
        println!("{burning} of {} cells burn", grid.config().grid.cells());
    }
    Ok(())
}

/// One step of a rank's own rows.
fn spread(cells: &[f32]) -> Vec<f32> {
    let mut next = cells.to_vec();
    for row in 1..=ROWS as usize {
        for col in 0..COLS {
            let at = |row: usize, col: usize| cells[row * COLS + col % COLS];
            let sides = [at(row - 1, col), at(row + 1, col), at(row, col + COLS - 1), at(row, col + 1)];
            next[row * COLS + col] = sides.into_iter().fold(at(row, col), f32::max);
        }
    }
    next
}
