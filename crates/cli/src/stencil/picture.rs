//! A grid as a heat map: one pixel a cell, row 0 at the top.

use std::io::{self, BufWriter, Write};

use halofold::stencil::{Config, Grid};
use halofold_fleet::GridState;
use halofold_fleet::host::{finite_range, shades};

use crate::failure::Failure;
use crate::reserved::Reserved;

/// The colour of NaN: one that the scale does not have.
const NAN: [u8; 3] = [255, 0, 0];

/// The colours of numbers: viridis, whose steps look equally large, and behind them that of NaN.
fn palette() -> Vec<u8> {
    let colour = |number| colorous::VIRIDIS.eval_rational(number, 255).as_array();
    (0..255).map(colour).chain([NAN]).flatten().collect()
}

/// Writes a plane of a grid as PNG, in colours from the lowest to the highest finite value of the whole grid.
pub fn write(state: &dyn GridState, config: &Config, plane: u32, file: Reserved) -> Result<(), Failure> {
    let (element, Grid { rows, cols, .. }) = (config.element, config.grid);
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    state.read(0..config.bytes(), &mut |cells| {
        let [low, high] = finite_range(element, cells);
        ends = [ends[0].min(low), ends[1].max(high)];
        Ok(())
    })?;
    let size = u64::from(rows) * u64::from(cols) * element.size();
    let start = u64::from(plane) * size;
    let pixels = shades(element, &state.bytes(start..start + size)?, ends);
    file.write_with(|file| encode(&pixels, cols, rows, file))
}

fn encode(pixels: &[u8], cols: u32, rows: u32, file: impl Write) -> io::Result<()> {
    let mut encoder = png::Encoder::new(BufWriter::new(file), cols, rows);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    Ok(writer.finish()?)
}
