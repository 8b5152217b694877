//! Grids on one device, without ranks.

use std::sync::OnceLock;

use half::f16;
use halofold_mpi::halofold::stencil::{Config, Grids, Jacobi};
use halofold_mpi::halofold::wgpu::{self, BufferUsages, util::DeviceExt as _};
use halofold_mpi::halofold::{Element, adapter};

use crate::files::Random;

/// Numbers that no sum hits exactly.
pub fn cells(element: Element, shape: &[u64], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let one = |_| {
        let x = (random.next() % 1999) as f64 / 1024.0 - 0.9;
        match element {
            Element::F16 => f16::from_f64(x).to_le_bytes().to_vec(),
            Element::F64 => x.to_le_bytes().to_vec(),
            _ => (x as f32).to_le_bytes().to_vec(),
        }
    };
    (0..shape.iter().product()).flat_map(one).collect()
}

pub fn gpu() -> &'static (wgpu::Device, wgpu::Queue) {
    static GPU: OnceLock<(wgpu::Device, wgpu::Queue)> = OnceLock::new();
    GPU.get_or_init(|| {
        let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
        pollster::block_on(adapter::open(&adapter)).expect("it opens")
    })
}

/// The grid after some steps on one device.
pub fn whole(config: Config, cells: &[u8], rhs: Option<&[u8]>, steps: u32) -> Vec<u8> {
    let (device, queue) = gpu();
    let buffer = |cells: &[u8]| {
        let mut padded = cells.to_vec();
        padded.resize(cells.len().next_multiple_of(4), 0);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: &padded, usage })
    };
    let ([first, second], rhs) = ([buffer(cells), buffer(cells)], rhs.map(buffer));
    let config = if rhs.is_some() { config.with_rhs() } else { config };
    let jacobi = Jacobi::new(device, config, config.stencil.usual).expect("the stencil is possible");
    let grids = Grids::new(&first, &second);
    let grids = rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs));
    match config.element {
        Element::F64 => bytemuck::cast_slice(&jacobi.wait::<u64>(queue, grids, steps).unwrap()).to_vec(),
        Element::F16 => bytemuck::cast_slice(&jacobi.wait::<u16>(queue, grids, steps).unwrap()).to_vec(),
        _ => bytemuck::cast_slice(&jacobi.wait::<u32>(queue, grids, steps).unwrap()).to_vec(),
    }
}
