// The page's controls: they start runs, and show what was measured or why nothing can be.

// All that the page knows: `shown` has the ladder's rows for the present settings, `rows` all that were measured.
const page = { gpu: null, peak: null, isBusy: false, isStopped: false, rows: [], shown: new Map(), running: null, records: [], heat: null };

const rowOf = (name) => document.querySelector(`[data-row="${name}"]`);
const chosenVariant = () => HALOFOLD.variants[place("variant").value];

// The visitor's choices.
function setting() {
  const invocations = page.gpu?.invocations ?? HALOFOLD.sizes[0][1];
  const size = HALOFOLD.sizes.findLastIndex(([size, needed]) => String(size) === place("size").value && needed <= invocations);
  return { work: HALOFOLD.cases[place("work").value], length: Number(place("length").value), size, subgroups: place("subgroups").checked };
}

// Shows a message in the status line, which screen readers announce.
function say(text, isBad = false) {
  place("status").textContent = text;
  place("status").classList.toggle("bad", isBad);
}

// The visitor's short record, and the one that is chosen to stand beside it, if it is of the same operator and type.
const passed = () => [...page.shown.values()].filter(({ status }) => status === "pass");
function ownRecord() {
  const [{ gpu, peak }, { work: { op, type }, length }] = [page, setting()];
  const ms = passed().map(({ rung, gpu_ms_median: time }) => [rung, Number(time.toPrecision(4))]);
  return { gpu: gpu.name, op, type, n: HALOFOLD.lengths[length], read: Number(peak.read.toPrecision(4)), ms: Object.fromEntries(ms) };
}
function recordBeside() {
  const [record, { work }] = [page.records[place("beside").value], setting()];
  return record?.op === work.op && record.type === work.type ? record : null;
}

// What the buttons below the headline do.
const recordText = () => `${JSON.stringify(makeRecord(page.gpu, page.peak, page.rows), null, 2)}\n`;
const saveRecord = () => saveFile("halofold.json", "application/json", recordText());
const savePicture = () => saveFile("halofold.svg", "image/svg+xml", pictureOf([ownRecord(), recordBeside()].filter(Boolean)));
const copyLink = (pressed) => { history.replaceState(null, "", linkOf(ownRecord())); copyText(location.href, pressed); };

// Brings everything that can be seen up to date.
function refresh() {
  const { gpu, peak, isBusy, heat, shown, running } = page;
  const beside = recordBeside();
  draw(place("rows"), shown, running, beside);
  place("headline").textContent = peak ? headlineOf(ownRecord()) : "";
  place("headline-beside").textContent = beside ? `${titleOf(beside)}: ${headlineOf(beside)}` : "";
  place("run").textContent = isBusy ? "Stop" : "Run the ladder";
  const isIdle = { run: gpu && !gpu.lost, choices: !isBusy, "heat-controls": heat && !isBusy, sharing: !isBusy && passed().length };
  for (const [id, isOn] of Object.entries(isIdle)) place(id).disabled = !isOn;
}

// The records that can stand beside the visitor's: that of the address first.
function offerRecords() {
  page.records = [linkedRecord(location.hash), ...HALOFOLD.records].filter(Boolean);
  fill("beside", [...page.records.map((record) => `${record.gpu}, ${countOf(record.n)}`), "nothing"]);
}

// The contents of an opened rung: the bar of the rung that it improves, its essay and code, the configuration of its run.
function openRung(name) {
  const rung = NAMES.indexOf(name);
  const { document: from, finish, improves } = HALOFOLD.rungs[rung];
  const { plan, reason } = chosenRung(page.gpu ?? { hasSubgroups: true }, setting(), rung);
  const known = plan ?? setting().work.rungs[rung].flat(2).find((one) => one.modules);
  if (!known) return [element("p", "", reason)];
  const row = page.shown.get(name);
  const facts = [["from", from], ["finish", finish], ["dispatches", plan?.dispatches.length], ["depth of the tree", plan?.depth],
    ["workgroups", plan && `${plan.workgroups} of ${plan.workgroup_size} invocations`],
    ["time", row?.gpu_ms_median && `${duration(row.gpu_ms_median)}, ${row.samples} samples, interquartile range ${percent(row.spread_percent)}`]];
  const improved = document.querySelector(`[data-bar="${improves}"]`)?.cloneNode(true) ?? "";
  const next = NAMES[rung + 1] ? button("main", `Next rung: ${NAMES[rung + 1]}`, () => climb(rung + 1)) : "";
  return [element("div", "improved", improved), lessonOf(known, name, facts), next];
}

// Opens a rung, and measures it and the rung that it improves if they were not.
function climb(rung) {
  Object.assign(rowOf(NAMES[rung]), { open: true }).scrollIntoView();
  const missing = [NAMES.indexOf(HALOFOLD.rungs[rung].improves), rung].filter((one) => one >= 0 && !page.shown.has(NAMES[one]));
  if (missing.length && !page.isBusy && !place("run").disabled) busy(() => runLadder(missing));
}

// Shows why there is no GPU, or none any more.
function lose(reason) {
  say(reason, true);
  document.body.classList.add("no-gpu");
  refresh();
}

