// The contents of the page: rows with bars, essays, coloured sources, words with their meanings. Nothing here touches the GPU.

const place = (id) => document.getElementById(id);

// An element of a class with children, and a button.
function element(name, className, ...children) {
  const made = Object.assign(document.createElement(name), { className });
  made.append(...children);
  return made;
}
const button = (className, text, onclick) => Object.assign(element("button", className, text), { type: "button", onclick });

// Numbers to some digits; a count as a power of two where it is one; the name of a short record.
const digits = (x, most = 4) => x.toLocaleString("en", { maximumSignificantDigits: most, useGrouping: false });
const percent = (x) => `${x.toFixed(x < 9.95 ? 1 : 0)} %`;
const duration = (ms) => (ms < 1 ? `${digits(ms * 1000)} µs` : `${digits(ms)} ms`);
const raised = (power) => String(power).replaceAll(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
const countOf = (n) => (Number.isInteger(Math.log2(n)) ? `2${raised(Math.log2(n))}` : String(n));
const titleOf = ({ gpu, op, type, n }) => `${gpu}, ${op} of ${countOf(n)} ${type}`;

// The parts of a text, in which `mark` replaces what a pattern of one group finds.
const marked = (text, pattern, mark) => text.split(pattern).map((part, at) => (at % 2 ? mark(part) : part));

// The kinds of tokens that are coloured.
const KINDS = {
  comment: /\/\/.*/, attribute: /@\w+/,
  number: /\b(?:0x[\da-f.]+(?:p[-+]?\d+)?|\d[\d.]*(?:e[-+]?\d+)?)[uifh]?\b/,
  keyword: /\b(?:alias|break|case|const|continue|default|else|enable|false|fn|for|if|let|loop|override|return|struct|switch|true|var|while)\b/,
  type: /\b(?:array|atomic|bool|[fiu]32|f16|mat\dx\d|ptr|vec[234]|[A-Z][a-z]\w*)\b/,
};
const TOKENS = new RegExp(`(${Object.values(KINDS).map(({ source }) => source).join("|")})`);
const colour = (token) => element("span", Object.keys(KINDS).find((kind) => KINDS[kind].test(token)), token);
const coloured = (text) => element("code", "", ...marked(text, TOKENS, colour));

// Code in backticks, and the words of the glossary, also in the plural, but not inside names such as `subgroup-add`.
const RICH = new RegExp(`(\`[^\`]*\`|(?<![\\w-])(?:${HALOFOLD.words.map(([word]) => word).join("|")})(?:e?s)?(?![\\w-]))`, "i");

// Text with its code marked, and the first mention of each word: its meaning is shown while the pointer or the focus is on it.
function rich(text, seen = new Set()) {
  return marked(text, RICH, (mention) => {
    if (mention[0] === "`") return element("code", "", mention.slice(1, -1));
    const [word, meaning] = HALOFOLD.words.find(([known]) => mention.toLowerCase().startsWith(known));
    if (seen.has(word)) return mention;
    seen.add(word);
    const made = Object.assign(element("abbr", "", mention), { tabIndex: 0 });
    made.dataset.meaning = `${word}: ${meaning}`;
    return made;
  });
}

// An essay as paragraphs, items of lists, and drawings, which are indented.
function essayOf(essay) {
  const seen = new Set();
  const blocks = essay.trimEnd().split(/\n\n+|\n(?= *\* |Today|Beyond)/);
  return element("div", "essay", ...blocks.map((block) => (/^ {3}/.test(block) ? element("pre", "", block)
    : element("p", /^ *\* /.test(block) ? "item" : "", ...rich(block.replace(/^ *\* /, "").replaceAll(/\s*\n\s*/g, " "), seen)))));
}

// A kernel's view: the essay beside its own code; the whole text, folded; facts.
function lessonOf(plan, name, facts) {
  const texts = plan.pipelines.map((pipeline) => moduleText(plan, pipeline));
  const text = texts.find((one) => one.includes(`// ${name}: `)) ?? texts[0];
  const own = text.slice(Math.max(0, text.indexOf(`// ${name}: `))).replace(/^\/\/ ====.*\n\n/, "").split(/^\/\/ ==== /m)[0];
  const [essay] = own.match(/^(?:\/\/.*\n)*/);
  const copy = button("quiet", "Copy", () => copyText(text, copy));
  const title = element("summary", "", `All ${text.trim().split("\n").length} lines that your browser is given`);
  return element("div", "lesson", essayOf(essay.replaceAll(/^\/\/ ?/gm, "")), element("div", "",
    element("pre", "source", coloured(own.slice(essay.length).trim())),
    element("details", "whole", title, copy, element("pre", "source", coloured(text))), element("dl", "", ...factsOf(facts))));
}

// Copies text, and says on a button whether that worked.
async function copyText(text, pressed) {
  const before = pressed.textContent;
  pressed.textContent = await navigator.clipboard.writeText(text).then(() => "Copied", () => "This browser does not let pages copy");
  setTimeout(() => { pressed.textContent = before; }, 2000);
}

// Gives the visitor a file.
function saveFile(download, type, text) {
  Object.assign(element("a", ""), { href: `data:${type},${encodeURIComponent(text)}`, download }).click();
}

// What is said of a row beside its bar.
function valueOf({ status, reason, gb_per_s: rate, percent_of_read_peak: share, step_speedup: gain }) {
  if (status !== "pass") return `${status === "fail" ? "WRONG" : status}: ${reason}`;
  return `${digits(rate, 3)} GB/s · ${percent(share)}${gain ? ` · ${gain.toFixed(2)}×` : ""}`;
}

// Draws all bars: the share of this memory's speed that a row reaches, and that another machine's record has of its own.
function draw(chart, shown, running, beside) {
  const bars = [...chart.querySelectorAll("[data-bar]")].map((bar) => {
    const [name, row] = [bar.dataset.bar, shown.get(bar.dataset.bar)];
    const isRunning = name === running;
    bar.dataset.status = isRunning ? "running" : row?.status ?? "none";
    bar.querySelector(".value").textContent = isRunning ? "running …" : row ? valueOf(row) : "not run yet";
    const shares = [row?.percent_of_read_peak ?? 0, (beside && figuresOf(beside, name)?.share) ?? 0];
    ["--share", "--other-share"].forEach((property, at) => bar.style.setProperty(property, shares[at]));
    return Math.max(...shares);
  });
  chart.style.setProperty("--most", 1.04 * Math.max(100, ...bars));
}

// Facts by name, for a <dl>; choices of a <select>, by their places.
const factsOf = (facts) => facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", "", name), element("dd", "", String(value))]);
const fill = (id, choices) => place(id).replaceChildren(...choices.map((text, at) => new Option(text, at)));
