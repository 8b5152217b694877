//! A file of `shaders/` imports what it calls.
//!
//! A function that is called is declared in the file or by a file that it imports itself. Types, constants and
//! variables may also come through the imports of its imports, and so may the operator and the frame of a dispatch
//! (`io`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Imports that Rust writes: the names that each declares. Of a kernel (`kernel`) and of an operator (`of
/// operators`) these are the names for the files that they import in turn. `Elem` is there before every operator,
/// `Real` before a residual's.
const GENERATED: &[(&str, &str)] = &[
    ("kernel", "kernel count count4 stage close tile subgroup_reduce Own"),
    ("of operators", "Acc widen rank_of value_of"),
    ("operator", "Elem Stored Word Acc Out map map4 identity combine finish"),
    ("words", "Words ACC_WORDS to_words from_words"),
    ("shuffle_words", "shuffle_words_down shuffle_words_xor"),
    ("exchange_words", "exchange_words fetch_words"),
    ("own", "Acc"),
    ("inner", "InnerAcc InnerOut inner_map inner_map4 inner_identity inner_combine inner_finish"),
    ("keeps", "keeps"),
    ("selected", "Selected selected"),
    ("types", "Stored LIMBS COPIES FORMAT SIGNIFICAND BELOW MEAN"),
    ("map", "value"),
    ("float_bits", "bits"),
    ("normal", "NORMAL"),
    ("load_bounds", "load_bounds"),
    ("stored_levels", "LEVELS store"),
    ("element", "Elem Real"),
    ("reach", "REACH"),
    ("classes", "CONSTANTS Weights weights update"),
    ("visit", "Elem Word visit"),
    ("texel_map", "Channel Mapped as_element map_texel"),
    ("group_outputs", "store_results store_rejected"),
    ("strip", "STRIP Strip LoadedStrip load_strip strip_of advance_strip put_strip"),
    (
        "lane_layer",
        "PACKS STRIP EXCHANGED Layer Edges FixedCells LayerSources finish_layer choose_layer keep_layer keep_ends \
         beside_layer begin_layer fetch layer_sources fixed_cells_of put_layer put_exchanged first_cell last_cell",
    ),
    (
        "team_levels",
        "LEVELS LAG WAITING TURN TURN_ROWS IN_PAIRS Levels TurnRows RowFetches FetchedPacks advance \
         advance_at_ends advance_at_border rows_in_slot pass_rows put_rows row_fetches fetch stage",
    ),
];

/// Imports for which Rust chooses one of several files; a formula comes with its weights.
const CHOSEN: &[(&str, &str)] = &[
    ("subgroup_reduce", "shared/subgroup_shuffle"),
    ("bins", "histogram/bins/numbers histogram/bins/ranges histogram/bins/levels"),
    ("walk", "histogram/walk/words histogram/walk/elements"),
    ("stage", "rank/stage/brackets rank/stage/threshold"),
    ("result", "rank/results/between rank/results/element"),
    ("lists", "by_key/lists/read by_key/lists/written"),
    ("values", "by_key/values/elements by_key/values/none"),
    ("ids", "group/ids/given group/ids/found group/ids/near"),
    ("key_bits", "group_by/key_bits/u32 group_by/key_bits/i32 group_by/key_bits/f32"),
    ("columns", "scan/columns/even scan/columns/between"),
    ("put", "scan/put/vectors scan/put/singles scan/put/states"),
    ("star5", "stencil/stars/five stencil/stars/five_one_weight"),
    ("star7", "stencil/stars/seven stencil/stars/seven_one_weight"),
    (
        "formula",
        "stencil/points/star5 stencil/points/box9 stencil/points/star7 stencil/points/box27 \
         stencil/points/any stencil/stars/five stencil/shared/box9",
    ),
    ("shares", "stencil/shares/star stencil/shares/box9 stencil/shares/box27"),
    ("format", "exact/single exact/product exact/double"),
    ("elements", "exact/elements/f32 exact/elements/f16 exact/elements/f64"),
    ("outliers", "exact/outliers/limbs exact/outliers/bins exact/outliers/two_windows"),
    ("streams", "stencil/streams/rows stencil/streams/planes"),
    ("exchange", "stencil/shared/team_ring stencil/shared/exchanged_rows"),
    ("fixed_cells", "stencil/fixed_cells/in_sums stencil/fixed_cells/in_beside"),
    ("outputs", "stencil/outputs/each stencil/outputs/common_sums"),
    ("sums", "stencil/sums/star7 stencil/sums/box27"),
    ("cells", "stencil/shared/cells stencil/lanes/four"),
    ("lanes", "stencil/lanes/one stencil/lanes/four"),
    ("ends", "stencil/lanes/one_ends stencil/lanes/four_ends"),
    (
        "tile",
        "stencil/shared/direct2d stencil/shared/direct3d stencil/shared/overlapped2d \
         stencil/shared/overlapped3d",
    ),
];

