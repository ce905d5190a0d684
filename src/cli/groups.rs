//! The groups in which `goldminer --help` lists the verbs.

use std::fmt::Write as _;

use clap::Subcommand as _;

use super::Command;

/// The verbs by what they are for.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Crawl", &["demo", "init", "check", "crawl", "ctl", "cluster", "rebuild", "drop"]),
    ("Look", &["status", "why", "console", "report", "try", "profile", "robots"]),
    ("Extract", &["extract", "sample", "learn"]),
    ("Share", &["convert", "dedup", "stats"]),
    ("Laboratory", &["eval", "compare", "train"]),
    ("Shell", &["completions", "man", "help"]),
];

/// The template of the program's own help, with the first clause of each verb's description. clap itself lists all
/// verbs under one heading.
pub(super) fn program_help() -> String {
    let verbs = Command::augment_subcommands(clap::Command::new("goldminer"));
    let mut help = String::from("{about}\n\n{usage-heading} {usage}\n");
    for (group, names) in GROUPS {
        let _ = write!(help, "\n{group}:\n");
        for name in names {
            let about = verbs.find_subcommand(name).and_then(clap::Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this message, or the help of a command".to_owned());
            let clause = about.split([';', ':', '(']).next().unwrap_or_default().trim_end();
            let _ = writeln!(help, "  {name:<12} {clause}");
        }
    }
    help + "\nOptions:\n{options}\n\n{after-help}"
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::GROUPS;
    use crate::cli::Cli;

    #[test]
    fn each_verb_is_listed_in_one_group() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let mut command = Cli::command();
        command.build();
        let mut verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        listed.sort_unstable();
        verbs.sort_unstable();
        assert_eq!(listed, verbs);
    }

    #[test]
    fn the_short_help_of_a_verb_fits_a_screen_and_has_two_examples() {
        let mut command = Cli::command();
        command.build();
        for verb in command.get_subcommands_mut().filter(|verb| verb.get_name() != "help") {
            let help = verb.render_help().to_string();
            let name = verb.get_name();
            assert!(help.lines().count() <= 50, "{name}: {} lines", help.lines().count());
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
            assert!(examples.lines().filter(|line| line.contains("goldminer ")).count() >= 2, "{name}: {examples}");
        }
    }
}
