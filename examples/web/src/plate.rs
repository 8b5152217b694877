//! A plate, hot on one side and cold on the others, stepped until nothing changes. Every frame awaits its picture; the numbers below
//! it are read once, at the end.
//!
//! Four such plates, each hot on another side, add up to one that is hot everywhere: the mean of the inner cells is a quarter.

use halofold::histogram::{Histogram, Keys};
use halofold::read::{Mailbox, Readback};
use halofold::reduce::{Op, Reduce};
use halofold::stencil::{Config, Convergence, FIVE_POINT, Grid, Grids, Jacobi, Outcome, Until};
use halofold::{Compiled, Element, Options};

use crate::{Error, Gpu, page};

/// Rows and columns, with the fixed cells of the four sides.
const SIDE: u32 = 64;
const BYTES: u64 = 4 * (SIDE * SIDE) as u64;

/// Steps of a frame.
const STEPS: u32 = 100;

pub async fn run(gpu: &Gpu) -> Result<(), Error> {
    let Gpu { device, queue } = gpu;
    let hot: Vec<f32> = (0..SIDE * SIDE).map(|cell| if cell < SIDE { 1.0 } else { 0.0 }).collect();
    let [plate, other] = [0, 1].map(|_| gpu.buffer(bytemuck::cast_slice(&hot)));

    // Once: the kernels, and their bindings.
    let config = Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, Grid::plane(SIDE, SIDE));
    let jacobi = Compiled::new(device, Jacobi::new(config, FIVE_POINT.usual), &Default::default())?;
    let until = Until::new(1e-6).with_every(STEPS);
    let heating = jacobi.bind_until(Grids::new(&plate, &other), until)?;
    // Without the hot row.
    let below = plate.slice(u64::from(4 * SIDE)..);
    let hottest = Compiled::new(device, Reduce::new(Op::Max.over(Element::F32)?), &Default::default())?;
    let mailbox = Mailbox::new(device, 4);
    let max = hottest.of(below).bind(mailbox.buffer())?;
    let [picture, outcome] = [BYTES, Convergence::OUTCOME_SIZE].map(|size| Readback::new(device, size));

    // Every frame: steps, and what the page shows of them. The program goes on when all has arrived; meanwhile the browser draws.
    let mut end = Outcome::NONE;
    while !end.converged {
        let mut encoder = device.create_command_encoder(&Default::default());
        heating.encode(&mut encoder, end.steps..end.steps + STEPS);
        max.encode(&mut encoder);
        mailbox.encode(&mut encoder)?;
        picture.encode(&mut encoder, &plate, 0, BYTES)?;
        outcome.encode(&mut encoder, heating.outcome(), 0, Convergence::OUTCOME_SIZE)?;
        queue.submit([encoder.finish()]);

        let readings = (picture.read(BYTES), outcome.read(Convergence::OUTCOME_SIZE), mailbox.read());
        page::draw("plate", SIDE, bytemuck::cast_slice(&readings.0.await?));
        end = Convergence::parse(&readings.1.await?);
        let max: f32 = hottest.results(&readings.2.await?)?;
        page::say(
            "status",
            &format!("{} steps, the largest change {:.1e}, at most {max:.3}", end.steps, end.max),
        );
    }

    // Once: numbers that a program reads as it goes, and the same run in one piece.
    let sum: f32 = Compiled::new(device, Reduce::new(Op::Sum.over(Element::F32)?), &Default::default())?
        .of(below)
        .run_async(queue)
        .await?;
    let mean = sum / ((SIDE - 2) * (SIDE - 2)) as f32;
    let spread =
        Compiled::new(device, Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, 50), &Options::default())?;
    let counts: Vec<u32> = spread.of(below).run_async(queue).await?;
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bars =
        counts.iter().map(|count| ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][(7 * count / most) as usize]);
    page::say("histogram", &bars.collect::<String>());
    let [first, second] = [0, 1].map(|_| gpu.buffer(bytemuck::cast_slice(&hot)));
    let again = jacobi.run_until_async::<f32>(queue, Grids::new(&first, &second), until, end.steps);
    let (again, _cells) = again.await?;
    let same = if again == end { "so too in one piece" } else { "but not so in one piece" };
    page::say(
        "status",
        &format!("Nothing changes after {} steps, {same}; the mean is {mean:.3}.", end.steps),
    );
    Ok(())
}
