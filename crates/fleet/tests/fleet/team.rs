//! Several devices of one process: however a grid is cut, the bits are those of one device.

use halofold::stencil::{
    BOXES, Border, Borders, Config, FIVE_POINT, Grid, SEVEN_POINT, STENCILS, StencilError,
    TWENTY_SEVEN_POINT, Until,
};
use halofold::wgpu;
use halofold::{Element, adapter};
use halofold_fleet::{FleetError, Team, TeamOptions, is_short};
use proptest::prelude::*;

use crate::devices::{any_stencil, cells, members, open, preferred, single, whole};

#[track_caller]
fn same(team: &Team, config: &Config, expected: &[u8]) {
    let got = team.read(0..config.bytes()).expect("the grid can be read");
    let at = (0..got.len()).find(|&at| got[at] != expected[at]);
    assert_eq!(at, None, "{config:?}: byte of {}", got.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Any cut of any grid: also heights that do not divide, unequal shares, rings of 1, 2, 3 and 4.
    #[test]
    fn any_cut_has_the_bits_of_one(
        count in 1usize..=4,
        nth in 0..STENCILS.len() + BOXES.len(),
        [across, low, high] in prop::array::uniform3(prop::sample::select(vec![
            Border::Fixed, Border::Reflect, Border::Wrap, Border::Mirror, Border::Constant(-0.3),
        ])),
        (layers, cols) in (8u32..60, 3u32..40),
        halo in 1u32..9,
        shares in prop::collection::vec(1.0f64..6.0, 4),
        steps in 0u32..23,
        (has_rhs, element) in (any::<bool>(), prop::sample::select(vec![Element::F32, Element::F64, Element::F16])),
    ) {
        let stencil = any_stencil(nth);
        let grid = if stencil.dims.count() == 2 { Grid::plane(layers, cols) } else { Grid { planes: layers, rows: 5, cols } };
        let has = |element: &Element| members(1)[0].device.features().contains(element.feature());
        let element = Some(element).filter(has).unwrap_or(Element::F32);
        // A direction is periodic on both sides or on none.
        let high = if low == Border::Wrap || high == Border::Wrap { low } else { high };
        let borders = if stencil.dims.count() == 2 {
            Borders { west: across, east: across, north: low, south: high, ..Borders::default() }
        } else {
            Borders { near: low, far: high, ..Borders::all(across) }
        };
        let config = single(stencil, element, grid, borders);
        let config = if has_rhs { config.with_rhs() } else { config };
        let (first, second) = (cells(&config, 1), cells(&config, 2));
        let rhs = has_rhs.then_some(&second[..]);
        let options = TeamOptions::default().with_halo(halo).with_shares(shares[..count].to_vec());
        match Team::new(members(count), config, stencil.usual, (&first, rhs), &options) {
            Ok(mut team) => {
                team.advance(steps / 2).unwrap();
                team.advance(steps - steps / 2).unwrap();
                same(&team, &config, &whole(config, config.stencil.usual, &first, rhs, steps));
            }
            // Slabs thinner than their halo are refused, never wrong.
            Err(FleetError::Layers { .. } | FleetError::Stencil(StencilError::SlabHalo { .. })) => {
                prop_assert!((halo * stencil.radius() + 1) * count as u32 > layers, "{halo} {layers}");
            }
            Err(FleetError::Stencil(StencilError::SlabWords { .. })) => prop_assert!(element == Element::F16 && cols % 2 == 1),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn options_that_are_not_set_are_measured() {
    for (stencil, grid) in [
        (&FIVE_POINT, Grid::plane(200, 96)),
        (&TWENTY_SEVEN_POINT, Grid { planes: 40, rows: 12, cols: 16 }),
        (&SEVEN_POINT, Grid { planes: 9, rows: 12, cols: 16 }),
    ] {
        let config = single(stencil, Element::F32, grid, Borders::all(Border::Wrap));
        let first = cells(&config, 7);
        let mut team =
            Team::new(members(3), config, stencil.usual, (&first, None), &TeamOptions::default()).unwrap();
        assert!(team.halo() >= 1);
        team.advance(40).unwrap();
        same(&team, &config, &whole(config, config.stencil.usual, &first, None, 40));
    }
}

#[test]
fn time_blocked_kernels_have_the_same_bits() {
    if members(1)[0].device.adapter_info().name.contains("SwiftShader") {
        eprintln!("not run: SwiftShader takes minutes to compile time-blocked kernels");
        return;
    }
    for stencil in [&FIVE_POINT, &SEVEN_POINT] {
        let grid = if stencil.dims.count() == 2 {
            Grid::plane(150, 64)
        } else {
            Grid { planes: 30, rows: 20, cols: 24 }
        };
        let blocked = stencil.variants().find(|variant| variant.is_blocked()).expect("there is one");
        for border in [Border::Fixed, Border::Reflect, Border::Wrap] {
            let config = Config::new(stencil, blocked, Element::F32, grid).with_borders(Borders::all(border));
            let tuning =
                config.tuning.with_levels_per_team(2).with_rows_per_group(40).with_planes_per_group(6);
            let config = config.with_tuning(tuning);
            let first = cells(&config, 3);
            let options = TeamOptions::default().with_halo(7);
            let mut team = Team::new(members(3), config, stencil.usual, (&first, None), &options).unwrap();
            team.advance(25).unwrap();
            same(&team, &config, &whole(config, config.stencil.usual, &first, None, 25));
        }
    }
}

/// Faces of a MiB are copied by threads.
#[test]
fn large_faces_arrive_too() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(70, 16384), Borders::all(Border::Wrap));
    let first = cells(&config, 9);
    let options = TeamOptions::default().with_halo(16);
    let mut team = Team::new(members(3), config, FIVE_POINT.usual, (&first, None), &options).unwrap();
    assert!(team.workers()[0].slab().face_bytes() >= 1 << 20);
    team.advance(40).unwrap();
    same(&team, &config, &whole(config, config.stencil.usual, &first, None, 40));
}

#[test]
fn a_run_goes_on_by_another_condition() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Fixed));
    let first = cells(&config, 5);
    let options = TeamOptions::default().with_halo(4);
    let mut team = Team::new(members(2), config, FIVE_POINT.usual, (&first, None), &options).unwrap();
    let rough = team.advance_until(5000, &Until::new(1e-2)).unwrap();
    assert!(rough.converged && team.advance_until(5000, &Until::new(1e-2)).unwrap() == rough);
    let fine = team.advance_until(5000, &Until::new(1e-4)).unwrap();
    assert!(fine.converged && fine.steps > rough.steps, "{rough:?} {fine:?}");
    team.advance(3).unwrap();
    assert!(!team.outcome().converged);
    assert_eq!(team.advance_until(1, &Until::new(1e-4)).unwrap().steps, fine.steps + 4);
}

