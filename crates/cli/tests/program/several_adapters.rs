//! `halofold --adapters`: one adapter, named several times, is several devices. Results of several have the bits of one.
//!
//! OpenGL has one device at a time: there it is one adapter in a list, which goes the same ways.

use std::fs;

use crate::files::{Folder, command, npy, parsed, reduce, reduce_on, refused, rows, stencil};
use halofold::wgpu::Backend;
use serde_json::Value;

fn is_gl() -> bool {
    crate::files::preferred().get_info().backend == Backend::Gl
}

/// The preferred adapter, this many times.
pub fn times(count: usize) -> String {
    vec!["0"; if is_gl() { 1 } else { count }].join(",")
}

/// A grid of numbers that no sum hits exactly.
fn grid(shape: &[usize]) -> Vec<u8> {
    let count = shape.iter().product::<usize>() as u32;
    let cells =
        (0..count).map(|cell| (cell.wrapping_mul(2_654_435_769) >> 8) as f32 / (1 << 22) as f32 - 1.7);
    npy("<f4", false, shape, &cells.flat_map(f32::to_le_bytes).collect::<Vec<_>>())
}

#[test]
fn grids_in_slabs_are_those_of_one_adapter() {
    let folder = Folder::new("several-grids");
    for shape in [&[67, 40][..], &[23, 9, 12]] {
        let input = folder.write("grid.npy", &grid(shape));
        for boundary in ["fixed", "reflect", "mirror", "wrap", "constant=2"] {
            let output = |name: &str, more: &[&str]| {
                let output = folder.path(name);
                let args = [&input, "--steps", "19", "--boundary", boundary, "-o", &output, "--json"];
                let report: Value = parsed(&stencil(&[&args[..], more].concat()));
                (fs::read(&output).unwrap(), report)
            };
            let (one, _) = output("one.npy", &["--adapter", "0"]);
            for (more, used) in
                [(&["--adapters", &times(3), "--halo", "5"][..], 3), (&["--adapters", &times(2)], 2)]
            {
                let (several, report) = output("several.npy", more);
                assert!(one == several, "{shape:?} {boundary} {more:?}");
                let layers = report["layers"].as_array().unwrap();
                let counts = layers.iter().map(|count| count.as_u64().unwrap());
                assert_eq!(counts.sum::<u64>(), shape[0] as u64);
                assert_eq!(report["steps"], 19);
                let used = if is_gl() { 1 } else { used };
                assert_eq!(layers.len(), used);
                assert_eq!(report["adapter"].as_str().unwrap().split(" + ").count(), used);
            }
        }
    }
}

#[test]
fn runs_stop_at_the_same_step() {
    let folder = Folder::new("several-until");
    let input = folder.write("grid.npy", &grid(&[40, 31]));
    let stopped = |until: &str, more: &[&str]| {
        let args = [&input, "--until", until, "--norm", "l2", "--every", "7", "--json"];
        let mut report: Value = parsed(&stencil(&[&args[..], more].concat()));
        ["steps", "residual_max", "residual_l2", "converged"].map(|key| report[key].take())
    };
    let one = stopped("1e-3", &["--adapter", "0"]);
    assert_eq!(one[3], true);
    // A close call: what the last check found is not less than itself, but less than the next number.
    let found = one[2].as_f64().unwrap();
    for until in [1e-3, found, found.next_up()].map(|until| format!("{until:e}")) {
        let one = stopped(&until, &["--adapter", "0"]);
        for more in [&["--adapters", &times(2), "--halo", "4"][..], &["--adapters", &times(3)]] {
            assert_eq!(stopped(&until, more), one, "{until} {more:?}");
        }
    }
}

#[test]
fn impossible_requests_are_refused_with_the_reason() {
    const OPENGL: &str = "through OpenGL";
    let folder = Folder::new("several-refused");
    let input = folder.write("grid.npy", &grid(&[20, 31]));
    for (args, said) in [
        (&["--adapters", "0,99"][..], "unknown adapter `99`"),
        (
            &["--adapters", "0,0", "--halo", "11"],
            if is_gl() { OPENGL } else { "use fewer GPUs or a smaller halo" },
        ),
        (&["--adapters", "0,0", "--halo", "0"], "--halo"),
        (&["--halo", "3"], "--adapters"),
        (&["--adapters", "0", "--adapter", "0"], "--adapter"),
        (&["--adapter", "all"], "--adapters all,"),
        (&["--adapter", "0,0"], "--adapters 0,0,"),
    ] {
        refused(&stencil(&[&[input.as_str(), "--steps", "1"][..], args].concat()), &[said]);
    }
    refused(&stencil(&["--tune", "--adapters", "all"]), &["--adapters"]);
    if is_gl() {
        refused(&reduce(&[&input, "--adapters", "0,0"]), &[OPENGL]);
    }
}

/// The lines of a reduction in small pieces, without the adapter's name and times.
fn reduced(args: &[&str], input: &[u8]) -> Vec<Value> {
    let mut rows = rows(&reduce_on(&[args, &["--json", "--piece", "4096"]].concat(), input));
    for row in &mut rows {
        for key in ["adapter", "gpu_ms", "wall_ms"] {
            row.as_object_mut().unwrap().remove(key);
        }
    }
    rows
}

