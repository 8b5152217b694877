// Loads the next tile: the workgroup's own, or one of another workgroup. If a compiler sees that one tile stays in registers, it may spill a part of it:
// selections then take a fifth longer on an NVIDIA H200.
#import scan/tile/*

fn load_again(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    return load_tile(item, at, wg);
}
