//! The state of a run that may be interrupted: a small file of JSON.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use halofold::stencil::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::run_files::sync_folder;
use super::{Bounds, Schedule, SlabSizes, StreamError};
use crate::stepping::Round;

/// The version of the file's form.
const VERSION: u32 = 1;

/// All that the result of a run depends on, by name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Identity(Map<String, Value>);

impl Identity {
    /// Adds a part.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the first field that differs: its name, this value, the other value.
    fn difference(&self, other: &Identity) -> Option<(String, String, String)> {
        let names = self.0.keys().chain(other.0.keys());
        let value = |identity: &Identity, name: &String| match identity.0.get(name) {
            None | Some(Value::Null) => "none".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let pairs = names.map(|name| (name.clone(), value(self, name), value(other, name)));
        pairs.into_iter().find(|(_, mine, others)| mine != others)
    }
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Checkpoint {
    version: u32,
    /// The run's identity.
    pub run: Identity,
    /// Slabs of a pass.
    pub slabs_of_a_pass: u32,
    /// Steps of a pass.
    pub depth: u32,
    /// Passes that are complete.
    pub passes: u32,
    /// Slabs of the next pass that are complete.
    pub slabs: u32,
    /// The outcome so far. Its steps follow from the passes.
    #[serde(with = "outcome")]
    pub outcome: Outcome,
    /// True if the last grid was about to become the result: it may have done so.
    pub renaming: bool,
}

/// The form of an outcome in the file; null before the first check. Numbers are text, as JSON has none that is not finite.
mod outcome {
    use halofold::stencil::Outcome;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize, Serialize)]
    struct Found {
        max: String,
        l2: String,
        converged: bool,
    }

    pub fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
        let Outcome { max, l2, converged, .. } = *outcome;
        let found = Found { max: max.to_string(), l2: l2.to_string(), converged };
        Some(found).filter(|_| [max, l2] != [f64::INFINITY; 2]).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        let mut outcome = Outcome::NONE;
        if let Some(Found { max, l2, converged }) = Option::deserialize(deserializer)? {
            outcome.max = max.parse().map_err(D::Error::custom)?;
            outcome.l2 = l2.parse().map_err(D::Error::custom)?;
            outcome.converged = converged;
        }
        Ok(outcome)
    }
}

impl Checkpoint {
    /// The beginning of a run.
    pub fn new(run: Identity, schedule: &Schedule) -> Self {
        Checkpoint {
            version: VERSION,
            run,
            slabs_of_a_pass: schedule.slabs(),
            depth: schedule.depth(),
            passes: 0,
            slabs: 0,
            outcome: Outcome::NONE,
            renaming: false,
        }
    }

    /// Reads one, if there is one.
    pub fn read(path: &Path) -> Result<Option<Self>, StreamError> {
        let text = match fs::read(path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(StreamError::read(path))?,
        };
        let bad = |cause: String| StreamError::BadCheckpoint { path: path.to_owned(), cause };
        let checkpoint: Checkpoint = serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        if checkpoint.version != VERSION {
            return Err(bad(format!("its version is {}, this program's {VERSION}", checkpoint.version)));
        }
        if checkpoint.slabs_of_a_pass == 0 || checkpoint.depth == 0 {
            return Err(bad("slabs or passes of nothing".to_owned()));
        }
        Ok(Some(checkpoint))
    }

    /// True if nothing is done yet.
    pub fn is_fresh(&self) -> bool {
        (self.passes, self.slabs) == (0, 0)
    }

    /// The outcome of the passes that are complete.
    pub fn outcome(&self, schedule: &Schedule) -> Outcome {
        let mut outcome = self.outcome;
        outcome.steps = schedule.steps_before(self.passes);
        outcome
    }

    /// The next pass; `None` if nothing is left to do. The first one copies the grid if there are no steps.
    pub fn next(&self, schedule: &Schedule) -> Option<Round> {
        let first = (self.passes == 0).then(|| schedule.pass(0));
        first.or_else(|| schedule.rounds.next(&self.outcome(schedule)))
    }

    /// Checks that it is of this run.
    pub fn check(&self, path: &Path, run: &Identity) -> Result<(), StreamError> {
        match self.run.difference(run) {
            None => Ok(()),
            Some((what, then, now)) => Err(StreamError::OtherRun { path: path.to_owned(), what, then, now }),
        }
    }

