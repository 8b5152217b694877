//! Reading ahead: while one piece is being reduced, the next one comes from the disk.

use std::sync::mpsc;
use std::thread;

use super::layout::Share;
use crate::failure::Failure;
use crate::input::Source;

/// A piece of each source, as it lies in the file, aligned for any element.
pub type Buffers = Vec<Vec<u64>>;

/// Hands the shares of one or two sources to `work`, in order, each with its bytes, and reads the next one at the same time.
///
/// A share may turn out shorter where the data end. After an error a reader that waits for a pipe is waited for.
pub fn pieces(
    sources: &mut [Source],
    buffers: &mut [Buffers; 2],
    mut shares: impl Iterator<Item = Share> + Send,
    mut work: impl FnMut(Share, &[&[u8]]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let size = sources[0].size() as usize;
    let (empty, to_fill) = mpsc::channel::<&mut Buffers>();
    let (full, to_work) = mpsc::channel();
    thread::scope(move |scope| {
        scope.spawn(move || {
            for buffer in to_fill {
                let Some(share) = shares.next() else { break };
                let read = fill(sources, buffer, share);
                // Nobody listens after an error or the end.
                let _ = full.send((buffer, read));
            }
        });
        for buffer in buffers {
            let _ = empty.send(buffer);
        }
        for (buffer, read) in to_work {
            let share = read?;
            if share.elements() == 0 {
                break;
            }
            let bytes = share.elements() as usize * size;
            let pieces: Vec<&[u8]> =
                buffer.iter().map(|words| &bytemuck::cast_slice(words)[..bytes]).collect();
            work(share, &pieces)?;
            // The reader lives as long as `empty`, which is dropped when this function is left.
            let _ = empty.send(buffer);
        }
        Ok(())
    })
}

/// Reads a share of every source, or what is left of it.
fn fill(sources: &mut [Source], buffer: &mut Buffers, share: Share) -> Result<Share, Failure> {
    let mut lengths = Vec::new();
    for (source, words) in sources.iter_mut().zip(buffer) {
        let bytes = share.elements() * source.size();
        let piece: &mut [u8] = &mut bytemuck::cast_slice_mut(words)[..bytes as usize];
        lengths.push(source.read(piece).map_err(Failure::usage)? as u64);
    }
    if lengths.iter().any(|len| *len != lengths[0]) {
        return Err(Failure::usage("--with: the two inputs have different numbers of elements"));
    }
    if lengths[0] == share.elements() {
        return Ok(share);
    }
    // Only everything is read without knowing how much it is.
    Ok(Share { len: lengths[0], ..share })
}
