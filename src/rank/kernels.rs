//! The kernels of order statistics, and their sizes.

use wgpu::Limits;

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::{self, needs, power_of_two_workgroup};
use crate::gpu::operation::Step;
use crate::rank::counted::{ASKED, LIST};
use crate::rank::rows::{self, ROW_RANKS, ROW_TOP};
use crate::rank::shape::Rows;
use crate::shader::{self, Composer, rooms};

/// Words of `state`, and bins, of a rank: see `shaders/rank/shared/`.
pub(super) const STATE: u64 = 26;
pub(super) const BINS: u64 = 2048;

/// Vectors of an invocation in a tile of the read.
pub(super) const VECTORS: u32 = 4;

/// Words of workgroup memory for candidates that wait or counts of digits, and for the sums of a workgroup.
pub(super) const WAITING: u32 = 2048;
pub(super) const SUMS: u32 = 1024;

/// The most brackets of one read: see `shaders/rank/stage/brackets.wgsl`. And the most ranks that are found at once.
pub(super) const BRACKETS: u32 = 5;
pub(super) const MOST_RANKS: u32 = 64;

/// Invocations in other workgroups.
pub(super) const WORKGROUP: u32 = 256;

/// Candidates that a workgroup sorts, or merges: four of each invocation.
pub(super) const SPAN: u32 = 4 * WORKGROUP;

pub(super) const POSITIONS: Step = "rank/positions";
pub(super) const SAMPLE: Step = "rank/sample";
pub(super) const PICK: Step = "rank/pick";
pub(super) const SIFT: Step = "rank/sift";
pub(super) const DIGITS: Step = "rank/digits";
pub(super) const FINISH: Step = "rank/finish";
pub(super) const TIES: Step = "rank/ties";
pub(super) const SORT: Step = "rank/sort";
pub(super) const MERGE: Step = "rank/merge";

/// The kernels of single ranks, and of the k smallest.
const RANKS: &[Step] = &[ROW_RANKS, POSITIONS, SAMPLE, PICK, SIFT, DIGITS, FINISH];
const TOP: &[Step] = &[ROW_TOP, POSITIONS, SAMPLE, PICK, SIFT, DIGITS, TIES, SORT, MERGE];

/// Invocations of the read. An H100 takes 12 % longer for five brackets with 128, and 17 % for a threshold that all elements are equal to with 256.
pub(super) fn sifting(is_top: bool) -> u32 {
    if is_top { 128 } else { 256 }
}

/// Candidates that find room in workgroup memory: their keys and, of the first elements, their indices.
pub(super) fn staged(element: Element, is_top: bool) -> u32 {
    WAITING / (key_words(element) as u32 + u32::from(is_top))
}

/// The reads that `ranks` ranks need.
pub(super) fn reads(ranks: u32) -> u32 {
    ranks.div_ceil(BRACKETS)
}

/// The digits of a key, each of 11 bits.
pub(super) fn digits(element: Element) -> u32 {
    (8 * element.size() as u32).div_ceil(11)
}

/// The words of a key.
pub(super) fn key_words(element: Element) -> u64 {
    element.size().div_ceil(4)
}

/// The case that kernels are made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made<'a> {
    pub(super) element: Element,
    /// Ranks of a row.
    pub(super) ranks: u32,
    /// True if keys order in the opposite way.
    pub(super) is_flipped: bool,
    /// True if the first elements are selected, not only the one with a rank.
    pub(super) is_top: bool,
    /// True if results lie between two elements.
    pub(super) is_between: bool,
    /// True if a NaN makes the result NaN.
    pub(super) nan_wins: bool,
    /// The number of the method, for ranks among a count.
    pub(super) method: u32,
    pub(super) rows: &'a Rows,
    /// The number of first elements.
    pub(super) k: u32,
}

