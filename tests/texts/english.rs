//! Comments open with a verb or a noun, so that a reader learns from the first word what a thing is or does.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that open a question.
const QUESTIONS: [&str; 9] = ["how", "what", "when", "where", "whether", "which", "who", "whose", "why"];

/// Words that may stand before one of them: "by how much", "in which order".
const PREPOSITIONS: [&str; 10] = ["at", "between", "by", "for", "from", "in", "of", "on", "over", "to"];

const LANGUAGES: [&str; 6] = ["rs", "wgsl", "js", "cu", "cuh", "hpp"];

/// The sources of the project below a folder.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            true if name == "target" || name.starts_with('.') => Vec::new(),
            true => sources(&path),
            false => vec![path],
        }
    });
    all.filter(|path| path.extension().is_some_and(|end| LANGUAGES.iter().any(|known| end == *known)))
        .collect()
}

/// The marker and the text of a line that is a comment.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    ["///", "//!", "//"].into_iter().find_map(|marker| Some((marker, line.strip_prefix(marker)?.trim())))
}

/// The first line of each comment, with its number.
fn openings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut before = None;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let (marker, words) = comment(line).map_or((None, ""), |(marker, words)| (Some(marker), words));
        let is_first = marker != before;
        // An empty line does not open a comment.
        before = if is_first && words.is_empty() { None } else { marker };
        (is_first && !words.is_empty()).then_some((number, words))
    })
}

fn is_question(opening: &str) -> bool {
    let mut words =
        opening.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let first = words.next().unwrap_or_default();
    let asks = |word: String| QUESTIONS.contains(&word.as_str());
    if PREPOSITIONS.contains(&first.as_str()) { words.next().is_some_and(asks) } else { asks(first) }
}

#[test]
fn comments_open_with_a_verb_or_a_noun() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut refused = Vec::new();
    for path in sources(root) {
        let name = path.strip_prefix(root).unwrap().to_string_lossy();
        let text = fs::read_to_string(&path).unwrap();
        let questions = openings(&text).filter(|(_, words)| is_question(words));
        refused.extend(questions.map(|(number, words)| format!("{name}:{number}: {words}")));
    }
    assert!(refused.is_empty(), "{} comments open with a question:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn names_of_functions_do_not_ask() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut refused = Vec::new();
    for path in sources(root) {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let names = code.filter_map(|line| line.split_once("fn ").map(|(_, name)| name));
        let asks = |name: &&str| QUESTIONS.iter().any(|word| name.starts_with(&format!("{word}_")));
        refused.extend(names.filter(asks).map(|name| format!("{}: {name}", path.display())));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
