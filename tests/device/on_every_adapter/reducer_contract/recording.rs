//! The cost of recording: nothing beyond wgpu's own calls, neither memory nor time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use halofold::reduce::plan::Stage;
use halofold::reduce::{Plan, Shape};
use halofold::{Element, Pass, wgpu};

use super::{Bench, reducer, shapes, sum};
use crate::common::{Gpu, buffer, gpu, limited};
use crate::cut::Cut;

/// The system's allocator, counting each thread's requests.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is left to the system's allocator; counting touches no memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate when its locals are gone; that is not counted.
        let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(memory, layout) }
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

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { words[id.x % 4u] = id.x; }
";

/// As many dispatches as a plan has, each with a bind group of its own, and another pipeline wherever the plan has another kernel.
fn by_hand(gpu: &Gpu, plan: &Plan) -> Vec<(wgpu::ComputePipeline, wgpu::BindGroup)> {
    let source = wgpu::ShaderSource::Wgsl(KERNEL.into());
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = || {
        gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        })
    };
    let mut pipelines = HashMap::new();
    let dispatch = |launch: &Pass<Stage>| {
        let pipeline = pipelines.entry(launch.step).or_insert_with(pipeline).clone();
        let words = buffer(gpu, &[0; 16], wgpu::BufferUsages::STORAGE);
        let bindings = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: words.as_entire_binding() }],
        });
        (pipeline, bindings)
    };
    plan.launches().iter().map(dispatch).collect()
}

/// One reduction of each form, and one of forty windows, two a dispatch, on a device that binds little.
#[test]
fn recording_costs_as_much_as_the_same_calls_by_hand() {
    const TIMES: usize = 100;
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 64 << 10);
    let bytes = vec![0; 4 * 650_000];
    let others = [(gpu(), Cut::of(Shape::Accumulate, 300_000)), (&narrow, Cut::whole(650_000))];
    let mut most = 0;
    for (gpu, cut) in shapes(300_000).map(|cut| (gpu(), cut)).into_iter().chain(others) {
        let Bench { prepared, plan, .. } = Bench::new(gpu, &reducer(gpu, sum(Element::U32)), &cut, &bytes);
        let (count, by_hand) = (plan.launches().len(), by_hand(gpu, &plan));
        assert_eq!(prepared.dispatches(), count);
        most = most.max(count);
        let record_by_hand = |pass: &mut wgpu::ComputePass<'_>| {
            for (pipeline, bindings) in &by_hand {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, bindings, &[]);
                pass.dispatch_workgroups(1, 1, 1);
            }
        };
        let costs = |times| {
            [cost(gpu, times, |pass| prepared.encode_in_pass(pass)), cost(gpu, times, record_by_hand)]
        };
        for times in [1, 50] {
            let [ours, theirs] = costs(times).map(|(requests, _)| requests);
            assert_eq!(ours, theirs, "{times} times {count} dispatches");
            // wgpu's list of commands grows now and then, which shows that the counter counts.
            assert!(times == 1 || theirs > 0);
        }
        // Taken in turns, and the fastest of many: whatever else the machine does meets both alike.
        let fastest = (0..40).fold([Duration::MAX; 2], |[ours, theirs], _| {
            let [(_, our), (_, their)] = costs(TIMES);
            [ours.min(our), theirs.min(their)]
        });
        let [ours, theirs] = fastest.map(|time| time.as_secs_f64() * 1e6 / TIMES as f64);
        eprintln!("{count} dispatches: {ours:.2} µs, by hand {theirs:.2} µs");
        assert!(ours < 1.5 * theirs + 0.2, "{ours:.2} µs, {theirs:.2} by hand");
    }
    assert!(most >= 19, "no plan had more than {most} dispatches");
}
