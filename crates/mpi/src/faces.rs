//! The faces of a rank's layers, on their way between two GPUs.

use halofold::stencil::slab::{Side, Slab};
use halofold_fleet::with_few_threads;
use rayon::prelude::*;

use crate::Ranks;
use crate::exchange::exchange;

/// Bytes that a thread copies at once.
const PART: usize = 1 << 18;

/// The faces on both sides that have a neighbour: those that leave, and those that have come. They lie in ordinary memory: transports that read another
/// process's memory, or that register memory with a network card, may refuse what a driver has mapped.
pub(crate) struct Faces {
    leaving: [Option<Vec<u8>>; 2],
    arriving: [Option<Vec<u8>>; 2],
}

impl Faces {
    /// Room for the faces of a slab.
    pub(crate) fn new(slab: &Slab) -> Self {
        let room = || Side::BOTH.map(|side| slab.edge(side).map(|_| vec![0; slab.face_bytes() as usize]));
        Faces { leaving: room(), arriving: room() }
    }

    /// Takes the edge of a side.
    pub(crate) fn put(&mut self, side: Side, edge: &[u8]) {
        let Some(face) = &mut self.leaving[side as usize] else { return };
        let parts = face.par_chunks_mut(PART).zip(edge.par_chunks(PART));
        with_few_threads(|| parts.for_each(|(to, from)| to.copy_from_slice(from)));
    }

    /// Exchanges faces with the neighbours. All ranks call this together.
    pub(crate) fn exchange(&mut self, ranks: &Ranks) {
        let leaving = self.leaving.each_ref().map(Option::as_deref);
        exchange(ranks, leaving, self.arriving.each_mut().map(Option::as_deref_mut));
    }

    /// The face that has come from the neighbour on a side.
    pub(crate) fn arrived(&self, side: Side) -> Option<&[u8]> {
        self.arriving[side as usize].as_deref()
    }
}
