// The page's controls: they start runs, and show reasons if a run is not possible.
"use strict";

const place = (id) => document.getElementById(id);

// Everything that the page knows.
const page = {
  gpu: null,
  peak: null,
  isBusy: false,
  isStopped: false,
  rows: [],
  stencils: [],
  charts: {},
  heat: null,
};

// The largest length whose plan a first visit takes: enough for a GPU to show what it can, seconds on any.
const FIRST_LENGTH = HALOFOLD.lengths.indexOf(1 << 22);
const SOFTWARE_LENGTH = HALOFOLD.lengths.indexOf(1 << 20);

// The visitor's choices.
function setting() {
  return {
    work: HALOFOLD.cases[Number(place("work").value)],
    length: Number(place("length").value),
    size: Number(place("size").value),
    subgroups: place("subgroups").checked,
  };
}

// Shows a message in the status line, which screen readers announce.
function say(text, isBad = false) {
  place("status").textContent = text;
  place("status").classList.toggle("bad", isBad);
}

// The page as it can be read without a GPU: lists, essays, sources.
function build() {
  const { charts } = page;
  fill(place("work"), HALOFOLD.cases.map(({ op, type }, at) => [at, `${op} of ${type}`]));
  fill(place("length"), HALOFOLD.lengths.map((n, at) => [at, countOf(n)]));
  place("length").value = FIRST_LENGTH;
  offerSizes(HALOFOLD.sizes[0][1]);
  charts.ladder = new Chart(place("rows"), HALOFOLD.rungs.map(({ name, summary }) => ({ name, summary })), openRung);
  charts.stencils = new Chart(place("variants"), HALOFOLD.variants.map(({ name, document }) => ({ name, summary: document && `the thesis's ${document}` })), openVariant);
  fill(place("grid"), HALOFOLD.grids.slice(0, -1).map(([rows, cols], at) => [at, `${rows} × ${cols}`]));
  place("grid").value = 2;
  fill(place("variant"), HALOFOLD.variants.map(({ name }, at) => [at, name]));
  place("variant").value = HALOFOLD.variants.length - 1;
}

// The workgroup sizes that a device of this many invocations has; a rung's own differ with them.
function offerSizes(invocations) {
  const most = HALOFOLD.sizes.map(([, needed]) => needed).filter((needed) => needed <= invocations).reduce((a, b) => Math.max(a, b));
  const offered = HALOFOLD.sizes.map(([size, needed], at) => [at, size, needed])
    .filter(([, size, needed]) => (size === null ? needed === most : needed <= most));
  offered.sort(([, a], [, b]) => (a ?? 0) - (b ?? 0));
  fill(place("size"), offered.map(([at, size]) => [at, size ?? "each rung's own"]));
}

// The contents of an opened rung: its essay, the configuration of its run, and the text that the browser is given.
function openRung(name) {
  const rung = HALOFOLD.rungs.findIndex((known) => known.name === name);
  const { work, length, subgroups } = setting();
  const gpu = page.gpu ?? { hasSubgroups: true };
  const chosen = chosenRung(gpu, setting(), rung);
  const { document: from, finish } = HALOFOLD.rungs[rung];
  const modules = chosen.modules ?? work.rungs[rung].modules.find(Array.isArray);
  if (!modules) return [element("p", {}, chosen.reason)];
  const plan = chosen.plan;
  const row = page.rows.find((row) => row.rung === name && row.op === work.op && row.type === work.type && row.n === HALOFOLD.lengths[length]);
  const facts = [["from", from], ["finish", finish],
    ["workgroups", plan && `${plan.workgroups} of ${new Map(plan.constants).get("WG") ?? "?"}`],
    ["launches", plan && plan.launches.length], ["depth of the tree", plan && plan.depth], ...timesOf(row)];
  const constants = plan?.constants ?? [];
  const texts = modules.map((module) => moduleText(module, constants));
  const main = texts.find((text) => text.includes(`// ${name}: `)) ?? texts[0];
  const essay = main.slice(main.indexOf(`// ${name}: `));
  return [
    element("div", { class: "essay" }, ...essayOf(essay)),
    element("dl", {}, ...factsOf(facts)),
    sourceOf(main, `What your browser is given: ${work.op} of ${work.type}${subgroups && gpu.hasSubgroups ? "" : ", without subgroups"}, constants pasted`),
  ];
}

// The measured figures of a row.
function timesOf(row) {
  if (!row || row.status !== "pass") return row?.reason ? [["result", row.reason]] : [];
  return [["time", `${duration(row.gpu_ms_median)}, ${plural(row.samples, "sample")}, interquartile range ${row.spread_percent.toFixed(1)} %`],
    ["clock", row.timing === "gpu" ? "the GPU's timestamps" : "the browser's, around batches"],
    ["to the host and back", row.wall_ms_median ? duration(row.wall_ms_median) : null]];
}

