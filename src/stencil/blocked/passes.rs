//! Cutting a run of steps into passes. Pure.
//!
//! A pass reads one buffer and writes the other, however many steps it makes. After an even number of steps the result is in the
//! first buffer all the same: so an even number of steps takes an even number of passes, and an odd one an odd one.

/// The steps of each pass of a run, `deepest` at most: as many full ones as there can be, and the rest in equal parts.
pub(super) fn of(steps: u32, deepest: u32) -> impl Iterator<Item = u32> {
    let needed = steps.div_ceil(deepest);
    let passes = needed + ((needed ^ steps) & 1);
    let (full, rest) = full_and_rest(steps, passes, deepest);
    let (others, left) = (passes - full, rest);
    let other = move |nth: u32| left / others + u32::from(nth < left % others);
    std::iter::repeat_n(deepest, full as usize).chain((0..others).map(other))
}

/// So many full passes that each of the others has at least one step, and the steps left for those.
fn full_and_rest(steps: u32, passes: u32, deepest: u32) -> (u32, u32) {
    let full = if deepest == 1 { passes } else { passes.min((steps - passes) / (deepest - 1)) };
    (full, steps - full * deepest)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn every_run_is_cut_into_as_few_passes_as_the_buffers_allow() {
        for deepest in 1..40 {
            for steps in 0..200 {
                let passes: Vec<_> = of(steps, deepest).collect();
                assert_eq!(passes.iter().sum::<u32>(), steps, "{steps} by {deepest}");
                assert_eq!(passes.len() as u32 % 2, steps % 2, "{steps} by {deepest}: {passes:?}");
                assert!(passes.iter().all(|pass| (1..=deepest).contains(pass)), "{passes:?}");
                assert!(passes.len() as u32 <= steps.div_ceil(deepest) + 1, "{passes:?}");
            }
        }
        assert_eq!(of(48, 16).collect::<Vec<_>>(), [16, 16, 8, 8]);
        assert_eq!(of(u32::MAX, 32).count() as u32, u32::MAX / 32 + 2);
    }
}
