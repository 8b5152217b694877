//! The composer: it joins files of `shaders/` to one WGSL module. `shaders/README.md` explains its rules.
//!
//! A kernel imports the shared files that it needs, and these import the files that they need. The caller
//! sets the defined names, and provides the few pieces that are not files: an operator and its types.

mod directives;
mod private;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, Span};

use directives::{Expanded, Names};
pub(crate) use private::apart;

/// The files of a folder of `shaders/`: the path without the extension, and the text.
pub(crate) type Room = &'static [(&'static str, &'static str)];

/// All folders of `shaders/`. A program carries those that its operations name, and `lib`.
pub(crate) mod rooms {
    use super::Room;

    include!(concat!(env!("OUT_DIR"), "/rooms.rs"));
}

/// Imports that stand for the composed file itself, whose functions an importer calls: a kernel, or an operator.
const CALLERS: [&str; 2] = ["<kernel>", "<operator>"];

/// Returns the text of a file in one of some rooms or in `lib`, by its path without the extension.
///
/// # Panics
///
/// If there is no such file. All names come from tables in this crate, and a test composes all of them.
pub(crate) fn text(rooms: &[Room], file: &str) -> &'static str {
    find(rooms, file).unwrap_or_else(|| panic!("no file shaders/{file}.wgsl"))
}

fn find(rooms: &[Room], file: &str) -> Option<&'static str> {
    let rooms = rooms.iter().chain([&rooms::LIB]);
    rooms.copied().flatten().find(|(known, _)| *known == file).map(|(_, text)| *text)
}

/// A part of a module, with a heading that tells the reader where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) heading: String,
    pub(crate) text: Cow<'static, str>,
    /// Imports of a piece that is not a file.
    imports: &'static str,
    /// True if an application wrote it.
    is_foreign: bool,
}

impl Piece {
    /// Makes a piece that is not a file.
    pub(crate) fn new(heading: impl Into<String>, text: impl Into<Cow<'static, str>>) -> Self {
        Piece { heading: heading.into(), text: text.into(), imports: "", is_foreign: false }
    }

    /// Makes a piece of an application's text.
    pub(crate) fn foreign(heading: impl Into<String>, text: impl Into<String>) -> Self {
        Piece { is_foreign: true, ..Piece::new(heading, text.into()) }
    }

    /// Returns the same piece with other names in the place of some, wherever they stand as words.
    pub(crate) fn renamed(&self, names: &[(&str, &str)]) -> Self {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut text = String::new();
        for part in self.text.split_inclusive(|c| !is_part(c)) {
            let word = part.trim_end_matches(|c| !is_part(c));
            let other = names.iter().find(|(name, _)| *name == word).map_or(word, |(_, other)| other);
            text.push_str(other);
            text.push_str(&part[word.len()..]);
        }
        Piece { text: text.into(), ..self.clone() }
    }

    /// Returns the same piece with imports, separated by spaces.
    pub(crate) fn importing(self, imports: &'static str) -> Self {
        Piece { imports, ..self }
    }
}

