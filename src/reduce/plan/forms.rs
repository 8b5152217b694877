//! Forms that are planned as simpler ones.

use crate::reduce::plan::{BufferRange, PER_INVOCATION, Request};
use crate::reduce::shape::Shape;

/// Items that every workgroup sums alone.
const SHORT: u64 = PER_INVOCATION;

impl Request<'_> {
    /// Returns true if the partials of one launch are reduced by a second launch.
    pub(super) fn meets_twice(&self) -> bool {
        self.in_two_launches && !self.monoid.fold().shares_memory
    }

    /// The shape in its place if workgroups share memory: the last axis of an array is segments, and a long whole input whose
    /// workgroups may not meet in one launch is one segment.
    pub(super) fn simpler(&self, shape: Shape, parts: &[BufferRange]) -> Shape {
        if !self.monoid.fold().shares_memory {
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
