//! The operations of the library that scan a piece: one of whole lines, and one of a part of a line.

use halofold::Slice;
use halofold::reduce::{Accuracy, Monoid, Scalar};
use halofold::scan::Scan;
use halofold::wgpu::Limits;

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::reduce::buffers::{Kernel, Operation, Record, output_buffer, recorded};
use crate::reduce::file::Work;
use crate::reduce::help;
use crate::reduce::parts::Part;
use crate::reduce::ranked::refused;

/// The prefixes of lines.
pub struct Prefixes {
    part: Part,
    monoid: Monoid,
    scan: Scan,
    is_exclusive: bool,
    /// Elements of a line.
    len: u64,
}

impl Prefixes {
    /// Those of lines of so many elements, by an operator.
    pub fn new(part: Part, is_exclusive: bool, len: u64) -> Result<Self, Failure> {
        let over = part.op.and_then(|op| op.over(part.element).ok());
        let monoid =
            if part.accuracy == Accuracy::Exact { over.and_then(|monoid| monoid.exact()) } else { over };
        let monoid = monoid.ok_or_else(|| Failure::usage("there is no such operator of these elements"))?;
        let scan = Scan::new(monoid.clone()).map_err(Failure::usage)?;
        let scan = if is_exclusive { scan.exclusive() } else { scan };
        Ok(Prefixes { part, monoid, scan, is_exclusive, len })
    }

    /// Bytes of a result.
    pub fn size(&self) -> u64 {
        self.monoid.out_size()
    }

    /// The results, as numbers.
    pub fn answers(&self, results: &[u8]) -> Vec<Scalar> {
        self.part.op.map_or_else(Vec::new, |op| op.read(self.part.element, results))
    }

    /// True if the first result of a line is that of no elements.
    pub fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// The number of combinations on the longest way from an element of a piece to a result: no line is combined with another one.
    pub fn depth(&self, elements: u64, limits: &Limits) -> u64 {
        self.scan.depth(elements.min(self.len), limits)
    }

    /// The kernel that leaves the results of a piece.
    pub fn kernel(&self, gpu: &Gpu, work: &Work) -> Result<Vec<Kernel>, Failure> {
        let missing = self.monoid.features() - gpu.device.features();
        let on = |scan: Scan| {
            let made = || {
                scan.on(&gpu.device)
                    .map_err(|why| refused(work, format!("{why}{}", help::instead(None, work, missing))))
            };
            gpu.attempt(made)
        };
        let (lines, parts) = (on(self.scan.clone().rows(self.len))?, on(self.scan.clone().continuing())?);
        let state = output_buffer(gpu, self.scan.state_size());
        let (len, size, item) = (self.len, self.size(), self.part.element.size());
        let bind = move |gpu: &Gpu, input: Slice<'_>| {
            let elements = input.size() / item;
            let output = output_buffer(gpu, (elements * size).next_multiple_of(4));
            if elements >= len {
                return Ok(recorded(lines.of(input).into(&output).map_err(Failure::usage)?, output));
            }
            let begin = parts.of(input).len(0).into_each([&output, &state]).map_err(Failure::usage)?;
            let go_on = parts.of(input).into_each([&output, &state]).map_err(Failure::usage)?;
            let record: Record = Box::new(move |pass, share| {
                if share.before == 0 {
                    begin.encode_in_pass(pass);
                }
                go_on.encode_in_pass(pass);
            });
            Ok((record, output))
        };
        Ok(vec![Kernel { part: Part::own(self.part.element), operation: Operation::Other(Box::new(bind)) }])
    }
}
