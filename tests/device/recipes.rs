//! The tasks of `docs/embedding.md`, each run and checked. The page shows the lines between `// recipe: NAME` and `// end`.

use std::collections::BTreeMap;

use halofold::group::{self, Group, GroupById, GroupByKey, Pairs, Run, RunLengths, RunOutputs};
use halofold::histogram::{Histogram, Keys};
use halofold::rank::{self, Quantiles, Ranked, TopK};
use halofold::reduce::{Accuracy, Arity, Monoid, Op, Reduce};
use halofold::scan::Scan;
use halofold::select::{self, Select};
use halofold::stencil::{Config, FIVE_POINT, Grid, Grids, Jacobi, Until, Weights};
use halofold::wgpu::util::{BufferInitDescriptor, DeviceExt as _};
use halofold::wgpu::{self, BufferUsages, TextureFormat, TextureUsages};
use halofold::{
    Bound, Compiled, DispatchArguments, Element, Map, Options, Slice, Workspace, pyramid::Pyramid,
};

use crate::common::{Gpu, buffer, gpu, in_one_pass, read, room};
use crate::on_every_adapter::textures::{BOUND, texture, write};

type Done = Result<(), halofold::Error>;

/// A buffer that operations read.
fn held<T: bytemuck::NoUninit>(contents: &[T]) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC;
    let contents = bytemuck::cast_slice(contents);
    gpu().device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
}

/// The first words of an output, once operations have run one after the other.
fn after<T: bytemuck::Pod, const N: usize>(operations: &[&Bound], output: &wgpu::Buffer) -> [T; N] {
    in_one_pass(gpu(), |pass| operations.iter().for_each(|bound| bound.encode_in_pass(pass)));
    std::array::from_fn(|at| bytemuck::pod_collect_to_vec(&read(gpu(), output))[at])
}

/// Seven floats, of which one is negative.
fn floats() -> wgpu::Buffer {
    held(&[3.0f32, -1.0, 4.0, 1.0, 5.0, 9.0, 2.0])
}

#[test]
fn sums() -> Done {
    let Gpu { device, queue } = gpu();
    let (elements, result) = (floats(), room(gpu(), 4));
    // recipe: sum
    let sum = Reduce::new(Op::Sum.over(Element::F32)?);
    let sum = Compiled::new(device, sum, &Options::default())?;
    let total: f32 = sum.of(&elements).run(queue)?;
    // end
    let mut encoder = device.create_command_encoder(&Default::default());
    // recipe: frame
    let bound: Bound = sum.of(&elements).bind(&result)?;
    bound.encode(&mut encoder);
    // end
    queue.submit([encoder.finish()]);
    assert_eq!((total, after::<f32, 1>(&[&bound], &result)), (23.0, [23.0]));
    Ok(())
}

#[test]
fn cuts() -> Done {
    let Gpu { device, queue } = gpu();
    let (image, offsets) = (held(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]), held(&[0u32, 1, 6]));
    // recipe: cuts
    let max = Compiled::new(device, Reduce::new(Op::Max.over(Element::F32)?), &Options::default())?;
    let rows: Vec<f32> = max.of(&image).segments(3).run(queue)?;
    let columns: Vec<f32> = max.of(&image).axis(1, 2, 3).run(queue)?;
    let lists: Vec<f32> = max.of(&image).segment_offsets(&offsets).run(queue)?;
    // end
    assert_eq!((rows, columns, lists), (vec![3.0, 6.0], vec![4.0, 5.0, 6.0], vec![1.0, 6.0]));
    Ok(())
}

#[test]
fn exact() -> Done {
    let Gpu { device, queue } = gpu();
    let elements = held(&[1e30f32, 1.0, -1e30]);
    // recipe: exact
    let sum = Reduce::new(Op::Sum.over(Element::F32)?).with_accuracy(Accuracy::Exact);
    let total: f32 = Compiled::new(device, sum, &Options::default())?.of(&elements).run(queue)?;
    // end
    assert_eq!(total, 1.0);
    Ok(())
}

#[test]
fn ranks() -> Done {
    let Gpu { device, queue } = gpu();
    let scores = floats();
    let [values, indices] = [(); 2].map(|()| room(gpu(), 8));
    // recipe: ranks
    let quartiles = Quantiles::new(Element::F32, [0.25, 0.5, 0.75]);
    let quartiles: Vec<f32> =
        Compiled::new(device, quartiles, &Options::default())?.of(&scores).run(queue)?;

    let best = Compiled::new(device, TopK::new(Element::F32, 2), &Options::default())?;
    let two: Vec<Ranked<f32>> = best.of(&scores).run(queue)?;
    let bound = best.of(&scores).bind(rank::Outputs { values: &values, indices: &indices })?;
    // end
    assert_eq!(quartiles, [1.5, 3.0, 4.5]);
    assert_eq!(two, [Ranked { value: 9.0, index: 5 }, Ranked { value: 5.0, index: 4 }]);
    assert_eq!(after::<u32, _>(&[&bound], &indices), [5, 4]);
    Ok(())
}

