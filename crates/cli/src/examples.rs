//! Examples at the end of each command's help.

pub const REDUCE: &str = "Examples:
  halofold reduce data.npy --op mean,std,median
  halofold reduce data.npy --axis 0 -o sums.npy
  halofold reduce values.npy --by labels.npy --op count,mean --csv
  halofold reduce pixels.bin --raw u8 --shape 480,640 --op max";
pub const HISTOGRAM: &str = "Examples:
  halofold histogram data.npy --bins 64
  halofold histogram data.npy --range 0,1 -o counts.npy";
pub const SCAN: &str = "Examples:
  halofold scan data.npy -o sums.npy
  halofold scan data.npy --op max --axis 1 -o maxima.npy";
pub const STENCIL: &str = "Examples:
  halofold stencil grid.npy --steps 1000 -o later.npy
  halofold stencil grid.npy --until 1e-6 --boundary reflect -o picture.png
  halofold stencil planes.npy --steps 1000 --adapters all -o later.npy";
pub const REPLAY: &str = "Examples:
  halofold replay thesis-5pt
  halofold replay thesis-27pt --variants sol-reg,time-planes --record mine.json";
pub const LADDER: &str = "Examples:
  halofold ladder
  halofold ladder --rungs sequential,vectorized --type u32 --op max
  halofold ladder --n 2^10..2^26
  halofold ladder --record mine.json";
pub const SHOW: &str = "Examples:
  halofold show
  halofold show sequential
  halofold show vectorized --as msl --op max";
pub const REPORT: &str = "Examples:
  halofold report mine.json theirs.json
  halofold report mine.json -o ladder.svg";
pub const EXPORT: &str = "Examples:
  halofold export sum --n 2^20 -o sum.json
  halofold export quantiles type=u32 q=0.25,0.5,0.75 --n 1e6
  halofold export mean rows=1000 --n 1e6 --limits limits.json";
pub const COMPARE: &str = "Examples:
  halofold compare before.json after.json
  halofold compare before.json after.json --threshold 10";
