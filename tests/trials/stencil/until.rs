//! Runs that end on the GPU at the step at which the CPU's end, with nothing written afterwards.

use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use halofold::Element;
use halofold::stencil::{
    BOXES, Border, Borders, Convergence, FIVE_POINT, Grid, Norm, Outcome, STENCILS, Stencil, StencilError,
    Until,
};
use halofold::wgpu;
use libtest_mimic::Trial;

use super::Kernel;
use super::run::{OnGpu, Run, borders, random_cells};
use super::windows::{long_grids, small};
use crate::common::{Gpu, fastest, gpu, in_turn};
use crate::{Adapters, Checked};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &stencil in STENCILS.iter().chain(BOXES) {
        let name = |what: String| format!("until::{}::{what}", stencil.name);
        let kernel = Kernel { stencil, variant: stencil.fastest_step() };
        for border in [Border::Fixed, Border::Reflect] {
            for norm in [Norm::Max, Norm::L2] {
                let name = name(format!("{}::{norm:?}", border.name()));
                let check = move || stops_with_the_twin(stencil, border, norm);
                let is_sampled = stencil.name == FIVE_POINT.name && norm == Norm::Max;
                trials.push(super::trial(name, Adapters::every_if(is_sampled), kernel, Element::F32, check));
            }
        }
        let check = move || stops_in_windows(stencil);
        trials.push(super::trial(name("windows".to_owned()), Adapters::One, kernel, Element::F32, check));
    }
    trials
}

/// A run of the fastest variant on random cells.
struct Watched {
    run: Run,
    cells: Vec<f64>,
    until: Until,
}

/// Its grids on the GPU.
struct Session<'w> {
    of: &'w Watched,
    grids: OnGpu,
    convergence: Convergence,
}

impl Watched {
    fn new(stencil: &'static Stencil, border: Border, norm: Norm, every: u32) -> Self {
        let kernel = Kernel { stencil, variant: fastest(stencil) };
        let grid = kernel.grid([37, 43], [11, 17, 24]);
        Watched::over(
            gpu(),
            kernel,
            grid,
            Borders::all(border),
            Until::new(0.0).with_norm(norm).with_every(every),
        )
    }

    /// The run of the five-point stencil with fixed borders.
    fn plain(norm: Norm, every: u32) -> Self {
        Watched::new(&FIVE_POINT, Border::Fixed, norm, every)
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

    fn session(&self) -> Checked<Session<'_>> {
        let grids = self.run.upload(&self.cells);
        let convergence = self.run.jacobi()?.prepare_until(grids.grids(), self.until)?;
        Ok(Session { of: self, grids, convergence })
    }

    /// Records pieces of a run, each submitted alone, and checks all that is left behind against the twin.
    fn check(&self, pieces: &[u32], tolerance: f64) -> Checked<Outcome> {
        crate::watched(self.run.gpu, || {
            let session = self.session()?;
            let mut at = 0;
            for steps in pieces {
                session.submit(at..at + steps);
                at += steps;
            }
            session.compare(at, tolerance)
        })
    }
}

impl Session<'_> {
    fn submit(&self, steps: Range<u32>) {
        self.of.run.submit(|encoder| {
            self.convergence.encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()), steps);
        });
    }

    /// Records a piece that is never submitted.
    fn drop_piece(&self, steps: Range<u32>) {
        let mut encoder = self.of.run.gpu.device.create_command_encoder(&Default::default());
        self.convergence.encode(&mut encoder, steps);
    }

    fn outcome(&self) -> Outcome {
        self.of.run.outcome(&self.convergence)
    }

    /// Compares one of the grids.
    fn compare_cells(&self, nth: usize, expected: &[f64], tolerance: f64) -> Checked {
        self.of.run.near(&self.of.run.read(&self.grids.both[nth])?, expected, tolerance)
    }

    fn compare(&self, steps: u32, tolerance: f64) -> Checked<Outcome> {
        let (got, until) = (self.outcome(), self.of.until);
        let (cells, expected) = self.of.twin(steps, until);
        let is_near = |got: f64, expected: f64| (got - expected).abs() <= tolerance + 1e-4 * expected.abs();
        let is_same = got.steps == expected.steps && got.converged == expected.converged;
        if !is_same || !is_near(got.max, expected.max) || !is_near(got.l2, expected.l2) {
            return Err(format!("{until:?}: {got:?}, expected {expected:?}").into());
        }
        // The other buffer still has the step before.
        let before = self.of.twin(expected.steps - 1, Until::new(0.0)).0;
        let newer = usize::from(!got.in_first());
        self.compare_cells(newer, &cells, tolerance)?;
        self.compare_cells(1 - newer, &before, tolerance)?;
        Ok(got)
    }
}

