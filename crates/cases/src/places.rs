//! Readbacks and mailboxes on their own.

use halofold::read::{Mailbox, Readback};

use super::{Case, End, Scene, same, text};

const BYTES: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("Readback", "readback, waited for", async |scene: &Scene| {
            copy(scene, async |readback| readback.wait(8).map_err(text)).await
        }),
        Case::new("Readback", "readback, looked at", async |scene: &Scene| {
            copy(scene, async |readback| looked_at(scene, readback).await).await
        }),
        Case::new("Readback", "readback, given up", async |scene: &Scene| {
            copy(scene, async |readback| given_up(scene, readback).await).await
        }),
        Case::new("Mailbox", "mailbox, spun for", async |scene: &Scene| {
            post(scene, async |mailbox| mailbox.spin().map_err(text)).await
        }),
        Case::new("Mailbox", "mailbox, awaited", async |scene: &Scene| {
            post(scene, async |mailbox| scene.arrival(mailbox.read()).await).await
        }),
    ]
}

type Bytes = Result<Vec<u8>, String>;

async fn copy(scene: &Scene, read: impl AsyncFn(&Readback) -> Bytes) -> Result<End, String> {
    let source = scene.buffer(&BYTES)?;
    scene.stage();
    let readback = Readback::new(&scene.device, 8);
    let mut end = End::Right;
    for _ in 0..2 {
        scene.stage();
        let mut encoder = scene.device.create_command_encoder(&Default::default());
        readback.encode(&mut encoder, &source, 0, 8).map_err(text)?;
        scene.submit(encoder);
        end = same(&read(&readback).await?, &BYTES);
    }
    Ok(end)
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
            let _ = scene.device.poll(halofold::wgpu::PollType::wait_indefinitely());
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

async fn post(scene: &Scene, read: impl AsyncFn(&Mailbox) -> Bytes) -> Result<End, String> {
    let source = scene.buffer(&BYTES)?;
    scene.stage();
    let mailbox = Mailbox::new(&scene.device, 8);
    let mut end = End::Right;
    for _ in 0..2 {
        scene.stage();
        let mut encoder = scene.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&source, 0, mailbox.buffer(), 0, 8);
        mailbox.encode(&mut encoder).map_err(text)?;
        scene.submit(encoder);
        end = same(&read(&mailbox).await?, &BYTES);
    }
    Ok(end)
}
