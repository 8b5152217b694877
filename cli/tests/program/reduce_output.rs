//! The results of `halofold reduce` for other programs: values alone, CSV, formats.

use crate::files::{Folder, npy, reduce as run, refused, stdout};

#[test]
fn values_alone_and_as_csv() {
    let folder = Folder::new("reduce-output");
    let data = [[1.5f32, -2.0], [0.25, 8.0], [f32::NAN, 1e10]];
    let file = folder.write("a, b.npy", &npy("<f4", false, &[3, 2], bytemuck::cast_slice(&data)));
    let text = |args: &[&str]| stdout(&run(&[&[file.as_str()][..], args].concat()));
    assert_eq!(text(&["-q", "--axis", "1", "--op", "sum,arg-max"]), "-0.5\n8.25\nNaN\n0\n1\n0\n");
    assert_eq!(
        text(&["-q", "--axis", "1", "--op", "min-max", "--format", "%.2e"]).lines().next(),
        Some("-2.00e+00")
    );
    assert_eq!(text(&["-q", "--op", "count", "--format", "%.1f"]), "6.0\n");
    assert_eq!(text(&["-q", "--op", "max", "-o", &folder.path("out.npy")]), "");
    assert!(
        text(&["--axis", "0", "--format", "%g", "--op", "max,arg-max"]).contains("[nan at 2, 1e+10 at 2]")
    );
    let csv = text(&["--csv", "--verify", "--axis", "0", "--op", "min-max,arg-min,any"]);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], "file,op,type,n,skipped,place,value,index,bits,check,gpu_ms,wall_ms,adapter");
    let row = |number: usize, rest: &str| {
        let start = format!("\"{file}\",{rest},,verified,");
        assert!(lines[number].starts_with(&start), "{} is not {start}", lines[number]);
    };
    row(3, "min-max,f32,6,,\"1,0\",-2.0,");
    row(4, "min-max,f32,6,,\"1,1\",10000000000.0,");
    row(5, "arg-min,f32,6,,0,NaN,2");
    row(8, "any,f32,6,,1,true,");
    assert_eq!(lines.len(), 9);
    let csv = text(&["--csv", "--exact", "--op", "sum", "--axis", "1"]);
    assert!(csv.contains(",0,-0.5,,0xbf000000,,"), "{csv}");
}

#[test]
fn other_formats_are_refused() {
    refused(&run(&["a.npy", "--format", "%s"]), &["%s", "%d, %e, %f and %g", "%.3f"]);
    refused(&run(&["a.npy", "--format", "%.3f", "--json"]), &["--json"]);
    refused(&run(&["a.npy", "-q", "--csv"]), &["--csv"]);
}