function openVariant(name) {
  const variant = HALOFOLD.variants.find((variant) => variant.name === name);
  const row = page.stencils.find((row) => row.variant === name);
  const text = moduleText(variant.module, variant.constants);
  return [element("div", { class: "essay" }, ...essayOf(text)), element("dl", {}, ...factsOf([["block", variant.block], ...timesOf(row)])),
    sourceOf(text, "What your browser is given")];
}

// Opens the GPU and describes it, or shows the reason why there is none; the page can be read without one.
async function openPage() {
  try {
    page.gpu = await openGpu();
  } catch (error) {
    say(`${error.message} The kernels and what is to be known of them can be read below.`, true);
    document.body.classList.add("no-gpu");
    return;
  }
  const { gpu } = page;
  offerSizes(gpu.invocations);
  if (gpu.isSoftware) Object.assign(place("length"), { value: SOFTWARE_LENGTH });
  if (gpu.isSoftware) place("grid").value = 1;
  place("subgroups").disabled = !gpu.hasSubgroups;
  place("subgroups").checked = gpu.hasSubgroups;
  place("facts").replaceChildren(...factsOf([
    ["GPU", gpu.name + (gpu.isSoftware ? ": software, on the processor" : "")],
    ["subgroups", gpu.hasSubgroups ? gpu.subgroupRange.filter((x, at, all) => x && all.indexOf(x) === at).join(" to ") || "yes"
      : "none that this browser offers: rungs that are about them are skipped, the others use workgroup memory"],
    ["clock", gpu.hasStamps ? "the GPU's timestamps" : "the browser's, around batches of 40 ms: it tells no GPU time"],
    ["workgroups", `up to ${gpu.invocations} invocations`],
  ]));
  gpu.device.lost.then(({ message }) => {
    say(`The GPU was lost${message ? `: ${message.replace(/\.$/, "")}` : ""}. What was measured is below; reload the page to go on.`, true);
    document.body.classList.add("no-gpu");
  });
  for (const id of ["run", "run-stencils"]) place(id).disabled = false;
  say("Ready.");
  // Once it is in sight: a picture asks more of a browser than computing does, and the ladder can do without.
  const sight = new IntersectionObserver((seen) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    sight.disconnect();
    page.drawn = startHeat();
  });
  sight.observe(place("heat"));
}

// Work that holds the GPU: one at a time, stopped on demand, and never measured while the heat picture runs.
async function busy(button, work) {
  if (page.isBusy) {
    page.isStopped = true;
    return;
  }
  const [before, wasRunning] = [button.textContent, page.heat?.running];
  Object.assign(page, { isBusy: true, isStopped: false });
  page.heat?.stop();
  button.textContent = "Stop";
  document.body.classList.add("busy");
  try {
    if (!page.peak) {
      say("Measuring how fast this GPU's memory is read and copied …");
      page.peak = await measurePeak(page.gpu);
      const { read, copy } = page.peak;
      page.charts.ladder.setCeiling(read);
      page.charts.stencils.setCeiling(copy);
      place("facts").append(...factsOf([["memory", `reads ${digits(read)} GB/s, copies ${digits(copy)} GB/s`]]));
    }
    await work();
  } catch (error) {
    say(`That went wrong: ${error.message}`, true);
  } finally {
    Object.assign(page, { isBusy: false });
    button.textContent = before;
    document.body.classList.remove("busy");
    if (wasRunning && !page.gpu.lost) toggleHeat();
    showRecord();
  }
}

// Runs some rows of a chart one after the other.
async function runAll(title, chart, names, run, textOf) {
  const rows = [];
  for (const [at, name] of names.entries()) {
    if (page.isStopped || page.gpu.lost) break;
    say(document.visibilityState === "visible" ? `${name}, ${at + 1} of ${names.length} …`
      : "Waiting: this tab is in the background, where browsers slow everything down.");
    chart.running(name);
    const row = await run(at);
    chart.show(name, row, textOf(row));
    rows.push(row);
    // Lets the page be drawn.
    await new Promise((resolve) => setTimeout(resolve));
  }
  const count = (status) => rows.filter((row) => row.status === status).length;
  if (!page.gpu.lost) {
    say(`${title}${page.isStopped ? ", stopped" : ""}: ${count("pass")} right, ${count("fail")} wrong, ${count("skipped")} skipped.`, count("fail") > 0);
  }
  return rows;
}

