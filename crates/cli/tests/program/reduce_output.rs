//! The results of `halofold reduce` for other programs: values alone, CSV, formats.

use std::fs;

use crate::files::{Folder, npy, reduce as run, refused, rows, stdout};

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
    assert_eq!(lines[0], "file,op,q,key,type,n,skipped,place,value,index,bits,check,gpu_ms,wall_ms,adapter");
    let row = |number: usize, rest: &str| {
        let start = format!("\"{file}\",{rest},,verified,");
        assert!(lines[number].starts_with(&start), "{} is not {start}", lines[number]);
    };
    row(3, "min-max,,,f32,6,,\"1,0\",-2.0,");
    row(4, "min-max,,,f32,6,,\"1,1\",10000000000.0,");
    row(5, "arg-min,,,f32,6,,0,NaN,2");
    row(8, "any,,,f32,6,,1,true,");
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

#[test]
fn files_together_are_as_one() {
    let folder = Folder::new("reduce-together");
    let data: Vec<i32> = (0..1000).map(|x| x * 377 % 1009).collect();
    let write = |name: &str, fortran, shape: &[usize], data: &[i32]| {
        folder.write(name, &npy("<i4", fortran, shape, bytemuck::cast_slice(data)))
    };
    // The second one in Fortran's order: column after column.
    let columns: Vec<i32> = (0..600).map(|x| data[300 + x % 3 * 200 + x / 3]).collect();
    let files = [
        write("a.npy", false, &[300], &data[..300]),
        write("b.npy", true, &[3, 200], &columns),
        write("none.npy", false, &[0], &[]),
        write("c.npy", false, &[10, 10], &data[900..]),
    ];
    let all = write("all.npy", false, &[1000], &data);
    let index = folder.write(
        "index.wgsl",
        b"alias Acc = u32;
        fn map(elem: Elem, index: u32) -> Acc { return select(0u, index, elem % 7i == 0i); }
        fn identity() -> Acc { return 0u; }
        fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
        fn finish(acc: Acc, n: u32) -> u32 { return acc + n; }",
    );
    let values = |files: &[&str], options: &[&str]| {
        let rows = rows(&run(&[files, options, &["--json", "--piece", "480"]].concat()));
        rows.into_iter().map(|row| ["n", "value", "index"].map(|key| row[key].clone())).collect::<Vec<_>>()
    };
    let some: Vec<_> = files.iter().map(String::as_str).collect();
    let ops = ["--op", "sum,mean,std,min-max,arg-max,arg-min,product,l2", "--verify"];
    assert_eq!(values(&some, &[&["--together"], &ops[..]].concat()), values(&[&all], &ops));
    // Elements of Fortran's order have the index of their place in the file.
    let in_order = [some[0], some[2], some[3]];
    let rest = write("rest.npy", false, &[400], &[&data[..300], &data[900..]].concat());
    assert_eq!(values(&in_order, &["--together", "--wgsl", &index]), values(&[&rest], &["--wgsl", &index]));
    let out = folder.path("out.npy");
    stdout(&run(&[&some[..], &["--together", "--op", "max", "-o", &out]].concat()));
    assert_eq!(fs::read(out).unwrap().last_chunk(), Some(&1008i32.to_le_bytes()));
    let other = folder.write("other.npy", &npy("<f4", false, &[1], &[0; 4]));
    refused(&run(&[&all, &other, "--together"]), &[&other, "f32", "i32", "one type"]);
    refused(&run(&[&all, "none-such.npy", "--together"]), &["no such file"]);
}
