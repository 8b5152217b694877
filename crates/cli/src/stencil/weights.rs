//! The weights of a request: a list, one for each class of cells, or a file, one for each cell.

use std::path::{Path, PathBuf};

use halofold::Element;
use halofold::stencil::{Dims, Grid, Stencil, Weights};
use halofold_fleet::host::values;

use crate::failure::Failure;
use crate::files::Source;
use crate::files::npy::{self, tuple};
use crate::stencil::StencilArgs;
use crate::stencil::cells::FileCells;

#[derive(Clone, Debug)]
pub enum GivenWeights {
    /// Numbers: of the centre, then of the others from the nearest to the farthest.
    List(Vec<f64>),
    File(PathBuf),
}

impl GivenWeights {
    pub fn parse(text: &str) -> Result<Self, String> {
        if npy::is_named(Path::new(text)) {
            return Ok(GivenWeights::File(text.into()));
        }
        let weight = |word: &str| match word.parse() {
            Ok(weight) if f64::is_finite(weight) => Ok(weight),
            Ok(weight) => Err(format!("{weight} is not a weight")),
            Err(_) => Err(format!("`{word}` is not a weight")),
        };
        text.split(',').map(weight).collect::<Result<_, _>>().map(GivenWeights::List)
    }
}

pub fn listed(args: &StencilArgs, stencil: &Stencil) -> Result<Weights, Failure> {
    let list = match &args.weights {
        Some(GivenWeights::List(list)) => &list[..],
        _ => &[],
    };
    Weights::of(stencil, list).ok_or_else(|| {
        refusal!(
            "--weights: {} given, {} points take {}: of the centre, then of the others from the nearest to the farthest",
            list.len(),
            stencil.points(),
            stencil.classes.len()
        )
    })
}

pub fn read(path: &Path) -> Result<(&'static Stencil, Weights), Failure> {
    let source = Source::open(path, None).map_err(Failure::usage)?;
    let shape: Vec<_> = source.shape().iter().map(|side| *side as usize).collect();
    let Some(stencil) = Stencil::with_weights_of_shape(&shape) else {
        return Err(refusal!(
            "--weights {}: shape {}: weights are arrays of (3, 3), (5, 5) or (3, 3, 3)",
            source.name(),
            tuple(source.shape())
        ));
    };
    let side = shape[0] as u32;
    let planes = if stencil.dims == Dims::Three { side } else { 1 };
    let grid = Grid { planes, rows: side, cols: side };
    let mut cells = vec![0; (grid.cells() * Element::F64.size()) as usize];
    FileCells::new(&source, Element::F64)?.fill(0, &mut cells).map_err(Failure::usage)?;
    let weights = values(Element::F64, &cells);
    if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
        return Err(refusal!("--weights {}: {weight} is not a weight", source.name()));
    }
    Ok((stencil, Weights::new(&weights)))
}
