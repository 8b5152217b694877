//! Wrong requests are refused before anything runs, and leave no files.

use halofold::stencil::{FIVE_POINT, TWENTY_SEVEN_POINT};

use super::cells::Cells;
use crate::files::{Folder, command, names_in, npy, refused, run_on, stencil as run};

#[test]
fn impossible_requests_are_refused_and_leave_no_files() {
    let folder = Folder::new("stencil-refused");
    let flat = folder.write("flat.npy", &Cells::integers(&FIVE_POINT).file("f4", false, false));
    let deep = folder.write("deep.npy", &Cells::integers(&TWENTY_SEVEN_POINT).file("f4", false, false));
    let empty = folder.write("empty.npy", &npy("<f4", false, &[0, 5], &[]));
    let line = folder.write("line.npy", &npy("<f4", false, &[2], &[0; 8]));
    let four = folder.write("four.npy", &npy("<f4", false, &[1, 1, 1, 1], &[0; 4]));
    let complex = folder.write("complex.npy", &npy("<c8", false, &[1, 1], &[0; 8]));
    let text = folder.write("text.npy", b"not an array");
    let short = folder.write("short.npy", &npy("<f4", false, &[2, 2], &[0; 15]));
    let (out, frames) = (folder.path("out.npy"), folder.path("frames"));
    let cases: &[(&[&str], &[&str])] = &[
        (&[&flat, "--csv"], &["--csv", "--preset"]),
        (&[&flat, "--record", "record.json"], &["--record", "--preset"]),
        (&[&flat, "--grid", "8x8"], &["--grid", "--preset"]),
        (&[&flat, "--samples", "3"], &["--samples", "--preset"]),
        (&[&flat, "--variants", "sol-smem"], &["--variants", "--preset"]),
        (&[&flat, "--blocks", "8x8"], &["--blocks", "--preset"]),
        (&["no-such-file.npy"], &["no-such-file.npy", "no such file"]),
        (&[&text], &["text.npy", "not a .npy file"]),
        (&[&complex], &["complex.npy", "`<c8`"]),
        (&[&short], &["short.npy", "truncated"]),
        (&[&empty], &["empty.npy", "(0, 5)", "no cell"]),
        (&[&line], &["line.npy", "(2,)", "(rows, columns)"]),
        (&[&four], &["four.npy", "(1, 1, 1, 1)"]),
        (&[&deep, "--stencil", "5"], &["deep.npy", "(5, 9, 11)", "(rows, columns)"]),
        (&[&flat, "--points", "27"], &["flat.npy", "(planes, rows, columns)"]),
        (&[&flat, "--stencil", "6"], &["unknown stencil", "5, 9, 27, 7"]),
        (&[&flat, "--variant", "plane-sums"], &["unknown variant", "register-rows", "dir-fusion-diag"]),
        (&[&deep, "--variant", "register-rows"], &["unknown variant", "plane-sums", "sol-unroll8-cse"]),
        (&[&flat, "--block", "64"], &["8x32"]),
        (&[&flat, "--block", "0x4"], &["8x32"]),
        (
            &[&flat, "--block", "4096x4096"],
            &["4096x4096", "max_compute_invocations_per_workgroup", ": use a smaller block"],
        ),
        (&[&flat, "--variant", "sol-smem", "--block", "2x8"], &["sol-smem", "2x8", "at least 3"]),
        (&[&flat, "--boundary", "open"], &["fixed, reflect, mirror, wrap, constant=C"]),
        (&[&flat, "--rhs", &deep], &["--rhs", "deep.npy", "(5, 9, 11)", "(13, 37)"]),
        (&[&flat, "--rhs", "no-such-file.npy"], &["no-such-file.npy", "no such file"]),
        (&["-", "--rhs", "-"], &["--rhs -"]),
        (&[&flat, "--weights", "1,2,3"], &["3 given", "5 points take 2"]),
        (&[&deep, "--weights", "1"], &["1 given", "27 points take 4"]),
        (&[&deep, "--coefficients", "1,2,3,nan"], &["NaN is not a weight"]),
        (&[&flat, "--coefficients", "much"], &["much"]),
        (&[&flat, "--type", "i32"], &["f32, f64 and f16"]),
        (&[&flat, "--steps", "-1"], &["-1"]),
        (&[&flat, "--until", "-1"], &["`-1`", "from 0 up"]),
        (&[&flat, "--until", "1", "--norm", "l1"], &["max, l2"]),
        (&[&flat, "--norm", "l2"], &["--until"]),
        (&[&flat, "--exact"], &["--until"]),
        (&[&flat, "--until", "nan"], &["`nan`", "from 0 up"]),
        (&[&flat, "--until", "soon"], &["`soon`", "from 0 up"]),
        (&[&flat, "--until", "1", "--every", "20000"], &["--every 20000", "at most 16384"]),
        (&[&flat, "-o", &folder.path("out.jpg")], &["out.jpg", ".npy", ".png"]),
        (&[&flat, "-o", &folder.path("out")], &[".npy", ".png"]),
        (&[&flat, "-o", &folder.path("nowhere/out.npy")], &["nowhere"]),
        (&[&flat, "--halo", "3"], &["--adapters"]),
        (&[&flat, "--frames", &format!("{flat}/frames")], &["--frames"]),
        (&[&flat, "--frames", &frames, "--every", "0"], &["--every"]),
        (&[&flat, "--every", "5"], &["--every goes with"]),
        (&[&deep, "--slice", "1", "-o", &out], &["--slice goes with a picture"]),
        (&[&deep, "--slice", "5", "-o", &folder.path("out.png")], &["5 planes, 0 to 4"]),
        (&[&flat, "--slice", "0", "-o", &folder.path("out.png")], &["no planes"]),
        (&[&flat, "--adapter", "abacus"], &["the adapters are"]),
    ];
    refused(&run(&[]), &["name the grid"]);
    refused(&run(&[&flat]), &["--steps N", "--until EPS"]);
    let before = names_in(&folder.0).len();
    for (arguments, parts) in cases {
        let arguments = match arguments.contains(&"--steps") {
            true => arguments.to_vec(),
            false => [*arguments, &["--steps", "1"]].concat(),
        };
        refused(&run(&arguments), parts);
        // Nor where the places of the results are made sure of first.
        if !["-o", "--frames", "--every"].iter().any(|option| arguments.contains(option)) {
            refused(&run(&[&arguments[..], &["-o", &out, "--frames", &frames][..]].concat()), parts);
        }
        assert_eq!(names_in(&folder.0).len(), before, "{arguments:?}");
    }
}