/// A file: what it imports, declares, calls and mentions.
#[derive(Default)]
struct File {
    imports: Vec<String>,
    declares: BTreeSet<String>,
    calls: BTreeSet<String>,
    mentions: BTreeSet<String>,
}

/// The files of `shaders/`, by their paths without the extension; what is generated has an `@` before its name.
struct Files(BTreeMap<String, File>);

impl Files {
    fn read() -> Self {
        let texts = crate::read_all("shaders", "wgsl").into_iter();
        let texts: BTreeMap<_, _> = texts
            .map(|(path, text)| (path["shaders/".len()..path.len() - ".wgsl".len()].to_owned(), text))
            .collect();
        let words = |names: &str| names.split_whitespace().map(str::to_owned).collect();
        let generated = |(name, names): &(&str, &str)| {
            (format!("@{name}"), File { declares: words(names), ..File::default() })
        };
        let mut files: BTreeMap<_, _> = GENERATED.iter().map(generated).collect();
        for (name, text) in &texts {
            let mut file = File::of(text);
            let named = text.lines().filter_map(|line| line.strip_prefix("#import "));
            file.imports = named.flat_map(|import| resolve(&texts, name, import)).collect();
            if name.starts_with("operators/") || name == "stencil/residual" {
                file.mentions.retain(|name| !["Elem", "Real"].contains(&name.as_str()));
            }
            files.insert(name.clone(), file);
        }
        Files(files)
    }

    /// The imports of a file, and those of the imports that are open.
    fn behind(&self, file: &str, is_open: impl Fn(&File) -> bool) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut waiting: VecDeque<_> = self.0[file].imports.iter().collect();
        while let Some(import) = waiting.pop_front() {
            if found.insert(import.clone()) && is_open(&self.0[import]) {
                waiting.extend(&self.0[import].imports);
            }
        }
        found
    }

    fn declared(&self, files: &BTreeSet<String>) -> BTreeSet<String> {
        files.iter().flat_map(|file| &self.0[file].declares).cloned().collect()
    }

    /// Names that a file uses and does not import.
    fn lacks(&self, name: &str) -> Vec<String> {
        let file = &self.0[name];
        let known: BTreeSet<_> = self.0.values().flat_map(|file| &file.declares).collect();
        let frame = ["@operator", "shared/io", "stencil/shared/params"].map(str::to_owned);
        let reached = self.behind(name, |_| true);
        // What stands behind a file that only imports counts as imported.
        let direct = self.declared(&self.behind(name, |import| import.declares.is_empty()));
        let frame = self.declared(&reached.iter().filter(|file| frame.contains(file)).cloned().collect());
        let reached = self.declared(&reached);
        let uses = |names: &BTreeSet<String>| {
            let used = names.iter().filter(|name| known.contains(name) && !file.declares.contains(*name));
            used.cloned().collect::<Vec<_>>()
        };
        let is_called = |name: &String| direct.contains(name) || frame.contains(name);
        let calls = uses(&file.calls).into_iter().filter(|name| !is_called(name));
        let mentions = uses(&file.mentions).into_iter().filter(|name| !reached.contains(name));
        calls.chain(mentions).collect()
    }
}

/// The files for an import: one of the same name in the nearest folder `shared`, those of a choice, or what Rust
/// writes.
fn resolve(texts: &BTreeMap<String, String>, importer: &str, import: &str) -> Vec<String> {
    let is_stencil = importer.starts_with("stencil/");
    let is_here = |files: &str| files.starts_with("stencil/") == is_stencil;
    if let Some((_, files)) = CHOSEN.iter().find(|(name, files)| *name == import && is_here(files)) {
        let dims = if importer.contains("2d") || importer.ends_with("star_tile") { "3d" } else { "2d" };
        let other = |file: &&str| import == "tile" && file.ends_with(dims);
        return files.split_whitespace().filter(|file| !other(file)).map(str::to_owned).collect();
    }
    let is_operator = importer.starts_with("operators/");
    let name = match import {
        "numbers" => {
            return texts.keys().filter(|file| file.starts_with("exact/operators/")).cloned().collect();
        }
        "operator" if is_operator => "@of operators".to_owned(),
        "operator" if importer.contains("exact") => "shared/exact/accumulator".to_owned(),
        // For operators it is a file.
        "real" if is_stencil => "@element".to_owned(),
        _ if GENERATED.iter().any(|(name, _)| *name == import) => format!("@{import}"),
        _ => in_nearest_folder(texts, importer, import),
    };
    vec![name]
}

fn in_nearest_folder(texts: &BTreeMap<String, String>, importer: &str, import: &str) -> String {
    let mut folder = importer;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let at = match folder {
            "" => format!("shared/{import}"),
            _ if folder.ends_with("shared") => format!("{folder}/{import}"),
            _ => format!("{folder}/shared/{import}"),
        };
        if texts.contains_key(&at) {
            return at;
        }
        assert!(!folder.is_empty(), "{importer} imports `{import}`, which is nowhere");
    }
}

