//! A run that goes on with one device, because the way between two is slow.

use std::thread;

use halofold::stencil::{Border, Borders, FIVE_POINT, Grid};
use halofold::{Element, adapter};

use super::*;

fn members() -> Option<Vec<Member>> {
    let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
    let open = |_| {
        let (device, queue) = pollster::block_on(adapter::open(&adapter)).expect("it opens");
        Member { device, queue }
    };
    let members: Vec<_> = (0..2).map(open).collect();
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
    team.choice = Some(Choice { alone: Alone { member: 1, seconds }, began: None });
    team
}

#[test]
fn a_run_goes_on_with_one_device_where_the_way_between_two_is_slow() {
    let Some(members) = members() else { return eprintln!("not run: OpenGL has one device") };
    let grid = Grid::plane(64, 48);
    for (border, has_rhs) in [(Border::Fixed, true), (Border::Wrap, false)] {
        let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, grid);
        let config = config.with_borders(Borders::all(border));
        let config = if has_rhs { config.with_rhs() } else { config };
        let numbers = |seed: u32| -> Vec<u8> {
            let number = |cell: u32| (cell.wrapping_mul(2_654_435_769 ^ seed) >> 8) as f32 / (1 << 24) as f32;
            (0..64 * 48).flat_map(|cell| number(cell).to_le_bytes()).collect()
        };
        let (cells, right) = (numbers(1), numbers(2));
        let given = (&cells[..], has_rhs.then_some(&right[..]));

        let mut slow = team(&members, config, given, 1e-7);
        slow.advance(2000).unwrap();
        assert_eq!((slow.used(), slow.workers().len()), (&[1][..], 1));
        slow.advance(7).unwrap();
        assert_eq!(slow.outcome().steps, 2007);

        let mut one =
            Team::new(&members[..1], config, FIVE_POINT.usual, given, &TeamOptions::default()).unwrap();
        one.advance(2007).unwrap();
        assert!(slow.read(0..config.bytes()).unwrap() == one.read(0..config.bytes()).unwrap());

        // Both stay if one is slower still.
        let mut both = team(&members, config, given, 1.0);
        both.advance(120).unwrap();
        assert_eq!(both.used(), [0, 1]);
        one = Team::new(&members[..1], config, FIVE_POINT.usual, given, &TeamOptions::default()).unwrap();
        one.advance(120).unwrap();
        assert!(both.read(0..config.bytes()).unwrap() == one.read(0..config.bytes()).unwrap());
    }
}
