//! Wrong requests, as `refusals.txt` lists them: exit status 2, nothing on standard output, no new file, and a message with the limit
//! and the remedy.

use std::fs;

use crate::files::{Folder, command, names_in, npy, refused};

/// The files that the requests name.
fn write_files(folder: &Folder) {
    let floats = |name: &str, shape: &[usize]| {
        let ones = vec![1f32; shape.iter().product()];
        folder.write(name, &npy("<f4", false, shape, bytemuck::cast_slice(&ones)));
    };
    for (name, shape) in [
        ("a.npy", &[4, 3][..]),
        ("flat.npy", &[13, 37]),
        ("deep.npy", &[5, 9, 11]),
        ("empty.npy", &[0, 5]),
        ("line.npy", &[2]),
        ("four.npy", &[1, 1, 1, 1]),
        ("odd.npy", &[2, 3]),
        ("three.npy", &[3, 3]),
    ] {
        floats(name, shape);
    }
    let nan = [1.0, f32::NAN].map(f32::to_le_bytes).concat();
    for (name, bytes) in [
        ("nan.npy", &npy("<f4", false, &[2], &nan)[..]),
        ("i.npy", &npy("<i4", false, &[4, 3], &[0; 48])),
        ("mask.npy", &npy("|b1", false, &[4], &[1; 4])),
        ("labels.npy", &npy("|u1", false, &[4], &[1; 4])),
        ("complex.npy", &npy("<c8", false, &[1, 1], &[0; 8])),
        ("short.npy", &npy("<f4", false, &[2, 2], &[0; 15])),
        ("text.npy", b"not an array"),
        ("wrong.wgsl", b"alias Acc = f32;\nfn map(elem: Elem, index: u32) -> Acc { return elem + true; }"),
        ("old.svg", b"old"),
        ("schema.json", b"{\"schema\": 7}"),
        ("rows.json", b"[{\"file\": \"x.npy\", \"value\": 3}]"),
        ("record.json", b"[]"),
    ] {
        folder.write(name, bytes);
    }
}

#[test]
fn wrong_requests_name_the_limit_and_the_remedy() {
    let folder = Folder::new("refusals");
    write_files(&folder);
    let before = names_in(&folder.0);
    let lines =
        include_str!("refusals.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<_> = lines.collect();
    for pair in lines.chunks(2) {
        let [request, words] = pair else { panic!("{pair:?} has no words") };
        eprintln!("halofold {request}");
        let arguments: Vec<_> = request.split_whitespace().collect();
        let output = command(arguments[0], &arguments[1..]).current_dir(&folder.0).output().unwrap();
        let words: Vec<_> = words.trim().split(" | ").collect();
        refused(&output, &words);
        assert_eq!(names_in(&folder.0), before, "{request}");
        // Nor where the place of the result is reserved first.
        let names_output = arguments.contains(&"-o");
        let is_grid =
            arguments[0] == "stencil" && arguments.get(1).is_some_and(|word| !word.starts_with("--"));
        if is_grid && !names_output {
            let outputs = ["-o", "out.npy"];
            let arguments = [&arguments[1..], &outputs].concat();
            let output = command("stencil", &arguments).current_dir(&folder.0).output().unwrap();
            refused(&output, &words);
            assert_eq!(names_in(&folder.0), before, "{request}, with outputs");
        }
    }
    assert_eq!(fs::read(folder.path("old.svg")).unwrap(), b"old");
    assert!(lines.len() > 200, "{} lines", lines.len());
}
