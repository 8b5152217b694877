//! The message with the states of pieces that one process sends to another: a line of JSON that describes them, and their bytes.

use serde::{Deserialize, Serialize};

use super::layout::Share;
use super::steps::Reduced;
use crate::failure::Failure;

/// A piece and the results of its kernels, without the states.
#[derive(Serialize, Deserialize)]
struct Message<T> {
    share: Share,
    left: T,
    /// Bytes of the states of each kernel.
    sizes: Vec<usize>,
}

/// The pieces of a process, as bytes.
pub fn pack(pieces: &[(Share, Vec<Reduced>)]) -> Result<Vec<u8>, Failure> {
    let sizes = |left: &[Reduced]| left.iter().map(|reduced| reduced.states.len()).collect();
    let messages: Vec<_> =
        pieces.iter().map(|(share, left)| Message { share: *share, left, sizes: sizes(left) }).collect();
    let mut bytes = serde_json::to_vec(&messages).map_err(Failure::usage)?;
    bytes.push(b'\n');
    pieces.iter().flat_map(|(_, left)| left).for_each(|reduced| bytes.extend(&reduced.states));
    Ok(bytes)
}

/// The pieces that were packed.
pub fn unpack(bytes: &[u8]) -> Result<Vec<(Share, Vec<Reduced>)>, Failure> {
    let damaged = || Failure::usage("the states of another process are damaged");
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
    let messages: Vec<Message<Vec<Reduced>>> =
        serde_json::from_slice(&bytes[..end]).map_err(Failure::usage)?;
    let mut states = &bytes[end + 1..];
    let mut pieces = Vec::new();
    for Message { share, mut left, sizes } in messages {
        for (reduced, size) in left.iter_mut().zip(sizes) {
            let (own, rest) = states.split_at_checked(size).ok_or_else(damaged)?;
            reduced.states = own.to_vec();
            states = rest;
        }
        pieces.push((share, left));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::super::check::Check;
    use super::*;

    #[test]
    fn pieces_arrive_as_they_were_sent() {
        let share = |before| Share { plane: 1, before, outer: 2, len: 3, inner: 4, completes: before > 0 };
        let reduced = |states: &[u8], place| Reduced {
            states: states.to_vec(),
            place,
            gpu_ms: Some(0.5),
            check: Check::Wrong("a\nb".to_owned()),
        };
        let pieces = [
            (share(0), vec![reduced(b"ab\n", None), reduced(b"", Some(1 << 40))]),
            (share(3), vec![reduced(b"c", None), reduced(b"{}", None)]),
        ];
        let bytes = pack(&pieces).map_err(|_| ()).unwrap();
        let arrived = unpack(&bytes).map_err(|_| ()).unwrap();
        for ((share, left), (other, found)) in pieces.iter().zip(&arrived) {
            assert_eq!(share, other);
            for (reduced, found) in left.iter().zip(found) {
                assert_eq!((&reduced.states, reduced.place), (&found.states, found.place));
                assert_eq!((reduced.gpu_ms, &reduced.check), (found.gpu_ms, &found.check));
            }
        }
        assert!(unpack(&bytes[..bytes.len() - 1]).is_err() && unpack(b"").is_err());
        assert!(unpack(&pack(&[]).map_err(|_| ()).unwrap()).is_ok_and(|pieces| pieces.is_empty()));
    }
}
