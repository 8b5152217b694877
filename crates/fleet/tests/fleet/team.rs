//! Several devices of one process: however a grid is cut, the bits are those of one device.

use halofold::stencil::{
    BOXES, Border, Borders, Config, FIVE_POINT, Grid, SEVEN_POINT, STENCILS, TWENTY_SEVEN_POINT, Until,
};
use halofold::wgpu;
use halofold::{Element, Error, adapter};
use halofold_fleet::{FleetError, Member, Team, in_memory};
use proptest::prelude::*;

use crate::devices::{any_stencil, cells, members, open, preferred, single, whole};

/// A team on the devices of `members`.
fn team(
    members: &[Member],
    config: Config,
    cells: &[u8],
    rhs: Option<&[u8]>,
    halo: Option<u32>,
) -> Result<Team, FleetError> {
    let (cells, rhs) = (in_memory(cells), rhs.map(in_memory));
    let rhs = rhs.as_ref().map(|rhs| rhs as halofold_fleet::Cells<'_>);
    Team::new(members, config, config.stencil.usual, (&cells, rhs), halo)
}

fn read(team: &Team, range: std::ops::Range<u64>) -> Result<Vec<u8>, FleetError> {
    let mut bytes = Vec::new();
    team.read(range, |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

#[track_caller]
fn same(team: &Team, config: &Config, expected: &[u8]) {
    let got = read(team, 0..config.bytes()).expect("the grid can be read");
    let at = (0..got.len()).find(|&at| got[at] != expected[at]);
    assert_eq!(at, None, "{config:?}: byte of {}", got.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Any cut of any grid: also heights that do not divide, rings of 1, 2, 3 and 4.
    #[test]
    fn any_cut_has_the_bits_of_one(
        count in 1usize..=4,
        nth in 0..STENCILS.len() + BOXES.len(),
        [across, low, high] in prop::array::uniform3(prop::sample::select(vec![
            Border::Fixed, Border::Reflect, Border::Wrap, Border::Mirror, Border::Constant(-0.3),
        ])),
        (layers, cols) in (8u32..60, 3u32..40),
        halo in 1u32..9,
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
        match team(members(count), config, &first, rhs, Some(halo)) {
            Ok(mut team) => {
                team.advance(steps / 2).unwrap();
                team.advance(steps - steps / 2).unwrap();
                same(&team, &config, &whole(config, config.stencil.usual, &first, rhs, steps));
            }
            // Slabs thinner than their halo are refused, never wrong.
            Err(FleetError::Stencil(Error::Setting(error))) if error.name == "cols" => {
                prop_assert!(element == Element::F16 && cols % 2 == 1);
            }
            Err(FleetError::Layers { .. } | FleetError::Stencil(Error::Setting(_))) => {
                prop_assert!((halo * stencil.radius() + 1) * count as u32 > layers, "{halo} {layers}");
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn a_depth_by_the_formula_has_the_bits_of_one() {
    for (stencil, grid) in [
        (&FIVE_POINT, Grid::plane(200, 96)),
        (&TWENTY_SEVEN_POINT, Grid { planes: 40, rows: 12, cols: 16 }),
        (&SEVEN_POINT, Grid { planes: 9, rows: 12, cols: 16 }),
    ] {
        let config = single(stencil, Element::F32, grid, Borders::all(Border::Wrap));
        let first = cells(&config, 7);
        let mut team = team(members(3), config, &first, None, None).unwrap();
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
        let (grid, layers) = if stencil.dims.count() == 2 {
            (Grid::plane(150, 64), 40)
        } else {
            (Grid { planes: 30, rows: 20, cols: 24 }, 6)
        };
        let blocked = stencil.variants().find(|variant| variant.is_blocked()).expect("there is one");
        for border in [Border::Fixed, Border::Reflect, Border::Wrap] {
            let config = Config::new(stencil, blocked, Element::F32, grid).with_borders(Borders::all(border));
            let tuning = config.tuning.with_levels_per_team(2).with_layers_per_group(layers);
            let config = config.with_tuning(tuning);
            let first = cells(&config, 3);
            let mut team = team(members(3), config, &first, None, Some(7)).unwrap();
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
    let mut team = team(members(3), config, &first, None, Some(16)).unwrap();
    assert!(team.workers()[0].slab().face_bytes() >= 1 << 20);
    team.advance(40).unwrap();
    same(&team, &config, &whole(config, config.stencil.usual, &first, None, 40));
}

#[test]
fn a_run_goes_on_by_another_condition() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Fixed));
    let first = cells(&config, 5);
    let mut team = team(members(2), config, &first, None, Some(4)).unwrap();
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
        let mut team = team(members(count), config, &first, None, Some(4)).unwrap();
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
        let lost = team(&members, config, &first, None, Some(4)).and_then(|mut team| {
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
            read(&team, 0..config.bytes()).map(drop)
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
    let mut team = team(&members, config, &first, None, Some(2)).unwrap();
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
fn nan_ends_a_run_with_a_condition_at_its_first_check() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Fixed));
    let mut first = cells(&config, 5);
    first[4 * 20 * 33..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    for count in [1, 2, 3] {
        let mut team = team(members(count), config, &first, None, Some(4)).unwrap();
        let outcome = team.advance_until(1000, &Until::new(1e30).with_every(6)).unwrap();
        assert!(outcome.is_nan() && !outcome.converged && outcome.steps == 6, "{outcome:?}");
    }
}

#[test]
fn wrong_requests_are_errors() {
    let config = single(&FIVE_POINT, Element::F32, Grid::plane(40, 33), Borders::all(Border::Fixed));
    let first = cells(&config, 5);
    let team = |count, config, cells, rhs, halo| team(members(count), config, cells, rhs, halo);
    assert!(matches!(team(2, config, &first[4..], None, None), Err(FleetError::File(_))));
    assert!(matches!(team(2, config, &first, None, Some(21)), Err(FleetError::Layers { .. })));
    assert!(matches!(team(4, config.with_layers(3), &first, None, None), Err(FleetError::Layers { .. })));
    assert!(matches!(team(0, config, &first, None, None), Err(FleetError::NoGpus)));
    assert!(team(2, config, &first, Some(&first), None).is_err());
    assert!(team(2, config.with_rhs(), &first, None, None).is_err());
    // A single GPU has no halo, and takes any.
    assert_eq!(team(1, config, &first, None, Some(u32::MAX)).unwrap().halo(), 40);
    let mut team = team(2, config, &first, None, Some(4)).unwrap();
    assert!(read(&team, 0..config.bytes() + 4).is_err() && read(&team, 0..u64::MAX).is_err());
    assert!(team.workers()[0].read(u64::MAX - 4..u64::MAX, |_| Ok(())).is_err());
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
            let mut team = team(&members, config, &first, None, Some(3)).unwrap();
            team.advance(17).unwrap();
            same(&team, &config, &whole(config, config.stencil.usual, &first, None, 17));
        }
    }
}
