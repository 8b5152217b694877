//! The program under `mpirun`, with 1, 2, 3, 4 and 7 ranks on one node. Every launch has a time limit, so that hanging ranks fail.

mod failures;
mod files;
mod launch;
mod reduce;
mod stencil;
