// Segments of equal length: computes the range of a chunk from its index.
#import shared/io

struct Own {
    // Items in a segment, which is cut into `chunks` of at most `chunk` items.
    len: u32,
    chunk: u32,
    chunks: u32,
    // The index of the dispatch's first chunk.
    base: u32,
    // log2 of the invocations that share one chunk.
    team: u32,
    // 1 if accumulators are combined with those that an earlier dispatch stored in the same slots.
    onto: u32,
}

// Positions in the binding. Indices within the segment count from `origin`.
struct ChunkRange {
    begin: u32,
    end: u32,
    origin: u32,
}

fn bounds(slot: u32) -> ChunkRange {
    let number = params.own.base + slot;
    var segment = number;
    var skipped = 0u;
    if params.own.chunks > 1u {
        segment = number / params.own.chunks;
        skipped = (number - segment * params.own.chunks) * params.own.chunk;
    }
    let origin = segment * params.own.len + params.first - params.index;
    let begin = origin + skipped;
    return ChunkRange(begin, begin + min(params.own.chunk, params.own.len - skipped), origin);
}
