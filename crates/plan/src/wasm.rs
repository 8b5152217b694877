//! The planner as a WebAssembly module without imports: text of JSON in, text of JSON out, both in its memory.

use std::slice;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

/// The last answer.
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Allocates room for a text of some bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn allocate(size: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; size].into_boxed_slice()).cast()
}

/// Plans a request, a text from [`allocate`] which this call takes. Returns the address of four bytes with the size of a text, which follows: a
/// plan, or `{"error": "…"}`. It holds until the next call.
///
/// # Safety
///
/// `request` is of a call of [`allocate`] with `size`, and was passed to no other call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn plan(request: *mut u8, size: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let request = unsafe { Box::from_raw(slice::from_raw_parts_mut(request, size)) };
    let planned = serde_json::from_slice(&request).map_err(Into::into).and_then(crate::plan);
    let text = planned.unwrap_or_else(|error| json!({ "error": error.to_string() })).to_string();
    let answer = [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let mut kept = ANSWER.lock().unwrap_or_else(PoisonError::into_inner);
    *kept = answer;
    kept.as_ptr()
}
