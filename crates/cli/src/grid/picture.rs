//! A grid as a heat map: one pixel a cell, row 0 at the top.

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use halofold::Element;
use halofold::stencil::{Config, Grid};

use crate::failure::Failure;
use halofold_fleet::GridState;
use halofold_fleet::host::values;

/// The colours of a picture but the last, which is that of NaN.
const COLOURS: u8 = 255;

/// The colour of NaN: one that the scale does not have.
const NAN: [u8; 3] = [255, 0, 0];

/// The values of the first and of the last colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// From the lowest to the highest finite value.
    pub fn of(state: &dyn GridState, config: &Config) -> Result<Self, Failure> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        state.read(0..config.bytes(), &mut |cells| {
            for value in values(config.element, cells).into_iter().filter(|value| value.is_finite()) {
                (low, high) = (f64::min(low, value), f64::max(high, value));
            }
            Ok(())
        })?;
        Ok(Scale { low, high })
    }

    /// The number of a value's colour; infinities have those of the scale's ends.
    fn colour(self, value: f64) -> u8 {
        if value.is_nan() {
            return COLOURS;
        }
        // In halves, because the difference of two numbers may be none.
        let [from_low, span] = [value, self.high].map(|x| x / 2.0 - self.low / 2.0);
        let position = if span > 0.0 { from_low / span } else { 0.0 };
        (position.clamp(0.0, 1.0) * f64::from(COLOURS - 1)).round() as u8
    }
}

/// The colours of all pictures: viridis, whose steps look equally large, and that of NaN.
fn palette() -> Vec<u8> {
    let colour = |number| colorous::VIRIDIS.eval_rational(number, COLOURS.into()).as_array();
    (0..COLOURS.into()).map(colour).chain([NAN]).flatten().collect()
}

/// A plane of a grid as a picture.
#[derive(Clone, Copy)]
pub struct Picture {
    /// The grid's cells.
    pub element: Element,
    /// Its size.
    pub grid: Grid,
    /// The plane that is drawn.
    pub plane: u32,
    /// The colours.
    pub scale: Scale,
}

impl Picture {
    /// The picture of a plane, in colours from the lowest to the highest value that the grid has now.
    pub fn of(state: &dyn GridState, config: &Config, plane: u32) -> Result<Self, Failure> {
        let scale = Scale::of(state, config)?;
        Ok(Picture { element: config.element, grid: config.grid, plane, scale })
    }

    /// The plane's bytes among the grid's.
    pub fn range(&self) -> Range<u64> {
        let plane = u64::from(self.grid.rows) * u64::from(self.grid.cols) * self.element.size();
        let start = u64::from(self.plane) * plane;
        start..start + plane
    }

    /// Writes the plane, given its bytes, as PNG.
    pub fn write(&self, plane: &[u8], file: impl Write) -> io::Result<()> {
        let Grid { rows, cols, .. } = self.grid;
        let mut encoder = png::Encoder::new(BufWriter::new(file), cols, rows);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette());
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        for row in plane.chunks_exact(cols as usize * self.element.size() as usize) {
            let pixels: Vec<u8> =
                values(self.element, row).into_iter().map(|value| self.scale.colour(value)).collect();
            stream.write_all(&pixels)?;
        }
        stream.finish()?;
        Ok(writer.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_end_to_end() {
        let scale = Scale { low: -1.0, high: 3.0 };
        let colours = [-1.0, -7.0, f64::NEG_INFINITY, 1.0, 3.0, 8.0, f64::INFINITY, f64::NAN];
        assert_eq!(colours.map(|x| scale.colour(x)), [0, 0, 0, 127, 254, 254, 254, 255]);
        let widest = Scale { low: f64::MIN, high: f64::MAX };
        assert_eq!(widest.colour(0.0), 127);
        assert_eq!(palette().len(), 3 * 256);
    }

    #[test]
    fn one_value_has_one_colour() {
        assert_eq!(Scale { low: 2.0, high: 2.0 }.colour(2.0), 0);
        // No finite value at all.
        let none = Scale { low: f64::INFINITY, high: f64::NEG_INFINITY };
        assert_eq!([none.colour(f64::INFINITY), none.colour(f64::NAN)], [0, 255]);
    }
}
