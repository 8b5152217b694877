//! Grids on the host, their files, and runs of the program on them.

use std::fs;
use std::process::Output;

use half::f16;
use halofold::stencil::reference::Problem;
use halofold::stencil::{Border, Borders, Dims, Grid, Stencil, Weights};
use serde_json::Value;

use crate::files::{encode, npy, parsed};
use crate::keys::assert_documented;

/// A grid of some values.
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

    /// The CPU's result after some steps.
    pub fn stepped(&self, border: Border, weights: Weights, steps: u32) -> Vec<f64> {
        let (mut source, mut target) = (self.values.clone(), self.values.clone());
        for _ in 0..steps {
            let borders = Borders::all(border);
            Problem::new(self.stencil, weights, self.grid, borders).step(&source, &mut target);
            std::mem::swap(&mut source, &mut target);
        }
        source
    }

    /// The file of an array of them, in a type.
    pub fn file(&self, kind: &str) -> Vec<u8> {
        let data: Vec<u8> = self.values.iter().flat_map(|value| encode(kind, *value)).collect();
        npy(&format!("<{kind}"), false, &self.shape(), &data)
    }
}

/// Type, shape and values of the array in a file that the program wrote.
pub fn array(path: &str) -> (String, String, Vec<f64>) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    assert!(header.contains("'fortran_order': False"), "{header}");
    let between = |from: &str, to: &str| {
        let (_, rest) = header.split_once(from).unwrap();
        rest.split_once(to).unwrap().0.trim_end_matches([',', ' ']).to_owned()
    };
    let (kind, shape) = (between("'descr': '", "'"), between("'shape': (", ")"));
    let data = &bytes[end..];
    let values = match &kind[..] {
        "<f2" => data.as_chunks().0.iter().map(|x| f16::from_le_bytes(*x).to_f64()).collect(),
        "<f4" => data.as_chunks().0.iter().map(|x| f64::from(f32::from_le_bytes(*x))).collect(),
        "<f8" => data.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect(),
        other => panic!("{other}"),
    };
    (kind, shape, values)
}

/// The one object that `--json` prints.
pub fn report(output: &Output) -> Value {
    let report = parsed(output);
    assert_documented(&report, "`stencil` over a file");
    report
}
