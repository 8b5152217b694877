//! Heat maps, and frames on the way.

use std::fs;

use halofold::stencil::{FIVE_POINT, Grid, TWENTY_SEVEN_POINT};

use super::cells::Cells;
use crate::files::{Folder, names_in, stdout, stencil as run};

/// Width and pixels of a picture.
fn picture(path: &str) -> (u32, Vec<[u8; 3]>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    assert_eq!(bytes.len(), (info.width * info.height * 3) as usize);
    (info.width, bytes.as_chunks().0.to_vec())
}

/// The ends of the colour scale, and the colour of NaN.
const LOW: [u8; 3] = [68, 1, 84];
const HIGH: [u8; 3] = [253, 231, 37];
const NAN: [u8; 3] = [255, 0, 0];

#[test]
fn pictures_are_heat_maps() {
    let folder = Folder::new("stencil-pictures");
    let mut cells = Cells::integers(&FIVE_POINT);
    cells.values[3] = -100.0;
    cells.values[37] = 100.0;
    cells.values[38] = f64::NAN;
    cells.values[480] = f64::INFINITY;
    let file = folder.write("in.npy", &cells.file("f4", false, false));
    let out = folder.path("out.PNG");
    stdout(&run(&[&file, "--steps", "0", "-o", &out]));
    let (width, pixels) = picture(&out);
    assert_eq!((width, pixels.len()), (37, 13 * 37));
    assert_eq!([3, 37, 38, 480].map(|at| pixels[at]), [LOW, HIGH, NAN, HIGH]);
    assert_eq!(pixels.iter().filter(|pixel| [LOW, HIGH, NAN].contains(pixel)).count(), 4);
}

#[test]
fn pictures_of_a_volume_show_one_plane() {
    let folder = Folder::new("stencil-slices");
    let mut cells = Cells::integers(&TWENTY_SEVEN_POINT);
    // Every plane has one value, its number.
    for (at, value) in cells.values.iter_mut().enumerate() {
        *value = (at / 99) as f64;
    }
    let file = folder.write("in.npy", &cells.file("f2", false, false));
    let out = folder.path("out.png");
    let shown = |options: &[&str]| {
        stdout(&run(&[&[&file[..], "--type", "f32", "--steps", "0", "-o", &out], options].concat()));
        let (width, pixels) = picture(&out);
        assert_eq!((width, pixels.len()), (11, 99));
        assert!(pixels.iter().all(|pixel| *pixel == pixels[0]));
        pixels[0]
    };
    assert_eq!([shown(&["--slice", "0"]), shown(&["--slice", "4"])], [LOW, HIGH]);
    assert_eq!(shown(&[]), shown(&["--slice", "2"]));
    assert_ne!(shown(&[]), shown(&["--slice", "1"]));
}

#[test]
fn frames_are_numbered_by_step_and_compare() {
    let folder = Folder::new("stencil-frames");
    let grid = Grid { planes: 3, rows: 5, cols: 5 };
    let mut cells = Cells { grid, stencil: &TWENTY_SEVEN_POINT, values: vec![1.0; 75] };
    cells.values[37] = 9.0;
    let file = folder.write("in.npy", &cells.file("f4", false, false));
    let frames = folder.path("a/b");
    let out = folder.path("last.png");
    let options =
        ["--coefficients", "0.75,0,0,0", "--steps", "7", "--every", "3", "--frames", &frames, "-o", &out];
    stdout(&run(&[&[&file[..]], &options[..]].concat()));
    let names = names_in(&frames);
    assert_eq!(names, [0, 3, 6, 7].map(|step| format!("frame-{step:06}.png")));
    let centre = |name: &str| picture(&format!("{frames}/{name}")).1[12];
    assert_eq!(centre(&names[0]), HIGH);
    // Each step leaves three quarters of the peak: on the scale of the first frame, its colour goes down and down.
    let greens = names.iter().map(|name| centre(name)[1]).collect::<Vec<_>>();
    assert!(greens.is_sorted_by(|a, b| a > b), "{greens:?}");
    assert_eq!(picture(&out).1, picture(&format!("{frames}/{}", names[3])).1);
    // By default every tenth step.
    let text = stdout(&run(&[&file, "--steps", "2e1", "--frames", &folder.path("c")]));
    assert!(!text.contains("was not written"), "{text}");
    assert_eq!(names_in(folder.path("c")).len(), 3);
}
