//! Files of numbers.

use std::fs::File;
use std::path::Path;

use half::f16;
use halofold_cli::files::{Stored, npy};
use halofold_mpi::halofold::{Element, adapter};

/// Numbers that look random, the same every time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A float of any sign, of magnitudes from 2^-20 to 2^20.
    pub fn float(&mut self) -> f64 {
        let bits = self.next();
        let magnitude =
            (1.0 + (bits >> 12) as f64 / (1u64 << 52) as f64) * f64::from((bits & 31) as i32 - 16).exp2();
        if bits & 32 == 0 { magnitude } else { -magnitude }
    }
}

/// Writes an array.
pub fn write(path: &Path, element: Element, shape: &[u64], bytes: &[u8]) {
    let descr = Stored::from(element).descr();
    npy::write(File::create(path).unwrap(), &descr, shape, false, bytes).unwrap();
}

/// A float of a type in a file.
pub fn float(element: Element, x: f64) -> Vec<u8> {
    match element {
        Element::F16 => f16::from_f64(x).to_le_bytes().to_vec(),
        Element::F64 => x.to_le_bytes().to_vec(),
        _ => (x as f32).to_le_bytes().to_vec(),
    }
}

/// Numbers that no sum hits exactly.
pub fn cells(element: Element, shape: &[u64], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let one = |_| float(element, (random.next() % 1999) as f64 / 1024.0 - 0.9);
    (0..shape.iter().product()).flat_map(one).collect()
}

/// True if the adapter has a type.
pub fn has(element: Element) -> bool {
    let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
    adapter.features().contains(element.feature())
}
