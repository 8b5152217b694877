//! `halofold stress`, by running the program on the adapter at hand: a sound finish passes, and faults that are put into it are
//! found.
//!
//! A fault is a text of the kernel replaced by another one. A text that is not there any more would replace nothing, and the fault
//! would not be found: these tests notice.

use std::process::Output;

use crate::files::{command, refused};

/// The lines in which the finish publishes a partial and takes a ticket (`shaders/shared/partials.wgsl`).
const POST_THEN_TICKET: &str = "    let seen = exchange_words(FIRST_SLOT + slot * ACC_WORDS, to_words(acc));
    let ticket = atomicAdd(&partials[0], 1u + (seen & params.own.zero));";

/// The post left out.
const NO_POST: &str = "    let ticket = atomicAdd(&partials[0], 1u);";

/// The ticket first.
const TICKET_THEN_POST: &str = "    let ticket = atomicAdd(&partials[0], 1u);
    let seen = exchange_words(FIRST_SLOT + slot * ACC_WORDS, to_words(acc));";

/// The same, and every second workgroup takes its time in between.
const TICKET_THEN_LATE_POST: &str = "    let ticket = atomicAdd(&partials[0], 1u);
    if (slot & 1u) == 0u { for (var i = 0u; i < 3000u; i++) { atomicOr(&partials[1], i); } }
    let seen = exchange_words(FIRST_SLOT + slot * ACC_WORDS, to_words(acc));";

/// Mesa's drivers in software take that many threads, more than there are processors: the system interrupts workgroups everywhere.
const MANY_THREADS: (&str, &str) = ("LP_NUM_THREADS", "16");

fn stress(arguments: &[&str]) -> Output {
    command("stress", arguments).env(MANY_THREADS.0, MANY_THREADS.1).output().expect("the program starts")
}

/// The exit status and the standard output.
fn ended(output: &Output) -> (Option<i32>, String) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(101), "{errors}");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &errors)
}

/// Runs until a fault is found, and checks the evidence.
fn is_found(replaced: &[&str]) {
    let fault: Vec<_> = replaced.chunks(2).flat_map(|pair| [&["--replace"], pair].concat()).collect();
    let output = stress(&[&["--minutes", "1", "--seed", "5"], &fault[..]].concat());
    let (status, text) = ended(&output);
    assert_eq!(status, Some(1), "{text}");
    for part in ["wrong", "u32", "elements from number", "workgroups", "got 0x", "want 0x", "seed 5"] {
        assert!(text.contains(part), "no `{part}`: {text}");
    }
    assert!(text.contains("The elements themselves are what they should be."), "{text}");
}

#[test]
fn a_sound_finish_passes() {
    for (launches, words) in [("1", "in one launch each"), ("2", "in two launches each")] {
        let (status, text) = ended(&stress(&["--minutes", "0.03", "--seed", "3", "--launches", launches]));
        assert_eq!(status, Some(0), "{text}");
        let line = text.trim_end().lines().last().unwrap();
        assert!(line.contains(&format!("{words}, all right, of")) && line.ends_with("seed 3"), "{text}");
        let reductions: u64 = line.split(' ').next().unwrap().parse().expect("a number comes first");
        assert!(reductions >= 16, "{text}");
    }
}

#[test]
fn a_post_that_is_left_out_is_found() {
    is_found(&[POST_THEN_TICKET, NO_POST]);
}

/// Two workgroups have to run at the same time: with one core there is one at a time.
#[test]
fn a_ticket_before_a_late_post_is_found() {
    is_found(&[POST_THEN_TICKET, TICKET_THEN_LATE_POST]);
}

/// The gap is a few instructions: adapters in hardware may never show it, and SwiftShader has no more threads than processors.
#[test]
fn a_ticket_before_the_post_is_found_by_many_threads() {
    let (_, adapter) = ended(&stress(&["--minutes", "0.001"]));
    if !adapter.contains("llvmpipe") {
        return eprintln!("not on Mesa's processors: {adapter}");
    }
    let fault = ["--replace", POST_THEN_TICKET, TICKET_THEN_POST];
    let (status, text) = ended(&stress(&[&["--minutes", "3", "--seed", "5"], &fault[..]].concat()));
    assert_eq!(status, Some(1), "{text}");
}

/// The second finish takes no tickets: the fault is not in it.
#[test]
fn two_launches_do_without_tickets() {
    let fault = ["--replace", POST_THEN_TICKET, NO_POST];
    let (status, text) = ended(&stress(&[&["--minutes", "0.03", "--launches", "2"], &fault[..]].concat()));
    assert_eq!(status, Some(0), "{text}");
}

/// Reports which faults this adapter shows, of those that only some do: `cargo test --release --test program stress:: -- --ignored
/// --nocapture`.
#[test]
#[ignore = "it reports, and asserts nothing: most adapters show no such fault"]
fn faults_that_some_adapters_show() {
    let early = vec![POST_THEN_TICKET.to_owned(), TICKET_THEN_POST.to_owned()];
    for (name, fault) in [("the ticket before the post", early), ("plain stores and loads", plain())] {
        let fault: Vec<_> = fault.chunks(2).flat_map(|pair| ["--replace", &pair[0], &pair[1]]).collect();
        let (status, text) = ended(&stress(&[&["--minutes", "1"], &fault[..]].concat()));
        assert!(matches!(status, Some(0 | 1)), "{text}");
        println!("{name}: exit status {status:?}\n{text}");
    }
}

/// Partials that are no atomics: stored and loaded plainly, with nothing that the ticket depends on.
fn plain() -> Vec<String> {
    let mut fault = vec![
        "var<storage, read_write> partials: array<atomic<u32>>;".to_owned(),
        "var<storage, read_write> partials: Published;
struct Published { tickets: atomic<u32>, line: array<u32, 31>, words: array<u32> }
fn put(at: u32, word: u32) -> u32 { partials.words[at - 32u] = word; return 0u; }"
            .to_owned(),
        "&partials[0]".to_owned(),
        "&partials.tickets".to_owned(),
    ];
    for k in 0..8 {
        fault.push(format!("atomicExchange(&partials[at + {k}u], words[{k}])"));
        fault.push(format!("put(at + {k}u, words[{k}])"));
        fault.push(format!("atomicOr(&partials[at + {k}u], 0u)"));
        fault.push(format!("partials.words[at + {k}u - 32u]"));
    }
    fault
}

#[test]
fn a_request_that_makes_no_sense_is_refused() {
    for minutes in ["0", "-1", "x", "inf"] {
        refused(&stress(&[&format!("--minutes={minutes}")]), &["--minutes"]);
    }
    refused(&stress(&["--launches", "3"]), &["--launches"]);
}
