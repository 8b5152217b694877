//! How a reduction cuts its input into groups of elements, one for each result: rows of the tables that test shapes.

use std::fmt::{Display, Formatter};

use halofold::reduce::{Both, Reduce, Reduction, Shape};
use halofold::{Compiled, Slice, wgpu};

use crate::common::{self, Gpu, POISON, poisoned, shaped};
pub use halofold_cases::Group;
use halofold_cases::groups;

#[derive(Clone, Debug)]
pub struct Cut {
    pub shape: Shape,
    /// Elements of the input.
    pub len: usize,
    /// Elements of poison in front of the first input, and of the second.
    pub at: [usize; 2],
    /// Where segments begin and end, for [`Shape::Offsets`].
    pub offsets: Vec<u32>,
    /// The number of elements to take, if the GPU reads it.
    pub count: Option<u32>,
    /// Lengths of the parts that lie in buffers of their own, before the last.
    parts: Vec<usize>,
}

impl Cut {
    pub fn of(shape: Shape, len: usize) -> Cut {
        Cut { shape, len, at: [0; 2], offsets: Vec::new(), count: None, parts: Vec::new() }
    }

    pub fn whole(len: usize) -> Cut {
        Cut::of(Shape::Whole, len)
    }

    pub fn strided(stride: usize, len: usize) -> Cut {
        Cut::of(Shape::Strided { stride: stride as u64 }, len)
    }

    pub fn segments(len: usize, count: usize) -> Cut {
        Cut::of(Shape::Segments { len: len as u64 }, len * count)
    }

    pub fn axis([outer, len, inner]: [usize; 3]) -> Cut {
        Cut::of(Shape::axis(outer as u64, len as u64, inner as u64), outer * len * inner)
    }

    pub fn between(offsets: Vec<u32>, len: usize) -> Cut {
        let shape = Shape::Offsets { count: offsets.len() as u64 - 1 };
        Cut { offsets, ..Cut::of(shape, len) }
    }

    /// Segments of these lengths, one behind the other, and elements in front of them and behind that belong to none.
    pub fn of_lengths(before: usize, lengths: impl IntoIterator<Item = usize>, behind: usize) -> Cut {
        let mut offsets = vec![before as u32];
        offsets.extend(lengths.into_iter().scan(before, |at, len| {
            *at += len;
            Some(*at as u32)
        }));
        let end = offsets[offsets.len() - 1] as usize;
        Cut::between(offsets, end + behind)
    }

    pub fn at(self, first: usize) -> Cut {
        self.at_both([first; 2])
    }

    pub fn at_both(self, at: [usize; 2]) -> Cut {
        Cut { at, ..self }
    }

    pub fn counted(self, count: u32) -> Cut {
        Cut { count: Some(count), ..self }
    }

    pub fn in_parts(self, parts: &[usize]) -> Cut {
        Cut { parts: parts.to_vec(), ..self }
    }

    /// One cut of each shape and each way to give an input, of 60 000 elements.
    pub fn every() -> Vec<Cut> {
        const LEN: usize = 60_000;
        vec![
            Cut::whole(LEN),
            Cut::strided(7, LEN),
            Cut::segments(10, LEN / 10),
            Cut::segments(250, LEN / 250),
            Cut::segments(LEN / 2, 2),
            Cut::between(vec![0, 3, 3, 20_000, 20_100, 59_999, 60_000], LEN),
            Cut::axis([6, 1000, 10]),
            Cut::axis([6, 100, 100]),
            Cut::axis([1, 12_000, 5]),
        ]
    }

    /// Cuts that only operators of one input take.
    pub fn every_of_one() -> Vec<Cut> {
        [Cut::whole(60_000).counted(50_001), Cut::whole(60_100).in_parts(&[9000])]
            .into_iter()
            .chain(Cut::every())
            .collect()
    }

    /// The places of each result's elements.
    pub fn groups(&self) -> Vec<Group> {
        let most = self.count.map_or(usize::MAX, |count| count as usize);
        groups(self.shape, self.len, &self.offsets, most)
    }

    /// Copies inputs whose elements have `stride` bytes to a device.
    pub fn hold(&self, gpu: &Gpu, stride: usize, inputs: &[&[u8]]) -> Held {
        let part = |bytes: &[u8], at: usize| {
            let offset = (at * stride) as u64;
            (poisoned(gpu, bytes, offset), offset, bytes.len() as u64)
        };
        let (mut parts, mut rest) = (Vec::new(), inputs[0]);
        for len in &self.parts {
            let (front, behind) = rest.split_at(len * stride);
            // Each part begins elsewhere between two vectors.
            parts.push(part(front, self.at[0] + 5 * parts.len()));
            rest = behind;
        }
        parts.push(part(rest, self.at[0] + 5 * parts.len()));
        let second = inputs.get(1).map(|bytes| part(bytes, self.at[1]));
        // The count lies at an odd word behind the offsets.
        let numbers = [&self.offsets[..], &[POISON; 3], &[self.count.unwrap_or(POISON)]].concat();
        Held {
            parts,
            second,
            shape: self.shape,
            offsets: self.offsets.len() as u64,
            is_counted: self.count.is_some(),
            numbers: poisoned(gpu, bytemuck::cast_slice(&numbers), NUMBERS),
        }
    }
}

impl Display for Cut {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Cut { shape, len, at, offsets, count, parts } = self;
        let some = &offsets[..offsets.len().min(10)];
        write!(f, "{shape:?} of {len} at {at:?}, offsets {some:?}, count {count:?}, parts {parts:?}")
    }
}

/// The byte at which offsets begin.
const NUMBERS: u64 = 256;

/// The inputs of a cut on a device, among poison.
pub struct Held {
    parts: Vec<(wgpu::Buffer, u64, u64)>,
    second: Option<(wgpu::Buffer, u64, u64)>,
    shape: Shape,
    offsets: u64,
    is_counted: bool,
    numbers: wgpu::Buffer,
}

impl Held {
    pub fn reduction<'a>(&'a self, reducer: &'a Compiled<Reduce>) -> Reduction<'a, 'a> {
        let slice = |(buffer, offset, size): &'a (wgpu::Buffer, u64, u64)| Slice::new(buffer, *offset, *size);
        let first = slice(&self.parts[0]);
        let all = match &self.second {
            Some(second) => reducer.of(Both { first, second: slice(second) }),
            None => reducer.of(first),
        };
        let all = self.parts[1..].iter().fold(all, |all, part| all.chain(slice(part)));
        let offsets = Slice::new(&self.numbers, NUMBERS, 4 * self.offsets);
        let all = shaped(all, self.shape, offsets);
        let count = Slice::new(&self.numbers, NUMBERS + 4 * (self.offsets + 3), 4);
        if self.is_counted { all.count_buffer(count) } else { all }
    }

    /// Reduces everything twice, and returns the bytes of the results, which are the same.
    pub fn reduce(&self, gpu: &Gpu, reducer: &Compiled<Reduce>) -> Vec<u8> {
        reduce(gpu, &self.reduction(reducer))
    }
}

/// Runs a reduction twice among poison, and returns the bytes of its results, which are the same.
pub fn reduce(gpu: &Gpu, reduction: &Reduction<'_, '_>) -> Vec<u8> {
    let [first, second] = gpu.watched(|| common::run(gpu, reduction, None)).unwrap();
    assert!(first == second, "{reduction:?} gave other bits the second time");
    first
}
