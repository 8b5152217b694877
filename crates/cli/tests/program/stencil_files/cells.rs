//! Grids on the host, their files, and runs of the program on them.

use std::path::Path;
use std::process::Output;

use halofold::stencil::{Dims, Grid, Stencil};
use halofold_cli::files::Source;
use serde_json::Value;

use crate::files::{encode, npy, parsed};
use crate::keys::assert_documented;

#[derive(Clone, Debug)]
pub struct Cells {
    pub grid: Grid,
    pub stencil: &'static Stencil,
    pub values: Vec<f64>,
}

impl Cells {
    /// Small integers, the same every time.
    pub fn integers(stencil: &'static Stencil) -> Self {
        let grid = match stencil.dims {
            Dims::Three => Grid { planes: 5, rows: 9, cols: 11 },
            _ => Grid::plane(13, 37),
        };
        let values = (0..grid.cells()).map(|cell| ((cell * cell * 7 + cell / 5) % 9) as f64 - 4.0).collect();
        Cells { grid, stencil, values }
    }

    pub fn shape(&self) -> Vec<usize> {
        let Grid { planes, rows, cols } = self.grid;
        let sides = [planes, rows, cols].map(|side| side as usize);
        sides[3 - self.stencil.dims.count()..].to_vec()
    }

    /// The file of an array of them, in a type.
    pub fn file(&self, kind: &str) -> Vec<u8> {
        let data: Vec<u8> = self.values.iter().flat_map(|value| encode(kind, *value)).collect();
        npy(&format!("<{kind}"), false, &self.shape(), &data)
    }
}

/// NumPy's name of the type, the shape and the values of an array that the program wrote.
pub fn array(path: &str) -> (&'static str, Vec<u64>, Vec<f64>) {
    let source = Source::open(Path::new(path), None).unwrap();
    let values = halofold_fleet::host::values(source.element(), &source.load_all().unwrap());
    assert!(!source.is_fortran());
    (source.stored().numpy(), source.shape().to_vec(), values)
}

/// The one object that `--json` prints.
pub fn report(output: &Output) -> Value {
    let report = parsed(output);
    assert_documented(&report, "`stencil`");
    report
}
