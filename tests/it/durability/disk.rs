//! A local disk that is full, limited, or read-only. The crawl stops with advice, and continues when the cause is gone.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{
    LONG, Ran, World, assert_accounts, assert_warcs_are_valid, goldminer, pause, run, start, status, texts,
};

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    World::new(portals, Knobs::default())
        .hosts(&["courier.example", "gazette.example"])
        .settings("ip_spacing = \"0s\"\ndisk_patience = \"1s\"")
}

/// Runs a crawl whose files may not grow beyond this many kilobytes. Writing more is an error, as on a full disk.
fn limited(world: &World, job: &Path, kilobytes: u64) -> Ran {
    let crawl = world.crawl(job);
    let mut shell = Command::new("sh");
    // The signal of the limit is ignored, here and in the program, so that a write fails instead.
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kilobytes * 2)]);
    shell.arg(crawl.get_program()).args(crawl.get_args()).args(["--delay", "0s", "-q"]);
    run(&mut shell, LONG)
}

#[test]
fn a_failed_write_stops_the_crawl_and_the_next_run_continues() {
    let world = world();
    let unbroken = world.crawled("unbroken");
    let job = world.path("job");
    let mut stopped = 0;
    // Databases, archive and corpus meet their limit at different sizes.
    for kilobytes in [1, 16, 64, 200, 400, 800] {
        let ran = limited(&world, &job, kilobytes);
        match ran.code() {
            Some(0) => {}
            Some(1) => {
                stopped += 1;
                let stderr = &ran.stderr;
                assert!(stderr.contains(job.to_str().unwrap()), "{kilobytes} kB: no file is named: {stderr}");
                assert!(!stderr.contains("panicked") && !stderr.contains("defect"), "{kilobytes} kB: {stderr}");
            }
            other => panic!("{kilobytes} kB: {other:?}: {ran:?}"),
        }
    }
    assert!(stopped >= 2, "only {stopped} runs met their limit, so nothing is tested");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(texts(&job.join("corpus")), texts(&unbroken.join("corpus")));
    assert_accounts(&status(&job));
    assert_warcs_are_valid(&job.join("archive"));
}

/// A separate file system of this size. It is unmounted when this is dropped.
struct Tmpfs<'p>(&'p Path);

impl<'p> Tmpfs<'p> {
    fn mount(path: &'p Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(path).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(path).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(path));
        }
        eprintln!("skipped: a small file system cannot be mounted here");
        None
    }

    fn remount(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &options]).arg(self.0).status().unwrap().success());
    }
}

impl Drop for Tmpfs<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_stops_the_crawl_until_there_is_space() {
    let world = world();
    let disk = world.path("disk");
    let Some(tmpfs) = Tmpfs::mount(&disk, "400k") else { return };
    let job = disk.join("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    // The check of the free space stopped it in time, or a write failed.
    assert!(matches!(ran.code(), Some(1 | 3)), "{ran:?}");
    let output = format!("{}{}", ran.stdout, ran.stderr);
    assert!(output.contains("room") || output.contains("space"), "{output}");
    assert!(!output.contains("panicked") && !output.contains("defect"), "{output}");
    tmpfs.remount("600m");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let unbroken = world.crawled("unbroken");
    assert_eq!(texts(&job.join("corpus")), texts(&unbroken.join("corpus")));
    assert_warcs_are_valid(&job.join("archive"));
    // The state of a job can be read on a full disk, too.
    tmpfs.remount("100m");
    std::fs::write(disk.join("fill"), vec![0_u8; 101 << 20]).unwrap_err();
    assert_accounts(&status(&job));
}

#[test]
fn a_crawl_pauses_before_the_disk_is_full_and_then_continues() {
    let world = world().settings("ip_spacing = \"0s\"\nmin_free = \"300MB\"\ndisk_patience = \"10m\"");
    let disk = world.path("disk");
    let Some(tmpfs) = Tmpfs::mount(&disk, "200m") else { return };
    let job = disk.join("job");
    let mut crawl = start(world.crawl(&job).args(["--delay", "0s"]));
    while !job.join("control.json").is_file() || status(&job)["running"] != true {
        assert!(crawl.is_running(), "{:?}", crawl.end(LONG));
        pause(Duration::from_millis(50));
    }
    assert!(world.log().is_empty(), "nothing may be asked for: {:?}", world.log());
    tmpfs.remount("600m");
    let ran = crawl.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stderr.contains("the crawl pauses") && ran.stderr.contains("the crawl continues"), "{ran:?}");
    assert!(!texts(&job.join("corpus")).is_empty());
}

#[test]
fn a_directory_that_cannot_be_written_is_reported() {
    let world = world();
    let file = world.path("file");
    std::fs::write(&file, "in the way").unwrap();
    let ran = run(world.crawl(&file.join("job")).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("cannot write to") && ran.stderr.contains("--dir"), "{}", ran.stderr);
}

#[test]
fn a_job_on_a_read_only_disk_can_still_be_extracted() {
    let world = world().hosts(&["courier.example"]);
    let disk = world.path("disk");
    let Some(_tmpfs) = Tmpfs::mount(&disk, "600m") else { return };
    let job = disk.join("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let read_only = Command::new("mount").args(["-o", "remount,ro"]).arg(&disk).status().unwrap();
    assert!(read_only.success());
    let crawl = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(crawl.code(), Some(1), "{crawl:?}");
    assert!(crawl.stderr.contains("cannot write to"), "{}", crawl.stderr);
    let extract = run(goldminer(&["extract"]).arg(&job).arg("-o").arg(world.path("out")), LONG);
    assert_eq!(extract.code(), Some(0), "{extract:?}");
    assert!(!texts(&world.path("out")).is_empty());
}
