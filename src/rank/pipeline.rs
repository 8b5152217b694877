//! The dispatches that find elements by their ranks in long rows.

use wgpu::Limits;

use crate::element::Element;
use crate::gpu::device::{Memory, Step};
use crate::gpu::error::Error;
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::gpu::limits::{self, LimitError, SettingError, largest_workgroup, needs};
use crate::gpu::params::parameters;
use crate::gpu::range::BufferRange;
use crate::gpu::range::ByteRange;
use crate::gpu::window::Window;
use crate::gpu::{Pass, input};
use crate::rank::bracket::Sample;
use crate::rank::rows::{self, ROW_RANKS, ROW_TOP};
use crate::rank::shape::Part;
use crate::rank::values;
use crate::shader::{self, Composer, rooms};

/// Words of `state`, and bins, of a rank: see `shaders/rank/shared/`.
const STATE: u64 = 26;
const BINS: u64 = 2048;

/// Vectors of an invocation in a tile of the read.
const VECTORS: u32 = 4;

/// Words of workgroup memory for candidates that wait, and for the counts of a read.
const WAITING: u32 = 2048;
const COUNTS: u32 = 128;

/// The most brackets of one read: see `shaders/rank/stage/brackets.wgsl`. And the most ranks that are found at once.
const BRACKETS: u32 = 5;
const MOST_RANKS: u32 = 64;

/// Invocations in other workgroups.
pub(super) const WORKGROUP: u32 = 256;

/// The most tiles of a workgroup: more of them mean fewer additions to storage.
const MOST_TILES: u64 = 8;

/// Workgroups that fill a large GPU: of the read, and of a search.
pub(super) const FILLING: u64 = 132 * 16;
const SEARCHING: u64 = 132 * 4;

/// The most workgroups for a row, half of what every device has in a dimension.
const MOST_GROUPS: u64 = 1 << 15;

/// Candidates that a workgroup sorts, or merges: four of each invocation.
const SPAN: u32 = 4 * WORKGROUP;

const SAMPLE: Step = "rank/sample";
const PICK: Step = "rank/pick";
const SIFT: Step = "rank/sift";
const DIGITS: Step = "rank/digits";
const FINISH: Step = "rank/finish";
const ADD_UP: Step = "rank/add_up";
const TIES: Step = "rank/ties";
const SORT: Step = "rank/sort";
const MERGE: Step = "rank/merge";

/// The dispatches before those of digits, and after them for single ranks and, before merges, for the k smallest.
const FIRST: &[Step] = &[SAMPLE, PICK, SIFT];
const LAST_OF_RANKS: &[Step] = &[FINISH];
const LAST_OF_TOP: &[Step] = &[SIFT, ADD_UP, TIES, SORT];

/// The kernels of single ranks, and of the k smallest.
const RANKS: &[Step] = &[ROW_RANKS, SAMPLE, PICK, SIFT, DIGITS, FINISH];
const TOP: &[Step] = &[ROW_TOP, SAMPLE, PICK, SIFT, DIGITS, ADD_UP, TIES, SORT, MERGE];

parameters! {
    /// `Params` of `shaders/rank/shared/io.wgsl`.
    pub(super) struct Params {
        first: u32,
        len: u32,
        index: u32,
        count: u32,
        row: u32,
        groups: u32,
        tiles: u32,
        samples: u32,
        room: u32,
        is_last: u32,
        round: u32,
        k: u32,
        parts: u32,
        part: u32,
        span: u32,
        here: u32,
        indices: u32,
        rows: u32,
        list: u32,
    }
}

/// A rank that is searched in every row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The rank of the element, and of the next one, if the result lies between the two.
    pub(super) lower: u64,
    pub(super) upper: u64,
    /// The way from the one to the other, from 0 to 1.
    pub(super) way: f64,
}

/// The ranks that are searched in rows of one length.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) element: Element,
    wanted: Vec<Wanted>,
    pub(super) sample: Sample,
    /// The number of elements from the first to the rank, if all of them are wanted.
    pub(super) top: Option<u64>,
}

impl Selection {
    /// Elements by their ranks, in rows of `len`.
    pub(super) fn of_ranks(element: Element, len: u64, wanted: Vec<Wanted>) -> Self {
        let sample = Sample::of(len, wanted.len());
        Selection { element, wanted, sample, top: None }
    }

    /// The first `k` elements, in rows of `len`.
    pub(super) fn of_top(element: Element, len: u64, k: u64) -> Self {
        let last = k.min(len).saturating_sub(1);
        let wanted = vec![Wanted { lower: last, upper: last, way: 0.0 }];
        Selection { element, wanted, sample: Sample::of(len, 1), top: Some(k) }
    }

