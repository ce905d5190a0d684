//! `goldminer robots`: whether a robots.txt file allows a URL for a crawler, and by which rule.

use anyhow::Context;
use goldminer_crawl::seeds;
use goldminer_fetch::robots::{Robots, path_of};
use goldminer_html::CrawlUrl;

use crate::cli::RobotsArgs;
use crate::commands::inputs::robots_now::is_robots;
use crate::commands::{Exit, misuse, output};

/// Runs `goldminer robots`.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn run(args: &RobotsArgs) -> anyhow::Result<Exit> {
    let body = std::fs::read(&args.file)
        .with_context(|| format!("cannot read {}; give the path of a robots.txt file", args.file.display()))?;
    if !is_robots(&body) {
        let file = args.file.display();
        return misuse(format!(
            "{file} is not a robots.txt (it has no line such as `User-agent: *`); save the file of the host again"
        ));
    }
    if !args.url.starts_with('/') && !args.url.contains("//") && seeds::of_host_name(&args.url).is_none() {
        return misuse(format!(
            "{:?} is neither a URL nor a path; write one such as https://portal.example/news",
            args.url
        ));
    }
    // A whole user agent may be given. Its product token ends at the first character that a token cannot contain (RFC
    // 9309, 2.2.1).
    let is_token = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
    let token: String = args.user_agent.chars().take_while(|c| is_token(*c)).collect();
    let robots = Robots::parse(&body, &token);
    // The rules are applied to the URL as typed: a crawler might remove the part to which a rule applies.
    let verdict = match CrawlUrl::parse(&args.url) {
        Ok(url) if url.as_str() == args.url => robots.verdict(&url),
        _ => robots.verdict_on_path(&path_of(&args.url)),
    };
    let word = if verdict.allowed { "allowed" } else { "disallowed" };
    output::line(format_args!("{word}  {}", verdict.rule.as_deref().unwrap_or("(no rule matches)")))?;
    Ok(if verdict.allowed { Exit::Done } else { Exit::Failed })
}
