//! A device that is lost at any stage of any operation: no panic, no waiting for ever, nothing wrong that looks right. Errors are values.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use halofold_cases::{Case, End, Scene, Tag, any_adapter, cases};

/// Far longer than any stage takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs a case with the device destroyed at a stage; returns whether it came so far.
fn lose(case: &Case, scene: Scene) -> Result<bool, String> {
    let end = pollster::block_on(case.run(&scene));
    let complaints = scene.complaints();
    match end {
        End::Wrong(what) => return Err(format!("wrong: {what}")),
        End::Refused(error) if !scene.is_destroyed() && error.contains("SUBGROUP") => {
            eprintln!("not run: {}: {error}", case.name);
        }
        End::Refused(error) if !scene.is_destroyed() => return Err(format!("refused before: {error}")),
        _ => {}
    }
    if complaints.is_empty() { Ok(scene.is_destroyed()) } else { Err(complaints.join("; ")) }
}

/// Runs some cases, each with its device destroyed at every stage, and sends what begins and what fails.
fn lose_each(sender: &mpsc::Sender<Result<String, String>>) {
    let adapter = any_adapter();
    for (turn, case) in cases(Tag::Losses, &adapter.get_info().name).into_iter().enumerate() {
        // Every stage opens a device, which compiles all kernels again.
        for polls in common::in_turn([false, true], 2, turn) {
            for stage in 0.. {
                let polled = if polls { "polled" } else { "not polled" };
                let what = format!("{}, stage {stage}, {polled}", case.name);
                sender.send(Ok(what.clone())).unwrap();
                let scene = Scene::open(&adapter, adapter.limits()).unwrap().destroyed_at(stage, polls);
                let lost = catch_unwind(AssertUnwindSafe(|| lose(&case, scene)));
                match lost.unwrap_or_else(|_| Err("a panic".to_owned())) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => sender.send(Err(format!("{what}: {error}"))).unwrap(),
                }
            }
        }
    }
}

#[test]
fn at_every_stage() {
    let (sender, receiver) = mpsc::channel();
    // One thread: of two, one crashed in the validation layers (1.3.239) as it polled and the other opened a device.
    std::thread::spawn(move || lose_each(&sender));
    let (mut last, mut errors) = (String::new(), Vec::new());
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(Ok(what)) => last = what,
            Ok(Err(error)) => errors.push(error),
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{last}: no end"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}
