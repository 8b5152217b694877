//! Reader of a file, or of two that go together: hands out piece by piece to whichever GPU asks next.

use std::iter::Peekable;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::buffers::PieceBuffers;
use super::layout::{Share, Shares};
use super::pace::Paces;
use super::read_ahead::ReadAhead;
use super::read_threads::ReadThreads;
use crate::failure::Failure;
use crate::files::Source;

/// The pieces of one or two sources.
pub struct PieceReader<'a> {
    deal: Mutex<Deal<'a>>,
    /// The most that the next piece may be ahead of those that are taken. Outside of the lock of `deal`, which is held while a stream is being
    /// read.
    read_ahead: ReadAhead,
    /// The paces of the GPUs, under a lock of their own for the same reason.
    paces: Mutex<Paces>,
    start: Instant,
    /// Used if every source is a file: each piece is read by its place, while others are.
    files: Option<&'a [Source]>,
    /// Bytes of an element as it lies there.
    size: u64,
}

/// Pieces that have been handed out, and those that have not.
struct Deal<'a> {
    /// `None` once there is no more.
    shares: Option<Peekable<Shares>>,
    /// Pieces so far, and elements with those before the first piece.
    number: u64,
    elements: u64,
    /// Used if one source is a stream: the next part of each has to be read before the next piece is handed out.
    streams: Option<&'a mut [Source]>,
}

impl<'a> PieceReader<'a> {
    /// Of equally many elements of the same type, if their numbers are known, in these shares, before which so many elements lie; so many
    /// GPUs may take pieces, and so many pieces may wait for those before them.
    pub fn new(
        sources: &'a mut [Source],
        (shares, elements): (Shares, u64),
        (gpus, most): (usize, u64),
    ) -> Self {
        let size = sources[0].size();
        let are_files = sources.iter().all(|source| source.file().is_some());
        let (files, streams) = if are_files { (Some(&*sources), None) } else { (None, Some(sources)) };
        let deal = Deal { shares: Some(shares.peekable()), number: 0, elements, streams };
        PieceReader {
            deal: Mutex::new(deal),
            read_ahead: ReadAhead::new(most),
            paces: Mutex::new(Paces::new(gpus, most)),
            start: Instant::now(),
            files,
            size,
        }
    }

    /// Reads the next piece to a set of a GPU, and returns its number and its share; `None` if there is no more for it.
    ///
    /// A share may turn out shorter at the end of the data. A call waits while another one reads from a stream, and while its piece
    /// would be too far ahead.
    pub fn next(
        &self,
        gpu: usize,
        set: &mut PieceBuffers,
        threads: &ReadThreads,
        is_looked_at: bool,
    ) -> Option<(u64, Result<Share, Failure>)> {
        let mut deal = self.deal();
        if !self.read_ahead.wait(deal.number) {
            return None;
        }
        let mut share = *deal.shares.as_mut()?.peek()?;
        let (number, first) = (deal.number, deal.elements);
        let left = self.files.map(|files| files[0].len().map_or(0, |len| len - first));
        let pieces = left.map_or(u64::MAX, |left| left.div_ceil(share.elements()));
        if pieces == 0 || !self.paces().take(gpu, pieces, self.start.elapsed()) {
            return None;
        }
        if let Some((files, left)) = self.files.zip(left) {
            // Only everything is dealt without knowing how much it is.
            share.len = if left < share.elements() { left } else { share.len };
            deal.pass(share);
            drop(deal);
            let read =
                set.fill((&share, self.size), is_looked_at, |chunks| threads.by_place(chunks, files, first));
            return Some((number, read.map(|()| share)));
        }
        let sources = deal.streams.as_mut()?;
        let read = set.fill((&share, self.size), is_looked_at, |chunks| {
            threads.in_order(chunks, sources).and_then(|lengths| in_common(&lengths))
        });
        if read.as_ref().map_or(true, |len| *len < share.elements()) {
            deal.shares = None;
        }
        match read {
            Ok(0) => return None,
            Ok(len) if len < share.elements() => share.len = len,
            _ => {}
        }
        deal.pass(share);
        Some((number, read.map(|_| share)))
    }

    /// A piece that a GPU has taken is done.
    pub fn done(&self, gpu: usize) {
        self.paces().done(gpu, self.start.elapsed());
    }

    /// True if a GPU has taken a piece.
    pub fn has_taken(&self, gpu: usize) -> bool {
        self.paces().has_taken(gpu)
    }

    /// The distance of reading from taking, for those who take pieces, and for those who stop.
    pub fn read_ahead(&self) -> &ReadAhead {
        &self.read_ahead
    }

    fn paces(&self) -> MutexGuard<'_, Paces> {
        self.paces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deal(&self) -> MutexGuard<'_, Deal<'a>> {
        self.deal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deal<'_> {
    fn pass(&mut self, share: Share) {
        self.shares.as_mut().map(Iterator::next);
        self.number += 1;
        self.elements += share.elements();
    }
}

/// The number of elements of each source.
fn in_common(lengths: &[u64]) -> Result<u64, Failure> {
    if lengths.iter().any(|len| *len != lengths[0]) {
        return Err(Failure::usage("--with and --where: the two inputs have different numbers of elements"));
    }
    Ok(lengths[0])
}
