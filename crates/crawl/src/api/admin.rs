//! Executes the commands of an operator on a stopped crawl or, through the crawl's scheduler, on a running one.
//!
//! Every command is saved to disk before it is confirmed. The confirmation says what the command changes.

use std::time::Duration;

use goldminer_corpus::figures::counted;
use goldminer_html::{CrawlUrl, Host};
use jiff::Timestamp;
use tokio::sync::oneshot;

use super::query::{Command, CommandError};
use super::service::{JobService, Running, View};
use crate::config::LEAST_DELAY;
use crate::frontier::{Discovery, Frontier, Source, UrlHistory, UrlState, Withdrawals};
use crate::seeds::nearest;
use crate::{Config, ConfigError, HumanDuration, JobDir, Portal, StoreError, UrlKind, name_of, seed_url};

/// The longest delay that a command may set.
const MOST_DELAY: Duration = Duration::from_secs(24 * 3600);

impl JobService {
    /// Sends a command to the running crawl, or executes it on a stopped job. Returns what was done, one line each.
    ///
    /// # Errors
    /// When nothing was done; the error says why.
    pub fn execute(&self, command: &Command) -> Result<Vec<String>, CommandError> {
        match &self.view {
            View::Stopped(_) if *command == Command::Stop => {
                Ok(vec!["no crawl is running: nothing to stop".to_owned()])
            }
            View::Stopped(stopped) => {
                let mut stopped = stopped.lock().map_err(|_| CommandError::Ending)?;
                let (frontier, config) = &mut *stopped;
                Admin { frontier, config, job: &self.job, now: self.clock.now() }.execute(command)
            }
            View::Running(Running { commands, .. }) => {
                let (reply_in, reply) = oneshot::channel();
                commands.blocking_send((command.clone(), reply_in)).map_err(|_| CommandError::Ending)?;
                reply.blocking_recv().map_err(|_| CommandError::Ending)?
            }
        }
    }
}

impl Command {
    /// The host that the command pauses, blocks or may slow down.
    pub(crate) fn restrains(&self) -> Option<&str> {
        match self {
            Self::Pause { host } | Self::Block { host } | Self::Delay { host, .. } => Some(host),
            Self::Resume { .. } | Self::Add { .. } | Self::Stop => None,
        }
    }
}

/// The parts of a job that commands change.
pub(crate) struct Admin<'a> {
    pub frontier: &'a mut Frontier,
    pub config: &'a mut Config,
    pub job: &'a JobDir,
    pub now: Timestamp,
}

