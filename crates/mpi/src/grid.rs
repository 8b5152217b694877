//! The grid of all ranks, put together from their parts.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use halofold::stencil::Config;
use halofold::stencil::slab::Slab;
use halofold_fleet::{Slabs, WorkerError, kernel_of_parts, steps_of_round};
use mpi::collective::SystemOperation;
use mpi::traits::CommunicatorCollectives as _;

use crate::{RankGpu, Ranks};

/// Errors of a grid and of its steps.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The ranks do not make one grid.
    #[error(
        "the ranks' parts do not make one grid: `{0}` here, and something else on another rank. All but the number of layers must be the same; where adapters differ, name the kernel"
    )]
    Parts(String),
    /// All ranks together have too many layers.
    #[error("{0} layers on all ranks together: a grid has fewer than 2^32")]
    Layers(u64),
    /// A halo has more layers than a rank: the layers of both.
    #[error(
        "a halo of {0} layers, and the rank with the fewest has {1} (rows in 2D, planes in 3D): use fewer ranks or a smaller halo"
    )]
    Halo(u32, u64),
    /// A face that is larger than a message.
    #[error("faces of {0} bytes: MPI sends fewer than 2^31 at once; use a smaller halo")]
    Face(u64),
    /// Cells of another size than the rank's part: the bytes of both.
    #[error("{0} bytes of cells: this rank's part has {1}")]
    Cells(usize, u64),
    /// A right-hand side and a configuration that do not go together.
    #[error(
        "a grid whose configuration has a right-hand side takes one, and no other does: Config::with_rhs"
    )]
    Rhs,
    /// The stencil is not possible, or the ranks' changes were of several formats.
    #[error(transparent)]
    Stencil(#[from] halofold::Error),
    /// The GPU cannot go on.
    #[error(transparent)]
    Worker(#[from] WorkerError),
}

/// A grid that lies on all ranks: some layers (rows in 2D, planes in 3D) on each, in the order of the ranks.
///
/// Every rank brings the size of its own part, and the grid follows: ranks and layers need not be counted. A part has no halo in it, and the ranks'
/// numbers of layers may differ.
/// `examples/diffusion.rs` steps one.
pub struct GlobalGrid<'r> {
    ranks: &'r Ranks,
    config: Config,
    /// The layers of each rank.
    layers: Vec<u64>,
    slab: Slab,
}

/// Bytes of faces that MPI exchanges in a second, between two ranks of a node.
const EXCHANGED: f64 = 2e9;

/// Bytes of a message, at most.
const MOST_BYTES: u64 = i32::MAX as u64;

impl<'r> GlobalGrid<'r> {
    /// The grid that the ranks' parts make: `part` is what a stencil's configuration would be if this rank's layers were all. Its
    /// borders are those of the grid. All ranks call this together, with parts that differ in the number of layers only.
    ///
    /// The kernel is the one of [`kernel_of_parts`], so that the grid has the bits that it has on one GPU.
    ///
    /// # Errors
    ///
    /// - The parts do not make one grid, or not one kernel steps them.
    /// - A face is too large for a message.
    pub fn new(ranks: &'r Ranks, gpu: &RankGpu, part: Config) -> Result<Self, GridError> {
        Self::with_halo(ranks, gpu, part, None)
    }

    /// The same with this many steps from one exchange to the next, the same on all ranks. A halo has as many layers as they reach; the outermost
    /// layers of a part are computed twice for that. Where `steps` is `None` a formula says how many, as for a [`Team`](halofold_fleet::Team).
    ///
    /// # Errors
    ///
    /// As [`GlobalGrid::new`]; a rank with fewer layers.
    pub fn with_halo(
        ranks: &'r Ranks,
        gpu: &RankGpu,
        part: Config,
        steps: Option<u32>,
    ) -> Result<Self, GridError> {
        let mut layers = vec![0u64; ranks.count()];
        ranks.world().all_gather_into(&u64::from(part.layers()), &mut layers[..]);
        let before: u64 = layers[..ranks.rank()].iter().sum();
        let all: u64 = layers.iter().sum();
        let fewest = layers.iter().copied().min().unwrap_or(0);
        let own = before as u32..(before + u64::from(part.layers())) as u32;
        let all = u32::try_from(all).map_err(|_| GridError::Layers(all))?;
        let config = kernel_of_parts(part.with_layers(all), &gpu.device);
        check_same(ranks, &config, steps)?;
        let by_formula = || {
            let neighbours = if config.is_ring() || ranks.count() > 2 { 2 } else { 1 };
            let neighbours = if ranks.count() == 1 && !config.is_ring() { 0 } else { neighbours };
            let copy = f64::from(neighbours) * config.layer_bytes() as f64 / EXCHANGED;
            let lowest = fewest.max(1) as u32;
            let kernel = config.with_layers(lowest).on(&gpu.device);
            steps_of_round(&kernel, Slabs { layers: lowest, neighbours, copy }).min(lowest)
        };
        // Where adapters differ, so may their depths.
        let steps = steps.unwrap_or_else(|| ranks.all(&[by_formula()], SystemOperation::min())[0]);
        let halo = steps.saturating_mul(config.stencil.radius());
        if u64::from(halo) > fewest && ranks.count() > 1 {
            return Err(GridError::Halo(halo, fewest));
        }
        let slab = Slab::new(config, own, steps)?;
        if slab.face_bytes() > MOST_BYTES {
            return Err(GridError::Face(slab.face_bytes()));
        }
        Ok(GlobalGrid { ranks, config, layers, slab })
    }

    /// The ranks.
    pub fn ranks(&self) -> &'r Ranks {
        self.ranks
    }

    /// The configuration of the whole grid.
    pub fn config(&self) -> Config {
        self.config
    }

    /// The layers of the whole grid that are this rank's.
    pub fn own(&self) -> Range<u32> {
        self.slab.own()
    }

    /// The layers of each rank, in their order.
    pub fn layers(&self) -> &[u64] {
        &self.layers
    }

    /// This rank's part, and the halos on its sides.
    pub fn slab(&self) -> &Slab {
        &self.slab
    }
}

/// Checks that all ranks have the same configuration.
fn check_same(ranks: &Ranks, config: &Config, steps: Option<u32>) -> Result<(), GridError> {
    let Config { stencil, variant, element, grid, borders, rhs, .. } = config;
    let halo = steps.map_or("by the formula".to_owned(), |steps| steps.to_string());
    let text = format!(
        "{grid} {element}, {} by {}, {borders:?}, halo {halo}, right-hand side: {rhs}",
        stencil.name, variant.name
    );
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    if ranks.is_same(hasher.finish()) { Ok(()) } else { Err(GridError::Parts(text)) }
}
