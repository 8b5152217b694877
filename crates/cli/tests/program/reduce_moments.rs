//! `halofold reduce` with moments of two files, weighted, and of third and fourth order: NumPy's and SciPy's results.

use crate::files::{Folder, npy, reduce, refused, rows};

const X: [f64; 6] = [1.0, 2.0, 4.0, 7.0, 11.0, 5.0];
const Y: [f64; 6] = [3.0, 1.0, 8.0, 9.0, 20.0, 4.0];

/// The results of some operators over files with these numbers added to the elements.
fn values(folder: &Folder, offset: f64, more: &[&str]) -> Vec<f64> {
    let written = [("x.npy", X), ("y.npy", Y)].map(|(name, numbers)| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| (x + offset).to_le_bytes()).collect();
        folder.write(name, &npy("<f8", false, &[6], &bytes))
    });
    let args = [&written[0], "--with", &written[1], "--json", "--verify", "--piece", "16"];
    let rows = rows(&reduce(&[&args, more].concat()));
    rows.iter().map(|row| row["value"].as_f64().unwrap()).collect()
}

#[test]
fn moments_are_numpys_and_scipys_however_large_the_mean() {
    let needed = halofold::Element::F64.feature();
    if !crate::files::features().contains(needed) {
        return eprintln!("left out: the adapter has no 64-bit floats");
    }
    let folder = Folder::new("moments");
    let ops = ["--op", "covariance,correlation,skewness,kurtosis"];
    // np.cov(x, y, ddof=0), np.corrcoef(x, y), scipy.stats.skew(x), scipy.stats.kurtosis(x).
    let expected = [115.0 / 6.0, 0.926_365_622_822_243_6, 0.603_022_689_155_527_3, -8.0 / 11.0];
    for offset in [0.0, 1e8, -1e12] {
        let found = values(&folder, offset, &ops);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-14, "{found} is not {expected}, at {offset}");
        }
    }
    let sample = values(&folder, 1e8, &["--op", "covariance", "--ddof", "1"]);
    assert!((sample[0] - 23.0).abs() < 1e-13, "{sample:?}");
    // np.average(x, weights=y).
    let mean = values(&folder, 0.0, &["--op", "weighted-mean"]);
    assert!((mean[0] - 68.0 / 9.0).abs() < 1e-14, "{mean:?}");
    refused(&reduce(&["x.npy", "--op", "correlation"]), &["--op correlation", "--with"]);
}
