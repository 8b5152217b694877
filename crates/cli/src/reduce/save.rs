//! Writes a request's results: an array, or an archive of several.

use std::io::Write as _;
use std::path::Path;

use super::args::ReduceArgs;
use super::labels::Labels;
use super::results::{Results, encode};
use crate::failure::Failure;
use crate::files::{npy, npz};
use crate::reserved::Reserved;

pub struct Outputs {
    arrays: Option<Reserved>,
    is_archive: bool,
    places: Option<Reserved>,
    keys: Option<Reserved>,
    all: Vec<(String, Vec<u8>)>,
}

impl Outputs {
    pub fn reserve(args: &ReduceArgs, is_first: bool) -> Result<Self, Failure> {
        let beside = [&args.with, &args.mask, &args.by].into_iter().flatten();
        let inputs: Vec<_> = args.files.iter().chain(beside).collect();
        let reserve = |option, path: &Option<_>| {
            let path = path.as_deref().filter(|_| is_first);
            path.map(|path: &Path| Reserved::open_apart(option, path, &inputs)).transpose()
        };
        for (option, path) in [("--keys", &args.keys), ("--indices", &args.indices)] {
            path.as_deref().map_or(Ok(()), |path| npy::check_output(option, path))?;
        }
        Ok(Outputs {
            arrays: reserve("-o", &args.output)?,
            is_archive: args.output.as_deref().is_some_and(npz::is_named),
            places: reserve("--indices", &args.indices)?,
            keys: reserve("--keys", &args.keys)?,
            all: Vec::new(),
        })
    }

    /// Adds the results of a file, each with its operator's index. The results of several quantiles are one array.
    pub fn add(
        &mut self,
        args: &ReduceArgs,
        path: &Path,
        labels: &Option<Labels>,
        all: &[(usize, Results)],
    ) -> Result<(), Failure> {
        if let Some((file, labels)) = self.keys.take().zip(labels.as_ref()) {
            let mut bytes = Vec::new();
            let fits = labels.keys.iter().try_for_each(|key| encode(labels.stored, *key, &mut bytes));
            fits.ok_or_else(|| Failure::usage("--keys: a label does not fit its own type"))?;
            let shape = [labels.keys.len() as u64];
            file.write_with(|file| npy::write(file, &labels.stored.descr(), &shape, false, &bytes))?;
        }
        if let Some((file, (_, top))) =
            self.places.take().zip(all.iter().find(|(_, results)| results.name == "top"))
        {
            file.write(&top.places()?)?;
        }
        if self.arrays.is_none() {
            return Ok(());
        }
        for of_operator in all.chunk_by(|(a, _), (b, _)| a == b) {
            let (_, first) = &of_operator[0];
            let mut bytes = Vec::new();
            for (_, results) in of_operator {
                bytes.extend(results.bytes()?);
            }
            let quantiles = first.q.map(|_| of_operator.len() as u64);
            let dims: Vec<_> = quantiles.into_iter().chain(first.dims()).collect();
            let name = match args.files.len() {
                1 => first.name.clone(),
                _ => format!("{}/{}", path.file_stem().unwrap_or_default().to_string_lossy(), first.name),
            };
            self.all.push((name, npy::file(&first.dtypes[0].descr(), &dims, &bytes)?));
        }
        Ok(())
    }

    pub fn write(self) -> Result<(), Failure> {
        let Some(file) = self.arrays else { return Ok(()) };
        match (self.is_archive, &self.all[..]) {
            (true, arrays) => file.write_with(|file| npz::write(file, arrays)),
            (false, [(_, array)]) => file.write_with(|file| file.write_all(array)),
            (false, _) => Ok(()),
        }
    }
}
