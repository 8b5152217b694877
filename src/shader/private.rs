//! Names of an application's text, made unlike all names of kernels, which do not end with an underscore.

/// Address spaces and accesses, which a text may name where types stand.
const SPACES: [&str; 8] =
    ["function", "private", "read", "read_write", "storage", "uniform", "workgroup", "write"];

/// A part of a text.
#[derive(Clone, Copy, PartialEq)]
enum Token<'t> {
    /// A name, a keyword or a number.
    Word(&'t str),
    /// Anything else, in which nothing is renamed: spaces and comments.
    Gap(&'t str),
    Sign(char),
}

/// Makes something of an application's text, with names that no kernel declares. If that fails, it is made of the text as it is, so that
/// errors have the application's own names.
pub(crate) fn apart<T, E>(
    text: &str,
    ending: &str,
    known: &[&str],
    made: impl Fn(&str) -> Result<T, E>,
) -> Result<T, E> {
    made(&private(text, ending, known)).or_else(|_| made(text))
}

/// Returns the text with an ending behind each name that it declares outside of functions, but for those by which kernels know it.
fn private(text: &str, ending: &str, known: &[&str]) -> String {
    let tokens = tokens(text);
    let names: Vec<_> =
        declared(&tokens).filter(|name| !known.contains(name) && !SPACES.contains(name)).collect();
    let mut renamed = String::new();
    // The sign before, and whether the declaration of a struct or an attribute of built-in words is open.
    let (mut before, mut in_struct, mut in_attribute) = (None, false, false);
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            Token::Gap(gap) => renamed.push_str(gap),
            Token::Sign(sign) => {
                renamed.push(sign);
                in_struct &= sign != '}';
                in_attribute &= sign != ')';
                before = Some(sign);
            }
            Token::Word(word) => {
                renamed.push_str(word);
                in_struct |= word == "struct";
                in_attribute |= before == Some('@') && ["builtin", "interpolate"].contains(&word);
                let is_declared_member = in_struct && next(&tokens[at + 1..]) == Some(Token::Sign(':'));
                let is_ours = in_attribute || is_declared_member || matches!(before, Some('.' | '@'));
                if !is_ours && names.contains(&word) {
                    renamed.push_str(ending);
                }
                before = None;
            }
        }
    }
    renamed
}

/// The names that a text declares outside of functions.
fn declared<'t>(tokens: &[Token<'t>]) -> impl Iterator<Item = &'t str> {
    let tokens: Vec<_> = tokens.iter().copied().filter(|token| !matches!(token, Token::Gap(_))).collect();
    let (mut depth, mut names) = (0, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => depth -= 1,
            Token::Word("fn" | "struct" | "alias" | "const" | "override") if depth == 0 => {
                names.extend(word(&tokens[at + 1..]));
            }
            // Of a variable, the address space comes first.
            Token::Word("var") if depth == 0 => {
                let rest = &tokens[at + 1..];
                let is_placed = rest.first() == Some(&Token::Sign('<'));
                let end = rest.iter().position(|token| is_placed && *token == Token::Sign('>'));
                names.extend(word(&rest[end.map_or(0, |end| end + 1)..]));
            }
            _ => {}
        }
    }
    names.into_iter()
}

fn word<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    match tokens.first() {
        Some(Token::Word(word)) => Some(word),
        _ => None,
    }
}

/// The first token that is no gap.
fn next<'t>(tokens: &[Token<'t>]) -> Option<Token<'t>> {
    tokens.iter().copied().find(|token| !matches!(token, Token::Gap(_)))
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut rest, mut tokens) = (text, Vec::new());
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || !(c.is_ascii() || c.is_whitespace());
        let until = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
        let (len, token): (_, fn(&str) -> Token<'_>) = if rest.starts_with("//") {
            (until(|c| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')), |gap| Token::Gap(gap))
        } else if rest.starts_with("/*") {
            (block(rest), |gap| Token::Gap(gap))
        } else if first.is_whitespace() {
            (until(|c| !c.is_whitespace()), |gap| Token::Gap(gap))
        } else if is_part(first) {
            (rest.find(|c| !is_part(c)).unwrap_or(rest.len()), |word| Token::Word(word))
        } else {
            (first.len_utf8(), |sign| Token::Sign(sign.chars().next().unwrap_or_default()))
        };
        let (part, after) = rest.split_at(len);
        tokens.push(token(part));
        rest = after;
    }
    tokens
}

/// The length of a comment between `/*` and `*/`, which may hold others.
fn block(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let step = if rest.starts_with(b"/*") {
            depth += 1;
            2
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            2
        } else {
            1
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_names_have_an_ending_wherever_they_stand() {
        let text = "/* fn no() /* */ */ const N: u32 = 1.5e3; // struct No\n\
            @group(0) @binding(9) var<uniform> params: P;\nalias V = vec2<f32>;\n\
            struct P { @size(16) load: u32, rest: array<V, N>, }\n\
            fn load(x: u32) -> u32 { let y = params.load + x; return y.x + load2(N); }\n\
            fn load2(N: u32) -> u32 { return N; } fn map(elem: Elem) -> u32 { return load(elem); }";
        let expected = "/* fn no() /* */ */ const N_: u32 = 1.5e3; // struct No\n\
            @group(0) @binding(9) var<uniform> params_: P_;\nalias V_ = vec2<f32>;\n\
            struct P_ { @size(16) load: u32, rest: array<V_, N_>, }\n\
            fn load_(x: u32) -> u32 { let y = params_.load + x; return y.x + load2_(N_); }\n\
            fn load2_(N_: u32) -> u32 { return N_; } fn map(elem: Elem) -> u32 { return load_(elem); }";
        assert_eq!(private(text, "_", &["map", "Elem"]), expected);
    }

    #[test]
    fn attributes_and_ends_of_lines_are_those_of_the_language() {
        let text = "fn size(x: u32) -> u32 { return x; } // two\rfn position() {}\n\
            struct P { @size(16) a: u32, @builtin(position) b: vec4<f32>, e\u{301}: f32 } fn e() {} var t: T<N>;";
        let expected = "fn size_(x: u32) -> u32 { return x; } // two\rfn position_() {}\n\
            struct P_ { @size(16) a: u32, @builtin(position) b: vec4<f32>, e\u{301}: f32 } fn e_() {} var t_: T<N>;";
        assert_eq!(private(text, "_", &[]), expected);
    }

    #[test]
    fn any_text_keeps_its_other_characters() {
        for text in ["", "/*", "é /* */ fn", "var", "struct {", "fn a() {}} fn b", "}", "1.0.x"] {
            let ended = private(text, "_", &[]);
            assert_eq!(ended.replace("a_", "a").replace("b_", "b"), text);
        }
    }
}
