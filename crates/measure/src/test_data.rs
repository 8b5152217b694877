//! Elements to measure with: pseudo-random, the same every time.
use halofold::Element;
use halofold::reduce::Op;

/// A sequence of `len` pseudo-random elements that suit an operator.
///
/// Integers take every pattern (odd ones for products); floats lie in -1 … 1, or for products are ±1 with a few twos
/// and halves, so that the exact result stays in range.
#[derive(Clone, Copy, Debug)]
pub struct TestData {
    element: Element,
    product: bool,
    sparse: u64,
    len: u64,
}

impl TestData {
    /// The sequence for an operator, a type and a length.
    pub fn new(op: Op, element: Element, len: u64) -> Self {
        let product = matches!(op, Op::Product | Op::WideProduct);
        TestData { element, product, sparse: len / 50 + 1, len }
    }

    /// Number of words of eight bytes that hold the elements; the last may be partly beyond them.
    pub fn words(&self) -> usize {
        (self.len as usize * self.element.size() as usize).div_ceil(8)
    }

    /// The word at an index: the elements in it in memory order.
    pub fn word(&self, at: usize) -> u64 {
        let size = self.element.size() as usize;
        let mut bytes = [0; 8];
        for (k, slot) in bytes.chunks_exact_mut(size).enumerate() {
            let index = (at * (8 / size) + k) as u64;
            slot.copy_from_slice(&self.pattern(index).to_le_bytes()[..size]);
        }
        u64::from_ne_bytes(bytes)
    }

    /// One element's bits.
    fn pattern(&self, index: u64) -> u64 {
        let word = scramble(index);
        if !self.element.is_float() {
            return if self.product { word | 1 } else { word };
        }
        let x = if self.product {
            let special = index.is_multiple_of(self.sparse);
            let magnitude = [1.0, 2.0, 0.5][if special { (1 + index / self.sparse % 2) as usize } else { 0 }];
            if word & 1 == 0 { magnitude } else { -magnitude }
        } else {
            // 11 bits survive in the narrowest type.
            (word >> 40) as f64 / (1u64 << 23) as f64 - 1.0
        };
        match self.element {
            Element::F16 => u64::from(half::f16::from_f64(x).to_bits()),
            Element::F32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        }
    }
}

/// A well-mixed word for every index.
pub(super) fn scramble(index: u64) -> u64 {
    let x = index.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_lie_where_they_should() {
        let data = TestData::new(Op::Sum, Element::F32, 1001);
        assert_eq!(data.words(), 501);
        let words: Vec<u64> = (0..data.words()).map(|at| data.word(at)).collect();
        assert!(bytemuck::cast_slice::<u64, f32>(&words).iter().all(|x| (-1.0..1.0).contains(x)));
    }
}
