// States of a chain: counts.
#ifdef subgroups
fn state_up(state: State, d: u32) -> State { return subgroupShuffleUp(state, d); }
#endif

alias State = u32;

fn no_state() -> State { return 0u; }
fn joined(a: State, b: State) -> State { return a + b; }
