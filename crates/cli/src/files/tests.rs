//! Tests of reading files that were written by hand.

mod fuzz;
mod refused;

use std::collections::VecDeque;
use std::io::{self, Cursor, Read, Write as _};
use std::thread;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use tempfile::NamedTempFile;

use super::*;

/// The NumPy name of each element type, without byte order.
const KINDS: [(Element, &str); 7] = [
    (Element::U32, "u4"),
    (Element::I32, "i4"),
    (Element::F32, "f4"),
    (Element::F64, "f8"),
    (Element::I64, "i8"),
    (Element::U64, "u8"),
    (Element::F16, "f2"),
];

/// A file of the given version, header text and data.
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

/// The header text that NumPy writes, padded as NumPy pads it.
fn text(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    let dictionary = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    let padding = 63 - (10 + dictionary.len()) % 64;
    format!("{dictionary}{:padding$}\n", "")
}

/// A version 1.0 file of the given type string and shape.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    file(1, &text(&format!("'{descr}'"), false, shape), data)
}

/// A number as the bytes of an element, little end first.
fn little(element: Element, number: u32) -> Vec<u8> {
    match element {
        Element::U32 => number.to_le_bytes().to_vec(),
        Element::I32 => (-(number as i32)).to_le_bytes().to_vec(),
        Element::F32 => (number as f32 / 8.0).to_le_bytes().to_vec(),
        Element::F64 => (f64::from(number) / 3.0).to_le_bytes().to_vec(),
        Element::I64 => (i64::from(number) << 40).to_le_bytes().to_vec(),
        Element::U64 => (u64::MAX - u64::from(number)).to_le_bytes().to_vec(),
        Element::F16 => half::f16::from_f32(number as f32 / 2.0).to_le_bytes().to_vec(),
        other => unreachable!("{other} is new"),
    }
}

/// `count` elements one after the other, with the big end first if asked.
fn elements(element: Element, count: u32, big: bool) -> Vec<u8> {
    let in_order = |number| {
        let mut bytes = little(element, number);
        if big {
            bytes.reverse();
        }
        bytes
    };
    (0..count).flat_map(in_order).collect()
}

/// The same elements as this machine has them in memory.
fn native(element: Element, count: u32) -> Vec<u8> {
    elements(element, count, cfg!(target_endian = "big"))
}

/// Bare elements of a type.
fn bare(element: Element) -> Bare {
    Stored::from(element).into()
}

/// Starts on a reader, of a length that may be known.
fn start(
    name: &str,
    reader: Box<dyn Read + Send + Sync>,
    length: Option<u64>,
    raw: Option<Element>,
) -> Result<Source, InputError> {
    let opened = Opened { end: length, ..Opened::stream(reader) };
    Source::new(name, opened, raw.map(bare).as_ref(), Narrow::Refused)
}

/// Opens bytes as a regular file, whose length is known.
fn regular(bytes: &[u8], raw: Option<Element>) -> Result<Source, InputError> {
    let reader = Box::new(Cursor::new(bytes.to_vec()));
    start("data.npy", reader, Some(bytes.len() as u64), raw)
}

/// Opens bytes as a stream, whose length is not known.
fn stream(bytes: &[u8], raw: Option<Element>) -> Result<Source, InputError> {
    start("-", Box::new(Cursor::new(bytes.to_vec())), None, raw)
}

/// Everything that is left, read in pieces of `room` bytes.
fn rest(source: &mut Source, room: usize) -> Result<Vec<u8>, InputError> {
    let size = source.element().size() as usize;
    let mut all = Vec::new();
    let mut piece = vec![0xA5; room];
    loop {
        let count = source.read(&mut piece)?;
        if count == 0 {
            return Ok(all);
        }
        all.extend(&piece[..count * size]);
    }
}

