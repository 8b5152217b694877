//! The directives of a file of `shaders/`. `shaders/README.md` explains them.

/// What the directives of a file know: names that are defined, and names with a value, a number or words.
pub(super) struct Names<'a> {
    pub(super) file: &'a str,
    pub(super) defines: &'a [&'static str],
    pub(super) values: Vec<(String, String)>,
}

/// The lines of a file that remain, and its imports.
#[derive(Default)]
pub(super) struct Expanded {
    pub(super) body: String,
    pub(super) imports: Vec<&'static str>,
}

/// A directive for the lines up to its end, or for the text behind `: ` in its own line.
const BEGINS: [&str; 4] = ["#ifdef", "#ifndef", "#if", "#for"];

/// The indentation of a line, its first word and the rest.
fn parts(line: &'static str) -> (&'static str, &'static str, &'static str) {
    let text = line.trim_start();
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (&line[..line.len() - text.len()], word, rest)
}

impl Names<'_> {
    /// Carries out the directives among some lines, whose text is indented by so much more.
    pub(super) fn expand(&mut self, lines: &[&'static str], indent: &str, into: &mut Expanded) {
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            let (own, word, rest) = parts(line);
            match word {
                "#let" => {
                    let (name, text) = rest.split_once('=').unwrap_or_else(|| self.wrong(line));
                    let mut value = String::new();
                    self.fill(text.trim(), &mut value);
                    self.values.push((name.trim().to_owned(), value));
                }
                "#import" => into.imports.push(rest),
                _ if BEGINS.contains(&word) => match rest.split_once(": ") {
                    Some((condition, text)) => {
                        self.carry_out([word, condition], [&[text], &[]], &format!("{indent}{own}"), into);
                    }
                    None => {
                        let [other, end] = self.ends(lines, at);
                        let parts = [&lines[at..other], &lines[(other + 1).min(end)..end]];
                        self.carry_out([word, rest], parts, indent, into);
                        at = end + 1;
                    }
                },
                _ if word.starts_with('#') => self.wrong(line),
                _ => {
                    into.body.push_str(if line.is_empty() { "" } else { indent });
                    self.fill(line, &mut into.body);
                    into.body.push('\n');
                }
            }
        }
    }

    /// Repeats lines, or takes them or the others.
    fn carry_out(
        &mut self,
        [word, what]: [&str; 2],
        [lines, others]: [&[&'static str]; 2],
        indent: &str,
        into: &mut Expanded,
    ) {
        if word != "#for" {
            return self.expand(if self.holds(word, what) { lines } else { others }, indent, into);
        }
        let (name, each) = what.split_once(" in ").unwrap_or_else(|| self.wrong(what));
        for value in self.each(each) {
            let known = self.values.len();
            self.values.push((name.to_owned(), value));
            self.expand(lines, indent, into);
            self.values.truncate(known);
        }
    }

    /// The lines of the `#else` and of the end that belong to a directive; without `#else` the end twice.
    fn ends(&self, lines: &[&'static str], begin: usize) -> [usize; 2] {
        let end_of = |word| if word == "#for" { "#end" } else { "#endif" };
        let mut ends = vec![end_of(parts(lines[begin - 1]).1)];
        let mut other = None;
        for (at, line) in lines.iter().enumerate().skip(begin) {
            match (parts(line), &*ends) {
                ((_, word, _), [.., end]) if word == *end => {
                    ends.pop();
                    if ends.is_empty() {
                        return [other.unwrap_or(at), at];
                    }
                }
                ((_, "#end" | "#endif", _), _) | ((_, "#else", _), [.., "#end"]) => self.wrong(line),
                ((_, "#else", _), [_]) => other = Some(at),
                ((_, word, rest), _) if BEGINS.contains(&word) && !rest.contains(": ") => {
                    ends.push(end_of(word))
                }
                _ => {}
            }
        }
        self.wrong(lines[begin - 1])
    }

    /// The values of a loop: numbers from one up to another, or words.
    fn each(&self, text: &str) -> Vec<String> {
        match text.split_once("..") {
            Some((first, end)) => (self.number(first)..self.number(end)).map(|n| n.to_string()).collect(),
            None => text.split_whitespace().map(str::to_owned).collect(),
        }
    }

    fn holds(&self, word: &str, text: &str) -> bool {
        if word != "#if" {
            return self.defines.contains(&text) == (word == "#ifdef");
        }
        if let Some((a, b)) = text.split_once(" == ") {
            // A single word is the value of that name, or itself; one of two is a name.
            let sum = |side: &str| side.contains(' ').then(|| self.number(side).to_string());
            return match [a, b].map(|side| self.value(side).or_else(|| sum(side))) {
                [None, None] => self.wrong(text),
                [left, right] => left.as_deref().unwrap_or(a) == right.as_deref().unwrap_or(b),
            };
        }
        let (a, b) = text.split_once(" < ").unwrap_or_else(|| self.wrong(text));
        self.number(a) < self.number(b)
    }

    fn value(&self, name: &str) -> Option<String> {
        self.values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// Appends a line with values in the place of `$name` and `$(sum)`.
    fn fill(&self, line: &str, filled: &mut String) {
        let mut parts = line.split('$');
        *filled += parts.next().unwrap_or_default();
        for part in parts {
            if let Some((sum, rest)) = part.strip_prefix('(').and_then(|part| part.split_once(')')) {
                *filled += &self.number(sum).to_string();
                *filled += rest;
            } else {
                let end = part.find(|c: char| !c.is_alphanumeric()).unwrap_or(part.len());
                *filled += &self.value(&part[..end]).unwrap_or_else(|| self.wrong(line));
                *filled += &part[end..];
            }
        }
    }

    /// The value of a sum of products, from left to right: `LEVELS - 1 - level`, `2 * level`.
    fn number(&self, text: &str) -> i64 {
        let mut words = text.split_whitespace();
        let atom = |word: Option<&str>| {
            let word = word.unwrap_or_else(|| self.wrong(text));
            let value = self.value(word).unwrap_or_else(|| word.to_owned());
            value.parse::<i64>().unwrap_or_else(|_| self.wrong(text))
        };
        let mut sum = 0;
        let (mut sign, mut product) = (1, atom(words.next()));
        while let Some(operator) = words.next() {
            let operand = atom(words.next());
            match operator {
                "*" => product *= operand,
                "/" => product /= operand,
                "%" => product %= operand,
                "+" | "-" => {
                    sum += sign * product;
                    (sign, product) = (if operator == "-" { -1 } else { 1 }, operand);
                }
                _ => self.wrong(text),
            }
        }
        sum + sign * product
    }

    fn wrong(&self, what: &str) -> ! {
        panic!("shaders/{}.wgsl: no such directive or name: {what}", self.file)
    }
}
