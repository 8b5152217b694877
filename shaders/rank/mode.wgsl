// mode: the result, from the largest count and its lowest key.
#import io
#import keys
#import output
#import result

@compute @workgroup_size(1)
fn main() {
    let number = atomicLoad(&state[0]);
    var value = missing();
    if number > 0u {
        value = word_of(~atomicLoad(&state[1]));
    }
    store_value(0u, value);
    output[1] = number;
    atomicStore(&state[0], 0u);
    atomicStore(&state[1], 0u);
}
