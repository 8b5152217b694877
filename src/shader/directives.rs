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
                    let value = self.filled(text.trim());
                    self.values.push((name.trim().to_owned(), value));
                }
                "#import" => into.imports.push(rest),
                _ if BEGINS.contains(&word) => {
                    let one_line = rest.split_once(": ");
                    let [other, end] = if one_line.is_some() { [at, at] } else { self.ends(lines, at) };
                    let body =
                        one_line.as_ref().map_or(&lines[at..other], |(_, text)| std::slice::from_ref(text));
                    let otherwise = &lines[(other + 1).min(end)..end];
                    let indent = if one_line.is_some() { own } else { indent };
                    let condition = one_line.map_or(rest, |(condition, _)| condition);
                    match word {
                        "#for" => self.repeat(condition, body, indent, into),
                        _ if self.holds(word, condition) => self.expand(body, indent, into),
                        _ => self.expand(otherwise, indent, into),
                    }
                    at = if one_line.is_some() { at } else { end + 1 };
                }
                _ if word.starts_with('#') => self.wrong(line),
                _ => {
                    into.body.push_str(if line.is_empty() { "" } else { indent });
                    into.body.push_str(&self.filled(line));
                    into.body.push('\n');
                }
            }
        }
    }

    fn repeat(&mut self, each: &str, body: &[&'static str], indent: &str, into: &mut Expanded) {
        let (name, each) = each.split_once(" in ").unwrap_or_else(|| self.wrong(each));
        for value in self.each(each) {
            let known = self.values.len();
            self.values.push((name.to_owned(), value));
            self.expand(body, indent, into);
            self.values.truncate(known);
        }
    }

    /// The lines `#else` and `#endif` or `#end` of what begins before a line; the last one twice if there is no `#else`.
    fn ends(&self, lines: &[&'static str], begin: usize) -> [usize; 2] {
        let mut depth = 0;
        let mut other = None;
        for (at, line) in lines.iter().enumerate().skip(begin) {
            match parts(line) {
                (_, "#endif" | "#end", _) if depth == 0 => return [other.unwrap_or(at), at],
                (_, "#endif" | "#end", _) => depth -= 1,
                (_, "#else", _) if depth == 0 => other = Some(at),
                (_, word, rest) if BEGINS.contains(&word) && !rest.contains(": ") => depth += 1,
                _ => {}
            }
        }
        self.wrong(lines[begin - 1])
    }

    /// The values of a loop: numbers from one up to another, or words.
    fn each(&self, text: &str) -> Vec<String> {
        match text.split_once("..") {
            Some((first, end)) => {
                (self.number(first)..self.number(end)).map(|number| number.to_string()).collect()
            }
            None => text.split_whitespace().map(str::to_owned).collect(),
        }
    }

    fn holds(&self, word: &str, text: &str) -> bool {
        if word != "#if" {
            return self.defines.contains(&text) == (word == "#ifdef");
        }
        if let Some((a, b)) = text.split_once(" == ") {
            // A single word is the value of that name, or itself.
            let side = |text: &str| match text.contains(' ') {
                true => self.number(text).to_string(),
                false => self.value(text).unwrap_or_else(|| text.to_owned()),
            };
            return side(a) == side(b);
        }
        let (a, b) = text.split_once(" < ").unwrap_or_else(|| self.wrong(text));
        self.number(a) < self.number(b)
    }

    fn value(&self, name: &str) -> Option<String> {
        self.values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// A line with values in the place of `$name` and `$(sum)`.
    fn filled(&self, line: &str) -> String {
        let mut parts = line.split('$');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            if let Some((sum, rest)) = part.strip_prefix('(').and_then(|part| part.split_once(')')) {
                filled += &self.number(sum).to_string();
                filled += rest;
            } else {
                let end = part.find(|c: char| !c.is_alphanumeric()).unwrap_or(part.len());
                filled += &self.value(&part[..end]).unwrap_or_else(|| self.wrong(line));
                filled += &part[end..];
            }
        }
        filled
    }

    /// The value of a sum of products, from left to right: `LEVELS - 1 - level`, `2 * level`.
    fn number(&self, text: &str) -> i64 {
        let mut words = text.split_whitespace();
        let mut next = || words.next();
        let atom = |word: Option<&str>| {
            let word = word.unwrap_or_else(|| self.wrong(text));
            let value = self.value(word).unwrap_or_else(|| word.to_owned());
            value.parse::<i64>().unwrap_or_else(|_| self.wrong(text))
        };
        let mut sum = 0;
        let (mut sign, mut product) = (1, atom(next()));
        while let Some(operator) = next() {
            let operand = atom(next());
            match operator {
                "*" => product *= operand,
                "/" => product /= operand,
                "%" => product %= operand,
                _ => {
                    sum += sign * product;
                    (sign, product) = (if operator == "-" { -1 } else { 1 }, operand);
                }
            }
        }
        sum + sign * product
    }

    fn wrong(&self, what: &str) -> ! {
        panic!("shaders/{}.wgsl: no such directive or name: {what}", self.file)
    }
}
