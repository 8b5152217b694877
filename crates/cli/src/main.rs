//! The program `halofold`.

fn main() -> std::process::ExitCode {
    halofold_cli::program::main()
}
