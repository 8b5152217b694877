//! Kernels of exact sums: their WGSL and their memory.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::reduce::elem::{Arity, Elem};
use crate::reduce::exact::format::Format;
use crate::reduce::exact::round::Target;
use crate::reduce::kernel::Coverage::{Columns, Grid, Teams};
use crate::reduce::kernel::Delivery::{Collected, Output};
use crate::reduce::kernel::Loads::{Elements, Vectors};
use crate::reduce::kernel::Memory::Nothing;
use crate::reduce::kernel::Subgroups::{Optional, Unused};
use crate::reduce::kernel::{Fold, Kernel, kernel};
use crate::reduce::layout::Layout;
use crate::reduce::monoid::Monoid;
use crate::reduce::op::Op;
use crate::reduce::plan::{Reads, Stage};
use crate::reduce::value::{Field, Number};
use crate::shader::{Composer, Piece, rooms};

/// The kernel for whole inputs, also a rung.
pub(crate) static EXACT: Kernel =
    kernel!("exact", "ladder/exact", Grid(16), Vectors, Nothing, Optional, Collected);
/// Segments of equal length.
static EXACT_SEGMENTS: Kernel =
    kernel!("exact-segments", "kernels/exact_segments", Teams, Vectors, Nothing, Optional, Output);
/// Segments between offsets.
static EXACT_OFFSETS: Kernel =
    kernel!("exact-offsets", "kernels/exact_offsets", Teams, Vectors, Nothing, Optional, Output);
/// The middle axis of an array of three.
static EXACT_COLUMNS: Kernel =
    kernel!("exact-columns", "kernels/exact_columns", Columns, Elements, Nothing, Unused, Output);

/// How exact sums combine: windows per invocation, limbs per workgroup, one result at a time, or of a column each. Inputs and outputs are arrays of words.
pub(in crate::reduce) static EXACT_FOLD: Fold =
    Fold { whole: &EXACT, segments: &EXACT_SEGMENTS, offsets: &EXACT_OFFSETS, columns: &EXACT_COLUMNS };

/// The most sums of a workgroup: of columns, whose elements are 128 bytes of a row then, which GPUs load at once, or of segments.
const MOST_SUMS: u32 = 32;

/// An exact sum: how numbers are made of elements, and their format.
#[derive(Clone, Debug)]
pub(crate) struct ExactSum {
    pub(in crate::reduce) format: Format,
    pub(in crate::reduce) element: Element,
    /// The file under `shaders/exact/operators/` that makes numbers of elements.
    pub(in crate::reduce) numbers: &'static str,
    /// The application's function that this file calls, if any.
    pub(in crate::reduce) map: Option<Piece>,
    /// True if the sum is divided by the number of elements.
    pub(in crate::reduce) is_mean: bool,
    /// Features that the WGSL needs.
    pub(in crate::reduce) features: Features,
}

impl ExactSum {
    /// Makes the sum of numbers that one of halofold's files makes of the elements.
    pub(crate) fn of(format: Format, element: Element, numbers: &'static str) -> Self {
        ExactSum { format, element, numbers, map: None, is_mean: false, features: Features::empty() }
    }

    /// Returns this sum with features that its WGSL needs.
    pub(crate) fn needing(self, features: Features) -> Self {
        ExactSum { features, ..self }
    }

    /// Returns the exact form of an operator; `None` if it has none.
    pub(in crate::reduce) fn of_op(op: Op, element: Element) -> Option<Self> {
        let numbers = match op {
            Op::Dot => "dot",
            Op::L1 => "magnitudes",
            _ => "sum",
        };
        Some(ExactSum { is_mean: op == Op::Mean, ..ExactSum::of(Format::of(op, element)?, element, numbers) })
    }

    /// Returns this sum as an operator whose accumulator is the whole integer; `None` except for 32-bit and 16-bit floats.
    pub(in crate::reduce) fn accumulated(&self, exact: &Monoid) -> Option<Monoid> {
        let is_of_elements = exact.arity() == Arity::One && exact.sample().is_none();
        if exact.op() != Some(Op::Sum) || self.format != Format::Single || !is_of_elements {
            return None;
        }
        // 32-bit floats are read as words, so no subnormal is flushed. A 16-bit float has no word of its own, and naga's `bitcast` makes no word of
        // two; WGSL lets a GPU flush a subnormal one when it is widened here.
        let wgsl = if self.element == Element::F16 { "f16" } else { "u32" };
        let composer = Composer::of(&[rooms::OPERATORS, rooms::SHARED, rooms::EXACT])
            .define("half", self.element == Element::F16)
            .choose("exact/formats", "long")
            .generate("constants", "the numbers of the format", self.rounding());
        let elem = Elem::Number { element: self.element, wgsl };
        let pieces = composer.pieces("operators/shared/long_sum");
        let name = format!("exact-{}", exact.name);
        Some(Monoid::analyse(&name, elem, Arity::One, pieces).ok()?.known_as(Op::Sum, None))
    }

