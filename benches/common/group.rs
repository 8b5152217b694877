//! criterion as a sampler of times.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use halofold_measure::{Budget, MeasureError, Row, Sampler, Subject, Summary, Timer, Timing, What};

use super::{skip, summary};

/// A group of benchmarks, each of which gives a row.
pub struct Group<'a> {
    title: String,
    /// criterion's own.
    pub inner: BenchmarkGroup<'a, WallTime>,
}

impl<'a> Group<'a> {
    /// Opens a group of benchmarks. Each reads `bytes` bytes; `None` gives no throughput.
    pub fn new(criterion: &'a mut Criterion, title: &str, bytes: Option<u64>) -> Self {
        let mut inner = criterion.benchmark_group(title);
        inner.sampling_mode(SamplingMode::Flat);
        bytes.map(|bytes| inner.throughput(Throughput::BytesDecimal(bytes)));
        Group { title: title.to_owned(), inner }
    }

    /// Prints a row, measured or skipped, with its rate in a unit and in percent of a peak, and returns it; `None` for a row that a filter or criterion's test mode left out.
    pub fn row<W: What, S>(
        &self,
        name: &str,
        measured: Result<(Row<W>, Option<S>), MeasureError>,
        rate: impl Fn(&W::Figures) -> (Option<f64>, &'static str, Option<f64>, &'static str),
    ) -> Option<Row<W>> {
        let (row, _) = measured.expect("the device keeps working");
        match (&row.times.timing, &row.reason) {
            (Some(timing), None) => {
                if let (Some(rate), unit, Some(percent), peak) = rate(&row.figures) {
                    eprintln!("    {rate:.3} {unit}, {percent:.1} % of the {peak} peak ({timing} time)\n");
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
            // criterion's own warm-up is too short for a GPU that was idle during compilation. Its loop counts this closure's time, so the load is outside.
            if calls == 2 {
                let load = timer.warm_up(Budget::of(timer.device()), &|pass| subject.encode_in_pass(pass));
                load.expect("the device keeps working");
            }
            bencher.iter_custom(|repeats| {
                let (took, timing) = subject.time(timer, repeats).expect("the device keeps working");
                samples.push((took.as_secs_f64() * 1e3 / repeats as f64, (repeats, timing)));
                took
            });
        });
        // Flat sampling: all samples repeat equally often. If the GPU's clock failed meanwhile, earlier samples are dropped: clocks never mix.
        let Some(&(_, last)) = samples.last() else { return Ok(None) };
        let measured = samples.iter().rev().take_while(|(_, how)| *how == last);
        let summary = summary(&measured.map(|(ms, _)| *ms).collect::<Vec<f64>>());
        Ok(subject.zip(summary).map(|(subject, summary)| (subject, summary, last.1)))
    }
}
