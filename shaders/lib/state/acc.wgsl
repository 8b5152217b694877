// States of a chain: accumulators of the operator.
#import <operator>
#ifdef subgroups
#import lib/subgroup/shuffle/*

fn state_up(state: State, d: u32) -> State { return shuffle_up(state, d); }
#endif

alias State = Acc;

fn no_state() -> State { return identity(); }
fn joined(a: State, b: State) -> State { return combine(a, b); }