#[test]
fn histogram() -> Done {
    let Gpu { device, queue } = gpu();
    let samples = floats();
    // recipe: histogram
    let bins = Histogram::new(Keys::Ranges { low: 0.0, high: 10.0 }, 5);
    let counts: Vec<u32> = Compiled::new(device, bins, &Options::default())?.of(&samples).run(queue)?;
    // end
    assert_eq!(counts, [1, 2, 2, 0, 1]);
    Ok(())
}

#[test]
fn groups() -> Done {
    let Gpu { device, queue } = gpu();
    let (sales, regions, shops) =
        (held(&[1.5f32, 2.0, 3.0, 10.0]), held(&[0u32, 1, 0, 2]), held(&[907u32, 13, 907, 907]));
    let [sums, keys, lengths, number] = [(); 4].map(|()| room(gpu(), 16));
    // recipe: groups
    // By ids below a number that you know:
    let by_region = GroupById::new(Element::F32, 3).sum().count();
    let by_region = Compiled::new(device, by_region, &Options::default())?;
    let regions: Vec<Group<u32, f32>> = by_region.of(Pairs { keys: &regions, values: &sales }).run(queue)?;

    // By keys in any order, at most four of them:
    let by_shop = GroupByKey::new(Element::U32, Element::F32, 4).sum();
    let by_shop = Compiled::new(device, by_shop, &Options::default())?;
    let outputs = group::Outputs::new().sum(&sums).keys(&keys).len(&number);
    let bound = by_shop.of(Pairs { keys: &shops, values: &sales }).bind(outputs)?;

    // Runs of equal neighbours:
    let runs = Compiled::new(device, RunLengths::new(Element::U32), &Options::default())?;
    let of_shops: Vec<Run<u32, u32>> = runs.of(&shops).run(queue)?;
    // end
    let regions: Vec<_> = regions.iter().map(|group| (group.sum, group.count)).collect();
    assert_eq!(regions, [(Some(4.5), Some(2)), (Some(2.0), Some(1)), (Some(10.0), Some(1))]);
    assert_eq!(after::<f32, _>(&[&bound], &sums), [2.0, 14.5]);
    let outputs = RunOutputs { keys: &keys, results: &lengths, len: &number };
    assert_eq!(after::<u32, _>(&[&runs.of(&shops).bind(outputs)?], &lengths), [1, 1, 2]);
    assert_eq!(of_shops, [(907, 1), (13, 1), (907, 2)].map(|(key, result)| Run { key, result }));
    Ok(())
}

#[test]
fn prefixes() -> Done {
    let Gpu { device, queue } = gpu();
    let counts = held(&[3u32, 1, 4, 1, 5]);
    // recipe: scan
    let starts = Scan::new(Op::Sum.over(Element::U32)?).exclusive();
    let starts: Vec<u32> = Compiled::new(device, starts, &Options::default())?.of(&counts).run(queue)?;
    // end
    assert_eq!(starts, [0, 3, 4, 8, 9]);
    Ok(())
}

#[test]
fn culling() -> Done {
    let Gpu { device, .. } = gpu();
    let (distances, camera, mean) = (floats(), held(&[3.5f32]), room(gpu(), 4));
    let visible = room(gpu(), 28);
    let usage = BufferUsages::STORAGE | BufferUsages::INDIRECT | BufferUsages::COPY_SRC;
    let [draw, dispatch] = [(); 2].map(|()| buffer(gpu(), bytemuck::cast_slice(&[6u32, 0, 0, 0]), usage));
    // recipe: select
    // The indices of what is nearer than the camera sees. `camera` is a uniform of yours.
    let near = Select::new(
        Element::F32,
        "@group(0) @binding(9) var<uniform> far: f32;
        fn keep(elem: Elem, index: u32) -> bool { return elem < far; }",
    )?;
    let near = Compiled::new(device, near, &Options::default())?;
    // Their number is `instance_count`, the second word of the arguments of a draw.
    let instance_count = Slice::new(&draw, 4, 4);
    let outputs = select::Outputs { kept: &visible, count: instance_count };
    let cull = near.of(&distances).with_parameters(&camera).bind(outputs)?;

    // The mean of as many, and the workgroups of a shader of yours that has 64 of them each.
    let average = Compiled::new(device, Reduce::new(Op::Mean.over(Element::F32)?), &Options::default())?;
    let average = average.of(&visible).count_buffer(instance_count).bind(&mean)?;
    let workgroups = Compiled::new(device, DispatchArguments::new(64), &Options::default())?;
    let workgroups = workgroups.of(instance_count).bind(&dispatch)?;
    // end
    let all = [&cull, &average, &workgroups];
    assert_eq!(after::<f32, _>(&all, &mean), [(3.0 - 1.0 + 1.0 + 2.0) / 4.0]);
    assert_eq!(after::<u32, _>(&all, &draw), [6, 4, 0, 0]);
    assert_eq!(after::<u32, _>(&all, &dispatch), [1, 1, 1]);
    Ok(())
}

