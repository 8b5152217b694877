//! `halofold reduce --wgsl`: operators of the user's own, over whole files in pieces, along axes, on several adapters.

use serde_json::{Value, json};

use crate::files::{Folder, npy, parsed, reduce, reduce_on, refused, stdout};
use crate::several_adapters::times;

/// Maps x -> scale * x + shift, one after the other: associative, and another result in any other order.
const AFFINE: &str = include_str!("files/affine.wgsl");

/// The mean of the elements above zero, and their number.
const MEAN_ABOVE_ZERO: &str = "
struct Acc { sum: f32, count: u32 }
struct Out { mean: f32, count: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(f32(max(elem, Elem(0))), select(0u, 1u, elem > Elem(0))); }
fn identity() -> Acc { return Acc(0.0, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.count + b.count); }
fn finish(acc: Acc, n: u32) -> Out { return Out(acc.sum / f32(max(acc.count, 1u)), acc.count); }
";

/// Each element times its index, and the number of elements.
const WEIGHTED: &str = "
alias Acc = u32;
fn map(elem: Elem, index: u32) -> Acc { return u32(elem) * index; }
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return 3u * acc + n; }
";

fn row(args: &[&str], input: &[u8]) -> Value {
    let rows: Value = parsed(&reduce_on(&[args, &["--json"]].concat(), input));
    rows[0].clone()
}

fn array(shape: &[usize], items: &[u32]) -> Vec<u8> {
    npy("<u4", false, shape, bytemuck::cast_slice(items))
}

fn numbers(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(2_654_435_769)).collect()
}

#[test]
fn operators_that_do_not_commute_take_the_order_of_the_file() {
    let folder = Folder::new("own-order");
    let text = folder.write("affine.wgsl", AFFINE.as_bytes());
    let items = numbers(20_011);
    let whole = array(&[items.len()], &items);
    let input = folder.write("a.npy", &whole);
    let step = |[scale, shift]: [u32; 2], (index, elem): (u32, &u32)| {
        let by = 2u32.wrapping_mul(*elem).wrapping_add(1);
        [scale.wrapping_mul(by), shift.wrapping_mul(by).wrapping_add(elem ^ index)]
    };
    let expected = json!((0..).zip(&items).fold([1, 0], step));
    for more in [
        &["--piece", "1Mi"][..],
        &["--piece", "1000"],
        &["--piece", "4096", "--adapters", &times(2)],
        &["--piece", "4096", "--axis", "0"],
    ] {
        for (file, bytes) in [(&input[..], &[][..]), ("-", &whole)] {
            // Along an axis its index needs all of it in a piece.
            if more.contains(&"--axis") {
                let args = [&[file, "--wgsl", &text], more].concat();
                refused(&reduce_on(&args, bytes), &["index", "--piece larger"]);
                continue;
            }
            let row = row(&[&[file, "--wgsl", &text], more].concat(), bytes);
            assert_eq!((&row["value"], &row["op"], &row["n"]), (&expected, &json!("affine"), &json!(20_011)));
            assert_eq!(
                (&row["bits"], &row["index"], &row["type"]),
                (&Value::Null, &Value::Null, &json!("u32"))
            );
        }
    }
    let empty = folder.write("empty.npy", &array(&[0], &[]));
    assert_eq!(row(&[&empty, "--wgsl", &text], &[])["value"], json!([1, 0]));
}

#[test]
fn results_with_several_numbers_are_lists() {
    let folder = Folder::new("own-struct");
    let text = folder.write("mean-above-zero.wgsl", MEAN_ABOVE_ZERO.as_bytes());
    // Multiples of 1/4 whose sums are exact.
    let items: Vec<f32> = (0..60 * 31).map(|i| (i * 7919 % 1009) as f32 / 4.0 - 100.0).collect();
    let input = folder.write("f.npy", &npy("<f4", false, &[60, 31], bytemuck::cast_slice(&items)));
    let mean = |items: &mut dyn Iterator<Item = &f32>| {
        let above: Vec<f64> = items.filter(|x| **x > 0.0).map(|x| f64::from(*x)).collect();
        json!([f64::from((above.iter().sum::<f64>() / above.len() as f64) as f32), above.len()])
    };
    let near = |found: &Value, expected: &Value| {
        let [found_mean, expected_mean] = [found, expected].map(|pair| pair[0].as_f64().unwrap());
        assert!((found_mean - expected_mean).abs() <= expected_mean * 1e-6, "{found} {expected}");
        assert_eq!(found[1], expected[1]);
    };
    let columns: Vec<_> = (0..31).map(|column| mean(&mut items[column..].iter().step_by(31))).collect();
    let rows: Vec<_> = items.chunks(31).map(|row| mean(&mut row.iter())).collect();
    // A piece of 512 bytes holds a part of each column.
    for piece in ["64Ki", "512"] {
        near(&row(&[&input, "--wgsl", &text, "--piece", piece], &[])["value"], &mean(&mut items.iter()));
        for (axis, expected) in [("0", &columns), ("1", &rows)] {
            let row = row(&[&input, "--wgsl", &text, "--piece", piece, "--axis", axis], &[]);
            assert_eq!((&row["dtype"], &row["shape"]), (&json!("f4,u4"), &json!([expected.len()])));
            row["value"]
                .as_array()
                .unwrap()
                .iter()
                .zip(expected)
                .for_each(|(found, expected)| near(found, expected));
        }
    }
    let lines = stdout(&reduce(&[&input, "--wgsl", &text]));
    assert!(lines.contains("mean-above-zero  f32  1860  ["), "{lines}");
}

