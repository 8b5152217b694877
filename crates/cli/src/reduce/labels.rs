//! Groups: the labels of elements and of results.

use halofold::Value;
use halofold_fleet::host;

use super::geometry::Geometry;
use crate::failure::Failure;
use crate::files::{Source, Stored};
use crate::keys;

pub struct Labels {
    pub keys: Vec<Value>,
    pub stored: Stored,
    /// The group of each element, or of each position along the axis.
    groups: Vec<u32>,
}

impl Labels {
    pub fn load(source: &Source, data: &Source, geometry: &Geometry) -> Result<Self, Failure> {
        let (name, stored, shape) = (source.name(), source.stored(), source.shape());
        if stored.element().is_float() {
            return Err(refusal!("--by {name}: labels are integers or Booleans, not {stored}"));
        }
        let is_along = shape == [geometry.len] && geometry.axes.is_some();
        if shape != data.shape() && !is_along {
            let of = crate::files::npy::tuple;
            let remedy = match (shape, data.shape().iter().position(|len| shape == [*len])) {
                ([_], Some(axis)) => format!(", or --axis {axis}"),
                _ => String::new(),
            };
            return Err(refusal!(
                "--by {name}: shape {} differs from the data's {}; give one label per element{remedy}",
                of(shape),
                of(data.shape())
            ));
        }
        let order = if is_along { vec![0] } else { geometry.order.clone() };
        let dims = if is_along { shape } else { &geometry.dims };
        let bytes =
            source.load(dims, 0..dims.first().copied().unwrap_or(1), &order).map_err(Failure::usage)?;
        let element = stored.element();
        let (keys, groups) = host::numbered(element, &bytes);
        Ok(Labels { keys: keys.into_iter().map(|key| keys::number(element, key)).collect(), stored, groups })
    }

    /// Returns the line of each loaded element. The groups of a line are `rows` lines apart.
    pub fn lines(&self, rows: u64, len: u64) -> Vec<u32> {
        host::lines_of_groups(&self.groups, rows, len)
    }
}
