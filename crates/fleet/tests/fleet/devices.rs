//! Devices, grids of numbers, and their steps on one device.

use std::sync::OnceLock;

use halofold::stencil::{BOXES, Border, Borders, Config, Grid, Grids, Jacobi, STENCILS, Stencil, Weights};
use halofold::wgpu::{self, BufferUsages, util::DeviceExt as _};
use halofold::{Compiled, Element, adapter};
use halofold_fleet::Member;

pub fn open(adapter: &wgpu::Adapter) -> Member {
    let (device, queue) = pollster::block_on(adapter::open(adapter)).expect("the adapter opens");
    Member { device, queue }
}

pub fn preferred() -> wgpu::Adapter {
    pollster::block_on(adapter::preferred(false)).expect("there is an adapter")
}

/// Devices of the preferred adapter.
pub fn members(count: usize) -> &'static [Member] {
    static MEMBERS: OnceLock<Vec<Member>> = OnceLock::new();
    let all = MEMBERS.get_or_init(|| {
        let adapter = preferred();
        (0..4).map(|_| open(&adapter)).collect()
    });
    &all[..count]
}

/// A configuration with the fastest kernel of single steps that knows the borders.
pub fn single(stencil: &'static Stencil, element: Element, grid: Grid, borders: Borders) -> Config {
    let is_general = |border| matches!(border, Border::Mirror | Border::Constant(_));
    let needs_general = borders.pairs().iter().any(|(low, high)| is_general(*low) || is_general(*high));
    let variant = if needs_general { stencil.general() } else { stencil.fastest_step() };
    Config::new(stencil, variant, element, grid).with_borders(borders)
}

/// One of the stencils, boxes included.
pub fn any_stencil(nth: usize) -> &'static Stencil {
    let all: Vec<_> = STENCILS.iter().chain(BOXES).collect();
    all[nth % all.len()]
}

/// Numbers that no sum hits exactly, as bytes of cells.
pub fn cells(config: &Config, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_769).max(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state % 1999) as f32 / 1024.0 - 0.9
    };
    let count = config.grid.cells();
    match config.element {
        Element::F64 => (0..count).flat_map(|_| f64::from(next()).to_le_bytes()).collect(),
        Element::F16 => (0..count).flat_map(|_| half::f16::from_f32(next()).to_le_bytes()).collect(),
        _ => (0..count).flat_map(|_| next().to_le_bytes()).collect(),
    }
}

/// The grid after some steps on one device.
pub fn whole(config: Config, weights: Weights, cells: &[u8], rhs: Option<&[u8]>, steps: u32) -> Vec<u8> {
    let Member { device, queue } = &members(1)[0];
    let buffer = |cells: &[u8]| {
        let mut padded = cells.to_vec();
        padded.resize(cells.len().next_multiple_of(4), 0);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: &padded, usage })
    };
    let ([first, second], rhs) = ([buffer(cells), buffer(cells)], rhs.map(buffer));
    let grids = Grids::new(&first, &second);
    let grids = rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs));
    let jacobi = Compiled::new(device, Jacobi::new(config, weights), &Default::default())
        .expect("the stencil is possible");
    match config.element {
        Element::F64 => bytemuck::cast_slice(&jacobi.run::<u64>(queue, grids, steps).unwrap()).to_vec(),
        Element::F16 => bytemuck::cast_slice(&jacobi.run::<u16>(queue, grids, steps).unwrap()).to_vec(),
        _ => bytemuck::cast_slice(&jacobi.run::<u32>(queue, grids, steps).unwrap()).to_vec(),
    }
}
