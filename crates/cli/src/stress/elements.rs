//! The elements that all reductions take a part of, and the expected result of every part: exact, in constant time or nearly so, and
//! by other arithmetic than the kernels'.
//!
//! Element `i` is `base[i] + raised`. `raised` changes while the program runs. Neither takes 31 bits, so that no
//! element wraps and their order stays.

use std::ops::Range;

/// Elements of a block of which the least and the greatest are known.
const BLOCK: usize = 1024;

/// Bits of a number in `base`, and of `raised`.
pub const BITS: u32 = 30;

/// Numbers without a pattern: splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Returns true once in `often` times, at random.
    pub fn once_in(&mut self, often: u64) -> bool {
        self.below(often) == 0
    }
}

/// The reduction of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The sum in 32 bits.
    Sum,
    /// The sum in 64 bits.
    WideSum,
    /// The greatest element and the first place where it is.
    ArgMax,
    /// The least element and the greatest.
    MinMax,
    /// Eight words: the sum, its double and so on to six times the sum, how many, the sum of elements and places.
    EightSums,
}

impl Question {
    pub const ALL: [Question; 5] =
        [Question::Sum, Question::WideSum, Question::ArgMax, Question::MinMax, Question::EightSums];
}

/// The elements at the start, and tables of sums and extremes that give those of every part.
pub struct Elements {
    base: Vec<u32>,
    /// The sum of all elements in front of each place.
    before: Vec<u64>,
    /// Of each block the places of its least and its greatest element, the first of each.
    extremes: Vec<[usize; 2]>,
}

impl Elements {
    /// Elements without a pattern.
    pub fn random(len: usize, random: &mut Random) -> Self {
        Self::new((0..len).map(|_| (random.next() >> (64 - BITS)) as u32).collect())
    }

    fn new(base: Vec<u32>) -> Self {
        let len = base.len();
        let mut before = vec![0];
        before.extend(base.iter().scan(0, |sum, element| {
            *sum += u64::from(*element);
            Some(*sum)
        }));
        let blocks = (0..len.div_ceil(BLOCK)).map(|block| block * BLOCK..len.min((block + 1) * BLOCK));
        let extremes = blocks.map(|block| scan(&base, block.clone(), [block.start; 2])).collect();
        Elements { base, before, extremes }
    }

    pub fn base(&self) -> &[u32] {
        &self.base
    }

    pub fn len(&self) -> usize {
        self.base.len()
    }

    /// The words of the result of a part that is not empty, after `raised` was added to every element.
    pub fn answer(&self, question: Question, part: Range<usize>, raised: u32) -> Vec<u32> {
        let len = part.len() as u64;
        let sum = self.before[part.end] - self.before[part.start] + len * u64::from(raised);
        match question {
            Question::Sum => vec![sum as u32],
            Question::WideSum => vec![sum as u32, (sum >> 32) as u32],
            Question::ArgMax => {
                let [_, greatest] = self.extremes(part.clone());
                vec![self.base[greatest] + raised, (greatest - part.start) as u32]
            }
            Question::MinMax => self.extremes(part).map(|place| self.base[place] + raised).to_vec(),
            Question::EightSums => {
                let places = len * (len - 1) / 2;
                let sums = (1..=6).map(|times| (times * sum) as u32);
                sums.chain([len as u32, (sum + places) as u32]).collect()
            }
        }
    }

    /// The places of a part's least and greatest elements, the first of each.
    fn extremes(&self, part: Range<usize>) -> [usize; 2] {
        let (first, last) = (part.start.div_ceil(BLOCK), part.end / BLOCK);
        if first >= last {
            return scan(&self.base, part.clone(), [part.start; 2]);
        }
        let found = scan(&self.base, part.start..first * BLOCK, [part.start; 2]);
        let found = self.extremes[first..last].iter().fold(found, |found, [least, greatest]| {
            best(&self.base, best(&self.base, found, *least), *greatest)
        });
        scan(&self.base, last * BLOCK..part.end, found)
    }
}

fn scan(base: &[u32], part: Range<usize>, found: [usize; 2]) -> [usize; 2] {
    part.fold(found, |found, place| best(base, found, place))
}

/// The places of the least and the greatest element so far, and another place behind them.
fn best(base: &[u32], [least, greatest]: [usize; 2], place: usize) -> [usize; 2] {
    [
        if base[place] < base[least] { place } else { least },
        if base[place] > base[greatest] { place } else { greatest },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same from the elements one by one.
    fn by_hand(elements: &[u32], question: Question) -> Vec<u32> {
        let wide: u64 = elements.iter().map(|element| u64::from(*element)).sum();
        let sum = elements.iter().fold(0u32, |sum, element| sum.wrapping_add(*element));
        let most = *elements.iter().max().unwrap();
        match question {
            Question::Sum => vec![sum],
            Question::WideSum => vec![wide as u32, (wide >> 32) as u32],
            Question::ArgMax => {
                vec![most, elements.iter().position(|element| *element == most).unwrap() as u32]
            }
            Question::MinMax => vec![*elements.iter().min().unwrap(), most],
            Question::EightSums => {
                let placed =
                    (0u32..).zip(elements).fold(0u32, |sum, (i, e)| sum.wrapping_add(*e).wrapping_add(i));
                let sums = (1..=6).map(|times| sum.wrapping_mul(times));
                sums.chain([elements.len() as u32, placed]).collect()
            }
        }
    }

    #[test]
    fn tables_give_the_same_results_as_the_elements() {
        let mut random = Random::new(7);
        // Of few values, for ties: the first place counts, in a block and between blocks.
        let elements = Elements::new((0..10_000).map(|_| random.below(1000) as u32).collect());
        for round in 0..300 {
            let start = random.below(9_999) as usize;
            let end = start + 1 + random.below(10_000 - start as u64) as usize;
            let raised = (random.next() >> (64 - BITS)) as u32;
            let raised = if round % 3 == 0 { 0 } else { raised };
            let part: Vec<u32> = elements.base[start..end].iter().map(|element| element + raised).collect();
            for question in Question::ALL {
                assert_eq!(elements.answer(question, start..end, raised), by_hand(&part, question));
            }
        }
    }
}
