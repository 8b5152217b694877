// The sum of a tile, valid in the last invocation, and what the prefixes inside of it need to know.
struct Sums {
    all: Acc,
    own: Acc,
}