#[test]
fn every_type_order_version_and_shape_is_read() {
    let shapes = [
        ("()", 1),
        ("(0,)", 0),
        ("(1,)", 1),
        ("(7,)", 7),
        ("(2, 3)", 6),
        ("(3, 0, 5)", 0),
        ("(2, 3, 4)", 24),
        ("(2L, 2L)", 4),
        ("(0xc,)", 12),
        ("( 1 ,1,1,5 , )", 5),
    ];
    for (element, kind) in KINDS {
        for (order, big) in [('<', false), ('>', true)] {
            for (shape, count) in shapes {
                for version in 1..=3 {
                    let descr = format!("'{order}{kind}'");
                    let text = text(&descr, version == 2, shape);
                    let bytes = file(version, &text, &elements(element, count, big));
                    let mut source = regular(&bytes, None).unwrap();
                    assert_eq!(source.element(), element);
                    assert_eq!(source.len(), Some(count.into()));
                    let read = rest(&mut source, 40).unwrap();
                    assert_eq!(read, native(element, count), "{descr} {shape}");
                }
            }
        }
    }
}

#[test]
fn an_open_byte_order_is_this_machines() {
    for (element, kind) in KINDS {
        let names = [("f", "float"), ("u", "uint"), ("i", "int")];
        let (_, name) = names.iter().find(|(letter, _)| kind.starts_with(letter)).unwrap();
        let name = format!("{name}{}", 8 * element.size());
        for descr in [format!("={kind}"), format!("|{kind}"), kind.to_owned(), name] {
            let mut source = regular(&npy(&descr, "(9,)", &native(element, 9)), None).unwrap();
            assert_eq!(rest(&mut source, 64).unwrap(), native(element, 9));
        }
    }
}

#[test]
fn headers_of_other_writers_are_read() {
    let headers = [
        "{'shape':(2,),'fortran_order':False,'descr':'<f4'}",
        "{\"descr\": \"<f4\", \"fortran_order\": True, \"shape\": (2,)}",
        "{'descr': '<f4',\n 'fortran_order': False,\r\n 'shape': (2,)}\n\n",
        "  {'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), 'more': 'é'}",
    ];
    for header in headers {
        let bytes = file(3, header, &elements(Element::F32, 2, false));
        let mut source = regular(&bytes, None).unwrap();
        let read = rest(&mut source, 4).unwrap();
        assert_eq!(read, native(Element::F32, 2), "{header}");
    }
}

#[test]
fn values_arrive_as_they_were_written() {
    let mut data = Vec::new();
    for value in [1.5f64, -0.0, f64::MAX, f64::NEG_INFINITY] {
        data.extend(value.to_be_bytes());
    }
    let mut source = regular(&npy(">f8", "(2, 2)", &data), None).unwrap();
    let read = rest(&mut source, 32).unwrap();
    let values: Vec<f64> = read.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
    assert_eq!(values, [1.5, -0.0, f64::MAX, f64::NEG_INFINITY]);
}

#[test]
fn an_array_is_not_read_as_bare_elements() {
    let array = npy("<f4", "(2,)", &elements(Element::F32, 2, false));
    let error = open(&on_disk(&array), Some(Element::F32)).unwrap_err();
    assert!(matches!(error.fault, Fault::NotBare) && error.with_raw_hint().contains("leave out --raw"));
    // Bytes that only look like it for a while are elements as any other.
    let mut source = open(&on_disk(b"\x93NUMPY and so on"), Some(Element::F32)).unwrap();
    assert_eq!(rest(&mut source, 8).unwrap(), b"\x93NUMPY and so on");
}

#[test]
fn bytes_after_the_array_are_left_alone() {
    let mut data = elements(Element::I32, 5, true);
    data.extend(b"\x93NUMPY and so on");
    for open in [regular, stream] {
        let mut source = open(&npy(">i4", "(5,)", &data), None).unwrap();
        assert_eq!(source.len(), Some(5));
        assert_eq!(rest(&mut source, 12).unwrap(), native(Element::I32, 5));
    }
}

#[test]
fn bare_elements_are_little_endian() {
    for (element, _) in KINDS {
        let bytes = elements(element, 11, false);
        let mut known = regular(&bytes, Some(element)).unwrap();
        assert_eq!(known.len(), Some(11));
        assert_eq!(rest(&mut known, 24).unwrap(), native(element, 11));
        let mut unknown = stream(&bytes, Some(element)).unwrap();
        assert_eq!((unknown.name(), unknown.len()), ("-", None));
        assert_eq!(rest(&mut unknown, 24).unwrap(), native(element, 11));
        assert_eq!(unknown.len(), Some(11));
        assert_eq!(regular(&[], Some(element)).unwrap().len(), Some(0));
    }
}

