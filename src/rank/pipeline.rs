//! The dispatches that find elements by their ranks in long rows.

use wgpu::Limits;

use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::operation::{Memory, Step};
use crate::gpu::range::BufferRange;
use crate::gpu::window::Window;
use crate::rank::kernels::{
    BINS, BRACKETS, DIGITS, FINISH, MERGE, PICK, SAMPLE, SIFT, SORT, SPAN, STATE, TIES, VECTORS, WORKGROUP,
    digits, key_words, reads, sifting, staged,
};
use crate::rank::selection::{Params, Part, Selection};

/// The most tiles of a workgroup: more of them mean fewer additions to storage.
const MOST_TILES: u64 = 8;

/// Workgroups that fill a large GPU: of the read, and of a search.
pub(super) const FILLING: u64 = 132 * 16;
const SEARCHING: u64 = 132 * 4;

/// The most workgroups for a row, half of what every device has in a dimension.
const MOST_GROUPS: u64 = 1 << 15;

impl Selection {
    /// The dispatches, each with its round: the digits that are known by then, or the merges that are done.
    fn steps(&self) -> impl Iterator<Item = (Step, u32)> {
        let digits = digits(self.element);
        let (last, merges): (&[Step], _) = match self.top {
            Some(_) => (&[SIFT, TIES, SORT], self.merges()),
            None => (&[FINISH], 0),
        };
        let first = [SAMPLE, PICK, SIFT].into_iter().map(|step| (step, 0));
        let found = first.chain((0..digits).map(|round| (DIGITS, round)));
        let last = last.iter().map(move |step| (*step, digits));
        let all = found.chain(last).chain((0..merges).map(|merge| (MERGE, merge)));
        // A row without elements has no digits to choose from: only the state is cleared, and results are written.
        let is_empty = self.sample.len == 0;
        all.filter(move |step| !is_empty || [SAMPLE, FINISH].contains(&step.0) || *step == (MERGE, 0))
    }

    /// Candidates that a rank of a row has memory for: those of winners change places.
    fn kept(&self) -> u64 {
        if self.top.is_some() { 2 * self.room() } else { self.room() }
    }

    /// Merges that leave one run of candidates.
    fn merges(&self) -> u32 {
        self.room().div_ceil(SPAN.into()).max(2).next_power_of_two().ilog2()
    }

    /// Rows that are searched at once: as many as one binding holds, and as the grid has rows.
    fn at_once(&self, rows: u64, limits: &Limits) -> u64 {
        let bound = limits.max_storage_buffer_binding_size.saturating_sub(256);
        let keys = 4 * key_words(self.element) * self.kept();
        let row = self.element.size().saturating_mul(self.sample.len).max(self.ranks() * keys.max(4 * BINS));
        let grid = u64::from(limits.max_compute_workgroups_per_dimension) / self.ranks();
        rows.min(bound / row).min(grid).max(1)
    }

    /// The memory for these rows, besides the list.
    pub(super) fn memory(&self, part: &Part, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let at_once = self.at_once(part.number, limits);
        let windows =
            self.windows(BufferRange { len: at_once.saturating_mul(self.sample.len), ..part.input }, limits)?;
        let key = key_words(self.element);
        let mut sizes = vec![
            (4, self.ranks() * STATE),
            (6, key * u64::from(self.sample.size)),
            (7, key * self.ranks() * self.kept()),
            (8, self.ranks() * BINS),
        ];
        if self.top.is_some() {
            let parts = windows.iter().map(|window| self.parts(window, at_once)).sum();
            sizes.extend([(9, self.kept()), (10, parts)]);
        }
        let memory = |(slot, words)| {
            let memory = Memory::scratch(slot, 4 * words * at_once);
            Ok(memory.checked(limits, "the memory for candidates", "ask for less")?)
        };
        sizes.into_iter().map(memory).collect()
    }

    /// Elements of a tile.
    fn tile(&self) -> u64 {
        (4 * VECTORS * sifting(self.top.is_some())).into()
    }