#[test]
fn a_grid_that_does_not_fit_names_the_limit() {
    // Only the header: nothing is read before it is known to fit.
    for (shape, parts) in [
        ([1 << 24, 1 << 24], &["16777216 × 16777216 f32", "1125899906842624 bytes", "holds", "GPUs"][..]),
        ([1, 1 << 33], &["2^32"]),
    ] {
        let header = npy("<f4", false, &shape, &[]);
        refused(&run_on(&mut command("stencil", &["-", "--steps", "1"]), &header), parts);
    }
}

#[test]
fn weights_of_another_shape_are_refused() {
    let folder = Folder::new("stencil-weights");
    let flat = folder.write("flat.npy", &Cells::integers(&FIVE_POINT).file("f4", false, false));
    let odd = folder.write("odd.npy", &npy("<f4", false, &[2, 3], &[0; 24]));
    refused(&run(&[&flat, "--steps", "1", "--weights", &odd]), &["odd.npy", "(2, 3)", "(5, 5)"]);
    let square = folder.write("square.npy", &npy("<f4", false, &[3, 3], &[0; 36]));
    refused(&run(&[&flat, "--steps", "1", "--weights", &square, "--stencil", "5"]), &["5-point", "3x3"]);
    refused(&run(&[&flat, "--weights", "1,x"]), &["`x` is not a weight"]);
}
