//! Places in memory of an array's elements, in either order of its dimensions.

/// Elements one after the other along an axis, for each result in the order of the dimensions that are left.
pub fn lines(shape: &[usize], axis: usize, fortran: bool) -> Vec<Vec<usize>> {
    let mut strides = vec![1; shape.len()];
    let order: Vec<usize> =
        if fortran { (0..shape.len()).collect() } else { (0..shape.len()).rev().collect() };
    let mut each = 1;
    for dimension in order {
        strides[dimension] = each;
        each *= shape[dimension];
    }
    let mut starts = vec![0];
    for dimension in (0..shape.len()).filter(|dimension| *dimension != axis) {
        let along = |start: usize| (0..shape[dimension]).map(move |k| (start, k));
        starts =
            starts.iter().flat_map(|start| along(*start)).map(|(s, k)| s + k * strides[dimension]).collect();
    }
    starts.iter().map(|start| (0..shape[axis]).map(|k| start + k * strides[axis]).collect()).collect()
}

/// All elements in C's order: lines along one more dimension, which has one element.
pub fn in_c_order(shape: &[usize], fortran: bool) -> Vec<usize> {
    lines(&[shape, &[1]].concat(), shape.len(), fortran).concat()
}
