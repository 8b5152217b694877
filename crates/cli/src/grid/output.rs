//! Files of results, checked before there is any result.

use std::path::Path;

use super::cells::Cells;
use super::frames::Folder;
use super::picture::Picture;
use crate::failure::Failure;
use crate::grid::GridArgs;
use crate::reserved::Reserved;

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

    /// True if the whole grid is to be written.
    pub fn wants_result(&self) -> bool {
        self.result.is_some()
    }

    /// Writes the result, an array in the file's shape.
    pub fn write(self, cells: &Cells, shape: &[u64], picture: Picture) -> Result<(), Failure> {
        let Some((form, file)) = self.result else { return Ok(()) };
        let range = picture.range();
        let plane = &cells.bytes()[range.start as usize..range.end as usize];
        file.write_with(|file| match form {
            Form::Array => cells.write_npy(shape, file),
            Form::Picture => picture.write(plane, file),
        })
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
