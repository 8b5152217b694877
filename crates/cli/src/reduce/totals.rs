//! The results of one file: the states that its pieces left, merged in the order of the file, and finished where results end.

use std::mem;

use halofold::Element;
use halofold::reduce::exact::State;
use halofold::reduce::reference::Merger;
use halofold::reduce::{Accuracy, Monoid, Op, Scalar};

use super::check::Check;
use super::file::Work;
use super::layout::{Layout, Run, Share};
use super::own::{Own, OwnMerger};
use super::parts::{self, Part};
use super::results::Results;
use super::steps::Reduced;
use crate::failure::Failure;

/// The operators that are asked for, and their options.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// None beside the request's own.
    pub ops: &'a [Op],
    pub own: Option<&'a Own>,
    /// The number that variances subtract from the number of elements.
    pub ddof: u32,
    pub accuracy: Accuracy,
    pub verify: bool,
    /// True if NaNs are left out.
    pub skips_nan: bool,
    /// True if a mask says which elements are kept.
    pub is_masked: bool,
    /// True if results go to an array in a file.
    pub is_stored: bool,
}

impl Wanted<'_> {
    /// Each operator; `None` is the request's own.
    pub fn operators(&self) -> impl Iterator<Item = Option<Op>> {
        self.ops.iter().copied().map(Some).chain(self.own.map(|_| None))
    }

    /// The states that an operator is made of.
    pub fn parts(&self, op: Option<Op>, element: Element) -> Vec<Part> {
        let Some(op) = op else { return vec![Part::own(element)] };
        match self.accuracy {
            // A mask leaves no input for the other factor of squares.
            Accuracy::Exact if self.is_masked && !parts::is_sum(op, element) => {
                self.keeping(parts::of(op, element, Accuracy::Fast))
            }
            accuracy => self.keeping(parts::of(op, element, accuracy)),
        }
    }

    fn keeping(&self, parts: Vec<Part>) -> Vec<Part> {
        parts::keeping(parts, self.skips_nan, self.is_masked)
    }

    /// The operator that leaves a state, if it is defined.
    pub fn monoid(&self, part: Part) -> Result<Option<Monoid>, Failure> {
        match part.op {
            Some(op) => {
                let kept =
                    |monoid: Monoid| if part.skips_nan { monoid.skipping_nan().ok() } else { Some(monoid) };
                let masked =
                    |monoid: Monoid| if part.is_masked { monoid.masked().ok() } else { Some(monoid) };
                Ok(op.over(part.element).ok().and_then(kept).and_then(masked))
            }
            None => self.own.map(|own| own.over(part.element)).transpose(),
        }
    }

    /// The check before the first piece.
    fn unchecked(&self) -> Check {
        if self.verify { Check::Right } else { Check::Unchecked }
    }
}

/// The merged states of one kind so far.
struct Running {
    part: Part,
    /// One for each result that the last piece had a part of; none of the request's own operator.
    mergers: Vec<Merger>,
    gpu_ms: Option<f64>,
    check: Check,
}

/// All results of a file, being merged.
pub struct Totals<'a> {
    work: &'a Work,
    wanted: Wanted<'a>,
    running: Vec<Running>,
    /// For each operator, the numbers of the states that it is made of.
    parts: Vec<Vec<usize>>,
    results: Vec<Results>,
    /// For each operator, the elements that were left out.
    skipped: Vec<u64>,
    /// For the first one, the elements of each result that were not, if NaNs were to be.
    kept: Vec<u64>,
    /// The states of the request's own operator.
    own: Option<OwnMerger<'a>>,
    n: u64,
}

/// The results of one operator over a file.
pub struct OperatorResults {
    /// `None` of the request's own.
    pub op: Option<Op>,
    pub results: Results,
    /// The time on the GPU for all pieces; unknown if there was none, or if it did not tell of each.
    pub gpu_ms: Option<f64>,
    pub check: Check,
    /// True if the result was rounded only at the end.
    pub is_exact: bool,
    /// The elements that were left out, if some were to be.
    pub skipped: Option<u64>,
    /// Those of each result that were not, if NaNs were to be left out.
    pub kept: Vec<u64>,
}

impl<'a> Totals<'a> {
    /// Before the first piece.
    pub fn new(work: &'a Work, wanted: Wanted<'a>, own: Option<OwnMerger<'a>>) -> Self {
        let (stored, element) = (work.stored, work.stored.element());
        let mut running: Vec<Running> = Vec::new();
        let mut place = |part: Part| {
            running.iter().position(|running| running.part == part).unwrap_or_else(|| {
                let check = wanted.unchecked();
                let mergers = part.merger().into_iter().collect();
                running.push(Running { part, mergers, gpu_ms: None, check });
                running.len() - 1
            })
        };
        let of = |op| wanted.parts(op, element).into_iter().map(&mut place).collect();
        let parts: Vec<_> = wanted.operators().map(of).collect();
        let known = wanted.ops.iter().map(|op| Results::new(*op, stored, &work.layout, wanted.is_stored));
        let results = known.chain(own.as_ref().map(|own| own.none_yet(&work.layout, wanted.is_stored)));
        let skipped = vec![0; parts.len()];
        Totals {
            work,
            wanted,
            running,
            parts,
            results: results.collect(),
            skipped,
            kept: Vec::new(),
            own,
            n: 0,
        }
    }

