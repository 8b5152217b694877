//! The same reduction on the processor: one thread, as the documents compare against, and all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use halofold::Element;
use halofold::measure::Summary;
use halofold::reduce::Operator;
use half::f16;
use rayon::prelude::*;

/// A plain loop over the elements, the way a program would first write it. Floats keep their order.
pub fn one_thread(operator: Operator, element: Element, bytes: &[u8]) {
    match element {
        Element::U32 => drop(black_box(integers::<u32>(operator, bytes))),
        Element::I32 => drop(black_box(integers::<i32>(operator, bytes))),
        Element::U64 => drop(black_box(integers::<u64>(operator, bytes))),
        Element::I64 => drop(black_box(integers::<i64>(operator, bytes))),
        Element::F32 => drop(black_box(floats::<f32, f32>(operator, bytes, |x| x))),
        Element::F64 => drop(black_box(floats::<f64, f64>(operator, bytes, |x| x))),
        Element::F16 => drop(black_box(floats::<f16, f32>(operator, bytes, f16::to_f32))),
    }
}

/// The same, a piece a task.
pub fn all_threads(operator: Operator, element: Element, bytes: &[u8]) {
    bytes.par_chunks(1 << 16).for_each(|piece| one_thread(operator, element, piece));
}