const rateText = (row, share) => `${digits(row.gb_per_s)} GB/s · ${row[share].toFixed(1)} %`;

// The ladder.
async function runLadder() {
  const chosen = setting();
  const { ladder } = page.charts;
  ladder.clear("waiting");
  let before = null;
  const rows = await runAll("The ladder", ladder, HALOFOLD.rungs.map(({ name }) => name), async (rung) => {
    const row = await runRung(page.gpu, chosen, rung, page.peak.read);
    keep(page.rows, row, ["rung", "finish", "type", "op", "n", "workgroup_size"]);
    return row;
  }, (row) => {
    const step = before ? ` · ${(before / row.gpu_ms_median).toFixed(2)}×` : "";
    before = row.status === "pass" ? row.gpu_ms_median : before;
    return row.status === "pass" ? rateText(row, "percent_of_read_peak") + step : "";
  });
  markWaiting(ladder);
  place("caption").textContent = `${chosen.work.op} of ${countOf(HALOFOLD.lengths[chosen.length])} ${chosen.work.type}: GB/s of input, the share of what a kernel that only reads reaches here (the line), and the step from the rung before.`;
  return rows;
}

// Rows that were stopped before they ran.
function markWaiting(chart) {
  for (const { value } of chart.rows.values()) if (value.textContent === "waiting") value.textContent = "not run";
}

// The stencils.
async function runStencils() {
  const grid = Number(place("grid").value);
  const { stencils } = page.charts;
  stencils.clear("waiting");
  const rows = await runAll("The stencils", stencils, HALOFOLD.variants.map(({ name }) => name), async (at) => {
    const row = await runStencil(page.gpu, grid, HALOFOLD.variants[at], page.peak.copy);
    keep(page.stencils, row, ["variant", "grid"]);
    return row;
  }, (row) => (row.status === "pass" ? rateText(row, "percent_of_copy_peak") : ""));
  markWaiting(stencils);
  return rows;
}

// The record of the measured rows, as text.
function recordText() {
  return `${JSON.stringify(makeRecord(page.gpu, page.peak, { rows: page.rows, stencils: page.stencils }), null, 2)}\n`;
}

function showRecord() {
  if (!page.peak) return;
  place("record").textContent = recordText();
  for (const id of ["copy", "download"]) place(id).disabled = false;
}

function download() {
  const url = URL.createObjectURL(new Blob([recordText()], { type: "application/json" }));
  element("a", { href: url, download: `halofold-${page.gpu.name.replace(/\W+/g, "-").toLowerCase()}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// The heat picture: it moves once the visitor asks for it.
async function startHeat() {
  try {
    const heat = new Heat(page.gpu, place("heat"), (rate) => { place("rate").textContent = `${rate.toLocaleString("en")} steps a second`; });
    await heat.prepare(HALOFOLD.variants[Number(place("variant").value)]);
    heat.greet();
    heat.show();
    page.heat = heat;
    for (const id of ["heat-run", "heat-clear"]) place(id).disabled = false;
  } catch (error) {
    place("rate").textContent = `This browser draws no pictures from WebGPU: ${error.message}`;
  }
}

function toggleHeat() {
  const { heat } = page;
  if (heat.running) heat.stop();
  else if (!page.isBusy) heat.start();
  place("heat-run").textContent = heat.running ? "Pause" : "Run";
  place("heat-run").setAttribute("aria-pressed", String(heat.running));
}

// A change of the settings makes earlier measurements invalid.
function changed() {
  page.charts.ladder.clear();
  place("caption").textContent = "";
}

build();
for (const id of ["work", "length", "size", "subgroups"]) place(id).addEventListener("change", changed);
place("run").addEventListener("click", () => busy(place("run"), runLadder));
place("run-stencils").addEventListener("click", () => busy(place("run-stencils"), runStencils));
place("copy").addEventListener("click", () => copyText(recordText(), place("copy")));
place("download").addEventListener("click", download);
place("heat-run").addEventListener("click", toggleHeat);
place("heat-clear").addEventListener("click", () => { page.heat.clear(); page.heat.show(); });
place("variant").addEventListener("change", () => page.heat?.choose(HALOFOLD.variants[Number(place("variant").value)]));
place("per-picture").addEventListener("input", (event) => {
  const steps = 2 ** Number(event.target.value);
  if (page.heat) page.heat.wanted = steps;
  place("per-picture-text").textContent = String(steps);
});
document.addEventListener("visibilitychange", () => {
  if (page.isBusy && document.visibilityState !== "visible") say("Waiting: this tab is in the background, where browsers slow everything down.");
});
page.opened = openPage();
