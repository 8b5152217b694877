//! Operations over the texels of a texture write what they write over a buffer with the same elements.

use halofold::group::{GroupById, GroupByKey, Pairs, ReduceRuns};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{Arity, Monoid, Op};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::{Buffer, BufferUsages, Texture, TextureFormat, TextureSampleType};
use halofold::{Compiled, Element, InputsOf, Map, OfTexels, Options, Planned, Texels};

use super::textures::{BOUND, component, texture, write};
use crate::common::{Gpu, Random, buffer, gpu, in_one_pass, limited, read};
use crate::refusals;

const SIZE: [u32; 2] = [83, 61];

/// A rectangle inside.
const CORNER: [u32; 2] = [3, 5];
const PART: [u32; 2] = [70, 50];

/// A texture, and buffers: the elements of the rectangle, and keys.
struct Held {
    texture: Texture,
    elements: Buffer,
    keys: Buffer,
}

impl Held {
    fn new(gpu: &Gpu) -> Self {
        let mut random = Random::new(7);
        let words: Vec<u32> = (0..SIZE[0] * SIZE[1]).map(|_| (random.next() >> 40) as u32 % 997).collect();
        let row = |row: &[u32]| row[CORNER[0] as usize..][..PART[0] as usize].to_vec();
        let rows = words.chunks(SIZE[0] as usize).skip(CORNER[1] as usize).take(PART[1] as usize);
        let elements: Vec<u32> = rows.flat_map(row).collect();
        let keys: Vec<u32> =
            (0..elements.len() as u32).map(|at| at.wrapping_mul(0x9e37_79b1) >> 27).collect();
        let texture = texture(gpu, TextureFormat::R32Uint, SIZE, [1, 1], BOUND);
        write(gpu, &texture, 0, 0, bytemuck::cast_slice(&words));
        let [elements, keys] =
            [elements, keys].map(|words| buffer(gpu, bytemuck::cast_slice(&words), BufferUsages::STORAGE));
        Held { texture, elements, keys }
    }

    fn texels(&self) -> Texels<'_> {
        Texels::new(&self.texture).rectangle(CORNER, PART)
    }
}

/// The bytes of all outputs.
fn written<'i, O: Planned>(
    gpu: &Gpu,
    operation: O,
    inputs: impl InputsOf<'i, O>,
    len: Option<u64>,
    count: Option<&Buffer>,
) -> Vec<Vec<u8>> {
    let compiled = Compiled::new(&gpu.device, operation, &Options::default()).unwrap();
    let request = compiled.of(inputs);
    let request = if let Some(len) = len { request.len(len) } else { request };
    let request = if let Some(count) = count { request.count_buffer(count) } else { request };
    let (bound, outputs) = request.bind_new(BufferUsages::COPY_SRC).unwrap();
    gpu.clean(|| in_one_pass(gpu, |pass| (0..2).for_each(|_| bound.encode_in_pass(pass))));
    outputs.iter().map(|(_, output)| read(gpu, output)).collect()
}

/// Compares an operation over texels with the same over a buffer.
macro_rules! same {
    ($gpu:expr, $operation:expr, $texels:expr, $elements:expr) => {
        for len in [None, Some(1000), Some(0)] {
            let operation = $operation;
            let of_texels =
                OfTexels::new(operation.clone(), component(TextureSampleType::Uint, "r")).unwrap();
            let found = written($gpu, of_texels.clone(), $texels, len, None);
            let expected = written($gpu, operation.clone(), $elements, len, None);
            assert!(found == expected, "{operation:?} of {len:?}");
        }
        let operation = $operation;
        let of_texels = OfTexels::new(operation.clone(), component(TextureSampleType::Uint, "r")).unwrap();
        let count = buffer($gpu, &1000u32.to_le_bytes(), BufferUsages::STORAGE);
        let found = written($gpu, of_texels, $texels, None, Some(&count));
        let expected = written($gpu, operation.clone(), $elements, None, Some(&count));
        assert!(found == expected, "{operation:?} of a count");
    };
}

#[test]
fn texels_are_elements() {
    let element = Element::U32;
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return elem % 3u == index % 5u; }";
    let (gpu, held) = (gpu(), Held::new(gpu()));
    let (texels, elements, keys) = (held.texels(), &held.elements, &held.keys);
    same!(gpu, Quantiles::new(element, [0.1, 0.5]).unwrap(), texels, elements);
    same!(gpu, TopK::new(element, 5).unwrap(), texels, elements);
    same!(gpu, Scan::new(Op::Sum.over(element).unwrap()).unwrap(), texels, elements);
    same!(gpu, Select::new(element, keep).unwrap(), texels, elements);
    let by_id = GroupById::new(element, 20).unwrap().sum().variance();
    same!(gpu, by_id.clone(), Pairs { keys, values: texels }, Pairs { keys, values: elements });
    let by_key = GroupByKey::new(element, element, 1000).unwrap().sum();
    same!(gpu, by_key.clone(), Pairs { keys: texels, values: keys }, Pairs { keys: elements, values: keys });
    same!(gpu, ReduceRuns::lengths(element).unwrap(), texels, elements);
}

#[test]
fn texels_that_are_no_elements() {
    let map = || component(TextureSampleType::Uint, "r");
    let of = |element, map: Map| OfTexels::new(Quantiles::new(element, [0.5]).unwrap(), map).unwrap_err();
    let bytes = Monoid::custom_struct(
        "none",
        4,
        Arity::One,
        "struct Elem { x: u32 }
        alias Acc = u32;
        fn map(elem: Elem, index: u32) -> Acc { return elem.x; }
        fn identity() -> Acc { return 0u; }
        fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
        fn finish(acc: Acc, n: u32) -> Acc { return acc; }",
    );
    let scan = OfTexels::new(Scan::new(bytes.unwrap()).unwrap(), map()).unwrap_err();
    let all = "texels go with";
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 13);
    let held = Held::new(&narrow);
    let median = OfTexels::new(Quantiles::new(Element::U32, [0.5]).unwrap(), map()).unwrap();
    let median = Compiled::new(&narrow.device, median, &Options::default()).unwrap();
    refusals::check([
        (
            median.of(held.texels()).plan().unwrap_err(),
            "Limit(",
            "the memory for texels needs; smaller rectangle",
        ),
        (of(Element::F32, map()), "", "the map returns `u32`; f32"),
        (of(Element::U64, map()), "", all),
        (of(Element::U32, Map::bytes()), "", all),
        (of(Element::U32, component(TextureSampleType::Uint, "rg")), "", all),
        (scan, "", all),
    ]);
}
