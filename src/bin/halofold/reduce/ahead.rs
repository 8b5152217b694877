//! Reading ahead: while one piece is being reduced, the next one comes from the disk.

use std::sync::mpsc;
use std::thread;

use crate::Failure;
use crate::input::Source;

/// Hands the pieces of a source to `work`, in order, each as its bytes, and reads the next one at the same time.
///
/// A piece is as large as a buffer, the last one smaller. After an error a reader that waits for a pipe is waited for.
pub fn pieces(
    source: &mut Source,
    buffers: &mut [Vec<u64>; 2],
    mut work: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let size = source.element().size() as usize;
    let (empty, to_fill) = mpsc::channel::<&mut Vec<u64>>();
    let (full, to_work) = mpsc::channel();
    thread::scope(move |scope| {
        scope.spawn(move || {
            for buffer in to_fill {
                let read = source.read(bytemuck::cast_slice_mut(buffer));
                // Nobody listens after an error or the end.
                let _ = full.send((buffer, read));
            }
        });
        for buffer in buffers {
            let _ = empty.send(buffer);
        }
        for (buffer, read) in to_work {
            let elements = read.map_err(Failure::usage)?;
            if elements == 0 {
                break;
            }
            work(&bytemuck::cast_slice(buffer)[..elements * size])?;
            // The reader lives as long as `empty`, which is dropped when this function is left.
            let _ = empty.send(buffer);
        }
        Ok(())
    })
}
