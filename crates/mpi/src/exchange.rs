//! Faces on their way to the neighbours.

use halofold::stencil::slab::Side;
use mpi::request::scope;
use mpi::topology::Communicator as _;
use mpi::traits::{Destination as _, Source as _};
use mpi::{Rank, Tag};

use crate::Ranks;

/// Sends the face on each side that has one to the neighbour there, and receives the neighbour's, all at the same time. Beyond the
/// last rank comes the first. All ranks call this together.
pub(crate) fn exchange(ranks: &Ranks, leaving: [Option<&[u8]>; 2], arriving: [Option<&mut [u8]>; 2]) {
    let world = ranks.world();
    scope(|scope| {
        let mut requests = Vec::new();
        for (side, face) in Side::BOTH.into_iter().zip(arriving) {
            let from = world.process_at_rank(neighbour(ranks, side));
            let receive = |face| from.immediate_receive_into_with_tag(scope, face, tag(side.opposite()));
            requests.extend(face.map(receive));
        }
        for (side, face) in Side::BOTH.into_iter().zip(leaving) {
            let to = world.process_at_rank(neighbour(ranks, side));
            requests.extend(face.map(|face| to.immediate_send_with_tag(scope, face, tag(side))));
        }
        for request in requests {
            request.wait_without_status();
        }
    });
}

/// Says on which side of its sender a face was: in a ring of two, both neighbours are one rank.
fn tag(side: Side) -> Tag {
    side as Tag
}

fn neighbour(ranks: &Ranks, side: Side) -> Rank {
    let (rank, count) = (ranks.rank(), ranks.count());
    let neighbour = match side {
        Side::Low => (rank + count - 1) % count,
        Side::High => (rank + 1) % count,
    };
    neighbour as Rank
}
