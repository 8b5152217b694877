//! What is one result made of: everything, or a part.

/// Which elements make which result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// All elements, one result.
    Whole,
    /// Segments of `len` elements each, one after the other: one result each.
    ///
    /// The rows of a row-major matrix are segments of its number of columns.
    Segments {
        /// Elements of one segment; the input is a whole number of them.
        len: u64,
    },
}

/// What a [`Reducer`](crate::reducer::Reducer) is compiled for: the shapes of one kind, whatever their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// [`Shape::Whole`]: one dispatch.
    Whole,
    /// [`Shape::Segments`]: one dispatch, two if there are few long ones.
    Segments,
}

impl Shape {
    /// The form that a reducer for this shape has.
    pub const fn form(self) -> Form {
        match self {
            Shape::Whole => Form::Whole,
            Shape::Segments { .. } => Form::Segments,
        }
    }
}
