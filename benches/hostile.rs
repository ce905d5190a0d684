//! Does the crawler keep its promises when everything goes wrong? Hundreds of portals with every fault, a crawl that is
//! killed again and again, and the verdict of the server's own log, the archive and the corpus.
//!
//! `cargo bench --bench hostile -- --hosts 200 --articles 30 --kills 50`; the test suite runs a short form. Loopback
//! only.

#[path = "../tests/it/crawl_world.rs"]
#[allow(dead_code, clippy::unwrap_used)] // shared with the tests, which may
mod crawl_world;
#[path = "../tests/it/hostile_run.rs"]
#[allow(clippy::unwrap_used)]
mod hostile_run;

use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use hostile_run::{Plan, run};

/// Another world in every run; it is printed with the plan, and `--seed` repeats it.
fn random_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish() >> 16
}

fn main() -> ExitCode {
    let mut plan = Plan {
        hosts: 200,
        articles: 30,
        kills: 50,
        life: Duration::from_secs(3),
        delay: Duration::from_millis(200),
        seed: random_seed(),
        patience: Duration::from_secs(3600),
    };
    let mut job = None;
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        let value = args.next().unwrap_or_default();
        let number = || value.parse::<u64>().unwrap_or_else(|_| panic!("{name} takes a number, not {value:?}"));
        match name.as_str() {
            "--hosts" => plan.hosts = number() as usize,
            "--articles" => plan.articles = number() as usize,
            "--kills" => plan.kills = number() as usize,
            "--life-ms" => plan.life = Duration::from_millis(number()),
            "--delay-ms" => plan.delay = Duration::from_millis(number()),
            "--seed" => plan.seed = number(),
            "--dir" => job = Some(PathBuf::from(value)),
            _ => panic!(
                "unknown argument {name}; there are --hosts, --articles, --kills, --life-ms, --delay-ms, --seed, --dir"
            ),
        }
    }
    println!("{plan:?}");
    let verdict = run(&plan, job.as_deref());
    print!("{verdict}");
    println!("warcio check accepts the archive, where warcio is installed");
    if verdict.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
