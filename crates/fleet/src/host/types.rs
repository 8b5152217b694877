//! The types of elements: narrow integers that are widened, and numbers of one type as those of another.

use half::f16;
use halofold::Element;

use super::in_parallel;

/// The integers of 32 bits that integers of 8 or 16 bits become.
pub fn widened(bytes: &[u8], size: usize, is_signed: bool) -> Vec<u8> {
    let mut wide = vec![0; bytes.len() / size * 4];
    in_parallel(&mut wide, &|start, part| {
        let narrow = &bytes[start / 4 * size..];
        let words = part.as_chunks_mut::<4>().0;
        let pairs = || narrow.as_chunks::<2>().0.iter().map(|pair| u16::from_ne_bytes(*pair));
        match (size, is_signed) {
            (1, false) => write(words, narrow.iter().map(|x| u32::from(*x))),
            (1, true) => write(words, narrow.iter().map(|x| i32::from(*x as i8) as u32)),
            (_, false) => write(words, pairs().map(u32::from)),
            (_, true) => write(words, pairs().map(|x| i32::from(x as i16) as u32)),
        }
    });
    wide
}

fn write(words: &mut [[u8; 4]], values: impl Iterator<Item = u32>) {
    words.iter_mut().zip(values).for_each(|(word, value)| *word = value.to_ne_bytes());
}

/// Bytes that are zero or one: Booleans are true by any other byte, too.
pub fn truths(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.iter_mut().for_each(|byte| *byte = (*byte != 0).into());
    bytes
}

/// Writes elements of one type as floats of another.
pub fn convert(from: Element, source: &[u8], to: Element, into: &mut [u8]) {
    if from == to {
        return into.copy_from_slice(source);
    }
    let elements = source.chunks_exact(from.size() as usize);
    for (bytes, into) in elements.zip(into.chunks_exact_mut(to.size() as usize)) {
        match to {
            Element::F16 => into.copy_from_slice(&f16::from_f64(value(from, bytes)).to_ne_bytes()),
            Element::F64 => into.copy_from_slice(&value(from, bytes).to_ne_bytes()),
            _ => into.copy_from_slice(&(value(from, bytes) as f32).to_ne_bytes()),
        }
    }
}

/// Elements as numbers. Integers of more than 53 bits are rounded.
pub fn values(element: Element, bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(element.size() as usize).map(|bytes| value(element, bytes)).collect()
}

fn value(element: Element, bytes: &[u8]) -> f64 {
    use bytemuck::pod_read_unaligned as read;
    match element {
        Element::U32 => f64::from(read::<u32>(bytes)),
        Element::I32 => f64::from(read::<i32>(bytes)),
        Element::F32 => f64::from(read::<f32>(bytes)),
        Element::F64 => read(bytes),
        Element::I64 => read::<i64>(bytes) as f64,
        Element::U64 => read::<u64>(bytes) as f64,
        Element::F16 => read::<f16>(bytes).to_f64(),
        other => unreachable!("{other} is new"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_integers_keep_their_values() {
        let wide = |values: [i32; 4]| values.map(i32::to_ne_bytes).concat();
        let bytes = [1u8, 0, 3, 250];
        assert_eq!(widened(&bytes, 1, false), wide([1, 0, 3, 250]));
        assert_eq!(widened(&bytes, 1, true), wide([1, 0, 3, -6]));
        let pairs = [1u16, 0, 65535, 32768].map(u16::to_ne_bytes).concat();
        assert_eq!(widened(&pairs, 2, false), wide([1, 0, 65535, 32768]));
        assert_eq!(widened(&pairs, 2, true), wide([1, 0, -1, -32768]));
        assert_eq!(truths(bytes.to_vec()), [1, 0, 1, 1]);
    }

    #[test]
    fn numbers_become_floats() {
        let source = [-3i64, 1 << 40].map(i64::to_ne_bytes).concat();
        let mut floats = vec![0; 8];
        convert(Element::I64, &source, Element::F32, &mut floats);
        assert_eq!(floats, [-3f32, (1u64 << 40) as f32].map(f32::to_ne_bytes).concat());
        assert_eq!(values(Element::F32, &floats), [-3.0, (1u64 << 40) as f64]);
    }
}
