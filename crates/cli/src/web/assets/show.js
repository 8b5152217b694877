// The contents of the page: rows with bars, essays, coloured sources, words with their meanings. Nothing here touches the GPU.
"use strict";

const place = (id) => document.getElementById(id);

// An element of a class with children.
function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

function button(className, text, pressed) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", pressed);
  return made;
}

// A number to some digits.
const digits = (x, most = 4) => x.toLocaleString("en", { maximumSignificantDigits: most, useGrouping: false });
const percent = (x) => `${x.toFixed(x < 9.95 ? 1 : 0)} %`;
const duration = (ms) => (ms < 1 ? `${digits(ms * 1000)} µs` : `${digits(ms)} ms`);

// A count, as a power of two where it is one.
function countOf(n) {
  const power = String(Math.log2(n));
  return power.includes(".") ? String(n) : `2${power.replaceAll(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit])}`;
}

// The name of a short record.
const titleOf = ({ gpu, op, type, n }) => `${gpu}, ${op} of ${countOf(n)} ${type}`;

// The parts of a text, in which `mark` replaces what a pattern finds.
function marked(text, pattern, mark) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(text.slice(end, found.index), mark(found));
    end = found.index + found[0].length;
  }
  return [...parts, text.slice(end)];
}

// The kinds of tokens that are coloured.
const TOKENS = new RegExp([
  /(?<comment>\/\/.*)/, /(?<attribute>@\w+)/,
  /(?<number>\b(?:0x[\da-f.]+(?:p[-+]?\d+)?|\d[\d.]*(?:e[-+]?\d+)?)[uifh]?\b)/,
  /(?<keyword>\b(?:alias|break|case|const|continue|default|else|enable|false|fn|for|if|let|loop|override|return|struct|switch|true|var|while)\b)/,
  /(?<type>\b(?:array|atomic|bool|[fiu]32|f16|mat\dx\d|ptr|vec[234]|[A-Z][a-z]\w*)\b)/,
].map(({ source }) => source).join("|"), "g");

function coloured(text) {
  return element("code", "", ...marked(text, TOKENS, ({ 0: token, groups }) => element("span", Object.keys(groups).find((kind) => groups[kind]), token)));
}

// Code in backticks, and the words of the glossary, also in the plural, but not inside names such as `subgroup-add`.
const MEANINGS = new Map(HALOFOLD.words);
const RICH = new RegExp(`\`([^\`]*)\`|(?<![\\w-])(${[...MEANINGS.keys()].join("|")})(?:e?s)?(?![\\w-])`, "gi");

// Text with its code marked, and the first mention of each word: its meaning is shown while the pointer or the focus is on it.
function rich(text, seen = new Set()) {
  return marked(text, RICH, ([mention, code, found]) => {
    if (!found) return element("code", "", code);
    const word = found.toLowerCase();
    if (seen.has(word)) return mention;
    seen.add(word);
    const made = element("abbr", "", mention);
    made.tabIndex = 0;
    made.dataset.meaning = `${word}: ${MEANINGS.get(word)}`;
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
function lessonOf(text, name, facts) {
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
function saveFile(name, type, text) {
  Object.assign(document.createElement("a"), { href: `data:${type},${encodeURIComponent(text)}`, download: name }).click();
}

// What is said of a row beside its bar.
function valueOf({ status, reason, gb_per_s: rate, percent_of_read_peak: share, step_speedup: gain }) {
  if (status !== "pass") return `${status === "fail" ? "WRONG" : status}: ${reason}`;
  return `${digits(rate, 3)} GB/s · ${percent(share)}${gain ? ` · ${gain.toFixed(2)}×` : ""}`;
}

// Draws all bars: the share of this memory's speed that a row reaches, and that another machine's record has of its own.
function draw(chart, { shown, running }, beside) {
  const bars = [...chart.querySelectorAll("[data-bar]")];
  const shares = bars.map(({ dataset: { bar } }) => [shown.get(bar)?.percent_of_read_peak ?? 0, (beside && figuresOf(beside, bar)?.share) ?? 0]);
  chart.style.setProperty("--most", 1.04 * Math.max(100, ...shares.flat()));
  for (const [at, bar] of bars.entries()) {
    const [row, isRunning] = [shown.get(bar.dataset.bar), bar.dataset.bar === running];
    bar.dataset.status = isRunning ? "running" : row?.status ?? "none";
    bar.style.setProperty("--share", shares[at][0]);
    bar.style.setProperty("--other-share", shares[at][1]);
    bar.querySelector(".value").textContent = isRunning ? "running …" : row ? valueOf(row) : "not run yet";
  }
}

// Facts by name, for a <dl>.
function factsOf(facts) {
  return facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", "", name), element("dd", "", String(value))]);
}

// Choices of a <select>, by their places.
function fill(id, choices) {
  place(id).replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
}
