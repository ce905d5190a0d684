//! The effective configuration of a crawl: the seeds file, overridden by the command line.
//!
//! It is written to `job.toml` in the job directory, to record how the crawl really ran. Values are plain types and
//! are validated here; the code that uses them converts them to its own types.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use goldminer_fetch::{PrivateAccess, ProxyChoice, ResolveRule, UserAgent};
use goldminer_warc::durable;
use serde::{Deserialize, Serialize};

use crate::seeds::{CrawlSettings, HumanDuration, Portal, Seeds, explain};

/// The shortest delay between requests to a host. A shorter one is allowed only with `--allow-private loopback`.
pub const LEAST_DELAY: Duration = Duration::from_secs(1);

/// The effective configuration of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Private IP addresses that may be requested: `loopback`, or a network such as `10.0.0.0/8`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_private: Vec<String>,
    /// IP addresses in place of DNS answers, as `HOST:PORT:ADDRESS[:PORT]`, like curl's `--resolve`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolve: Vec<String>,
    /// URLs and hosts that were permanently removed from the job: they are never requested again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<String>,
    /// URLs that the operator added with `goldminer ctl`. They and their portals need not be in the seeds file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Settings of the whole crawl.
    pub crawl: CrawlSettings,
    /// The portals. Their order is part of the job: new portals are added at the end.
    #[serde(rename = "portal")]
    pub portals: Vec<Portal>,
}

/// Settings from the command line, which take precedence over the seeds file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The value of `--user-agent`.
    pub user_agent: Option<String>,
    /// The value of `--delay`.
    pub delay: Option<HumanDuration>,
    /// The value of `--max-pages`.
    pub max_pages: Option<u64>,
    /// The value of `--max-time`.
    pub max_time: Option<HumanDuration>,
    /// The values of `--allow-private`.
    pub allow_private: Vec<String>,
    /// The values of `--resolve`.
    pub resolve: Vec<String>,
}

/// Why a crawl needs a user agent: the beginning of messages about a missing one.
pub const NO_USER_AGENT: &str = "no user agent: sites must be able to see who crawls them and whom to contact";

/// Why a configuration cannot be used. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no user agent.
    #[error(
        "{}; write below [crawl] in the seeds file a name, and a web page or an e-mail address of your \
         own:\n    user_agent = \"my-corpus/1.0 (+https://example.org/my-crawl; me@example.org)\"\n  (or give it as \
         --user-agent, or in the environment as GOLDMINER_USER_AGENT)",
        NO_USER_AGENT
    )]
    NoUserAgent,
    /// The user agent is invalid.
    #[error("{0}")]
    UserAgent(String),
    /// The contact of the user agent was copied from an example.
    #[error(
        "the user agent {user_agent:?} names {host}, a domain for examples where nobody can be reached; give a web page or \
         an e-mail address of your own, for webmasters to write to. To crawl portals on your own machine or network, \
         such as those of `goldminer demo --serve`, use --allow-private"
    )]
    ExampleContact {
        /// The user agent as given.
        user_agent: String,
        /// The host of the contact, which does not exist.
        host: String,
    },
    /// The delay is too short.
    #[error("a delay of {0} is too short: use 1s or more (less is allowed only on loopback, with --allow-private)")]
    Delay(HumanDuration),
    /// `backoff` or `retry_wait`, the waits after failures, is too short.
    #[error("a {0} of {1} is too short: use {2} or more (less is allowed only on loopback, with --allow-private)")]
    Patience(&'static str, HumanDuration, HumanDuration),
    /// A resolve rule, a network or the proxy is malformed.
    #[error("{0}")]
    Value(String),
    /// The job directory contains another crawl.
    #[error("{} holds a crawl of other portals ({}); give another --dir, or delete it if you no longer need it", dir.display(), portals)]
    OtherCrawl {
        /// The job directory.
        dir: PathBuf,
        /// The portals that it crawls.
        portals: String,
    },
    /// `job.toml` cannot be read or written.
    #[error("{}: {message}", path.display())]
    JobFile {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
}

impl ConfigError {
    /// The key below `[crawl]` whose value is wrong; None if the error is about something else.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::NoUserAgent | Self::UserAgent(_) | Self::ExampleContact { .. } => Some("user_agent"),
            Self::Delay(_) => Some("delay"),
            Self::Patience(key, ..) => Some(key),
            Self::Value(_) | Self::OtherCrawl { .. } | Self::JobFile { .. } => None,
        }
    }
}

