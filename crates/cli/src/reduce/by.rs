//! Results by group, `halofold reduce --by`: the elements that have one label in another file make one result.
//!
//! The host reads both files piece by piece, gives each label a number, and puts the elements of each group of a piece together. The GPU reduces
//! them to states, which are merged as those of pieces are everywhere: so the result of a group is that of `halofold reduce` over its elements.

mod groups;
mod labels;
mod piece;

use std::path::Path;
use std::time::Instant;

use halofold::reduce::{Accuracy, Op};
use indicatif::ProgressBar;

use super::file::Work;
use super::layout::{Axis, Layout};
use super::report::{self, Array, Cell, Row};
use super::results::{Results, Tree};
use super::totals::OperatorResults;
use super::{AnyAdapters, ReduceArgs, dtype, op, quantiles, request};
use crate::failure::Failure;
use crate::files::Source;
use crate::gpu::{self, Gpu};
use crate::reserved::Reserved;
use crate::transport::Transport;
use crate::{output, progress};
use groups::Groups;
use labels::Labels;
use piece::Piece;

/// Reduces a file by the labels in another one.
pub fn run(
    args: &ReduceArgs,
    labels: &Path,
    transport: &impl Transport,
    open: impl FnOnce(&AnyAdapters) -> Result<Vec<Gpu>, Failure>,
) -> Result<(), Failure> {
    transport.agree(check(args, transport.is_alone()))?;
    let start = Instant::now();
    let bare = args.raw.bare();
    let work = Work::whole(&args.files[0], bare.as_ref())?;
    let label_work = Work::whole(labels, None)?;
    check_labels(&work, &label_work)?;
    request::check(args, None, &work, true)?;
    let paths = [args.files[0].as_path(), labels];
    let reserve =
        |option, path: Option<&Path>| path.map(|path| Reserved::open_apart(option, path, &paths)).transpose();
    let (array, keys) = (reserve("-o", args.output.as_deref())?, reserve("--keys", args.keys.as_deref())?);
    let gpus = open(&args.adapters)?;
    let [gpu] = &gpus[..] else {
        return Err(Failure::usage("--by: groups are made by one adapter: name one"));
    };
    let ops = args.reductions();
    let wanted = args.wanted(&ops, None, &work, &gpus);
    let mut groups = Groups::new(gpu, &work, wanted)?;
    let names = read(args, paths, [&work, &label_work], &mut groups)?;
    let order = names.in_order();
    let made = Made { args, work: &work, ops: &ops, groups: &groups, names: &names, order: &order };
    let (mut rows, results) = if array.is_some() { made.array()? } else { (made.rows()?, None) };
    for row in &mut rows {
        row.wall_ms = start.elapsed().as_secs_f64() * 1e3;
        row.adapter = Some(gpu::names(&gpus));
    }
    if let Some((file, results)) = array.zip(results) {
        file.write_with(|file| results.write(file))?;
    }
    if let Some(file) = keys {
        let mut bytes = Vec::new();
        for number in &order {
            dtype::encode(label_work.stored, Some(names.label(*number)), &mut bytes);
        }
        let shape = [order.len() as u64];
        file.write_with(|file| dtype::write_npy(label_work.stored, &shape, false, &bytes, file))?;
    }
    report::deliver(&rows, args)
}

/// Reads elements and their labels piece by piece.
fn read(
    args: &ReduceArgs,
    paths: [&Path; 2],
    [work, labels]: [&Work; 2],
    groups: &mut Groups<'_>,
) -> Result<Labels, Failure> {
    let opened = |path: &Path, bare| {
        Source::open_widening(path, bare).map_err(|error| Failure::Usage(error.with_raw_hint()))
    };
    let bare = args.raw.bare();
    let mut sources = [opened(paths[0], bare.as_ref())?, opened(paths[1], None)?];
    let bar = if args.quiet { ProgressBar::hidden() } else { progress::bytes(work.bytes().unwrap_or(0)) };
    bar.set_message(output::visible(&work.path, &[]));
    let room = groups.room(args.piece).min(work.len.unwrap_or(u64::MAX)).max(1);
    let mut pieces = sources.each_ref().map(|source| vec![0; (room * source.size()) as usize]);
    let mut names = Labels::new(labels.stored);
    loop {
        let mut found = [0; 2];
        for ((source, piece), found) in sources.iter_mut().zip(&mut pieces).zip(&mut found) {
            *found = source.read(piece).map_err(Failure::usage)?;
        }
        let [len, others] = found;
        if len != others {
            return Err(differ(work, labels, "another number of elements"));
        }
        if len == 0 {
            bar.finish_and_clear();
            return Ok(names);
        }
        let [elements, labels] = [0, 1].map(|nth| &pieces[nth][..len * sources[nth].size() as usize]);
        let numbers = names.numbers(labels);
        let piece = Piece::new(elements, sources[0].size() as usize, &numbers, names.count());
        groups.add(&piece, &names, || names.apart(labels, elements))?;
        bar.inc(len as u64 * work.stored.size());
    }
}

