//! Settings in JSON. One that nobody takes is an error.

use halofold::Element;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::Error;

/// The settings of an object that are not taken yet.
pub(crate) struct Settings {
    what: &'static str,
    left: Map<String, Value>,
}

impl Settings {
    pub(crate) fn new(what: &'static str, object: Value) -> Result<Self, Error> {
        match object {
            Value::Object(left) => Ok(Settings { what, left }),
            other => Err(format!("{what} is no object: {other}").into()),
        }
    }

    /// Takes a setting; `None` if it is not given, or null.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Error> {
        let given = self.left.remove(name).filter(|given| !given.is_null());
        given.map(serde_json::from_value).transpose().map_err(|error| format!("`{name}`: {error}").into())
    }

    /// Takes a setting that has to be given.
    pub(crate) fn need<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Error> {
        self.take(name)?.ok_or_else(|| format!("{} needs `{name}`", self.what).into())
    }

    /// Takes a setting that is false where it is not given.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.take(name)?.unwrap_or(false))
    }

    /// Takes the type of elements.
    pub(crate) fn element(&mut self) -> Result<Element, Error> {
        Ok(self.need::<String>("type")?.parse()?)
    }

    /// Checks that every setting was taken.
    pub(crate) fn end(self) -> Result<(), Error> {
        let unknown = self.left.keys().next();
        unknown.map_or(Ok(()), |name| Err(format!("{} has no setting `{name}`", self.what).into()))
    }
}