/// The caller's settings for a module.
pub(crate) struct Composer {
    rooms: &'static [Room],
    defines: Vec<&'static str>,
    /// Names with values, for `#for`, `#if` and `$`.
    numbers: Vec<(&'static str, u32)>,
    /// Imports `<name>`, and the text that Rust writes for them.
    provided: Vec<(&'static str, Vec<Piece>)>,
    /// Imports `folder/*` and `<name>`, without `/*`, and the file for each.
    chosen: Vec<(&'static str, String)>,
}

impl Composer {
    /// Makes a composer of files in some rooms, without settings.
    pub(crate) const fn of(rooms: &'static [Room]) -> Self {
        Composer { rooms, defines: Vec::new(), numbers: Vec::new(), provided: Vec::new(), chosen: Vec::new() }
    }

    /// Defines a name for `#ifdef` if a condition holds. `shaders/README.md` explains each.
    pub(crate) fn define(mut self, name: &'static str, holds: bool) -> Self {
        if holds {
            self.defines.push(name);
        }
        self
    }

    /// Sets the value of a name for `#for`, `#if` and `$`.
    pub(crate) fn number(mut self, name: &'static str, value: u32) -> Self {
        self.numbers.push((name, value));
        self
    }

    /// Sets the pieces for `#import <name>`.
    pub(crate) fn provide(mut self, name: &'static str, pieces: Vec<Piece>) -> Self {
        self.provided.push((name, pieces));
        self
    }

    /// Sets the text for `#import <name>`.
    pub(crate) fn generate(self, name: &'static str, what: &str, text: impl Into<Cow<'static, str>>) -> Self {
        self.provide(name, vec![Piece::new(format!("generated: {what}"), text)])
    }

    /// Sets the file for `#import <name>`, by its path.
    pub(crate) fn supply(mut self, name: &'static str, file: &str) -> Self {
        self.chosen.push((name, file.to_owned()));
        self
    }

    /// Sets the file for `#import folder/*`, by its name in the folder.
    pub(crate) fn choose(self, folder: &'static str, file: &str) -> Self {
        self.supply(folder, &format!("{folder}/{file}"))
    }

    /// Collects a file and all its imports, each once: the file first, then its own imports, then theirs; but an application's text before all.
    ///
    /// naga numbers types in the order of the text, and once overrides have their values it refuses a constant whose type is numbered
    /// after an array with an override as its length: a vector, for instance.
    pub(crate) fn pieces(&self, file: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut seen: Vec<String> = vec![file.to_owned()];
        let mut waiting = VecDeque::from(seen.clone());
        while let Some(file) = waiting.pop_front() {
            let imports = if let Some(provided) = self.provided(&file) {
                pieces.extend(provided.iter().filter(|piece| !piece.text.is_empty()).cloned());
                provided.iter().flat_map(|piece| piece.imports.split_whitespace()).collect()
            } else {
                let Expanded { body, imports } = self.expanded(&file);
                // A file may be empty under some defines: then it is left out, but for the kernel.
                let has_code = body.lines().any(|line| !line.trim().is_empty() && !line.starts_with("//"));
                if has_code || pieces.is_empty() {
                    pieces.push(Piece::new(format!("shaders/{file}.wgsl"), body));
                }
                imports
            };
            for import in imports.into_iter().filter_map(|import| self.imported(&file, import)) {
                if !seen.contains(&import) {
                    seen.push(import.clone());
                    waiting.push_back(import);
                }
            }
        }
        pieces.sort_by_key(|piece| !piece.is_foreign);
        pieces
    }

    /// What Rust writes for `#import <name>`.
    fn provided(&self, import: &str) -> Option<&[Piece]> {
        let name = import.strip_prefix('<')?.strip_suffix('>')?;
        self.provided.iter().find(|(provided, _)| *provided == name).map(|(_, pieces)| &**pieces)
    }

    /// The file of an import, or the import itself if Rust writes its text; `None` if the text is in the module already.
    fn imported(&self, importer: &str, import: &str) -> Option<String> {
        let is_file = !import.ends_with(['>', '*']);
        if is_file || self.provided(import).is_some() {
            return Some(import.to_owned());
        }
        let choice = import.strip_suffix("/*").unwrap_or(import.trim_matches(['<', '>']));
        let chosen = self.chosen.iter().find(|(known, _)| *known == choice).map(|(_, file)| file.clone());
        assert!(chosen.is_some() || CALLERS.contains(&import), "nothing sets `{import}` of {importer}");
        chosen
    }

    /// Composes the module of a kernel: [`Composer::pieces`], joined, after directives that enable the extensions.
    pub(crate) fn compose(&self, file: &str, extensions: &[&str]) -> String {
        let mut module: String =
            extensions.iter().map(|extension| format!("enable {extension};\n")).collect();
        for Piece { heading, text, .. } in self.pieces(file) {
            let gap = if module.is_empty() { "" } else { "\n" };
            let _ = writeln!(module, "{gap}// ==== {heading}\n\n{}", text.trim());
        }
        module
    }

    /// Carries out a file's directives.
    fn expanded(&self, file: &str) -> Expanded {
        let values = self.numbers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let mut names = Names { file, defines: &self.defines, values };
        let mut expanded = Expanded::default();
        names.expand(&text(self.rooms, file).lines().collect::<Vec<_>>(), "", &mut expanded);
        expanded
    }
}

/// Returns the label of a kernel: `halofold` and the parts, joined by dots, in characters that file names may have everywhere. DX12 passes the label of a
/// module to DXC as the name of its source file, and a name with a colon is a path that cannot be read.
pub(crate) fn label(parts: &[&str]) -> String {
    let allowed = |c| match c {
        '/' => '.',
        c if c.is_ascii_alphanumeric() || "-_.".contains(c) => c,
        _ => '-',
    };
    format!("halofold.{}", parts.join(".")).chars().map(allowed).collect()
}

pub(crate) struct Refusal {
    /// The places of the error that naga tells, the most precise first.
    pub(crate) spans: Vec<Span>,
    /// The error with the lines of the text, which is called `operator` there.
    pub(crate) report: String,
}

pub(crate) fn validated(text: &str) -> Result<(Module, ModuleInfo), Refusal> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| Refusal {
        // The first label may be of a type that is written nowhere.
        spans: error.labels().map(|(span, _)| span).filter(Span::is_defined).collect(),
        report: error.emit_to_string_with_path(text, "operator"),
    })?;
    let validated = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    let info = validated.map_err(|error| {
        // naga names the function first and then the faulty part of it: the smallest span.
        let mut spans: Vec<_> = error.spans().map(|(span, _)| *span).filter(Span::is_defined).collect();
        spans.sort_by_key(|span| span.to_range().map(|at| at.len()));
        Refusal { spans, report: error.emit_to_string_with_path(text, "operator") }
    })?;
    Ok((module, info))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::ladder::RUNGS;
    use crate::reduce::Op;
    use crate::stencil::VARIANTS;

    fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
        rooms::ALL.iter().copied().flatten().copied()
    }

