//! Random files: nothing panics, and accepted files are consistent.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;

/// Opens and reads bytes both ways; accepted files must be consistent.
fn survives(bytes: &[u8], raw: Option<Element>, room: usize) -> Result<(), TestCaseError> {
    if let Ok(mut source) = regular(bytes, raw) {
        let read = rest(&mut source, room);
        prop_assert!(read.is_ok(), "opened, and then {:?}", read.err());
        let expected = source.len().map(|count| count * source.element().size());
        prop_assert_eq!(Some(read.unwrap_or_default().len() as u64), expected);
    }
    if let Ok(mut source) = stream(bytes, raw)
        && let Ok(read) = rest(&mut source, room)
    {
        let expected = source.len().map(|count| count * source.element().size());
        prop_assert_eq!(Some(read.len() as u64), expected);
    }
    Ok(())
}

/// Characters of which headers are made, and some pairs of them.
const CHARACTERS: [&str; 26] = [
    "{", "}", "(", ")", "[", "]", "'", "\"", ",", ":", " ", "\n", "\\", "-", "+", "L", "0", "1", "7", "é",
    "j", "0x", "_", "\0", "()", "b'",
];

/// Words of which headers are made.
const WORDS: [&str; 14] = [
    "'descr'", "'shape'", "'<f4'", "'>i8'", "'|u1'", "'=f2'", "True", "False", "None", "(2, 3)", "'''",
    "\\x4", "\\777", "1e5",
];

/// Longer words.
const LONG_WORDS: [&str; 2] = ["99999999999", "'fortran_order'"];

/// A part of a header.
fn ingredient() -> impl Strategy<Value = &'static str> {
    select([&CHARACTERS[..], &WORDS, &LONG_WORDS].concat())
}

/// A valid file, of any type, byte order, version and small shape.
fn valid() -> impl Strategy<Value = Vec<u8>> {
    let kind = (select(KINDS.to_vec()), any::<bool>(), any::<bool>());
    (kind, 1u8..=3, vec(0u32..5, 0..4)).prop_map(|(((element, kind), big, fortran), version, dimensions)| {
        let order = if big { '>' } else { '<' };
        let shape: String = dimensions.iter().map(|dimension| format!("{dimension}, ")).collect();
        let text = text(&format!("'{order}{kind}'"), fortran, &format!("({shape})"));
        file(version, &text, &elements(element, dimensions.iter().product(), big))
    })
}

/// Damage of a file: a place that is scaled to its length, how many bytes go there, and those that come instead. `None` are all that
/// follow.
type Damage = (Index, Option<usize>, Vec<u8>);

/// Any damage: cuts, bytes that are inserted or overwritten, a byte that is lost or changed.
fn damage() -> impl Strategy<Value = Damage> {
    let change = prop_oneof![
        Just((None, Vec::new())),
        ingredient().prop_map(|what| (Some(0), what.into())),
        ingredient().prop_map(|what| (Some(what.len()), what.into())),
        Just((Some(1), Vec::new())),
        any::<u8>().prop_map(|byte| (Some(1), vec![byte])),
    ];
    (any::<Index>(), change).prop_map(|(at, (gone, instead))| (at, gone, instead))
}

/// Does the damage; all but cuts go where the header's dictionary is.
fn apply(bytes: &mut Vec<u8>, (at, gone, instead): Damage) {
    let length = bytes.len();
    match gone {
        None => bytes.truncate(at.index(length + 1)),
        Some(gone) => {
            let at = at.index(length.min(90) + 1);
            bytes.splice(at..length.min(at + gone), instead);
        }
    }
}

/// Up to `length` bytes of any value.
fn noise(length: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..length)
}

/// Up to `length` ingredients in a row.
fn soup(length: usize) -> impl Strategy<Value = String> {
    vec(ingredient(), 0..length).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn valid_files_come_back_whole(bytes in valid(), room in 8usize..200) {
        prop_assert!(regular(&bytes, None).is_ok());
        survives(&bytes, None, room)?;
    }

    #[test]
    fn damaged_files_never_panic(mut bytes in valid(), all in vec(damage(), 1..6)) {
        for damage in all {
            apply(&mut bytes, damage);
        }
        survives(&bytes, None, 24)?;
    }

    #[test]
    fn made_up_headers_never_panic(version in 1u8..=3, text in soup(60), data in noise(50)) {
        survives(&file(version, &text, &data), None, 16)?;
    }

    #[test]
    fn made_up_values_never_panic(value in soup(8), key in 0usize..3, data in noise(50)) {
        let mut values = ["'<f4'", "False", "(3,)"];
        values[key] = &value;
        let [descr, order, shape] = values;
        let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}");
        survives(&file(1, &text, &data), None, 16)?;
    }

    #[test]
    fn random_bytes_never_panic(bytes in noise(300), version in 0u8..5) {
        survives(&bytes, None, 16)?;
        survives(&[b"\x93NUMPY", &[version, 0][..], &bytes].concat(), None, 16)?;
    }

    #[test]
    fn bare_bytes_are_consistent(bytes in noise(200), kind in select(&KINDS), room in 8usize..50) {
        survives(&bytes, Some(kind.0), room)?;
    }
}
