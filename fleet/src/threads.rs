//! The threads that submit rounds and copy faces.

use std::sync::OnceLock;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The most threads. To wake one takes longer than it copies: two and four H100 were exchanged with fastest by 8 to 16 of 64 processor cores, by all of them
/// in up to twice the time.
const MOST: usize = 12;

/// Runs work whose parallel loops have few threads: short loops with pauses between them, such as copies of faces.
pub fn with_few_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static FEW: OnceLock<ThreadPool> = OnceLock::new();
    let few = || {
        let count = thread::available_parallelism().map_or(1, usize::from).min(MOST);
        ThreadPoolBuilder::new().num_threads(count).build().expect("the system has threads")
    };
    FEW.get_or_init(few).install(work)
}
