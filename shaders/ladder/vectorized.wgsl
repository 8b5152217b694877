// vectorized: loads of four elements, four of them in flight, and the best finish that the GPU has.
//
// A reduction does one addition per element, so in the end it waits for memory. Little's law says how long:
// bandwidth = bytes in flight / latency. To read 4 TB/s from a memory with a latency of some 600 ns, 2.4 MB
// must be in flight at all times, which is 18 KiB for each of 132 cores. Most rungs so far have 4 or 8 bytes
// in flight per invocation, and 2048 invocations on a core make that 8 or 16 KiB at best.
//
//     invocation    a += vec4    b += vec4    c += vec4    d += vec4        64 bytes loaded, then four adds
//                      |            |            |            |
//                   own + 0      own + grid   own + 2 grid  own + 3 grid
//
// What it does about that, in shared/fold_vectors.wgsl:
//   * A `vec4` load moves 16 bytes with one instruction: a quarter of the instructions and addresses per byte.
//   * Four such loads are issued before the first use, and go to four accumulators that do not depend on
//     each other: 64 bytes in flight per invocation, and no addition waits for the previous one.
//   * The loop's overhead (counter, compare, naga's loop bound) is paid once per sixteen elements.
//   * Up to three elements before and after the aligned vectors are loaded singly, so data may start anywhere.
// After the loop come the subgroup's built-in and one barrier, or the tree on GPUs without subgroups. This
// finish is paid once per workgroup and hardly matters.
//
// What is still wrong: partial results need a second dispatch, or the CPU. A dispatch that must wait for the
// previous one costs more than adding a thousand partials (single-pass).
//
// Beyond the documents, though the slides mention the idea: "possibly better latency hiding with more work
// per thread". NVIDIA's CUB does the same (vector loads, sixteen items per thread), and this is the library's
// default.
// Today: close to what the memory can deliver, once n is large enough to keep the whole GPU busy for a while:
// some 2^26 elements on a large GPU, far fewer on a small one. All that remains to improve is the cost of
// starting and ending.
#import lib/grid/entry
#import shared/fold_vectors
#import <hardware>
#import lib/workgroup/reduce
#import shared/store

#ifdef strided
struct Own {
    // From an element to the next.
    stride: u32,
}
#endif

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
