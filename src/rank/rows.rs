//! Short rows: one dispatch, in which a workgroup has a row.

use wgpu::Limits;

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::limits::{LimitError, needs, power_of_two_workgroup};
use crate::gpu::operation::Step;
use crate::gpu::{Pass, grid};
use crate::rank::selection::{Params, Part, Selection};

/// The kernels of single ranks, and of first elements.
pub(super) const ROW_RANKS: Step = "rank/row_quantiles";
pub(super) const ROW_TOP: Step = "rank/row_top";

/// The longest row of a workgroup. It reads a longer one faster than the other kernels are dispatched, but a large GPU has hundreds of
/// workgroups for longer rows.
const LONGEST: u64 = 1 << 15;

/// The longest row if there are at least as many as half of a large GPU's cores, and few elements of each are selected.
pub(super) const LONGEST_OF_MANY: u64 = 1 << 18;
const MANY: u64 = 64;

/// The longest row if more of its elements are selected than a workgroup finds in reasonable time.
const LONGEST_OF_ALL: u64 = 1 << 12;

/// The most rows of a dispatch.
pub(super) const MOST_ROWS: u64 = 1 << 24;

/// The keys that an invocation keeps in registers.
const HELD: u64 = 16;

/// The most candidates: each is compared with all others. And the most of them that are expected to be far fewer, if there is memory for them.
const MOST_CANDIDATES: u32 = 512;
const MOST_OF_BEST: u32 = 1024;

/// Standard deviations of the rank of the k-th element in a sample that are added to it. It is farther away in one row of thirty thousand.
const DEVIATIONS: f64 = 4.0;

/// The workgroup for rows of `len` elements, `None` if it may be any short length. If k elements are selected, it has the invocations of which
/// the best are looked at first.
pub(super) fn workgroup(len: Option<u64>, k: u64, limits: &Limits) -> u32 {
    let most = power_of_two_workgroup(1024, limits);
    let needed = len.map_or(most.into(), |len| len.div_ceil(HELD)).max(2 * k).min(most.into());
    (needed.next_power_of_two() as u32).clamp(64.min(most), most)
}

/// The candidates that a workgroup ranks at once: more than are expected if the best of each invocation are looked at, and else a third
/// more than are needed.
pub(super) fn candidates(workgroup: u32, k: u64, limits: &Limits) -> u32 {
    let k = k.min(MOST_CANDIDATES.into()) as u32;
    if 2 * k > workgroup {
        return (4 * k.div_ceil(3)).next_power_of_two().clamp(64, MOST_CANDIDATES);
    }
    let has_memory = 4 * words(workgroup, MOST_OF_BEST) <= limits.max_compute_workgroup_storage_size;
    workgroup.clamp(64, if has_memory { MOST_OF_BEST } else { MOST_CANDIDATES })
}

/// Words of workgroup memory: bins, sums of them, five words a candidate, and some more.
fn words(workgroup: u32, candidates: u32) -> u32 {
    256 + workgroup + 5 * candidates + 16
}

/// True if the best of each invocation are looked at first: they are then few enough for a close bound.
pub(super) fn counts_best(workgroup: u32, k: u64, limits: &Limits) -> bool {
    2 * k <= u64::from(workgroup) && 8 * k <= u64::from(5 * candidates(workgroup, k, limits))
}

/// The elements of rows of `len` of which the best of each invocation are looked at: those in registers, or a quarter. And the number of the best
/// ones that are expected to be at least as good as the k-th element, and some more, if the rest of the row is not known.
pub(super) fn best(len: u64, k: u64, workgroup: u32) -> [u32; 2] {
    let workgroup = u64::from(workgroup);
    let sample = (HELD * workgroup).max(len / 4).min(len);
    let share = k as f64 * sample as f64 / len.max(1) as f64;
    let margin = if sample < len { DEVIATIONS * share.sqrt() + 2.0 } else { 0.0 };
    let invocations = workgroup.min(len.div_ceil(4));
    [sample as u32, ((share + margin) as u64).min(invocations) as u32]
}

