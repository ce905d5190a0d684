//! Tests whether the crawler stays polite, and its results stay complete, when everything goes wrong. There are six
//! tests, each checked by the server's log, the archive and the corpus. The test suite runs a short form of each. All
//! servers are on this machine (loopback).
//!
//! ```text
//! cargo bench --bench hostile -- --hosts 200 --articles 30 --kills 50     every fault, and a crawl that is killed
//! cargo bench --bench hostile -- --traps                                  40 portals, half of them without end
//! cargo bench --bench hostile -- --crowd                                  5,000 portals and 1,024 descriptors
//! cargo bench --bench hostile -- --attacks                                all attacks at once beside 50 portals
//! cargo bench --bench hostile -- --slow                                   600 slow hosts beside 10 honest portals
//! cargo bench --bench hostile -- --rules                                  2,000 hosts with robots.txt files of 500 kB
//! ```

#[path = "../tests/it/crawl_world.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)] // shared with the tests, which may
mod crawl_world;
#[path = "../tests/it/hostile/attacks.rs"]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod hostile_attacks;
#[path = "../tests/it/hostile/crowd.rs"]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod hostile_crowd;
#[path = "../tests/it/hostile/rules.rs"]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod hostile_rules;
#[path = "../tests/it/hostile/run.rs"]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod hostile_run;
#[path = "../tests/it/hostile/slow.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)] // shared with the tests, which have a short form
mod hostile_slow;
#[path = "../tests/it/hostile/traps.rs"]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod hostile_traps;
#[path = "../tests/it/web_process.rs"]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod web_process;

use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use goldminer_testkit::attacks::{Attack, Scale};
use goldminer_testkit::traps::Trap;
use goldminer_testkit::web::WebConfig;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scenario {
    Faults,
    Traps,
    Crowd,
    Attacks,
    Slow,
    Rules,
}

/// The arguments. If one is missing, the world's own value is used.
struct Arguments {
    scenario: Scenario,
    hosts: Option<usize>,
    articles: Option<usize>,
    kills: usize,
    life: Duration,
    delay: Option<Duration>,
    patience: Duration,
    seed: u64,
    /// The kinds of traps: all except the session on all links, or one kind, or by default the usual ones.
    traps: Vec<Trap>,
    /// Whether the attacks have the short form of the tests.
    short: bool,
    /// The name of the only attack.
    only: Option<String>,
    descriptors: usize,
    /// Whether the crawl may not raise its limit of descriptors.
    hard: bool,
    dir: Option<PathBuf>,
    /// Only serve, and write the log to this file.
    serve: Option<PathBuf>,
}

/// The seed is different in each run. It is printed with the plan, and `--seed` repeats the run.
fn random_seed() -> u64 {
    std::hash::RandomState::new().build_hasher().finish() >> 16
}