/// Asserts that several adapters give the results of one, whether or not the host looks at the elements too.
fn check_reduced(args: &[&str], input: &[u8]) {
    for verify in [&[][..], &["--verify"]] {
        let one = reduced(&[args, verify, &["--adapter", "0"]].concat(), input);
        for adapters in [&times(2), &times(4), "all"] {
            assert_eq!(reduced(&[args, verify, &["--adapters", adapters]].concat(), input), one, "{args:?}");
        }
    }
}

#[test]
fn pieces_go_to_the_next_free_gpu_and_results_are_the_same() {
    let folder = Folder::new("several-reduce");
    let whole = grid(&[37, 411]);
    let files = [
        folder.write("a.npy", &whole),
        folder.write("b.npy", &grid(&[3])),
        folder.write("c.npy", &grid(&[0])),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for options in [&["--op", "sum,min,arg-min,variance,count"][..], &["--exact", "--op", "sum,mean"]] {
        check_reduced(&[&files[..], options].concat(), &[]);
        check_reduced(&[&["-"], options].concat(), &whole);
    }
    for options in [&["--axis", "0"][..], &["--axis", "1", "--op", "arg-min"], &["--axis", "0", "--exact"]] {
        check_reduced(&[&files[..1], options].concat(), &[]);
    }
    check_reduced(&["-", "--axis", "1"], &whole);
    // A file beside a stream is read in order, too.
    for second in [files[0], "-"] {
        check_reduced(&[files[0], "--op", "dot", "--with", second], &whole);
    }
    check_reduced(&[files[0], "--op", "dot", "--with", files[0], "--exact"], &[]);
}

#[test]
fn adapters_without_a_piece_are_not_named() {
    let folder = Folder::new("several-named");
    let one_piece = folder.write("a.npy", &grid(&[30]));
    let named = |adapters: [&str; 2]| {
        let rows = rows(&reduce(&[&one_piece, "--op", "min", "--json", adapters[0], adapters[1]]));
        rows[0]["adapter"].clone()
    };
    assert_eq!(named(["--adapters", &times(3)]), named(["--adapter", "0"]));
}

#[test]
fn arrays_in_fortrans_order_and_of_narrow_types_give_the_same_bits() {
    let folder = Folder::new("several-stored");
    let bytes: Vec<u8> = (0..30_000u32).map(|at| (at.wrapping_mul(2_654_435_769) >> 20) as u8).collect();
    for (name, descr, fortran, shape) in
        [("turned.npy", "|i1", true, &[300, 100][..]), ("narrow.npy", "|u1", false, &[30_000])]
    {
        let file = folder.write(name, &npy(descr, fortran, shape, &bytes));
        check_reduced(&[&file, "--op", "sum,min,arg-max"], &[]);
    }
    // An odd number of 16-bit elements ends inside a word; the last one of a piece, too.
    let odd = folder.write("odd.bin", &bytes[..9_002]);
    let has_f16 = crate::files::features().contains(halofold::wgpu::Features::SHADER_F16);
    // Without 16-bit floats there are their exact sums.
    let floats = if has_f16 { &["f16", "--op", "sum,max"][..] } else { &["f16", "--exact"] };
    for options in [&["u16", "--op", "sum,max"], floats] {
        check_reduced(&[&[odd.as_str(), "--raw"], options].concat(), &[]);
        check_reduced(&[&["-", "--raw"], options].concat(), &bytes[..9_002]);
    }
}

#[test]
fn the_first_piece_that_fails_is_told() {
    let folder = Folder::new("several-failing");
    let file = folder.write("long.bin", &[0; 40_000]);
    for adapters in ["0", &times(3)] {
        let on = |args: &[&str], input: &[u8]| {
            let args = [args, &["--raw", "f32", "--piece", "4096", "--adapters", adapters]].concat();
            reduce_on(&args, input)
        };
        let pair = [&file, "--op", "dot", "--with", "-"];
        refused(&on(&pair, &[0; 20_000]), &["--with", "different numbers of elements"]);
        refused(&on(&pair, &[0; 20_001]), &["standard input", "20001 bytes are not a multiple"]);
        refused(&on(&["-"], &[0; 20_002]), &["standard input", "20002 bytes are not a multiple"]);
    }
}

/// Bytes that were never written take no room on the disk, on file systems with sparse files.
#[cfg(unix)]
#[test]
fn a_file_that_shrinks_while_it_is_read_is_told() {
    let folder = Folder::new("several-shrinks");
    for adapters in ["0", &times(3)] {
        let file = folder.write("large.npy", &npy("<f4", false, &[1 << 38], &[]));
        let resize = |len| fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(len).unwrap();
        resize((1 << 40) + 128);
        let child = command("reduce", &[&file, "--adapters", adapters]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(2));
        resize(1 << 20);
        refused(&child.wait_with_output().unwrap(), &["large.npy", "truncated", "1048448 found"]);
    }
}
