//! The threads that submit rounds and copy faces.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The most threads. To wake one takes longer than it copies: two and four H100 were exchanged with fastest by 8 to 16 of 64 processor cores, by all of them
/// in up to twice the time.
static MOST: AtomicUsize = AtomicUsize::new(12);

/// Sets the most threads of [`with_few_threads`], before it is called first: several processes that share a machine each need fewer.
pub fn limit_few_threads(most: usize) {
    MOST.store(most.max(1), Ordering::Relaxed);
}

/// Runs work whose parallel loops have few threads: short loops with pauses between them, such as copies of faces.
pub fn with_few_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static FEW: OnceLock<ThreadPool> = OnceLock::new();
    let few = || {
        let count = thread::available_parallelism().map_or(1, usize::from).min(MOST.load(Ordering::Relaxed));
        ThreadPoolBuilder::new().num_threads(count).build().expect("the system has threads")
    };
    FEW.get_or_init(few).install(work)
}
