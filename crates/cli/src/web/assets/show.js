// The contents of the page: rows with bars, essays and sources. Nothing here touches the GPU.
"use strict";

// An element with properties and children.
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A number to four digits, below 1 to three: as the program writes them.
function digits(x) {
  const size = Math.abs(x);
  const places = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return x.toFixed(size >= 1e-9 && size < 0.1 ? 2 - Math.floor(Math.log10(size)) : places);
}

// Milliseconds in words.
function duration(ms) { return ms < 1 ? `${digits(ms * 1000)} µs` : `${digits(ms)} ms`; }

// A count, as a power of two where it is one.
function countOf(n) {
  const power = Math.log2(n);
  if (!Number.isInteger(power)) return n.toLocaleString("en").replaceAll(",", "\u2009");
  return `2${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : word.endsWith("h") ? "es" : "s"}`;

// The essay that a kernel's text opens with, as paragraphs, lists and drawings.
function essayOf(text) {
  const lines = text.replace(/^\/\/ ====.*\n\n/, "").split("\n");
  const blocks = [];
  let last = null;
  for (const line of lines.slice(0, lines.findIndex((line) => !line.startsWith("//")))) {
    const words = line.slice(3);
    const kind = kindOf(words, last);
    // Lines of a kind go on where the one before ended; an item, and what is said of today, begin anew.
    const isNew = !last || kind !== last.kind || /^ *\* |^(Today|Beyond)\b/.test(words);
    if (isNew) blocks.push(last = { kind, lines: [] });
    last.lines.push(kind === "pre" ? words : words.trim().replace(/^\* /, ""));
  }
  return blocks.filter(({ kind }) => kind !== "gap").map(({ kind, lines }) =>
    kind === "pre" ? element("pre", {}, lines.join("\n")) : element("p", { class: kind }, withCode(lines.join(" "))));
}

// The kind of block that a line of an essay belongs to, given the block before it.
function kindOf(words, last) {
  if (words.trim() === "") return "gap";
  if (/^ *\* /.test(words)) return "item";
  if (!words.startsWith("  ")) return "p";
  return last?.kind === "item" ? "item" : "pre";
}

// Text whose `words` are code.
function withCode(text) {
  const pieces = text.split("`").map((piece, at) => (at % 2 ? element("code", {}, piece) : piece));
  const fragment = document.createDocumentFragment();
  fragment.append(...pieces);
  return fragment;
}

// A source with a button that copies it.
function sourceOf(text, title) {
  const button = element("button", { type: "button", class: "quiet" }, "copy");
  button.addEventListener("click", () => copyText(text, button));
  return element("figure", { class: "source" }, element("figcaption", {}, title, " ", button), element("pre", { tabIndex: 0 }, element("code", {}, text)));
}

// Copies text, and says on a button whether that worked.
async function copyText(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    button.textContent = "this browser does not let pages copy";
  }
  setTimeout(() => { button.textContent = before; }, 2000);
}

// A list of rows with bars that have one scale: each can be opened, and then shows the contents that `open` makes.
class Chart {
  constructor(place, entries, open) {
    this.ceiling = null;
    this.values = new Map();
    this.rows = new Map(entries.map((entry) => [entry.name, this.row(entry, open)]));
    place.replaceChildren(...[...this.rows.values()].map(({ details }) => details));
  }

  row({ name, label, summary, needsMore }, open) {
    const value = element("span", { class: "value" }, "not run yet");
    const bar = element("span", { class: "bar" });
    const line = element("span", { class: "ceiling", hidden: true });
    const head = element("summary", {},
      element("span", { class: "label" }, label ?? name), value,
      element("span", { class: "track", "aria-hidden": "true" }, bar, line),
      element("span", { class: "note" }, summary ?? ""));
    const body = element("div", { class: "body" });
    const details = element("details", { class: "row" }, head, body);
    details.addEventListener("toggle", () => { if (details.open) body.replaceChildren(...open(name)); });
    if (needsMore) details.classList.add("more");
    return { details, value, bar, line, body, name };
  }

  // The value that all bars are compared with.
  setCeiling(ceiling) { this.ceiling = ceiling; this.draw(); }

  // Forgets the measurements.
  clear(text = "not run yet") {
    this.values.clear();
    for (const { details, value } of this.rows.values()) {
      value.textContent = text;
      details.classList.remove("wrong", "skipped", "running");
    }
    this.draw();
  }

  running(name) {
    const { details, value } = this.rows.get(name);
    details.classList.add("running");
    value.textContent = "running …";
  }

  // Shows a row: its rate, or its status.
  show(name, row, text) {
    const { details, value } = this.rows.get(name);
    details.classList.remove("running");
    details.classList.toggle("wrong", row.status === "fail");
    details.classList.toggle("skipped", row.status === "skipped");
    value.textContent = row.status === "pass" ? text : row.status === "fail" ? `WRONG: ${row.reason}` : `skipped: ${row.reason}`;
    if (row.status === "pass") this.values.set(name, row.gb_per_s);
    this.draw();
    if (details.open) details.dispatchEvent(new Event("toggle"));
  }

  draw() {
    const longest = 1.04 * Math.max(this.ceiling ?? 0, ...this.values.values(), 1e-9);
    for (const { bar, line, name } of this.rows.values()) {
      bar.style.width = `${(100 * (this.values.get(name) ?? 0)) / longest}%`;
      line.hidden = !this.ceiling;
      line.style.left = `${(100 * (this.ceiling ?? 0)) / longest}%`;
    }
  }
}

// Facts by name, as a list.
function factsOf(facts) {
  return facts.filter(([, value]) => value !== null && value !== "").flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]);
}

// Choices of a <select>, by their places.
function fill(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
}
