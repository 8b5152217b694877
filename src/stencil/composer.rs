//! `#import` and `#ifdef`: a kernel's file and all that it imports, each once, as one module.

use std::collections::VecDeque;

use crate::shader::{self, Composer as Module};

/// Every name that a file may ask about.
const DEFINES: &[&str] = &["fixed_borders", "lanes4", "cse", "one_weight", "rhs", "strip_1", "strip_4"];

/// What a caller says about the module that it wants.
#[derive(Default)]
pub(super) struct Composer {
    defines: Vec<&'static str>,
    provided: Vec<(&'static str, String)>,
    files: Vec<(&'static str, &'static str)>,
}

impl Composer {
    /// Defines a name if a condition holds.
    pub(super) fn define(mut self, name: &'static str, holds: bool) -> Self {
        self.defines.extend(holds.then_some(name));
        self
    }

    /// Says what `#import name` stands for: a text that is no file.
    pub(super) fn provide(mut self, name: &'static str, text: String) -> Self {
        self.provided.push((name, text));
        self
    }

    /// Says which file `#import name` stands for.
    pub(super) fn choose(mut self, name: &'static str, file: &'static str) -> Self {
        self.files.push((name, file));
        self
    }

    /// A file and all that it imports: the file first, then what it asks for, then what that asks for.
    pub(super) fn compose(&self, file: &'static str, extension: Option<&'static str>) -> String {
        let mut module = Module::default();
        extension.map(|extension| module.enable(extension));
        let mut seen = vec![file.to_owned()];
        let mut waiting = VecDeque::from([file.to_owned()]);
        while let Some(file) = waiting.pop_front() {
            if let Some((name, text)) = self.provided.iter().find(|(name, _)| *name == file) {
                module.add(&format!("generated: {name}"), text);
                continue;
            }
            let (body, imports) = self.preprocess(&file);
            module.add(&format!("shaders/{file}.wgsl"), &body);
            for name in imports {
                let import = self.resolve(name);
                if !seen.contains(&import) {
                    seen.push(import.clone());
                    waiting.push_back(import);
                }
            }
        }
        module.finish()
    }

    fn resolve(&self, name: &str) -> String {
        if self.provided.iter().any(|(provided, _)| *provided == name) {
            return name.to_owned();
        }
        let chosen = self.files.iter().find(|(chosen, _)| *chosen == name);
        chosen.map_or_else(|| format!("stencil/shared/{name}"), |(_, file)| (*file).to_owned())
    }

    /// Carries out a file's directives: the lines that remain, and the names it imports.
    fn preprocess(&self, file: &str) -> (String, Vec<&'static str>) {
        let (mut body, mut imports) = (String::new(), Vec::new());
        let mut conditions: Vec<bool> = Vec::new();
        for line in shader::piece(file).lines() {
            let mut words = line.split_whitespace();
            match (words.next().unwrap_or_default(), words.next()) {
                ("#ifdef", Some(name)) => {
                    assert!(DEFINES.contains(&name), "{file} asks about `{name}`, which is not in the list");
                    conditions.push(self.defines.contains(&name));
                }
                ("#else", None) => {
                    let last = conditions.last_mut().expect("an #else follows its #ifdef");
                    *last = !*last;
                }
                ("#endif", None) => drop(conditions.pop()),
                _ if conditions.contains(&false) => {}
                ("#import", Some(name)) => imports.push(name),
                _ => {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
        (body, imports)
    }
}
