//! Elements with known answers.

use bytemuck::pod_read_unaligned;
use half::f16;
use halofold::Element;
use halofold::reduce::Op;

/// Bytes with the alignment of the largest element.
pub struct Data(Vec<u64>, usize);

impl Data {
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }

    /// Changes every element: from its place, its bits and a random word to other bits.
    pub fn change(&mut self, element: Element, to: impl FnMut(usize, u64, u64) -> u64) {
        self.fill(element, Random::new(self.1 as u64), to);
    }

    fn fill(&mut self, element: Element, mut random: Random, mut to: impl FnMut(usize, u64, u64) -> u64) {
        let size = element.size() as usize;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.0);
        for (i, slot) in bytes[..self.1].chunks_exact_mut(size).enumerate() {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(slot);
            let bits = to(i, u64::from_le_bytes(bits), random.next());
            slot.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}

/// The bits of an element: a float rounds to the nearest, an integer to zero.
pub fn bits_of(element: Element, x: f64) -> u64 {
    match element {
        Element::F16 => f16::from_f64(x).to_bits().into(),
        Element::F32 => (x as f32).to_bits().into(),
        Element::F64 => x.to_bits(),
        _ => x as i64 as u64,
    }
}

/// Elements of these bits, as they lie in memory.
pub fn elements(element: Element, bits: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let size = element.size() as usize;
    bits.into_iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect()
}

/// The elements nearest to some numbers.
pub fn encode(element: Element, numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    elements(element, numbers.into_iter().map(|x| bits_of(element, x)))
}

/// The elements at some places, of `size` bytes each.
pub fn gather(bytes: &[u8], size: usize, places: impl IntoIterator<Item = usize>) -> Vec<u8> {
    places.into_iter().flat_map(|at| &bytes[at * size..][..size]).copied().collect()
}

/// Floats as 64-bit ones, which hold all.
pub fn decode(element: Element, bytes: &[u8]) -> Vec<f64> {
    let float = |bytes: &[u8]| match element {
        Element::F16 => pod_read_unaligned::<f16>(bytes).to_f64(),
        Element::F32 => pod_read_unaligned::<f32>(bytes).into(),
        Element::F64 => pod_read_unaligned(bytes),
        other => panic!("{other} is no float"),
    };
    bytes.chunks_exact(element.size() as usize).map(float).collect()
}

/// Pseudo-random words: small, known, the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (x >> 17)
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        unit(self.next())
    }
}

fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1u64 << 53) as f64
}

/// The kinds of data a reduction is tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every bit pattern of an integer; floats spread over a few magnitudes and both signs.
    Random,
    /// One value everywhere.
    Constant,
    /// Small integers, which floats add without rounding; powers of two for products.
    Dyadic,
    /// The largest, the smallest, and both zeros.
    Extremes,
    /// A NaN among ordinary floats (integers: all ones).
    Nan,
}

pub fn data(kind: Kind, op: Op, element: Element, len: usize, seed: u64) -> Data {
    let size = len * element.size() as usize;
    let mut data = Data(vec![0; size.div_ceil(8)], size);
    let product = matches!(op, Op::Product | Op::WideProduct);
    data.fill(element, Random::new(seed ^ len as u64), |i, _, word| match element.is_float() {
        true => bits_of(element, float(kind, product, len, i, word)),
        false => integer(kind, product, word),
    });
    data
}

fn integer(kind: Kind, product: bool, word: u64) -> u64 {
    match kind {
        // An even factor somewhere would soon make every product zero.
        Kind::Random => word | u64::from(product),
        Kind::Constant => 3,
        Kind::Dyadic => word % 5,
        Kind::Extremes => {
            [0, 1, u64::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, (1 << 63) - 1][(word % 7) as usize]
        }
        Kind::Nan => u64::MAX,
    }
}

fn float(kind: Kind, product: bool, len: usize, i: usize, word: u64) -> f64 {
    let unit = unit(word);
    let sign = if word & 1 == 0 { 1.0 } else { -1.0 };
    match kind {
        // Products stay near one, so that neither the large nor the small factors alone leave the range.
        Kind::Random if product => sign * (1.0 + (unit - 0.5) * 16.0 / (len as f64 + 16.0)),
        Kind::Random => sign * unit * (1 << (word % 7)) as f64,
        Kind::Constant if product => 1.0,
        Kind::Constant => 0.1,
        Kind::Dyadic if product => sign * if i.is_multiple_of(1 + len / 20) { 2.0 } else { 1.0 },
        Kind::Dyadic => (word % 9) as f64 - 4.0,
        Kind::Extremes => [f64::INFINITY, 0.0, -0.0, 1.0, -1.0, 0.25][(word % 6) as usize],
        Kind::Nan if i == len / 2 => f64::NAN,
        Kind::Nan => unit,
    }
}
