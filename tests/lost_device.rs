//! A device that is lost at any stage of any operation: no panic, no waiting for ever, nothing wrong that looks right. Errors are values.

mod common;
mod operations;
mod scene;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use operations::{Operation, few_operations};
use scene::{End, Scene, any_adapter};

/// Far longer than any stage takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs an operation with the device destroyed at a stage; returns whether it came so far.
fn lose(operation: &Operation, scene: Scene) -> Result<bool, String> {
    let end = pollster::block_on(operation.run(&scene));
    let complaints = scene.complaints();
    match end {
        End::Wrong(what) => return Err(format!("wrong: {what}")),
        End::Refused(error) if !scene.is_destroyed() && error.contains("SUBGROUP") => {
            eprintln!("not run: {}: {error}", operation.name);
        }
        End::Refused(error) if !scene.is_destroyed() => return Err(format!("refused before: {error}")),
        _ => {}
    }
    if complaints.is_empty() { Ok(scene.is_destroyed()) } else { Err(complaints.join("; ")) }
}

/// Runs some operations, each with its device destroyed at every stage, and sends what begins and what fails.
fn lose_each(sender: &mpsc::Sender<Result<String, String>>) {
    let adapter = any_adapter();
    for (turn, operation) in few_operations().into_iter().enumerate() {
        // Every stage opens a device, which compiles all kernels again.
        for polls in common::in_turn([false, true], 2, turn) {
            for stage in 0.. {
                let polled = if polls { "polled" } else { "not polled" };
                let what = format!("{}, stage {stage}, {polled}", operation.name);
                sender.send(Ok(what.clone())).unwrap();
                let scene = Scene::open(&adapter, adapter.limits()).unwrap().destroyed_at(stage, polls);
                let lost = catch_unwind(AssertUnwindSafe(|| lose(&operation, scene)));
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
