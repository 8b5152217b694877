//! `halofold stencil`, run as a program on files that are written here, against the CPU's reference.
//!
//! On small integers and weights that are powers of two every order of additions is exact, so those results are
//! compared to the bit. The adapter is whatever the environment gives; a type that it lacks has to come out as an error.

mod files;

use std::fs;
use std::process::Output;

use files::{Folder, npy, refused, stdout};
use half::f16;
use halofold::Element;
use halofold::stencil::reference::Problem;
use halofold::stencil::{
    Border, Borders, Dims, FIVE_POINT, Grid, STENCILS, Stencil, TWENTY_SEVEN_POINT, Weights,
};
use serde_json::Value;

const KEYS: [&str; 17] = [
    "file",
    "variant",
    "points",
    "grid",
    "block",
    "boundary",
    "steps",
    "type",
    "gpu_ms_median",
    "wall_ms",
    "gcells_per_s",
    "residual_max",
    "residual_l2",
    "converged",
    "output",
    "adapter",
    "backend",
];

const FLOATS: [Element; 3] = [Element::F32, Element::F64, Element::F16];
const BORDERS: [Border; 3] = [Border::Fixed, Border::Mirror, Border::Periodic];

fn run(args: &[&str]) -> Output {
    files::command("stencil", args).output().unwrap()
}

/// A grid of some values.
#[derive(Clone, Debug)]
struct Cells {
    grid: Grid,
    stencil: &'static Stencil,
    values: Vec<f64>,
}

impl Cells {
    /// Small integers, the same every time.
    fn integers(stencil: &'static Stencil) -> Self {
        let grid = match stencil.dims {
            Dims::Three => Grid { planes: 5, rows: 9, cols: 11 },
            _ => Grid::plane(13, 37),
        };
        let values = (0..grid.cells()).map(|cell| ((cell * cell * 7 + cell / 5) % 9) as f64 - 4.0).collect();
        Cells { grid, stencil, values }
    }

    fn shape(&self) -> Vec<usize> {
        let Grid { planes, rows, cols } = self.grid;
        let sides = [planes, rows, cols].map(|side| side as usize);
        sides[3 - self.stencil.dims.count()..].to_vec()
    }

    /// What the CPU makes of them.
    fn stepped(&self, border: Border, weights: Weights, steps: u32) -> Vec<f64> {
        let (mut source, mut target) = (self.values.clone(), self.values.clone());
        for _ in 0..steps {
            let borders = Borders::all(border);
            Problem::new(self.stencil, weights, self.grid, borders).step(&source, &mut target);
            std::mem::swap(&mut source, &mut target);
        }
        source
    }

    /// The file of an array of them, in a type, byte order and order of dimensions.
    fn file(&self, kind: &str, big: bool, fortran: bool) -> Vec<u8> {
        let shape = self.shape();
        let data: Vec<u8> = self
            .order(fortran)
            .flat_map(|cell| {
                let mut bytes = encode(kind, self.values[cell]);
                if big {
                    bytes.reverse();
                }
                bytes
            })
            .collect();
        npy(&format!("{}{kind}", if big { '>' } else { '<' }), fortran, &shape, &data)
    }

    /// The cells in the order of a file.
    fn order(&self, fortran: bool) -> impl Iterator<Item = usize> {
        let Grid { planes, rows, cols } = self.grid;
        let [planes, rows, cols] = [planes, rows, cols].map(|side| side as usize);
        (0..self.values.len()).map(move |at| {
            if !fortran {
                return at;
            }
            let (plane, row, col) = (at % planes, at / planes % rows, at / planes / rows);
            (plane * rows + row) * cols + col
        })
    }
}

