//! Combinations that are refused, each by an error value.

use halofold::reduce::{BufferRange, Op, Options, Plan, ReduceError, Reducer, Reduction, Shape};
use halofold::{BufferError, Element, Slice, wgpu};

use super::scene::{GPU, buffer, elements, words};

#[test]
fn combinations_that_exclude_each_other_are_refused() {
    let gpu = &*GPU;
    let held = buffer(gpu, &elements(1000), 0);
    let result = buffer(gpu, &elements(1000), 0);
    let mean = Reducer::new(&gpu.device, Op::Mean.over(Element::U32).unwrap()).unwrap();
    let error = mean.of(&held).accumulate().into(&result).unwrap_err();
    assert_eq!(error, ReduceError::NoAtomic { name: "mean".to_owned(), element: "u32".to_owned() });
    let sum = Reducer::new(&gpu.device, Op::Sum.over(Element::U32).unwrap()).unwrap();
    let some = || sum.of(words(&held, 0, 1000));
    let refusal = |reduction: Reduction<'_, '_>| reduction.into(&result).unwrap_err();
    let offsets = Shape::Offsets { count: 20 };
    let list = |at| Slice::new(&held, at, 4 * 21);
    assert_eq!(refusal(some().shape(offsets)), ReduceError::Offsets(offsets));
    assert_eq!(
        refusal(some().segment_offsets(list(0)).shape(Shape::Whole)),
        ReduceError::Offsets(Shape::Whole)
    );
    let rows = Shape::Segments { len: 10 };
    assert_eq!(refusal(some().shape(rows).count_buffer(&held)), ReduceError::Count(rows));
    let error = refusal(some().count_buffer(Slice::at(&held, 2)));
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Offset { role: "count", offset: 2, align: 4, .. })),
        "{error}"
    );
    let error = refusal(some().segment_offsets(list(2)));
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Offset { role: "list of offsets", offset: 2, .. })),
        "{error}"
    );
    let error = refusal(some().segment_offsets(list(4096)));
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::TooShort { role: "list of offsets", .. })),
        "{error}"
    );
    let error = refusal(some().segment_offsets(Slice::new(&result, 0, 4 * 21)));
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Aliased { first: "list of offsets", .. })),
        "{error}"
    );

    let limits = wgpu::Limits { max_storage_buffer_binding_size: 64 << 10, ..wgpu::Limits::default() };
    let sum = Op::Sum.over(Element::U32).unwrap();
    let plan =
        |shape, len| Plan::of(&sum, shape, &[BufferRange { offset: 0, len }], None, &limits).unwrap_err();
    let error = plan(Shape::axis(1, 2, 17_000), 34_000);
    assert!(error.to_string().contains("max_storage_buffer_binding_size"), "{error}");
    assert!(matches!(plan(Shape::axis(3, 3, 3), 28), ReduceError::Axis { total: 28, .. }));
    for (shape, allowed) in [
        (Shape::Strided { stride: 0 }, "stride of 0: it can be at least 1"),
        (Shape::Strided { stride: 1 << 32 }, "stride of 4294967296: it can be 1 to 4294967295"),
        (
            Shape::Offsets { count: u64::from(u32::MAX) },
            "segments of 4294967295: it can be at most 4294967294: split the offsets",
        ),
    ] {
        assert_eq!(plan(shape, 1).to_string(), allowed);
    }
}

/// A plan serves reductions of other buffers, and no reduction that binds or counts other elements.
#[test]
fn plans_of_other_reductions_are_refused() {
    let gpu = &*GPU;
    let [held, other, result] = [1, 2, 3].map(|seed| buffer(gpu, &elements(1000 + seed), 0));
    let of = |element, options| {
        Reducer::with_options(&gpu.device, Op::ArgMax.over(element).unwrap(), options).unwrap()
    };
    let least = of(Element::U32, Options::default());
    let states = of(Element::U32, Options::default().with_to_states(true));
    let floats = of(Element::F64, Options::default());
    let plan = least.of(words(&held, 0, 900)).plan().unwrap();
    let prepare = |reduction: Reduction<'_, '_>| reduction.prepare(plan.clone(), &result);
    assert_eq!(*prepare(least.of(words(&other, 0, 900))).unwrap().plan(), plan);
    for differs in [
        least.of(words(&held, 0, 899)),
        least.of(words(&held, 1, 900)),
        least.of(words(&held, 0, 900)).len(899),
        least.of(words(&held, 0, 900)).segments(900),
        least.of(words(&held, 0, 450)).chain(words(&held, 450, 450)),
        least.of(words(&held, 0, 900)).counting_from(1),
        least.of(words(&held, 0, 900)).element_count(7),
        states.of(words(&held, 0, 900)),
        floats.of(Slice::new(&held, 0, 3600)).len(450),
    ] {
        assert_eq!(prepare(differs).unwrap_err(), ReduceError::OtherPlan);
    }
}