    /// Tiles of a workgroup that reads some of `rows` rows.
    fn tiles(&self, rows: u64) -> u64 {
        // Their candidates should find room in the workgroup's memory.
        let candidates = self.room() * self.ranks().min(BRACKETS.into());
        let staged = u64::from(staged(self.element, self.top.is_some()));
        let most = (staged * self.sample.len / (self.tile() * candidates.max(1))).clamp(1, MOST_TILES);
        (rows * self.sample.len).div_ceil(FILLING * self.tile()).clamp(1, most)
    }

    /// Workgroups that read a row's part of a window.
    fn parts(&self, window: &Window, rows: u64) -> u64 {
        let len = if rows > 1 { self.sample.len } else { window.len.into() };
        len.div_ceil(self.tiles(rows) * self.tile()).max(1)
    }

    /// Plans the dispatches over rows.
    pub(super) fn plan(&self, part: &Part, is_short: bool, limits: &Limits) -> Result<Vec<Pass>, Error> {
        if is_short {
            return self.plan_rows(part, limits);
        }
        let mut passes = Vec::new();
        for part in part.cut(self.at_once(part.number, limits), self.element.size()) {
            let windows = self.windows(part.input, limits)?;
            let mut starts = vec![0];
            for window in &windows {
                starts.push(starts[starts.len() - 1] + self.parts(window, part.number));
            }
            for (step, round) in self.steps() {
                let once = [PICK, SORT, MERGE].contains(&step);
                // Several brackets share a read, but not any number of them.
                let reads = if step == SIFT && self.top.is_none() { reads(self.ranks() as u32) } else { 1 };
                for nth in 0..if once { 1 } else { windows.len() } {
                    let pass = |read| self.pass((step, round + read), &part, (&windows, &starts), nth);
                    passes.extend((0..reads).map(pass));
                }
            }
        }
        Ok(passes)
    }

    /// The dispatch of a kernel over one of the windows of some rows. `starts` are the numbers of the first part of each window, and of all parts.
    fn pass(
        &self,
        (step, round): (Step, u32),
        &Part { first, number: rows, list, .. }: &Part,
        (windows, starts): (&[Window], &[u64]),
        nth: usize,
    ) -> Pass {
        let (window, here) = (&windows[nth], starts[nth + 1] - starts[nth]);
        let count = self.sample.len as u32;
        let (len, index) = if rows > 1 { (count, 0) } else { (window.len, window.index) };
        let groups = self.groups((step, round), len.into(), here, rows);
        let params = Params {
            first: window.first,
            len,
            index,
            count,
            row: first as u32,
            grid_row: groups,
            samples: self.sample.size,
            room: self.room() as u32,
            is_last: u32::from(nth + 1 == windows.len()),
            round,
            k: self.top.unwrap_or(0) as u32,
            parts: starts[windows.len()] as u32,
            part: starts[nth] as u32,
            span: self.tiles(rows) as u32 * VECTORS * sifting(self.top.is_some()),
            here: here as u32,
            rows: rows as u32,
            list: list as u32,
        };
        let of_ranks = [DIGITS, FINISH].contains(&step);
        let down = if of_ranks { rows * self.ranks() } else { rows };
        Pass::new(step, [groups, down as u32], params).reading(window.bytes())
    }

    /// Workgroups for a row, or for a rank of it.
    fn groups(&self, (step, round): (Step, u32), len: u64, parts: u64, rows: u64) -> u32 {
        let invocations = u64::from(WORKGROUP);
        let groups = match step {
            SAMPLE => u64::from(self.sample.size).div_ceil(invocations),
            PICK => 2 * self.ranks(),
            // The second read is for rows of which the first was in vain, so few workgroups are better.
            SIFT if round > 0 => parts.min(SEARCHING),
            SIFT => parts,
            TIES => parts.min(SEARCHING),
            SORT | MERGE => self.room().div_ceil(SPAN.into()),
            _ => len.div_ceil(16 * invocations).min(SEARCHING.div_ceil(rows * self.ranks()).max(16)),
        };
        groups.clamp(1, MOST_GROUPS) as u32
    }
}
