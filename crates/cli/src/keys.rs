//! Keys: unsigned integers in the order of a file's elements.

use halofold::histogram::Map;
use halofold::{Element, Value};

/// Returns the first key of a type, and one past the last. NaNs have no key.
pub fn key_range(element: Element) -> (u128, u128) {
    let bits = 8 * element.size();
    match element {
        Element::F32 => (0x007f_ffff, 0xff80_0001),
        Element::F64 => (0x000f_ffff_ffff_ffff, 0xfff0_0000_0000_0001),
        _ => (0, 1 << bits),
    }
}

/// Returns the map from elements to keys; `None` if elements are keys, and for 32-bit floats, which the library orders itself. No adapter
/// needs 64-bit integers.
pub fn key_map(element: Element) -> Option<Map> {
    const WORDS: &str = "struct Elem { low: u32, high: u32 }
        fn map(elem: Elem, index: u32) -> vec2<u32> { return vec2(elem.low, elem.high) ^ ";
    let map = match element {
        Element::I32 => {
            Map::custom(Element::U32, "fn map(elem: u32, index: u32) -> u32 { return elem ^ 0x80000000u; }")
        }
        Element::I64 => Map::custom_struct(8, &format!("{WORDS} vec2(0u, 0x80000000u); }}")),
        Element::F64 => {
            let turned = "select(vec2(0u, 0x80000000u), vec2(0xffffffffu), elem.high >= 0x80000000u); }";
            Map::custom_struct(8, &format!("{WORDS}{turned}"))
        }
        _ => return None,
    };
    Some(map.expect("the text is the program's own"))
}

/// Returns the number of a key. Keys are numbers with the sign bit flipped, and for negative floats all bits, so that they sort as
/// unsigned integers.
pub fn number(element: Element, key: u64) -> Value {
    let turned = |sign: u64| if key & sign == 0 { !key } else { key ^ sign };
    match element {
        Element::U32 | Element::U64 => Value::Unsigned(key),
        Element::I32 => Value::Signed((key as u32 as i32 ^ i32::MIN).into()),
        Element::I64 => Value::Signed(key as i64 ^ i64::MIN),
        Element::F64 => Value::F64(f64::from_bits(turned(1 << 63))),
        _ => Value::F32(f32::from_bits(turned(1 << 31) as u32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_numbers_do() {
        for element in [Element::U32, Element::I32, Element::F32, Element::U64, Element::I64, Element::F64] {
            let (first, end) = key_range(element);
            let middle = first.midpoint(end);
            let keys = [first, middle - 2, middle, middle + 2, end - 1];
            let numbers = keys.map(|key| number(element, key as u64).as_f64());
            assert!(numbers.is_sorted() && numbers[0] < numbers[4], "{element}: {numbers:?}");
        }
    }
}