    /// The states that pieces have to leave, in order.
    pub fn wanted(&self) -> Vec<Part> {
        self.running.iter().map(|running| running.part).collect()
    }

    /// Adds the states of a piece, one of each kind.
    pub fn add(&mut self, share: &Share, left: &[Reduced]) -> Result<(), Failure> {
        let is_first = self.n == 0;
        for (running, left) in self.running.iter_mut().zip(left) {
            running.gpu_ms = if is_first { Some(0.0) } else { running.gpu_ms };
            running.gpu_ms = running.gpu_ms.zip(left.gpu_ms).map(|(all, ms)| all + ms);
            running.check.worsen(&left.check);
        }
        self.n += share.elements();
        let work = self.work;
        work.layout.runs(share).try_for_each(|run| self.add_run(&run, left))
    }

    /// Adds the states of a piece that belong to results next to each other.
    fn add_run(&mut self, run: &Run, left: &[Reduced]) -> Result<(), Failure> {
        if let Some((own, left)) = self.own.as_mut().zip(left.first()) {
            own.add(run, &left.states)?;
        }
        for (running, left) in self.running.iter_mut().zip(left) {
            if run.begins {
                let merger = running.part.merger();
                running.mergers = merger.into_iter().cycle().take(run.results).collect();
            }
            let Some(size) = running.mergers.first().map(Merger::state_size) else { continue };
            let states = left.states[run.states.start * size..run.states.end * size].chunks_exact(size);
            for (merger, state) in running.mergers[run.first..].iter_mut().zip(states) {
                let added = match left.place {
                    Some(place) => merger.add_at(state, place),
                    None => merger.add(state, run.before),
                };
                added.map_err(Failure::usage)?;
            }
        }
        run.completes.map_or(Ok(()), |n| self.complete(n, 1))
    }

    /// The results that the states make, each of this many elements; so many times.
    fn complete(&mut self, n: u64, times: u64) -> Result<(), Failure> {
        if let Some(own) = &mut self.own {
            let numbers = own.finish(n)?;
            let mut values = (0..times).flat_map(|_| numbers.iter().flat_map(|numbers| &numbers.0));
            return values.try_for_each(|value| self.results[0].push(Some(Scalar::One(*value))));
        }
        let count = self.running.first().map_or(0, |running| running.mergers.len());
        let each = self.wanted.ops.iter().zip(&self.parts).zip(&mut self.results).zip(&mut self.skipped);
        for (number, (((&op, parts), results), skipped)) in each.enumerate() {
            for result in (0..times).flat_map(|_| 0..count) {
                let merged: Vec<_> = parts.iter().map(|&part| &self.running[part].mergers[result]).collect();
                let kept = merged.iter().find_map(|merger| merger.kept()).unwrap_or(n);
                *skipped += n - kept;
                if self.wanted.skips_nan && number == 0 {
                    self.kept.push(kept);
                }
                results.push(parts::finish(
                    (op, self.wanted.ddof, self.wanted.skips_nan),
                    self.work.stored,
                    &merged,
                    n,
                ))?;
            }
        }
        Ok(())
    }

    /// Ends after the last piece: the only result of everything, or those of an axis without elements.
    pub fn end(&mut self) -> Result<(), Failure> {
        match &self.work.layout {
            Layout::Whole => self.complete(self.n, 1),
            Layout::Axis(axis) if axis.elements() == 0 => self.complete(0, axis.results()),
            Layout::Axis(_) => Ok(()),
        }
    }

    /// The number of elements.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The exact state of everything, if all results are made of one.
    pub fn state(&self) -> Option<&State> {
        let [Running { mergers, .. }] = &self.running[..] else { return None };
        mergers.first()?.state()
    }

    /// The results of each operator.
    pub fn into_each(self) -> impl Iterator<Item = OperatorResults> {
        let Totals { wanted, running, parts, results, skipped, mut kept, .. } = self;
        let operators: Vec<_> = wanted.operators().collect();
        operators.into_iter().zip(parts).zip(results).zip(skipped).map(
            move |(((op, parts), results), skipped)| {
                let of = || parts.iter().map(|&part| &running[part]);
                let mut check = wanted.unchecked();
                of().for_each(|running| check.worsen(&running.check));
                OperatorResults {
                    op,
                    results,
                    gpu_ms: of().map(|running| running.gpu_ms).sum(),
                    check,
                    // The first one is what the result is made of.
                    is_exact: of().next().is_some_and(|running| running.part.accuracy == Accuracy::Exact),
                    skipped: (wanted.skips_nan || wanted.is_masked).then_some(skipped),
                    kept: mem::take(&mut kept),
                }
            },
        )
    }
}
