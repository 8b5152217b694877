//! Random values of every parameter of every public tuning and option: the right result, or an error value. Most plans need no GPU and are many;
//! some are run.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::is_software;
use halofold::group::{GroupById, GroupByKey, RunLengths};
use halofold::histogram::{self, Keys, Method};
use halofold::ladder::{Finish, RUNGS, Setup};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{BufferRange, Op, Shape, ShapeKind};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::stencil::reference::Problem;
use halofold::stencil::{
    self, Block, Border, Borders, Config, Dims, Grid, Grids, Jacobi, Norm, STENCILS, Until,
};
use halofold::wgpu::{Features, Limits};
use halofold::{Cut, Element, Planned, Slice};
use halofold_cases::{End, How, Scene, any_adapter, same, text};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Any number, mostly one that parameters take or nearly take.
fn parameter() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => (0u32..12).prop_map(|power| 1 << power),
        3 => 0u32..70,
        1 => prop::sample::select(vec![u32::MAX, u32::MAX - 1, 1 << 31, 1 << 16, 65_535, 32_768, 32_769]),
        1 => any::<u32>(),
    ]
}

/// Limits of devices that exist, and some that do not.
fn limits() -> impl Strategy<Value = Limits> {
    let any = [(); 4].map(|()| parameter()).prop_map(|[size, memory, binding, across]| Limits {
        max_compute_invocations_per_workgroup: size,
        max_compute_workgroup_size_x: size,
        max_compute_workgroup_storage_size: memory,
        max_storage_buffer_binding_size: binding.into(),
        max_compute_workgroups_per_dimension: across.min(65_535),
        ..Limits::default()
    });
    let [webgl2, downlevel] = [Limits::downlevel_webgl2_defaults(), Limits::downlevel_defaults()];
    prop_oneof![Just(Limits::default()), Just(downlevel), Just(webgl2), any]
}

prop_compose! {
    fn stencil_config()(
        stencil in prop::sample::select(STENCILS),
        nth in any::<prop::sample::Index>(),
        (planes, rows, cols) in (1u32..9, 1u32..40, 1u32..40),
        (block_rows, block_cols) in prop_oneof![3 => (1u32..17, 1u32..17), 1 => (parameter(), parameter())],
        parameters in prop_oneof![
            3 => (1u32..40, 1u32..33, prop::sample::select(vec![1u32, 2, 4])),
            1 => (parameter(), parameter(), parameter()),
        ],
        border in prop::sample::select(vec![
            Border::Fixed, Border::Reflect, Border::Wrap, Border::Mirror, Border::Constant(2.0),
        ]),
    ) -> Config {
        let variants: Vec<_> = stencil.variants().collect();
        let variant = nth.get(&variants);
        let planes = if stencil.dims == Dims::Two { 1 } else { planes };
        let (layers_per_group, rows_per_invocation, strip) = parameters;
        let tuning = stencil::Tuning::of(variant)
            .with_block(Block { rows: block_rows, cols: block_cols })
            .with_layers_per_group(layers_per_group)
            .with_rows_per_invocation(rows_per_invocation)
            .with_strip(strip);
        Config::new(stencil, variant, Element::F32, Grid { planes, rows, cols })
            .with_borders(Borders::all(border))
            .with_tuning(tuning)
    }
}

/// Workgroup sizes. Half of them are usual ones; otherwise nearly every job would only test an error.
fn usual_size() -> impl Strategy<Value = u32> {
    prop_oneof![parameter(), prop::sample::select(vec![32, 64, 128, 256])]
}

prop_compose! {
    fn histogram_config()(
        ranges in any::<bool>(),
        bins in prop_oneof![4 => 1u32..5000, 1 => parameter()],
        add in any::<bool>(),
        (workgroup_size, max_workgroups) in (usual_size(), parameter()),
        (in_storage, copies, slices, merge) in (any::<bool>(), parameter(), parameter(), any::<bool>()),
    ) -> histogram::Histogram {
        let keys = if ranges { Keys::Ranges { low: 0.0, high: 1.0 } } else { Keys::Numbers };
        let method = if in_storage { Method::Storage } else { Method::Workgroup { copies, slices, merge } };
        let job = histogram::Histogram::new(keys, bins);
        let tuning = job.tuning_on(&Limits::default());
        let tuning = tuning.with_workgroup_size(workgroup_size).with_max_workgroups(max_workgroups);
        let job = job.with_tuning(tuning.with_method(method));
        if add { job.adding() } else { job }
    }
}

