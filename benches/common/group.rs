//! criterion as a sampler of times.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};
use halofold_measure::{Budget, MeasureError, Row, Sampler, Subject, Summary, Timer, Timing, What};

use super::skip;

/// The fewest samples that criterion takes of a benchmark that it measures; its test mode takes one.
pub const FEWEST: usize = 10;

/// A group of benchmarks, each of which gives a row.
pub struct Group<'a> {
    title: String,
    /// criterion's own.
    pub inner: BenchmarkGroup<'a, WallTime>,
}

impl<'a> Group<'a> {
    /// Opens a group without benchmarks so far.
    pub fn new(criterion: &'a mut Criterion, title: &str) -> Self {
        let mut inner = criterion.benchmark_group(title);
        inner.sampling_mode(SamplingMode::Flat);
        Group { title: title.to_owned(), inner }
    }

    /// Prints a row, measured or skipped, with its rate, and returns it; `None` for a row that a filter or criterion's test mode left out.
    pub fn row<W: What, S>(
        &self,
        name: &str,
        measured: Result<(Row<W>, Option<S>), MeasureError>,
        rate: impl Fn(&Row<W>) -> Option<String>,
    ) -> Option<Row<W>> {
        let (row, _) = measured.expect("the device keeps working");
        match (&row.times.timing, &row.reason) {
            (Some(timing), None) => {
                if let Some(rate) = rate(&row) {
                    eprintln!("    {rate} ({timing} time)\n");
                }
            }
            // A second verification that fails is no speed.
            (Some(_), Some(reason)) => panic!("{}/{name}: {reason}", self.title),
            (None, Some(reason)) => skip(&format!("{}/{name}", self.title), reason),
            (None, None) => return None,
        }
        Some(row)
    }
}

/// A rate in words, and its share of the peak of reads or copies.
pub fn rate(rate: Option<f64>, unit: &str, percent: Option<f64>, peak: &str) -> Option<String> {
    Some(format!("{:.3} {unit}, {:.1} % of the {peak} peak", rate?, percent?))
}

impl Sampler for Group<'_> {
    fn sample<S: Subject>(
        &mut self,
        timer: &Timer,
        name: &str,
        ready: impl FnOnce() -> Result<S, MeasureError>,
    ) -> Result<Option<(S, Summary, Timing)>, MeasureError> {
        let (mut samples, mut ready, mut subject) = (Vec::new(), Some(ready), None);
        let mut calls = 0;
        self.inner.bench_function(timer.timing().mark(name), |bencher| {
            if let Some(ready) = ready.take() {
                subject = Some(ready().unwrap_or_else(|error| panic!("{name}: {error}")));
            }
            let subject = subject.as_ref().expect("it is ready since the first call");
            calls += 1;
            // criterion's own warm-up is too short for a GPU that was idle while kernels were compiled; its test mode makes one call only.
            // It chooses the number of repetitions by what the closure below takes, so the load is not in there.
            if calls == 2 {
                let load = timer.warm_up(Budget::of(timer.device()), &|pass| subject.encode_in_pass(pass));
                load.expect("the device keeps working");
            }
            bencher.iter_custom(|repeats| {
                let (took, timing) = subject.time(timer, repeats).expect("the device keeps working");
                samples.push((repeats, took, timing));
                took
            });
        });
        let measured = summary(&samples);
        Ok(subject.zip(measured).map(|(subject, (summary, timing))| (subject, summary, timing)))
    }
}

/// Summary of the measured samples; `None` if criterion took none, because of a filter or in its test mode.
///
/// Flat sampling gives all of them the same number of repetitions; the warm-up before doubled it each time. Should the GPU's
/// clock have failed on the way, those before do not count: one benchmark never mixes two clocks.
fn summary(samples: &[(u64, Duration, Timing)]) -> Option<(Summary, Timing)> {
    let &(repeats, _, timing) = samples.last()?;
    let measured = samples.iter().rev().take_while(|sample| (sample.0, sample.2) == (repeats, timing));
    let ms: Vec<f64> = measured.map(|(_, took, _)| took.as_secs_f64() * 1e3 / repeats as f64).collect();
    Summary::of(&ms).filter(|_| ms.len() >= FEWEST).map(|summary| (summary, timing))
}