// Opens the GPU and describes it; without one the page can be read.
async function openPage() {
  const gpu = await openGpu().catch(({ message }) => lose(`${message} You can read the kernels and their essays below.`));
  if (!gpu) return;
  page.gpu = gpu;
  for (const option of place("size").options) option.disabled = Number(option.value) > gpu.invocations;
  document.body.classList.toggle("software", gpu.isSoftware);
  Object.assign(place("subgroups"), { disabled: !gpu.hasSubgroups, checked: gpu.hasSubgroups });
  place("facts").replaceChildren(...factsOf([
    ["GPU", gpu.name + (gpu.isSoftware ? ": software, on the processor" : "")],
    ["subgroups", gpu.hasSubgroups ? [...new Set(gpu.subgroupRange)].filter(Boolean).join(" to ") || "yes"
      : "none that this browser offers: rungs that are about them are skipped, the others use workgroup memory"],
    ["clock", gpu.hasStamps ? "the GPU's timestamps" : "the browser's, around batches of 40 ms: it shows no GPU time"],
    ["workgroups", `up to ${gpu.invocations} invocations`],
  ]));
  gpu.device.lost.then(({ message }) => {
    lose(`The GPU was lost${message ? `: ${message.replace(/\.$/, "")}` : ""}. What was measured is below; reload the page to go on.`);
  });
  // A GPU takes the length of a link, so that bars can be compared.
  const linked = gpu.isSoftware || !page.records[0].isLinked ? -1 : HALOFOLD.lengths.indexOf(page.records[0].n);
  place("length").value = linked >= 0 ? linked : await probeLength(gpu, setting());
  say("Ready.");
  changed();
  // Once it is in sight: a picture asks more of a browser than computing does, and the ladder can do without.
  new IntersectionObserver((seen) => { if (seen.at(-1).isIntersecting && !page.heat) startHeat(); }).observe(place("heat"));
}

// Work that holds the GPU: one at a time, stopped on demand, and never measured while the heat picture runs.
async function busy(work) {
  page.isStopped = page.isBusy;
  if (page.isBusy) return;
  const wasRunning = page.heat?.running;
  if (wasRunning) toggleHeat();
  page.isBusy = true;
  refresh();
  try {
    if (!page.peak) {
      say("Measuring how fast this GPU's memory is read and copied …");
      page.peak = await measurePeak(page.gpu);
      place("facts").append(...factsOf([["memory", `reads ${digits(page.peak.read)} GB/s, copies ${digits(page.peak.copy)} GB/s`]]));
    }
    await work();
  } catch (error) {
    say(`That went wrong: ${error.message}`, true);
  }
  Object.assign(page, { isBusy: false, running: null });
  if (wasRunning && !page.gpu.lost) toggleHeat();
  refresh();
}

// Runs some rungs one after the other: all, if none are named.
async function runLadder(rungs = [...NAMES.keys()]) {
  const [chosen, counts] = [setting(), { pass: 0, fail: 0, skipped: 0 }];
  if (rungs.length === NAMES.length) page.shown.clear();
  for (const [at, rung] of rungs.entries()) {
    if (page.isStopped || page.gpu.lost) break;
    say(`${NAMES[rung]}, ${at + 1} of ${rungs.length} …`);
    page.running = NAMES[rung];
    refresh();
    const row = await runRung(page.gpu, chosen, rung, page.peak.read);
    const gain = (before) => row.gpu_ms_median && (page.shown.get(before)?.gpu_ms_median / row.gpu_ms_median || null);
    Object.assign(row, { step_speedup: gain(HALOFOLD.rungs[rung].improves), cumulative_speedup: gain(NAMES[0]) });
    counts[row.status] += 1;
    page.shown.set(row.rung, row);
    const isOther = (known) => ["rung", "type", "op", "n", "workgroup_size"].some((key) => known[key] !== row[key]);
    page.rows = [...page.rows.filter(isOther), row];
    fillRow(rowOf(row.rung));
    await sleep(0); // Lets the page be drawn.
  }
  if (page.gpu.lost) return;
  say(`The ladder${page.isStopped ? ", stopped" : ""}: ${counts.pass} right, ${counts.fail} wrong, ${counts.skipped} skipped.`, counts.fail > 0);
}

// The heat picture. It moves at once, unless the visitor wants little motion.
function startHeat() {
  try {
    page.heat = new Heat(page.gpu, place("heat"), chosenVariant().plan);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) toggleHeat();
    refresh();
  } catch (error) {
    place("rate").textContent = `This browser draws no pictures from WebGPU: ${error.message}`;
  }
}

function toggleHeat() {
  const { heat, isBusy } = page;
  if (heat.running) heat.running = false;
  else if (!isBusy) heat.start((rate) => { place("rate").textContent = `${Math.round(rate).toLocaleString("en")} steps a second`; });
  place("heat-run").textContent = heat.running ? "Pause" : "Run";
}

// Shows the kernel of the heat picture.
function showVariant() {
  const { name, plan, block } = chosenVariant();
  place("variant-lesson").replaceChildren(lessonOf(plan, name, [["block", block]]));
  page.heat?.choose(plan);
}

// Fills a rung's row if it is open, and empties it if it is not.
function fillRow(row) {
  row.lastElementChild.replaceChildren(...(row.open ? openRung(row.dataset.row) : []));
  refresh();
}

// A change of the settings hides earlier measurements.
const changed = () => { page.shown.clear(); document.querySelectorAll("[data-row]").forEach(fillRow); };

// The page as it can be read without a GPU.
fill("work", HALOFOLD.cases.map(({ op, type }) => `${op} of ${type}`));
fill("length", HALOFOLD.lengths.map(countOf));
fill("variant", HALOFOLD.variants.map(({ name }) => name));
place("variant").value = HALOFOLD.variants.length - 1;
for (const lead of document.querySelectorAll("p.words")) lead.replaceChildren(...rich(lead.textContent));
offerRecords();
showVariant();
document.onvisibilitychange = () => {
  if (page.isBusy && !isVisible()) say("Waiting: this tab is in the background, where browsers slow everything down.");
};
window.onhashchange = () => { offerRecords(); refresh(); };
rowOf(NAMES[0]).open = true;
page.opened = openPage();
