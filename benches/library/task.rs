//! A row of the bench's table: what is called on what, and in which ways.

use criterion::Criterion;
use halofold::wgpu;
use halofold_measure::{LibraryWork, MeasureError, Row};

use crate::calls::{CHAINED, Call, Calls, INDEPENDENT, Known, Made, Operation, Way};
use crate::common::{self, Extent, Group, Machine};
use crate::pool::{Pool, Shared};

/// One group of the bench.
pub struct Task<'a> {
    /// Operator, shape and type, as a row has them.
    pub work: [String; 3],
    /// Number of elements, and its name.
    pub n: u64,
    pub size: String,
    /// Number of results, for shapes that may have many.
    pub results: Option<u64>,
    /// What calls read. Each input has as many bytes.
    pub inputs: Vec<Shared<'a, Pool>>,
    /// Bytes that a call reads.
    pub bytes: u64,
    /// The ways to call.
    pub ways: &'static [Way],
    /// Features that the device must have.
    pub features: wgpu::Features,
    /// Whether chained calls add to one output.
    pub adds_up: bool,
    /// Compiles the operation.
    pub make: Box<dyn Fn(Way) -> Made<Operation<'a>> + 'a>,
    /// What is computed so far.
    pub known: Known,
}

impl<'a> Task<'a> {
    /// Independent and chained calls. Each call reads `bytes`.
    pub fn new(
        work: [&str; 3],
        n: u64,
        bytes: u64,
        inputs: &[&Shared<'a, Pool>],
        make: impl Fn(Way) -> Made<Operation<'a>> + 'a,
    ) -> Self {
        Task {
            work: work.map(str::to_owned),
            n,
            size: format!("2^{}", n.ilog2()),
            results: None,
            inputs: inputs.iter().map(|pool| Shared::clone(pool)).collect(),
            bytes,
            ways: &[INDEPENDENT, CHAINED],
            features: wgpu::Features::empty(),
            adds_up: false,
            make: Box::new(make),
            known: Known::default(),
        }
    }

    /// Measures all ways. There is no row of a way that a filter or criterion's test mode left out.
    pub fn bench(self, criterion: &mut Criterion, machine: &Machine, sweep: &Call) -> Vec<Row<LibraryWork>> {
        let results = self.results.map_or(String::new(), |results| format!("/{results}"));
        let title = machine.title(&format!("library/{}/{}{results}", self.work.join("/"), self.size), '/');
        let (work, info) = (self.work.each_ref().map(String::as_str), machine.device.adapter_info());
        let blank = |way: Way| Row::<LibraryWork>::blank(way, work, self.n, self.results, &info);
        let size = self.bytes / self.inputs.len().max(1) as u64;
        if let Err(reason) = machine.runnable(self.features, size) {
            common::skip(&title, &reason);
            let skipped = |way: &Way| Row { reason: Some(reason.clone()), ..blank(*way) };
            return self.ways.iter().map(skipped).collect();
        }
        let mut group = Group::new(criterion, &title, Some(self.bytes));
        let measured = self.ways.iter().filter_map(|&way| {
            let measured = machine.meter().measure(&mut group, way, blank(way), || {
                let calls = Calls::new(&machine.device, sweep, way, &self);
                calls.map_err(|error| MeasureError::Device(error.to_string()))
            });
            group.row(way, measured, |row| (row.gb_per_s, "GB/s", row.percent_of_read_peak, "read"))
        });
        measured.collect()
    }
}

/// Elements of the largest inputs.
pub fn largest(machine: &Machine) -> u64 {
    if machine.extent == Extent::Software { 1 << 16 } else { 1 << 28 }
}
