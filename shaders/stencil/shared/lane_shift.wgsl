// A cell from the previous lane, and from the next lane.
//
// Lanes exchange 32 bits: Metal shuffles nothing wider, and Vulkan does so only with a feature that wgpu does not enable.
#import <element>
#ifdef bits_64
fn words_of(cell: Elem) -> vec2<u32> {
    let bits = bitcast<u64>(cell);
    return vec2<u32>(u32(bits), u32(bits >> 32u));
}

fn cell_of(words: vec2<u32>) -> Elem { return bitcast<Elem>(u64(words.x) | u64(words.y) << 32u); }
fn shift_up(cell: Elem) -> Elem { return cell_of(subgroupShuffleUp(words_of(cell), 1u)); }
fn shift_down(cell: Elem) -> Elem { return cell_of(subgroupShuffleDown(words_of(cell), 1u)); }
#else
fn shift_up(cell: Elem) -> Elem { return Elem(subgroupShuffleUp(f32(cell), 1u)); }
fn shift_down(cell: Elem) -> Elem { return Elem(subgroupShuffleDown(f32(cell), 1u)); }
#endif