prop_compose! {
    fn ladder_setup()(
        rung in prop::sample::select(RUNGS.iter().collect::<Vec<_>>()),
        finish in prop::sample::select(vec![
            Finish::Host, Finish::Repeat, Finish::OneWorkgroup, Finish::LastWorkgroup, Finish::Atomic,
        ]),
        own in any::<bool>(),
        (workgroup_size, max_workgroups, tile, leave) in (parameter(), parameter(), parameter(), parameter()),
    ) -> Setup {
        let mut setup = Setup::new(rung, &Limits::default(), 1 << 20);
        setup.finish = if own { rung.finishes[0] } else { finish };
        (setup.tuning.workgroup_size, setup.tuning.max_workgroups) = (workgroup_size, max_workgroups);
        (setup.tuning.tile, setup.tuning.leave) = (tile, leave);
        setup
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(20_000))]

    /// No value of any parameter, no limit and no place makes planning panic; and what only describes a configuration never does.
    #[test]
    fn planning_never_panics(
        (config, job, setup) in (stencil_config(), histogram_config(), ladder_setup()),
        (limits, element) in (limits(), prop::sample::select(Element::ALL.to_vec())),
        offset in prop_oneof![Just(0u64), (0u64..4096).prop_map(|at| 4 * at), any::<u64>()],
        len in prop_oneof![0u64..100_000, parameter().prop_map(u64::from), Just(1 << 62), any::<u64>()],
        (k, row, groups) in (parameter(), parameter(), parameter()),
        // Some operations plan many dispatches or compile a text.
        takes_time in prop::bool::weighted(0.15),
    ) {
        let _ = config.plan(Features::empty(), &limits);
        let _ = (config.overrides(), config.flops(), config.variant.tile(config.tuning.block));
        let input = BufferRange { offset, len };
        let _ = (job.plan(Cut::All, input, None, &limits), job.kernels(Cut::All, Features::empty(), &limits));
        let sum = Op::Sum.over(Element::U32).unwrap();
        let how = How::default().with_rung(setup);
        let _ = how.check(&sum, ShapeKind::Whole, Features::all(), &limits);
        let _ = how.plan(&sum, Shape::Whole, &[input], None, &limits);
        for shape in [
            Shape::Whole,
            Shape::Accumulate,
            Shape::Strided { stride: len / 3 },
            Shape::Segments { len: len.isqrt() },
            Shape::Offsets { count: len.min(1000) },
            Shape::axis(1, len.isqrt(), len.isqrt()),
        ] {
            let _ = How::default().plan(&sum, shape, &[input], None, &limits);
        }
        if takes_time {
            let median = Quantiles::new(element, [0.5]);
            let top = TopK::new(element, k);
            let scan = Scan::new(Op::Sum.over(element).unwrap());
            for cut in [Cut::All, Cut::Rows(row.into())] {
                let _ = median.plan(cut.clone(), input, None, &limits);
                let _ = top.plan(cut.clone(), input, None, &limits);
                let _ = scan.plan(cut, input, None, &limits);
            }
            let all = Cut::All;
            let _ = GroupById::new(Element::F32, groups).sum().plan(all.clone(), input, Some(input), &limits);
            let _ = RunLengths::new(element).plan(all.clone(), input, None, &limits);
            let by_key = GroupByKey::new(element, Element::U32, groups).sum();
            let _ = by_key.plan(all.clone(), input, Some(input), &limits);
            let keep = "fn keep(elem: Elem, index: u32) -> bool { return index % 3u == 0u; }";
            let _ = Select::new(element, keep).unwrap().plan(all, input, None, &limits);
        }
    }
}

/// Runs cases on one device: a panic, a complaint of wgpu's and a wrong result fail. Enough must give a result: errors prove little.
fn check<S: Strategy>(cases: u32, values: S, work: impl Fn(&Scene, S::Value) -> Result<End, String>) {
    let cases = if is_software() { cases / 3 } else { cases };
    let adapter = any_adapter();
    let scene = Scene::open(&adapter, adapter.limits()).expect("the adapter opens");
    let right = Cell::new(0);
    let checked = TestRunner::new(config(cases)).run(&values, |value| {
        let end = catch_unwind(AssertUnwindSafe(|| work(&scene, value)));
        let complaints = scene.complaints();
        prop_assert!(complaints.is_empty(), "wgpu complains: {}", complaints.join("; "));
        match end {
            Ok(Ok(End::Right)) => right.set(right.get() + 1),
            Ok(Ok(End::Wrong(what))) => return Err(TestCaseError::fail(what)),
            Ok(_) => {}
            Err(_) => return Err(TestCaseError::fail("a panic")),
        }
        Ok(())
    });
    checked.unwrap();
    assert!(right.get() > cases / 20, "only {} of {cases} cases gave a result", right.get());
}

