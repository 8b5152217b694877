// convergence: stops a run of Jacobi steps on the GPU, once a step changes little enough.
//
// The host records all steps it may take, perhaps thousands, and cannot take any back. To ask the GPU in between
// whether it is done would cost a round trip, in which the GPU stands idle: for a small grid that is many steps.
// So the GPU stops by itself. Every step reads the size of its grid from a uniform buffer. `decide`, a single
// invocation after each check, is given the residual; if that is below epsilon, it writes other numbers over
// those of all steps: a grid of one cell that is all border. The steps that are still recorded are started, find
// nothing to compute, and end. The checks likewise, which count no cells any more. The kernels know nothing of it,
// and a running step costs nothing more.
//
//     step  step  step  check  decide  step  step  step  check  decide      recorded
//      4²    4²    4²    0.3            4²    4²    4²   0.01   ends    1²  1²  1²  ...
//
// What it leaves behind is the grid as of the check that ended it, and the number of steps until then. That
// number cannot come from the host either: here it is counted.
//
// A run may be recorded in pieces, and a piece that the host has recorded may never be submitted. Every step is recorded as
// one that reads the first buffer or one that reads the second; the next piece would read the wrong one. So a piece says
// with which it starts, `resume` looks whether the run is there, and if it is not, ends it as `decide` does: what the grid
// holds is right for the steps that are counted.
//
// A launch with nothing to do is about a microsecond on a GPU. Indirect dispatches of zero workgroups would spare
// part of that, but they are checked on the way by a compute pass of wgpu's own, which costs every step more.
//
// The residual is the largest change and the sum of squares. A NaN among the changes need not show in the
// largest, as WGSL leaves open what `max` does with one, but it always shows in the sum; there it is looked for
// by its bits, since a compiler may assume that comparisons meet none.
#import real

struct Outcome {
    steps: u32,
    // How the run has ended, if it has.
    state: u32,
    // Bytes of a `Real`, for whoever reads this.
    width: u32,
    largest: Real,
    squares: Real,
}

const RUNNING = 0u;
const CONVERGED = 1u;
const INTERRUPTED = 2u;

struct Check {
    // Steps since the last check; for `resume`, which of the two buffers is read first, 0 or 1.
    steps: u32,
    // 1 if the sum of squares counts, 0 if the largest change alone.
    squares: u32,
    epsilon: Real,
    // Infinity, which WGSL cannot write.
    unknown: Real,
}

@group(0) @binding(0) var<storage, read> residual: array<vec2<Real>>;
@group(0) @binding(1) var<storage, read_write> outcome: Outcome;
@group(0) @binding(2) var<uniform> check: Check;
// The numbers of all dispatches as they are while the run goes on, then as they are when it is over.
@group(0) @binding(3) var<storage, read> settings: array<u32>;
// Where the dispatches read them.
@group(0) @binding(4) var<storage, read_write> params: array<u32>;

fn set_all(first: u32) {
    for (var i = 0u; i < arrayLength(&params); i++) {
        params[i] = settings[first + i];
    }
}

@compute @workgroup_size(1)
fn begin() {
    outcome.steps = 0u;
    outcome.state = RUNNING;
    outcome.largest = check.unknown;
    outcome.squares = check.unknown;
    set_all(0u);
}

// Ends a run whose next step would read the wrong buffer.
@compute @workgroup_size(1)
fn resume() {
    if outcome.state == RUNNING && outcome.steps % 2u != check.steps {
        outcome.state = INTERRUPTED;
        set_all(arrayLength(&params));
    }
}

// Counts steps for which there is no check of their own yet.
@compute @workgroup_size(1)
fn count() {
    if outcome.state == RUNNING {
        outcome.steps += check.steps;
    }
}

fn is_nan(x: Real) -> bool {
    return (bitcast<u32>(f32(x)) & 0x7fffffffu) > 0x7f800000u;
}

@compute @workgroup_size(1)
fn decide() {
    if outcome.state != RUNNING {
        return;
    }
    outcome.steps += check.steps;
    let found = residual[0];
    let nan = is_nan(found.y);
    outcome.largest = select(found.x, found.y, nan);
    outcome.squares = found.y;
    // Squares of tiny changes may vanish, so the largest change has its say in any case.
    let small = found.x < check.epsilon && (check.squares == 0u || sqrt(found.y) < check.epsilon);
    if small && !nan {
        outcome.state = CONVERGED;
        set_all(arrayLength(&params));
    }
}
