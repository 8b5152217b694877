//! Stencils: the grid of one GPU, bit for bit, for any number of ranks.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use half::f16;
use halofold_mpi::halofold::reduce::exact::{Format, State};
use halofold_mpi::halofold::stencil::{
    Border, Borders, Config, FIVE_POINT, Grid, Grids, Jacobi, NINE_POINT, SEVEN_POINT, Stencil,
    TWENTY_SEVEN_POINT, Variant,
};
use halofold_mpi::halofold::wgpu::{self, BufferUsages, util::DeviceExt as _};
use halofold_mpi::halofold::{Element, adapter};

use crate::files::{Random, descr, write};
use crate::launch::{Ended, Launch, PROGRAM, RANKS, folder, launch, mpirun, printed};

/// A grid, how it is stepped, and how deep halos are.
struct Case {
    stencil: &'static Stencil,
    variant: Option<&'static str>,
    element: Element,
    shape: &'static [u64],
    border: Border,
    steps: u32,
    halo: &'static str,
}

/// Heights that seven ranks do not divide, rounds of several lengths, borders of every kind.
const CASES: [Case; 6] = [
    Case {
        stencil: &FIVE_POINT,
        variant: None,
        element: Element::F32,
        shape: &[41, 36],
        border: Border::Periodic,
        steps: 13,
        halo: "5",
    },
    Case {
        stencil: &FIVE_POINT,
        variant: Some("time-pipeline"),
        element: Element::F32,
        shape: &[300, 70],
        border: Border::Fixed,
        steps: 37,
        halo: "16",
    },
    Case {
        stencil: &NINE_POINT,
        variant: None,
        element: Element::F16,
        shape: &[45, 33],
        border: Border::Mirror,
        steps: 7,
        halo: "4",
    },
    Case {
        stencil: &TWENTY_SEVEN_POINT,
        variant: None,
        element: Element::F32,
        shape: &[16, 9, 12],
        border: Border::Periodic,
        steps: 5,
        halo: "2",
    },
    Case {
        stencil: &SEVEN_POINT,
        variant: None,
        element: Element::F64,
        shape: &[15, 8, 7],
        border: Border::Fixed,
        steps: 4,
        halo: "1",
    },
    Case {
        stencil: &FIVE_POINT,
        variant: Some("direct-global"),
        element: Element::F64,
        shape: &[8, 21],
        border: Border::Mirror,
        steps: 3,
        halo: "1",
    },
];

/// Numbers that no sum hits exactly.
fn cells(element: Element, shape: &[u64]) -> Vec<u8> {
    let mut random = Random(shape[0]);
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

fn gpu() -> &'static (wgpu::Device, wgpu::Queue) {
    static GPU: OnceLock<(wgpu::Device, wgpu::Queue)> = OnceLock::new();
    GPU.get_or_init(|| {
        let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
        pollster::block_on(adapter::open(&adapter)).expect("it opens")
    })
}

/// The grid after some steps on one device.
fn whole(config: Config, cells: &[u8], steps: u32) -> Vec<u8> {
    let (device, queue) = gpu();
    let mut padded = cells.to_vec();
    padded.resize(cells.len().next_multiple_of(4), 0);
    let [first, second] = [0, 1].map(|_| {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: &padded, usage })
    });
    let jacobi = Jacobi::new(device, config, config.stencil.usual).expect("the stencil is possible");
    let grids = Grids::new(&first, &second);
    match config.element {
        Element::F64 => bytemuck::cast_slice(&jacobi.wait::<u64>(queue, grids, steps).unwrap()).to_vec(),
        Element::F16 => bytemuck::cast_slice(&jacobi.wait::<u16>(queue, grids, steps).unwrap()).to_vec(),
        _ => bytemuck::cast_slice(&jacobi.wait::<u32>(queue, grids, steps).unwrap()).to_vec(),
    }
}

impl Case {
    fn config(&self) -> Config {
        let grid = match *self.shape {
            [rows, cols] => Grid::plane(rows as u32, cols as u32),
            [planes, rows, cols] => Grid { planes: planes as u32, rows: rows as u32, cols: cols as u32 },
            _ => unreachable!("two sides or three"),
        };
        let config = match self.variant {
            None => Config::fastest(self.stencil, self.element, grid),
            Some(name) => {
                Config::new(self.stencil, Variant::named(self.stencil, name).unwrap(), self.element, grid)
            }
        };
        config.with_borders(Borders::all(self.border))
    }
}

#[test]
fn any_number_of_ranks_has_the_bits_of_one_gpu() {
    let folder = folder("stencils");
    for case in CASES {
        let Case { stencil, variant, element, shape, border, steps, halo } = case;
        if !gpu().0.features().contains(element.feature()) {
            eprintln!("{} of {element}: NOT TESTED, this adapter has no such type", stencil.name);
            continue;
        }
        let cells = cells(element, shape);
        write(&folder.join("grid.npy"), element, shape, &cells);
        let mut expected = Vec::new();
        let stepped = whole(case.config(), &cells, steps);
        halofold_files::npy::write(&mut expected, &descr(element), shape, false, &stepped).unwrap();
        let [points, steps] = [stencil.points(), steps].map(|number| number.to_string());
        for ranks in RANKS {
            let out = folder.join("out.npy");
            // What was there is replaced.
            fs::write(&out, "old").unwrap();
            let arguments =
                ["stencil", "grid.npy", "--stencil", &points, "--steps", &steps, "--boundary", border.name()];
            let more = ["--halo", halo, "--variant", variant.unwrap_or("auto"), "-o", "out.npy"];
            let text = printed(ranks, &folder, &[&arguments[..], &more].concat());
            assert!(text.contains(&format!("{ranks} ranks with halos of {halo}\n{steps} steps\n")), "{text}");
            assert!(
                fs::read(&out).unwrap() == expected,
                "{} of {element}, {ranks} ranks: other bits",
                stencil.name
            );
        }
    }
    let left = fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 4, "grid.npy, out.npy, out.txt and err.txt");
}

