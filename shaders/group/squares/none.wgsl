// No result needs squares.
#import group/shared/table_words

fn visit_squares(bits: vec4<u32>, slots: vec4<u32>, here: vec4<bool>, slice: Slice) {}
fn move_squares(id: u32, slot: u32, slice: Slice, lid: u32) {}
