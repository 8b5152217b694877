// What stands for the first kept element of a tile that has none.
const NO_FIRST: u32 = 0xffffffffu;
