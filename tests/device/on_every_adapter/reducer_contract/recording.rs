//! The cost of recording: nothing beyond wgpu's own calls, neither memory nor time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

use halofold::reduce::{Prepared, Shape};
use halofold::{Element, wgpu};

use super::by_hand::ByHand;
use super::scene::{Bench, reducer, shapes, sum};
use crate::common::{Gpu, gpu, limited};
use crate::cut::Cut;

/// The system's allocator, counting each thread's requests.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that ends may allocate when its locals are gone; that is not counted.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: everything is left to the system's allocator; counting touches no memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Requests for memory, and the time, that recording takes this many times over in a fresh pass. Nothing is submitted.
fn cost(gpu: &Gpu, times: usize, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> (u64, Duration) {
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    let before = REQUESTS.get();
    let start = Instant::now();
    for _ in 0..times {
        record(&mut pass);
    }
    (REQUESTS.get() - before, start.elapsed())
}

/// One reduction of each form, and one of forty windows, two a dispatch, on a device that binds little.
fn with_each(work: impl Fn(&Gpu, &Prepared)) {
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 64 << 10);
    let bytes = vec![0; 4 * 650_000];
    let others = [(gpu(), Cut::of(Shape::Accumulate, 300_000)), (&narrow, Cut::whole(650_000))];
    for (gpu, cut) in shapes(300_000).map(|cut| (gpu(), cut)).into_iter().chain(others) {
        let reducer = reducer(gpu, sum(Element::U32));
        work(gpu, &Bench::new(gpu, &reducer, &cut, &bytes, None).prepared);
    }
}

#[test]
fn recording_allocates_no_more_than_the_same_calls_by_hand() {
    let most = Cell::new(0);
    with_each(|gpu, prepared| {
        let count = prepared.plan().launches().len();
        let by_hand = ByHand::like(gpu, prepared.plan());
        for times in [1, 50] {
            let (ours, _) = cost(gpu, times, |pass| prepared.encode_in_pass(pass));
            let (theirs, _) = cost(gpu, times, |pass| by_hand.record(pass));
            assert_eq!(ours, theirs, "{times} times {count} dispatches");
            // wgpu's list of commands grows now and then, which shows that the counter counts.
            assert!(times == 1 || theirs > 0);
        }
        most.set(most.get().max(count));
    });
    assert!(most.get() >= 19, "no plan had more than {} dispatches", most.get());
}

#[test]
fn recording_takes_as_long_as_the_same_calls_by_hand() {
    const TIMES: usize = 100;
    with_each(|gpu, prepared| {
        let count = prepared.plan().launches().len();
        let by_hand = ByHand::like(gpu, prepared.plan());
        // Taken in turns, and the fastest of many: whatever else the machine does meets both alike.
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        for _ in 0..40 {
            ours = ours.min(cost(gpu, TIMES, |pass| prepared.encode_in_pass(pass)).1);
            theirs = theirs.min(cost(gpu, TIMES, |pass| by_hand.record(pass)).1);
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / TIMES as f64;
        eprintln!("{count} dispatches: {:.2} µs, by hand {:.2} µs", each(ours), each(theirs));
        assert!(each(ours) < 1.5 * each(theirs) + 0.2, "{:.2} µs, {:.2} by hand", each(ours), each(theirs));
    });
}
