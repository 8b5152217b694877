//! Target ranks in rows of one length, and the parameters of the kernels that find them.

use wgpu::Limits;

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::input;
use crate::gpu::params::parameters;
use crate::gpu::range::BufferRange;
use crate::gpu::window::Window;
use crate::rank::bracket::{OPEN, Sample};

parameters! {
    /// `Params` of `shaders/rank/shared/io.wgsl`.
    pub(super) struct Params {
        first: u32,
        len: u32,
        index: u32,
        count: u32,
        row: u32,
        grid_row: u32,
        samples: u32,
        room: u32,
        is_last: u32,
        round: u32,
        k: u32,
        parts: u32,
        part: u32,
        span: u32,
        here: u32,
        rows: u32,
        list: u32,
    }
}

/// A rank to find in every row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Ranks of the element and of the next one, which differ if the result lies between two elements.
    pub(super) lower: u64,
    pub(super) upper: u64,
    /// Position of the result between the two, from 0 to 1.
    pub(super) way: f64,
}

/// The ranks to find in rows of one length.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) element: Element,
    pub(super) targets: Vec<Target>,
    pub(super) sample: Sample,
    /// `k`, if the first `k` elements are selected.
    pub(super) top: Option<u64>,
}

impl Selection {
    /// Selects elements by rank, in rows of `len`.
    pub(super) fn of_ranks(element: Element, len: u64, targets: Vec<Target>) -> Self {
        let sample = Sample::of(len, targets.len());
        Selection { element, targets, sample, top: None }
    }

    /// Selects the first `k` elements, in rows of `len`.
    pub(super) fn of_top(element: Element, len: u64, k: u64) -> Self {
        let last = k.min(len).saturating_sub(1);
        let targets = vec![Target { lower: last, upper: last, way: 0.0 }];
        Selection { element, targets, sample: Sample::of(len, 1), top: Some(k) }
    }

    pub(super) fn ranks(&self) -> u64 {
        self.targets.len() as u64
    }

    pub(super) fn brackets(&self) -> impl Iterator<Item = [u32; 2]> {
        self.targets.iter().map(|target| match self.top {
            None => self.sample.bracket(target.lower, target.upper),
            // The bracket is open below: it includes all winners.
            Some(_) => [OPEN, self.sample.bracket(target.lower, target.lower)[1]],
        })
    }

    /// Returns the capacity for candidates per rank and row.
    pub(super) fn room(&self) -> u64 {
        self.brackets().map(|bracket| self.sample.room(bracket)).max().unwrap_or(0)
    }

    /// Returns the words of the kernels' `list`.
    pub(super) fn list(&self) -> Vec<u32> {
        let entry = |(target, [low, high]): (&Target, [u32; 2])| {
            [u32::try_from(target.lower).unwrap_or(u32::MAX), (target.way as f32).to_bits(), low, high]
        };
        self.targets.iter().zip(self.brackets()).flat_map(entry).collect()
    }

    /// Cuts the rows into windows. A window holds several rows, or a part of one.
    pub(super) fn windows(&self, elements: BufferRange, limits: &Limits) -> Result<Vec<Window>, Error> {
        let mut windows = input::windows(elements, self.element.size(), (1, 0), limits)?;
        if windows.is_empty() {
            // Rows without elements still have results.
            windows.push(Window { start: 0, size: 0, first: 0, len: 0, index: 0 });
        }
        Ok(windows)
    }
}

/// Adjacent rows of one length, or segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The range of their elements.
    pub(super) input: BufferRange,
    /// The index of the first row among all rows, and the number of rows.
    pub(super) first: u64,
    pub(super) number: u64,
    /// The index of their first entry in the list.
    pub(super) list: u64,
}

impl Part {
    /// Returns the number of elements in a row.
    pub(super) fn row(&self) -> u64 {
        self.input.len.checked_div(self.number).unwrap_or(0)
    }

    /// Splits the rows into groups of at most `at_once`.
    pub(super) fn cut(self, at_once: u64, item: u64) -> impl Iterator<Item = Part> {
        (0..self.number).step_by(at_once as usize).map(move |before| {
            let number = at_once.min(self.number - before);
            let len = if number < self.number { number * self.row() } else { self.input.len };
            let offset = self.input.offset + item * before * self.row();
            Part { input: BufferRange { offset, len }, first: self.first + before, number, ..self }
        })
    }
}
