// The tile to work at next: the workgroup's own, or one of another workgroup. It is loaded anew. A compiler that sees one tile stay all along may move some
// of it out of registers: selections then take a fifth longer on an NVIDIA H200.
#import tile

fn load_again(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    return load_tile(item, at, wg);
}