    /// The slabs and passes of the run, which stay as they were.
    pub(super) fn schedule(
        &self,
        path: &Path,
        bounds: Bounds,
        sizes: SlabSizes,
    ) -> Result<Schedule, StreamError> {
        let asked = bounds.schedule(
            sizes.height.map_or(self.slabs_of_a_pass, |most| bounds.slabs(most)),
            sizes.depth.unwrap_or(self.depth),
        );
        let then = bounds.schedule(self.slabs_of_a_pass, self.depth);
        for (what, then, now) in
            [("slab", then.largest(), asked.largest()), ("depth", then.depth(), asked.depth())]
        {
            if then != now {
                let (what, then, now) = (what.to_owned(), then.to_string(), now.to_string());
                return Err(StreamError::OtherRun { path: path.to_owned(), what, then, now });
            }
        }
        let schedule = then.checked(bounds)?;
        // All slabs of a pass may be complete before the pass is noted to be.
        if self.passes > schedule.passes() || self.slabs > schedule.slabs() {
            let cause = format!("{} passes and {} slabs of another", self.passes, self.slabs);
            return Err(StreamError::BadCheckpoint { path: path.to_owned(), cause });
        }
        Ok(schedule)
    }

    /// Writes it in the place of the one before: there is always a whole one.
    pub(super) fn write(&self, path: &Path) -> Result<(), StreamError> {
        let fresh = path.with_extension("json.new");
        let write = || {
            let mut file = File::create(&fresh)?;
            file.write_all(&serde_json::to_vec_pretty(self)?)?;
            file.sync_all()?;
            fs::rename(&fresh, path)?;
            sync_folder(path)
        };
        let written = write();
        if written.is_err() {
            // It is not the checkpoint, so it does not matter whether this succeeds.
            let _ = fs::remove_file(&fresh);
        }
        written.map_err(StreamError::write(path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bounds;
    use super::*;

    fn bounds(room: u64) -> Bounds {
        bounds::tests::bounds(9, false, 5, room)
    }

    fn schedule() -> Schedule {
        Schedule::new(bounds(10), SlabSizes { height: Some(3), depth: Some(2) }).unwrap()
    }

    #[test]
    fn checkpoints_are_read_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy.halofold.json");
        assert_eq!(Checkpoint::read(&path).unwrap(), None);
        let run = Identity::default().with("grid", "9 × 1").with("weights", vec![0.2, 0.1]);
        let mut checkpoint = Checkpoint::new(run, &schedule());
        for (slabs, max) in [(0, 0.1), (2, f64::INFINITY)] {
            checkpoint.slabs = slabs;
            (checkpoint.outcome.max, checkpoint.outcome.l2) = (max, 1e-300);
            checkpoint.write(&path).unwrap();
            assert_eq!(Checkpoint::read(&path).unwrap(), Some(checkpoint.clone()));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // As programs have written it since the first one.
        let old = r#"{ "version": 1, "run": {}, "slabs_of_a_pass": 3, "depth": 2, "passes": 1, "slabs": 0,
            "outcome": { "max": "0.5", "l2": "inf", "converged": true }, "renaming": false }"#;
        fs::write(&path, old).unwrap();
        let outcome = Checkpoint::read(&path).unwrap().unwrap().outcome(&schedule());
        assert_eq!(
            (outcome.steps, outcome.converged, outcome.max, outcome.l2),
            (2, true, 0.5, f64::INFINITY)
        );
        checkpoint.write(&path).unwrap();
        for bad in
            ["", "{}", "[1]", &fs::read_to_string(&path).unwrap().replace("\"version\": 1", "\"version\": 2")]
        {
            fs::write(&path, bad).unwrap();
            assert!(matches!(Checkpoint::read(&path), Err(StreamError::BadCheckpoint { .. })), "{bad}");
        }
    }

    #[test]
    fn differences_are_named() {
        let run = Identity::default().with("grid", "9 × 1").with("rhs", Value::Null).with("steps", 5);
        let checkpoint = Checkpoint::new(run.clone(), &schedule());
        let path = Path::new("c.json");
        checkpoint.check(path, &run).unwrap();
        for (other, parts) in [
            (run.clone().with("steps", 6), ["steps", "5", "6"]),
            (run.clone().with("rhs", "f.npy"), ["rhs", "none", "f.npy"]),
            (run.clone().with("new", true), ["new", "none", "true"]),
        ] {
            let message = checkpoint.check(path, &other).unwrap_err().to_string();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
    }

    #[test]
    fn slabs_and_passes_stay() {
        let (path, run) = (Path::new("c.json"), Identity::default());
        let mut checkpoint = Checkpoint::new(run, &schedule());
        for (passes, slabs, is_one) in
            [(0, 0, true), (2, 3, true), (3, 0, true), (4, 0, false), (0, 4, false)]
        {
            (checkpoint.passes, checkpoint.slabs) = (passes, slabs);
            let read = checkpoint.schedule(path, bounds(10), SlabSizes::default());
            assert_eq!(read.ok(), is_one.then(schedule), "{passes} {slabs}");
        }
        checkpoint.passes = 0;
        assert!(matches!(
            checkpoint.schedule(path, bounds(5), SlabSizes::default()),
            Err(StreamError::Room { .. })
        ));
        let other = checkpoint.schedule(path, bounds(10), SlabSizes { height: Some(5), depth: None });
        assert!(matches!(other, Err(StreamError::OtherRun { .. })));
    }
}