impl Config {
    /// Merges seeds, command line and defaults, and validates the result.
    ///
    /// # Errors
    /// When a value is invalid, or too low to be polite.
    pub fn effective(seeds: Seeds, overrides: &Overrides) -> Result<Self, ConfigError> {
        let mut crawl = seeds.crawl;
        crawl.user_agent = overrides.user_agent.clone().unwrap_or(crawl.user_agent);
        crawl.delay = overrides.delay.unwrap_or(crawl.delay);
        crawl.ip_spacing = Some(HumanDuration(crawl.ip_spacing()));
        crawl.max_pages = overrides.max_pages.or(crawl.max_pages);
        crawl.max_time = overrides.max_time.or(crawl.max_time);
        crawl.max_in_flight = crawl.max_in_flight.max(1);
        crawl.learning_pages = crawl.learning_pages.max(1);
        let (allow_private, resolve) = (overrides.allow_private.clone(), overrides.resolve.clone());
        let config = Self { crawl, allow_private, resolve, portals: seeds.portals, ..Self::default() };
        config.check()?;
        Ok(config)
    }

    /// The validated user agent.
    ///
    /// # Errors
    /// When product token or contact is missing.
    pub fn user_agent(&self) -> Result<UserAgent, ConfigError> {
        if self.crawl.user_agent.trim().is_empty() {
            return Err(ConfigError::NoUserAgent);
        }
        let user_agent = self.crawl.user_agent.clone();
        UserAgent::new(&user_agent).map_err(|wrong| {
            let host = UserAgent::example_host_in(&user_agent).filter(|_| self.allow_private.is_empty());
            let example = host.map(|host| format!("\n  and: {}", ConfigError::ExampleContact { user_agent, host }));
            ConfigError::UserAgent(format!("{wrong}{}", example.unwrap_or_default()))
        })
    }

    /// The private IP addresses that may be requested. If there are any, and the delay is shorter than [`LEAST_DELAY`]
    /// or the user agent has no contact, public addresses may not be requested.
    ///
    /// # Errors
    /// When an entry is neither `loopback` nor a network, or there are two networks.
    pub fn private_access(&self) -> Result<PrivateAccess, ConfigError> {
        let mut access = PrivateAccess::NONE;
        for entry in &self.allow_private {
            if entry == "loopback" {
                access.loopback = true;
            } else {
                let network = entry.parse().map_err(|e| ConfigError::Value(format!("--allow-private: {e}")))?;
                if access.network.replace(network).is_some() {
                    let message = "--allow-private accepts loopback and one network, not several networks".to_owned();
                    return Err(ConfigError::Value(message));
                }
            }
        }
        let has_contact = self.user_agent().is_ok_and(|user_agent| user_agent.example_host().is_none());
        access.private_only = access != PrivateAccess::NONE && (!has_contact || self.crawl.delay.0 < LEAST_DELAY);
        Ok(access)
    }

    /// The rules that replace DNS answers, from `resolve`.
    ///
    /// # Errors
    /// When a rule is malformed.
    pub fn resolve_rules(&self) -> Result<Vec<ResolveRule>, ConfigError> {
        self.resolve.iter().map(|r| r.parse().map_err(|e| ConfigError::Value(format!("--resolve: {e}")))).collect()
    }

    /// The proxy to use.
    ///
    /// # Errors
    /// When its protocol is not supported.
    pub fn proxy(&self) -> Result<ProxyChoice, ConfigError> {
        let choice = self.crawl.proxy.as_deref().unwrap_or_default().parse();
        choice.map_err(|e| ConfigError::Value(format!("proxy: {e}")))
    }

    /// Whether delays shorter than [`LEAST_DELAY`], and waits shorter than the default ones, are allowed: only if
    /// servers on this machine (loopback addresses) may be requested.
    pub fn may_hurry(&self) -> bool {
        self.private_access().is_ok_and(|access| access.loopback)
    }

