//! Users who may only read a job can view it: nothing is written there, and commands are refused with the reason.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, World, goldminer, run, texts};

/// The user `nobody`, who owns no file of a test.
const STRANGER: u32 = 65_534;

/// Returns each file in a folder with its content, and each folder in it without one. If `mode` is given, sets the
/// permissions of all files and of all folders to it.
fn everything(folder: &Path, mode: Option<(u32, u32)>) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
                found.insert(path, None);
            } else {
                if let Some((of_file, _)) = mode {
                    fs::set_permissions(&path, fs::Permissions::from_mode(of_file)).unwrap();
                }
                found.insert(path.clone(), Some(fs::read(&path).unwrap()));
            }
        }
        if let Some((_, of_folder)) = mode {
            fs::set_permissions(&next, fs::Permissions::from_mode(of_folder)).unwrap();
        }
    }
    found
}

/// The command as another user: root may write everywhere.
fn by_a_stranger(mut command: Command) -> Command {
    if fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0) {
        command.uid(STRANGER).gid(STRANGER);
    }
    command
}

#[test]
fn a_user_who_may_only_read_a_job_can_view_it() {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    let world = World::new(portals, Knobs::default())
        .hosts(&["courier.example"])
        .settings("learning_pages = 8\nip_spacing = \"0s\"");
    let job = world.crawled("job");
    let url = texts(&job.join("corpus")).into_keys().next().expect("a document");
    fs::set_permissions(world.dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // The program may be in a folder that other users cannot read.
    let program = world.path("goldminer");
    fs::copy(env!("CARGO_BIN_EXE_goldminer"), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let before = everything(&job, Some((0o444, 0o555)));
    let out = tempfile::tempdir().unwrap();
    fs::set_permissions(out.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let (report, stored) = (out.path().join("report.html"), out.path().join("profiles"));
    let corpus = job.join("corpus");
    let path = |path: &Path| path.display().to_string();
    for (arguments, expected) in [
        (vec!["status".to_owned(), path(&job)], "No crawl is running"),
        (vec!["status".to_owned(), "--json".to_owned(), path(&job)], "\"identity_holds\": true"),
        (vec!["why".to_owned(), path(&job), url.clone()], "fetched"),
        (vec!["profile".to_owned(), "list".to_owned(), path(&job)], "courier.example"),
        (vec!["profile".to_owned(), "show".to_owned(), path(&job), "courier.example".to_owned()], "version 1"),
        (vec!["profile".to_owned(), "test".to_owned(), path(&job), url.clone()], "paragraphs kept"),
        (vec!["profile".to_owned(), "export".to_owned(), path(&job), "-o".to_owned(), path(&stored)], "courier"),
        (vec!["stats".to_owned(), path(&corpus)], ""),
        (vec!["report".to_owned(), path(&job), "--out".to_owned(), path(&report)], ""),
    ] {
        let mut command = Command::new(&program);
        command.args(&arguments).stdin(std::process::Stdio::null()).current_dir("/");
        let ran = run(&mut by_a_stranger(command), LONG);
        assert!(ran.code() == Some(0) && ran.stdout.contains(expected), "{arguments:?}: {ran:?}");
    }
    assert!(report.is_file());
    let mut order = Command::new(&program);
    order.args(["ctl", &path(&job), "pause", "http://courier.example/"]);
    let refused = run(&mut by_a_stranger(order), LONG);
    assert!(refused.code() == Some(1) && refused.stderr.contains("cannot write to"), "{refused:?}");
    let after = everything(&job, None);
    assert!(before == after, "looking has changed the job");
    let closed =
        fs::read_dir(job.join("frontier")).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_file());
    let closed = closed.expect("a file of the database");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let mut status = Command::new(&program);
    status.args(["status", &path(&job)]);
    let refused = run(&mut by_a_stranger(status), LONG);
    let message = format!("cannot read {}: Permission denied", path(&closed));
    assert!(refused.code() == Some(1) && refused.stderr.contains(&message), "{refused:?}");
    everything(&job, Some((0o644, 0o755)));
    assert_eq!(run(goldminer(&["status"]).arg(&job), LONG).code(), Some(0));
}