    /// Chooses the files of a stage.
    pub(in crate::reduce) fn files(&self, composer: Composer, stage: Stage) -> Composer {
        let format = match self.format {
            Format::Single => "single",
            Format::Product => "product",
            Format::Double => "double",
        };
        // States are added to the limbs. Clearing bins takes longer than summing a segment.
        let has_bins =
            self.format == Format::Single && *stage.kernel == EXACT && stage.reads != Reads::Partials;
        let far = if has_bins { "bins" } else { "limbs" };
        let sums = match stage.kernel.coverage {
            _ if stage.sums() == 0 => "one",
            Columns => "columns",
            _ => "segments",
        };
        self.element
            .defines(composer)
            .supply("operator", "shared/exact/accumulator")
            .choose("exact/formats", format)
            .choose("exact/elements", self.element.name())
            .choose("exact/operators", self.numbers)
            .choose("exact/far", far)
            .choose("exact/sums", sums)
            .generate("constants", "the numbers of the format", self.constants(stage.sums()))
            .provide("map", self.map.iter().cloned().collect())
    }

    /// Declares the constants of the format. A workgroup that makes several sums has a copy of the limbs for each.
    pub(crate) fn constants(&self, sums: u32) -> String {
        format!(
            "alias Stored = u32;\n\
             // Words of a state's digits, and one more. Copies of them in a workgroup.\n\
             const LIMBS: u32 = {}u;\n\
             const COPIES: u32 = {}u;\n\
             // The number of the format.\n\
             const FORMAT: u32 = {:#x}u;\n\
             {}\
             // True: the sum is divided by the number of elements.\n\
             const MEAN: bool = {};\n",
            self.format.digits() + 1,
            if sums == 0 { self.format.copies() } else { sums.into() },
            self.format.number(),
            self.rounding(),
            self.is_mean,
        )
    }

    /// Declares the constants for rounding.
    pub(super) fn rounding(&self) -> String {
        let Target { significand, below, .. } = self.format.target();
        format!(
            "// Bits of a result's significand, and bits between the unit and the smallest result's last place.\n\
             const SIGNIFICAND: u32 = {significand}u;\n\
             const BELOW: u32 = {below}u;\n"
        )
    }
}

impl Format {
    /// Returns the layout of a window, as invocations and workgroups exchange it; in memory it is a state.
    pub(in crate::reduce) fn accumulator(self) -> Layout {
        let stride = 8 * self.words() as u64;
        let digits = [".sum.x", ".sum.y", ".sum.z", ".sum.w", ".tag"];
        Layout::of_words("Acc", &digits, "Acc(vec4<u32>({0}, {1}, {2}, {3}), {4})", stride)
    }

    /// Returns the words of a state.
    pub(in crate::reduce) fn fields(self) -> Vec<Field> {
        (0..self.words()).map(|word| Field { offset: 8 * word, number: Number::I64 }).collect()
    }

    /// Returns the type of a result.
    pub(in crate::reduce) fn result(self) -> Field {
        Field { offset: 0, number: if self.is_double() { Number::F64 } else { Number::F32 } }
    }

    /// Returns the words of a result.
    pub(in crate::reduce) fn output(self) -> Layout {
        if self.is_double() {
            Layout::of_words("Acc", &[".low", ".high"], "Acc({0}, {1})", 8)
        } else {
            Layout::of_words("Acc", &[".low"], "Acc({0})", 4)
        }
    }

    /// Returns the largest workgroup for which `room` bytes of workgroup memory suffice.
    pub(in crate::reduce) fn largest_workgroup(self, room: u64) -> u32 {
        let mut sizes = (0..=10).rev().map(|power| 1 << power);
        sizes.find(|size| self.workgroup_memory(*size) <= room).unwrap_or(1)
    }

    /// Returns the bytes of workgroup memory of a kernel, with or without subgroups.
    pub(crate) fn workgroup_memory(self, workgroup_size: u32) -> u64 {
        let window = 4 * self.accumulator().words() as u64;
        let limbs = 4 * (self.digits() as u64 + 1);
        let bins = if self == Format::Single { 2048 } else { 0 };
        // Two signs in each copy, the digits and their carries. Then the empty accumulator, marks of digits, the words to publish, flags,
        // counts and the first window, each in whole vectors: at most this many bytes.
        u64::from(workgroup_size) * window + (2 * self.copies() + 2) * limbs + bins + 208
    }

    /// Returns the most sums that a workgroup of this size makes at once: a power of two.
    pub(crate) fn sums(self, workgroup_size: u32, limits: &Limits) -> u32 {
        let limbs = self.digits() as u64 + 1;
        // Limbs of both signs, digits and their carries, four marks of each digit, four words of counts, the first window and the tag.
        let each = 16 * (limbs + limbs.div_ceil(32)) + 24;
        let room = u64::from(limits.max_compute_workgroup_storage_size);
        let left = room.saturating_sub(16 + self.workgroup_memory(workgroup_size));
        1 << (left / each).clamp(1, u64::from(workgroup_size.clamp(1, MOST_SUMS))).ilog2()
    }

    /// Returns the number of copies of the limbs.
    fn copies(self) -> u64 {
        if self == Format::Product { 4 } else { 1 }
    }
}
