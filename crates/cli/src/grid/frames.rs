//! Pictures of a grid every few steps, in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::grid_state::GridState;
use super::picture::Picture;
use crate::failure::Failure;
use crate::reserved::{self, Reserved};

const OPTION: &str = "--frames";

/// A folder that takes files. One that was not there before goes away again if it gets none.
pub struct Folder {
    path: PathBuf,
    fresh: bool,
    /// The first frame's file: proof that there is room for one.
    first: Option<Reserved>,
}

impl Folder {
    /// Makes the folder if it is missing.
    pub fn reserve(path: &Path) -> Result<Self, Failure> {
        let fresh = !path.exists();
        fs::create_dir_all(path)
            .map_err(|error| Failure::Usage(format!("{OPTION} {}: {error}", path.display())))?;
        if fresh {
            reserved::remove_when_interrupted(path);
        }
        let mut folder = Folder { path: path.to_owned(), fresh, first: None };
        folder.first = Some(Reserved::open(OPTION, &folder.frame(0))?);
        Ok(folder)
    }

    fn frame(&self, step: u32) -> PathBuf {
        self.path.join(format!("frame-{step:06}.png"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Its file first.
        self.first = None;
        if self.fresh {
            // This fails if there is something in it, as it should.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Frames of one run, all in the colours of the first.
pub struct FrameWriter {
    folder: Folder,
    every: u32,
    /// The picture that draws them.
    pub picture: Picture,
}

impl FrameWriter {
    /// Draws the first frame.
    pub fn begin(
        mut folder: Folder,
        every: u32,
        picture: Picture,
        state: &dyn GridState,
    ) -> Result<Self, Failure> {
        if let Some(file) = folder.first.take() {
            let plane = state.bytes(picture.range())?;
            file.write_with(|file| picture.write(&plane, file))?;
        }
        Ok(FrameWriter { folder, every, picture })
    }

    /// Steps from `done` to the next frame.
    pub fn until_next(&self, done: u32) -> u32 {
        self.every - done % self.every
    }

    /// Draws the grid if there is to be a frame after this step.
    pub fn draw(&self, state: &dyn GridState, step: u32, is_last: bool) -> Result<(), Failure> {
        if !is_last && !step.is_multiple_of(self.every) {
            return Ok(());
        }
        let plane = state.bytes(self.picture.range())?;
        let file = Reserved::open(OPTION, &self.folder.frame(step))?;
        file.write_with(|file| self.picture.write(&plane, file))
    }
}