/// A number as an element of a NumPy type, little end first.
fn encode(kind: &str, value: f64) -> Vec<u8> {
    match kind {
        "f2" => f16::from_f64(value).to_le_bytes().to_vec(),
        "f4" => (value as f32).to_le_bytes().to_vec(),
        "f8" => value.to_le_bytes().to_vec(),
        "b1" | "u1" => vec![value as u8],
        "i1" => (value as i8).to_le_bytes().to_vec(),
        "i2" => (value as i16).to_le_bytes().to_vec(),
        "u2" => (value as u16).to_le_bytes().to_vec(),
        "i4" => (value as i32).to_le_bytes().to_vec(),
        "i8" => (value as i64).to_le_bytes().to_vec(),
        "u4" => (value as u32).to_le_bytes().to_vec(),
        _ => (value as u64).to_le_bytes().to_vec(),
    }
}

/// NumPy's name of an element type.
fn kind(element: Element) -> String {
    format!("{}{}", &element.name()[..1], element.size())
}

/// Type, shape and values of the array in a file that the program wrote.
fn array(path: &str) -> (String, String, Vec<f64>) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    assert!(header.contains("'fortran_order': False"), "{header}");
    let between = |from: &str, to: &str| {
        let (_, rest) = header.split_once(from).unwrap();
        rest.split_once(to).unwrap().0.trim_end_matches([',', ' ']).to_owned()
    };
    let (kind, shape) = (between("'descr': '", "'"), between("'shape': (", ")"));
    let data = &bytes[end..];
    let values = match &kind[..] {
        "<f2" => data.as_chunks().0.iter().map(|x| f16::from_le_bytes(*x).to_f64()).collect(),
        "<f4" => data.as_chunks().0.iter().map(|x| f64::from(f32::from_le_bytes(*x))).collect(),
        "<f8" => data.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect(),
        other => panic!("{other}"),
    };
    (kind, shape, values)
}

/// The one object that `--json` prints.
fn report(output: &Output) -> Value {
    let report: serde_json::Map<String, Value> = serde_json::from_str(&stdout(output)).unwrap();
    assert_eq!(report.keys().map(String::as_str).collect::<Vec<_>>(), KEYS);
    Value::Object(report)
}

/// Width and pixels of a picture.
fn picture(path: &str) -> (u32, Vec<[u8; 3]>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    assert_eq!(bytes.len(), (info.width * info.height * 3) as usize);
    (info.width, bytes.as_chunks().0.to_vec())
}

/// The ends of the colour scale, and what is not a number.
const LOW: [u8; 3] = [68, 1, 84];
const HIGH: [u8; 3] = [253, 231, 37];
const NAN: [u8; 3] = [255, 0, 0];

#[test]
fn every_border_and_type_is_exact() {
    let folder = Folder::new("stencil-exact");
    let out = folder.path("out.npy");
    for (stencil, weights) in [(&FIVE_POINT, "0.25"), (&TWENTY_SEVEN_POINT, "0.125,0.0625,0.03125,0.015625")]
    {
        let cells = Cells::integers(stencil);
        for element in FLOATS {
            let file = folder.write("in.npy", &cells.file(&kind(element), false, false));
            // 16 bits hold one step of them exactly.
            let steps = if element == Element::F16 { "1" } else { "2" };
            for border in BORDERS {
                let output = run(&[
                    &file,
                    "--boundary",
                    border.name(),
                    "--coefficients",
                    weights,
                    "--steps",
                    steps,
                    "-o",
                    &out,
                    "--json",
                ]);
                let missing = element.feature() - files::features();
                if !missing.is_empty() {
                    let feature = halofold::adapter::feature_names(missing);
                    refused(&output, &[&file, &feature, "--type f32"]);
                    continue;
                }
                let report = report(&output);
                assert_eq!((&report["type"], &report["output"]), (&element.name().into(), &out[..].into()));
                let shape = cells.shape().iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                let expected = cells.stepped(border, stencil.dyadic, steps.parse().unwrap());
                assert_eq!(array(&out), (format!("<{}", kind(element)), shape, expected), "{border:?}");
            }
        }
    }
}

