//! `goldminer init`: writes a commented seeds file to start with. It overwrites nothing, and sends requests only with
//! `--ask`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use goldminer_crawl::{Seeds, of_host_name, seed_url};
use goldminer_html::CrawlUrl;

use super::check;
use super::check::PortalCheck;
use crate::cli::InitArgs;
use crate::commands::{Exit, UsageError, network, output, screen, single_file};

/// Runs `goldminer init`.
///
/// # Errors
/// When a portal is not a URL, or the file exists or cannot be written.
pub(crate) fn run(args: &InitArgs) -> anyhow::Result<Exit> {
    let portals = portals(&args.portals)?;
    let stem = portals[0].host_name().trim_matches(['[', ']']).replace(':', "-");
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.toml")));
    let to_stdout = path == Path::new("-");
    if !to_stdout && path.exists() {
        return Err(already_exists(&path).into());
    }
    let user_agent = args.network.user_agent.clone().or_else(|| std::env::var("GOLDMINER_USER_AGENT").ok());
    let is_assumed = |url: &CrawlUrl| args.portals.iter().any(|typed| of_host_name(typed).as_ref() == Some(url));
    let mut checked = match args.ask {
        true => check::ask(network::without_seeds(&portals, &args.network)?)?,
        false => Vec::new(),
    };
    let silent = checked.iter_mut().filter(|found| is_assumed(&found.start) && found.is_silent());
    let silent: Vec<&mut PortalCheck> = silent.collect();
    if !silent.is_empty() {
        let http = silent.iter().map(|found| CrawlUrl::parse(&found.start.as_str().replacen("https", "http", 1)));
        let again = check::ask(network::without_seeds(&http.collect::<Result<Vec<_>, _>>()?, &args.network)?)?;
        for (found, again) in silent.into_iter().zip(again).filter(|(_, again)| !again.is_silent()) {
            screen::print(format_args!("robots.txt of {} is unreachable, so {} is used", found.start, again.start));
            *found = again;
        }
    }
    let text = seeds_file(&path, user_agent.as_deref(), &portals, &checked);
    if to_stdout {
        output::product(text)?;
        return Ok(Exit::Done);
    }
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(already_exists(&path).into()),
        file => file.map_err(|cause| single_file::unwritable(&path, &cause))?,
    };
    file.write_all(text.as_bytes()).map_err(|cause| single_file::unwritable(&path, &cause))?;
    for found in checked.iter().filter(|found| found.hindrance.is_some()) {
        screen::print(format_args!("{}: {}", found.start(), found.verdict()));
    }
    if !args.ask && portals.iter().any(is_assumed) {
        let path = path.display();
        output::line(format_args!("{path}: https:// was added to host names; if a portal has no TLS, write http://"))?;
    }
    let next = match user_agent {
        Some(_) => "next",
        None => "fill in user_agent, then",
    };
    output::done(format_args!("{}: {next}: goldminer check {0}, and goldminer crawl {0}", path.display()))
}

fn already_exists(path: &Path) -> UsageError {
    UsageError::of(format_args!("{} already exists and was not changed; name another file with -o", path.display()))
}

/// The typed texts as URLs, one for each host.
fn portals(typed: &[String]) -> Result<Vec<CrawlUrl>, UsageError> {
    let mut portals: Vec<CrawlUrl> = Vec::new();
    for text in typed {
        // No domain has these endings: the user probably means a file, for another command.
        let is_file_name = !text.contains("://") && [".toml", ".txt"].iter().any(|ending| text.ends_with(ending));
        if is_file_name || Path::new(text).is_file() {
            return Err(UsageError::of(format_args!(
                "{text} is the name of a file, not a portal such as portal.example; to crawl the portals in it: goldminer crawl {text}"
            )));
        }
        let url = match of_host_name(text) {
            Some(url) => url,
            None => seed_url(text).map_err(|error| match text.contains([':', '/']) || text.trim().is_empty() {
                true => UsageError::of(error),
                false => UsageError::of(format_args!(
                    "{text:?} is not a domain or URL; write for example portal.example or https://portal.example/"
                )),
            })?,
        };
        if !portals.iter().any(|known| known.host_name() == url.host_name()) {
            portals.push(url);
        }
    }
    Ok(portals)
}