#[test]
fn operators() -> Done {
    let Gpu { device, queue } = gpu();
    let points = held(&[0f32, 1.0, 3.0, 2.0, -1.0, 4.0]);
    // recipe: operator
    // The bounds of points, as (least x, least y, greatest x, greatest y).
    let bounds = "
        struct Elem { x: f32, y: f32 }
        alias Acc = vec4<f32>;
        fn map(elem: Elem, index: u32) -> Acc { return vec4(elem.x, elem.y, -elem.x, -elem.y); }
        fn identity() -> Acc { return vec4(0x1.fffffep+127f); }
        fn combine(a: Acc, b: Acc) -> Acc { return min(a, b); }
        fn finish(acc: Acc, n: u32) -> Acc { return vec4(acc.xy, -acc.zw); }";
    let bounds = Reduce::new(Monoid::custom_struct("bounds", 8, Arity::One, bounds)?);
    let bounds: [f32; 4] = Compiled::new(device, bounds, &Options::default())?.of(&points).run(queue)?;
    // end
    assert_eq!(bounds, [-1.0, 1.0, 3.0, 4.0]);
    Ok(())
}

/// A texture of 8 × 4 texels.
fn picture(format: TextureFormat, bytes: &[u8]) -> wgpu::Texture {
    let picture = texture(gpu(), format, [8, 4], [1, 1], BOUND);
    write(gpu(), &picture, 0, 0, bytes);
    picture
}

#[test]
fn pyramids() -> Done {
    let Gpu { device, .. } = gpu();
    let depth = picture(TextureFormat::R32Float, bytemuck::cast_slice(&[0.5f32; 32]));
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::STORAGE_BINDING;
    let hi_z = texture(gpu(), TextureFormat::R32Float, [4, 2], [1, 1], usage);
    // recipe: pyramid
    let red = Map::components(wgpu::TextureSampleType::Float { filterable: false }, "r")?;
    let farthest = Compiled::new(device, Pyramid::new(Op::Max, red), &Options::default())?;
    let bound = farthest.bind(&depth, &hi_z)?;
    // end
    gpu().clean(|| in_one_pass(gpu(), |pass| bound.encode_in_pass(pass)));
    Ok(())
}

#[test]
fn steps() -> Done {
    let Gpu { device, queue } = gpu();
    let [first, second] = [(); 2].map(|()| held(&[1f32; 36]));
    // recipe: jacobi
    let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(6, 6));
    let heat = Jacobi::new(config, Weights::new(&[0.0, 0.25, 0.0, 0.0]));
    let heat = Compiled::new(device, heat, &Options::default())?;
    let steps = heat.bind(Grids::new(&first, &second))?;

    let (outcome, _cells) =
        heat.run_until::<f32>(queue, Grids::new(&first, &second), Until::new(1e-6), 1000)?;
    // end
    let mut encoder = device.create_command_encoder(&Default::default());
    steps.encode(&mut encoder, 10);
    queue.submit([encoder.finish()]);
    assert!(outcome.converged, "{outcome:?}");
    Ok(())
}

#[test]
fn shared_memory() -> Done {
    let Gpu { device, .. } = gpu();
    let (elements, [median_to, sum_to]) = (floats(), [(); 2].map(|()| room(gpu(), 4)));
    // recipe: workspace
    let workspace = Workspace::new(device);
    let median = Compiled::new(device, Quantiles::new(Element::F32, [0.5]), &Options::default())?;
    let median = median.of(&elements).workspace(&workspace).bind(&median_to)?;
    let sum = Compiled::new(device, Reduce::new(Op::Sum.over(Element::F32)?), &Options::default())?;
    let sum = sum.of(&elements).workspace(&workspace).bind(&sum_to)?;
    // end
    assert_eq!(after::<f32, _>(&[&median, &sum], &median_to), [3.0]);
    Ok(())
}

/// The recipes of this file, by name, without the indentation of their tests.
fn recipes() -> BTreeMap<String, String> {
    let (mut recipes, mut open) = (BTreeMap::new(), None);
    for line in include_str!("recipes.rs").lines() {
        match line.trim().strip_prefix("// recipe: ") {
            Some(name) => open = Some((name.to_owned(), String::new())),
            None if line.trim() == "// end" => recipes.extend(open.take()),
            None => {
                if let Some((_, text)) = &mut open {
                    *text += line.strip_prefix("    ").unwrap_or(line);
                    text.push('\n');
                }
            }
        }
    }
    recipes
}

#[test]
fn the_page_shows_what_is_run_here() {
    let page = include_str!("../../docs/embedding.md");
    for (name, text) in recipes() {
        assert!(page.contains(&format!("```rust\n{text}```")), "docs/embedding.md lacks `{name}`:\n{text}");
    }
}
