//! The kernels of a form, and the forms of exact sums.

use crate::reduce::exact::{EXACT, EXACT_COLUMNS, EXACT_OFFSETS, EXACT_SEGMENTS};
use crate::reduce::ladder::{COLUMNS, Kernel, OFFSETS, SEGMENTS, SINGLE_PASS};
use crate::reduce::plan::{BufferRange, PER_INVOCATION, Request};
use crate::reduce::shape::Shape;

/// Items that every workgroup sums alone.
const SHORT: u64 = PER_INVOCATION;

impl Request<'_> {
    /// Returns true if the partials of one launch are reduced by a second launch. Exact sums publish more than a partial.
    pub(super) fn meets_twice(&self) -> bool {
        self.in_two_launches && self.monoid.format().is_none()
    }

    /// The kernel of whole inputs.
    pub(super) fn whole_kernel(&self) -> &'static Kernel {
        if self.monoid.format().is_some() { &EXACT } else { &SINGLE_PASS }
    }

    /// The kernel of segments.
    pub(super) fn segments_kernel(&self) -> &'static Kernel {
        if self.monoid.format().is_some() { &EXACT_SEGMENTS } else { &SEGMENTS }
    }

    /// The kernel of segments between offsets.
    pub(super) fn offsets_kernel(&self) -> &'static Kernel {
        if self.monoid.format().is_some() { &EXACT_OFFSETS } else { &OFFSETS }
    }

    /// The kernel of the middle axis of an array.
    pub(super) fn columns_kernel(&self) -> &'static Kernel {
        if self.monoid.format().is_some() { &EXACT_COLUMNS } else { &COLUMNS }
    }

    /// The shape that exact sums have instead: the last axis of an array is segments, and a long whole input whose workgroups may
    /// not meet in one launch is one segment.
    pub(super) fn simpler(&self, shape: Shape, parts: &[BufferRange]) -> Shape {
        if self.monoid.format().is_none() {
            return shape;
        }
        match (shape, parts) {
            (Shape::Axis { outer, len, inner: 1 }, [part]) if outer.checked_mul(len) == Some(part.len) => {
                Shape::Segments { len }
            }
            (Shape::Whole, [part]) if self.in_two_launches && part.len > SHORT => {
                Shape::Segments { len: part.len }
            }
            _ => shape,
        }
    }
}
