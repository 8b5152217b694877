//! Reductions: the same lines for any number of ranks, and those of the CPU.

use std::path::Path;

use halofold_mpi::halofold::reduce::exact::{Format, State};
use halofold_mpi::halofold::{Element, Value};

use crate::files::{Random, float, write};
use crate::launch::{Ended, RANKS, folder, launch, printed};

/// Lengths around the numbers of ranks, and a long one.
const LENGTHS: [u64; 5] = [0, 1, 5, 7, 50_003];

/// Writes floats of a type, their squares finite, and returns their bytes.
fn array(folder: &Path, name: &str, element: Element, shape: &[u64]) -> Vec<u8> {
    let len = shape.iter().product();
    let mut random = Random(len + element as u64);
    let scale = if element == Element::F16 { 64.0 } else { 1.0 };
    let bytes: Vec<u8> = (0..len).flat_map(|_| float(element, random.float() / scale)).collect();
    write(&folder.join(name), element, shape, &bytes);
    bytes
}

/// The cells of each line that a launch prints.
fn lines(ranks: usize, folder: &Path, arguments: &[&str]) -> Vec<String> {
    let text = printed(ranks, folder, arguments);
    let cells = |line: &str| {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("  ")
    };
    text.lines().map(cells).collect()
}

#[test]
fn exact_sums_have_the_bits_of_one_rank_and_of_the_cpu() {
    let folder = folder("sums");
    let mut expected = Vec::new();
    let mut names = Vec::new();
    for element in [Element::F32, Element::F64, Element::F16] {
        for len in LENGTHS {
            let name = format!("{element}-{len}.npy");
            let bytes = array(&folder, &name, element, &[len]);
            let mut state = State::new(if element == Element::F64 { Format::Double } else { Format::Single });
            state.add(element, &bytes);
            let shown = match state.sum() {
                Value::F32(x) => format!("{x:?}  {:#010x}", x.to_bits()),
                Value::F64(x) => format!("{x:?}  {:#018x}", x.to_bits()),
                other => panic!("{other} is no float"),
            };
            expected.push(format!("{name}  sum  {element}  {len}  {shown}"));
            names.push(name);
        }
    }
    for ranks in RANKS {
        let arguments: Vec<_> =
            ["reduce", "--exact"].into_iter().chain(names.iter().map(|name| &name[..])).collect();
        assert_eq!(lines(ranks, &folder, &arguments), expected, "{ranks} ranks");
    }
}

#[test]
fn every_axis_has_the_results_of_one_rank() {
    let folder = folder("axes");
    array(&folder, "a.npy", Element::F32, &[60, 7, 5]);
    for options in [&["--axis", "0"][..], &["--axis", "1"], &["--axis", "0,2"], &[]] {
        let all = ["reduce", "a.npy", "--op", "sum,std,min-max,arg-max", "--verify"];
        let arguments = [&all[..], options].concat();
        let one = printed(1, &folder, &arguments);
        assert_eq!(one.matches("verified").count(), 4, "{one}");
        for ranks in [2, 7] {
            assert_eq!(printed(ranks, &folder, &arguments), one, "{options:?} on {ranks} ranks");
        }
    }
}

#[test]
fn requests_that_ranks_cannot_share_are_refused() {
    let folder = folder("refused");
    array(&folder, "a.npy", Element::F32, &[40]);
    for (options, why) in [
        (&["a.npy", "--op", "median"][..], "ranks cannot share median"),
        (&["a.npy", "--adapter", "0"], "each rank takes the adapter that is its turn"),
        (&["-"], "ranks read parts of files, not streams"),
    ] {
        let Ended { status, err, .. } = launch(2, &folder, &[&["reduce"], options].concat());
        assert!(!status.success() && err.contains(why), "{options:?}: {err}");
    }
}