impl File {
    /// Reads a text under all conditions at once.
    fn of(text: &str) -> Self {
        let mut file = File::default();
        let code = text.lines().filter(|line| !line.starts_with('#'));
        let code: Vec<_> = code.map(|line| line.split("//").next().unwrap()).collect();
        for declaration in declarations(&tokens(&code.join("\n"))) {
            file.take(declaration);
        }
        file
    }

    /// Adds a declaration outside of functions.
    fn take(&mut self, tokens: &[String]) {
        let word = |at: usize| tokens.get(at).map_or("", String::as_str);
        let names = ["fn", "struct", "alias", "const", "override", "var"];
        let start = (0..tokens.len()).find(|at| names.contains(&word(*at))).unwrap_or(0);
        // After `var` the address space stands in brackets.
        let bound = |at: usize| match word(at + 1) {
            "<" => (at..).find(|at| word(*at) == ">").map_or(at, |end| end + 1),
            _ => at + 1,
        };
        let own = bound(start);
        self.declares.insert(word(own).to_owned());
        let inner = start + 1..tokens.len();
        let mut locals: BTreeSet<_> = inner
            .clone()
            .filter(|at| ["let", "var", "const"].contains(&word(*at)))
            .map(|at| word(bound(at)).to_owned())
            .collect();
        locals.extend(inner.clone().filter(|at| word(at + 1) == ":").map(|at| word(at).to_owned()));
        for at in (0..tokens.len()).filter(|at| *at != own) {
            let name = word(at);
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let before = at.checked_sub(1).map_or("", word);
            if !is_name || [".", "@"].contains(&before) || word(at + 1) == ":" {
                continue;
            }
            if word(at + 1) == "(" && name.starts_with(|c: char| c.is_ascii_lowercase()) {
                self.calls.insert(name.to_owned());
            } else if !locals.contains(name) {
                self.mentions.insert(name.to_owned());
            }
        }
    }
}

/// Words and single other characters.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::<String>::new();
    let mut in_word = false;
    for c in code.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if is_word && in_word => last.push(c),
            _ if !c.is_whitespace() => tokens.push(c.to_string()),
            _ => {}
        }
        in_word = is_word;
    }
    tokens
}

/// Cuts a text into what it declares.
fn declarations(tokens: &[String]) -> Vec<&[String]> {
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(token == "{") - i32::from(token == "}");
        if depth == 0 && (token == "}" || token == ";") {
            found.push(&tokens[begin..=at]);
            begin = at + 1;
        }
    }
    found
}

#[test]
fn a_file_imports_what_it_calls() {
    let files = Files::read();
    let lacking = files.0.keys().filter(|name| !name.starts_with('@'));
    let lacking = lacking.map(|name| (name, files.lacks(name))).filter(|(_, lacks)| !lacks.is_empty());
    let lacking: Vec<_> = lacking.map(|(name, lacks)| format!("{name}: {}", lacks.join(" "))).collect();
    assert!(lacking.is_empty(), "used and not imported:\n{}", lacking.join("\n"));
}

#[test]
fn imports_do_not_go_in_circles() {
    let files = Files::read();
    let circles: Vec<_> =
        files.0.keys().filter(|name| files.behind(name, |_| true).contains(*name)).collect();
    assert!(circles.is_empty(), "a circle is one file: {circles:?}");
}

/// Types that several files declare, because one of these files is chosen for a kernel: each operator has an
/// accumulator, each formula has weights.
const OF_CHOICES: &str = "Acc Own Params Key Weights Pack Block PlaneSums Chosen Ends Shares Numbers \
     Lanes Floats InputWord InputVector OutputValue";

#[test]
fn a_type_is_one_thing() {
    let files = Files::read();
    let mut declared = BTreeMap::<&String, Vec<&String>>::new();
    for (name, file) in files.0.iter().filter(|(name, _)| !name.starts_with('@')) {
        let types = file.declares.iter().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        for ty in types.filter(|name| name.chars().any(|c| c.is_ascii_lowercase())) {
            declared.entry(ty).or_default().push(name);
        }
    }
    let several = declared
        .into_iter()
        .filter(|(ty, files)| files.len() > 1 && !OF_CHOICES.split(' ').any(|of| of == *ty));
    assert_eq!(several.collect::<Vec<_>>(), []);
}

#[test]
fn names_are_read_from_a_text() {
    let file = File::of(
        "#import io\n// fn no() {}\n@group(0) @binding(1) var<storage, read> cells: array<Elem>;\n\
         struct Pair {\n    left: Elem,\n}\n\
         fn sum(own: Pair, n: u32) -> Elem {\n    let left = own.left;\n    return add(left, cells[n]) + RIGHT;\n}\n",
    );
    let words = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&file.declares), "Pair cells sum");
    assert!(file.calls.contains("add") && !file.calls.contains("sum"));
    for (name, is_mentioned) in
        [("Elem", true), ("RIGHT", true), ("cells", true), ("left", false), ("n", false)]
    {
        assert_eq!(file.mentions.contains(name), is_mentioned, "{name}");
    }
}