    /// The configuration of the job in this directory; None if there is no job.
    ///
    /// # Errors
    /// When `job.toml` exists but cannot be read or parsed.
    pub fn of_job(dir: &Path) -> Result<Option<Self>, ConfigError> {
        let path = dir.join("job.toml");
        let complaint = |message: String| ConfigError::JobFile { path: path.clone(), message };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(complaint(format!("cannot be read: {e}"))),
        };
        // Every `job.toml` has a user agent. If it is missing, the disk was full or the file was cut off.
        if !text.lines().any(|line| line.trim_start().starts_with("user_agent")) {
            return Err(complaint(format!(
                "it is empty or cut short, and the program alone writes it. Remove it and run the crawl again, which writes \
                 it anew: goldminer crawl SEEDS.toml --dir {}",
                dir.display()
            )));
        }
        toml::from_str(&text).map(Some).map_err(|e| {
            let (message, hint) = explain(e.message());
            complaint(format!(
                "{message}{hint}; the program writes this file, so restore it or start a new job directory"
            ))
        })
    }

    /// Continues the job `old` with the settings of `self`. The old portals keep their positions, and new ones
    /// follow.
    ///
    /// # Errors
    /// When the two have no portal in common.
    pub fn continuing(mut self, old: &Self, dir: &Path) -> Result<Self, ConfigError> {
        let of_old: HashSet<&str> = old.portals.iter().map(|portal| portal.name.as_str()).collect();
        let added: HashSet<&str> = old.added.iter().map(String::as_str).collect();
        let named: HashMap<&str, &Portal> =
            self.portals.iter().rev().map(|portal| (portal.name.as_str(), portal)).collect();
        let known = |p: &Portal| of_old.contains(p.name.as_str());
        if !self.portals.iter().any(known) {
            let portals = old.portals.iter().take(3).map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(ConfigError::OtherCrawl { dir: dir.to_owned(), portals });
        }
        let mut portals = Vec::with_capacity(self.portals.len());
        for portal in &old.portals {
            // A portal that was removed from the seeds file stays in the job, because its pages do, but gets no more
            // requests. A portal that the operator added was never in the seeds file, so it stays open.
            let now = named.get(portal.name.as_str()).copied();
            let closed = || Portal { max_pages: Some(0), ..portal.clone() };
            let is_added = portal.start.iter().any(|start| added.contains(start.as_str()));
            let unnamed = || if is_added { portal.clone() } else { closed() };
            portals.push(now.cloned().unwrap_or_else(unnamed));
        }
        self.added.clone_from(&old.added);
        self.withdrawn.clone_from(&old.withdrawn);
        portals.extend(self.portals.into_iter().filter(|p| !known(p)));
        self.portals = portals;
        Ok(self)
    }

    /// Writes `job.toml`.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), ConfigError> {
        let path = dir.join("job.toml");
        let complaint = |message: String| ConfigError::JobFile { path: path.clone(), message };
        let text = toml::to_string(self).map_err(|e| complaint(e.to_string()))?;
        let text = format!("# Written by goldminer at each start: the effective configuration of this crawl.\n{text}");
        durable::write(&path, text)
            .map_err(|e| complaint(format!("cannot be written: {e}; free space or choose another --dir")))
    }

    fn check(&self) -> Result<(), ConfigError> {
        let user_agent = self.user_agent()?;
        self.private_access()?;
        self.resolve_rules()?;
        self.proxy()?;
        let (crawl, least) = (&self.crawl, CrawlSettings::default());
        if crawl.delay.0 < LEAST_DELAY && !self.may_hurry() {
            return Err(ConfigError::Delay(crawl.delay));
        }
        let waits = [("backoff", crawl.backoff, least.backoff), ("retry_wait", crawl.retry_wait, least.retry_wait)];
        for (name, wait, least) in waits {
            if wait.0 < least.0 && !self.may_hurry() {
                return Err(ConfigError::Patience(name, wait, least));
            }
        }
        // In a private network, no webmaster needs the contact.
        match user_agent.example_host().filter(|_| self.allow_private.is_empty()) {
            Some(host) => Err(ConfigError::ExampleContact { user_agent: crawl.user_agent.clone(), host }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_delays_and_example_contacts_need_private_addresses() {
        let (own, example) = ("c/1 (+https://uni.hu/c)", "c/1 (+https://example.org/c)");
        let second = Duration::from_secs(1);
        for (user_agent, delay, private, is_only) in [
            (own, second, "loopback", false),
            (own, second / 2, "loopback", true),
            (example, second, "loopback", true),
            (example, second, "10.0.0.0/8", true),
        ] {
            let mut config = Config { allow_private: vec![private.to_owned()], ..Config::default() };
            config.crawl.user_agent = user_agent.to_owned();
            config.crawl.delay = HumanDuration(delay);
            assert_eq!(config.private_access().unwrap().private_only, is_only, "{user_agent} {delay:?} {private}");
            config.check().unwrap();
            config.allow_private.clear();
            assert_eq!(config.check().is_err(), is_only, "{user_agent} {delay:?} without {private}");
        }
    }
}
