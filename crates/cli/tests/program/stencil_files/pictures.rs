//! Heat maps.

use std::fs;

use halofold::stencil::{FIVE_POINT, TWENTY_SEVEN_POINT};

use super::cells::Cells;
use crate::files::Folder;

/// Width and pixels of a picture.
fn picture(path: &str) -> (u32, Vec<[u8; 3]>) {
    let mut decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    decoder.set_transformations(png::Transformations::EXPAND);
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
    folder.write("in.npy", &cells.file("f4"));
    folder.fine("stencil in.npy --steps 0 -o out.PNG");
    let (width, pixels) = picture(&folder.path("out.PNG"));
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
    folder.write("in.npy", &cells.file("f2"));
    let shown = |options: &str| {
        folder.fine(&format!("stencil in.npy --type f32 --steps 0 -o out.png {options}"));
        let (width, pixels) = picture(&folder.path("out.png"));
        assert_eq!((width, pixels.len()), (11, 99));
        assert!(pixels.iter().all(|pixel| *pixel == pixels[0]));
        pixels[0]
    };
    let [first, next, middle, last] = [0, 1, 2, 4].map(|plane| shown(&format!("--slice {plane}")));
    assert_eq!([first, last], [LOW, HIGH]);
    assert!(shown("") == middle && next != middle);
}
