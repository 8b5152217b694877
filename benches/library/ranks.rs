//! Order statistics of whole arrays and of rows: medians, quantiles, the k largest elements with their indices; prefixes and selections;
//! and a sum of as many bytes, with which their times are compared.

use criterion::Criterion;
use halofold_measure::{LibraryWork, Row};

use crate::calls::{Sweep, Way};
use crate::common::{self, Extent, Group, Machine};

mod arrays;
mod tasks;

use arrays::Array;
use tasks::{
    EXACT_PREFIXES, FLOAT_PREFIXES, HALF, HUNDREDTH, MEDIAN, MOST, PREFIXES, QUANTILES, SEGMENTS, SUM, TOP_8,
    TOP_32, TOP_256, TOP_4096, Task,
};

/// Arrays of one shape, and what is asked of them.
struct Set {
    /// Elements, as a power of two.
    power: u32,
    /// Elements of a row, if not all.
    row: Option<u64>,
    kinds: &'static [&'static str],
    tasks: &'static [Task],
}

/// All sets, for arrays of up to 2^`power` elements.
fn sets(power: u32) -> [Set; 9] {
    const RANDOM: &[&str] = &["uniform", "normal", "bits"];
    const HARD: &[&str] = &["sorted", "two-values", "all-equal", "periodic"];
    let (kinds, long) = (&RANDOM[..2], power.min(24) - 1);
    let whole = |kinds, tasks| Set { power, row: None, kinds, tasks };
    [
        whole(RANDOM, &[SUM, TOP_8, TOP_256, TOP_4096, MEDIAN, QUANTILES]),
        whole(HARD, &[TOP_256, MEDIAN, QUANTILES]),
        whole(&RANDOM[..1], &[PREFIXES, EXACT_PREFIXES, HUNDREDTH, HALF, MOST]),
        whole(&["small"], &[FLOAT_PREFIXES]),
        Set {
            power: power - 8,
            row: None,
            kinds: &RANDOM[..1],
            tasks: &[SUM, PREFIXES, EXACT_PREFIXES, HUNDREDTH, HALF, MOST],
        },
        Set { power: power - 8, row: None, kinds: &["small"], tasks: &[FLOAT_PREFIXES] },
        Set { power, row: Some(1024), kinds, tasks: &[MEDIAN, TOP_32] },
        Set { power, row: Some(2048), kinds: &RANDOM[..1], tasks: &[SEGMENTS] },
        Set { power: long, row: Some((1 << long) / 64), kinds, tasks: &[SUM, TOP_256] },
    ]
}

/// All of them.
pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
    let power = if machine.extent() == Extent::Software { 16 } else { 28 };
    let limits = machine.device.limits();
    let mut rows = Vec::new();
    for set in sets(power) {
        for kind in set.kinds {
            let array = Array::new(machine, kind, set.row, 1 << set.power, 1 << power);
            for task in set.tasks {
                let work = task.work(set.row, kind);
                let title = machine.title(&format!("library/{}/2^{}", work.join("/"), set.power));
                let (bytes, most) = (array.bytes(), limits.max_buffer_size);
                if bytes > most {
                    common::skip(
                        &title,
                        &format!("needs a buffer of {bytes} bytes, max_buffer_size is {most}"),
                    );
                    continue;
                }
                let mut group = Group::new(criterion, &title);
                rows.extend([Way::INDEPENDENT, Way::CHAINED].into_iter().filter_map(|way| {
                    let work = work.each_ref().map(String::as_str);
                    let row = Row::<LibraryWork>::blank(way.name, work, array.n, None, &machine.info);
                    super::measure(&mut group, machine, row, array.bytes(), || task.calls(&array, sweep, way))
                }));
            }
        }
    }
    print_sums(&rows);
    rows
}

/// Prints the time of each row, and how often as many elements are summed in this time.
fn print_sums(rows: &[Row<LibraryWork>]) {
    for row in rows {
        let LibraryWork { name, op, shape, n, .. } = &row.what;
        let is_sum = |what: &LibraryWork| (what.op.as_str(), &what.name, what.n) == (SUM.name(), name, *n);
        let sum = rows.iter().find(|row| is_sum(&row.what)).and_then(|sum| sum.times.median);
        if let (Some(ms), Some(sum)) = (row.times.median, sum) {
            eprintln!("{op:24} {shape:12} {name:16} {:9.1} µs {:6.2} sums", 1e3 * ms, ms / sum);
        }
    }
}
