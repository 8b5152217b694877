//! Runs that end on the GPU at the step at which the CPU's end, with nothing written afterwards.

use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use halofold::Element;
use halofold::stencil::{
    BOXES, Border, Borders, Convergence, Dims, FIVE_POINT, Grid, Jacobi, Norm, Outcome, STENCILS, Stencil,
    StencilError, Until,
};
use halofold::wgpu;
use libtest_mimic::{Failed, Trial};

use super::Kernel;
use super::composed::Composition;
use super::run::{Run, borders, grids};
use super::windows::{long_grids, small};
use crate::common::{Gpu, Random, fastest, gpu, in_turn, read};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &stencil in STENCILS.iter().chain(BOXES) {
        for border in [Border::Fixed, Border::Reflect] {
            for norm in [Norm::Max, Norm::L2] {
                let name = format!("stencil::until::{}::{}::{norm:?}", stencil.name, border.name());
                let left_out = super::reason_to_leave_out(false, Element::F32);
                trials.push(crate::trial(name, left_out, move || stops_with_the_twin(stencil, border, norm)));
            }
        }
        let name = format!("stencil::until::{}::windows", stencil.name);
        let left_out = super::reason_to_leave_out(false, Element::F32);
        trials.push(crate::trial(name, left_out, move || stops_in_windows(stencil)));
    }
    let kernel = Kernel { stencil: &FIVE_POINT, variant: fastest(&FIVE_POINT) };
    for element in [Element::F64, Element::F16] {
        trials.push(super::trial(kernel, element, "until", stops_in_any_type));
    }
    trials.push(crate::trial("stencil::until::never", None, never));
    trials.push(crate::trial("stencil::until::no steps", None, no_steps));
    trials.push(crate::trial("stencil::until::in pieces and again", None, in_pieces_and_again));
    trials.push(crate::trial("stencil::until::recorded and never submitted", None, never_submitted));
    trials.push(crate::trial("stencil::until::a piece is missing", None, piece_missing));
    trials.push(crate::trial("stencil::until::not a number", None, not_a_number));
    trials.push(crate::trial("stencil::until::awaited", None, awaited));
    trials.push(crate::trial("stencil::until::wrong input", None, wrong_input));
    trials
}

/// A run of the fastest variant on random cells.
struct Watched {
    run: Run,
    cells: Vec<f64>,
    until: Until,
}

impl Watched {
    fn new(
        gpu: &'static Gpu,
        stencil: &'static Stencil,
        grid: Grid,
        borders: Borders,
        norm: Norm,
        every: u32,
    ) -> Self {
        let kernel = Kernel { stencil, variant: fastest(stencil) };
        let config = Composition::of_blocked(kernel, kernel.config(Element::F32, grid).with_borders(borders));
        let mut numbers = Random::new(9);
        let cells = (0..grid.cells()).map(|_| f64::from((numbers.next() >> 48) as u16) / 65536.0).collect();
        let run = Run::new(gpu, config, stencil.usual, 0);
        Watched { run, cells, until: Until::new(0.0).with_norm(norm).with_every(every) }
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

    fn prepare(&self, buffers: &[wgpu::Buffer; 2]) -> Result<Convergence, StencilError> {
        let device = &self.run.gpu.device;
        let jacobi = Jacobi::new(device, self.run.config, self.run.weights)?;
        let rhs = self.run.rhs_buffer();
        jacobi.prepare_until(grids(buffers, rhs.as_ref()), self.until)
    }

    fn outcome(&self, convergence: &Convergence) -> Outcome {
        Convergence::parse(&read(self.run.gpu, convergence.outcome()))
    }

    /// Records pieces of a run, each submitted alone, and checks all that is left behind against the twin.
    fn check(&self, pieces: &[u32], tolerance: f64) -> Result<Outcome, String> {
        self.run.gpu.watched(|| {
            let buffers = self.run.buffers(&self.cells);
            let convergence = self.prepare(&buffers).map_err(|error| error.to_string())?;
            self.submit(&convergence, pieces);
            self.compare(&convergence, &buffers, pieces.iter().sum(), tolerance)
        })
    }

    fn submit(&self, convergence: &Convergence, pieces: &[u32]) {
        let mut at = 0;
        for steps in pieces {
            self.submit_piece(convergence, at..at + steps);
            at += steps;
        }
    }

    fn submit_piece(&self, convergence: &Convergence, steps: Range<u32>) {
        let mut encoder = self.run.gpu.device.create_command_encoder(&Default::default());
        convergence.encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()), steps);
        self.run.gpu.queue.submit([encoder.finish()]);
    }

    /// Records a piece that is never submitted.
    fn drop_piece(&self, convergence: &Convergence, steps: Range<u32>) {
        let mut encoder = self.run.gpu.device.create_command_encoder(&Default::default());
        convergence.encode(&mut encoder, steps);
    }

    fn compare(
        &self,
        convergence: &Convergence,
        buffers: &[wgpu::Buffer; 2],
        steps: u32,
        tolerance: f64,
    ) -> Result<Outcome, String> {
        let got = self.outcome(convergence);
        let (cells, expected) = self.twin(steps, self.until);
        let near = |got: f64, expected: f64| (got - expected).abs() <= tolerance + 1e-4 * expected.abs();
        let same = got.steps == expected.steps && got.converged == expected.converged;
        if !same || !near(got.max, expected.max) || !near(got.l2, expected.l2) {
            return Err(format!("{:?}: {got:?}, expected {expected:?}", self.until));
        }
        // The other buffer still has the step before.
        let before = self.twin(expected.steps - 1, Until::new(0.0)).0;
        let order = if got.in_first() { [0, 1] } else { [1, 0] };
        for (buffer, expected) in order.into_iter().zip([cells, before]) {
            let found = self.run.read(&buffers[buffer])?;
            same_within(&found, &expected, tolerance).map_err(|error| format!("{got:?}: {error}"))?;
        }
        Ok(got)
    }
}