/// A reader that gives little at a time, and is interrupted, and goes on after its end as a
/// terminal does.
struct Stutter(VecDeque<u8>, usize);

impl Read for Stutter {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = buffer.len().min(self.1 % 7 + 1);
        self.0.read(&mut buffer[..count])
    }
}

#[test]
fn pieces_of_any_size_make_the_whole() {
    for (element, kind) in KINDS {
        let bytes = npy(&format!(">{kind}"), "(101,)", &elements(element, 101, true));
        for room in 8..70 {
            let reader = Stutter(bytes.iter().copied().collect(), 0);
            let mut source = start("-", Box::new(reader), None, None).unwrap();
            assert_eq!(rest(&mut source, room).unwrap(), native(element, 101), "{room}");
        }
    }
}

/// Writes a file that goes away at the end of the test.
fn on_disk(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Opens a file by its path.
fn open(file: &NamedTempFile, raw: Option<Element>) -> Result<Source, InputError> {
    Source::open_packed(file, raw.map(bare).as_ref())
}

#[test]
fn files_on_disk_are_opened() {
    let bytes = npy(">u8", "(3,)", &elements(Element::U64, 3, true));
    let file = on_disk(&bytes);
    let mut source = open(&file, None).unwrap();
    assert_eq!(source.name(), file.path().to_str().unwrap());
    assert_eq!(rest(&mut source, 16).unwrap(), native(Element::U64, 3));
    let source = open(&on_disk(&bytes[2..]), Some(Element::F16)).unwrap();
    assert_eq!(source.len(), Some(bytes.len() as u64 / 2 - 1));
    let error = open(&on_disk(&bytes[..bytes.len() - 1]), None).unwrap_err();
    assert!(matches!(error.fault, Fault::Truncated { expected: 24, found: 23, .. }));
    let error = open(&on_disk(&[0; 7]), Some(Element::F32)).unwrap_err();
    assert!(matches!(error.fault, Fault::Ragged { bytes: 7, .. }));
}

#[test]
fn parts_make_the_whole() {
    let bytes = npy(">i4", "(2, 5)", &elements(Element::I32, 10, true));
    let file = on_disk(&bytes);
    for cut in 0..=10 {
        let part = |range| rest(&mut open(&file, None).unwrap().part(range).unwrap(), 12).unwrap();
        assert_eq!([part(0..cut), part(cut..10)].concat(), native(Element::I32, 10), "{cut}");
    }
    let source = open(&file, None).unwrap().part(3..7).unwrap();
    assert_eq!((source.len(), source.shape()), (Some(4), &[2, 5][..]));
    let error = stream(&bytes, None).unwrap().part(0..1).unwrap_err();
    assert!(matches!(error.fault, Fault::Stream));
}

#[test]
fn elements_are_read_in_any_order() {
    let bytes = npy("|i1", "(10,)", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let file = on_disk(&bytes);
    let mut source = Source::open_widening(&file, None).unwrap();
    assert!(source.file().is_some());
    assert_eq!(source.read(&mut [0; 8]).unwrap(), 2);
    let check = |at: u64, count: usize| {
        let mut piece = vec![0; 4 * count];
        assert_eq!(source.read_at(at, &mut piece).unwrap(), count);
        let expected = (at as i32..).take(count).flat_map(i32::to_ne_bytes);
        assert!(piece.iter().copied().eq(expected), "{at}");
    };
    thread::scope(|scope| {
        for (at, count) in [(7, 3), (0, 4), (3, 1), (9, 1), (2, 8)] {
            scope.spawn(move || check(at, count));
        }
    });
    for end in [10, 11] {
        assert_eq!(source.read_at(end, &mut [0; 8]).unwrap(), 0);
    }
    // Sequential reading goes on where it was.
    assert_eq!(rest(&mut source, 8).unwrap(), [2, 3, 4, 5, 6, 7, 8, 9].map(i32::to_ne_bytes).concat());
    let part = Source::open_packed(&file, None).unwrap().part(4..7).unwrap();
    let mut piece = [0; 8];
    assert_eq!((part.read_at(1, &mut piece).unwrap(), &piece[..2]), (2, &[5, 6][..]));
    let stream = stream(&[0; 8], Some(Element::I32)).unwrap();
    assert!(stream.file().is_none());
    assert!(matches!(stream.read_at(0, &mut [0; 8]).unwrap_err().fault, Fault::Stream));
}

#[test]
fn truncated_files_are_errors_at_every_position() {
    let file = on_disk(&npy(">u2", "(10,)", &[1; 20]));
    let source = open(&file, None).unwrap();
    file.as_file().set_len(file.path().metadata().unwrap().len() - 13).unwrap();
    assert_eq!(source.read_at(0, &mut [0; 6]).unwrap(), 3);
    for at in [2, 8] {
        let error = source.read_at(at, &mut [0; 20]).unwrap_err();
        assert!(matches!(error.fault, Fault::Truncated { expected: 20, found: 7, .. }), "{error}");
    }
}

#[test]
fn bare_elements_have_a_byte_order_and_a_shape() {
    let file = on_disk(&elements(Element::F32, 6, true));
    let big = |shape: &str| ">f4".parse::<Bare>().unwrap().with_dimensions(shape.parse().unwrap());
    for shape in ["2,3", "-1,3"] {
        let mut source = Source::open_packed(&file, Some(&big(shape))).unwrap();
        assert_eq!((source.shape(), source.len()), (&[2, 3][..], Some(6)));
        assert_eq!(rest(&mut source, 16).unwrap(), native(Element::F32, 6));
    }
    for (shape, why) in
        [("2,2", "24 bytes, and shape (2, 2) takes 16"), ("-1,4", "takes 16"), ("7", "takes 28")]
    {
        let error = Source::open_packed(&file, Some(&big(shape))).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let piped = |shape| Source::new("-", Opened::stream(&[0; 24][..]), Some(&big(shape)), Narrow::Packed);
    assert_eq!(piped("2,3").unwrap().len(), Some(6));
    assert!(matches!(piped("-1,3").unwrap_err().fault, Fault::OpenShape));
}

#[test]
fn arrays_in_archives_are_read_by_their_names() {
    let mut bytes = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut bytes);
    let array = npy("<i4", "(9,)", &elements(Element::I32, 9, false));
    for (name, method) in [("plain.npy", CompressionMethod::STORE), ("dense.npy", CompressionMethod::DEFLATE)]
    {
        let (mut entry, config) = zip.new_file(name).compression_method(method).start().unwrap();
        let level = if method == CompressionMethod::STORE { 0 } else { 9 };
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(&array).unwrap();
        let data = if level == 0 { array.clone() } else { encoder.finish().unwrap() };
        let mut writer = config.wrap(Vec::new());
        writer.write_all(&array).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.write_all(&data).unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    let mut file = tempfile::Builder::new().suffix(".npz").tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let open = |name: &str| Source::open(format!("{}{name}", file.path().display()));
    for (name, is_file) in [(":plain", true), (":plain.npy", true), (":dense", false)] {
        let mut source = open(name).unwrap();
        assert_eq!((source.file().is_some(), source.reopens()), (is_file, true));
        assert_eq!(rest(&mut source, 16).unwrap(), native(Element::I32, 9));
        let places = source.read_at(7, &mut [0; 16]);
        assert_eq!(places.is_ok_and(|count| count == 2), is_file);
    }
    for name in ["", ":other"] {
        assert!(open(name).unwrap_err().to_string().contains("FILE.npz:NAME: plain, dense"));
    }
}

#[test]
fn bare_elements_become_wider_ones() {
    let file = on_disk(&[255, 0, 7]);
    let mut source = Source::open_widening(&file, Some(&Stored::I8.into())).unwrap();
    assert_eq!(rest(&mut source, 8).unwrap(), [-1i32, 0, 7].map(i32::to_ne_bytes).concat());
}
