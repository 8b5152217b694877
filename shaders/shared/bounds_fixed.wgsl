// Segments of one length: where a chunk lies follows from its number.

// Positions in the binding. Indices within the segment count from `origin`.
struct Range {
    begin: u32,
    end: u32,
    origin: u32,
}

fn bounds(slot: u32) -> Range {
    let number = params.base + slot;
    var segment = number;
    var skipped = 0u;
    if params.chunks > 1u {
        segment = number / params.chunks;
        skipped = (number - segment * params.chunks) * params.chunk;
    }
    let origin = segment * params.segment + params.first - params.index;
    let begin = origin + skipped;
    return Range(begin, begin + min(params.chunk, params.segment - skipped), origin);
}
