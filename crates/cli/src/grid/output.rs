//! Files of results, checked before there is any result.

use std::io::Write as _;
use std::path::Path;

use super::frames::Folder;
use super::grid_state::GridState;
use super::picture::Picture;
use super::request::Request;
use crate::failure::Failure;
use crate::grid::GridArgs;
use crate::reserved::{self, Reserved};

/// The content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Array,
    Picture,
}

/// The files that a run writes.
pub struct Outputs {
    result: Option<(Form, Reserved)>,
    /// The folder of frames.
    pub frames: Option<Folder>,
}

impl Outputs {
    /// Opens them, and refuses options that are about others.
    pub fn reserve(args: &GridArgs) -> Result<Self, Failure> {
        let form = args.output.as_deref().map(form).transpose()?;
        if args.every.is_some() && args.frames.is_none() && args.until.is_none() {
            return Err(Failure::usage("--every goes with --frames or --until"));
        }
        if args.slice.is_some() && args.frames.is_none() && form != Some(Form::Picture) {
            return Err(Failure::usage("--slice goes with a picture: -o OUT.png or --frames"));
        }
        let inputs: Vec<_> = args.grid.iter().chain(&args.rhs).collect();
        let reserve = |(form, path)| Ok((form, Reserved::open_apart("-o", path, &inputs)?));
        Ok(Outputs {
            result: form.zip(args.output.as_deref()).map(reserve).transpose()?,
            frames: args.frames.as_deref().map(Folder::reserve).transpose()?,
        })
    }

    /// The file of the result.
    pub fn file(self) -> Option<Reserved> {
        self.result.map(|(_, file)| file)
    }

    /// Writes the result, an array in the file's shape or a picture of it: in the colours of the frames, if there are any.
    pub fn write(
        self,
        state: &dyn GridState,
        request: &Request,
        frames: Option<Picture>,
    ) -> Result<(), Failure> {
        let Some((form, mut file)) = self.result else { return Ok(()) };
        let Request { config, plane, .. } = request;
        if form == Form::Picture {
            let picture = frames.map_or_else(|| Picture::of(state, config, *plane), Ok)?;
            let plane = state.bytes(picture.range())?;
            return file.write_with(|file| picture.write(&plane, file));
        }
        let path = file.path().to_owned();
        let failed = |error| reserved::failure("-o", &path, &error);
        file.file().write_all(&request.header()?).map_err(failed)?;
        state.write(0..config.bytes(), file.file(), failed)?;
        file.finish()
    }
}

/// The content that a file's name asks for.
fn form(path: &Path) -> Result<Form, Failure> {
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
        Some("npy") => Ok(Form::Array),
        Some("png") => Ok(Form::Picture),
        _ => Err(Failure::Usage(format!(
            "-o {}: the name must end in .npy (an array) or .png (a picture)",
            path.display()
        ))),
    }
}
