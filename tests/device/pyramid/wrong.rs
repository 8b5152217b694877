//! Wrong use of pyramids: an error value each time, and no complaint of wgpu.

use halofold::pyramid::{OperationError, Pyramid};
use halofold::reduce::Op;
use halofold::wgpu::{Texture, TextureFormat, TextureSampleType, TextureUsages};
use halofold::{Map, Texels, TextureError};

use super::targets::{texture, with_usage};
use super::{FLOAT, is_gl, pyramid};
use crate::common::{gpu, limited};

#[test]
fn wrong_textures_are_refused() {
    let gpu = gpu();
    let Some(pyramid) = pyramid(gpu, Op::Max) else { return };
    let of = |size, format| texture(gpu, size, 1, format);
    let with = |usage| with_usage(gpu, [8, 8], 1, TextureFormat::R32Float, usage);
    let (source, target) = (of([16, 16], TextureFormat::R32Float), of([8, 8], TextureFormat::R32Float));
    let (bound, stored) = (TextureUsages::TEXTURE_BINDING, TextureUsages::STORAGE_BINDING);
    let refused = |source: Texels<'_>, target: Texels<'_>, said: &str| {
        let error = gpu.clean(|| pyramid.prepare(source, target)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    };
    let to = |target: &Texture, said| refused(Texels::new(&source), Texels::new(target), said);
    to(
        &of([8, 8], TextureFormat::R32Uint),
        "the target: a texture of format R32Uint, where R32Float is needed",
    );
    to(
        &of([8, 9], TextureFormat::R32Float),
        "the first level of the target is [8, 9] texels, where this source needs [8, 8]: create the target",
    );
    to(&source, "[16, 16] texels");
    to(&with(bound), "the target: the texture lacks TextureUsages(STORAGE_BINDING)");
    to(&with(stored), "the target: the texture lacks TextureUsages(TEXTURE_BINDING)");
    let all = Texels::new(&source);
    refused(
        all,
        Texels::new(&target).level(4),
        "level 4 of a texture that has 4: levels count from 0, so use at most 3",
    );
    refused(all, Texels::new(&target).layer(1), "layer 1 of a texture that has 1");
    refused(all, all.rectangle([1, 1], [8, 8]), "[16, 16] texels");
    refused(Texels::new(&with(stored)), Texels::new(&target), "the source: the texture lacks");
    refused(Texels::new(&of([8, 8], TextureFormat::R32Uint)), Texels::new(&target), "samples of f32");
    let last = Texels::new(&source).level(4);
    refused(last, last, "the source is a level of the target");
    if is_gl(gpu) {
        let array = texture(gpu, [8, 8], 2, TextureFormat::R32Float);
        let error = pyramid.prepare(&source, &array).unwrap_err();
        assert_eq!(error, OperationError::Target(TextureError::OpenGl("no layer of an array")));
    }
}

#[test]
fn wrong_maps_operators_and_limits_are_refused() {
    let red = || Map::components(FLOAT, "r").unwrap();
    let new = |op, map| Pyramid::new(&gpu().device, op, map).unwrap_err().to_string();
    assert!(new(Op::Sum, red()).contains("use min, max or min-max"));
    assert!(new(Op::Min, Map::components(TextureSampleType::Uint, "r").unwrap()).contains("u32"));
    assert!(new(Op::Min, Map::bytes()).contains("Map::texels"));
    for (limit, gpu) in [
        (
            "max_storage_textures_per_shader_stage",
            limited(|limits| limits.max_storage_textures_per_shader_stage = 0),
        ),
        (
            "max_sampled_textures_per_shader_stage",
            limited(|limits| limits.max_sampled_textures_per_shader_stage = 0),
        ),
        (
            "max_compute_workgroup_storage_size",
            limited(|limits| limits.max_compute_workgroup_storage_size = 9959),
        ),
        (
            "max_compute_invocations_per_workgroup",
            limited(|limits| limits.max_compute_invocations_per_workgroup = 128),
        ),
    ] {
        let error = gpu.clean(|| Pyramid::new(&gpu.device, Op::MinMax, red())).unwrap_err().to_string();
        assert!(error.contains(limit), "{error}");
    }
}