#[test]
fn runs_stop_at_the_same_step_however_they_are_cut() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Fixed));
    let first = cells(&config, 5);
    let until = Until::new(1e-4).with_every(7);
    let mut outcomes = Vec::new();
    for count in 1..=4 {
        let options = TeamOptions::default().with_halo(4);
        let mut team = Team::new(members(count), config, FIVE_POINT.usual, (&first, None), &options).unwrap();
        // In pieces of any size.
        while !team.outcome().converged && team.outcome().steps < 5000 {
            team.advance_until(70, &until).unwrap();
        }
        let outcome = team.outcome();
        assert!(outcome.converged, "{outcome:?}");
        same(&team, &config, &whole(config, config.stencil.usual, &first, None, outcome.steps));
        outcomes.push((outcome.steps, outcome.max.to_bits(), outcome.l2.to_bits()));
    }
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{outcomes:?}");
}

#[test]
fn a_lost_device_is_an_error_that_says_which() {
    let adapter = preferred();
    for stage in 0..4 {
        let members = [open(&adapter), open(&adapter)];
        let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Reflect));
        let first = cells(&config, 5);
        let lose = || members[1].device.destroy();
        if stage == 0 {
            lose();
        }
        let options = TeamOptions::default().with_halo(4);
        let team = Team::new(&members, config, FIVE_POINT.usual, (&first, None), &options);
        let lost = team.and_then(|mut team| {
            team.advance(12)?;
            if stage == 1 {
                lose();
            }
            team.advance(12)?;
            if stage == 2 {
                lose();
            }
            team.finish()?;
            if stage == 3 {
                lose();
            }
            team.read(0..config.bytes()).map(drop)
        });
        match lost {
            Err(FleetError::Member { member: 1, .. }) => {}
            other => panic!("stage {stage}: {other:?}"),
        }
    }
}