fn main() -> ExitCode {
    let arguments = arguments();
    let kept = match arguments.scenario {
        Scenario::Faults => faults(&arguments),
        Scenario::Traps => traps(&arguments),
        Scenario::Crowd => crowd(&arguments),
        Scenario::Attacks => attacks(&arguments),
        Scenario::Slow => slow(&arguments),
        Scenario::Rules => rules(&arguments),
    };
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn faults(arguments: &Arguments) -> bool {
    let plan = hostile_run::Plan {
        hosts: arguments.hosts.unwrap_or(200),
        articles: arguments.articles.unwrap_or(30),
        kills: arguments.kills,
        life: arguments.life,
        delay: arguments.delay.unwrap_or(Duration::from_millis(200)),
        seed: arguments.seed,
        patience: arguments.patience,
    };
    println!("{plan:?}");
    let verdict = hostile_run::run(&plan, arguments.dir.as_deref());
    print!("{verdict}");
    println!("warcio check accepts the archive, where warcio is installed");
    verdict.is_clean()
}

fn traps(arguments: &Arguments) -> bool {
    let plan = hostile_traps::Plan {
        portals: arguments.hosts.unwrap_or(40),
        articles: arguments.articles.unwrap_or(30),
        traps: arguments.traps.clone(),
        delay: arguments.delay.unwrap_or(Duration::from_millis(300)),
        patience: arguments.patience,
    };
    println!("{plan:?}");
    let verdict = hostile_traps::run_plan(&plan, arguments.dir.as_deref());
    print!("{verdict}");
    verdict.code == Some(0)
        && verdict.missing.is_empty()
        && verdict.twice.is_empty()
        && verdict.violations.is_empty()
        && verdict.late.is_empty()
        && verdict.most_visits() <= 200
        && verdict.peak_rss_bytes <= 300_000_000
}

fn crowd(arguments: &Arguments) -> bool {
    let plan = hostile_crowd::Plan {
        portals: arguments.hosts.unwrap_or(5_000),
        articles: arguments.articles.unwrap_or(2),
        delay: arguments.delay.unwrap_or(Duration::from_millis(300)),
        descriptors: arguments.descriptors,
        raisable: !arguments.hard,
        patience: arguments.patience,
    };
    if let Some(log) = &arguments.serve {
        let config = WebConfig::new(plan.web());
        web_process::serve(WebConfig { addresses: plan.portals, log_file: Some(log.clone()), ..config });
    }
    println!("{plan:?}");
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("access.tsv");
    let server = web_process::WebProcess::start(&log);
    let seeds = dir.path().join("seeds.toml");
    let text = goldminer_testkit::seeds(&plan.web()).replacen("[crawl]\n", "[crawl]\nip_spacing = \"0s\"\n", 1);
    std::fs::write(&seeds, text).expect("the seeds file");
    let job = arguments.dir.clone().unwrap_or_else(|| dir.path().join("job"));
    let mut crawl = crawl_world::goldminer(&["crawl"]);
    crawl.arg(&seeds).arg("--dir").arg(&job).arg("--allow-private");
    for rule in &server.rules {
        crawl.args(["--resolve", rule]);
    }
    let verdict = hostile_crowd::run_crawl(&plan, &crawl, &job, || web_process::read_log(&log));
    print!("{verdict}");
    verdict.incomplete.is_empty()
        && matches!(verdict.ran.code(), Some(0 | 4))
        && verdict.status["identity_holds"] == true
}

fn attacks(arguments: &Arguments) -> bool {
    let is_chosen = |name: &str| arguments.only.as_deref().is_none_or(|only| only == name);
    let plan = hostile_attacks::Plan {
        // Every fifth portal has traps, so 50 are honest.
        portals: arguments.hosts.unwrap_or(63),
        articles: arguments.articles.unwrap_or(30),
        attacks: Attack::ALL.iter().copied().filter(|attack| is_chosen(&format!("{attack:?}"))).collect(),
        scale: if arguments.short { Scale::SHORT } else { Scale::WHOLE },
        connections: if arguments.short { 300 } else { 4_000 },
        delay: arguments.delay.unwrap_or(Duration::from_millis(300)),
        at_least: Duration::from_secs(if arguments.short { 10 } else { 180 }),
        patience: arguments.patience,
    };
    println!("{plan:?}");
    let verdict = hostile_attacks::run_plan(&plan, arguments.dir.as_deref());
    print!("{verdict}");
    verdict.ran.signal().is_none()
        && verdict.incomplete.is_empty()
        && verdict.without_documents.is_empty()
        && verdict.ran.usage.peak_rss_bytes <= 1_000_000_000
}

/// Tests slow hosts: beside them, the other portals must keep at least 90 % of the request rate that they have alone.
fn slow(arguments: &Arguments) -> bool {
    use hostile_slow::{Pace, Plan, SlowHosts};

    let drip = Pace::Drip(1_150);
    let worlds = [
        (SlowHosts::OnePortal, drip),
        (SlowHosts::ManyAddresses, drip),
        (SlowHosts::ManyPortals, drip),
        (SlowHosts::ManyDomains, drip),
        (SlowHosts::OnePortal, Pace::Silent),
        (SlowHosts::OnePortal, Pace::SlowRobots),
        (SlowHosts::ManyPortals, Pace::SlowSitemap),
    ];
    let is_chosen = |shape: SlowHosts, pace: Pace| {
        let name = format!("{shape:?}{}", format!("{pace:?}").split('(').next().unwrap_or_default());
        arguments.only.as_deref().is_none_or(|only| only == name)
    };
    assert!(worlds.iter().any(|(shape, pace)| is_chosen(*shape, *pace)), "no world has the name {:?}", arguments.only);
    let mut kept = true;
    for (shape, pace) in worlds.into_iter().filter(|(shape, pace)| is_chosen(*shape, *pace)) {
        let plan = Plan {
            honest: 10,
            articles: arguments.articles.unwrap_or(300),
            slow: arguments.hosts.unwrap_or(600),
            shape,
            pace,
            in_flight: 256,
            delay: arguments.delay.unwrap_or(Duration::from_millis(300)),
            lasts: Duration::from_secs(if arguments.short { 20 } else { 60 }),
        };
        println!("{plan:?}");
        let verdict = hostile_slow::run_plan(&plan);
        print!("{verdict}");
        kept &= verdict.kept() >= 0.9;
    }
    kept
}

/// Tests hosts with long robots.txt files: the rules of all hosts may take at most 200 MB.
fn rules(arguments: &Arguments) -> bool {
    let plan = hostile_rules::Plan {
        hosts: arguments.hosts.unwrap_or(2_000),
        pages: arguments.articles.unwrap_or(3),
        robots_bytes: 500_000,
        delay: arguments.delay.unwrap_or(Duration::from_secs(1)),
        patience: arguments.patience,
    };
    println!("{plan:?}");
    let verdict = hostile_rules::run_plan(&plan);
    print!("{verdict}");
    verdict.pages > 0 && verdict.bytes() <= 200_000_000 && verdict.forbidden == 0
}

fn arguments() -> Arguments {
    let mut arguments = Arguments {
        scenario: Scenario::Faults,
        hosts: None,
        articles: None,
        kills: 50,
        life: Duration::from_secs(3),
        delay: None,
        patience: Duration::from_secs(3600),
        seed: random_seed(),
        traps: Trap::USUAL.to_vec(),
        short: false,
        only: None,
        descriptors: 1_024,
        hard: false,
        dir: None,
        serve: None,
    };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        match name.as_str() {
            "--traps" => arguments.scenario = Scenario::Traps,
            "--crowd" => arguments.scenario = Scenario::Crowd,
            "--attacks" => arguments.scenario = Scenario::Attacks,
            "--slow" => arguments.scenario = Scenario::Slow,
            "--rules" => arguments.scenario = Scenario::Rules,
            "--all-traps" => {
                arguments.traps = Trap::ALL.iter().copied().filter(|t| *t != Trap::SessionOnLinks).collect()
            }
            "--short" => arguments.short = true,
            "--hard" => arguments.hard = true,
            _ => arguments.set(&name, &args.next().unwrap_or_default()),
        }
    }
    arguments
}