    pub(super) fn ranks(&self) -> u64 {
        self.wanted.len() as u64
    }

    /// The dispatches, each with its round: the digits that are known by then, or the merges that are done.
    fn steps(&self) -> impl Iterator<Item = (Step, u32)> {
        let digits = digits(self.element);
        let (last, merges) =
            if self.top.is_some() { (LAST_OF_TOP, self.merges()) } else { (LAST_OF_RANKS, 0) };
        let first = FIRST.iter().map(|step| (*step, 0));
        let found = first.chain((0..digits).map(|round| (DIGITS, round)));
        let last = last.iter().map(move |step| (*step, digits));
        let all = found.chain(last).chain((0..merges).map(|merge| (MERGE, merge)));
        // A row without elements has no digits to choose from: only the state is cleared, and results are written.
        let is_empty = self.sample.len == 0;
        all.filter(move |step| !is_empty || [SAMPLE, FINISH].contains(&step.0) || *step == (MERGE, 0))
    }

    fn brackets(&self) -> impl Iterator<Item = [u32; 2]> {
        self.wanted.iter().map(|wanted| match self.top {
            None => self.sample.bracket(wanted.lower, wanted.upper),
            Some(_) => self.sample.threshold(wanted.lower),
        })
    }

    /// Candidates that each rank of a row has room for.
    fn room(&self) -> u64 {
        self.brackets().map(|bracket| self.sample.room(bracket)).max().unwrap_or(0)
    }

    /// Candidates that a rank of a row has memory for: those of winners change places.
    fn kept(&self) -> u64 {
        if self.top.is_some() { 2 * self.room() } else { self.room() }
    }

    /// Merges that leave one run of candidates.
    fn merges(&self) -> u32 {
        self.room().div_ceil(SPAN.into()).max(2).next_power_of_two().ilog2()
    }

    /// The words of `list` in the kernels.
    pub(super) fn list(&self) -> Vec<u32> {
        let entry = |(wanted, [low, high]): (&Wanted, [u32; 2])| {
            [u32::try_from(wanted.lower).unwrap_or(u32::MAX), (wanted.way as f32).to_bits(), low, high]
        };
        self.wanted.iter().zip(self.brackets()).flat_map(entry).collect()
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
        let mut memory = Vec::new();
        for (slot, words) in sizes {
            let size = 4 * words * at_once;
            LimitError::unless_bound(limits, size)
                .map_err(|error| error.of("the memory for candidates").or("ask for less"))?;
            memory.push(Memory { slot, size, contents: Vec::new() });
        }
        Ok(memory)
    }

    /// Cuts rows into windows: several rows are in one window, or one row is in several.
    pub(super) fn windows(&self, elements: BufferRange, limits: &Limits) -> Result<Vec<Window>, Error> {
        let mut windows = input::windows(elements, self.element.size(), (1, 0), limits)?;
        if windows.is_empty() {
            // A row without elements has results, too.
            windows.push(Window { start: 0, size: 0, first: 0, len: 0, index: 0 });
        }
        Ok(windows)
    }

    /// Elements of a tile.
    fn tile(&self) -> u64 {
        (4 * VECTORS * sifting(self.top.is_some())).into()
    }

    /// Tiles of a workgroup that reads some of so many rows.
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
            for (step, round) in self.steps() {
                let once = [PICK, ADD_UP, SORT, MERGE].contains(&step);
                // Several brackets share a read, but not any number of them.
                let reads = if step == SIFT && self.top.is_none() { reads(self.ranks() as u32) } else { 1 };
                for nth in 0..if once { 1 } else { windows.len() } {
                    let pass = |read| self.pass((step, round + read), &part, &windows, nth);
                    passes.extend((0..reads).map(pass));
                }
            }
        }
        Ok(passes)
    }

    /// The dispatch of a kernel over one of the windows of some rows.
    fn pass(
        &self,
        (step, round): (Step, u32),
        &Part { first, number: rows, all, list, .. }: &Part,
        windows: &[Window],
        nth: usize,
    ) -> Pass {
        let window = &windows[nth];
        let count = self.sample.len as u32;
        let (len, index) = if rows > 1 { (count, 0) } else { (window.len, window.index) };
        let parts = |windows: &[Window]| windows.iter().map(|window| self.parts(window, rows)).sum::<u64>();
        let here = parts(&windows[nth..=nth]);
        let groups = self.groups((step, round), len.into(), here, rows);
        let (tiles, k) = (self.tiles(rows) as u32, self.top.unwrap_or(0));
        let params = Params {
            first: window.first,
            len,
            index,
            count,
            row: first as u32,
            groups,
            tiles,
            samples: self.sample.size,
            room: self.room() as u32,
            is_last: u32::from(nth + 1 == windows.len()),
            round,
            k: k as u32,
            parts: parts(windows) as u32,
            part: parts(&windows[..nth]) as u32,
            span: tiles * VECTORS * sifting(self.top.is_some()),
            here: here as u32,
            indices: (indices_at(self.element, all * k) / 4) as u32,
            rows: rows as u32,
            list: list as u32,
        };
        let of_ranks = [DIGITS, FINISH].contains(&step);
        let down = if of_ranks { rows * self.ranks() } else { rows };
        Pass::new(step, [groups, down as u32], params).reading(bytes(window))
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
            ADD_UP => 1,
            TIES => parts.min(SEARCHING),
            SORT | MERGE => self.room().div_ceil(SPAN.into()),
            _ => len.div_ceil(16 * invocations).min(SEARCHING.div_ceil(rows * self.ranks()).max(16)),
        };
        groups.clamp(1, MOST_GROUPS) as u32
    }
}

