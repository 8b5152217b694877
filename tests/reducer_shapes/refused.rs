//! What does not go together, each an error value.

use halofold::reduce::{
    Extent, Form, Input, Op, Output, Plan, PlanError, Position, ReduceError, Reducer, Shape, Source,
    Workspace,
};
use halofold::{BufferError, Element, wgpu};

use crate::scene::{GPU, buffer, elements, extents};

#[test]
fn what_does_not_go_together_is_refused() {
    let gpu = &*GPU;
    let held = buffer(gpu, &elements(1000), 0);
    let result = buffer(gpu, &elements(1000), 0);
    let input = [Input { buffer: &held, offset: 0, len: 1000 }];
    let place = Position { buffer: &held, offset: 0 };
    let error =
        Reducer::new(&gpu.device, Op::Mean.over(Element::U32).unwrap(), Form::Accumulate).unwrap_err();
    assert_eq!(error, ReduceError::NoAtomic { name: "mean".to_owned(), element: Element::U32 });
    let refusal = |shape: Shape, source: Source<'_>, offset: u64| {
        let reducer = Reducer::new(&gpu.device, Op::Sum.over(Element::U32).unwrap(), shape.form()).unwrap();
        let plan = reducer.plan(shape, &extents(&input), None).unwrap();
        let space = Workspace::new(&gpu.device, &plan);
        let output = Output { buffer: &result, offset };
        reducer.prepare(&gpu.device, source, shape, output, &space).unwrap_err()
    };
    let some = Source::of(&input);
    let offsets = Shape::Offsets { count: 20 };
    assert_eq!(refusal(offsets, some, 0), ReduceError::Offsets(offsets));
    assert_eq!(refusal(Shape::Whole, some.with_offsets(place), 0), ReduceError::Offsets(Shape::Whole));
    let rows = Shape::Segments { len: 10 };
    assert_eq!(refusal(rows, some.with_count(place), 0), ReduceError::Count(rows));
    let inside = Position { offset: 2, ..place };
    let error = refusal(Shape::Whole, some.with_count(inside), 0);
    assert_eq!(error, ReduceError::Plan(PlanError::Misaligned { offset: 2, size: 4 }));
    let error = refusal(offsets, some.with_offsets(Position { offset: 2, ..place }), 0);
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Offset { role: "list of offsets", offset: 2, .. })),
        "{error}"
    );
    let error = refusal(offsets, some.with_offsets(Position { offset: 4096, ..place }), 0);
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::TooShort { role: "list of offsets", .. })),
        "{error}"
    );
    let error = refusal(offsets, some.with_offsets(Position { buffer: &result, offset: 0 }), 0);
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Aliased { first: "list of offsets", .. })),
        "{error}"
    );

    let limits = wgpu::Limits { max_storage_buffer_binding_size: 64 << 10, ..wgpu::Limits::default() };
    let sum = Op::Sum.over(Element::U32).unwrap();
    let plan = |shape, len| Plan::of(&sum, shape, &[Extent { offset: 0, len }], None, &limits).unwrap_err();
    let error = plan(Shape::axis(1, 2, 17_000), 34_000);
    assert!(error.to_string().contains("max_storage_buffer_binding_size"), "{error}");
    assert!(matches!(plan(Shape::axis(3, 3, 3), 28), ReduceError::Axis { total: 28, .. }));
    assert_eq!(plan(Shape::Strided { stride: 0 }, 1), ReduceError::Stride(0));
    assert_eq!(
        plan(Shape::Offsets { count: u64::from(u32::MAX) }, 1),
        ReduceError::TooManySegments(u64::from(u32::MAX))
    );
}