#[test]
fn the_report_says_what_was_done() {
    let folder = Folder::new("stencil-report");
    let cells = Cells::integers(&TWENTY_SEVEN_POINT);
    let file = folder.write("in.npy", &cells.file("f4", false, false));
    let report = report(&run(&[
        &file,
        "--variant",
        "sol-smem",
        "--block",
        "4x16",
        "--boundary",
        "mirror",
        "--steps",
        "5",
        "--json",
    ]));
    let expected = serde_json::json!({
        "file": file, "variant": "sol-smem", "points": 27, "grid": "5x9x11", "block": "4x16",
        "boundary": "mirror", "steps": 5, "type": "f32", "residual_max": null, "residual_l2": null,
        "converged": null, "output": null,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&report[key], value, "{key}");
    }
    assert!(report["wall_ms"].as_f64().unwrap() > 0.0 && report["gcells_per_s"].as_f64().unwrap() > 0.0);
    assert!(report["gpu_ms_median"].is_null() || report["gpu_ms_median"].as_f64().unwrap() > 0.0);
    let text = stdout(&run(&[&file, "--steps", "3"]));
    assert!(
        text.contains("5 × 9 × 11 f32, 27 points by plane-sums") && text.contains("3 steps in"),
        "{text}"
    );
}

#[test]
fn defaults_average_for_a_thousand_and_one_steps() {
    let folder = Folder::new("stencil-long");
    for (stencil, variant) in [(&FIVE_POINT, "register-rows"), (&TWENTY_SEVEN_POINT, "plane-sums")] {
        let cells = Cells::integers(stencil);
        let file = folder.write("in.npy", &cells.file("f4", false, false));
        let out = folder.path("out.npy");
        for border in BORDERS {
            let arguments = [&file, "--steps", "1001", "--boundary", border.name(), "-o", &out, "--json"];
            let report = report(&run(&arguments));
            assert_eq!(report["variant"], variant);
            let expected = cells.stepped(border, stencil.usual, 1001);
            let (_, _, values) = array(&out);
            for (at, (got, expected)) in values.iter().zip(expected).enumerate() {
                // Averages do not enlarge what is off: at most half a unit of 4 per addition and step.
                let bound = 1001.0 * 33.0 * 4.0 * f64::from(f32::EPSILON) / 2.0;
                assert!((got - expected).abs() <= bound, "{border:?}: cell {at}: {got}, expected {expected}");
            }
        }
    }
}

#[test]
fn byte_orders_and_orders_of_dimensions_are_one() {
    let folder = Folder::new("stencil-orders");
    for &stencil in STENCILS {
        let cells = Cells::integers(stencil);
        let expected = cells.stepped(Border::Fixed, Weights([0.25, 0.5, -0.125, 0.0]), 1);
        let weights = &"0.25,0.5,-0.125,0".split(',').collect::<Vec<_>>()[..stencil.classes.len()].join(",");
        let out = folder.path("out.npy");
        for (big, fortran) in [(false, false), (false, true), (true, false), (true, true)] {
            let file = cells.file("f4", big, fortran);
            let arguments = ["-", "--stencil", stencil.name, "--weights", weights, "-o", &out];
            let output = files::run_on(&mut files::command("stencil", &arguments), &file);
            assert!(stdout(&output).contains("1 step in"));
            assert_eq!(array(&out).2, expected, "big: {big}, fortran: {fortran}");
        }
    }
}