/// The bytes of a window, if there are any.
pub(super) fn bytes(window: &Window) -> Option<ByteRange> {
    (window.size > 0).then_some(ByteRange { offset: window.start, size: window.size })
}

/// The offset of indices behind so many elements, in bytes: a multiple of every alignment that bindings need.
pub(super) fn indices_at(element: Element, number: u64) -> u64 {
    values::size(element).saturating_mul(number).checked_next_multiple_of(256).unwrap_or(u64::MAX)
}

/// Invocations of the read. An H100 takes 12 % longer for five brackets with 128, and 17 % for a threshold that all elements are equal to with 256.
fn sifting(is_top: bool) -> u32 {
    if is_top { 128 } else { 256 }
}

/// Candidates that find room in workgroup memory: their keys and, of the first elements, their indices.
fn staged(element: Element, is_top: bool) -> u32 {
    WAITING / (key_words(element) as u32 + u32::from(is_top))
}

/// The reads that so many ranks need.
fn reads(ranks: u32) -> u32 {
    ranks.div_ceil(BRACKETS)
}

/// The digits of a key, each of 11 bits.
fn digits(element: Element) -> u32 {
    (8 * element.size() as u32).div_ceil(11)
}

/// The words of a key.
fn key_words(element: Element) -> u64 {
    element.size().div_ceil(4)
}

/// The composer of kernels that read elements as keys.
pub(super) fn composer(element: Element) -> Composer {
    let keys = match element.size() {
        2 => "rank/shared/keys_of_halves",
        4 => "rank/shared/keys",
        _ => "rank/shared/keys_in_words",
    };
    element
        .defines(Composer::of(&[rooms::RANK, rooms::SHARED]))
        .choose("keys", keys)
        .choose("io", "rank/shared/io")
}

/// The case that kernels are made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) element: Element,
    /// Ranks of a row.
    pub(super) ranks: u32,
    /// True if keys order in the opposite way.
    pub(super) is_flipped: bool,
    /// True if the first elements are wanted, not only the one with a rank.
    pub(super) is_top: bool,
    /// True if results lie between two elements.
    pub(super) is_between: bool,
    /// True if a NaN makes the result NaN.
    pub(super) nan_wins: bool,
    /// The elements of a row, if their number is known, or those of most segments.
    pub(super) row: Option<u64>,
    /// True if rows are segments between offsets.
    pub(super) is_segments: bool,
    /// The number of first elements.
    pub(super) k: u32,
}

impl Made {
    /// The label of each kernel, its WGSL, and the values of its overrides.
    pub(super) fn kernels(
        self,
        limits: &Limits,
    ) -> impl Iterator<Item = (String, String, Vec<(&'static str, f64)>)> {
        self.steps().iter().map(move |step| self.kernel(step, limits).shown())
    }

    /// The kernels that its plans may launch.
    pub(super) fn steps(self) -> &'static [Step] {
        let steps = if self.is_top { TOP } else { RANKS };
        // The first is for short rows, of keys of one word.
        if self.element.size() <= 4 { steps } else { &steps[1..] }
    }

    /// True if results between two elements are these two, and the host finds the number: few devices compute with 64-bit floats.
    pub(super) fn in_pairs(self) -> bool {
        self.is_between && self.element.size() == 8
    }

