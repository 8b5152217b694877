//! The faces of a rank's layers, on their way between two GPUs.

use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{Ordering, fence};

use halofold::stencil::slab::{Side, Slab};
use tempfile::NamedTempFile;

use crate::Ranks;
use crate::exchange::exchange;
use crate::shared::{Shared, copy};

/// The fewest bytes of faces that go through shared memory: fewer are soon sent.
const LARGE: usize = 64 << 10;

/// Bytes of a path in a message, and of the random number behind it.
const PATH: usize = 120;
const NONCE: usize = 8;

/// The faces on both sides that have a neighbour.
pub(crate) struct Faces {
    sides: [Option<Way>; 2],
    /// The most bytes of a face.
    size: usize,
    /// The half of shared memory that is written next.
    turn: usize,
}

/// The way of faces to a neighbour and back.
enum Way {
    /// Messages, from and to this rank's memory.
    Messages { leaving: Vec<u8>, arriving: Vec<u8> },
    /// Memory that this rank writes, and memory that it reads. Each has two halves, for every second face. A message without content says that a face is
    /// there, and that the one before it was read: its writer writes the next one to the other half.
    Memory { leaving: Shared, arriving: Shared },
}

impl Faces {
    /// Room for the faces of a slab. Neighbours find out by trying that they share memory. All ranks call this together.
    pub(crate) fn new(ranks: &Ranks, slab: &Slab) -> Self {
        let size = (u64::from(slab.halo_layers()) * slab.layer_bytes()) as usize;
        let has = Side::BOTH.map(|side| slab.edge(side).is_some());
        let own = has.map(|has| if has && size >= LARGE { create(2 * size) } else { None });
        let both = Side::BOTH.map(|side| side as usize);
        let paths = both.map(|nth| has[nth].then(|| own[nth].as_ref().map_or(vec![0; PATH + NONCE], sent)));
        let theirs = swapped(ranks, paths).map(|sent| open(&sent?, 2 * size));
        let can = |nth: usize| own[nth].is_some() && theirs[nth].is_some();
        let can_both = swapped(ranks, both.map(|nth| has[nth].then(|| vec![can(nth).into()])));
        let mut pairs = own.into_iter().zip(theirs);
        // The files go, as each has found them; the memory stays.
        let sides = can_both.map(|can| match (pairs.next()?, can?[..] == [1]) {
            ((Some((leaving, _)), Some(arriving)), true) => Some(Way::Memory { leaving, arriving }),
            _ => Some(Way::Messages { leaving: vec![0; size], arriving: vec![0; size] }),
        });
        Faces { sides, size, turn: 0 }
    }

    /// Takes the edge of a side.
    pub(crate) fn put(&mut self, side: Side, edge: &[u8]) {
        match &mut self.sides[side as usize] {
            Some(Way::Messages { leaving, .. }) => copy(edge, &mut leaving[..edge.len()]),
            // SAFETY: the neighbour has read the face before the last one, which lay there: it said so by sending its last one.
            Some(Way::Memory { leaving, .. }) => unsafe { leaving.write(self.turn * self.size, edge) },
            None => {}
        }
    }

    /// Exchanges faces of so many bytes with the neighbours. All ranks call this together.
    pub(crate) fn exchange(&mut self, ranks: &Ranks, bytes: usize) {
        let both = self.sides.each_mut().map(|way| match way {
            Some(Way::Messages { leaving, arriving }) => {
                (Some(&leaving[..bytes]), Some(&mut arriving[..bytes]))
            }
            Some(Way::Memory { .. }) => (Some(&[][..]), Some(&mut [][..])),
            None => (None, None),
        });
        let [(low, from_low), (high, from_high)] = both;
        fence(Ordering::SeqCst);
        exchange(ranks, [low, high], [from_low, from_high]);
        fence(Ordering::SeqCst);
        self.turn = 1 - self.turn;
    }

    /// The face that has come from the neighbour on a side, of so many bytes.
    pub(crate) fn arrived(&self, side: Side, bytes: usize) -> Option<&[u8]> {
        match self.sides[side as usize].as_ref()? {
            Way::Messages { arriving, .. } => Some(&arriving[..bytes]),
            // SAFETY: the neighbour writes there again only after this rank's next message.
            Way::Memory { arriving, .. } => unsafe {
                Some(arriving.read((1 - self.turn) * self.size, bytes))
            },
        }
    }
}

/// New memory that begins with a random number: a file of the same name on another node is not taken for it.
fn create(len: usize) -> Option<(Shared, NamedTempFile)> {
    let (mut memory, file) = Shared::create(len).ok()?;
    // SAFETY: nobody has it yet.
    unsafe { memory.write(0, &RandomState::new().hash_one(len).to_ne_bytes()) };
    Some((memory, file))
}

/// The path of memory and its random number, as they are sent.
fn sent((memory, file): &(Shared, NamedTempFile)) -> Vec<u8> {
    let mut path = file.path().to_string_lossy().into_owned().into_bytes();
    path.resize(PATH, 0);
    // SAFETY: no face is there yet.
    path.extend_from_slice(unsafe { memory.read(0, NONCE) });
    path
}

/// The memory that was sent, if there is one and it can be shared.
fn open(sent: &[u8], len: usize) -> Option<Shared> {
    let (path, nonce) = sent.split_at(PATH);
    let path = path.split(|byte| *byte == 0).next().filter(|path| !path.is_empty())?;
    let path = PathBuf::from(std::str::from_utf8(path).ok()?);
    let memory = Shared::open(&path, len).ok()?;
    // SAFETY: its owner writes the first face once this rank has said that it can share it.
    (unsafe { memory.read(0, NONCE) } == nonce).then_some(memory)
}

/// The bytes that each neighbour sends, as many as are sent to it. All ranks call this together.
fn swapped(ranks: &Ranks, sent: [Option<Vec<u8>>; 2]) -> [Option<Vec<u8>>; 2] {
    let mut found = sent.clone();
    exchange(ranks, sent.each_ref().map(Option::as_deref), found.each_mut().map(Option::as_deref_mut));
    found
}
