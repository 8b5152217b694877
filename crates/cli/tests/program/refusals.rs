//! Wrong requests, as `refusals.txt` lists them: exit status 2, nothing on standard output, no file that is new or changed, and
//! a message with the limit and the remedy.

use std::fs;

use halofold::wgpu;

use crate::files::{Folder, assert_has, names_in, npy, parsed, refused, stdout};

/// The requests and the parts of their messages.
fn requests() -> Vec<(&'static str, Vec<&'static str>)> {
    let lines =
        include_str!("refusals.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<_> = lines.collect();
    let pairs = lines.chunks(2).map(|pair| {
        let [request, words] = pair else { panic!("{pair:?} has no words") };
        (*request, words.trim().split(" | ").collect())
    });
    pairs.collect()
}

/// A folder with the files that the requests name.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    let floats = |shape: &[usize]| {
        let ones = vec![1f32; shape.iter().product()];
        npy("<f4", false, shape, bytemuck::cast_slice(&ones))
    };
    for (name, shape) in [
        ("a.npy", &[4, 3][..]),
        ("-dash.npy", &[9]),
        ("flat.npy", &[13, 37]),
        ("deep.npy", &[5, 9, 11]),
        ("empty.npy", &[0, 5]),
        ("line.npy", &[2]),
        ("four.npy", &[1, 1, 1, 1]),
        ("odd.npy", &[2, 3]),
        ("three.npy", &[3, 3]),
    ] {
        folder.write(name, &floats(shape));
    }
    let nan = [1.0, f32::NAN].map(f32::to_le_bytes).concat();
    for (name, bytes) in [
        ("nan.npy", &npy("<f4", false, &[2], &nan)[..]),
        ("i.npy", &npy("<i4", false, &[4, 3], &[0; 48])),
        ("mask.npy", &npy("|b1", false, &[4], &[1; 4])),
        ("labels.npy", &npy("|u1", false, &[4], &[1; 4])),
        ("complex.npy", &npy("<c8", false, &[1, 1], &[0; 8])),
        ("bfloat16.npy", &npy("<V2", false, &[1], &[0; 2])),
        ("short.npy", &npy("<f4", false, &[2, 2], &[0; 15])),
        ("headless.npy", &floats(&[9])[..20]),
        ("no-bytes.npy", b""),
        ("text.npy", b"not an array"),
        // Only headers: nothing is read before it is known to fit.
        ("vast.npy", &npy("<f4", false, &[1 << 24, 1 << 24], &[])),
        ("long.npy", &npy("<f4", false, &[1, 1 << 33], &[])),
        ("21-bytes", &[0; 21]),
        ("24-bytes", &[0; 24]),
        ("wrong.wgsl", b"alias Acc = f32;\nfn map(elem: Elem, index: u32) -> Acc { return elem + true; }"),
        ("old.svg", b"old"),
        ("no-bytes.json", b""),
        ("no-keys.json", b"{}"),
        ("schema.json", b"{\"schema\": 7}"),
        ("incomplete.json", b"{\"schema\": 1}"),
        ("rows.json", b"[{\"file\": \"x.npy\", \"value\": 3}]"),
        ("record.json", b"[]"),
    ] {
        folder.write(name, bytes);
    }
    fs::create_dir(folder.path("folder.npy")).unwrap();
    fs::create_dir(folder.path("page")).unwrap();
    folder.write("page/index.html", b"<title>Mine</title>");
    folder
}

#[test]
fn wrong_requests_name_the_limit_and_the_remedy() {
    let folder = folder("refusals");
    let contents = || {
        let content = |name: String| (fs::read(folder.path(&name)).unwrap_or_default(), name);
        names_in(&folder.0).into_iter().map(content).collect::<Vec<_>>()
    };
    let before = contents();
    let refuse = |request: &str, words: &[&str]| {
        eprintln!("halofold {request}");
        refused(&folder.run(request), words);
        assert!(contents() == before, "{request} changes files");
    };
    for (request, words) in requests() {
        refuse(request, &words);
        // Nor where the place of the result is reserved first.
        let grid = request.strip_prefix("stencil ").filter(|grid| !grid.starts_with("--"));
        if let Some(grid) = grid.filter(|grid| !grid.contains(" -o ")) {
            refuse(&format!("stencil -o out.npy {grid}"), &words);
        }
    }
    assert!(requests().len() > 200, "{} requests", requests().len());
}

#[test]
fn files_that_cannot_be_read_hide_no_other() {
    let folder = folder("refusals-several");
    let of_one_file = |(request, words): (&'static str, Vec<_>)| {
        let file = request.strip_prefix("reduce ")?;
        (file.ends_with(".npy") && !file.contains(' ') && !file.starts_with('-')).then_some((file, words))
    };
    let bad: Vec<_> = requests().into_iter().filter_map(of_one_file).collect();
    assert!(bad.len() > 7, "{bad:?}");
    let names = bad.iter().map(|(file, _)| *file).collect::<Vec<_>>().join(" ");
    let mut output = folder.run(&format!("reduce a.npy {names} a.npy --json"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    bad.iter().for_each(|(file, words)| assert_has(&errors, &[&[*file], &words[..]].concat()));
    assert_eq!((output.status.code(), errors.lines().count()), (Some(2), bad.len()));
    output.status = Default::default();
    let rows: Vec<serde_json::Value> = parsed(&output);
    assert!(rows.len() == 2 && rows.iter().all(|row| row["value"] == 12.0), "{rows:?}");
}

/// On adapters without the features of 64-bit and 16-bit floats and 64-bit integers, as software GL is.
#[test]
fn missing_features_are_named_with_a_remedy() {
    let folder = Folder::new("refused-lacking");
    let adapters = pollster::block_on(halofold::adapter::list());
    for (kind, size, feature) in [
        ("f8", 8, wgpu::Features::SHADER_F64),
        ("f2", 2, wgpu::Features::SHADER_F16),
        ("i8", 8, wgpu::Features::SHADER_INT64),
    ] {
        let Some(lacking) = adapters.iter().position(|adapter| !adapter.features().contains(feature)) else {
            continue;
        };
        folder.write("a.npy", &npy(&format!("<{kind}"), false, &[9], &vec![0; 9 * size]));
        let on = |options: &str| folder.run(&format!("reduce a.npy --adapter {lacking} {options}"));
        refused(&on("--op product"), &["SHADER_"]);
        if kind.starts_with('f') {
            // Sums of floats are exact, in integers that every adapter has.
            refused(&on("--fast"), &["SHADER_", "without --fast"]);
            stdout(&on("--op sum,mean --verify"));
        }
    }
}
