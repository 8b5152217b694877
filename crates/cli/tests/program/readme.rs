//! The project's pages show what the program prints and draws, and their links lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::files::{command, names_in, stdout};
use halofold_measure::{LibraryWork, Record};

/// The opening of a printed table: the command follows.
const TABLE: &str = "<!-- table: halofold ";

const TABLE_END: &str = "<!-- end of table -->";

/// A file of the repository that a command wrote: the command follows, the file is its last word.
const FILE: &str = "<!-- file: halofold ";

/// The opening of links that hold in a published package, too.
const HOME: &str = "https://github.com/halofold/halofold/blob/main/";

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Paths of the files in a folder of the project that have an extension.
fn files_in(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let paths = names_in(&folder).into_iter().map(|name| folder.join(name));
    paths.filter(|path| path.extension().is_some_and(|known| known == extension)).collect()
}

/// The README, the pages beside it, all of `docs/`, and the READMEs of folders.
fn pages() -> Vec<(PathBuf, String)> {
    let folders =
        ["", "docs", "docs/results", "shaders", "crates/cli", "crates/fleet", "crates/measure", "crates/mpi"];
    let paths = folders.into_iter().flat_map(|folder| files_in(folder, "md"));
    paths.map(|path| (path.clone(), std::fs::read_to_string(&path).expect("pages are text"))).collect()
}

/// Runs the program in the project's folder.
fn printed(words: &[&str]) -> String {
    stdout(&command(words[0], &words[1..]).current_dir(root()).output().expect("the program starts"))
}

/// Compares a page or a picture with the fresh one. `HALOFOLD_UPDATE_PAGES` replaces it instead.
fn check(path: &Path, fresh: &[u8]) {
    if std::fs::read(path).is_ok_and(|known| known == fresh) {
        return;
    }
    assert!(
        std::env::var_os("HALOFOLD_UPDATE_PAGES").is_some(),
        "{} does not agree with its record: HALOFOLD_UPDATE_PAGES=1 cargo test --release \
         --test program readme::",
        path.display()
    );
    std::fs::write(path, fresh).expect("the file can be written");
}

#[test]
fn tables_are_what_their_commands_print() {
    let mut tables = 0;
    for (path, page) in pages() {
        let mut parts = page.split(TABLE);
        let mut fresh = parts.next().unwrap_or_default().to_owned();
        for table in parts {
            let (command, rest) = table.split_once(" -->").expect("the command's comment ends");
            let (_, rest) = rest.split_once(TABLE_END).expect("the table ends");
            let words: Vec<_> = command.split_whitespace().collect();
            fresh += &format!("{TABLE}{command} -->\n{}\n{TABLE_END}{rest}", printed(&words).trim());
            tables += 1;
        }
        check(&path, fresh.as_bytes());
    }
    assert!(tables >= 1, "the ladder has one");
}

