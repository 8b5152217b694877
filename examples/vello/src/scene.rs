//! The drawings: a postcard, and the same with its histograms beside it.

use vello::Scene;
use vello::kurbo::{Affine, BezPath, Circle, Rect, Shape as _, Stroke};
use vello::peniko::color::palette::css;
use vello::peniko::{Color, Fill, Gradient};

use crate::Findings;

/// The size of the picture, in texels.
pub const SIZE: [u32; 2] = [640, 400];

/// The colour of all texels around the postcard.
pub const BACKGROUND: Color = Color::from_rgb8(38, 42, 56);

/// The postcard before it is turned.
pub const CARD: Rect = Rect::new(110.0, 75.0, 530.0, 325.0);

/// The turn of the postcard, around the middle of the picture.
pub fn turn() -> Affine {
    Affine::rotate_about(-0.16, CARD.center())
}

/// A sunset over hills on a white card.
pub fn postcard() -> Scene {
    let mut scene = Scene::new();
    let turn = turn();
    scene.fill(Fill::NonZero, turn, css::WHITE_SMOKE, None, &CARD);
    let view = CARD.inset(-14.0);
    scene.push_clip_layer(Fill::NonZero, turn, &view);
    let sky = Gradient::new_linear((0.0, view.y0), (0.0, view.y1)).with_stops([
        Color::from_rgb8(32, 58, 122),
        Color::from_rgb8(216, 120, 132),
        Color::from_rgb8(250, 200, 120),
    ]);
    scene.fill(Fill::NonZero, turn, &sky, None, &view);
    let sun = (400.0, 205.0);
    let glow = Gradient::new_radial(sun, 120.0)
        .with_stops([css::LEMON_CHIFFON.with_alpha(0.8), css::LEMON_CHIFFON.with_alpha(0.0)]);
    scene.fill(Fill::NonZero, turn, &glow, None, &Circle::new(sun, 120.0));
    scene.fill(Fill::NonZero, turn, css::WHITE, None, &Circle::new(sun, 34.0));
    let hills = [
        (225.0, 60.0, Color::from_rgb8(110, 84, 128)),
        (255.0, -70.0, Color::from_rgb8(58, 66, 104)),
        (285.0, 50.0, Color::from_rgb8(16, 34, 44)),
    ];
    for (height, swing, colour) in hills {
        let mut hill = BezPath::new();
        hill.move_to((view.x0, height));
        hill.curve_to((240.0, height - swing), (390.0, height + swing), (view.x1, height - 0.3 * swing));
        hill.line_to((view.x1, view.y1));
        hill.line_to((view.x0, view.y1));
        hill.close_path();
        scene.fill(Fill::NonZero, turn, colour, None, &hill);
    }
    scene.pop_layer();
    scene
}

/// The size of the picture with its histograms.
pub const CHARTED: [u32; 2] = [SIZE[0] + 320, SIZE[1]];

/// The picture, a frame around the texels that are not background, and a histogram of each channel.
pub fn charted(picture: &Scene, findings: &Findings) -> Scene {
    let mut scene = Scene::new();
    scene.append(picture, None);
    let [left, top, right, bottom] = findings.bounds.map(f64::from);
    let frame = Rect::new(left, top, right + 1.0, bottom + 1.0).inset(1.5);
    scene.stroke(&Stroke::new(1.0).with_dashes(0.0, [6.0, 4.0]), Affine::IDENTITY, css::GOLD, None, &frame);
    let colours = [css::TOMATO, css::MEDIUM_SEA_GREEN, css::CORNFLOWER_BLUE, css::GAINSBORO];
    for ((row, counts), colour) in (0..).zip(&findings.histograms).zip(colours) {
        let (x, base) = (f64::from(SIZE[0]) + 32.0, f64::from(SIZE[1] * (row + 1) / 4) - 10.0);
        let ground = Rect::new(x, base - 80.0, x + counts.len() as f64, base);
        scene.fill(Fill::NonZero, Affine::IDENTITY, css::BLACK.with_alpha(0.3), None, &ground);
        // Logarithms of counts: the background's bin would dwarf all others.
        let most = f64::from(counts.iter().copied().max().unwrap_or(0)).ln_1p();
        let bars = counts.iter().enumerate().map(|(bin, &count)| {
            let height = 80.0 * f64::from(count).ln_1p() / most;
            Rect::new(x + bin as f64, base - height, x + bin as f64 + 1.0, base)
        });
        let path = bars.flat_map(|bar| bar.to_path(0.1)).collect::<BezPath>();
        scene.fill(Fill::NonZero, Affine::IDENTITY, colour, None, &path);
    }
    scene
}