fn stops_with_the_twin(stencil: &'static Stencil, border: Border, norm: Norm) -> Checked {
    let turn = usize::from(border == Border::Fixed) + usize::from(norm == Norm::Max);
    for (every, stop) in in_turn([(1, 40), (7, 49), (50, 100)], 3, turn) {
        let until = Watched::new(stencil, border, norm, every).stopping_at(stop);
        let outcome = until.check(&[stop + 63], 1e-5)?;
        assert_eq!((outcome.steps, outcome.converged), (stop, true), "{:?}", until.until);
    }
    Ok(())
}

/// The halo exchange, which is there for a ring, is stopped as well. With a right-hand side, which it fetches, too.
fn stops_in_windows(stencil: &'static Stencil) -> Checked {
    let kernel = Kernel { stencil, variant: fastest(stencil) };
    for (grid, borders) in long_grids(stencil.dims).into_iter().zip(borders().into_iter().skip(1)) {
        let until = Until::new(0.0).with_norm(Norm::L2).with_every(3);
        let mut until = Watched::over(small(), kernel, grid, borders, until);
        until.run = until.run.with_rhs(until.cells.iter().map(|cell| cell / 64.0).collect());
        until.stopping_at(9).check(&[20], 1e-5)?;
    }
    Ok(())
}

pub fn stops_in_any_type(kernel: Kernel, element: Element) -> Checked {
    let mut until = Watched::new(kernel.stencil, Border::Fixed, Norm::Max, 4);
    if element == Element::F16 {
        // A grid that does not change at all: other changes are a matter of rounding here.
        until.cells.fill(0.0);
        until.until.epsilon = 1e-3;
    } else {
        until = until.stopping_at(400);
    }
    until.run.config.element = element;
    until.check(&[500], 1e-12)?;
    Ok(())
}

pub fn never() -> Checked {
    for every in [1, 5, 64, u32::MAX] {
        let outcome = Watched::new(&FIVE_POINT, Border::Reflect, Norm::L2, every).check(&[23], 1e-5)?;
        assert_eq!((outcome.steps, outcome.converged), (23, false), "every {every}");
    }
    Ok(())
}

pub fn no_steps() -> Checked {
    let until = Watched::plain(Norm::Max, 5);
    let session = until.session()?;
    session.submit(0..0);
    let outcome = session.outcome();
    assert!(outcome == Outcome::NONE && outcome.in_first(), "{outcome:?}");
    session.compare_cells(0, &until.cells, 0.0)
}

/// Pieces of odd lengths, the check between them due or not; then the same run once more from its start.
pub fn in_pieces_and_again() -> Checked {
    let until = Watched::plain(Norm::Max, 5).stopping_at(45);
    until.check(&[15, 7, 1, 30, 11], 1e-5)?;
    let session = until.session()?;
    session.submit(0..61);
    let fresh = until.run.upload(&until.cells);
    until.run.submit(|encoder| {
        for (buffer, fresh) in session.grids.both.iter().zip(&fresh.both) {
            encoder.copy_buffer_to_buffer(fresh, 0, buffer, 0, fresh.size());
        }
    });
    session.submit(0..61);
    session.compare(61, 1e-5)?;
    Ok(())
}

