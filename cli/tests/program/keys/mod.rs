//! What a row of `--json` holds, wherever it is printed.

/// Asserts that a row has the documented keys, and no others.
pub fn assert_keys<'a>(row: impl Iterator<Item = &'a str>, keys: &[&str]) {
    let mut names: Vec<_> = row.collect();
    let mut keys = keys.to_vec();
    names.sort_unstable();
    keys.sort_unstable();
    assert_eq!(names, keys);
}

/// The keys of a reduction's row.
pub const KEYS: &[&str] = &[
    "preset",
    "row",
    "rung",
    "finish",
    "type",
    "op",
    "n",
    "workgroup_size",
    "workgroups",
    "dispatches",
    "gpu_ms_median",
    "gpu_ms_min",
    "gpu_ms_iqr",
    "samples",
    "spread_percent",
    "wall_ms_median",
    "gb_per_s",
    "percent_of_read_peak",
    "step_speedup",
    "cumulative_speedup",
    "published_ms",
    "published_gb_s",
    "status",
    "reason",
    "timing",
    "adapter",
    "backend",
];

/// The keys of a stencil's row.
pub const STENCIL_KEYS: &[&str] = &[
    "preset",
    "row",
    "variant",
    "points",
    "grid",
    "block",
    "boundary",
    "type",
    "steps_per_pass",
    "steps",
    "workgroups",
    "dispatches",
    "gpu_ms_median",
    "gpu_ms_min",
    "gpu_ms_iqr",
    "samples",
    "spread_percent",
    "wall_ms_median",
    "gcells_per_s",
    "gb_per_s",
    "gflop_per_s",
    "percent_of_copy_peak",
    "published_s",
    "published_gflop_s",
    "status",
    "reason",
    "timing",
    "adapter",
    "backend",
];
