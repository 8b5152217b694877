//! Values as a script, in which equal parts exist once.

use std::collections::HashMap;

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use crate::show::HEADING;

/// A shorter expression is repeated.
const LEAST_BYTES: usize = 12;

/// The members of a plan that depend on the operator. Plans of several operators share the others.
const KERNELS: [&str; 4] = ["label", "modules", "pipelines", "outputs"];

/// The marks around the number of a part in an expression. JSON has neither.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// The distinct parts of a value, and the expressions of its texts. An expression refers to parts before it.
#[derive(Default)]
struct Parts {
    parts: IndexSet<String>,
    texts: HashMap<String, String>,
}

/// Returns statements, and the expression of a value behind them.
pub fn script(value: &Value) -> (String, String) {
    let mut parts = Parts::default();
    parts.add(value);
    let mut uses = vec![0; parts.parts.len()];
    for number in parts.parts.iter().flat_map(|part| tokens(part)).filter_map(|(_, number)| number) {
        uses[number] += 1;
    }
    let (mut statements, mut lines) =
        ("const p=[];\nconst s=(part)=>p.push(part);\nconst r=(x,n)=>Array(n).fill(x);\n".to_owned(), 0);
    let mut written: Vec<String> = Vec::new();
    for (part, uses) in parts.parts.iter().zip(uses) {
        let mut expression = String::new();
        for (text, number) in tokens(part) {
            expression += text;
            expression += number.map_or("", |number| &written[number]);
        }
        if uses > 1 && expression.len() >= LEAST_BYTES {
            statements += &format!("s({expression});\n");
            expression = format!("p[{lines}]");
            lines += 1;
        }
        written.push(expression);
    }
    (statements, written.pop().unwrap_or_default())
}

/// Texts of an expression, each with the number of the part behind it.
fn tokens(expression: &str) -> impl Iterator<Item = (&str, Option<usize>)> {
    expression.split(CLOSE).map(|token| {
        token.split_once(OPEN).map_or((token, None), |(text, number)| (text, number.parse().ok()))
    })
}

impl Parts {
    /// Adds a value, and returns a reference to it.
    fn add(&mut self, value: &Value) -> String {
        match value {
            Value::Array(values) => {
                let runs = values.chunk_by(|value, next| value == next && value.is_number());
                let mut elements = Vec::new();
                for run in runs {
                    match run.len() {
                        0..8 => elements.extend(run.iter().map(|value| self.add(value))),
                        len => elements.push(format!("...r({},{len})", run[0])),
                    }
                }
                self.part(format!("[{}]", elements.join(",")))
            }
            Value::Object(plan) if plan.contains_key("modules") => {
                let is_of_kernels = |(name, _): &(String, Value)| KERNELS.contains(&&**name);
                let (kernels, others): (Map<_, _>, Map<_, _>) =
                    plan.clone().into_iter().partition(is_of_kernels);
                let plan = format!("{{...{},...{}}}", self.members(&kernels), self.members(&others));
                self.part(plan)
            }
            Value::Object(members) => self.members(members),
            Value::String(text) if text.contains("\n\n") => self.text(text),
            other => other.to_string(),
        }
    }

    fn members(&mut self, members: &Map<String, Value>) -> String {
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("{}:{}", json!(name), self.add(value))).collect();
        self.part(format!("{{{}}}", members.join(",")))
    }

    /// Most modules share most of their files, and variants of a file most of their paragraphs.
    fn text(&mut self, text: &str) -> String {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let paragraphs: Vec<_> = text.split_inclusive("\n\n").collect();
        let files = paragraphs.chunk_by(|_, next| !next.starts_with(HEADING));
        let files = files.map(|file| {
            let paragraphs: Vec<_> = file.iter().map(|text| self.part(json!(text).to_string())).collect();
            self.part(paragraphs.join("+"))
        });
        let files = files.collect::<Vec<_>>().join("+");
        let expression = self.part(files);
        self.texts.insert(text.to_owned(), expression.clone());
        expression
    }

    fn part(&mut self, expression: String) -> String {
        format!("{OPEN}{}{CLOSE}", self.parts.insert_full(expression).0)
    }
}