impl Arguments {
    fn set(&mut self, name: &str, value: &str) {
        let number = || value.parse::<u64>().unwrap_or_else(|_| panic!("{name} takes a number, not {value:?}"));
        match name {
            "--hosts" => self.hosts = Some(number() as usize),
            "--articles" => self.articles = Some(number() as usize),
            "--kills" => self.kills = number() as usize,
            "--life-ms" => self.life = Duration::from_millis(number()),
            "--delay-ms" => self.delay = Some(Duration::from_millis(number())),
            "--patience-s" => self.patience = Duration::from_secs(number()),
            "--seed" => self.seed = number(),
            "--descriptors" => self.descriptors = number() as usize,
            "--only" => self.only = Some(value.to_owned()),
            "--trap" => self.traps = Trap::ALL.iter().copied().filter(|trap| format!("{trap:?}") == value).collect(),
            "--dir" => self.dir = Some(PathBuf::from(value)),
            "--serve" => self.serve = Some(PathBuf::from(value)),
            _ => panic!(
                "unknown argument {name}; there are --traps (--all-traps, --trap TRAP), --crowd (--descriptors, --hard), --attacks \
                 (--short, --only ATTACK), --slow (--short, --only WORLD), --rules, and --hosts, --articles, --kills, --life-ms, --delay-ms, --patience-s, --seed, --dir"
            ),
        }
    }
}
