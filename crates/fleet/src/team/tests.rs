//! Runs whose depth changes, and runs that go on with one device because the way between two is slow.

use std::thread;

use halofold::stencil::{Border, Borders, FIVE_POINT, Grid};
use halofold::{Element, adapter};

use super::*;

fn members(count: usize) -> Option<Vec<Member>> {
    let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
    let open = |_| {
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("it opens");
        Member { device, queue }
    };
    let members: Vec<_> = (0..count).map(open).collect();
    check_contexts(members.iter().map(|member| &member.device)).ok().map(|()| members)
}

/// A transport of 5 ms a face.
fn slowly(worker: &Worker, side: Side, bytes: &[u8]) -> Result<(), WorkerError> {
    thread::sleep(Duration::from_millis(5));
    worker.give(side, bytes)
}

/// A team in rounds of 4 steps at first, which may go on with the second device, on which a step takes so long.
fn team<'a>(
    members: &[Member],
    config: Config,
    (cells, rhs): (&'a [u8], Option<&'a [u8]>),
    seconds: f64,
) -> Team {
    let options = TeamOptions::default().with_halo(8).with_steps(100_000);
    let mut team = Team::new(members, config, FIVE_POINT.usual, (cells, rhs), &options).unwrap();
    team.workers.deliver = slowly;
    team.stepping = Stepping::corrected(8, 4, 8);
    team.choice = Some(Choice { alone: Alone { member: 1, seconds }, all: Progress::default() });
    team
}

#[test]
fn a_run_goes_on_with_one_device_where_the_way_between_two_is_slow() {
    let Some(members) = members(2) else { return eprintln!("not run: OpenGL has one device") };
    let grid = Grid::plane(64, 48);
    for (border, has_rhs) in [(Border::Fixed, true), (Border::Wrap, false)] {
        let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, grid);
        let config = config.with_borders(Borders::all(border));
        let config = if has_rhs { config.with_rhs() } else { config };
        let (cells, right) = (numbers(&config, 1), numbers(&config, 2));
        let given = (&cells[..], has_rhs.then_some(&right[..]));

        let mut slow = team(&members, config, given, 1e-7);
        if has_rhs {
            slow.advance(2000).unwrap();
        } else {
            // Every round is cut short by a check, and none tells how long a full one takes.
            let until = Until::new(0.0).with_every(3);
            assert!(!slow.advance_until(2000, &until).unwrap().converged);
        }
        assert_eq!((slow.used(), slow.workers().len()), (&[1][..], 1));
        slow.advance(7).unwrap();
        assert_eq!(slow.outcome().steps, 2007);
        assert!(slow.read(0..config.bytes()).unwrap() == alone(&members, config, given, 2007));

        // Both stay if one is slower still.
        let mut both = team(&members, config, given, 1.0);
        both.advance(120).unwrap();
        assert_eq!(both.used(), [0, 1]);
        assert!(both.read(0..config.bytes()).unwrap() == alone(&members, config, given, 120));
    }
}

#[test]
fn another_device_may_go_on_than_those_that_began() {
    let Some(members) = members(3) else { return eprintln!("not run: OpenGL has one device") };
    let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, Grid::plane(64, 48));
    let cells = numbers(&config, 1);
    let cutter = Cutter { members: members.clone(), config, weights: FIVE_POINT.usual };
    let alone = Alone { member: 2, seconds: 1e-7 };
    let cut = cutter.first(2).corrected(&[1.0, 1.0], Some(4), Some(alone)).unwrap();
    let mut workers = Workers::load(&cutter, &cut, &cells, &[]).unwrap();
    workers.deliver = slowly;
    assert_eq!(workers.used, [0, 1]);
    let choice = Some(Choice { alone, all: Progress::default() });
    let (stepping, loading) = (cut.stepping, Duration::ZERO);
    let mut team = Team { cutter, workers, stepping, choice, steps: Some(100_000), loading };
    team.advance(2000).unwrap();
    assert_eq!(team.used(), [2]);
    assert!(team.read(0..config.bytes()).unwrap() == self::alone(&members, config, (&cells, None), 2000));
}

/// Each depth that is tried, deeper ones too, leaves halos that are right: with fixed cells and a right-hand side, in rings, of whole words.
#[test]
fn rounds_of_any_depth_have_the_same_bits() {
    let Some(members) = members(3) else { return eprintln!("not run: OpenGL has one device") };
    for (border, element, has_rhs) in [
        (Border::Fixed, Element::F32, true),
        (Border::Wrap, Element::F32, false),
        (Border::Reflect, Element::F16, true),
    ] {
        if !members[0].device.features().contains(element.feature()) {
            eprintln!("not run: {element}");
            continue;
        }
        let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), element, Grid::plane(244, 33));
        let config = config.with_borders(Borders::all(border));
        let config = if has_rhs { config.with_rhs() } else { config };
        let (cells, right) = (numbers(&config, 1), numbers(&config, 2));
        let given = (&cells[..], has_rhs.then_some(&right[..]));
        let cutter = Cutter { members: members.clone(), config, weights: FIVE_POINT.usual };
        let cut = cutter.corrected(&[1.0, 1.0, 1.0], Some(2), None).unwrap();
        assert!(cut.stepping.most() >= 8 && cut.slabs[0].depth() == 2);
        let workers = Workers::load(&cutter, &cut, &cells, given.1.unwrap_or_default()).unwrap();
        let (stepping, loading) = (cut.stepping, Duration::ZERO);
        let mut team = Team { cutter, workers, stepping, choice: None, steps: None, loading };
        let mut depths = vec![team.stepping.depth()];
        for _ in 0..40 {
            team.advance(31).unwrap();
            depths.push(team.stepping.depth());
        }
        assert!(depths.iter().any(|depth| *depth != 2), "{depths:?}");
        assert!(team.read(0..config.bytes()).unwrap() == alone(&members, config, given, 40 * 31));
    }
}

/// The grid after so many steps on the first device.
fn alone(members: &[Member], config: Config, given: (&[u8], Option<&[u8]>), steps: u32) -> Vec<u8> {
    let options = TeamOptions::default();
    let mut one = Team::new(&members[..1], config, FIVE_POINT.usual, given, &options).unwrap();
    one.advance(steps).unwrap();
    one.read(0..config.bytes()).unwrap()
}

/// Cells between 0 and 1, as bytes.
fn numbers(config: &Config, seed: u32) -> Vec<u8> {
    let cells = 0..config.grid.cells() as u32;
    if config.element == Element::F16 {
        let number = |cell: u32| 0x3800 | (cell.wrapping_mul(2_654_435_769 ^ seed) >> 22) as u16;
        return cells.flat_map(|cell| number(cell).to_le_bytes()).collect();
    }
    let number = |cell: u32| (cell.wrapping_mul(2_654_435_769 ^ seed) >> 8) as f32 / (1 << 24) as f32;
    cells.flat_map(|cell| number(cell).to_le_bytes()).collect()
}
