// The elements themselves.
#import format
#import elements

fn numbers(x: Floats, which: Lanes) -> Numbers {
    return x;
}
