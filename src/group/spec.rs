//! The description of results by id, and what follows from it for kernels and plans.

use crate::element::Element;
use crate::group::aggregate::{Aggregate, aggregates};

/// The words of a state before the limbs of a sum, with them, and with those of a sum of squares: see `shaders/group/shared/states.wgsl`.
const COUNTS: u64 = 5;
const WITH_SUM: u64 = COUNTS + 22;
const WITH_SQUARES: u64 = WITH_SUM + 19;

/// The digits of a number in a table, of the square of a float, and of that of an integer.
const DIGITS: u32 = 3;
const SQUARE_DIGITS: u32 = 6;
const INTEGER_SQUARE_DIGITS: u32 = 4;

/// A description of results by id. It is a plain value; [`Compiled`](crate::Compiled) brings it to a device. The module's page has [an example](crate::group).
///
/// Its inputs are [`Pairs`](crate::group::Pairs), and its outputs [`Outputs`](crate::group::Outputs). If no group has some of the ids,
/// [`Request::run`](crate::Request::run) returns [`DataError::Ids`](crate::DataError::Ids).
#[derive(Clone, Debug, PartialEq)]
pub struct GroupById {
    pub(super) element: Element,
    pub(super) groups: u32,
    pub(super) aggregates: Vec<Aggregate>,
    /// The type of the keys whose ids kernels look up; `None` if ids are given.
    pub(super) keys: Option<Element>,
    /// True if all pairs are added to storage, on a device that miscounts in workgroup memory.
    pub(super) in_storage: bool,
    /// True for a device in software: pairs of more groups than a table holds are added to storage, where few threads collide.
    pub(super) is_software: bool,
}

aggregates!(GroupById);

impl GroupById {
    /// Describes results of `groups` groups of values of a type: `f32`, `u32` or `i32`. Ask for at least one result, by [`GroupById::count`],
    /// [`GroupById::sum`], [`GroupById::mean`], [`GroupById::min`], [`GroupById::max`], [`GroupById::variance`] or [`GroupById::sample_variance`].
    pub const fn new(element: Element, groups: u32) -> Self {
        GroupById {
            element,
            groups,
            aggregates: Vec::new(),
            keys: None,
            in_storage: false,
            is_software: false,
        }
    }

    pub(super) fn and(mut self, aggregate: Aggregate) -> Self {
        if !self.has(aggregate) {
            self.aggregates.push(aggregate);
        }
        self
    }

    pub(super) fn has(&self, aggregate: Aggregate) -> bool {
        self.aggregates.contains(&aggregate)
    }

    /// True if values are added.
    pub(super) fn has_sums(&self) -> bool {
        self.has(Aggregate::Sum) || self.has(Aggregate::Mean) || self.has_squares()
    }

    /// True if squares of values are added, too.
    pub(super) fn has_squares(&self) -> bool {
        self.has(Aggregate::Variance) || self.has(Aggregate::SampleVariance)
    }

    /// The words of a group's state in storage.
    pub(super) fn state(&self) -> u64 {
        match (self.has_sums(), self.has_squares()) {
            (_, true) => WITH_SQUARES,
            (true, _) => WITH_SUM,
            _ => COUNTS,
        }
    }

    /// The words that a table has for a group.
    pub(super) fn planes(&self) -> u32 {
        1 + self.digits() + u32::from(self.has(Aggregate::Min)) + u32::from(self.has(Aggregate::Max))
    }

    /// The words that a table has for the digits of a group's sums.
    fn digits(&self) -> u32 {
        if self.has_sums() { DIGITS + self.square_digits() } else { 0 }
    }

    /// Those for the digits of its sum of squares.
    pub(super) fn square_digits(&self) -> u32 {
        match self.has_squares() {
            false => 0,
            true if self.element.is_float() => SQUARE_DIGITS,
            true => INTEGER_SQUARE_DIGITS,
        }
    }
}

/// The file with the order of keys of a type; `None` if it is no type of keys.
pub(super) fn order_of(key: Element) -> Option<&'static str> {
    matches!(key, Element::U32 | Element::I32 | Element::F32).then(|| key.name())
}

/// Places of a table of keys for `groups` groups: a power of two, and at least eight for each.
pub(super) fn places(groups: u32) -> u64 {
    8 * u64::from(groups).next_power_of_two()
}
