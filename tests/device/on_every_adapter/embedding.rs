//! Every rung inside another application: small limits, passes and workspaces of the caller's.

use crate::common::{cautious, in_one_pass, poisoned, read, room};
use halofold::ladder::RUNGS;
use halofold::reduce::Op;
use halofold::{Binding, Element, Error, Pass, SettingError, Slice, Workspace};
use halofold_measure::Job;

/// Windows of 64 KiB over 1.2 MiB, grids of at most 100 × 100 workgroups, an odd offset. Reductions of a rung share one workspace and pass.
#[test]
fn inputs_larger_than_a_binding_are_windowed() {
    const LEN: u64 = 300_007;
    let gpu = cautious(|limits| {
        limits.max_storage_buffer_binding_size = 1 << 16;
        limits.max_compute_workgroups_per_dimension = 100;
    });
    let (device, limits) = (&gpu.device, gpu.device.limits());
    let words: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let input = poisoned(&gpu, bytemuck::cast_slice(&words), 0);
    for rung in RUNGS {
        let job = Job::new(rung, Op::Sum, Element::U32, &limits, LEN).unwrap();
        let job = Job { tuning: job.tuning.with_workgroup_size(64), ..job };
        if let Err(error) = job.check(device.features(), &limits) {
            let excused =
                matches!(error, Error::Feature(_) | Error::Setting(SettingError { name: "accuracy", .. }));
            assert!(excused, "{}: {error}", rung.name());
            continue;
        }
        let reducer = job.reducer(device).unwrap();
        let parts = [(0, LEN), (77, LEN - 77), (5, 1234)];
        let reductions = parts.map(|(first, len)| reducer.of(Slice::new(&input, 4 * first, 4 * len)));
        let plans = reductions.each_ref().map(|reduction| reduction.plan().unwrap());
        for (plan, least) in plans.iter().zip([18, 18, 1]) {
            let is_window = |launch: &&Pass<_>| matches!(launch.binding(0), Some(Binding::Input(..)));
            let windows = plan.launches().iter().filter(is_window);
            assert!(windows.count() >= least, "{}", rung.name());
        }
        let workspace = Workspace::new(device);
        let bound = reductions.map(|reduction| {
            let output = room(&gpu, 4);
            (reduction.workspace(&workspace).bind(&output).unwrap(), output)
        });
        in_one_pass(&gpu, |pass| {
            (0..2).for_each(|_| bound.iter().for_each(|(prepared, _)| prepared.encode_in_pass(pass)));
        });
        for ((first, len), (_, output)) in parts.into_iter().zip(bound) {
            let words = &words[first as usize..][..len as usize];
            let expected = words.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
            let what = format!("{len} from {first} by {}", rung.name());
            assert_eq!(read(&gpu, &output)[..4], expected.to_le_bytes(), "{what}");
        }
    }
}
