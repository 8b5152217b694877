//! The arguments of an example: `--name a,b,c` with a list of values, and `--name` alone as a switch.

use std::collections::HashMap;
use std::error::Error;
use std::str::FromStr;

/// The arguments by name, without the dashes. A switch has an empty value.
pub struct Arguments(HashMap<String, String>);

impl Arguments {
    /// Reads arguments: some of these lists and switches.
    pub fn read(
        mut arguments: impl Iterator<Item = String>,
        lists: &[&str],
        switches: &[&str],
    ) -> Result<Self, Box<dyn Error>> {
        let mut found = HashMap::new();
        while let Some(argument) = arguments.next() {
            let name = argument.trim_start_matches("--").to_owned();
            let value = if lists.contains(&&*name) {
                arguments.next().ok_or_else(|| format!("--{name} needs a value"))?
            } else if switches.contains(&&*name) {
                String::new()
            } else {
                return Err(
                    format!("unknown argument {argument}: there are {lists:?} and {switches:?}").into()
                );
            };
            found.insert(name, value);
        }
        Ok(Arguments(found))
    }

    /// Returns true if an argument is given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The values of a list, or the usual ones.
    pub fn list<T: FromStr + Clone>(&self, name: &str, usual: &[T]) -> Result<Vec<T>, Box<dyn Error>> {
        let Some(values) = self.0.get(name) else { return Ok(usual.to_vec()) };
        let parsed = values.split(',').map(|value| {
            value
                .parse()
                .map_err(|_| format!("--{name} does not take {value}; separate values by commas").into())
        });
        parsed.collect()
    }
}