#[test]
fn any_number_of_ranks_stops_at_the_same_step() {
    let folder = folder("until");
    let (element, shape) = (Element::F32, [35, 24]);
    write(&folder.join("grid.npy"), element, &shape, &cells(element, &shape));
    for (norm, epsilon) in [("max", "1e-3"), ("l2", "2e-2")] {
        let arguments =
            ["stencil", "grid.npy", "--until", epsilon, "--norm", norm, "--every", "7", "--halo", "5"];
        let verdicts = RANKS.map(|ranks| {
            let text = printed(ranks, &folder, &arguments);
            text.split_once(&format!("{ranks} ranks with halos of 5\n")).unwrap().1.to_owned()
        });
        assert!(
            verdicts[0].contains("converged: ") && !verdicts[0].starts_with("0 steps"),
            "{}",
            verdicts[0]
        );
        assert!(!verdicts[0].contains("not converged"), "{}", verdicts[0]);
        assert!(verdicts.windows(2).all(|pair| pair[0] == pair[1]), "{verdicts:?}");
    }
}

#[test]
fn parts_of_any_size_make_a_grid() {
    let folder = folder("parts");
    let example = Path::new(PROGRAM).with_file_name("examples").join("diffusion");
    assert!(
        example.exists(),
        "no {}: with the name of a test, `cargo test` builds no examples",
        example.display()
    );
    for ranks in [1, 2, 3] {
        let rows: u32 = (0..ranks).map(|rank| 20 + 3 * rank).sum();
        let cell = |at: u32| if (at / 64 / 5 + at % 64 / 7).is_multiple_of(3) { 1.0f32 } else { 0.1 };
        let cells: Vec<f32> = (0..rows * 64).map(cell).collect();
        let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(rows, 64));
        let config = config.with_borders(Borders::all(Border::Periodic));
        let mut heat = State::new(Format::Single);
        heat.add(Element::F32, &whole(config, bytemuck::cast_slice(&cells), 100));
        let mut command = mpirun();
        command.args(["-n", &ranks.to_string()]).arg(&example);
        let Ended { status, out, err } = Launch::start(command, &folder).end();
        assert!(status.success(), "{err}");
        assert_eq!(out, format!("{rows} × 64 cells on {ranks} ranks: {:?}\n", heat.sum()));
    }
}

#[test]
fn what_cannot_be_stepped_is_refused_once() {
    let folder = folder("refused");
    write(&folder.join("grid.npy"), Element::F32, &[9, 4], &[0; 144]);
    write(&folder.join("words.npy"), Element::U32, &[9, 4], &[0; 144]);
    for (arguments, message) in [
        (&["grid.npy", "--halo", "4"][..], "a halo of 4 layers, and the rank with the fewest has 3"),
        (&["grid.npy", "-o", "grid.npy"], "-o grid.npy: is the input"),
        (&["grid.npy", "-o", "none/out.npy"], "-o none/out.npy: No such file or directory"),
        (&["grid.npy", "-o", "out.txt"], "the name must end in .npy"),
        (&["words.npy"], "words.npy: holds u32, and stencils work on"),
        (&["grid.npy", "--stencil", "27"], "--stencil 27 takes another number of dimensions"),
    ] {
        let Ended { status, err, .. } = launch(3, &folder, &[&["stencil"], arguments].concat());
        assert!(!status.success() && err.contains(message), "{arguments:?}: {err}");
        assert!(err.contains("error: rank ") || err.contains("error: "), "{err}");
    }
    // More ranks than layers.
    let Ended { status, err, .. } = launch(4, &folder, &["stencil", "grid.npy", "--halo", "3"]);
    assert!(!status.success() && err.contains("use fewer ranks or a smaller halo"), "{err}");
}

#[test]
fn a_rank_that_cannot_write_ends_all_and_leaves_what_was_there() {
    let folder = folder("full");
    let shape = [64, 1024];
    write(&folder.join("grid.npy"), Element::F32, &shape, &cells(Element::F32, &shape));
    fs::write(folder.join("out.npy"), "old").unwrap();
    let arguments = "stencil grid.npy -o out.npy --halo 1";
    // 16 KiB, which the second rank's part exceeds.
    let script = format!(
        "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then trap '' XFSZ; ulimit -f 32; fi; exec '{PROGRAM}' {arguments}"
    );
    let mut command: Command = mpirun();
    command.args(["-n", "2", "sh", "-c", &script]);
    let Ended { status, err, .. } = Launch::start(command, &folder).end();
    assert!(!status.success(), "{err}");
    assert!(err.contains("error: rank 1 of 2 on ") && err.contains("-o out.npy: File too large"), "{err}");
    assert_eq!(fs::read_to_string(folder.join("out.npy")).unwrap(), "old");
    assert!(!folder.join(".out.npy.part").exists());
}
