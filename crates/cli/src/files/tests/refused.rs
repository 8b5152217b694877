//! Damaged, foreign and hostile files: each is refused with a message that helps.

use super::*;

/// The message with which a file is refused, however its bytes arrive.
fn refusal(bytes: &[u8]) -> String {
    let message = regular(bytes, None).unwrap_err().to_string();
    assert!(message.starts_with("data.npy: "), "{message}");
    assert!(!message.contains('\n'), "{message}");
    let streamed = stream(bytes, None).and_then(|mut source| rest(&mut source, 64));
    let streamed = streamed.unwrap_err().to_string();
    assert!(streamed.starts_with("standard input: "), "{streamed}");
    message
}

#[test]
fn other_dtypes_are_named_with_those_that_work_and_a_remedy() {
    let (any, short, none) =
        ("array.astype('f4')", "array.astype('i4')", "it holds text, and no numbers to reduce");
    for (descr, shown, remedy) in [
        ("'|b1'", "|b1", short),
        ("'|u1'", "|u1", short),
        ("'|i1'", "|i1", short),
        ("'<i2'", "<i2", short),
        ("'<f16'", "<f16", any),
        ("'<c8'", "<c8", "save its array.real, array.imag or numpy.abs(array)"),
        ("'|O'", "|O", "objects"),
        ("'|S5'", "|S5", none),
        ("'<U3'", "<U3", none),
        ("'|V8'", "|V8", "one field"),
        ("'<M8[ns]'", "<M8[ns]", "array.astype('i8')"),
        ("'|T16'", "|T16", none),
        ("'float128'", "float128", any),
        ("''", "``", any),
        ("[('a', '<i4'), ('b', '<f4')]", "[('a', '<i4'), ('b', '<f4')]", "one field"),
        ("[('a', '<f4', (2, 3))]", "[('a', '<f4', (2, 3))]", "one field"),
    ] {
        let message = refusal(&file(1, &text(descr, false, "(3,)"), &[0; 64]));
        for words in ["u4 i4 f4 f8 i8 u8 f2", shown, remedy] {
            assert!(message.contains(words), "{descr}: {message}");
        }
        assert_eq!(message.contains("astype"), remedy.contains("astype"), "{message}");
    }
}

