//! The kernels of a scan: three files, over elements and over states.

use wgpu::{Device, Features, Limits};

use crate::operation::OperationError;
use crate::operation::device::Step;
use crate::operation::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::operation::limits::{self, largest_workgroup, needs};
use crate::reduce::{Monoid, MonoidError};
use crate::scan::config::Scan;
use crate::scan::plan::Layout;
use crate::shader::{self, Composer, Piece};

/// The binding with the states.
pub(super) const STATES: u32 = 4;

pub(super) const REDUCE: Step = "reduce";
pub(super) const REDUCE_STATES: Step = "reduce-states";
pub(super) const SCAN: Step = "scan";
pub(super) const SCAN_LAST: Step = "scan-last";
pub(super) const SCAN_STATES: Step = "scan-states";

pub(super) const STEPS: &[Step] = &[REDUCE, REDUCE_STATES, SCAN, SCAN_LAST, SCAN_STATES];

/// Items of an invocation.
const OWN: u32 = 16;

/// The largest workgroup, and the workgroup memory that every device has.
const WORKGROUP: u32 = 256;
const MEMORY: u32 = 16 << 10;

/// The places for totals, of which some are not used.
fn totals(workgroup: u32) -> u32 {
    4 * workgroup + workgroup.div_ceil(8)
}

/// Bytes of workgroup memory.
fn memory(workgroup: u32, acc: u64) -> u64 {
    u64::from(totals(workgroup) + workgroup) * acc
}

/// Invocations of a workgroup.
fn workgroup(acc: u64, limits: &Limits) -> u32 {
    let most = MEMORY.min(limits.max_compute_workgroup_storage_size);
    let largest = 1 << largest_workgroup(limits).clamp(1, WORKGROUP).ilog2();
    let smaller = std::iter::successors(Some(largest), |size| Some(size / 2));
    smaller.take_while(|size| *size > 0).find(|size| memory(*size, acc) <= most.into()).unwrap_or(1)
}

/// True if elements are loaded as vectors.
fn has_vectors(monoid: &Monoid) -> bool {
    monoid.elem.has_vectors()
}

impl Layout {
    /// The sizes of a scan on a device with these limits.
    pub(super) fn of(scan: &Scan, limits: &Limits) -> Self {
        let Scan { monoid, row, .. } = scan;
        Layout {
            item: monoid.stride(),
            result: monoid.out_size(),
            tile: (OWN * workgroup(monoid.acc_size(), limits)).into(),
            // Whatever the device reads as pairs of words has another kernel for the last tile, too.
            has_last: has_vectors(monoid),
            row: *row,
        }
    }
}

/// The kernel of a step, on a device with these features and limits.
pub(super) fn kernel(scan: &Scan, step: Step, features: Features, limits: &Limits) -> Kernel {
    let monoid = &scan.monoid.on(features);
    let of_states = [REDUCE_STATES, SCAN_STATES].contains(&step);
    let is_reduce = [REDUCE, REDUCE_STATES].contains(&step);
    let vectors = !of_states && step != SCAN_LAST && has_vectors(monoid);
    let put = match step {
        SCAN_STATES => "scan/put/states",
        SCAN if vectors && monoid.out.is_scalar() => "scan/put/vectors",
        _ => "scan/put/singles",
    };
    let buffers = format!("{}alias Stored = {};", monoid.elem.alias(), monoid.out.wgsl);
    let types = Piece::new("generated: what the buffers hold", buffers);
    let is_half = monoid.own_features().contains(Features::SHADER_F16);
    let file = if is_reduce { "scan/reduce" } else { "scan/scan" };
    let wgsl = Composer::default()
        .define("reads_partials", of_states)
        .define("vectors", vectors)
        .provide("operator", [vec![types], monoid.pieces.clone()].concat())
        .choose("io", "scan/shared/io")
        .choose("put", put)
        .compose(file, if is_half { &["f16"] } else { &[] });
    let workgroup = workgroup(monoid.acc_size(), limits);
    let mut overrides = vec![
        ("WG", workgroup.into()),
        ("TOTALS", totals(workgroup).into()),
        ("ROWS", scan.row.is_some().into()),
    ];
    if !is_reduce && !of_states {
        overrides.push(("EXCLUSIVE", scan.is_exclusive.into()));
    }
    let label = shader::label(&["scan", monoid.name(), step]);
    Kernel::new(label, wgsl, slots(step, vectors), overrides)
}

/// The bindings of a kernel.
fn slots(step: Step, vectors: bool) -> Vec<Slot> {
    let of_elements = [REDUCE, SCAN, SCAN_LAST].contains(&step);
    let needs = [
        ((0, Access::Read), of_elements),
        ((1, Access::Write), of_elements && step != REDUCE),
        ((PARAMETERS, Access::Uniform), true),
        ((3, Access::Read), vectors),
        ((STATES, Access::Write), true),
    ];
    needs.into_iter().filter_map(|(slot, needed)| needed.then_some(slot)).collect()
}

/// Checks that a device can run the kernels of a scan. The text of an application's operator is composed, so that none that naga
/// rejects reaches a device.
pub(super) fn check(scan: &Scan, device: &Device) -> Result<(), OperationError> {
    let (features, limits) = (device.features(), device.limits());
    let monoid = scan.monoid.on(features);
    let missing = monoid.own_features() - features;
    if !missing.is_empty() {
        return Err(MonoidError::MissingFeature(missing).into());
    }
    limits::check(&slots(SCAN, has_vectors(&monoid)), &limits)?;
    let workgroup = workgroup(monoid.acc_size(), &limits);
    limits::check_workgroup([workgroup, 1], &limits)?;
    needs!(limits, max_compute_workgroup_storage_size, memory(workgroup, monoid.acc_size()))?;
    if monoid.op().is_none() {
        for step in STEPS {
            let text = kernel(scan, step, features, &limits).wgsl;
            shader::validated(&text).map_err(|refusal| MonoidError::Composed(refusal.report))?;
        }
    }
    Ok(())
}