/// Checks that a workgroup for any length has the memory that the kernel takes. That for a known length takes no more.
pub(super) fn check(k: u64, limits: &Limits) -> Result<(), LimitError> {
    let workgroup = workgroup(None, k, limits);
    needs!(limits, max_compute_workgroup_storage_size, 4 * words(workgroup, candidates(workgroup, k, limits)))
}

/// Elements that a binding holds, wherever in it they start.
pub(super) fn bound(element: Element, limits: &Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(1 << 31).saturating_sub(256) / element.size()
}

impl Selection {
    /// True if a workgroup searches a row of `len` elements, one of `rows`. `alone` says that longer ones have dispatches of their own.
    pub(super) fn is_short(&self, len: u64, rows: u64, alone: bool, limits: &Limits) -> bool {
        let has_few = self.top.is_some_and(|k| counts_best(workgroup(None, 0, limits), k, limits));
        let longest = match self.top {
            Some(k) if k > LONGEST_OF_ALL => LONGEST_OF_ALL,
            _ if (has_few || alone) && rows >= MANY => LONGEST_OF_MANY,
            _ => LONGEST,
        };
        len <= longest.min(bound(self.element, limits)) && self.element.size() <= 4
    }

    /// The words of the list for a short segment: its ranks or, of winners, what is looked at first; its place in the buffer, and its length.
    pub(super) fn entries(&self, part: &Part, workgroup: u32) -> Vec<u32> {
        let place = [(part.input.offset / self.element.size()) as u32, part.input.len as u32];
        let asked = self.top.map(|k| best(part.input.len, k, workgroup));
        let entry = |own: &[u32]| [asked.unwrap_or([own[0], own[1]]), place].concat();
        self.list().chunks(4).flat_map(entry).collect()
    }

    /// Plans the dispatches over short rows: one, unless a binding or a grid cannot hold them.
    pub(super) fn plan_rows(&self, part: &Part, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let (count, k) = (self.sample.len, self.top.unwrap_or(0));
        let at_once = (bound(self.element, limits) / count.max(1)).clamp(1, MOST_ROWS);
        let pass = |rows: Part| {
            let window = self.windows(rows.input, limits)?[0];
            let grid = grid::of(rows.number, limits, "give fewer rows at a time")?;
            let [samples, best] = best(count, k, workgroup(Some(count), k, limits));
            let params = Params {
                first: window.first,
                index: (window.start / self.element.size()) as u32,
                count: count as u32,
                row: rows.first as u32,
                grid_row: grid[0],
                samples,
                k: best,
                rows: rows.number as u32,
                list: rows.list as u32,
                ..Params::default()
            };
            let step = if self.top.is_some() { ROW_TOP } else { ROW_RANKS };
            Ok(Pass::new(step, grid, params).reading(window.bytes()))
        };
        part.cut(at_once, self.element.size()).map(pass).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_grow_with_rows_and_winners() {
        let limits = Limits { max_compute_invocations_per_workgroup: 1024, ..Limits::default() };
        let limits = Limits { max_compute_workgroup_size_x: 1024, ..limits };
        let shape = |len, k| {
            let workgroup = workgroup(len, k, &limits);
            (workgroup, candidates(workgroup, k, &limits))
        };
        assert_eq!(shape(Some(1024), 0), (64, 64));
        assert_eq!(shape(Some(1024), 32), (64, 64));
        assert_eq!(shape(Some(1024), 64), (128, 128));
        assert_eq!(shape(Some(1 << 17), 256), (1024, 512));
        assert_eq!(shape(Some(5000), 1000), (1024, 512));
        assert_eq!(shape(None, 0), (1024, 512));
        assert_eq!(workgroup(None, 0, &Limits::default()), 256);
    }
}