/// The text of the seeds file.
fn seeds_file(path: &Path, user_agent: Option<&str>, portals: &[CrawlUrl], checked: &[PortalCheck]) -> String {
    let name = if path == Path::new("-") { "FILE".to_owned() } else { path.display().to_string() };
    let mut text = format!(
        "# Seeds for GoldMiner. All keys: \
         https://github.com/goldminer-corpus/goldminer/blob/main/docs/src/reference/seeds.md\n\
         #\n\
         #   goldminer check {name}     robots.txt, feeds, sitemaps and the first page of each portal; what a crawl would do\n\
         #   goldminer crawl {name}     after Ctrl-C or a crash, run it again to continue\n\n\
         [crawl]\n\
         # How webmasters see your crawler: a name, and a web page or an e-mail address where they can reach you.\n\
         # For example: \"my-corpus/1.0 (+https://example.org/my-crawl; me@example.org)\"\n\
         user_agent = {}\n\
         # From the end of a response to the next request to the same host; robots.txt may ask for more.\n\
         delay = \"5s\"\n\
         # max_pages = 1000          # for a first test; to continue, run it again with more\n\
         # max_time = \"7d\"           # keep visiting the portals for new articles until then\n",
        quoted(user_agent.unwrap_or_default())
    );
    for (number, portal) in portals.iter().enumerate() {
        let found = checked.get(number);
        let start = found.map_or(portal, |found| found.start());
        text += &format!("\n[[portal]]\nstart = [{}]\n", quoted(start.as_str()));
        if let Some(found) = found {
            text += &format!("# {}\n", found.verdict());
            let feeds: Vec<String> = found.feeds.iter().map(|feed| quoted(feed.as_str())).collect();
            if !feeds.is_empty() {
                text += &format!("feeds = [{}]\n", feeds.join(", "));
            }
        }
        if number == 0 {
            text.push_str(
                "# scope = \"host\"            # or \"domain\" (all its hosts), or \"prefix\" (URLs that begin like a start page)\n\
                 # include = ['/20\\d\\d/']    # regular expressions: follow only URLs that match,\n\
                 # exclude = ['/tag/']       # and none that match these\n\
                 # max_pages = 10000\n",
            );
        }
    }
    debug_assert!(Seeds::parse(&text, "what init writes").is_ok(), "{text}");
    text
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_file_is_a_valid_seeds_file() {
        let portals = portals(&["portal.example".to_owned(), "http://b.example/news/".to_owned()]).unwrap();
        let text = seeds_file(Path::new("mine.toml"), Some("x/1 (+https://uni.hu \"quoted\")"), &portals, &[]);
        let seeds = Seeds::parse(&text, "mine.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(seeds.crawl.user_agent, "x/1 (+https://uni.hu \"quoted\")");
        let start: Vec<&str> = seeds.portals.iter().map(|portal| portal.start[0].as_str()).collect();
        assert_eq!(start, ["https://portal.example/", "http://b.example/news/"]);
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }

    #[test]
    fn a_file_name_is_not_taken_for_a_portal() {
        for typed in ["mine.toml", "Cargo.toml", "urls.txt"] {
            let error = portals(&[typed.to_owned()]).expect_err(typed).to_string();
            assert!(error.contains(&format!("goldminer crawl {typed}")), "{error}");
        }
    }

    #[test]
    fn the_settings_in_comments_are_valid_too() {
        let portals = portals(&["portal.example".to_owned()]).unwrap();
        let text = seeds_file(Path::new("mine.toml"), None, &portals, &[]);
        let live: String = text
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(setting) if setting.contains(" = ") => format!("{setting}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let seeds = Seeds::parse(&live, "mine.toml").unwrap_or_else(|e| panic!("{e}\n{live}"));
        assert_eq!((seeds.crawl.max_pages, seeds.portals[0].max_pages), (Some(1_000), Some(10_000)));
    }
}
