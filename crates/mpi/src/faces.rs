//! The faces of a rank's layers, on their way between two GPUs.

use halofold::stencil::slab::{Side, Slab};
use halofold_fleet::with_few_threads;
use mpi::request::scope;
use mpi::topology::Communicator as _;
use mpi::traits::{Destination as _, Source as _};
use mpi::{Rank, Tag};
use rayon::prelude::*;

use crate::Ranks;

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

    /// Sends the face on each side that has one to the neighbour there, and receives the neighbour's, all at the same time. Beyond the
    /// last rank comes the first. All ranks call this together.
    pub(crate) fn exchange(&mut self, ranks: &Ranks) {
        let neighbour = |side: Side| {
            let step = if side == Side::Low { ranks.count() - 1 } else { 1 };
            ranks.world().process_at_rank(((ranks.rank() + step) % ranks.count()) as Rank)
        };
        // On which side of its sender a face was: in a ring of two, both neighbours are one rank.
        let tag = |side: Side| side as Tag;
        scope(|scope| {
            let mut requests = Vec::new();
            for (side, face) in Side::BOTH.into_iter().zip(&mut self.arriving) {
                let receive =
                    |face| neighbour(side).immediate_receive_into_with_tag(scope, face, tag(side.opposite()));
                requests.extend(face.as_deref_mut().map(receive));
            }
            for (side, face) in Side::BOTH.into_iter().zip(&self.leaving) {
                let send = |face| neighbour(side).immediate_send_with_tag(scope, face, tag(side));
                requests.extend(face.as_deref().map(send));
            }
            for request in requests {
                request.wait_without_status();
            }
        });
    }

    /// The face that has come from the neighbour on a side.
    pub(crate) fn arrived(&self, side: Side) -> Option<&[u8]> {
        self.arriving[side as usize].as_deref()
    }
}
