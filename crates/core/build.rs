//! Adds the commit to the program's version, `0.2.0 (3f2a9c1b7d)`, so that builds of one version can be told apart. A
//! package from the registry has its commit in a file. Without this file and without Git, there is only the version.
//! Uncommitted changes do not show: releases are built from clean trees.

use std::path::Path;
use std::process::Command;

/// The number of digits of a commit that are shown.
const DIGITS: usize = 10;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // A debug build has no commit: it would be rebuilt after each commit.
    let is_debug = std::env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let commit = if is_debug { None } else { packaged().or_else(checked_out) };
    let commit = commit.filter(|commit| commit.len() >= DIGITS);
    let named = commit.map_or(version.clone(), |commit| format!("{version} ({})", &commit[..DIGITS]));
    println!("cargo::rustc-env=GOLDMINER_VERSION={named}");
}

/// The commit that `cargo package` has recorded: `{"git": {"sha1": "…"}, …}`.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let digits = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| digits.to_owned())
}

/// The commit of the checkout, if this crate is in its own repository, not in another project's.
fn checked_out() -> Option<String> {
    if !Path::new("../../domain-profiles").exists() {
        return None;
    }
    // The log of HEAD grows with each commit and each checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