#[test]
fn integers_of_any_width_become_floats() {
    let folder = Folder::new("stencil-integers");
    let out = folder.path("out.npy");
    // Beside values that only fit with a sign, or only without one.
    let signed: [(&str, f64); 4] = [("i1", -128.0), ("i2", -32768.0), ("i4", -65536.0), ("i8", -65536.0)];
    let unsigned = [("b1", 1.0), ("u1", 255.0), ("u2", 65535.0), ("u4", 4294967040.0), ("u8", 4294967040.0)];
    for (from, extreme) in signed.into_iter().chain(unsigned) {
        let mut cells = Cells::integers(&FIVE_POINT);
        if !from.starts_with('i') {
            cells.values.iter_mut().for_each(|value| *value = f64::from(*value > 0.0));
        }
        cells.values[77] = extreme;
        let expected = cells.stepped(Border::Mirror, Weights([0.25; 4]), 1);
        for (big, fortran) in [(false, true), (true, false)] {
            let file = folder.write("in.npy", &cells.file(from, big, fortran));
            let output = run(&[&file, "--boundary", "mirror", "--weights", "0.25", "-o", &out]);
            stdout(&output);
            assert!(String::from_utf8_lossy(&output.stderr).contains("integers become f32"));
            let (kind, shape, values) = array(&out);
            assert_eq!((&kind[..], &shape[..]), ("<f4", "13, 37"));
            for (got, expected) in values.iter().zip(&expected) {
                assert!(
                    (got - expected).abs() <= expected.abs() * f64::from(f32::EPSILON),
                    "{from}: {got}, {expected}"
                );
            }
        }
    }
}

#[test]
fn floats_become_what_is_asked_for() {
    let folder = Folder::new("stencil-floats");
    let cells = Cells::integers(&FIVE_POINT);
    let out = folder.path("out.npy");
    let options = ["--type", "f32", "--weights", "0.25", "-o", &out, "--json"];
    for from in ["f2", "f8"] {
        let file = folder.write("in.npy", &cells.file(from, true, false));
        let output = run(&[&[&file[..]], &options[..]].concat());
        assert_eq!(report(&output)["type"], "f32");
        assert!(output.stderr.is_empty());
        let expected = cells.stepped(Border::Fixed, Weights([0.25; 4]), 1);
        assert_eq!(array(&out), ("<f4".to_owned(), "13, 37".to_owned(), expected));
    }
}

