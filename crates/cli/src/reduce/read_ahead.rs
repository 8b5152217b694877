//! A limit on reading ahead of the pieces that have been taken in their order.
//!
//! Pieces come back in any order, and their states wait for those before them. If one GPU is slow, many would; so no thread begins a piece that
//! is too far ahead, once those that wait take much memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Bytes of states that may wait, however many pieces left them.
const BYTES: usize = 64 << 20;

/// A number of pieces that may wait, whatever their states take.
pub struct ReadAhead {
    most: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    taken: u64,
    /// The bytes of the states that wait.
    bytes: usize,
    is_stopped: bool,
}

impl ReadAhead {
    pub fn new(most: u64) -> Self {
        ReadAhead { most, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits until this piece, counted from 0, may begin. Returns true if it may, and false after `stop`.
    pub fn wait(&self, number: u64) -> bool {
        let is_too_far = |state: &mut State| {
            !state.is_stopped && number >= state.taken + self.most && state.bytes >= BYTES
        };
        let state = self.changed.wait_while(self.state(), is_too_far);
        !state.unwrap_or_else(PoisonError::into_inner).is_stopped
    }

    /// One more has left states of so many bytes, which wait.
    pub fn keep(&self, bytes: usize) {
        self.state().bytes += bytes;
    }

    /// One more has been taken.
    pub fn take(&self, bytes: usize) {
        let mut state = self.state();
        state.taken += 1;
        state.bytes -= bytes;
        drop(state);
        self.changed.notify_all();
    }

    /// Returns a guard that stops if its thread panics. Every thread that reads, reduces or takes pieces holds one: its piece is never taken
    /// then, and the others would wait for ever.
    pub fn stop_on_panic(&self) -> Stop<'_> {
        Stop(self)
    }

    /// Ends all waiting: no more pieces are wanted.
    pub fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops when it is dropped by a panic.
#[must_use]
pub struct Stop<'a>(&'a ReadAhead);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_piece_waits_for_those_long_before_it() {
        let ahead = ReadAhead::new(2);
        assert!(ahead.wait(0) && ahead.wait(1));
        // Those that leave little may wait.
        assert!(ahead.wait(2));
        ahead.keep(BYTES);
        thread::scope(|scope| {
            let (began, begun) = mpsc::channel();
            scope.spawn(|| {
                let began = began;
                assert!(ahead.wait(2));
                began.send(()).unwrap();
            });
            assert_eq!(begun.recv_timeout(Duration::from_millis(50)), Err(mpsc::RecvTimeoutError::Timeout));
            ahead.take(0);
            begun.recv_timeout(Duration::from_secs(60)).unwrap();
        });
    }

    #[test]
    fn a_waiting_piece_ends_when_no_more_are_wanted() {
        let ahead = ReadAhead::new(1);
        ahead.keep(BYTES);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| ahead.wait(1));
            let panics = scope.spawn(|| {
                let _panic = ahead.stop_on_panic();
                panic!("a thread that works on a piece");
            });
            assert!(panics.join().is_err());
            assert!(!waiting.join().unwrap());
            assert!(!ahead.wait(0));
        });
    }
}
