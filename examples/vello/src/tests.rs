//! The numbers of pictures against those that the CPU makes from the same texels, in 64 bits.

use vello::kurbo::Shape as _;

use super::*;

/// Renders a scene, and compares what `survey` finds with what its texels say. Returns the findings.
fn check(vello: &mut Vello, scene: &Scene) -> Findings {
    let picture = vello.render(scene, scene::SIZE).unwrap();
    let found = survey(&vello.device, &vello.queue, &picture).unwrap();
    let texels = read(&vello.device, &vello.queue, &picture).unwrap();
    let texels: Vec<[u8; 4]> = bytemuck::pod_collect_to_vec(&texels);
    assert_eq!(texels.len(), scene::SIZE.iter().product::<u32>() as usize);

    for (channel, counts) in found.histograms[..3].iter().enumerate() {
        let mut expected = [0; 256];
        texels.iter().for_each(|texel| expected[usize::from(texel[channel])] += 1);
        assert_eq!(counts, &expected, "channel {channel}");
    }
    let luminances = texels.iter().map(|texel| {
        let [red, green, blue, _] = texel.map(f64::from);
        (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255.0
    });
    let mut luminances: Vec<f64> = luminances.collect();
    luminances.sort_by(f64::total_cmp);
    let exact = [luminances[0], luminances[luminances.len() - 1]];
    assert!((0..2).all(|end| (f64::from(found.luminance[end]) - exact[end]).abs() < 1e-6));
    // Texels whose luminance is an edge of a bin, but for rounding, fall to either side of it.
    let mut sum = 0;
    for (count, edge) in found.histograms[3].iter().zip(1..) {
        sum += count;
        let below =
            |slack| luminances.partition_point(|&value| value < f64::from(edge) / 256.0 + slack) as u32;
        assert!((below(-1e-6)..=below(1e-6)).contains(&sum), "{sum} below bin {edge}");
    }

    let background = scene::BACKGROUND.to_rgba8().to_u8_array();
    let mut bounds = [u32::MAX, u32::MAX, 0, 0];
    for (index, _) in (0..).zip(&texels).filter(|(_, texel)| **texel != background) {
        let [x, y] = [index % scene::SIZE[0], index / scene::SIZE[0]];
        bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
    }
    assert_eq!(found.bounds, bounds);
    found
}

#[test]
fn findings_are_those_of_the_texels() {
    let mut vello = Vello::open().unwrap();

    // A corner that covers less of a texel than half a step of a channel leaves it background.
    let found = check(&mut vello, &scene::postcard());
    let outline = (scene::turn() * scene::CARD.to_path(0.1)).bounding_box();
    let expected = [outline.x0.floor(), outline.y0.floor(), outline.x1.ceil() - 1.0, outline.y1.ceil() - 1.0];
    for (found, expected) in found.bounds.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() <= 1.0, "{found}, {expected} by geometry");
    }
    // The sun is white; the nearest hill is darker than the background.
    assert!(found.luminance[1] > 0.9999 && found.luminance[0] < 0.13, "{:?}", found.luminance);

    // Nothing is drawn: the identity, and all texels in one bin of each channel.
    let found = check(&mut vello, &Scene::new());
    assert_eq!(found.bounds, [u32::MAX, u32::MAX, 0, 0]);
    assert!(found.histograms.iter().all(|counts| counts.iter().filter(|&&count| count > 0).count() == 1));
}