#[test]
fn options_of_the_help_are_those_of_the_page() {
    let page =
        std::fs::read_to_string(root().join("docs/command-line.md")).expect("the project has this page");
    let names = |text: &str| -> BTreeSet<String> {
        let name =
            |rest: &str| rest.split(|c: char| c != '-' && !c.is_ascii_lowercase()).next().map(str::to_owned);
        text.split("--").skip(1).filter_map(name).filter(|name| !name.trim_matches('-').is_empty()).collect()
    };
    let documented = names(&page.replace("cargo install --path", ""));
    let help = printed(&["help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // Other lines go on with a description.
    let commands = commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let mut offered = names(&help);
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let help = printed(&[command, "--help"]);
        let options = help.lines().filter(|line| line.trim_start().starts_with('-'));
        offered.extend(
            options.flat_map(|line| names(line.split("  ").find(|part| part.contains("--")).unwrap_or(""))),
        );
    }
    assert!(offered.len() > 60, "{offered:?}");
    // The page has their short forms.
    let is_short = |name: &&String| ["output", "quiet", "version", "help"].contains(&name.as_str());
    let missing: Vec<_> = offered.difference(&documented).filter(|name| !is_short(name)).collect();
    assert!(missing.is_empty(), "docs/command-line.md lacks {missing:?}");
    let unknown: Vec<_> = documented.difference(&offered).collect();
    assert!(unknown.is_empty(), "no help has {unknown:?}, which docs/command-line.md names");
}

#[test]
fn times_beside_cub_are_those_of_the_records() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("the project has this file");
    let records = ["library", "cub"].map(|name| {
        let record = serde_json::from_str::<Record>(&read(&format!("docs/results/h200/{name}.json")));
        record.expect("a record").library
    });
    // CUB has no form for segments of one length.
    let by_segment = ["fixed", "fixed", "computed-offsets"];
    for (work, [op, element], segments, shapes) in [
        ("sum of 2^28 `f32`", ["sum", "f32"], None, ["whole"; 3]),
        ("sums of its 2^20 segments of 256", ["sum", "f32"], Some(1 << 20), by_segment),
        ("histogram of 2^28 `u32`, 256 bins", ["histogram-256", "u32"], None, ["random"; 3]),
    ] {
        let time = |(name, shape): (&str, &str)| {
            let [name, op, shape, element] = [name, op, shape, element].map(str::to_owned);
            let what = LibraryWork { name, op, shape, element, n: 1 << 28, segments };
            let row = records.iter().flatten().find(|row| row.what == what).expect("the row is in a record");
            format!(" {:.1} µs |", 1e3 * row.time().expect("a right result"))
        };
        let sides = ["halofold", "halofold-chained", "cub"].into_iter().zip(shapes);
        let line = format!("| {work} |{}", sides.map(time).collect::<String>());
        assert!(read("README.md").contains(&line), "README.md should have {line}");
    }
}

#[test]
fn pictures_are_what_their_commands_draw() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pictures = 0;
    for (_, page) in pages() {
        for file in page.split(FILE).skip(1) {
            let (command, _) = file.split_once(" -->").expect("the command's comment ends");
            let mut words: Vec<_> = command.split_whitespace().collect();
            let shown = root().join(words.pop().expect("the file's name"));
            let fresh = folder.path().join(shown.file_name().expect("a name"));
            words.push(fresh.to_str().expect("a path in UTF-8"));
            printed(&words);
            check(&shown, &std::fs::read(&fresh).expect("a file"));
            pictures += 1;
        }
    }
    assert!(pictures >= 3, "two pictures of the README, and the tables of the library");
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for (path, page) in pages() {
        let folder = path.parent().expect("a page lies in a folder");
        for target in targets(&page) {
            let target = target.split('#').next().unwrap_or_default();
            let file = match target.strip_prefix(HOME) {
                Some(file) => root().join(file),
                None if target.is_empty() || target.contains(':') => continue,
                None => folder.join(target),
            };
            assert!(file.exists(), "{}: {target}", path.display());
            links += 1;
        }
    }
    assert!(links > 100, "{links} links were found");
}

#[test]
fn book_lists_every_page_and_every_rung() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("the book has chapters");
    let listed: BTreeSet<_> = targets(&summary)
        .into_iter()
        .map(|target| docs.join(target).canonicalize().expect("a file"))
        .collect();
    let is_listed = |path: &Path| listed.contains(&path.canonicalize().expect("a file"));
    let mut missing = [files_in("docs", "md"), files_in("shaders/ladder", "wgsl")].concat();
    missing.retain(|path| !path.ends_with("SUMMARY.md") && !is_listed(path));
    assert!(missing.is_empty(), "docs/SUMMARY.md lacks {missing:?}; add a line for each");
}

/// The targets of a page's links and pictures: `](…)`, `]: …`, `src="…"` and `srcset="…"`.
fn targets(page: &str) -> Vec<&str> {
    let between = |begin: &'static str, end: &'static [char]| {
        page.split(begin).skip(1).filter_map(move |rest| rest.split(end).next())
    };
    let inline = between("](", &[')', ' ']);
    let named = between("]: ", &['\n', ' ']).filter(|target| target.contains(['/', '.']));
    inline.chain(named).chain(between("src=\"", &['"'])).chain(between("srcset=\"", &['"'])).collect()
}