    #[test]
    fn a_sum_carries_little_text() {
        let rooms =
            [rooms::LADDER, rooms::KERNELS, rooms::LIB, rooms::SHARED, rooms::OPERATORS, rooms::EXACT];
        let bytes: usize = rooms.into_iter().flatten().map(|(_, text)| text.len()).sum();
        assert!(cfg!(feature = "essays") || bytes < 150_000, "{bytes}");
    }

    #[test]
    fn labels_of_kernels_are_file_names() {
        assert_eq!(label(&["reduce", "arg-min", "two_pass"]), "halofold.reduce.arg-min.two_pass");
        assert_eq!(label(&["reduce", "C:\\a/b <*>é"]), "halofold.reduce.C--a.b-----");
    }

    #[test]
    fn every_define_is_explained_and_asked_for() {
        let lines = files().flat_map(|(_, text)| text.lines());
        let asked: BTreeSet<_> = lines
            .map(str::trim_start)
            .filter_map(|line| line.strip_prefix("#ifdef ").or_else(|| line.strip_prefix("#ifndef ")))
            .filter_map(|line| line.split(": ").next())
            .collect();
        let sources = all_sources();
        assert_eq!(asked, strings_after(&sources, ".define(").collect());
        let readme = include_str!("../shaders/README.md");
        for name in asked {
            assert!(readme.contains(&format!("`{name}`")), "shaders/README.md does not explain `{name}`");
        }
    }

    /// Every import names a file, a folder of files to choose from, or what Rust writes; and nothing else is chosen or written.
    #[test]
    fn every_import_is_explained() {
        let sources = all_sources();
        let by_pieces = strings_after(&sources, ".importing(").flat_map(str::split_whitespace);
        let by_files =
            files().flat_map(|(_, text)| text.lines()).filter_map(|line| line.strip_prefix("#import "));
        let imports: BTreeSet<_> = by_files.chain(by_pieces).collect();
        let strings = |call| strings_after(&sources, call);
        let folders: BTreeSet<_> = strings(".choose(").map(|folder| format!("{folder}/*")).collect();
        let names = [".supply(", ".provide(", ".generate("].into_iter().flat_map(strings);
        let names: BTreeSet<_> = names.map(|name| format!("<{name}>")).collect();
        let readme = include_str!("../shaders/README.md");
        for import in &imports {
            let is_set = folders.contains(*import) || names.contains(*import);
            assert!(is_set || CALLERS.contains(import) || find(rooms::ALL, import).is_some(), "{import}");
            assert!(!import.starts_with('<') || readme.contains(&format!("`{import}`")), "{import}");
        }
        for set in folders.iter().chain(&names) {
            assert!(imports.contains(&**set), "nothing imports `{set}`");
        }
        let operators = Op::ALL.iter().map(|op| format!("operators/{}", op.name().replace('-', "_")));
        let named: BTreeSet<_> =
            operators.chain(VARIANTS.iter().map(|variant| variant.file.to_owned())).collect();
        for (file, _) in files() {
            let folder = file.rsplit_once('/').map(|(folder, _)| format!("{folder}/*")).unwrap_or_default();
            let is_imported = imports.contains(file) || imports.contains(&*folder);
            let is_named = named.contains(file) || sources.contains(&format!("{file:?}"));
            assert!(is_imported || is_named, "nothing uses shaders/{file}.wgsl");
        }
    }

    #[test]
    fn every_kernel_opens_with_its_essay() {
        let rungs = RUNGS.iter().map(|rung| (rung.kernel.file, format!("// {}: ", rung.name())));
        for (file, heading) in rungs.chain(VARIANTS.iter().map(|variant| (variant.file, "//".to_owned()))) {
            let path = format!("{}/shaders/{file}.wgsl", env!("CARGO_MANIFEST_DIR"));
            let text = fs::read_to_string(path).expect("a file of shaders/");
            let essay = text.lines().take_while(|line| line.starts_with("//")).count();
            assert!(text.starts_with(&heading) && essay >= 10, "{file}: {essay} lines");
        }
    }

    fn all_sources() -> String {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
    }

    /// The strings that are first arguments of a call.
    fn strings_after<'s>(sources: &'s str, call: &'s str) -> impl Iterator<Item = &'s str> {
        let rests = sources.split(call).skip(1);
        rests.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
    }

    /// The sources in a folder and its subfolders, without this file, which names the calls.
    fn sources(folder: &Path) -> String {
        let read = |path: PathBuf| match path {
            folder if folder.is_dir() => sources(&folder),
            this if this.ends_with("src/shader.rs") => String::new(),
            file => fs::read_to_string(file).expect("text"),
        };
        let entries = fs::read_dir(folder).expect("a folder of sources");
        entries.map(|entry| read(entry.expect("an entry").path())).collect()
    }
}
