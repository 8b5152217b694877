// The device that the examples in the documentation open. They include this file as an expression in a hidden
// line; it is not a module of the library. `None` only if there is no adapter and HALOFOLD_NO_GPU=1 is set.
match pollster::block_on(halofold::adapter::preferred(false)) {
    Some(adapter) => Some(pollster::block_on(halofold::adapter::open(&adapter)).expect("the adapter opens")),
    None if std::env::var_os("HALOFOLD_NO_GPU").is_some_and(|told| told == "1") => None,
    None => panic!("no adapter: install a Vulkan driver, or set HALOFOLD_NO_GPU=1"),
}
