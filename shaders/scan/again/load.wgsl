// Loads a tile each time: the workgroup's own, or one of another workgroup. With one place in the text that loads, NVIDIA's compiler takes 80 registers
// for unique keys, and with two 96: they then take a tenth longer on an H200.
#import scan/tile/*

fn first_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems { return LoadedItems(); }
fn next_tile(loaded: LoadedItems, is_first: bool, item: u32, at: Place, wg: Workgroup) -> LoadedItems { return load_tile(item, at, wg); }
