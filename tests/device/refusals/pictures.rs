//! Wrong textures, maps of texels and pyramids.

use halofold::histogram::{Histogram, Keys};
use halofold::reduce::{Op, Reduce, Shape};
use halofold::wgpu::{
    Extent3d, Limits, TextureDescriptor, TextureDimension, TextureFormat, TextureSampleType, TextureUsages,
};
use halofold::{Element, Map, Texels};

use super::{check_messages, said};
use crate::common::{Gpu, compile, gpu, limited, room};
use crate::on_every_adapter::pyramid::{STORED, compiled, pyramid, texture};
use crate::on_every_adapter::textures::{BOUND, FLOAT, component, is_gl};

#[test]
fn textures() {
    let Gpu { device, queue } = gpu();
    let sum = Op::Sum.over(Element::F32).unwrap();
    let plain = compile(device, Reduce::new(sum.clone())).unwrap();
    let sum = compile(device, Reduce::new(sum.of_texels(component(FLOAT, "r")).unwrap())).unwrap();
    let histogram = compile(device, Histogram::new(Keys::Numbers, 4)).unwrap();
    let made = |change: fn(&mut TextureDescriptor<'_>)| {
        let mut descriptor = TextureDescriptor {
            label: None,
            size: Extent3d { width: 8, height: 4, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: TextureFormat::Rgba8Unorm,
            usage: BOUND,
            view_formats: &[],
        };
        change(&mut descriptor);
        device.create_texture(&descriptor)
    };
    let good = made(|it| it.mip_level_count = 2);
    let unused = made(|it| it.usage = TextureUsages::COPY_DST);
    let integers = made(|it| it.format = TextureFormat::Rgba8Uint);
    let deep = made(|it| {
        (it.dimension, it.size.depth_or_array_layers) = (TextureDimension::D3, 2);
    });
    let several = made(|it| {
        (it.sample_count, it.usage) = (4, BOUND | TextureUsages::RENDER_ATTACHMENT);
    });
    let summed = |texels: Texels<'_>| said(sum.of_texels(texels).run::<f32>(queue));
    let at = Texels::new(&good);
    let part = |corner, size| summed(at.rectangle(corner, size));
    check_messages([
        (summed(Texels::new(&unused)), "the texture lacks TextureUsages(TEXTURE_BINDING)"),
        (summed(Texels::new(&deep)), "a texture of dimension D3"),
        (summed(Texels::new(&several)), "a texture of 4 samples for each texel"),
        (summed(Texels::new(&integers)), "a texture of format Rgba8Uint, where samples of f32 is needed"),
        (summed(at.level(2)), "level 2 of a texture that has 2"),
        (summed(at.layer(1)), "layer 1 of a texture that has 1"),
        (part([0, 0], [9, 1]), "[9, 1] texels from [0, 0] on, of a level of [8, 4]"),
        (part([8, 0], [1, 1]), "[1, 1] texels from [8, 0] on, of a level of [8, 4]"),
        (part([1, 1], [0, 1]), "[0, 1] texels from [1, 1] on, of a level of [8, 4]"),
        (part([u32::MAX, 1], [2, 1]), "[2, 1] texels from [4294967295, 1] on, of a level of [8, 4]"),
        (said(plain.of_texels(&good).plan()), "the operation reads buffers"),
        (said(sum.of(&room(gpu(), 64)).plan()), "the operation has a map of texels"),
        (said(histogram.of_texels(&good).run::<u32>(queue)), "the operation reads buffers"),
        (said(sum.of_texels(&good).shape(Shape::Segments { len: 3 }).plan()), "3"),
        (said(sum.of_texels(&good).len(33).plan()), "33"),
    ]);
}

#[test]
fn maps_of_texels() {
    let over = |op: Op, element, map| said(op.over(element).unwrap().of_texels(map));
    let red = || component(FLOAT, "r");
    let elements = Map::custom(Element::F32, "fn map(elem: Elem, index: u32) -> f32 { return elem; }");
    let map = |text| said(Map::texels(FLOAT, text));
    let rule = "texels go with an operator of one input over f32, i32 or u32";
    check_messages([
        (over(Op::Dot, Element::F32, red()), rule),
        (over(Op::Sum, Element::F64, red()), rule),
        (over(Op::Sum, Element::U32, red()), "u32"),
        (over(Op::Sum, Element::F32, elements.unwrap()), rule),
        (map("fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> f32 { return texel.q; }"), "line 1"),
        (map("fn map_texel(texel: vec4<u32>, at: vec2<u32>) -> f32 { return f32(texel.r); }"), "vec4<f32>"),
    ]);
}

#[test]
fn textures_of_pyramids() {
    let gpu = gpu();
    let Some(pyramid) = pyramid(gpu, Op::Max) else { return };
    let float = TextureFormat::R32Float;
    let of = |size, format| texture(gpu, size, 1, format, STORED);
    let with = |usage| texture(gpu, [8, 8], 1, float, usage);
    let (bound, stored) = (TextureUsages::TEXTURE_BINDING, TextureUsages::STORAGE_BINDING);
    let (source, target) = (of([16, 16], float), of([8, 8], float));
    let (odd, integers) = (of([8, 9], float), of([8, 8], TextureFormat::R32Uint));
    let refused = |source: Texels<'_>, target: Texels<'_>| said(pyramid.bind(source, target));
    let (all, onto) = (Texels::new(&source), Texels::new(&target));
    let to = |target| refused(all, Texels::new(target));
    let last = all.level(4);
    check_messages([
        (to(&integers), "the target: a texture of format R32Uint, where R32Float is needed"),
        (to(&odd), "the target is [8, 9] texels, where this source needs [8, 8]: create the target"),
        (to(&source), "[16, 16] texels"),
        (to(&with(bound)), "the target: the texture lacks TextureUsages(STORAGE_BINDING)"),
        (to(&with(stored)), "the target: the texture lacks TextureUsages(TEXTURE_BINDING)"),
        (refused(all, onto.level(4)), "level 4 of a texture that has 4; use at most 3"),
        (refused(all, onto.layer(1)), "layer 1 of a texture that has 1"),
        (refused(all, all.rectangle([1, 1], [8, 8])), "[16, 16] texels"),
        (refused(Texels::new(&with(stored)), onto), "the source: the texture lacks"),
        (refused(Texels::new(&integers), onto), "samples of f32"),
        (refused(last, last), "the source is a level of the target"),
    ]);
    if is_gl(gpu) {
        let array = texture(gpu, [8, 8], 2, float, STORED);
        let error = said(pyramid.bind(&source, &array));
        assert!(error.contains("the target: OpenGL binds no layer of an array"), "{error}");
    }
}

#[test]
fn operators_and_limits_of_pyramids() {
    let made = |op, map| said(compiled(gpu(), op, map));
    let red = |sample| component(sample, "r");
    check_messages([
        (made(Op::Sum, red(FLOAT)), "use min, max or min-max"),
        (made(Op::Min, red(TextureSampleType::Uint)), "u32"),
        (made(Op::Min, Map::bytes()), "Map::texels"),
    ]);
    let lowered: [(_, fn(&mut Limits)); 4] = [
        ("max_storage_textures_per_shader_stage", |limits| limits.max_storage_textures_per_shader_stage = 0),
        ("max_sampled_textures_per_shader_stage", |limits| limits.max_sampled_textures_per_shader_stage = 0),
        ("max_compute_workgroup_storage_size", |limits| limits.max_compute_workgroup_storage_size = 9959),
        ("max_compute_invocations_per_workgroup", |limits| {
            limits.max_compute_invocations_per_workgroup = 128;
        }),
    ];
    for (limit, lower) in lowered {
        let gpu = limited(lower);
        let error = said(gpu.clean(|| compiled(&gpu, Op::MinMax, red(FLOAT))));
        assert!(error.contains(limit), "{error}");
    }
}
