//! The end of a thread.

use std::panic;
use std::thread::ScopedJoinHandle;

/// Returns a thread's value. A scope's own end does not wait for a driver's work at the end of a thread.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|why| panic::resume_unwind(why))
}
