//! Names of an application's text, made unlike all names of kernels, which do not end with an underscore.

/// Address spaces and accesses, which a text may name where types stand.
const SPACES: [&str; 8] =
    ["function", "private", "read", "read_write", "storage", "uniform", "workgroup", "write"];

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
    let names: Vec<_> = declared(&tokens)
        .into_iter()
        .filter(|name| !known.contains(name) && !SPACES.contains(name))
        .collect();
    let mut renamed = String::new();
    // The token before, and whether the declaration of a struct or an attribute of built-in words is open.
    let (mut before, mut in_struct, mut in_attribute) = ("", false, false);
    for (at, token) in tokens.iter().enumerate() {
        renamed.push_str(token);
        if is_gap(token) {
            continue;
        }
        in_struct = (in_struct || *token == "struct") && *token != "}";
        in_attribute |= before == "@" && ["builtin", "interpolate"].contains(token);
        in_attribute &= *token != ")";
        let next = tokens[at + 1..].iter().find(|token| !is_gap(token));
        let is_declared_member = in_struct && next == Some(&":");
        let is_ours = in_attribute || is_declared_member || [".", "@"].contains(&before);
        if !is_ours && names.contains(token) {
            renamed.push_str(ending);
        }
        before = token;
    }
    renamed
}

/// The names that a text declares outside of functions.
fn declared<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let tokens: Vec<_> = tokens.iter().copied().filter(|token| !is_gap(token)).collect();
    let (mut depth, mut names) = (0, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            "fn" | "struct" | "alias" | "const" | "override" if depth == 0 => names.extend(rest.first()),
            // Of a variable, the address space comes first.
            "var" if depth == 0 => {
                let end = rest.iter().position(|token| *token == ">").filter(|_| rest[0] == "<");
                names.extend(rest.get(end.map_or(0, |end| end + 1)));
            }
            _ => {}
        }
    }
    names.retain(|name: &&str| name.starts_with(is_part));
    names
}

/// True for a character of a name, a keyword or a number.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || !(c.is_ascii() || c.is_whitespace())
}

/// True for spaces and comments, in which nothing is renamed.
fn is_gap(token: &str) -> bool {
    token.starts_with(char::is_whitespace) || token.starts_with("//") || token.starts_with("/*")
}

/// Cuts a text into words, single signs, spaces and comments.
fn tokens(text: &str) -> Vec<&str> {
    let (mut rest, mut tokens) = (text, Vec::new());
    while let Some(first) = rest.chars().next() {
        let until = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
        let len = if rest.starts_with("//") {
            until(|c| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}'))
        } else if rest.starts_with("/*") {
            block(rest)
        } else if first.is_whitespace() {
            until(|c| !c.is_whitespace())
        } else if is_part(first) {
            until(|c| !is_part(c))
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// The length of a comment between `/*` and `*/`, which may hold others.
fn block(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        at += match (rest.find("/*"), rest.find("*/")) {
            (Some(open), close) if close.is_none_or(|close| open < close) => {
                depth += 1;
                open + 2
            }
            (_, Some(close)) => {
                depth -= 1;
                close + 2
            }
            _ => return text.len(),
        };
        if depth == 0 {
            return at;
        }
    }
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
