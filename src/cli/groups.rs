//! The text of `goldminer --help`, with the commands in groups.

/// The template of `goldminer --help`, because clap itself lists all commands under one heading. It is a constant,
/// because building it from the commands would slow down every start of the program.
pub(super) const PROGRAM_HELP: &str = "\
{about}

{usage-heading} {usage}

Crawl:
  demo         Crawl built-in portals on this machine into a corpus
  init         Write a commented seeds file for some portals
  check        Test a seeds file: request each portal's robots.txt, first page, feeds and sitemaps
  crawl        Crawl the portals of a seeds file into a corpus
  ctl          Control a running or stopped crawl: pause, resume or block a host, change a delay
  cluster      Crawl on many machines, with PostgreSQL and a shared folder or bucket
  rebuild      Rebuild a job's lost or damaged databases from its archive
  drop         Delete a page or a host from a job for good

Look:
  status       Show the state of a crawl
  why          Show what happened to a URL, and why
  console      Watch and control crawls in a browser
  report       Write a report on the crawl as one HTML page
  try          Extract one page, from a file or the web, and show its article, or why there is none
  profile      Inspect, test, export and import learned profiles
  robots       Check a URL against a robots.txt file for a user agent

Extract:
  extract      Extract documents from stored pages: job directories, WARC and WACZ files, HTML files
  sample       Sample archives of any size: a few pages of each domain and month
  learn        Learn profiles from stored pages

Share:
  convert      Convert a corpus, or a part of it, to another format
  dedup        Remove repeated articles across the files that `extract --stream` wrote
  stats        Count each domain's documents, words, sentences and characters, and its unique sentences

Laboratory:
  eval         Score extracted text against gold texts
  compare      Compare extraction methods on pages with gold texts
  train        Train a model from pages with gold texts

Shell:
  completions  Print shell completions
  man          Write the man pages
  help         Print this message, or the help of a command

Options:
{options}{after-help}";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::PROGRAM_HELP;
    use crate::cli::Cli;

    #[test]
    fn each_command_is_listed_with_its_description() {
        let mut command = Cli::command();
        command.build();
        let listed: Vec<(&str, &str)> = PROGRAM_HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once(' '))
            .map(|(verb, about)| (verb, about.trim()))
            .collect();
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            let about = verb.get_about().unwrap().to_string();
            let is_this = |(name, begin): &&(&str, &str)| *name == verb.get_name() && about.starts_with(begin);
            assert_eq!(listed.iter().filter(is_this).count(), 1, "{}: {about}", verb.get_name());
        }
        assert_eq!(listed.len(), command.get_subcommands().count());
    }

    #[test]
    fn short_helps_fit_a_screen_and_have_two_examples() {
        let mut program = Cli::command();
        program.build();
        let verbs: Vec<Command> = program.get_subcommands().cloned().collect();
        // `ctl` and `cluster ctl` share their subcommands, so no example would fit both.
        let below = |verb: &Command| verb.get_subcommands().cloned().collect::<Vec<_>>();
        let subcommands =
            verbs.iter().filter(|verb| !["ctl", "help"].contains(&verb.get_name())).flat_map(below).collect::<Vec<_>>();
        for mut verb in verbs.into_iter().chain(subcommands).filter(|verb| verb.get_name() != "help") {
            let help = verb.render_help().to_string();
            let name = verb.get_name().to_owned();
            assert!(help.lines().count() <= 50, "{name}: {} lines", help.lines().count());
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
            assert!(examples.lines().filter(|line| line.contains("goldminer ")).count() >= 2, "{name}: {examples}");
        }
    }
}
