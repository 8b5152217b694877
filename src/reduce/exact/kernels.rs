//! What kernels of exact sums are made of: an operator's text, and what it takes in memory.

use crate::element::Element;
use crate::reduce::exact::format::Format;
use crate::reduce::ladder::{Coverage, Delivery, Kernel, Loads, Memory, Subgroups};
use crate::reduce::layout::Layout;
use crate::reduce::value::{Field, Number};
use crate::shader::{Composer, Piece};

/// The rung for whole inputs.
pub(in crate::reduce) static EXACT: Kernel = Kernel {
    name: "exact",
    file: "ladder/exact",
    coverage: Coverage::Grid(16),
    loads: Loads::Vectors,
    memory: Memory::Nothing,
    subgroups: Subgroups::Optional,
    delivery: Delivery::Collected,
};

/// Segments of one length.
pub(in crate::reduce) static EXACT_SEGMENTS: Kernel = Kernel {
    name: "exact-segments",
    file: "kernels/exact_segments",
    coverage: Coverage::Teams,
    loads: Loads::Vectors,
    memory: Memory::Nothing,
    subgroups: Subgroups::Optional,
    delivery: Delivery::Output,
};

/// The middle axis of an array.
pub(in crate::reduce) static EXACT_COLUMNS: Kernel = Kernel {
    name: "exact-columns",
    file: "kernels/exact_columns",
    coverage: Coverage::Columns,
    ..EXACT_SEGMENTS
};

/// Segments between offsets.
pub(in crate::reduce) static EXACT_OFFSETS: Kernel =
    Kernel { name: "exact-offsets", file: "kernels/exact_offsets", ..EXACT_SEGMENTS };

/// Whether a kernel is one of exact sums.
pub(in crate::reduce) fn is_exact_kernel(kernel: &Kernel) -> bool {
    [&EXACT, &EXACT_SEGMENTS, &EXACT_COLUMNS, &EXACT_OFFSETS].contains(&kernel)
}

/// The text of an operator's file for a kernel. Whole inputs of 32-bit floats may take bins.
pub(in crate::reduce) fn exact_pieces(file: &str, kernel: &Kernel) -> Vec<Piece> {
    let prefers_bins = *kernel == EXACT && file.ends_with("f32");
    Composer::default().define("prefers_bins", prefers_bins).pieces(file)
}

impl Format {
    /// The operator's file.
    pub(in crate::reduce) fn file(self, element: Element) -> &'static str {
        match (self, element) {
            (Format::Product, _) => "exact/dot_f32",
            (Format::Double, _) => "exact/f64",
            (Format::Single, Element::F16) => "exact/f16",
            (Format::Single, _) => "exact/f32",
        }
    }

    /// A window's words, as invocations and workgroups hand them on; as a state it lies in memory.
    pub(in crate::reduce) fn accumulator(self) -> Layout {
        let stride = 8 * self.words() as u64;
        let digits = [".sum.x", ".sum.y", ".sum.z", ".sum.w", ".tag"];
        Layout::of_words(&digits, "Acc(vec4<u32>({0}, {1}, {2}, {3}), {4})", stride)
    }

    /// The words of a state.
    pub(in crate::reduce) fn fields(self) -> Vec<Field> {
        (0..self.words()).map(|word| Field { offset: 8 * word, number: Number::I64 }).collect()
    }

    /// The result's words.
    pub(in crate::reduce) fn output(self) -> Layout {
        if self.is_double() {
            Layout::of_words(&[".low", ".high"], "Acc({0}, {1})", 8)
        } else {
            Layout::of_words(&[".low"], "Acc({0})", 4)
        }
    }

    /// The largest workgroup that so many bytes of workgroup memory suffice for.
    pub(in crate::reduce) fn largest_workgroup(self, room: u64) -> u32 {
        let sizes = (0..=10).rev().map(|power| 1 << power);
        sizes.into_iter().find(|size| self.workgroup_memory(*size) <= room).unwrap_or(1)
    }

    /// Bytes of workgroup memory that a kernel needs, with or without subgroups.
    pub(in crate::reduce) fn workgroup_memory(self, workgroup_size: u32) -> u64 {
        let window = 4 * self.accumulator().words() as u64;
        let limbs = 4 * (self.digits() as u64 + 1);
        let bins = if self == Format::Single { 2048 } else { 0 };
        // Two signs in as many copies, the digits and their carries. On top come the empty accumulator, the window's number and
        // marks of digits, the words to publish, flags, counts and the first window: no more than this, each in whole vectors.
        u64::from(workgroup_size) * window + (2 * self.copies() + 2) * limbs + bins + 208
    }

    /// Copies of the limbs.
    fn copies(self) -> u64 {
        if self == Format::Product { 4 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::op::Op;
    use crate::shader;

    #[test]
    fn texts_have_the_numbers_of_the_formats() {
        for (op, element) in [
            (Op::Sum, Element::F32),
            (Op::Sum, Element::F16),
            (Op::Sum, Element::F64),
            (Op::Dot, Element::F32),
        ] {
            let format = Format::of(op, element).unwrap();
            let text = shader::join(&[], &exact_pieces(format.file(element), &EXACT));
            let has = |line: String| assert!(text.lines().any(|found| found == line), "{element}: {line}");
            has(format!("const LIMBS: u32 = {}u;", format.digits() + 1));
            has(format!("const FORMAT: u32 = {:#x}u;", format.number()));
            has(format!("const BELOW: u32 = {}u;", format.below()));
            has(format!("const COPIES: u32 = {}u;", format.copies()));
        }
    }
}
