// Rows and records, with the keys of `halofold ladder --record`, for `halofold report` and `halofold compare`.
"use strict";

// A row before it has run.
function blankRow(gpu) {
  return { gpu_ms_median: null, gpu_ms_min: null, gpu_ms_iqr: null, samples: null, spread_percent: null, timing: null,
    status: "skipped", reason: null, adapter: gpu.name, backend: "webgpu" };
}

// The row of a trial.
function withTimes(row, { status, reason, times }) {
  if (!times) return { ...row, status, reason };
  return { ...row, status, reason, gpu_ms_median: times.median, gpu_ms_min: times.min, gpu_ms_iqr: times.iqr, samples: times.samples,
    spread_percent: times.spread, timing: times.timing };
}

// Adds each row's speedup over the rung that it improves, or else over the row before, and over the first.
function compareSteps(rows) {
  const times = [];
  return rows.map((row) => {
    const time = row.status === "pass" ? row.gpu_ms_median : null;
    const improves = HALOFOLD.rungs.find(({ name }) => name === row.rung)?.improves;
    const before = (times.findLast(([rung]) => rung === improves) ?? times.at(-1))?.[1];
    const compared = { ...row, step_speedup: time && before ? before / time : null, cumulative_speedup: time && times[0] ? times[0][1] / time : null,
      published_ms: null, published_gb_s: null };
    if (time) times.push([row.rung, time]);
    return compared;
  });
}

// The browser's name and version.
function browserName() {
  const brands = navigator.userAgentData?.brands?.filter(({ brand }) => !/not.?a.?brand/i.test(brand)) ?? [];
  const own = brands.find(({ brand }) => brand !== "Chromium") ?? brands[0];
  if (own) return `${own.brand} ${own.version}`;
  const named = navigator.userAgent.match(/(Firefox|Version|Edg|Chrome)\/(\d+)/);
  return named ? `${named[1] === "Version" ? "Safari" : named[1]} ${named[2]}` : "a browser";
}

// Everything that was measured since the page was opened; of a measurement that was repeated the last.
function makeRecord(gpu, peak, { rows, stencils }) {
  const features = [[gpu.hasSubgroups, "SUBGROUP"], [gpu.hasStamps, "TIMESTAMP_QUERY"]];
  return {
    schema: HALOFOLD.schema,
    halofold: HALOFOLD.version,
    wgpu: "none: WebGPU",
    date: new Date().toISOString().replace(/\.\d+Z/, "Z"),
    adapter: {
      name: gpu.name,
      backend: "webgpu",
      driver: browserName(),
      device_type: gpu.isSoftware ? "Cpu" : "Other",
      subgroup_range: gpu.subgroupRange,
      features: features.filter(([has]) => has).map(([, name]) => name),
    },
    os: navigator.userAgentData?.platform || navigator.platform || "unknown",
    peak: { read_gb_per_s: peak.read, copy_gb_per_s: peak.copy, bytes: peak.bytes, timing: peak.timing },
    inputs: "warm",
    rows: compareSteps(rows),
    stencils,
  };
}

// Puts a row in the place of one of the same measurement, or behind all others.
function keep(rows, row, keys) {
  const at = rows.findIndex((known) => keys.every((key) => known[key] === row[key]));
  if (at < 0) rows.push(row);
  else rows[at] = row;
}
