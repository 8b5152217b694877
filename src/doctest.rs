// The device that the examples in the documentation open, its queue, and a function that makes buffers. They include this file as an
// expression in a hidden line; it is not a module of the library. `None` only if there is no adapter and HALOFOLD_NO_GPU=1 is set.
{
    let adapter = pollster::block_on(halofold::adapter::preferred(false));
    let is_without = std::env::var_os("HALOFOLD_NO_GPU").is_some_and(|told| told == "1");
    assert!(is_without || adapter.is_some(), "no adapter: install a Vulkan driver, or set HALOFOLD_NO_GPU=1");
    adapter.map(|adapter| {
        use halofold::wgpu::{BufferUsages, util::BufferInitDescriptor, util::DeviceExt as _};
        let (device, queue) = pollster::block_on(halofold::adapter::open(&adapter)).expect("the adapter opens");
        let usage =
            BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let owner = device.clone();
        let buffer = move |contents: &[u8]| {
            owner.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
        };
        (device, queue, buffer)
    })
}
