//! Operations over the texels of a texture write what they write over a buffer with the same elements.

use halofold::group::{GroupById, GroupByKey, Pairs, RunLengths};
use halofold::histogram::{Histogram, Keys};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{Arity, Monoid, Op, Reduce};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::{Buffer, BufferUsages, Texture, TextureFormat, TextureSampleType};
use halofold::{
    Compiled, Element, InputsOf, Launches, Map, OfTexels, Options, Planned, Request, Texels, pyramid::Pyramid,
};

use super::textures::{BOUND, FLOAT, component, texture, write};
use crate::common::{Gpu, Random, buffer, compile, gpu, held, in_one_pass, limited, read};
use crate::inputs::outputs_of;
use crate::refusals;

const SIZE: [u32; 2] = [83, 61];

/// A rectangle inside.
const CORNER: [u32; 2] = [3, 5];
const PART: [u32; 2] = [70, 50];

/// The parameter of maps in two submissions.
const EXPOSURES: [u32; 2] = [1, 3];

/// A texture, and buffers: the elements of the rectangle by each exposure, and keys.
struct Held {
    texture: Texture,
    elements: [Buffer; 2],
    keys: Buffer,
}

impl Held {
    fn new(gpu: &Gpu) -> Self {
        let mut random = Random::new(7);
        let words: Vec<u32> = (0..SIZE[0] * SIZE[1]).map(|_| (random.next() >> 40) as u32 % 997).collect();
        let row = |row: &[u32]| row[CORNER[0] as usize..][..PART[0] as usize].to_vec();
        let rows = words.chunks(SIZE[0] as usize).skip(CORNER[1] as usize).take(PART[1] as usize);
        let elements: Vec<u32> = rows.flat_map(row).collect();
        let keys: Vec<u32> = (0..elements.len() as u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 27).collect();
        let texture = texture(gpu, TextureFormat::R32Uint, SIZE, [1, 1], BOUND);
        write(gpu, &texture, 0, 0, bytemuck::cast_slice(&words));
        let exposed = |by| elements.iter().map(|element| element * by).collect::<Vec<_>>();
        Held { texture, elements: EXPOSURES.map(|by| held(gpu, &exposed(by))), keys: held(gpu, &keys) }
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
    let compiled = gpu.compile(operation);
    let request = compiled.of(inputs);
    let request = if let Some(len) = len { request.len(len) } else { request };
    outputs_of(gpu, if let Some(count) = count { request.count_buffer(count) } else { request })
}

/// Compares an operation over texels with the same over a buffer.
macro_rules! same {
    ($gpu:expr, $operation:expr, $texels:expr, $elements:expr) => {
        let count = held($gpu, &[1000]);
        for (len, count) in [(None, None), (Some(1000), None), (Some(0), None), (None, Some(&count))] {
            let operation = $operation;
            let of_texels = OfTexels::new(operation.clone(), component(TextureSampleType::Uint, "r"));
            let found = written($gpu, of_texels, $texels, len, count);
            let expected = written($gpu, operation.clone(), $elements, len, count);
            assert!(found == expected, "{operation:?} of {len:?}, {count:?}");
        }
    };
}

#[test]
fn texels_are_elements() {
    let element = Element::U32;
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return elem % 3u == index % 5u; }";
    let (gpu, held) = (gpu(), Held::new(gpu()));
    let (texels, elements, keys) = (held.texels(), &held.elements[0], &held.keys);
    same!(gpu, Quantiles::new(element, [0.1, 0.5]), texels, elements);
    same!(gpu, TopK::new(element, 5), texels, elements);
    same!(gpu, Scan::new(Op::Sum.over(element).unwrap()), texels, elements);
    same!(gpu, Select::new(element, keep).unwrap(), texels, elements);
    let by_id = GroupById::new(element, 20).sum().variance();
    same!(gpu, by_id.clone(), Pairs { keys, values: texels }, Pairs { keys, values: elements });
    let by_key = GroupByKey::new(element, element, 1000).sum();
    same!(gpu, by_key.clone(), Pairs { keys: texels, values: keys }, Pairs { keys: elements, values: keys });
    same!(gpu, RunLengths::new(element), texels, elements);
}

/// Maps whose parameter is at a binding where kernels of some operations have memory.
fn exposed() -> [Map; 2] {
    ["@binding(9) var<uniform>", "@binding(10) var<storage>"].map(|variable| {
        let map = "fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> u32 { return texel.r * exposure; }";
        Map::texels(TextureSampleType::Uint, &format!("@group(0) {variable} exposure: u32;\n{map}")).unwrap()
    })
}

