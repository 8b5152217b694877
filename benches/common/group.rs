//! criterion as a sampler of times.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use halofold_measure::{Budget, MeasureError, Row, Sampler, Subject, Summary, Timer, Timing, What};

use super::samples::Samples;
use super::skip;

/// A group of benchmarks, each of which gives a row.
pub struct Group<'a> {
    title: String,
    group: BenchmarkGroup<'a, WallTime>,
}

impl<'a> Group<'a> {
    /// A group without benchmarks so far.
    pub fn new(criterion: &'a mut Criterion, title: &str) -> Self {
        let mut group = criterion.benchmark_group(title);
        group.sampling_mode(SamplingMode::Flat);
        Group { title: title.to_owned(), group }
    }

    /// Sets the bytes or cells of a repetition, for the benchmarks that follow.
    pub fn throughput(&mut self, throughput: Throughput) {
        self.group.throughput(throughput);
    }

    /// Prints a row, measured or skipped, with the rate that `rate` gives it, and returns it; `None` for one that a filter or criterion's
    /// test mode left out.
    pub fn row<W: What>(
        &self,
        name: &str,
        (row, _): (Row<W>, Option<impl Sized>),
        rate: impl Fn(&Row<W>) -> Option<String>,
    ) -> Option<Row<W>> {
        match (&row.times.timing, &row.reason) {
            (Some(timing), None) => {
                if let Some(rate) = rate(&row) {
                    eprintln!("    {rate} ({timing} time)\n");
                }
                Some(row)
            }
            // A second verification that fails is no speed.
            (Some(_), Some(reason)) => panic!("{}/{name}: {reason}", self.title),
            (None, Some(reason)) => {
                skip(&format!("{}/{name}", self.title), reason);
                Some(row)
            }
            (None, None) => None,
        }
    }
}

impl Sampler for Group<'_> {
    fn sample<S: Subject>(
        &mut self,
        timer: &Timer,
        name: &str,
        ready: impl FnOnce() -> Result<S, MeasureError>,
    ) -> Result<Option<(S, Summary, Timing)>, MeasureError> {
        let (mut samples, mut ready, mut subject) = (Samples::default(), Some(ready), None);
        let mut calls = 0;
        self.group.bench_function(timer.timing().mark(name), |bencher| {
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
                samples.keep(repeats, took, timing);
                took
            });
        });
        let measured = samples.measured();
        Ok(subject.zip(measured).map(|(subject, (summary, timing))| (subject, summary, timing)))
    }
}
