//! Runs that end on the GPU at the step at which the CPU's end, with nothing written afterwards.

use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use halofold::stencil::{Border, Borders, FIVE_POINT, Grid, Norm, Outcome, Until};
use halofold::wgpu;
use halofold::{Element, Error};

use super::Kernel;
use super::run::{OnGpu, Run, borders, random_cells};
use super::windows::{long_grids, small};
use crate::Checked;
use crate::common::{Gpu, gpu, in_turn};
use Piece::{Dropped, Refill, Submitted};

/// A run on random cells.
struct Watched {
    run: Run,
    cells: Vec<f64>,
    until: Until,
}

/// A piece of a run.
enum Piece {
    Submitted(Range<u32>),
    /// It is recorded only.
    Dropped(Range<u32>),
    /// The grids get the cells of the start once more.
    Refill,
}

/// The steps that are counted, whether they converged, and whether they were interrupted.
type End = (u32, bool, bool);

impl Watched {
    fn new(kernel: Kernel, border: Border, until: Until) -> Self {
        let grid = kernel.grid([37, 43], [11, 17, 24]);
        Watched::over(gpu(), kernel, grid, Borders::all(border), until)
    }

    /// The run of the five-point stencil with fixed borders.
    fn plain(every: u32) -> Self {
        Watched::new(Kernel::fastest(&FIVE_POINT), Border::Fixed, Until::new(0.0).with_every(every))
    }

    fn over(gpu: &'static Gpu, kernel: Kernel, grid: Grid, borders: Borders, until: Until) -> Self {
        let cells = random_cells(grid, 9, |word| f64::from((word >> 48) as u16) / 65536.0);
        let config = kernel.quick_config(Element::F32, grid, borders);
        Watched { run: Run::new(gpu, config, kernel.stencil.usual, 0), cells, until }
    }

    fn twin(&self, steps: u32, until: Until) -> (Vec<f64>, Outcome) {
        self.run.problem().until(&self.cells, steps, until)
    }

    /// Chooses epsilon between the residuals of the checks at `stop` and before it.
    fn stopping_at(mut self, stop: u32) -> Self {
        let after = |steps| {
            let outcome = self.twin(steps, Until::new(0.0).with_every(steps)).1;
            if self.until.norm == Norm::Max { outcome.max } else { outcome.l2 }
        };
        self.until.epsilon = (after(stop) * after(stop - self.until.every)).sqrt();
        self
    }

    /// Records pieces of a run, and checks how it ends, and its norms and both grids against the twin's.
    fn check(&self, pieces: &[Piece], end: End, tolerance: f64) -> Checked {
        let (run, until, steps) = (&self.run, self.until, end.0);
        crate::watched(run.gpu, || {
            let grids = run.upload(&self.cells);
            let convergence = run.jacobi()?.bind_until(grids.grids(), until)?;
            for piece in pieces {
                let mut encoder = run.gpu.device.create_command_encoder(&Default::default());
                match piece {
                    Submitted(steps) => {
                        let mut pass = encoder.begin_compute_pass(&Default::default());
                        convergence.encode_in_pass(&mut pass, steps.clone());
                    }
                    Dropped(steps) => {
                        convergence.encode(&mut encoder, steps.clone());
                        continue;
                    }
                    Refill => {
                        for (buffer, fresh) in grids.both.iter().zip(&run.upload(&self.cells).both) {
                            encoder.copy_buffer_to_buffer(fresh, 0, buffer, 0, fresh.size());
                        }
                    }
                }
                run.gpu.queue.submit([encoder.finish()]);
            }
            let got = run.outcome(&convergence);
            if (got.steps, got.converged, got.interrupted) != end {
                return Err(format!("{until:?}: {got:?}, expected {end:?}").into());
            }
            let (cells, expected) = self.twin(steps, until);
            let is_near = |(got, expected): (f64, f64)| {
                got == expected || (got - expected).abs() <= tolerance + 1e-4 * expected.abs()
            };
            if ![(got.max, expected.max), (got.l2, expected.l2)].into_iter().all(is_near) {
                return Err(format!("{until:?}: {got:?}, expected {expected:?}").into());
            }
            let newer = usize::from(!got.in_first());
            run.near(&run.read(&grids.both[newer])?, &cells, tolerance)?;
            // The other buffer still has the step before.
            let Some(before) = steps.checked_sub(1) else { return Ok(()) };
            let before = self.twin(before, Until::new(0.0)).0;
            run.near(&run.read(&grids.both[1 - newer])?, &before, tolerance)
        })
    }
}

/// Each norm with each border, checked after each step or after some.
pub fn stops(kernel: Kernel, _: Element) -> Checked {
    let borders = [Border::Fixed, Border::Reflect];
    let cases = borders.into_iter().flat_map(|border| [Norm::Max, Norm::L2].map(|norm| (border, norm)));
    for (turn, (border, norm)) in cases.enumerate() {
        for (every, stop) in in_turn([(1, 40), (7, 49), (50, 100)], 3, turn) {
            Watched::new(kernel, border, Until::new(0.0).with_norm(norm).with_every(every))
                .stopping_at(stop)
                .check(&[Submitted(0..stop + 63)], (stop, true, false), 1e-5)?;
        }
    }
    Ok(())
}

