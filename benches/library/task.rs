//! A row of the bench's table: what is called on what, and in which ways.

use criterion::{Criterion, Throughput};
use halofold::{Slice, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row};

use crate::calls::{Calls, Made, Operation, Sweep, Way};
use crate::common::{self, Extent, Group, Machine};
use crate::pool::{Pool, Shared};

/// Compiles an operation.
type Make<'a> = Box<dyn Fn(Way, &[Slice<'_>]) -> Made<Operation<'a>> + 'a>;

/// One group of the bench.
pub struct Task<'a> {
    /// Operator, shape and type, as a row has them.
    pub work: [String; 3],
    /// Number of elements.
    pub n: u64,
    /// Width and height of a texture.
    pub size: Option<[u32; 2]>,
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
    /// Bytes of the largest buffer.
    pub room: u64,
    /// Whether ways that the device cannot run are rows with a reason.
    pub keeps_skipped: bool,
    /// Compiles the operation, for inputs like those of the first call.
    pub make: Make<'a>,
}

impl<'a> Task<'a> {
    /// Independent and chained calls. Each call reads `bytes`.
    pub fn new(
        [op, shape, element]: [&str; 3],
        n: u64,
        bytes: u64,
        inputs: &[&Shared<'a, Pool>],
        make: impl Fn(Way, &[Slice<'_>]) -> Made<Operation<'a>> + 'a,
    ) -> Self {
        Task {
            work: [op, shape, element].map(str::to_owned),
            n,
            size: None,
            results: None,
            inputs: inputs.iter().map(|pool| Shared::clone(pool)).collect(),
            bytes,
            ways: &[Way::INDEPENDENT, Way::CHAINED],
            features: wgpu::Features::empty(),
            room: bytes,
            keeps_skipped: false,
            make: Box::new(make),
        }
    }

    /// The group's name.
    fn title(&self, machine: &Machine) -> String {
        let size = match self.size {
            Some([width, height]) => format!("{width}x{height}"),
            None => format!("2^{}", self.n.ilog2()),
        };
        let results = self.results.map_or(String::new(), |results| format!("/{results}"));
        machine.title(&format!("library/{}/{size}{results}", self.work.join("/")))
    }

    /// Measures all ways. There is no row of a way that a filter or criterion's test mode left out.
    fn bench(&self, criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
        let title = self.title(machine);
        let work = self.work.each_ref().map(String::as_str);
        let blank =
            |way: &Way| Row::<LibraryWork>::blank(way.name, work, self.n, self.results, &machine.info);
        let runnable = machine.runnable(self.features, self.room);
        if let Err(reason) = &runnable {
            common::skip(&title, reason);
            let rows = self.ways.iter().filter(|_| self.keeps_skipped);
            return rows.map(|way| Row { reason: Some(reason.clone()), ..blank(way) }).collect();
        }
        let mut group = Group::new(criterion, &title);
        group.inner.throughput(Throughput::BytesDecimal(self.bytes));
        let measured = self.ways.iter().filter_map(|way| {
            let measured = machine.meter().measure(&mut group, way.name, blank(way), || {
                let calls = Calls::new(&machine.device, sweep, *way, self);
                calls.map_err(|error| MeasureError::Device(error.to_string()))
            });
            group.row(way.name, measured, |row| {
                common::rate(row.figures.gb_per_s, "GB/s", row.figures.percent_of_read_peak, "read")
            })
        });
        measured.collect()
    }
}

/// Measures all tasks, one after the other. Inputs that no later task shares are dropped on the way.
pub fn bench(
    criterion: &mut Criterion,
    machine: &Machine,
    sweep: &Sweep,
    tasks: Vec<Task<'_>>,
) -> Vec<Row<LibraryWork>> {
    tasks.into_iter().flat_map(|task| task.bench(criterion, machine, sweep)).collect()
}

/// Elements of the largest inputs.
pub fn largest(machine: &Machine) -> u64 {
    if machine.extent() == Extent::Software { 1 << 16 } else { 1 << 28 }
}
