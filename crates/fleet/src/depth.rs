//! The steps of a round, from the shape of a slab and constants. Pure arithmetic.
//!
//! A pass makes `s` steps in `p` seconds over a slab of `H` layers with `f` neighbours. A round of `m` passes takes
//! `m p (1 + f s (m − 1) / 2H) + x + max(0, h − p)`: halos are computed twice; edges are dispatches of their own, which with the start of a
//! submission take `x`; the last pass hides the host's `h`, which grows with the layers of a face. The best `m` follows.
//! The constants are of two and four H100 and H200 of one host. The time is flat around the best depth, which grows with the root of `x / p`:
//! a constant that is off by four times halves or doubles the depth, and costs 1 % to 2 % of a step.

use halofold::stencil::Config;

use crate::split::whole_units;

/// Seconds of a pass for a byte of the slab: at least, and for each point of the stencil and step of the pass.
const PASS_BYTE: f64 = 0.6e-12;
const PASS_POINT: f64 = 0.0175e-12;

/// Seconds that an exchange adds to a round on the GPU, without the copies of faces over the bus: once, and for each neighbour.
const SUBMIT: f64 = 50e-6;
const EDGE: f64 = 50e-6;

/// Seconds of the host for an exchange, besides the copies of faces.
const HOST: f64 = 300e-6;

/// The most passes of a round.
const MAX_PASSES: u32 = 32;

/// A halo has at most a `HALO_PART`th of its slab: a deeper one costs memory and gains little.
const HALO_PART: u32 = 4;

/// Slabs that are stepped alike.
#[derive(Clone, Copy, Debug)]
pub struct Slabs {
    /// Layers of the slab that has the fewest.
    pub layers: u32,
    /// Neighbours of a slab, at most: 0, 1 or 2.
    pub neighbours: u32,
    /// Seconds that the host copies faces, for each layer of a face.
    pub copy: f64,
}

/// Returns the steps from one exchange to the next. `config` has the kernel and the tuning that step a slab.
pub fn steps_of_round(config: &Config, slabs: Slabs) -> u32 {
    let (steps, radius) = (config.steps_per_pass(), config.stencil.radius());
    let bytes = config.with_layers(slabs.layers).bytes();
    let passes = passes(pass_seconds(bytes, config.stencil.points() * steps), steps * radius, slabs);
    whole_units(config, (steps * passes).min(slabs.layers / radius))
}

/// Seconds of a pass over some bytes that makes this many steps, times the points of the stencil.
fn pass_seconds(bytes: u64, points: u32) -> f64 {
    bytes as f64 * (f64::from(points) * PASS_POINT).max(PASS_BYTE)
}

/// The passes of a round. A pass takes `pass` seconds, and its steps read `reach` layers beyond those that they write.
fn passes(pass: f64, reach: u32, slabs: Slabs) -> u32 {
    let Slabs { layers, neighbours, copy } = slabs;
    let exchange = SUBMIT + EDGE * f64::from(neighbours);
    let cost = |passes: u32| {
        let twice = f64::from(neighbours * reach * (passes - 1)) / 2.0 / f64::from(layers);
        let shown = (HOST + copy * f64::from(reach * passes) - pass).max(0.0);
        pass * (1.0 + twice) + (exchange + shown) / f64::from(passes)
    };
    let most = (layers / HALO_PART / reach).clamp(1, MAX_PASSES);
    (1..=most).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::{Slabs, pass_seconds, passes};
    use crate::team::COPY;

    /// A grid of `f32`: layers, cells of a layer, points, steps of a pass, GPUs, neighbours of a GPU, faces in all, and the least and the greatest depth that
    /// took no more than 1.5 % longer than the best one.
    type Recorded = (u32, u32, u32, u32, u32, u32, u32, [u32; 2]);

    const RECORDED: [Recorded; 13] = [
        // Two H100, 5 points.
        (16_384, 16_384, 5, 24, 2, 1, 2, [96, 240]),
        (8192, 16_384, 5, 24, 2, 1, 2, [72, 144]),
        (32_640, 16_384, 5, 24, 2, 2, 4, [96, 192]),
        (16_384, 8192, 5, 24, 2, 1, 2, [96, 576]),
        (8192, 8192, 5, 24, 2, 1, 2, [96, 288]),
        (4096, 4096, 5, 24, 2, 1, 2, [192, 504]),
        // 27 points.
        (1536, 768 * 768, 27, 3, 2, 1, 2, [12, 21]),
        (512, 512 * 512, 27, 3, 2, 1, 2, [9, 30]),
        // Two H200.
        (32_640, 16_384, 5, 24, 2, 1, 2, [96, 192]),
        (4096, 16_384, 5, 24, 2, 1, 2, [192, 216]),
        (16_384, 16_384, 5, 1, 2, 1, 2, [7, 32]),
        // Four H100.
        (16_384, 16_384, 5, 24, 4, 2, 6, [48, 96]),
        (65_536, 16_384, 5, 24, 4, 2, 6, [96, 168]),
    ];

    #[test]
    fn depths_are_those_that_were_fastest() {
        for (layers, cells, points, steps, gpus, neighbours, faces, [least, most]) in RECORDED {
            let (layers, row) = (layers / gpus, u64::from(cells) * 4);
            let copy = f64::from(faces) * row as f64 / COPY;
            let pass = pass_seconds(u64::from(layers) * row, points * steps);
            let depth = steps * passes(pass, steps, Slabs { layers, neighbours, copy });
            assert!((least..=most).contains(&depth), "{layers} × {cells}, {points} points: {depth}");
        }
    }

    #[test]
    fn slow_copies_and_thin_slabs_make_rounds_shorter() {
        let depth = |layers, copy| passes(1e-3, 24, Slabs { layers, neighbours: 2, copy });
        assert!(depth(8192, 30e-6) < depth(8192, 1e-6));
        assert_eq!([depth(191, 0.0), depth(23, 0.0)], [1, 1]);
    }
}