/// Recording leaves no trace: pieces that are thrown away and recorded once more, in any number, change nothing.
pub fn never_submitted() -> Checked {
    let until = Watched::plain(Norm::Max, 5).stopping_at(45);
    crate::watched(until.run.gpu, || {
        let session = until.session()?;
        session.drop_piece(0..7);
        session.submit(0..9);
        session.drop_piece(9..16);
        session.drop_piece(16..17);
        session.submit(9..61);
        session.drop_piece(0..3);
        session.compare(61, 1e-5)
    })?;
    Ok(())
}

/// A run that goes on behind a piece which never came: the grid is that of the steps that are counted, and an odd number of missing
/// steps is reported. The next run begins anew.
pub fn piece_missing() -> Checked {
    let until = Watched::plain(Norm::Max, 5);
    for (missing, interrupted) in [(9..20, true), (9..19, false)] {
        let session = until.session()?;
        session.submit(0..9);
        session.drop_piece(missing.clone());
        session.submit(missing.end..31);
        let outcome = session.outcome();
        let steps = if interrupted { 9 } else { 9 + 31 - missing.end };
        let end = (outcome.steps, outcome.interrupted, outcome.converged);
        assert_eq!(end, (steps, interrupted, false), "{missing:?} are missing");
        let expected = until.twin(steps, Until::new(0.0)).0;
        session.compare_cells(usize::from(!outcome.in_first()), &expected, 1e-5)?;
        session.submit(0..4);
        let outcome = session.outcome();
        assert_eq!((outcome.steps, outcome.interrupted), (4, false), "the next run");
    }
    Ok(())
}

/// A future gives what waiting gives, once the device is polled.
pub fn awaited() -> Checked {
    let Watched { run, cells, until } = Watched::plain(Norm::Max, 5).stopping_at(45);
    let (jacobi, queue) = (run.jacobi()?, &run.gpu.queue);
    let grids = [(); 4].map(|()| run.upload(&cells));
    let grids = grids.each_ref().map(OnGpu::grids);

    let found = polled(jacobi.read::<f32>(queue, grids[0], 7))?;
    assert_eq!(found, jacobi.wait::<f32>(queue, grids[1], 7)?);
    let (outcome, found) = polled(jacobi.read_until::<f32>(queue, grids[2], until, 61))?;
    assert_eq!((outcome, found), jacobi.wait_until::<f32>(queue, grids[3], until, 61)?);
    assert_eq!((outcome.steps, outcome.converged), (45, true));
    assert!(matches!(polled(jacobi.read::<f64>(queue, grids[0], 7)), Err(StencilError::CellType { .. })));
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

pub fn not_a_number() -> Checked {
    for norm in [Norm::Max, Norm::L2] {
        let mut until = Watched::plain(norm, 2);
        until.cells[20 * 43 + 20] = f64::NAN;
        until.until.epsilon = 1e30;
        let session = until.session()?;
        session.submit(0..8);
        let outcome = session.outcome();
        assert_eq!((outcome.steps, outcome.converged), (2, false));
        assert!(outcome.is_nan() && outcome.l2.is_nan(), "{outcome:?}");
    }
    Ok(())
}

pub fn wrong_input() -> Checked {
    let until = Watched::plain(Norm::Max, 1);
    let (jacobi, grids) = (until.run.jacobi()?, until.run.upload(&until.cells));
    let refused = |until| jacobi.prepare_until(grids.grids(), until).expect_err("it is wrong");
    let StencilError::Setting(error) = refused(until.until.with_every(0)) else {
        return Err("a check every 0 steps".into());
    };
    assert_eq!((error.name, error.value), ("Until::every", 0));
    for epsilon in [-1e-9, f64::NAN, f64::NEG_INFINITY] {
        let error = refused(Until::new(epsilon).with_every(1));
        assert!(matches!(error, StencilError::Epsilon(_)), "{epsilon}: {error}");
    }
    Ok(())
}