impl Made<'_> {
    /// The kernels that its plans may dispatch.
    pub(super) fn steps(self) -> &'static [Step] {
        let steps = if self.is_top { TOP } else { RANKS };
        // The first is for short rows, of keys of one word.
        if self.element.size() <= 4 { steps } else { &steps[1..] }
    }

    /// True if results between two elements are these two, and the host finds the number: few devices compute with 64-bit floats.
    pub(super) fn in_pairs(self) -> bool {
        self.is_between && self.element.size() == 8
    }

    /// The kernel of short rows depends on their workgroup, and on where the lengths of rows are.
    pub(super) fn variant(self, step: Step, limits: &Limits) -> u32 {
        let workgroup = rows::workgroup(self.rows.len, self.k.into(), limits);
        let variant = 2 * workgroup + u32::from(self.rows.is_segments());
        if [ROW_RANKS, ROW_TOP].contains(&step) { variant } else { 0 }
    }

    /// The kernel of a step, on a device with these limits.
    pub(super) fn kernel(self, step: Step, limits: &Limits) -> Kernel {
        let is_by_row = [ROW_RANKS, ROW_TOP].contains(&step);
        let has_element = !self.is_between || self.in_pairs();
        let (keys, format) = match self.element.size() {
            2 => ("word", "halves"),
            4 => ("word", "words"),
            _ => ("two_words", ""),
        };
        let wgsl = self
            .element
            .defines(Composer::of(&[rooms::RANK, rooms::SHARED]))
            .supply("io", "rank/shared/io")
            .choose("rank/order", keys)
            .choose("rank/keys", keys)
            .choose("rank/formats", format)
            .choose("rank/stage", if self.is_top { "threshold" } else { "brackets" })
            .choose("rank/results", if has_element { "element" } else { "between" })
            .compose(step, &[]);
        let workgroup = match step {
            SIFT => sifting(self.is_top),
            PICK => power_of_two_workgroup(1024, limits),
            ROW_RANKS | ROW_TOP => rows::workgroup(self.rows.len, self.k.into(), limits),
            _ => WORKGROUP,
        };
        let ranks = if is_by_row { self.ranks.max(self.k) } else { self.ranks };
        let bits = u32::MAX >> (32 - 8 * self.element.size().min(4));
        let candidates = rows::candidates(workgroup, self.k.into(), limits);
        let counts_best = self.is_top && rows::counts_best(workgroup, self.k.into(), limits);
        let has_nan = !self.is_between && [FINISH, ROW_RANKS].contains(&step);
        let is_pair = step == FINISH && self.in_pairs();
        let overrides = declared([
            ("WG", workgroup, true),
            ("RANKS", ranks, true),
            ("FLIP", if self.is_flipped { bits } else { 0 }, step != POSITIONS),
            ("STAGED", staged(self.element, self.is_top), step == SIFT),
            ("MEMBERS", self.ranks.div_ceil(reads(self.ranks)), step == SIFT && !self.is_top),
            ("METHOD", self.method, step == POSITIONS),
            ("OF_TOP", self.is_top.into(), [POSITIONS, DIGITS].contains(&step)),
            ("SPAN", SPAN, [SORT, MERGE].contains(&step)),
            ("CAPACITY", candidates, is_by_row),
            ("BLOCKS", candidates / 16, is_by_row),
            ("WINNERS", self.is_top.into(), is_by_row),
            ("SEGMENTS", self.rows.is_segments().into(), is_by_row),
            ("COUNTS_BEST", counts_best.into(), is_by_row),
            ("NAN_WINS", (is_pair || self.nan_wins).into(), is_pair || has_nan),
            ("IN_PAIRS", 1, is_pair),
        ]);
        Kernel::new(shader::label(&[step]), wgsl, self.slots(step), overrides)
    }

    /// The bindings of a kernel. 0 and 3 are the input, 1 the output, 4 the state, 5 the list of ranks, 6 the sample, 7 and 9 the candidates and
    /// their indices, 8 the bins, 10 the ties of each part, 11 the indices of winners.
    fn slots(self, step: Step) -> Vec<Slot> {
        use Access::{Read, Write};
        let own: &[Slot] = match step {
            ROW_TOP => &[(0, Read), (1, Write), (3, Read), (5, Read), (11, Write)],
            ROW_RANKS => &[(0, Read), (1, Write), (3, Read), (5, Read)],
            POSITIONS => &[(LIST, Write), (ASKED, Read)],
            SAMPLE => &[(0, Read), (4, Write), (6, Write), (8, Write)],
            PICK => &[(4, Write), (5, Read), (6, Read)],
            SIFT if self.is_top => &[(0, Read), (3, Read), (4, Write), (7, Write), (9, Write), (10, Write)],
            SIFT => &[(0, Read), (3, Read), (4, Write), (7, Write)],
            DIGITS => &[(0, Read), (3, Read), (4, Write), (5, Read), (7, Read), (8, Write)],
            FINISH if self.element.size() == 8 => {
                &[(0, Read), (1, Write), (3, Read), (4, Write), (5, Read), (7, Read), (8, Write)]
            }
            FINISH => &[(0, Read), (1, Write), (3, Read), (4, Write), (5, Read), (7, Read)],
            TIES => &[(0, Read), (1, Write), (3, Read), (4, Write), (10, Read), (11, Write)],
            SORT => &[(4, Write), (7, Write), (9, Write)],
            _ => &[(1, Write), (4, Write), (7, Write), (9, Write), (11, Write)],
        };
        [own, &[(PARAMETERS, Access::Uniform)]].concat()
    }

    /// Checks the limits that all kernels need.
    pub(super) fn check(self, limits: &Limits) -> Result<(), Error> {
        limits::check_all(self.steps().iter().map(|step| self.slots(step)), limits)?;
        limits::check_workgroup([WORKGROUP, 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, 4 * (SUMS + WAITING))?;
        Ok(rows::check(self.k.into(), limits)?)
    }
}

/// Declares what operations make of the case that their kernels are made for, and of their type of elements.
macro_rules! of_case {
    () => {
        fn check_on(&self, _: Features, limits: &Limits) -> Result<(), Error> {
            self.made().check(limits)
        }

        fn steps(&self) -> Vec<Step> {
            self.made().steps().to_vec()
        }

        fn kernel(&self, step: Step, _: Features, limits: &Limits) -> Kernel {
            self.made().kernel(step, limits)
        }

        fn variant(&self, step: Step, limits: &Limits) -> u32 {
            self.made().variant(step, limits)
        }

        fn element(&self) -> Option<Element> {
            Some(self.element)
        }

        fn item(&self) -> u64 {
            self.element.size()
        }
    };
}
pub(super) use of_case;
