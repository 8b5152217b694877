// The record that the program reads. Short records: milliseconds of each rung, and the memory's speed. The picture of the bars.

// Everything that was measured since the page was opened; of a measurement that was repeated the last.
function makeRecord({ name, isSoftware, hasSubgroups, hasStamps, subgroupRange }, { read, copy, bytes, timing }, rows) {
  const { brands = [], platform = navigator.platform || "unknown" } = navigator.userAgentData ?? {};
  const brand = brands.findLast((one) => !/not.?a.?brand/i.test(one.brand));
  const features = [hasSubgroups && "SUBGROUP", hasStamps && "TIMESTAMP_QUERY"].filter(Boolean);
  const driver = brand ? `${brand.brand} ${brand.version}` : navigator.userAgent;
  return {
    schema: HALOFOLD.schema, halofold: HALOFOLD.version, wgpu: "none: WebGPU", date: new Date().toISOString().replace(/\.\d+Z/, "Z"),
    adapter: { name, backend: "webgpu", driver, device_type: isSoftware ? "Cpu" : "Other", subgroup_range: subgroupRange, features },
    os: platform, peak: { read_gb_per_s: read, copy_gb_per_s: copy, bytes, timing }, inputs: "warm", rows,
  };
}

// An address that shows a short record: all of it is behind the #, which browsers send nowhere.
const linkOf = ({ ms, ...others }) => `${location.href.split("#")[0]}#${new URLSearchParams({ ...others, ...ms })}`;

// The short record in an address; null if there is none.
function linkedRecord(hash) {
  const { gpu, op, type, n, read, ...times } = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  const ms = NAMES.map((name) => [name, Number(times[name])]).filter(([, time]) => time > 0 && time < Infinity);
  if (!gpu || !(n > 0 && read > 0) || ms.length === 0) return null;
  return { gpu: gpu.slice(0, 60), op, type, n: Number(n), read: Number(read), ms: Object.fromEntries(ms), isLinked: true };
}

// GB/s of a rung in a short record, and the share of its memory's speed; null if it is not there.
function figuresOf({ n, read, ms }, rung) {
  const rate = (4 * n) / 1e6 / ms[rung];
  return ms[rung] ? { rate, share: (100 * rate) / read } : null;
}

// A sentence on a short record: its fastest rung, beside its memory and the first rung.
function headlineOf(record) {
  const rates = NAMES.map((name) => figuresOf(record, name)?.rate ?? 0);
  const fastest = rates.indexOf(Math.max(...rates));
  const found = figuresOf(record, NAMES[fastest]);
  if (!found) return "";
  const share = found.share > 110 ? "more than its memory can: a cache holds the input" : `${percent(found.share)} of the memory's read speed`;
  return `${NAMES[fastest]} reads ${digits(found.rate)} GB/s, ${share}${rates[0] && fastest ? `; ${digits(found.rate / rates[0], 2)} times the first rung` : ""}`;
}

// The bars of short records as an SVG file: for each rung, one below the other.
function pictureOf(records) {
  const rungs = NAMES.filter((name) => records[0].ms[name]);
  const [left, top, step] = [190, 40 + 20 * records.length, 14 * records.length + 10];
  const [bottom, colours] = [top + step * rungs.length, ["#2f6fb5", "#a8650c"]];
  const bars = records.flatMap((record, at) => rungs.map((rung, row) => ({ ...figuresOf(record, rung), at, y: top + step * row + 14 * at }))).filter(({ rate }) => rate);
  const unit = 400 / Math.max(100, ...bars.map(({ share }) => share));
  const escaped = (words) => words.replace(/[&<]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const text = (x, y, words, colour = "#1d2126") => `<text x="${x}" y="${y}" fill="${colour}">${escaped(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="${bottom + 26}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${[text(8, 22, headlineOf(records[0])), text(left, bottom + 16, "red line: how fast each machine reads its memory", "#b3261e"),
    ...records.map((record, at) => text(left, 42 + 20 * at, titleOf(record), colours[at])),
    ...rungs.map((rung, row) => text(8, top + step * row + 12, rung)),
    ...bars.map(({ share, at, y }) => `<rect x="${left}" y="${y + 2}" width="${unit * share}" height="11" fill="${colours[at]}"/>`),
    ...bars.map(({ rate, share, y }) => text(left + 412, y + 12, `${digits(rate)} GB/s, ${percent(share)}`)),
  ].join("\n")}
<path d="M${left + 100 * unit} ${top}V${bottom}" stroke="#b3261e" stroke-width="2"/>
</svg>
`;
}
