//! Grids that cannot be streamed.

use std::fs;
use std::path::Path;

use halofold::stencil::Config;

use crate::failure::Failure;
use crate::files::{Source, npy};
use crate::gpu::Gpu;
use crate::grid::GridArgs;
use crate::grid::request::Request;

/// Refuses a grid that cannot be streamed, and says why it would have to be.
pub fn check(args: &GridArgs, request: &Request, gpu: &Gpu) -> Result<(), Failure> {
    let Some(reason) = reason(args, request) else { return Ok(()) };
    if let Some(option) = args.stream.asked_by() {
        return Err(Failure::Usage(format!("{option}: {reason}")));
    }
    let (Config { grid, element, .. }, name) = (request.config, request.source.name());
    let room = match args.stream.memory {
        Some(memory) => format!("--memory {memory}"),
        None => {
            let largest = gpu.device.limits().max_buffer_size;
            format!("this adapter (its largest buffer has {largest} bytes, max_buffer_size)")
        }
    };
    Err(Failure::Usage(format!(
        "{name}: a grid of {grid} {element} does not fit {room}, and it cannot be streamed: {reason}"
    )))
}

fn reason(args: &GridArgs, request: &Request) -> Option<String> {
    if args.frames.is_some() {
        return Some("--frames is not for streamed grids".to_owned());
    }
    if !args.output.as_deref().is_some_and(takes_arrays) {
        return Some("-o must name a .npy file, beside which there is room for two grids".to_owned());
    }
    [Some(&request.source), request.rhs.as_ref()].into_iter().flatten().find_map(unfit)
}

/// True for the path of a regular file, which is to be an array.
fn takes_arrays(path: &Path) -> bool {
    // A path that does not exist yet becomes a regular file.
    npy::is_named(path) && fs::metadata(path).map_or(true, |found| found.is_file())
}

/// The fault of an input, if it has one.
fn unfit(source: &Source) -> Option<String> {
    let name = source.name();
    if source.file().is_none() {
        Some(format!("{name} is no regular file, and streamed grids are read in slabs that overlap"))
    } else if source.is_fortran() {
        Some(format!(
            "{name} is in Fortran's order: write it again by numpy.save(…, numpy.ascontiguousarray(…))"
        ))
    } else {
        None
    }
}
