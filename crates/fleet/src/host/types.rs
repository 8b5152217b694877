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

/// Booleans as bytes of 0 and 1: any byte but 0 is true.
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

/// The least and the greatest finite number; infinities without any.
pub fn finite_range(element: Element, bytes: &[u8]) -> [f64; 2] {
    let numbers = bytes.chunks_exact(element.size() as usize).map(|bytes| value(element, bytes));
    let finite = numbers.filter(|number| number.is_finite());
    finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

/// The shades of numbers from 0, of the lower end, to 254, of the upper one; NaN has 255.
pub fn shades(element: Element, bytes: &[u8], [low, high]: [f64; 2]) -> Vec<u8> {
    let shade = |x: f64| {
        if x.is_nan() {
            return 255;
        }
        // In halves, because the difference of two numbers may be none.
        let [from_low, span] = [x, high].map(|x| x / 2.0 - low / 2.0);
        let position = if span > 0.0 { from_low / span } else { 0.0 };
        (position.clamp(0.0, 1.0) * 254.0).round() as u8
    };
    bytes.chunks_exact(element.size() as usize).map(|bytes| shade(value(element, bytes))).collect()
}

/// Results of 32 bits as little-endian integers of 1 or 2 bytes. `None` if one does not fit, unless the closest one will do.
pub fn narrowed(results: &[u8], size: usize, is_signed: bool, takes_closest: bool) -> Option<Vec<u8>> {
    let bits = 8 * size as u32;
    let (low, high) =
        if is_signed { (-1i64 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let mut narrow = Vec::with_capacity(results.len() / 4 * size);
    for word in results.as_chunks::<4>().0 {
        let word = u32::from_ne_bytes(*word);
        let result = if is_signed { i64::from(word as i32) } else { i64::from(word) };
        let closest = result.clamp(low, high);
        if closest != result && !takes_closest {
            return None;
        }
        narrow.extend(&closest.to_le_bytes()[..size]);
    }
    Some(narrow)
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
    fn every_type_becomes_every_float() {
        let two = |element| match element {
            Element::U32 | Element::I32 => 2u32.to_ne_bytes().to_vec(),
            Element::I64 | Element::U64 => 2u64.to_ne_bytes().to_vec(),
            Element::F32 => 2f32.to_ne_bytes().to_vec(),
            Element::F64 => 2f64.to_ne_bytes().to_vec(),
            Element::F16 => f16::from_f64(2.0).to_ne_bytes().to_vec(),
            other => unreachable!("{other} is new"),
        };
        for from in Element::ALL {
            for to in [Element::F32, Element::F64, Element::F16] {
                let mut bytes = vec![0; to.size() as usize];
                convert(from, &two(from), to, &mut bytes);
                assert_eq!(bytes, two(to), "{from} to {to}");
            }
            assert_eq!(values(from, &two(from)), [2.0]);
        }
        assert_eq!(values(Element::I64, bytemuck::bytes_of(&-3i64)), [-3.0]);
    }

    #[test]
    fn colours_go_from_end_to_end() {
        let shades = |values: &[f64], ends| shades(Element::F64, bytemuck::cast_slice(values), ends);
        let values = [-1.0, -7.0, f64::NEG_INFINITY, 1.0, 3.0, 8.0, f64::INFINITY, f64::NAN];
        assert_eq!(shades(&values, [-1.0, 3.0]), [0, 0, 0, 127, 254, 254, 254, 255]);
        assert_eq!(shades(&[0.0], [f64::MIN, f64::MAX]), [127]);
        assert_eq!(shades(&[2.0], [2.0, 2.0]), [0]);
        let none = finite_range(Element::F64, bytemuck::cast_slice(&values[6..]));
        assert_eq!(shades(&values[6..], none), [0, 255]);
        assert_eq!(finite_range(Element::F64, bytemuck::cast_slice(&values)), [-7.0, 8.0]);
    }

    #[test]
    fn narrow_results_fit_or_are_closest() {
        let narrow = |values: [i32; 2], size, signed, closest| {
            narrowed(&values.map(i32::to_ne_bytes).concat(), size, signed, closest)
        };
        assert_eq!(narrow([127, -128], 1, true, false), Some(vec![127, 128]));
        assert_eq!(narrow([128, -3], 1, true, false), None);
        assert_eq!(narrow([i32::MAX, -3], 1, true, true), Some(vec![127, 253]));
        assert_eq!(narrow([-1, 7], 2, false, true), Some(vec![255, 255, 7, 0]));
    }
}