#[test]
fn a_right_hand_side_is_added() {
    let folder = Folder::new("stencil-rhs");
    let out = folder.path("out.npy");
    for &stencil in STENCILS {
        let cells = Cells::integers(stencil);
        let rhs = Cells { values: cells.values.iter().rev().copied().collect(), ..cells.clone() };
        let file = folder.write("in.npy", &cells.file("f4", false, false));
        // Its type and its order are its own.
        let added = folder.write("rhs.npy", &rhs.file("f8", true, false));
        let weights: Vec<_> = stencil.dyadic.0[..stencil.classes.len()].iter().map(f64::to_string).collect();
        let output = run(&[
            &file,
            "--stencil",
            stencil.name,
            "--weights",
            &weights.join(","),
            "--rhs",
            &added,
            "-o",
            &out,
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut expected = cells.values.clone();
        let problem = Problem::new(stencil, stencil.dyadic, cells.grid, Borders::default());
        problem.with_rhs(&rhs.values).step(&cells.values, &mut expected);
        assert_eq!(array(&out).2, expected, "{}", stencil.name);
    }
}

#[test]
fn no_step_copies() {
    let folder = Folder::new("stencil-copy");
    let cells = Cells::integers(&FIVE_POINT);
    let bytes = cells.file("f4", false, false);
    let file = folder.write("in.npy", &bytes);
    let out = folder.path("out.npy");
    let report = report(&run(&[&file, "--steps", "0", "-o", &out, "--json"]));
    assert_eq!(report["steps"], 0);
    assert!(report["gpu_ms_median"].is_null() && report["gcells_per_s"].is_null());
    assert_eq!(array(&out), ("<f4".to_owned(), "13, 37".to_owned(), cells.values));
}

#[test]
fn pictures_are_heat_maps() {
    let folder = Folder::new("stencil-pictures");
    let mut cells = Cells::integers(&FIVE_POINT);
    cells.values[3] = -100.0;
    cells.values[37] = 100.0;
    cells.values[38] = f64::NAN;
    cells.values[480] = f64::INFINITY;
    let file = folder.write("in.npy", &cells.file("f4", false, false));
    let out = folder.path("out.PNG");
    stdout(&run(&[&file, "--steps", "0", "-o", &out]));
    let (width, pixels) = picture(&out);
    assert_eq!((width, pixels.len()), (37, 13 * 37));
    assert_eq!([3, 37, 38, 480].map(|at| pixels[at]), [LOW, HIGH, NAN, HIGH]);
    assert_eq!(pixels.iter().filter(|pixel| [LOW, HIGH, NAN].contains(pixel)).count(), 4);
}

#[test]
fn pictures_of_a_volume_show_one_plane() {
    let folder = Folder::new("stencil-slices");
    let mut cells = Cells::integers(&TWENTY_SEVEN_POINT);
    // Every plane has one value, its number.
    for (at, value) in cells.values.iter_mut().enumerate() {
        *value = (at / 99) as f64;
    }
    let file = folder.write("in.npy", &cells.file("f2", false, false));
    let out = folder.path("out.png");
    let shown = |options: &[&str]| {
        stdout(&run(&[&[&file[..], "--type", "f32", "--steps", "0", "-o", &out], options].concat()));
        let (width, pixels) = picture(&out);
        assert_eq!((width, pixels.len()), (11, 99));
        assert!(pixels.iter().all(|pixel| *pixel == pixels[0]));
        pixels[0]
    };
    assert_eq!([shown(&["--slice", "0"]), shown(&["--slice", "4"])], [LOW, HIGH]);
    assert_eq!(shown(&[]), shown(&["--slice", "2"]));
    assert_ne!(shown(&[]), shown(&["--slice", "1"]));
}

#[test]
fn frames_are_numbered_by_step_and_compare() {
    let folder = Folder::new("stencil-frames");
    let grid = Grid { planes: 3, rows: 5, cols: 5 };
    let mut cells = Cells { grid, stencil: &TWENTY_SEVEN_POINT, values: vec![1.0; 75] };
    cells.values[37] = 9.0;
    let file = folder.write("in.npy", &cells.file("f4", false, false));
    let frames = folder.path("a/b");
    let out = folder.path("last.png");
    let options =
        ["--coefficients", "0.75,0,0,0", "--steps", "7", "--every", "3", "--frames", &frames, "-o", &out];
    stdout(&run(&[&[&file[..]], &options[..]].concat()));
    let mut names: Vec<_> = fs::read_dir(&frames)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [0, 3, 6, 7].map(|step| format!("frame-{step:06}.png")));
    let centre = |name: &str| picture(&format!("{frames}/{name}")).1[12];
    assert_eq!(centre(&names[0]), HIGH);
    // Each step leaves three quarters of the peak: on the scale of the first frame, its colour goes down and down.
    let greens = names.iter().map(|name| centre(name)[1]).collect::<Vec<_>>();
    assert!(greens.is_sorted_by(|a, b| a > b), "{greens:?}");
    assert_eq!(picture(&out).1, picture(&format!("{frames}/{}", names[3])).1);
    // By default every tenth step.
    stdout(&run(&[&file, "--steps", "20", "--frames", &folder.path("c")]));
    assert_eq!(fs::read_dir(folder.path("c")).unwrap().count(), 3);
}

/// Steps until a check after every so many finds no change of `epsilon`, the change, and the cells.
fn converged(cells: &Cells, border: Border, every: u32, epsilon: f64) -> (u32, f64, Vec<f64>) {
    let weights = cells.stencil.usual;
    let mut before = cells.values.clone();
    for step in 1.. {
        let now = Cells { values: before.clone(), ..cells.clone() }.stepped(border, weights, 1);
        let change = now.iter().zip(&before).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
        if step % every == 0 && change < epsilon {
            return (step, change, now);
        }
        before = now;
    }
    unreachable!("averages converge")
}

#[test]
fn a_run_ends_when_little_changes() {
    let folder = Folder::new("stencil-until");
    let (out, frames) = (folder.path("out.npy"), folder.path("frames"));
    for &stencil in STENCILS {
        let cells = Cells::integers(stencil);
        let file = folder.write("in.npy", &cells.file("f4", false, false));
        for (every, epsilon) in [(10, "1e-3"), (7, "1e-2"), (1, "2e-3")] {
            let (steps, change, expected) = converged(&cells, Border::Fixed, every, epsilon.parse().unwrap());
            let every_text = every.to_string();
            let options = ["--stencil", stencil.name, "--until", epsilon, "--every", &every_text];
            let options = [&options[..], &["-o", &out, "--json"]].concat();
            let report = report(&run(&[&[&file[..]], &options[..]].concat()));
            assert_eq!((&report["steps"], &report["converged"]), (&steps.into(), &true.into()));
            let residual = report["residual_max"].as_f64().unwrap();
            assert!((residual - change).abs() < 1e-5, "{residual}, expected {change}");
            assert!(report["residual_l2"].as_f64().unwrap() >= residual);
            for (got, expected) in array(&out).2.iter().zip(expected) {
                assert!((got - expected).abs() < 1e-4, "{got}, expected {expected}");
            }
        }
        let options = ["--stencil", stencil.name, "--until", "1e-3", "--every", "20"];
        let output = run(&[&[&file[..]], &options[..], &["--frames", &frames]].concat());
        assert!(stdout(&output).contains("\nconverged: "));
        let (steps, ..) = converged(&cells, Border::Fixed, 20, 1e-3);
        assert_eq!(fs::read_dir(&frames).unwrap().count() as u32, steps / 20 + 1);
        fs::remove_dir_all(&frames).unwrap();
    }
}

#[test]
fn the_norm_may_be_l2_and_exact() {
    let folder = Folder::new("stencil-until-l2");
    let file = folder.write("in.npy", &Cells::integers(&FIVE_POINT).file("f4", false, false));
    let options = [&file, "--until", "1e-2", "--every", "5", "--norm", "l2", "--json"];
    let [fast, exact] = [&options[..], &[&options[..], &["--exact"]].concat()].map(|args| report(&run(args)));
    let l2 = |report: &Value| report["residual_l2"].as_f64().unwrap();
    assert!(fast["converged"] == true && fast["steps"] == exact["steps"], "{fast} {exact}");
    assert!(l2(&exact) < 1e-2 && (l2(&fast) / l2(&exact) - 1.0).abs() < 1e-5, "{fast} {exact}");
    if files::features().contains(Element::F64.feature()) {
        let wide = report(&run(&[&options[..], &["--exact", "--type", "f64"]].concat()));
        assert!(wide["converged"] == true && (l2(&wide) / l2(&exact) - 1.0).abs() < 1e-3, "{wide} {exact}");
    }
    // The largest change is smaller long before.
    let largest = report(&run(&[&file, "--until", "1e-2", "--every", "5", "--json"]));
    assert!(largest["steps"].as_u64() < fast["steps"].as_u64(), "{largest} {fast}");
}

#[test]
fn a_run_that_does_not_converge_says_so() {
    let folder = Folder::new("stencil-until-not");
    let mut cells = Cells::integers(&FIVE_POINT);
    let file = folder.write("in.npy", &cells.file("f4", false, false));
    let out = folder.path("out.npy");
    let limited = report(&run(&[&file, "--until", "0", "--steps", "25", "-o", &out, "--json"]));
    assert_eq!((&limited["steps"], &limited["converged"]), (&25.into(), &false.into()));
    let expected = cells.stepped(Border::Fixed, FIVE_POINT.usual, 25);
    for (got, expected) in array(&out).2.iter().zip(expected) {
        assert!((got - expected).abs() < 1e-4);
    }
    let none = report(&run(&[&file, "--until", "1", "--steps", "0", "--json"]));
    assert_eq!((&none["residual_max"], &none["converged"]), (&"inf".into(), &false.into()));
    cells.values[100] = f64::NAN;
    let file = folder.write("nan.npy", &cells.file("f4", false, false));
    let poisoned = report(&run(&[&file, "--until", "1e9", "--steps", "20", "--json"]));
    assert_eq!((&poisoned["residual_max"], &poisoned["converged"]), (&"NaN".into(), &false.into()));
    assert!(stdout(&run(&[&file, "--until", "1", "--steps", "9"])).contains("\nnot converged: "));
}

#[test]
fn what_cannot_be_is_refused_and_leaves_nothing() {
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
        (&[], &["name the grid"]),
        (&[&flat, "--csv"], &["--csv", "--preset"]),
        (&[&flat, "--svg", "plot.svg"], &["--svg", "--preset"]),
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
        (&[&flat, "--stencil", "6"], &["unknown stencil", "5-point", "27-point"]),
        (&[&flat, "--variant", "plane-sums"], &["unknown variant", "register-rows", "dir-fusion-diag"]),
        (&[&deep, "--variant", "register-rows"], &["unknown variant", "plane-sums", "sol-unroll8-cse"]),
        (&[&flat, "--block", "64"], &["8x32"]),
        (&[&flat, "--block", "0x4"], &["8x32"]),
        (&[&flat, "--block", "4096x4096"], &["4096x4096", "max_compute_invocations_per_workgroup"]),
        (&[&flat, "--variant", "sol-smem", "--block", "2x8"], &["sol-smem", "2x8", "at least 3"]),
        (&[&flat, "--boundary", "open"], &["fixed, mirror, periodic"]),
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
        (&[&flat, "--until", "1", "--norm", "l1"], &["max and l2"]),
        (&[&flat, "--norm", "l2"], &["--until"]),
        (&[&flat, "--exact"], &["--until"]),
        (&[&flat, "--until", "nan"], &["`nan`", "from 0 up"]),
        (&[&flat, "--until", "soon"], &["`soon`", "from 0 up"]),
        (&[&flat, "--until", "1", "--every", "20000"], &["--every 20000", "at most 16384"]),
        (&[&flat, "-o", &folder.path("out.jpg")], &["out.jpg", ".npy", ".png"]),
        (&[&flat, "-o", &folder.path("out")], &[".npy", ".png"]),
        (&[&flat, "-o", &folder.path("nowhere/out.npy")], &["nowhere"]),
        (&[&flat, "--frames", &format!("{flat}/frames")], &["--frames"]),
        (&[&flat, "--frames", &frames, "--every", "0"], &["--every"]),
        (&[&flat, "--every", "5"], &["--every goes with"]),
        (&[&deep, "--slice", "1", "-o", &out], &["--slice goes with a picture"]),
        (&[&deep, "--slice", "5", "-o", &folder.path("out.png")], &["5 planes, 0 to 4"]),
        (&[&flat, "--slice", "0", "-o", &folder.path("out.png")], &["no planes"]),
        (&[&flat, "--adapter", "abacus"], &["the adapters are"]),
    ];
    let before = fs::read_dir(&folder.0).unwrap().count();
    for (arguments, parts) in cases {
        refused(&run(arguments), parts);
        // Nor where the places of the results are made sure of first.
        if !["-o", "--frames", "--every"].iter().any(|option| arguments.contains(option)) {
            refused(&run(&[arguments, &["-o", &out, "--frames", &frames][..]].concat()), parts);
        }
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), before, "{arguments:?}");
    }
}

#[test]
fn a_grid_that_does_not_fit_names_the_limit() {
    // Only the header: nothing is read before it is known to fit.
    let header = npy("<f4", false, &[1 << 24, 1 << 24], &[]);
    let output = files::run_on(&mut files::command("stencil", &["-"]), &header);
    refused(&output, &["16777216 × 16777216 f32", "max_buffer_size"]);
    let header = npy("<f4", false, &[1, 1 << 33], &[]);
    refused(&files::run_on(&mut files::command("stencil", &["-"]), &header), &["2^32"]);
}
