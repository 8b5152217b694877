// convergence: stops a run of Jacobi steps on the GPU, once the change of a step is small enough.
//
// The host records all steps that the run may take and cannot revoke them, and a read-back in between would idle the GPU. So every step reads
// the size of its grid from a uniform buffer. `decide`, one workgroup after each check, reads the residual. If it is below epsilon,
// `decide` overwrites the parameters of all steps and checks with those of a grid of one cell, which is border. The remaining steps find
// nothing to compute.
//
//     step  step  step  check  decide  step  step  step  check  decide      recorded
//      4²    4²    4²    0.3            4²    4²    4²   0.01   ends    1²  1²  1²  ...
//
// The result is the grid at the check that stopped the run, and the number of steps until then.
//
// A recorded piece of a run may never be submitted. So each piece names the buffer that its first step reads, and `resume` stops other runs.
//
// A dispatch with nothing to do takes about a microsecond. wgpu checks indirect dispatches in a pass of its own, which costs every step more.
//
// A NaN among the changes stops the run, too. It always appears in the sum of squares, whose bits are tested: WGSL does not define `max` of a
// NaN, and a compiler may assume that comparisons meet none.
#import <element>

struct Outcome {
    steps: u32,
    // The state of the run: running, or the reason why it stopped.
    state: u32,
    // Bytes of a `Real`, for the host.
    width: u32,
    largest: Real,
    squares: Real,
}

const RUNNING = 0u;
const CONVERGED = 1u;
const INTERRUPTED = 2u;
const NOT_A_NUMBER = 3u;

struct Check {
    // Steps since the last check; for `resume`, which of the two buffers is read first, 0 or 1.
    steps: u32,
    // SQUARES if the sum of squares counts, otherwise the largest change alone; EXACT if it has been added up exactly.
    flags: u32,
    epsilon: Real,
    // Infinity, which WGSL cannot write.
    unknown: Real,
    // The bound of the sum of squares: a sum below it has a root below epsilon. Roots differ from GPU to GPU.
    bound: Real,
}

const SQUARES = 1u;
const EXACT = 2u;

// The largest change and the sum of squares; further on the exact sum, if there is one.
@group(0) @binding(0) var<storage, read> residual: array<vec2<Real>>;
// Index of the pair whose first number is the exact sum.
const EXACT_AT = 32u;

@group(0) @binding(1) var<storage, read_write> outcome: Outcome;
@group(0) @binding(2) var<uniform> check: Check;
// The parameters of all dispatches while the run continues, then their parameters when it has stopped.
@group(0) @binding(3) var<storage, read> settings: array<u32>;
// The buffer from which the dispatches read them.
@group(0) @binding(4) var<storage, read_write> params: array<u32>;

// Invocations that copy parameters: one alone would take more turns of a loop than some drivers allow.
const WG = 64u;

// 1 if the run stops here.
var<workgroup> stops: u32;

fn set_all(first: u32, lid: u32) {
    for (var i = lid; i < arrayLength(&params); i += WG) {
        params[i] = settings[first + i];
    }
}

@compute @workgroup_size(WG)
fn begin(@builtin(local_invocation_index) lid: u32) {
    if lid == 0u {
        outcome = Outcome(0u, RUNNING, outcome.width, check.unknown, check.unknown);
    }
    set_all(0u, lid);
}

// Stops a run whose next step would read the wrong buffer.
@compute @workgroup_size(WG)
fn resume(@builtin(local_invocation_index) lid: u32) {
    if lid == 0u {
        stops = u32(outcome.state == RUNNING && outcome.steps % 2u != check.steps);
        outcome.state = select(outcome.state, INTERRUPTED, stops == 1u);
    }
    if workgroupUniformLoad(&stops) == 1u {
        set_all(arrayLength(&params), lid);
    }
}

// Counts steps that no check has covered yet.
@compute @workgroup_size(1)
fn count() {
    if outcome.state == RUNNING {
        outcome.steps += check.steps;
    }
}

fn is_nan(x: Real) -> bool { return (bitcast<u32>(f32(x)) & 0x7fffffffu) > 0x7f800000u; }

// Tests the residual of a run.
fn test() {
    outcome.steps += check.steps;
    let largest = residual[0].x;
    var squares = residual[0].y;
    if (check.flags & EXACT) != 0u {
        squares = residual[EXACT_AT].x;
    }
    let nan = is_nan(squares);
    outcome.largest = select(largest, squares, nan);
    outcome.squares = squares;
    // Squares of tiny changes may underflow, so the largest change is always tested, too.
    let small = largest < check.epsilon && ((check.flags & SQUARES) == 0u || squares < check.bound);
    if small || nan {
        outcome.state = select(CONVERGED, NOT_A_NUMBER, nan);
        stops = 1u;
    }
}

@compute @workgroup_size(WG)
fn decide(@builtin(local_invocation_index) lid: u32) {
    if lid == 0u {
        stops = 0u;
        if outcome.state == RUNNING {
            test();
        }
    }
    if workgroupUniformLoad(&stops) == 1u {
        set_all(arrayLength(&params), lid);
    }
}