/// Compares cells, all within a tolerance.
fn same_within(found: &[f64], expected: &[f64], tolerance: f64) -> Result<(), String> {
    match (0..found.len()).find(|&at| (found[at] - expected[at]).abs() > tolerance) {
        None => Ok(()),
        Some(at) => Err(format!("cell {at} is {}, expected {}", found[at], expected[at])),
    }
}

fn grid(stencil: &Stencil) -> Grid {
    match stencil.dims {
        Dims::Three => Grid { planes: 11, rows: 17, cols: 24 },
        _ => Grid::plane(37, 43),
    }
}

fn stops_with_the_twin(stencil: &'static Stencil, border: Border, norm: Norm) -> Result<(), Failed> {
    let turn = usize::from(border == Border::Fixed) + usize::from(norm == Norm::Max);
    for (every, stop) in in_turn([(1, 40), (7, 49), (50, 100)], 3, turn) {
        let until =
            Watched::new(gpu(), stencil, grid(stencil), Borders::all(border), norm, every).stopping_at(stop);
        let outcome = until.check(&[stop + 63], 1e-5)?;
        assert_eq!((outcome.steps, outcome.converged), (stop, true), "{:?}", until.until);
    }
    Ok(())
}

/// The halo exchange, which is there for a ring, is stopped as well. With a right-hand side, which it fetches, too.
fn stops_in_windows(stencil: &'static Stencil) -> Result<(), Failed> {
    for (grid, borders) in long_grids(stencil.dims).into_iter().zip(borders().into_iter().skip(1)) {
        let mut until = Watched::new(small(), stencil, grid, borders, Norm::L2, 3);
        let rhs = until.cells.iter().map(|cell| cell / 64.0).collect();
        until.run = until.run.with_rhs(rhs);
        let until = until.stopping_at(9);
        until.check(&[20], 1e-5)?;
    }
    Ok(())
}

fn stops_in_any_type(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let borders = Borders::default();
    let mut until = Watched::new(gpu(), kernel.stencil, grid(kernel.stencil), borders, Norm::Max, 4);
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

fn never() -> Result<(), Failed> {
    let borders = Borders::all(Border::Reflect);
    for every in [1, 5, 64, u32::MAX] {
        let until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), borders, Norm::L2, every);
        let outcome = until.check(&[23], 1e-5)?;
        assert_eq!((outcome.steps, outcome.converged), (23, false), "every {every}");
    }
    Ok(())
}

fn no_steps() -> Result<(), Failed> {
    let until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), Borders::default(), Norm::Max, 5);
    let buffers = until.run.buffers(&until.cells);
    let convergence = until.prepare(&buffers)?;
    until.submit(&convergence, &[0]);
    let outcome = until.outcome(&convergence);
    assert!(outcome == Outcome::NONE && outcome.in_first(), "{outcome:?}");
    assert!(until.run.read(&buffers[0])? == until.cells, "cells have changed");
    Ok(())
}

/// Pieces of odd lengths, the check between them due or not; then the same run once more from its start.
fn in_pieces_and_again() -> Result<(), Failed> {
    let borders = Borders::default();
    let until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), borders, Norm::Max, 5).stopping_at(45);
    until.check(&[15, 7, 1, 30, 11], 1e-5)?;
    let buffers = until.run.buffers(&until.cells);
    let convergence = until.prepare(&buffers)?;
    until.submit(&convergence, &[61]);
    for (buffer, fresh) in buffers.iter().zip(until.run.buffers(&until.cells)) {
        let mut encoder = gpu().device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&fresh, 0, buffer, 0, fresh.size());
        gpu().queue.submit([encoder.finish()]);
    }
    until.submit(&convergence, &[61]);
    until.compare(&convergence, &buffers, 61, 1e-5)?;
    Ok(())
}

