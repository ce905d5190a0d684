//! `goldminer learn SAMPLES`: profiles, with the times from which they are used, in one file that the `profile`
//! commands can read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use goldminer_crawl::store::profile_book::{Entry, ProfileBook};
use goldminer_html::address::Domain;

use crate::archive::samples::{Interleaved, sample};
use crate::crawl_world::{LONG, Ran, goldminer, pause, run, start};

/// Learns from samples into `profiles.gmp`.
pub(crate) fn learn(samples: &[&Path], out: &Path, more: &[&str]) -> Ran {
    let ran = run(goldminer(&["learn"]).args(samples).arg("-o").arg(out).args(more), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran
}

fn profile(args: &[&str], paths: &[&Path], more: &[&str]) -> Ran {
    run(goldminer(&["profile"]).args(args).args(paths).args(more), LONG)
}

fn entries(book: &Path) -> Vec<Entry> {
    ProfileBook::open(book).unwrap().entries().map(Result::unwrap).collect()
}

fn learned(world: &Interleaved) -> PathBuf {
    let (samples, book) = (world.path("samples"), world.path("profiles.gmp"));
    sample(&[&world.warcs], &samples, &["--buckets", "3"]);
    learn(&[&samples], &book, &[]);
    book
}

#[test]
fn shards_and_buckets_give_the_same_profiles() {
    let world = Interleaved::new(5, 24, 4);
    let book = learned(&world);
    let bytes = fs::read(&book).unwrap();
    assert_eq!(entries(&book).len(), 5);

    let mut shards = Vec::new();
    for number in 1..=2 {
        let (shard, out) = (format!("{number}/2"), world.path("in-shards"));
        sample(&[&world.warcs], &out, &["--buckets", "3", "--shard", &shard]);
        shards = vec![out];
    }
    let of_shards = world.path("of-shards.gmp");
    learn(&[&shards[0]], &of_shards, &["--threads", "1"]);
    assert!(bytes == fs::read(&of_shards).unwrap(), "the shards of a sample give another file");

    let mut of_buckets = Vec::new();
    for bucket in ["0", "1", "2"] {
        of_buckets.push(world.path(&format!("bucket-{bucket}.gmp")));
        learn(&[&world.path("samples")], of_buckets.last().unwrap(), &["--bucket", bucket]);
    }
    let merged = world.path("merged.gmp");
    let paths: Vec<&Path> = of_buckets.iter().map(PathBuf::as_path).collect();
    let ran = profile(&["merge"], &paths, &["-o", merged.to_str().unwrap()]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(bytes == fs::read(&merged).unwrap(), "the buckets together give another file");
    assert!(
        !fs::read_dir(world.dir.path())
            .unwrap()
            .any(|file| { file.unwrap().file_name().to_string_lossy().contains(".parts-") })
    );
}

#[test]
fn killed_sample_and_learn_runs_give_the_same_bytes() {
    let world = Interleaved::new(5, 24, 4);
    let whole = fs::read(learned(&world)).unwrap();
    let (samples, book) = (world.path("killed-samples"), world.path("killed.gmp"));
    let sampling = || {
        let mut command = goldminer(&["sample", "--buckets", "3", "--threads", "1"]);
        command.arg(&world.warcs).arg("-o").arg(&samples);
        command
    };
    let learning = || {
        let mut command = goldminer(&["learn", "--threads", "1"]);
        command.arg(&samples).arg("-o").arg(&book);
        command
    };
    let kill_at_each_moment = |command: &dyn Fn() -> std::process::Command| {
        for kill in 1..=6 {
            let running = start(&mut command());
            pause(Duration::from_millis(25 * kill));
            running.kill();
        }
        let ran = run(&mut command(), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    };
    kill_at_each_moment(&sampling);
    kill_at_each_moment(&learning);
    assert!(whole == fs::read(&book).unwrap(), "other profiles");
}

#[test]
fn a_full_sample_gives_the_profiles_of_the_archive() {
    let world = Interleaved::new(4, 24, 2);
    let book = learned(&world);
    let toml = world.path("toml");
    let ran = run(goldminer(&["learn"]).arg(&world.warcs).arg("-o").arg(&toml), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let exported = world.path("exported");
    let ran = profile(&["export"], &[&book], &["-o", exported.to_str().unwrap()]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for entry in entries(&book) {
        let name = format!("{}.toml", entry.domain);
        // All pages are in the sample. The time of learning is not compared, nor is the last digit of a mean.
        let read = |folder: &Path| -> String {
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            let is_compared = |line: &&str| !line.starts_with("learned_at") && !line.starts_with("fitness");
            text.lines().filter(is_compared).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(read(&toml), read(&exported), "{name}");
    }
}

#[test]
fn a_redesign_gives_a_second_profile_from_its_day_on() {
    // The redesign comes with the last articles of the first month.
    let world = Interleaved::redesigned_at(3, 160, 2, 80);
    let (samples, book) = (world.path("samples"), world.path("profiles.gmp"));
    sample(&[&world.warcs], &samples, &[]);
    learn(&[&samples], &book, &["--pages", "40"]);
    let found = entries(&book);
    for entry in &found {
        let since: Vec<Option<String>> =
            entry.profiles.iter().map(|spanned| spanned.since.map(|at| at.strftime("%Y-%m").to_string())).collect();
        assert_eq!(since, [None, Some("2026-02".to_owned())], "{}", entry.domain);
    }
    let shown = profile(&["show"], &[&book], &[found[0].domain.as_str()]);
    assert!(
        shown.stdout.contains("version 2") && shown.stdout.contains("used for pages fetched from 2026-02-15"),
        "{shown:?}"
    );
}

#[test]
fn profile_commands_accept_a_file_of_profiles() {
    let world = Interleaved::new(3, 24, 1);
    let book = learned(&world);
    let domains: Vec<Domain> = entries(&book).into_iter().map(|entry| entry.domain).collect();
    let listed = profile(&["list"], &[&book], &[]);
    assert!(domains.iter().all(|domain| listed.stdout.contains(domain.as_str())), "{listed:?}");
    let shown = profile(&["show"], &[&book], &[domains[1].as_str()]);
    assert!(shown.stdout.contains("template 0"), "{shown:?}");
    let none = profile(&["show"], &[&book], &["nobody.example"]);
    assert_eq!(none.code(), Some(1), "{none:?}");
    assert!(none.stderr.contains("nobody.example"), "{none:?}");

    // A person's profile has precedence over a learned one.
    let hand = world.path("hand.toml");
    let text = format!("key = \"{}\"\n[[template]]\nhand_made = true\nstart = \"div.mine\"\n", domains[0]);
    fs::write(&hand, text).unwrap();
    let out = world.path("merged.gmp");
    let merged = profile(&["merge"], &[&book, &hand], &["-o", out.to_str().unwrap()]);
    assert_eq!(merged.code(), Some(0), "{merged:?}");
    let first = &entries(&out)[0].profiles;
    assert_eq!((first.len(), first[0].profile.templates[0].bounds()), (1, "div.mine".to_owned()));
    assert_eq!(entries(&out)[1..], entries(&book)[1..]);
}

#[test]
fn a_file_of_profiles_that_is_replaced_is_told() {
    let world = Interleaved::new(1, 6, 1);
    let book = learned(&world);
    let again = learn(&[&world.path("samples")], &book, &[]);
    assert!(again.stdout.contains(&format!("{}, in place of the earlier file", book.display())), "{again:?}");
    let merge = || profile(&["merge"], &[&book], &["-o", world.path("merged.gmp").to_str().unwrap()]);
    assert!(!merge().stdout.contains("in place of"));
    assert!(merge().stdout.contains("merged.gmp, in place of the earlier file"));
}

#[test]
fn a_sample_from_which_nothing_is_learned_is_told_so() {
    let world = Interleaved::new(1, 3, 1);
    let samples = world.path("samples");
    sample(&[&world.warcs], &samples, &[]);
    let ran = run(goldminer(&["learn"]).arg(&samples).arg("-o").arg(world.path("p.gmp")), LONG);
    assert!(ran.code() == Some(0) && ran.stderr.contains("no profile was learned"), "{ran:?}");
}

#[test]
fn incomplete_samples_and_wrong_inputs_are_refused() {
    let world = Interleaved::new(2, 6, 2);
    let samples = world.path("samples");
    sample(&[&world.warcs], &samples, &["--shard", "1/2"]);
    let ran = run(goldminer(&["learn"]).arg(&samples).arg("-o").arg(world.path("p.gmp")), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("shard 2/2 is not done"), "{ran:?}");
    let ran = run(goldminer(&["learn"]).arg(&samples), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("-o profiles.gmp"), "{ran:?}");
    let ran = run(goldminer(&["learn"]).arg(&world.warcs).arg("-o").arg(world.path("p.gmp")), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("only profiles from samples"), "{ran:?}");
    let ran = run(goldminer(&["learn"]).args([&world.warcs, &samples]).arg("-o").arg(world.path("p.gmp")), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("is not a sample"), "{ran:?}");
}