#[test]
fn a_device_may_be_lost_while_others_wait() {
    let adapter = preferred();
    let members = [open(&adapter), open(&adapter)];
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(400, 333), Borders::all(Border::Fixed));
    let first = cells(&config, 5);
    let options = TeamOptions::default().with_halo(2);
    let mut team = Team::new(&members, config, FIVE_POINT.usual, (&first, None), &options).unwrap();
    let lost = members[0].device.clone();
    let loser = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        lost.destroy();
    });
    let result = (0..10_000).try_for_each(|_| team.advance(20));
    loser.join().unwrap();
    assert!(matches!(result, Err(FleetError::Member { member: 0, .. })), "{result:?}");
}

#[test]
fn short_runs_are_left_to_the_first() {
    let of =
        |rows, cols| single(&FIVE_POINT, Element::F32, Grid::plane(rows, cols), Borders::all(Border::Fixed));
    let (config, usual) = (of(40, 33), FIVE_POINT.usual);
    let short = |config, steps| is_short(&members(1)[0], 3, (config, usual), steps);
    assert!(short(config, 1000) && !short(config, u32::MAX));
    let (cells, options) = (cells(&config, 5), TeamOptions::default().with_steps(1000));
    assert_eq!(Team::new(members(3), config, usual, (&cells, None), &options).unwrap().used(), [0]);
    // One that has no room for the grid cannot tell.
    assert!(!short(of(1 << 24, 1 << 16), 1));
}

#[test]
fn wrong_requests_are_errors() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Fixed));
    let first = cells(&config, 5);
    let usual = FIVE_POINT.usual;
    let team = |count, cells, options: TeamOptions| {
        Team::new(members(count), config, usual, (cells, None), &options).map(drop)
    };
    let options = TeamOptions::default;
    assert!(matches!(team(2, &first[4..], options()), Err(FleetError::Cells { .. })));
    assert!(matches!(team(2, &first, options().with_halo(21)), Err(FleetError::Layers { .. })));
    assert!(matches!(
        team(2, &first, options().with_halo(4).with_shares(vec![1.0])),
        Err(FleetError::Shares { .. })
    ));
    assert!(matches!(team(0, &first, options()), Err(FleetError::Shares { .. })));
    let both = (&first[..], Some(&first[..]));
    assert!(Team::new(members(2), config, usual, both, &options()).is_err());
    assert!(Team::new(members(2), config.with_rhs(), usual, (&first, None), &options()).is_err());
    // A single GPU has no halo, and takes any.
    assert_eq!(
        Team::new(members(1), config, usual, (&first, None), &options().with_halo(u32::MAX)).unwrap().halo(),
        40
    );
    let mut team = Team::new(members(2), config, usual, (&first, None), &options().with_halo(4)).unwrap();
    assert!(team.read(0..config.bytes() + 4).is_err() && team.read(0..u64::MAX).is_err());
    assert!(team.workers()[0].read(u64::MAX - 4..u64::MAX, |_| ()).is_err());
    assert!(team.advance_until(4, &Until::new(f64::NAN)).is_err());
}

/// Adapters of different kinds, with subgroups of different widths, where the environment offers several:
/// `VK_DRIVER_FILES` may name lavapipe and SwiftShader.
#[test]
fn different_adapters_have_the_same_bits() {
    let mut adapters = pollster::block_on(adapter::list());
    adapters.retain(|adapter| adapter.get_info().backend != wgpu::Backend::Gl);
    adapters.dedup_by_key(|adapter| adapter.get_info().name);
    if adapters.len() < 2 {
        eprintln!("not run: there is one adapter only");
        return;
    }
    let members: Vec<_> = adapters.iter().map(open).collect();
    for stencil in STENCILS {
        let grid = if stencil.dims.count() == 2 {
            Grid::plane(61, 52)
        } else {
            Grid { planes: 31, rows: 9, cols: 20 }
        };
        for border in [Border::Fixed, Border::Reflect, Border::Wrap] {
            let config = single(stencil, Element::F32, grid, Borders::all(border));
            let first = cells(&config, 3);
            // Speeds are measured: the adapters have different names.
            let options = TeamOptions::default().with_halo(3);
            let mut team = Team::new(&members, config, stencil.usual, (&first, None), &options).unwrap();
            team.advance(17).unwrap();
            same(&team, &config, &whole(config, config.stencil.usual, &first, None, 17));
        }
    }
}
