//! Every operation of the library, short, on any device, for the tests of small limits and of lost devices.
//!
//! An operation goes from stage to stage, and the device may be destroyed at any of them. It ends with the right bytes, wrong ones, or
//! an error value.

mod grids;
mod groups;
mod keys;
mod pictures;
mod places;
mod pyramids;
mod ranks;
mod reductions;

use std::pin::Pin;

use crate::scene::{End, Scene, same, text};

/// An operation, and how to run it.
pub struct Operation {
    pub name: String,
    run: Run,
}

/// Runs an operation on a device. Results are awaited, as a browser demands; elsewhere the scene polls the device before.
type Run = Box<dyn for<'s> Fn(&'s Scene) -> Ending<'s> + Send + Sync>;

type Ending<'s> = Pin<Box<dyn Future<Output = Result<End, String>> + 's>>;

impl Operation {
    fn new(
        name: impl Into<String>,
        run: impl for<'s> Fn(&'s Scene) -> Ending<'s> + Send + Sync + 'static,
    ) -> Self {
        Operation { name: name.into(), run: Box::new(run) }
    }

    pub async fn run(&self, scene: &Scene) -> End {
        (self.run)(scene).await.unwrap_or_else(End::Refused)
    }
}

/// All of them.
#[allow(dead_code, reason = "each test program runs a selection")]
pub fn operations() -> Vec<Operation> {
    let mut all = reductions::operations();
    all.extend(keys::operations());
    all.extend(grids::operations());
    all.extend(places::operations());
    all.extend(pictures::operations());
    all.extend(pyramids::operations());
    all.extend(ranks::operations());
    all.extend(groups::operations());
    all
}

/// All but most rungs of the ladder, and operations like others: for so many devices that compiling them takes long on some adapters.
#[allow(dead_code, reason = "each test program runs a selection")]
pub fn few_operations() -> Vec<Operation> {
    let kept = ["sum, by sequential", "sum, by tile", "sum, by vectorized", "sum, by workgroup-atomic"];
    // Keys in any order are groups by id afterwards, and a selection is a scan of counts.
    let like_others = ["sums and counts by keys in any order", "selected elements"];
    let mut some = operations();
    some.retain(|operation| !operation.name.starts_with("sum, by") || kept.contains(&&*operation.name));
    some.retain(|operation| !like_others.contains(&&*operation.name));
    some
}

/// More than all of them, for one device: each kernel of each stencil with each border, each kind of keys in elements of each kind.
/// They come in parts with a name.
#[allow(dead_code, reason = "each test program runs a selection")]
pub fn parts() -> Vec<(&'static str, Vec<Operation>)> {
    let mut textures = pictures::operations();
    textures.extend(pyramids::operations());
    vec![
        ("reductions of every shape, by every rung, with counts on the GPU", reductions::operations()),
        ("histograms: every kind of keys and of elements", keys::every_kind()),
        ("order statistics of rows", ranks::operations()),
        ("results by id and by key, prefixes, selections", groups::operations()),
        ("textures: sums, a histogram, a pyramid", textures),
        ("stencils: every kernel and border, with checks of convergence", grids::every_kernel()),
        ("readbacks and mailboxes", places::operations()),
    ]
}