#[test]
fn malformed_headers_say_what_is_wrong() {
    let headers = [
        ("", "no shape"),
        ("(3,)", "dict"),
        ("{'descr': '<f4', 'shape': (3,)}", "fortran_order"),
        ("{'fortran_order': True, 'shape': (3,)}", "descr"),
        ("{'descr': '<f4', 'fortran_order': 1, 'shape': (3,)}", "bool"),
        ("{'descr': 5, 'fortran_order': True, 'shape': (3,)}", "string"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': 3}", "not a tuple"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (3,), 'more': 1}", "`more`"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': '(3,)'}", "shape"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (3,)", "syntax"),
        ("{'descr': '<f4', 'fortran_order': True, 'shape': (3,)} 4", "syntax"),
    ];
    for (header, expected) in headers {
        let message = refusal(&file(3, header, &[0; 64]));
        assert!(message.contains("malformed"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
    let mut not_text = file(3, &text("'<f4'", false, "(3,)"), &[0; 12]);
    not_text[14] = 0xFF;
    assert!(refusal(&not_text).contains("UTF-8"));
}

#[test]
fn malformed_shapes_say_what_is_wrong() {
    let shapes = [
        ("(3)", "not a tuple"),
        ("(-3,)", "`-3`"),
        ("(3, -0x1)", "`-0x1`"),
        ("(2.5,)", "`2.5`"),
        ("(,)", "``"),
        ("(3,,)", "``"),
        ("(18446744073709551616,)", "`18446744073709551616`"),
        ("((3,),)", "`(3`"),
        ("(3, 'a\u{1b}[2J')", "a\u{fffd}[2J"),
        ("(3, 'a\u{1b}')", "a\u{fffd}"),
    ];
    for (shape, expected) in shapes {
        let message = refusal(&npy("<f4", shape, &[0; 64]));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn shapes_past_64_bits_are_refused() {
    for shape in [
        "(4294967296, 4294967296)",
        "(18446744073709551615, 2)",
        "(18446744073709551615,)",
        "(2305843009213693952,)",
        "(3, 9223372036854775808, 3, 9223372036854775808)",
        // As NumPy does.
        "(18446744073709551615, 18446744073709551615, 0)",
        "(0, 1152921504606846976)",
    ] {
        let message = refusal(&npy("<f8", shape, &[0; 64]));
        assert!(message.contains("2^63") && message.contains(shape), "{message}");
    }
    let zero = npy("<f8", "(1152921504606846975, 0)", &[]);
    assert_eq!(regular(&zero, None).unwrap().len(), Some(0));
}

#[test]
fn files_that_are_not_npy_are_refused() {
    assert!(refusal(b"").contains("is empty"));
    let text = regular(b"1.0 2.0 3.0\n", None).unwrap_err();
    assert!(!text.to_string().contains("--raw") && text.with_raw_hint().contains("--raw"));
    assert!(refusal(b"\x93N_").contains("not a .npy file"));
    assert!(refusal(b"PK\x03\x04rest of the archive").contains("archive in a stream"));
    assert!(refusal(b"\x93NUMPY\x04\x01").contains("4.1"));
    assert!(refusal(b"\x93NUMPY\x00\x00").contains("0.0"));
    assert!(refusal(b"\x93NUMPY\x01\x01").contains("1.1"));
}

#[test]
fn every_truncation_is_told_with_both_numbers() {
    let whole = npy("<u4", "(5,)", &elements(Element::U32, 5, false));
    for length in 1..whole.len() {
        let message = refusal(&whole[..length]);
        assert!(message.contains("truncated"), "{message}");
        let found = if length < whole.len() - 20 { length } else { length + 20 - whole.len() };
        assert!(message.contains(&format!("{found} found")), "{message}");
    }
    assert!(refusal(&whole[..whole.len() - 1]).contains("20 bytes of data expected, 19 found"));
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_truncated() {
    let bytes = npy("<u4", "(5,)", &elements(Element::U32, 4, false));
    let length = bytes.len() as u64 + 4;
    let mut source = start("data.npy", Box::new(Cursor::new(bytes)), Some(length), None).unwrap();
    assert_eq!(source.read(&mut [0; 12]).unwrap(), 3);
    let message = source.read(&mut [0; 12]).unwrap_err().to_string();
    assert!(message.contains("20 bytes of data expected, 16 found"), "{message}");
}

#[test]
fn hostile_headers_cost_nothing() {
    for version in [2, 3] {
        let mut claims = file(version, "", &[]);
        claims[8..].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(refusal(&claims).contains("4294967295"));
    }
    for bracket in ["[", "(", "{", "{1:", "((),", "'[", "-(", "{'a':["] {
        refusal(&file(3, &bracket.repeat(8000), &[]));
    }
    let fillers = ["9", "1+", "-", "'", "'''", "\\", "b'\\x", "1j+", "0_", "1e9", "\0", "\"a\","];
    for filler in fillers.map(|filler| filler.repeat(8000 / filler.len())) {
        for before in ["", "{'descr': ", "{'shape': (", "{'shape': (), "] {
            refusal(&file(3, &format!("{before}{filler}"), &[]));
        }
    }
    let ones = format!("({})", "1,".repeat(30_000));
    let mut source = regular(&npy("<f2", &ones, &[0; 2]), None).unwrap();
    assert_eq!(source.len(), Some(1));
    assert_eq!(source.read(&mut [0; 64]).unwrap(), 1);
}

#[test]
fn bare_elements_must_be_whole() {
    for (element, _) in KINDS {
        for length in (1..40).filter(|length| length % element.size() != 0) {
            let bytes = vec![1; length as usize];
            let numbers = format!("{length} bytes are not a multiple of the {} bytes", element.size());
            let message = regular(&bytes, Some(element)).unwrap_err().to_string();
            assert!(message.contains(&numbers), "{message}");
            let message = rest(&mut stream(&bytes, Some(element)).unwrap(), 16).unwrap_err();
            assert!(message.to_string().contains(&numbers), "{message}");
        }
    }
}

#[test]
fn a_failing_reader_is_reported() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let error = start("-", Box::new(Broken), None, None).unwrap_err();
    assert!(error.to_string().contains("the cable is out"), "{error}");
    let mut source = start("x", Box::new(Broken), Some(8), Some(Element::F32)).unwrap();
    let error = source.read(&mut [0; 8]).unwrap_err().to_string();
    assert!(error.starts_with("x: cannot be read: the cable is out"), "{error}");
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    let error = Source::open("no/such/file.npy").unwrap_err();
    assert_eq!(error.to_string(), "no/such/file.npy: no such file; check the path");
    let error = Source::open(std::env::temp_dir()).unwrap_err();
    assert!(matches!(error.fault, Fault::Directory), "{error}");
    let error = Source::open("a\0b").unwrap_err();
    assert!(matches!(error.fault, Fault::Open(_)), "{error}");
    let denied = Fault::opening(io::ErrorKind::PermissionDenied.into());
    assert!(matches!(denied, Fault::Denied));
}
