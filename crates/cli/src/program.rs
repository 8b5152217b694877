//! The command line of halofold: sets up the process, parses the arguments and runs a subcommand.

use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::failure::Failure;
use crate::output::print;
use crate::transport::Alone;
use crate::{
    compare, devices, export, gpu, histogram, ladder, reduce, replay, report, reserved, scan, show, stencil,
    tune, web,
};

const ENDING: &str =
    "Exit status: 0 success; 1 wrong result, or a regression in compare; 2 bad request, or no suitable GPU; \
    3 a stencil did not converge; 130 interrupted.
Environment: WGPU_BACKEND (vulkan, metal, dx12 or gl) chooses the back end; NO_COLOR turns colours off.";

/// Reductions and stencils on the GPU: verified, measured, explained.
#[derive(Parser)]
#[command(name = "halofold", version, max_term_width = 100, after_help = ENDING)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reduce files to sums, means, quantiles and other statistics.
    Reduce(reduce::ReduceArgs),
    /// Count the elements of a file in equal bins, as NumPy's histogram does, and draw them.
    Histogram(histogram::HistogramArgs),
    /// Write the prefix sums, products, minima or maxima of a file.
    Scan(scan::ScanArgs),
    /// Step a grid by a stencil and write it as an array or a picture.
    Stencil(Box<stencil::StencilArgs>),
    /// Verify and time the reduction kernels (rungs), at one or several lengths, or replay a tutorial's table.
    Ladder(ladder::LadderArgs),
    /// Verify and time the kernels of a stencil, beside a thesis's table.
    Replay(replay::ReplayArgs),
    /// Time the stencil kernels on this GPU, so that `stencil` chooses the fastest.
    Tune(tune::TuneArgs),
    /// Print a kernel and its essay, or its translation for a back end.
    Show(show::ShowArgs),
    /// Write a page that runs the ladder in a browser: static files, no server, no network.
    Web(web::WebArgs),
    /// Print the plan of an operation as JSON: kernels, buffers and dispatches for a WebGPU host in any language.
    Export(export::ExportArgs),
    /// List the adapters and mark the default.
    Devices(devices::DevicesArgs),
    /// Print records side by side as tables, or draw a machine's ladder.
    Report(report::ReportArgs),
    /// Compare two records row by row; exit status 1 on a regression.
    Compare(compare::CompareArgs),
    /// Print completions for a shell.
    Completions { shell: Shell },
    /// Print the man page of the program or a command.
    Man { command: Option<String> },
}

pub fn main() -> ExitCode {
    // SAFETY: nothing else runs yet that could read the environment.
    unsafe { gpu::give_runtime_folder() };
    if std::env::var_os("WGPU_BACKEND").is_some_and(|names| names.is_empty()) {
        // An empty value counts as unset here; wgpu itself would enable no back end.
        // SAFETY: as above.
        unsafe { std::env::remove_var("WGPU_BACKEND") };
    }
    #[cfg(unix)]
    // A file that becomes larger than allowed is an error of the write then, and no sudden end.
    // SAFETY: the signal gets no handler that could run at a bad time.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN)
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    let result = reserved::clean_up_when_interrupted().and_then(|()| run(parse().command));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Parses the command line. For an unknown argument, drops clap's tip "as a value", proposes `./FILE` if that file exists, and names
/// the commands that have the option.
fn parse() -> Arguments {
    Arguments::try_parse().unwrap_or_else(|mut error| {
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg)
        {
            let unknown = unknown.clone();
            // For `-x.npy`, clap reports the unknown option `-x`.
            let is_file = |text: &String| text.starts_with(&unknown) && Path::new(text).exists();
            let arguments = std::env::args_os().take_while(|text| text != "--");
            let file = arguments.filter_map(|text| text.into_string().ok()).find(is_file);
            let mut tips = match error.remove(ContextKind::Suggested) {
                Some(ContextValue::StyledStrs(tips)) => tips,
                _ => Vec::new(),
            };
            tips.retain(|tip| !tip.to_string().contains("as a value"));
            tips.extend(file.map(|file| format!("for the file of that name write ./{file}").into()));
            let long = unknown.trim_start_matches("--");
            let program = Arguments::command();
            let has_option = |command: &&clap::Command| {
                command.get_arguments().any(|option| option.get_long() == Some(long))
            };
            let others: Vec<_> =
                program.get_subcommands().filter(has_option).map(clap::Command::get_name).collect();
            if !others.is_empty() {
                tips.push(format!("{unknown} is an option of {}", others.join(", ")).into());
            }
            if !tips.is_empty() {
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
            }
        }
        error.exit()
    })
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "halofold", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Command::Man { command } => man(command.as_deref()),
        Command::Devices(arguments) => devices::run(arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Histogram(arguments) => histogram::run(&arguments),
        Command::Ladder(arguments) => ladder::run(arguments),
        Command::Reduce(arguments) => reduce::run(&arguments, &Alone, || arguments.adapter.open()),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Scan(arguments) => scan::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Stencil(arguments) => stencil::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Web(arguments) => web::run(&arguments),
    }
}

fn man(name: Option<&str>) -> Result<(), Failure> {
    let mut program = Arguments::command();
    program.build();
    let command = match name {
        None => &program,
        Some(name) => {
            program.find_subcommand(name).ok_or_else(|| refusal!("man: unknown command `{name}`"))?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(Failure::usage)?;
    let page = String::from_utf8_lossy(&page);
    let page = page.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    let page = page.replace(".SH EXTRA\nExit status: ", ".SH \"EXIT STATUS\"\n");
    print(&page.replace("\nEnvironment: ", "\n.SH ENVIRONMENT\n"))
}
