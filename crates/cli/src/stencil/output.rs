//! The file of the result, checked before there is any result.

use std::io::Write as _;
use std::path::Path;

use super::picture;
use super::request::Request;
use crate::failure::Failure;
use crate::reserved::{self, Reserved};
use crate::stencil::StencilArgs;
use halofold_fleet::GridState;

/// The file that a run writes, and whether it is a picture.
pub struct Outputs(Option<(bool, Reserved)>);

impl Outputs {
    pub fn reserve(args: &StencilArgs) -> Result<Self, Failure> {
        let is_picture = args.output.as_deref().map(is_picture).transpose()?;
        if args.slice.is_some() && is_picture != Some(true) {
            return Err(Failure::usage("--slice goes with a picture: -o OUT.png"));
        }
        let inputs: Vec<_> = [&args.grid].into_iter().chain(&args.rhs).collect();
        let Some((is_picture, path)) = is_picture.zip(args.output.as_deref()) else {
            return Ok(Outputs(None));
        };
        Ok(Outputs(Some((is_picture, Reserved::open_apart("-o", path, &inputs)?))))
    }

    pub fn file(self) -> Option<Reserved> {
        self.0.map(|(_, file)| file)
    }

    pub fn write(self, state: &dyn GridState, request: &Request) -> Result<(), Failure> {
        let Some((is_picture, mut file)) = self.0 else { return Ok(()) };
        let Request { config, plane, .. } = request;
        if is_picture {
            return picture::write(state, config, *plane, file);
        }
        let path = file.path().to_owned();
        let failed = |error| reserved::failure("-o", &path, &error);
        file.file().write_all(&request.header()?).map_err(failed)?;
        state.write(0..config.bytes(), file.file(), failed)?;
        file.finish()
    }
}

fn is_picture(path: &Path) -> Result<bool, Failure> {
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
        Some("npy") => Ok(false),
        Some("png") => Ok(true),
        _ => Err(refusal!("-o {}: the name must end in .npy (an array) or .png (a picture)", path.display())),
    }
}
