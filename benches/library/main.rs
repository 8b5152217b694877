//! The library's own operations under criterion, as an application calls them: `cargo bench --bench library`.
//!
//! One group for each operator, shape, type and size. `halofold` is what a call takes among many independent ones that an
//! application records into one pass, each with an output and a workspace of its own, and `halofold-exact` the same of exact sums;
//! `halofold-chained` among calls that share both, so that each waits for the one before. One repetition is a pass of many different calls: wgpu puts a barrier
//! wherever a pass writes a buffer again, and the same call twice would be two that wait for one another. In front of each pass,
//! uncounted, other memory is read than the inputs': they come from memory however small they are, `HALOFOLD_COLD` or not.
//!
//! Two groups go by the host's clock: `scalar`, from recording to the number on the host, and `recording`, the processor's part.
//!
//! Every result is verified before it is timed. Sizes go by what the adapter is: up to 2^28 elements, on a software adapter
//! 2^16. The run leaves a record (`HALOFOLD_RECORD=FILE`, by default `target/halofold/library.json`), as
//! `halofold-cuda library` of `peers/cuda` does for CUB.
//!
//! A [`Task`](task::Task) is a row of the table. A file of an operation lists its tasks, binds calls to outputs, and says which
//! results the host expects; `task.rs` and `calls.rs` do everything else.

#[path = "../common/mod.rs"]
mod common;

mod calls;
mod groups;
mod host;
mod pictures;
mod pool;
mod ranks;
mod reductions;
mod task;

use task::Task;

fn main() {
    common::run(
        "library",
        |criterion, machine| {
            // First of all: wgpu's own work for a submission grows with the number of buffers that exist.
            let host = host::bench(criterion, machine).unwrap_or_else(|error| panic!("on the host: {error}"));
            let sweep = calls::sweep(machine).unwrap_or_else(|error| panic!("the sweep: {error}"));
            // Inputs that no later task shares are dropped on the way.
            let mut bench = |tasks: Vec<Task<'_>>| -> Vec<_> {
                tasks.into_iter().flat_map(|task| task.bench(criterion, machine, &sweep)).collect()
            };
            let before = [reductions::tasks, groups::tasks].map(|tasks| bench(tasks(machine)));
            let ranks = bench(ranks::tasks(machine));
            ranks::print_sums(&ranks);
            let behind = [groups::runs, pictures::tasks].map(|tasks| bench(tasks(machine)));
            before
                .into_iter()
                .flatten()
                .chain(ranks)
                .chain(behind.into_iter().flatten())
                .chain(host)
                .collect()
        },
        |record, rows| record.library = rows,
    );
}
