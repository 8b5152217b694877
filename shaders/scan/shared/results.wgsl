// The result of an element.
#import scan/shared/io
#import <operator>

// True if an element's result leaves the element out.
override EXCLUSIVE: bool = false;

// The result of an element at a place in its row, from what lies before it, and that with the element.
fn result(before: Acc, behind: Acc, place: u32) -> Stored {
    var acc = behind;
    var number = place + 1u;
    if EXCLUSIVE {
        acc = before;
        number = place;
        if ROWS && place == 0u {
            acc = identity();
        }
    }
    return finish(acc, number);
}