/// The word of a place: any, and none twice.
fn word(at: u32) -> u32 {
    at.wrapping_mul(2_654_435_761)
}

#[test]
fn stencils_are_right_or_refused() {
    let until = (any::<bool>(), parameter(), prop::sample::select(vec![Norm::Max, Norm::L2]));
    check(150, (stencil_config(), until), |scene, (config, (ends, every, norm))| {
        let weights = config.stencil.dyadic;
        let jacobi = scene.compile(Ok(Jacobi::new(config, weights)))?;
        let start: Vec<_> = (0..config.grid.cells() as u32).map(|at| f64::from(word(at) >> 29)).collect();
        let mut after = start.clone();
        Problem::of(&config, weights).step(&start, &mut after);
        let [start, after] = [start, after]
            .map(|cells| cells.iter().flat_map(|cell| (*cell as f32).to_le_bytes()).collect::<Vec<u8>>());
        let [first, second] = [scene.buffer(&start)?, scene.buffer(&start)?];
        let grids = Grids::new(&first, &second);
        if ends {
            let until = Until::new(0.0).with_every(every).with_norm(norm);
            let run = jacobi.bind_until(grids, until).map_err(text)?;
            return pollster::block_on(scene.compare(|encoder| run.encode(encoder, 0..1), &second, &after));
        }
        let stepper = jacobi.bind(grids).map_err(text)?;
        pollster::block_on(scene.compare(|encoder| stepper.encode(encoder, 1), &second, &after))
    });
}

#[test]
fn histograms_are_right_or_refused() {
    // Every slice reads all keys: thousands of slices would take their time.
    let few_slices = |job: &histogram::Histogram| !matches!(job.tuning_on(&Limits::default()).method, Method::Workgroup { slices, .. } if slices > 512);
    check(150, histogram_config().prop_filter("thousands of slices", few_slices), |scene, job| {
        let key = |i: u32| match &job.keys {
            Keys::Numbers => word(i) % job.bins.clamp(1, 60_000),
            _ => (i as f32 / 2999.0).to_bits(),
        };
        let keys: Vec<u32> = (0..3000).map(key).collect();
        let histogram = scene.compile(Ok(job.clone()))?;
        let counts = histogram::reference::counts(&job.keys, job.bins, &keys);
        let (input, output) = (scene.buffer(bytemuck::cast_slice(&keys))?, scene.room(job.output())?);
        let prepared = histogram.of(&input).bind(&output).map_err(text)?;
        let counts = bytemuck::cast_slice(&counts);
        pollster::block_on(scene.compare(|encoder| prepared.encode(encoder), &output, counts))
    });
}

#[test]
fn rungs_are_right_or_refused() {
    check(750, (ladder_setup(), 0u32..20_000), |scene, (setup, len)| {
        let words: Vec<u32> = (0..len).map(word).collect();
        let how = How::default().with_rung(setup);
        let sum = Op::Sum.over(Element::U32).map_err(text)?;
        let reducer = how.on(&scene.device, &sum).map_err(text)?;
        let input = scene.buffer(bytemuck::cast_slice(&words))?;
        let reduction = reducer.of(Slice::new(&input, 0, 4 * u64::from(len)));
        let plan = reduction.plan().map_err(text)?;
        let output = scene.room(plan.output())?;
        let prepared = reduction.bind(&output).map_err(text)?;
        let fetched = scene.fetch(|encoder| prepared.encode(encoder), &output, plan.output());
        // Some finishes leave the rest to the host.
        let partials: Vec<u32> = bytemuck::pod_collect_to_vec(&pollster::block_on(fetched)?);
        let [got, expected] = [partials, words].map(|words| words.into_iter().fold(0, u32::wrapping_add));
        Ok(same(&got.to_le_bytes(), &expected.to_le_bytes()))
    });
}