#[test]
fn indices_and_numbers_count_along_an_axis_and_results_are_stored() {
    let folder = Folder::new("own-axis");
    let text = folder.write("weighted.wgsl", WEIGHTED.as_bytes());
    let items = numbers(7 * 45);
    let input = folder.write("a.npy", &array(&[7, 45], &items));
    let weighted = |line: &[u32]| {
        let sum = (0..).zip(line).fold(0u32, |sum, (index, elem)| sum.wrapping_add(elem.wrapping_mul(index)));
        sum.wrapping_mul(3).wrapping_add(line.len() as u32)
    };
    let expected: Vec<u32> = items.chunks(45).map(weighted).collect();
    let output = folder.path("out.npy");
    row(&[&input, "--wgsl", &text, "--axis", "1", "--piece", "400", "-o", &output], &[]);
    assert!(std::fs::read(&output).unwrap().ends_with(bytemuck::cast_slice(&expected)));
    // Narrow integers have 32 bits on their way; pairs come from two files.
    let bytes: Vec<u8> = items.iter().map(|x| (*x >> 24) as u8).collect();
    let narrow = folder.write("u8.npy", &npy("|u1", false, &[bytes.len()], &bytes));
    let pairs =
        WEIGHTED.replace("elem: Elem, index", "a: Elem, b: Elem, index").replace("u32(elem)", "a * b");
    let pairs = folder.write("pairs.wgsl", pairs.as_bytes());
    let products: Vec<u32> = bytes.iter().map(|x| u32::from(*x) * u32::from(*x)).collect();
    let found = row(&[&narrow, "--with", &narrow, "--wgsl", &pairs, "--piece", "64"], &[]);
    assert_eq!((&found["value"], &found["type"]), (&json!(weighted(&products)), &json!("u8")));
}

#[test]
fn wrong_texts_name_their_line_and_other_options_are_refused() {
    let folder = Folder::new("own-refused");
    let input = folder.write("a.npy", &array(&[3], &[1, 2, 3]));
    let right = folder.write("right.wgsl", MEAN_ABOVE_ZERO.as_bytes());
    let wrong = |text: &str| folder.write("wrong.wgsl", text.as_bytes());
    let run = |text: &str, more: &[&str]| reduce(&[&[&input, "--wgsl", text], more].concat());
    refused(&run(&wrong(&AFFINE.replace("+ b.y)", "+ )")), &[]), &["wrong.wgsl", "line 5"]);
    refused(&run(&wrong(&AFFINE.replace("n: u32", "n: i32")), &[]), &["wrong.wgsl: line 6: `finish`"]);
    refused(&run(&wrong(&format!("{AFFINE}fn load() {{}}")), &[]), &["`wrong`", "rename", "line 7"]);
    refused(&run(&folder.path("none.wgsl"), &[]), &["--wgsl", "none.wgsl"]);
    // A file with a hole, where systems have them.
    if cfg!(unix) {
        let long = folder.path("long.bin");
        std::fs::File::create(&long).unwrap().set_len(1 << 32).unwrap();
        let counting = folder.write("weighted.wgsl", WEIGHTED.as_bytes());
        let args = [&long, "--raw", "u8", "--wgsl", &counting];
        refused(&reduce(&args), &["`weighted`", "at most 4294967295"]);
    }
    for (more, said) in [
        (&["--verify"][..], "--verify computes everything a second time"),
        (&["--exact"], "--exact: an operator of your own"),
        (&["--op", "sum"], "'--op <OP>'"),
        (&["--fast"], "'--fast'"),
        (&["--ddof", "1"], "'--ddof <N>'"),
        (&["--state", "out"], "'--state <FILE>'"),
        (&["--merge"], "'--merge'"),
        (&["--with", &input], "wgsl: line 4: `map` must be declared"),
        (&["-o", "out.npy"], "-o holds a number for each result: `right` gives Out"),
    ] {
        refused(&run(&right, more), &[said]);
    }
}

/// States of wide rows are combined as they arrive: 2.4 MB of each row here, of which 4 MiB wait.
#[test]
fn states_of_many_results_do_not_gather() {
    const COLUMNS: usize = 300_000;
    let folder = Folder::new("own-wide");
    let text = "
alias Acc = vec2<u32>;
fn map(elem: Elem, index: u32) -> Acc { return vec2<u32>(elem, elem * elem); }
fn identity() -> Acc { return vec2<u32>(); }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return acc.y * n - acc.x * acc.x; }
";
    let text = folder.write("spread.wgsl", text.as_bytes());
    let bytes: Vec<u8> = (0..5 * COLUMNS).map(|i| (i * 7919 % 251) as u8).collect();
    let input = folder.write("u8.npy", &npy("|u1", false, &[5, COLUMNS], &bytes));
    let output = folder.path("out.npy");
    row(&[&input, "--wgsl", &text, "--axis", "0", "--piece", "1300000", "-o", &output], &[]);
    let spread = |column: usize| {
        let items = bytes[column..].iter().step_by(COLUMNS).map(|x| u32::from(*x));
        let sums = items.fold([0, 0], |[sum, squares], x| [sum + x, squares + x * x]);
        sums[1] * 5 - sums[0] * sums[0]
    };
    let expected: Vec<u32> = (0..COLUMNS).map(spread).collect();
    assert!(std::fs::read(&output).unwrap().ends_with(bytemuck::cast_slice(&expected)));
}