/// The halo exchange, which is there for a ring, is stopped as well. With a right-hand side, which it fetches, too.
pub fn stops_in_windows(kernel: Kernel, _: Element) -> Checked {
    for (grid, borders) in long_grids(kernel.stencil.dims).into_iter().zip(borders().into_iter().skip(1)) {
        let until = Until::new(0.0).with_norm(Norm::L2).with_every(3);
        let mut until = Watched::over(small(), kernel, grid, borders, until);
        until.run = until.run.with_rhs(until.cells.iter().map(|cell| cell / 64.0).collect());
        until.stopping_at(9).check(&[Submitted(0..20)], (9, true, false), 1e-5)?;
    }
    Ok(())
}

pub fn stops_in_any_type(kernel: Kernel, element: Element) -> Checked {
    let mut until = Watched::new(kernel, Border::Fixed, Until::new(0.0).with_every(4));
    let mut stop = 400;
    if element == Element::F16 {
        // A grid that does not change at all: other changes are a matter of rounding here.
        until.cells.fill(0.0);
        (until.until.epsilon, stop) = (1e-3, 4);
    } else {
        until = until.stopping_at(stop);
    }
    until.run.config.element = element;
    until.check(&[Submitted(0..500)], (stop, true, false), 1e-12)
}

/// Pieces of runs, of which the first three stop at step 45.
const PIECES: [(&[Piece], End); 7] = [
    // Of odd lengths, the check between them due or not.
    (
        &[Submitted(0..15), Submitted(15..22), Submitted(22..23), Submitted(23..53), Submitted(53..64)],
        (45, true, false),
    ),
    (&[Submitted(0..61), Refill, Submitted(0..61)], (45, true, false)),
    // Recording leaves no trace.
    (
        &[Dropped(0..7), Submitted(0..9), Dropped(9..16), Dropped(16..17), Submitted(9..61), Dropped(0..3)],
        (45, true, false),
    ),
    (&[Submitted(0..0)], (0, false, false)),
    // Behind a piece that never came an odd number of missing steps is reported.
    (&[Submitted(0..9), Dropped(9..20), Submitted(20..31)], (9, false, true)),
    (&[Submitted(0..9), Dropped(9..19), Submitted(19..31)], (21, false, false)),
    (&[Submitted(0..9), Dropped(9..20), Submitted(20..31), Refill, Submitted(0..4)], (4, false, false)),
];

pub fn in_pieces() -> Checked {
    PIECES.into_iter().try_for_each(|(pieces, end)| {
        let until = Watched::plain(5);
        let until = if end.1 { until.stopping_at(45) } else { until };
        until.check(pieces, end, 1e-5)
    })
}

pub fn never() -> Checked {
    [1, 5, 64, u32::MAX].into_iter().try_for_each(|every| {
        let until = Until::new(0.0).with_norm(Norm::L2).with_every(every);
        let until = Watched::new(Kernel::fastest(&FIVE_POINT), Border::Reflect, until);
        until.check(&[Submitted(0..23)], (23, false, false), 1e-5)
    })
}

/// A future gives what waiting gives, once the device is polled.
pub fn awaited() -> Checked {
    let Watched { run, cells, until } = Watched::plain(5).stopping_at(45);
    let (jacobi, queue) = (run.jacobi()?, &run.gpu.queue);
    let grids = [(); 4].map(|()| run.upload(&cells));
    let grids = grids.each_ref().map(OnGpu::grids);

    let found = polled(jacobi.run_async::<f32>(queue, grids[0], 7))?;
    assert_eq!(found, jacobi.run::<f32>(queue, grids[1], 7)?);
    let (outcome, found) = polled(jacobi.run_until_async::<f32>(queue, grids[2], until, 61))?;
    assert_eq!((outcome, found), jacobi.run_until::<f32>(queue, grids[3], until, 61)?);
    assert_eq!((outcome.steps, outcome.converged), (45, true));
    let error = polled(jacobi.run_async::<f64>(queue, grids[0], 7)).expect_err("cells are f32").to_string();
    assert!(error.contains("cells of f32 as a type of 8 bytes"), "{error}");
    Ok(())
}

/// Completes a future as a program does that polls the device from time to time.
fn polled<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return done;
        }
        gpu().device.poll(wgpu::PollType::wait_indefinitely()).expect("the device lives");
    }
}

pub fn wrong_input() -> Checked {
    let until = Watched::plain(1);
    let (jacobi, grids) = (until.run.jacobi()?, until.run.upload(&until.cells));
    let refused = |until| jacobi.bind_until(grids.grids(), until).expect_err("it is wrong");
    let Error::Setting(error) = refused(until.until.with_every(0)) else {
        return Err("a check every 0 steps".into());
    };
    assert_eq!((error.name, error.value), ("Until::every", Some(0)));
    for epsilon in [-1e-9, f64::NAN, f64::NEG_INFINITY] {
        let error = refused(Until::new(epsilon).with_every(1));
        assert!(error.to_string().contains("a residual is never below that"), "{epsilon}: {error}");
    }
    Ok(())
}