/// Binds an operation over texels once, and compares what it writes at each exposure with what an operation over exposed elements writes.
fn in_frames<'i, O: Planned>(
    gpu: &Gpu,
    of_texels: Request<'_, '_, impl Planned>,
    (operation, inputs): (O, [impl InputsOf<'i, O>; 2]),
) {
    let exposure = buffer(gpu, &[0; 4], BufferUsages::UNIFORM | BufferUsages::STORAGE);
    let request = of_texels.with_parameters(&exposure);
    let (bound, outputs) = request.bind_new(BufferUsages::COPY_SRC).unwrap();
    for (by, inputs) in EXPOSURES.into_iter().zip(inputs) {
        gpu.queue.write_buffer(&exposure, 0, &by.to_ne_bytes());
        gpu.clean(|| in_one_pass(gpu, |pass| bound.encode_in_pass(pass)));
        let found: Vec<_> = outputs.iter().map(|(_, output)| read(gpu, output)).collect();
        assert!(found == written(gpu, operation.clone(), inputs, None, None), "{operation:?} by {by}");
    }
}

#[test]
fn maps_read_the_parameters_of_each_submission() {
    let (gpu, held, element) = (gpu(), Held::new(gpu()), Element::U32);
    let (texels, keys, elements) = (held.texels(), &held.keys, held.elements.each_ref());
    let (quantiles, top) = (Quantiles::new(element, [0.1, 0.5]), TopK::new(element, 5));
    let by_key = GroupByKey::new(element, element, 1000).sum();
    let (counts, max) = (Histogram::new(Keys::Numbers, 3000), Op::Max.over(element).unwrap());
    let [uniform, storage] = exposed();
    let of_texels = gpu.compile(OfTexels::new(quantiles.clone(), uniform.clone()));
    in_frames(gpu, of_texels.of(texels), (quantiles, elements));
    let of_texels = gpu.compile(OfTexels::new(top.clone(), storage.clone()));
    in_frames(gpu, of_texels.of(texels), (top, elements));
    let of_texels = gpu.compile(OfTexels::new(by_key.clone(), uniform.clone()));
    let pairs = elements.map(|elements| Pairs { keys: elements, values: keys });
    in_frames(gpu, of_texels.of(Pairs { keys: texels, values: keys }), (by_key, pairs));
    let of_texels = gpu.compile(counts.clone().with_map(storage));
    in_frames(gpu, of_texels.of_texels(texels), (counts, elements));

    let of_texels = Reduce::new(max.clone().of_texels(uniform).unwrap());
    let options = Options::default().with_launches(Launches::Two);
    let of_texels = Compiled::new(&gpu.device, of_texels, &options).unwrap();
    let usage = BufferUsages::UNIFORM | BufferUsages::STORAGE | BufferUsages::COPY_SRC;
    let [exposure, output] = [(); 2].map(|()| buffer(gpu, &[0; 4], usage));
    let bound = of_texels.of_texels(texels).with_parameters(&exposure).bind(&output).unwrap();
    for (by, elements) in EXPOSURES.into_iter().zip(elements) {
        gpu.queue.write_buffer(&exposure, 0, &by.to_ne_bytes());
        gpu.clean(|| in_one_pass(gpu, |pass| bound.encode_in_pass(pass)));
        let max: u32 = gpu.compile(Reduce::new(max.clone())).of(elements).run(&gpu.queue).unwrap();
        assert_eq!(read(gpu, &output)[..4], max.to_ne_bytes());
    }
}

#[test]
fn texels_that_are_no_elements() {
    let map = || component(TextureSampleType::Uint, "r");
    let refused = |median| compile(&gpu().device, median).unwrap_err();
    let of = |element, map: Map| refused(OfTexels::new(Quantiles::new(element, [0.5]), map));
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
    let scan = OfTexels::new(Scan::new(bytes.unwrap()), map());
    let scan = compile(&gpu().device, scan).unwrap_err();
    let all = "texels go with";
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 13);
    let held = Held::new(&narrow);
    let median = OfTexels::new(Quantiles::new(Element::U32, [0.5]), map());
    let median = narrow.compile(median);
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

#[test]
fn parameters_are_declared_once_and_given() {
    let (gpu, held) = (gpu(), Held::new(gpu()));
    let [exposed, _] = exposed();
    let keep = "@group(0) @binding(10) var<storage> least: u32;
        fn keep(elem: Elem, index: u32) -> bool { return elem >= least; }";
    let both = OfTexels::new(Select::new(Element::U32, keep).unwrap(), exposed.clone());
    let both = compile(&gpu.device, both).unwrap_err();
    let weighted = "@group(0) @binding(9) var<uniform> weight: f32;
        fn value(x: f32) -> f32 { return x * weight; }";
    let weighted = Monoid::sum_of("weighted", Element::F32, Arity::One, weighted).unwrap();
    let brightness = "@group(0) @binding(9) var<uniform> exposure: f32;
        fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> f32 { return texel.r * exposure; }";
    let brightness = Map::texels(FLOAT, brightness).unwrap();
    let pyramid = compile(&gpu.device, Pyramid::new(Op::Max, brightness.clone())).unwrap_err();
    let counts = gpu.compile(Histogram::new(Keys::Numbers, 9).with_map(exposed));
    let kind = "Setting(parameters,";
    let without = counts.of_texels(held.texels()).run::<u32>(&gpu.queue).unwrap_err();
    refusals::check([
        (both, kind, "the operation and its map"),
        (weighted.of_texels(brightness).unwrap_err(), kind, "the operation and its map"),
        (pyramid, kind, "a pyramid"),
        (without, kind, "give them by `.with_parameters(…)`"),
    ]);
}
