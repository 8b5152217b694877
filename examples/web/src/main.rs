//! halofold in a browser: a page whose Rust runs on the visitor's GPU.
//!
//! `scripts/test-wasm --serve` builds it, and serves it at http://localhost:8000.
//!
//! - `plate.rs` is the application: a plate is heated until nothing changes, frame by frame, with results read while it is drawn.
//! - `page.rs` writes to the page.
//! - `checks/` runs everything that the browser's device can run, beside the CPU: `?check`, or `scripts/test-wasm` without a
//!   window.
//!
//! No call on a page may block: results arrive only after the program has returned to the browser. Await `run_async` instead of `run`,
//! `run_until_async` instead of `run_until`, and `Mailbox::read` instead of `Mailbox::spin`.

mod checks;
mod page;
mod plate;

type Error = Box<dyn std::error::Error>;

/// A device of the application's. halofold takes it as it is.
struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    /// Asks the browser for an adapter, and opens it with all that it has.
    async fn open() -> Result<Self, Error> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: adapter.features() & halofold::adapter::HELPFUL_FEATURES,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await?;
        // Browsers may keep the name to themselves.
        let name =
            Some(adapter.get_info().name).filter(|name| !name.is_empty()).unwrap_or("a GPU".to_owned());
        let features = halofold::adapter::feature_names(device.features());
        page::say("adapter", &format!("{name}, with {features}"));
        Ok(Gpu { device, queue })
    }

    /// A buffer for kernels, with these contents.
    fn buffer(&self, contents: &[u8]) -> wgpu::Buffer {
        let buffer = self.room(contents.len() as u64);
        // Whole words are written.
        let words = contents.len().next_multiple_of(4);
        self.queue.write_buffer(&buffer, 0, &[contents, &[0; 3][..words - contents.len()]].concat());
        buffer
    }

    /// A buffer of zeros for kernels.
    fn room(&self, size: u64) -> wgpu::Buffer {
        use wgpu::BufferUsages as Usage;
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("page"),
            size: size.next_multiple_of(4).max(4),
            usage: Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
            mapped_at_creation: false,
        })
    }
}

async fn run() -> Result<(), Error> {
    let gpu = Gpu::open().await?;
    if page::query() == "?check" { checks::run(&gpu).await } else { plate::run(&gpu).await }
}

fn main() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    wasm_bindgen_futures::spawn_local(async {
        if let Err(error) = run().await {
            page::say("status", &format!("It ended: {error}"));
        }
    });
}
