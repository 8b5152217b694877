//! Files that were written by hand: those that are read, and those that are refused with a message that helps.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use proptest::prelude::*;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use tempfile::NamedTempFile;

use super::*;

fn file(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    file(1, &header(&format!("'{descr}'"), false, shape), data)
}

fn on_disk(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

pub(crate) fn floats_on_disk(shape: &[u64], fortran: bool) -> NamedTempFile {
    let data: Vec<f32> = (0..30_000u32).map(|x| (x * 7919 % 9973) as f32 * 0.25 - 1000.0).collect();
    let mut file = NamedTempFile::new().unwrap();
    npy::write(&mut file, "<f4", shape, fortran, bytemuck::cast_slice(&data)).unwrap();
    file
}

/// The elements of a file on disk, which must be those of a stream.
fn elements(bytes: &[u8]) -> Result<Vec<u8>, InputError> {
    let file = on_disk(bytes);
    let streamed = Source::new("-", Opened::stream(std::io::Cursor::new(bytes.to_vec())), None);
    let streamed = streamed.map(|source| source.load_all());
    let loaded = Source::open(file.path(), None).and_then(|source| source.load_all());
    assert_eq!(loaded.as_ref().ok(), streamed.ok().and_then(Result::ok).as_ref());
    loaded
}

fn refusal(bytes: &[u8]) -> String {
    let message = elements(bytes).unwrap_err().to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

#[test]
fn every_type_and_byte_order_is_read() {
    let numbers = [1u8, 2, 3, 250];
    for (descr, size) in [("u4", 4), ("i4", 4), ("f4", 4), ("f8", 8), ("i8", 8), ("u8", 8), ("f2", 2)] {
        let little: Vec<u8> = numbers.iter().flat_map(|x| [vec![*x], vec![7; size - 1]].concat()).collect();
        let big: Vec<u8> = little.chunks(size).flat_map(|x| x.iter().rev().copied()).collect();
        for (version, (order, data)) in
            (1..=3).flat_map(|version| [(version, ("<", &little)), (version, (">", &big))])
        {
            let text = header(&format!("'{order}{descr}'"), false, "(2, 2)");
            assert_eq!(elements(&file(version, &text, data)).unwrap(), little, "{descr}");
        }
    }
    let wide = |values: [i32; 4]| values.map(i32::to_ne_bytes).concat();
    for (descr, data, expected) in [
        ("|i1", numbers, wide([1, 2, 3, -6])),
        ("|b1", [0, 1, 0, 9], wide([0, 1, 0, 1])),
        (">i2", [255, 254, 1, 0], wide([-2, 256, 0, 0])[..8].to_vec()),
    ] {
        let shape = format!("({},)", expected.len() / 4);
        assert_eq!(elements(&array(descr, &shape, &data)).unwrap(), expected);
    }
}

#[test]
fn layers_and_fortran_arrays_are_loaded_in_c_order() {
    let data: Vec<u8> = (0..24).collect();
    let plain = on_disk(&array("|u1", "(2, 3, 4)", &data));
    let source = Source::open(plain.path(), None).unwrap();
    let first = |bytes: Vec<u8>| bytes.chunks(4).map(|word| word[0]).collect::<Vec<_>>();
    let shape = source.shape().to_vec();
    assert_eq!(
        first(source.load(&shape, 1..2, &[0, 2, 1]).unwrap()),
        [12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23]
    );
    assert_eq!(first(source.load(&[24], 5..8, &[0]).unwrap()), [5, 6, 7]);
    let fortran = on_disk(&file(1, &header("'|u1'", true, "(2, 3)"), &[0, 3, 1, 4, 2, 5]));
    let source = Source::open(fortran.path(), None).unwrap();
    assert_eq!(first(source.load_all().unwrap()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(first(source.load(&[2, 3], 0..2, &[1, 0]).unwrap()), [0, 3, 1, 4, 2, 5]);
    assert!(!source.is_plain() && source.reverses());
}

#[test]
fn arrays_in_archives_are_read_by_their_names() {
    let mut bytes = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut bytes);
    let array = array("<i4", "(3,)", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    for (name, method) in [("plain.npy", CompressionMethod::STORE), ("dense.npy", CompressionMethod::DEFLATE)]
    {
        let (mut entry, config) = zip.new_file(name).compression_method(method).start().unwrap();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&array).unwrap();
        let data = if method == CompressionMethod::STORE { array.clone() } else { encoder.finish().unwrap() };
        let mut writer = config.wrap(Vec::new());
        writer.write_all(&array).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.write_all(&data).unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    let mut file = tempfile::Builder::new().suffix(".npz").tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let open = |name: &str| Source::open(Path::new(&format!("{}{name}", file.path().display())), None);
    for name in [":plain", ":plain.npy", ":dense"] {
        assert_eq!(open(name).unwrap().load_all().unwrap(), array[array.len() - 12..], "{name}");
    }
    for name in ["", ":other"] {
        assert!(open(name).err().unwrap().to_string().contains("FILE.npz:NAME: plain, dense"));
    }
}

#[test]
fn other_dtypes_are_named_with_a_remedy() {
    for (descr, remedy) in [
        ("'<f16'", "array.astype('f4')"),
        ("'<c8'", "array.real, array.imag or numpy.abs(array)"),
        ("'|O'", "Python objects"),
        ("'<U3'", "it holds text"),
        ("'<V2'", "bfloat16"),
        ("'<M8[ns]'", "array.astype('i8')"),
        ("[('a', '<i4'), ('b', '<f4')]", "one field"),
    ] {
        let message = refusal(&file(1, &header(descr, false, "(3,)"), &[0; 64]));
        assert!(message.contains("u4 i4 f4 f8") && message.contains(remedy), "{descr}: {message}");
    }
}

#[test]
fn damaged_files_say_what_is_wrong() {
    for (text, expected) in [
        ("", "EOF"),
        ("3", "expected struct Dictionary"),
        ("{'descr': '<f4', 'shape': (3,)}", "fortran_order"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': 3}", "expected a sequence"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (3,), 'more': 1}", "`more`"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (-3,)}", "`-3`"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (3,)} 4", "trailing"),
    ] {
        let message = refusal(&file(3, text, &[0; 64]));
        assert!(message.contains("malformed") && message.contains(expected), "{message}");
    }
    for shape in ["(4294967296, 4294967296)", "(18446744073709551615, 18446744073709551615, 0)"] {
        assert!(refusal(&array("<f8", shape, &[0; 64])).contains("2^63"));
    }
    for (bytes, expected) in
        [(&b""[..], "is empty"), (b"1.0 2.0\n", "--raw TYPE"), (b"\x93NUMPY\x04\x01", "4.1")]
    {
        assert!(refusal(bytes).contains(expected));
    }
    let mut long = file(2, "", &[]);
    long[8..].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refusal(&long).contains("4294967295"));
    let whole = array("<u4", "(5,)", &[1; 20]);
    (1..whole.len()).for_each(|length| assert!(refusal(&whole[..length]).contains("truncated"), "{length}"));
    let file = on_disk(&whole);
    let source = Source::open(file.path(), None).unwrap();
    file.as_file().set_len(file.path().metadata().unwrap().len() - 13).unwrap();
    assert!(source.load_all().unwrap_err().to_string().contains("20 bytes of data expected, 7 found"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn damaged_bytes_never_panic(at in 0usize..120, byte in any::<u8>(), end in 0usize..140) {
        let mut bytes = array("<f4", "(2, 3)", &[1; 24]);
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(end);
        let source = Source::new("-", Opened::stream(std::io::Cursor::new(bytes)), None);
        if let Ok(source) = source {
            let _ = source.load_all();
        }
    }
}