    /// The kernel of a step, on a device with these limits.
    pub(super) fn kernel(self, step: Step, limits: &Limits) -> Kernel {
        let is_by_row = [ROW_RANKS, ROW_TOP].contains(&step);
        let wgsl = composer(self.element)
            .choose("stage", if self.is_top { "rank/stage/threshold" } else { "rank/stage/brackets" })
            .choose(
                "result",
                if self.is_between && !self.in_pairs() {
                    "rank/results/between"
                } else {
                    "rank/results/element"
                },
            )
            .compose(step, &[]);
        let workgroup = match step {
            SIFT => sifting(self.is_top),
            PICK | ADD_UP => 1 << largest_workgroup(limits).min(1024).ilog2(),
            ROW_RANKS | ROW_TOP => rows::workgroup(self.row, self.k.into(), limits),
            _ => WORKGROUP,
        };
        let ranks = if is_by_row { self.ranks.max(self.k) } else { self.ranks };
        let flip = if self.is_flipped { u32::MAX } else { 0 };
        let mut overrides = vec![("WG", workgroup.into()), ("RANKS", ranks.into()), ("FLIP", flip.into())];
        match step {
            SIFT => {
                overrides.push(("STAGED", staged(self.element, self.is_top).into()));
                if !self.is_top {
                    overrides.push(("MEMBERS", self.ranks.div_ceil(reads(self.ranks)).into()));
                }
            }
            DIGITS => overrides.push(("OF_TOP", self.is_top.into())),
            SORT | MERGE => overrides.push(("SPAN", SPAN.into())),
            ROW_RANKS | ROW_TOP => {
                let candidates = rows::candidates(workgroup, self.k.into(), limits);
                overrides.extend([
                    ("ROOM", f64::from(candidates)),
                    ("BLOCKS", f64::from(candidates / 16)),
                    ("WINNERS", self.is_top.into()),
                    ("SEGMENTS", self.is_segments.into()),
                    (
                        "COUNTS_BEST",
                        (self.is_top && rows::counts_best(workgroup, self.k.into(), limits)).into(),
                    ),
                ]);
            }
            _ => {}
        }
        match step {
            FINISH if self.in_pairs() => overrides.extend([("NAN_WINS", 1.0), ("IN_PAIRS", 1.0)]),
            FINISH | ROW_RANKS if !self.is_between => overrides.push(("NAN_WINS", self.nan_wins.into())),
            _ => {}
        }
        Kernel::new(shader::label(&[step]), wgsl, self.slots(step), overrides)
    }

    /// The bindings of a kernel. 0 and 3 are the input, 1 the output, 4 the state, 5 the list of ranks, 6 the sample, 7 and 9 the candidates and
    /// their indices, 8 the bins, 10 the ties of each part.
    fn slots(self, step: Step) -> Vec<Slot> {
        use Access::{Read, Write};
        let own: &[Slot] = match step {
            ROW_TOP | ROW_RANKS => &[(0, Read), (1, Write), (3, Read), (5, Read)],
            SAMPLE => &[(0, Read), (4, Write), (6, Write), (8, Write)],
            PICK => &[(4, Write), (5, Read), (6, Read)],
            SIFT if self.is_top => &[(0, Read), (3, Read), (4, Write), (7, Write), (9, Write), (10, Write)],
            SIFT => &[(0, Read), (3, Read), (4, Write), (7, Write)],
            DIGITS => &[(0, Read), (3, Read), (4, Write), (5, Read), (7, Read), (8, Write)],
            FINISH if self.element.size() == 8 => {
                &[(0, Read), (1, Write), (3, Read), (4, Write), (5, Read), (7, Read), (8, Write)]
            }
            FINISH => &[(0, Read), (1, Write), (3, Read), (4, Write), (5, Read), (7, Read)],
            ADD_UP => &[(4, Write), (10, Write)],
            TIES => &[(0, Read), (1, Write), (3, Read), (4, Write), (10, Read)],
            SORT => &[(4, Write), (7, Write), (9, Write)],
            _ => &[(1, Write), (4, Write), (7, Write), (9, Write)],
        };
        [own, &[(PARAMETERS, Access::Uniform)]].concat()
    }

    /// Checks the limits that all kernels need.
    pub(super) fn check(self, limits: &Limits) -> Result<(), Error> {
        self.steps().iter().try_for_each(|step| limits::check(&self.slots(step), limits))?;
        limits::check_workgroup([WORKGROUP, 1], limits)?;
        SettingError::unless("quantiles at once", self.ranks, 1..=MOST_RANKS)?;
        needs!(limits, max_compute_workgroup_storage_size, 4 * (COUNTS + WAITING))?;
        Ok(rows::check(self.row, self.k.into(), limits)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::params::assert_alike;
    use crate::rank::{Quantiles, TopK};

    #[test]
    fn parameters_are_those_of_the_kernels() {
        let limits = Limits::default();
        let quantiles = Quantiles::new(Element::F32, [0.5]).unwrap();
        let top = TopK::new(Element::F32, 10).unwrap();
        for (label, wgsl, _) in quantiles.kernels(&limits).chain(top.kernels(&limits)) {
            assert_alike::<Params>(&label, &wgsl);
        }
    }
}
