//! Times on the host: until a number has been read back, and of recording.

use std::time::{Duration, Instant};

use criterion::Criterion;
use halofold::read::{Mailbox, Readback};
use halofold::reduce::{Op, Reduce};
use halofold::{Compiled, Element, wgpu};
use halofold_cases::timed::{self, EXACT, Made, WORD};
use halofold_measure::{LibraryWork, Row, Timing};

use crate::calls::storage;
use crate::common::{Group, Machine, summary};
use crate::pool::Pool;

/// Calls that count, the last ones.
const CALLS: usize = 2000;

/// Calls recorded into one pass, to find the time of one.
const RECORDED: u32 = 100;

/// Shapes, lengths as powers of two, and ways. Those back to the host first: behind the recording bench, wgpu takes twice as long for a submission.
const GROUPS: [(&str, u32, [&str; 2]); 3] = [
    ("scalar", 10, ["halofold-mailbox", "halofold-readback"]),
    ("scalar", 20, ["halofold-mailbox", "halofold-readback"]),
    ("recording", 10, ["halofold", "halofold-submit"]),
];

/// Runs all ways under criterion: a row for each, unless a filter or criterion's test mode left it unmeasured.
pub fn bench(criterion: &mut Criterion, machine: &Machine) -> Made<Vec<Row<LibraryWork>>> {
    let mut rows = Vec::new();
    for (shape, power, ways) in GROUPS {
        let (n, work) = (1 << power, ["sum", shape, "f32"]);
        let bytes = (shape == "scalar").then_some(WORD * n);
        let title = machine.title(&format!("library/{}/2^{power}", work.join("/")), '/');
        let mut group = Group::new(criterion, &title, bytes);
        let once = scalar(machine, power)?;
        for name in ways {
            let mut took = Vec::new();
            group.inner.bench_function(name, |bencher| {
                bencher.iter_custom(|repeats| {
                    (0..repeats).map(|_| once(name)).inspect(|time| took.push(*time)).sum()
                });
            });
            let last = &took[took.len().saturating_sub(CALLS)..];
            let ms: Vec<f64> = last.iter().map(|time| time.as_secs_f64() * 1e3).collect();
            let Some(summary) = summary(&ms) else { continue };
            eprintln!("    median of {}: {:.3} µs\n", ms.len(), 1e3 * summary.median);
            let mut row = Row::<LibraryWork>::blank(name, work, n, None, &machine.device.adapter_info());
            row.set_times(summary, Timing::Wall);
            if let Some(bytes) = bytes {
                row.set_rate(bytes, None);
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A sum of 2^`power` floats: a function that does it once in a way, checks it, and returns its time.
fn scalar(machine: &Machine, power: u32) -> Made<impl Fn(&str) -> Duration> {
    let Machine { device, queue, .. } = machine;
    let row = timed::sum(power);
    let pool = Pool::new(machine, row.inputs[0].clone());
    let (input, (block, times)) = (pool.input(WORD << power, 0), pool.repeated(WORD << power, 0));
    let expected = row.compile(device, queue, EXACT)?.expected(&[block], times).remove(0);
    let sum = Compiled::new(device, Reduce::new(Op::Sum.over(Element::F32)?), &Default::default())?;
    let (output, mailbox) = (storage(device, WORD), Mailbox::new(device, WORD));
    let (read, posted) = (sum.of(input).bind(&output)?, sum.of(input).bind(mailbox.buffer())?);
    let readback = Readback::new(device, WORD);
    let new_encoder = || device.create_command_encoder(&Default::default());
    let fetch = move |before: Option<wgpu::CommandBuffer>, mut encoder: wgpu::CommandEncoder| {
        readback.encode(&mut encoder, &output, 0, WORD).expect("the sum fits");
        queue.submit(before.into_iter().chain([encoder.finish()]));
        readback.wait(WORD)
    };
    Ok(move |way: &str| {
        let start = Instant::now();
        let mut encoder = new_encoder();
        let (took, got) = match way {
            // From recording to the number, for a host that keeps asking.
            "halofold-mailbox" => {
                posted.encode(&mut encoder);
                mailbox.encode(&mut encoder).expect("a mailbox fits itself");
                queue.submit([encoder.finish()]);
                let got = mailbox.spin();
                (start.elapsed(), got)
            }
            // The same for a host that sleeps until it is called.
            "halofold-readback" => {
                read.encode(&mut encoder);
                let got = fetch(None, encoder);
                (start.elapsed(), got)
            }
            // One of many calls in a pass, until their commands are finished: the processor's time.
            "halofold" => {
                let start = Instant::now();
                let mut pass = encoder.begin_compute_pass(&Default::default());
                (0..RECORDED).for_each(|_| read.encode_in_pass(&mut pass));
                drop(pass);
                let commands = encoder.finish();
                (start.elapsed() / RECORDED, fetch(Some(commands), new_encoder()))
            }
            // Finishing and submitting the commands of one call.
            _ => {
                read.encode(&mut encoder);
                let start = Instant::now();
                queue.submit([encoder.finish()]);
                (start.elapsed(), fetch(None, new_encoder()))
            }
        };
        let got = got.expect("the device keeps working");
        expected.check(&got, true).unwrap_or_else(|error| panic!("a scalar: {error}"));
        took
    })
}