/// Recording leaves no trace: pieces that are thrown away and recorded once more, in any number, change nothing.
fn never_submitted() -> Result<(), Failed> {
    let borders = Borders::default();
    let until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), borders, Norm::Max, 5).stopping_at(45);
    until.run.gpu.watched(|| {
        let buffers = until.run.buffers(&until.cells);
        let convergence = until.prepare(&buffers).map_err(|error| error.to_string())?;
        until.drop_piece(&convergence, 0..7);
        until.submit_piece(&convergence, 0..9);
        until.drop_piece(&convergence, 9..16);
        until.drop_piece(&convergence, 16..17);
        until.submit_piece(&convergence, 9..61);
        until.drop_piece(&convergence, 0..3);
        until.compare(&convergence, &buffers, 61, 1e-5)
    })?;
    Ok(())
}

/// A run that goes on behind a piece which never came: the grid is that of the steps that are counted, and an odd number of missing
/// steps is reported. The next run begins anew.
fn piece_missing() -> Result<(), Failed> {
    let until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), Borders::default(), Norm::Max, 5);
    for (missing, interrupted) in [(9..20, true), (9..19, false)] {
        let buffers = until.run.buffers(&until.cells);
        let convergence = until.prepare(&buffers)?;
        until.submit_piece(&convergence, 0..9);
        until.drop_piece(&convergence, missing.clone());
        until.submit_piece(&convergence, missing.end..31);
        let outcome = until.outcome(&convergence);
        let steps = if interrupted { 9 } else { 9 + 31 - missing.end };
        let end = (outcome.steps, outcome.interrupted, outcome.converged);
        assert_eq!(end, (steps, interrupted, false), "{missing:?} are missing");
        let expected = until.twin(steps, Until::new(0.0)).0;
        let found = until.run.read(&buffers[usize::from(!outcome.in_first())])?;
        same_within(&found, &expected, 1e-5).map_err(|error| format!("{outcome:?}: {error}"))?;
        until.submit_piece(&convergence, 0..4);
        let outcome = until.outcome(&convergence);
        assert_eq!((outcome.steps, outcome.interrupted), (4, false), "the next run");
    }
    Ok(())
}

/// A future gives what waiting gives, once the device is polled.
fn awaited() -> Result<(), Failed> {
    let borders = Borders::default();
    let until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), borders, Norm::Max, 5).stopping_at(45);
    let Gpu { device, queue } = gpu();
    let jacobi = Jacobi::new(device, until.run.config, until.run.weights)?;
    let buffers = [(); 4].map(|()| until.run.buffers(&until.cells));
    let both = |nth: usize| grids(&buffers[nth], None);

    let cells = polled(jacobi.read::<f32>(queue, both(0), 7))?;
    assert_eq!(cells, jacobi.wait::<f32>(queue, both(1), 7)?);
    let (outcome, cells) = polled(jacobi.read_until::<f32>(queue, both(2), until.until, 61))?;
    assert_eq!((outcome, cells), jacobi.wait_until::<f32>(queue, both(3), until.until, 61)?);
    assert_eq!((outcome.steps, outcome.converged), (45, true));
    assert!(matches!(polled(jacobi.read::<f64>(queue, both(0), 7)), Err(StencilError::CellType { .. })));
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

fn not_a_number() -> Result<(), Failed> {
    for norm in [Norm::Max, Norm::L2] {
        let mut until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), Borders::default(), norm, 2);
        until.cells[20 * 43 + 20] = f64::NAN;
        until.until.epsilon = 1e30;
        let buffers = until.run.buffers(&until.cells);
        let convergence = until.prepare(&buffers)?;
        until.submit(&convergence, &[8]);
        let outcome = until.outcome(&convergence);
        assert_eq!((outcome.steps, outcome.converged), (2, false));
        assert!(outcome.is_nan() && outcome.l2.is_nan(), "{outcome:?}");
    }
    Ok(())
}

fn wrong_input() -> Result<(), Failed> {
    let mut until = Watched::new(gpu(), &FIVE_POINT, grid(&FIVE_POINT), Borders::default(), Norm::Max, 0);
    let buffers = until.run.buffers(&until.cells);
    let Err(StencilError::Setting(error)) = until.prepare(&buffers) else {
        return Err("a check every 0 steps".into());
    };
    assert_eq!((error.name, error.value), ("Until::every", 0));
    for epsilon in [-1e-9, f64::NAN, f64::NEG_INFINITY] {
        until.until = Until::new(epsilon).with_every(1);
        assert!(matches!(until.prepare(&buffers), Err(StencilError::Epsilon(_))), "{epsilon}");
    }
    Ok(())
}