/// Checks that a request has only options that groups take.
fn check(args: &ReduceArgs, is_alone: bool) -> Result<(), Failure> {
    if quantiles::are_wanted(args) || args.reductions().into_iter().any(op::is_search) {
        return Err(Failure::usage(
            "--by: order statistics and places are not found by group: sums, means, extremes, counts and other reductions are",
        ));
    }
    if args.files.len() != 1 || !is_alone {
        return Err(Failure::usage("--by goes with one file, in one process"));
    }
    request::check_options(args)
}

/// Checks that each element has a label.
fn check_labels(work: &Work, labels: &Work) -> Result<(), Failure> {
    let stored = labels.stored;
    if stored.element().is_float() {
        let path = &labels.path;
        return Err(Failure::Usage(format!(
            "--by {path}: has type {stored}, and labels are integers or Booleans"
        )));
    }
    if let Some(stream) = [work, labels].into_iter().find(|work| work.passes_once()) {
        return Err(Failure::Usage(format!(
            "--by: {} is a stream: save it as a file, and its array comes with labels",
            stream.path
        )));
    }
    let is_row = work.shape.is_empty() && labels.shape.len() == 1;
    if work.len != labels.len || !is_row && work.shape != labels.shape {
        return Err(differ(work, labels, "another shape"));
    }
    if work.fortran == labels.fortran { Ok(()) } else { Err(differ(work, labels, "another order")) }
}

fn differ(work: &Work, labels: &Work, what: &str) -> Failure {
    let (path, other) = (&labels.path, &work.path);
    Failure::Usage(format!("--by {path}: has {what} than {other}: the two must be alike"))
}

/// The results that are made of all groups.
struct Made<'a> {
    args: &'a ReduceArgs,
    work: &'a Work,
    ops: &'a [Op],
    groups: &'a Groups<'a>,
    names: &'a Labels,
    /// The numbers of the groups, in the order of their labels.
    order: &'a [u32],
}

impl Made<'_> {
    /// A row for each group and operator.
    fn rows(&self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        for &number in self.order {
            for (place, op) in self.ops.iter().enumerate() {
                let mut results = Results::new(*op, self.work.stored, &Layout::Whole, false);
                results.push(self.groups.result(place, number))?;
                let n = self.groups.count(number);
                let total = self.total(place, results, self.groups.skipped(place, number));
                let key = Cell::new(Some(self.names.label(number)), self.names.are_truths());
                rows.push(Row {
                    key: Some(key),
                    ..Row::of(&self.work.path, self.work.stored, n, &total, None)
                });
            }
        }
        Ok(rows)
    }

    /// All results of the only operator as an array, and the row that says so.
    fn array(&self) -> Result<(Vec<Row>, Option<Results>), Failure> {
        let layout = Layout::Axis(Axis::new(vec![1], false, &[self.order.len() as u64, 1], false));
        let mut results = Results::new(self.ops[0], self.work.stored, &layout, true);
        self.order.iter().try_for_each(|number| results.push(self.groups.result(0, *number)))?;
        let (shape, dtype) = (results.shape(), results.dtype());
        let output = self.args.output.as_ref().map(|path| path.display().to_string());
        let array = Array { axis: Tree::List(Vec::new()), shape, dtype, output };
        let sum = |of: &dyn Fn(u32) -> u64| self.order.iter().map(|number| of(*number)).sum();
        let n = sum(&|number| self.groups.count(number));
        let total = self.total(0, results, sum(&|number| self.groups.skipped(0, number)));
        let row = Row::of(&self.work.path, self.work.stored, n, &total, Some(array));
        Ok((vec![row], Some(total.results)))
    }

    fn total(&self, place: usize, results: Results, skipped: u64) -> OperatorResults {
        OperatorResults {
            op: Some(self.ops[place]),
            results,
            gpu_ms: None,
            check: self.groups.check(place),
            is_exact: self.groups.accuracy(place) == Accuracy::Exact,
            skipped: self.args.skip_nan.then_some(skipped),
            kept: Vec::new(),
        }
    }
}
