//! Every operation of the library, short, on any device, for the tests of small limits and of lost devices.
//!
//! An operation goes from stage to stage, and the device may be destroyed at any of them. It ends with the right bytes, wrong ones, or
//! an error value.

mod grids;
mod keys;
mod places;
mod pyramids;
mod reductions;

use crate::scene::{End, Scene, same, text};

/// An operation, and how to run it.
pub struct Operation {
    pub name: String,
    run: Run,
}

/// Runs an operation on a device.
type Run = Box<dyn Fn(&Scene) -> Result<End, String> + Send + Sync>;

impl Operation {
    fn new(
        name: impl Into<String>,
        run: impl Fn(&Scene) -> Result<End, String> + Send + Sync + 'static,
    ) -> Self {
        Operation { name: name.into(), run: Box::new(run) }
    }

    pub fn run(&self, scene: &Scene) -> End {
        (self.run)(scene).unwrap_or_else(End::Refused)
    }
}

/// All of them.
pub fn operations() -> Vec<Operation> {
    let mut all = reductions::operations();
    all.extend(keys::operations());
    all.extend(grids::operations());
    all.extend(places::operations());
    all.extend(pyramids::operations());
    all
}

/// All but most rungs of the ladder: for so many devices that compiling them takes long on some adapters.
pub fn few_operations() -> Vec<Operation> {
    let kept = ["sum, by sequential", "sum, by tile", "sum, by vectorized", "sum, by workgroup-atomic"];
    let mut some = operations();
    some.retain(|operation| !operation.name.starts_with("sum, by") || kept.contains(&&*operation.name));
    some
}