impl Admin<'_> {
    /// Executes a command. Returns what was done, one line each.
    pub(crate) fn execute(&mut self, command: &Command) -> Result<Vec<String>, CommandError> {
        match command {
            Command::Pause { host } => self.each(host, |this, host| {
                this.frontier.pause(host)?;
                Ok(format!("{host} is paused until it is resumed; {}", this.waiting(host)))
            }),
            Command::Block { host } => self.each(host, |this, host| {
                this.frontier.block(host)?;
                Ok(format!("{host} is blocked: no requests are sent to it any more; {}", this.waiting(host)))
            }),
            Command::Resume { host } => self.each(host, |this, host| {
                this.frontier.resume(host, this.now)?;
                let due = this.frontier.host(host, this.now).and_then(|status| status.next_due);
                let seconds = due.map_or(0, |due| due.duration_since(this.now).as_secs());
                let next = match u64::try_from(seconds).unwrap_or(0) {
                    0 => String::new(),
                    wait => format!("; the next request is due in {}", HumanDuration(Duration::from_secs(wait))),
                };
                Ok(format!("{host} gets requests again; {}{next}", this.waiting(host)))
            }),
            Command::Delay { host, delay } => self.set_delay(host, *delay),
            Command::Add { urls } => self.add(urls),
            Command::Stop => {
                Ok(vec!["the crawl finishes the requests in flight and stops; what was fetched is saved".to_owned()])
            }
        }
    }

    fn set_delay(&mut self, host: &str, delay: Option<HumanDuration>) -> Result<Vec<String>, CommandError> {
        let is_short = delay.is_some_and(|delay| delay.0 < LEAST_DELAY);
        if let Some(delay) = delay.filter(|_| is_short && !self.config.may_hurry()) {
            return Err(ConfigError::Delay(delay).into());
        }
        if let Some(delay) = delay.filter(|delay| delay.0 > MOST_DELAY) {
            return Err(CommandError::LongDelay(delay));
        }
        self.each(host, |this, host| {
            this.frontier.set_delay(host, delay.map(|delay| delay.0), this.now)?;
            let wait = this.frontier.host(host, this.now).map(|status| status.delay);
            let in_ms = |time: Duration| (time.as_secs_f64() * 1000.0).round() as u64;
            let other = wait.map(in_ms).filter(|wait| delay.is_none_or(|delay| *wait != in_ms(delay.0)));
            let wait = other.map(|wait| HumanDuration(Duration::from_millis(wait)));
            Ok(match (delay, wait) {
                (Some(delay), None) => format!("{host} has a delay of {delay} now"),
                (Some(delay), Some(wait)) => format!(
                    "{host} has a delay of {delay} now; the wait is {wait}, because of its Crawl-delay or slow answers"
                ),
                (None, None) => format!("{host} has the configured delay again"),
                (None, Some(wait)) => format!("{host} has the configured delay again; the wait is {wait}"),
            })
        })
    }

    fn add(&mut self, urls: &[String]) -> Result<Vec<String>, CommandError> {
        let parse = |typed: &String| seed_url(typed).map_err(CommandError::Url);
        let urls: Vec<CrawlUrl> = urls.iter().map(parse).collect::<Result<_, _>>()?;
        let withdrawn = Withdrawals::of(&self.config.withdrawn);
        if let Some(url) = urls.iter().find(|url| withdrawn.hold(url)) {
            return Err(CommandError::Withdrawn(url.clone()));
        }
        urls.iter().map(|url| self.add_one(url)).collect()
    }

    fn add_one(&mut self, url: &CrawlUrl) -> Result<String, CommandError> {
        let known = self.frontier.explain(url, self.now)?;
        if let Some(life) = known.life.filter(|life| !matches!(life.account, UrlState::Rejected(_))) {
            return Ok(format!("{url} is known already: {}", stands(&life)));
        }
        let accepting = known.portals.into_iter().find(|portal| portal.wanted).map(|portal| portal.portal);
        let new = if accepting.is_none() { "a new portal " } else { "" };
        let name = accepting.map_or_else(|| self.open_portal(url), Ok)?;
        self.config.added.push(url.to_string());
        self.config.write(self.job.root())?;
        let Some(id) = self.frontier.portal(&name) else { return Err(CommandError::Ending) };
        self.frontier.add(&[Discovery::seed(url.clone(), UrlKind::Start, id)], self.now)?;
        Ok(format!("{url} is queued, in {new}{name}"))
    }

    /// Adds a portal for a URL that is in no portal's scope. The portal stays part of the job.
    fn open_portal(&mut self, url: &CrawlUrl) -> Result<String, CommandError> {
        let is_taken = |name: &str| self.config.portals.iter().any(|portal| portal.name == name);
        let host = url.host_name();
        let name = if is_taken(host) { format!("{host} {}", self.config.portals.len() + 1) } else { host.to_owned() };
        let portal = Portal::around(name.clone(), url.clone());
        self.config.portals.push(portal.clone());
        self.frontier.add_portal(&portal)?;
        Ok(name)
    }

    /// Applies a change to every host with this name: `http` and `https` with one name are two hosts.
    fn each(
        &mut self,
        typed: &str,
        mut act: impl FnMut(&mut Self, &Host) -> Result<String, StoreError>,
    ) -> Result<Vec<String>, CommandError> {
        let hosts: Vec<Host> = self.frontier.hosts(self.now).into_iter().map(|status| status.host).collect();
        let meant: Vec<&Host> = hosts.iter().filter(|host| is_meant(host, typed)).collect();
        if meant.is_empty() {
            let bare = typed.split_once("://").map_or(typed, |(_, name)| name);
            let hint = match nearest(bare, hosts.iter().map(name)) {
                Some(name) => format!("; did you mean {name}?"),
                None => "; `goldminer status DIR` lists the hosts".to_owned(),
            };
            return Err(CommandError::UnknownHost { typed: typed.to_owned(), hint });
        }
        meant.into_iter().map(|host| Ok(act(self, host)?)).collect()
    }

    fn waiting(&self, host: &Host) -> String {
        match self.frontier.host(host, self.now).map_or(0, |status| status.queued) {
            0 => "none of its URLs is queued".to_owned(),
            urls => counted(urls, "of its URLs is queued", "of its URLs are queued"),
        }
    }
}

/// Whether a host has the typed name and port, over either scheme.
pub(crate) fn is_of_server(host: &Host, typed: &str) -> bool {
    let typed = typed.trim_end_matches('/').to_ascii_lowercase();
    name(host) == typed.split_once("://").map_or(&*typed, |(_, name)| name)
}

/// Whether a host is the one that was typed: `courier.example`, `courier.example:8080` or `http://courier.example/`.
fn is_meant(host: &Host, typed: &str) -> bool {
    let typed = typed.trim_end_matches('/').to_ascii_lowercase();
    host.as_str() == typed || name(host) == typed
}

fn name(host: &Host) -> &str {
    host.as_str().split_once("://").map_or(host.as_str(), |(_, name)| name)
}

fn stands(life: &UrlHistory) -> String {
    let source =
        if life.source == Source::Seed { "a seed".to_owned() } else { format!("found by {}", name_of(&life.source)) };
    match life.account {
        UrlState::Done(done) => format!("{source}, done ({})", name_of(&done)),
        other => format!("{source}, {}", name_of(&other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(url: &str) -> Host {
        CrawlUrl::parse(url).unwrap().host()
    }

    #[test]
    fn a_host_is_meant_by_its_name_or_by_its_whole_address() {
        let host = host("http://courier.example:8080/");
        for typed in ["courier.example:8080", "http://courier.example:8080/", "Courier.example:8080"] {
            assert!(is_meant(&host, typed), "{typed}");
        }
        assert!(!is_meant(&host, "courier.example") && !is_meant(&host, "https://courier.example:8080"));
    }

    #[test]
    fn a_misspelt_host_is_answered_with_the_nearest_one() {
        let hosts = [host("https://courier.example/"), host("https://gazette.example/")];
        assert_eq!(nearest("courir.example", hosts.iter().map(name)), Some("courier.example"));
        assert_eq!(nearest("wholly-different.org", hosts.iter().map(name)), None);
    }
}
