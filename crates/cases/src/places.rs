//! Readbacks and mailboxes on their own.

use halofold::read::{Mailbox, Readback};
use halofold::wgpu;

use super::{Case, End, Scene, same, text};

const BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

pub fn cases() -> Vec<Case> {
    vec![
        readback("waited for", async |_, readback| readback.wait(8).map_err(text)),
        readback("looked at", looked_at),
        readback("given up", given_up),
        mailbox("spun for", async |_, mailbox| mailbox.spin().map_err(text)),
        mailbox("awaited", async |scene, mailbox| scene.arrival(mailbox.read()).await),
    ]
}

type Bytes = Result<Vec<u8>, String>;

/// Copies some bytes and reads them, twice.
async fn twice(
    scene: &Scene,
    copy: impl Fn(&mut wgpu::CommandEncoder) -> Result<(), String>,
    read: impl AsyncFn() -> Bytes,
) -> Result<End, String> {
    let mut got = Vec::new();
    for _ in 0..2 {
        scene.stage();
        let mut encoder = scene.device.create_command_encoder(&Default::default());
        copy(&mut encoder)?;
        scene.submit(encoder);
        got.extend(read().await?);
    }
    Ok(same(&got, &BYTES.repeat(2)))
}

fn readback(how: &str, read: impl AsyncFn(&Scene, &Readback) -> Bytes + Send + Sync + 'static) -> Case {
    Case::new("Readback", format!("readback, {how}"), async move |scene: &Scene| {
        let source = scene.buffer(&BYTES)?;
        scene.stage();
        let readback = Readback::new(&scene.device, 8);
        let copy = |encoder: &mut _| readback.encode(encoder, &source, 0, 8).map_err(text);
        twice(scene, copy, async || read(scene, &readback).await).await
    })
}

fn mailbox(how: &str, read: impl AsyncFn(&Scene, &Mailbox) -> Bytes + Send + Sync + 'static) -> Case {
    Case::new("Mailbox", format!("mailbox, {how}"), async move |scene: &Scene| {
        let source = scene.buffer(&BYTES)?;
        scene.stage();
        let mailbox = Mailbox::new(&scene.device, 8);
        let copy = |encoder: &mut wgpu::CommandEncoder| {
            encoder.copy_buffer_to_buffer(&source, 0, mailbox.buffer(), 0, 8);
            mailbox.encode(encoder).map_err(text)
        };
        twice(scene, copy, async || read(scene, &mailbox).await).await
    })
}

async fn looked_at(scene: &Scene, readback: &Readback) -> Bytes {
    let mut reading = readback.read(8);
    loop {
        scene.stage();
        if let Some(bytes) = reading.try_take().map_err(text)? {
            return Ok(bytes);
        }
        scene.turn().await?;
    }
}

/// A request that is dropped before its answer, one that is dropped after it, and one that is taken.
async fn given_up(scene: &Scene, readback: &Readback) -> Bytes {
    for polls in [false, true] {
        let reading = readback.read(8);
        scene.stage();
        if polls {
            let _ = scene.device.poll(wgpu::PollType::wait_indefinitely());
            scene.stage();
        }
        drop(reading);
        scene.stage();
    }
    // A browser cannot wait.
    if cfg!(target_family = "wasm") {
        return scene.arrival(readback.read(8)).await;
    }
    readback.wait(8).map_err(text)
}
