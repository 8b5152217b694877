//! Counts on the GPU: an operation takes as many elements as one on the host would say.

use halofold::group::{GroupById, GroupByKey, Pairs};
use halofold::histogram::{Histogram, Keys};
use halofold::wgpu::{Buffer, BufferUsages};
use halofold::{Compiled, Element, InputsOf, Planned, Request, Slice};

use crate::common::{Gpu, buffer, gpu, in_one_pass, limited, read};

const LEN: u32 = 70_000;

/// The bytes of all outputs.
fn written<O: Planned>(gpu: &Gpu, request: Request<'_, '_, O>) -> Vec<Vec<u8>> {
    let (bound, outputs) = request.bind_new(BufferUsages::COPY_SRC).unwrap();
    gpu.clean(|| in_one_pass(gpu, |pass| (0..2).for_each(|_| bound.encode_in_pass(pass))));
    outputs.iter().map(|(_, output)| read(gpu, output)).collect()
}

fn check<'i, O: Planned>(gpu: &Gpu, operation: O, inputs: impl InputsOf<'i, O> + Copy) {
    let compiled = Compiled::new(&gpu.device, operation, &Default::default()).unwrap();
    for count in [0, 4097, LEN - 1, LEN + 9] {
        let held = buffer(gpu, bytemuck::cast_slice(&[9, 9, count, 9]), BufferUsages::STORAGE);
        let found = written(gpu, compiled.of(inputs).count_buffer(Slice::new(&held, 8, 4)));
        let expected = written(gpu, compiled.of(inputs).len(count.min(LEN).into()));
        assert!(found == expected, "{count} of {:?}", compiled.operation());
    }
}

#[test]
fn counts_on_the_gpu_are_those_of_the_host() {
    // Inputs of several windows.
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 17);
    for gpu in [gpu(), &narrow] {
        let words = |of: fn(u32) -> u32| -> Buffer {
            let words: Vec<u32> = (0..LEN).map(of).collect();
            buffer(gpu, bytemuck::cast_slice(&words), BufferUsages::STORAGE)
        };
        let values = &words(|i| i.wrapping_mul(2_654_435_761) >> 12);
        let keys = &words(|i| i.wrapping_mul(2_654_435_761) >> 23);
        let pairs = Pairs { keys, values };
        check(gpu, Histogram::new(Keys::Numbers, 512), keys);
        check(gpu, GroupById::new(Element::U32, 512).unwrap().sum().count(), pairs);
        check(gpu, GroupByKey::new(Element::U32, Element::U32, 600).unwrap().sum().max(), pairs);
    }
    // Pairs in parts, and in storage.
    let words = |of: fn(u32) -> u32| -> Buffer {
        let words: Vec<u32> = (0..LEN).map(of).collect();
        buffer(gpu(), bytemuck::cast_slice(&words), BufferUsages::STORAGE)
    };
    let ids = &words(|i| i.wrapping_mul(2_654_435_761) >> 16);
    for groups in [6000, 70_000] {
        check(gpu(), GroupById::new(Element::U32, groups).unwrap().count(), Pairs { keys: ids, values: ids });
    }
}
