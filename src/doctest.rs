// What the examples in the documentation open, as an expression in a hidden line of theirs: no module of the library.
// `None` only where HALOFOLD_NO_GPU=1 says that there is no adapter.
match pollster::block_on(halofold::adapter::preferred(false)) {
    Some(adapter) => Some(pollster::block_on(halofold::adapter::open(&adapter)).expect("the adapter opens")),
    None if std::env::var_os("HALOFOLD_NO_GPU").is_some_and(|told| told == "1") => None,
    None => panic!("no adapter: install a Vulkan driver, or set HALOFOLD_NO_GPU=1"),
}
