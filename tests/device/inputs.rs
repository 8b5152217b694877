//! Inputs of operations among poison, and what operations write.

use bytemuck::NoUninit;
use halofold::scan::Progress;
use halofold::{Bound, Error, Planned, Request, Slice, Value, wgpu};

use crate::common::{Gpu, Outputs, in_one_pass, poisoned, read, twice_in_a_pass};

/// The ways in which workgroups get on, the usual one first.
pub const WAYS: [Progress; 4] = [Progress::Usual, Progress::Computing, Progress::Reversed, Progress::Stalled];

/// Elements on a device.
pub struct Input {
    buffer: wgpu::Buffer,
    offset: u64,
    size: u64,
}

impl Input {
    pub fn new<T: NoUninit>(gpu: &Gpu, elements: &[T]) -> Self {
        Input::at(gpu, elements, 0)
    }

    /// Elements from a byte of a buffer on.
    pub fn at<T: NoUninit>(gpu: &Gpu, elements: &[T], offset: u64) -> Self {
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        Input { buffer: poisoned(gpu, bytes, offset), offset, size: bytes.len() as u64 }
    }

    /// A part of its bytes.
    pub fn part(&self, from: u64, size: u64) -> Slice<'_> {
        Slice::new(&self.buffer, self.offset + from, size)
    }
}

impl<'i> From<&'i Input> for Slice<'i> {
    fn from(input: &'i Input) -> Self {
        input.part(0, input.size)
    }
}

/// Records an operation twice in a pass, and that twice, into outputs of these sizes. Returns their bytes, which must be equal.
pub fn written(
    gpu: &Gpu,
    sizes: impl IntoIterator<Item = u64>,
    prepare: impl FnOnce(Vec<Slice<'_>>) -> Result<Bound, Error>,
) -> Vec<Vec<u8>> {
    let outputs = Outputs::new(gpu, sizes);
    let prepared = prepare(outputs.slices().collect()).unwrap();
    outputs.run(twice_in_a_pass(|pass| prepared.encode_in_pass(pass))).unwrap()
}

/// The bytes of all outputs of an operation that is recorded twice in a pass.
pub fn outputs_of<O: Planned>(gpu: &Gpu, request: Request<'_, '_, O>) -> Vec<Vec<u8>> {
    let (bound, outputs) = request.bind_new(wgpu::BufferUsages::COPY_SRC).unwrap();
    gpu.clean(|| in_one_pass(gpu, |pass| (0..2).for_each(|_| bound.encode_in_pass(pass))));
    outputs.iter().map(|(_, output)| read(gpu, output)).collect()
}

pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// The value of the same type as another one, in a word.
pub fn value_like(expected: Value, word: u32) -> Value {
    match expected {
        Value::Unsigned(_) => Value::Unsigned(word.into()),
        Value::Signed(_) => Value::Signed((word as i32).into()),
        _ => Value::F32(f32::from_bits(word)),
    }
}
