//! What an operator may tell a crawl to do, and the doing: the same whether it runs or lies still. Questions, which change
//! nothing, are in `answers`.
//!
//! Every order is durable before it is confirmed, and is confirmed in words that say what follows from it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::address::{CrawlUrl, Host};
use crate::config::{Config, ConfigError, LEAST_DELAY};
use crate::figures::counted;
use crate::frontier::{Discovery, Frontier, Life, Source, Stands, UrlKind, name_of};
use crate::seeds::{Portal, Span, typed_url};
use crate::store::StoreError;

use super::job::JobDir;
use super::portals::{Portals, scope};

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Ask nothing of a host until it is resumed.
    Pause {
        /// The host, as typed.
        host: String,
    },
    /// End every hold of a host.
    Resume {
        /// The host, as typed.
        host: String,
    },
    /// Ask nothing of a host any more.
    Block {
        /// The host, as typed.
        host: String,
    },
    /// Change the delay of a host.
    Delay {
        /// The host, as typed.
        host: String,
        /// The delay; none returns to the configured one.
        delay: Option<Span>,
    },
    /// Crawl from these URLs as well.
    Add {
        /// The URLs, as typed.
        urls: Vec<String>,
    },
    /// Finish what is in flight, and end.
    Stop,
}

/// An order for a running crawl, with the place for its confirmation.
pub type Ordered = (Order, oneshot::Sender<Result<Vec<String>, OrderError>>);

/// Why an order was not carried out.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum OrderError {
    #[error("the crawl knows no host {typed:?}{hint}")]
    UnknownHost { typed: String, hint: String },
    #[error("nothing was added: {0}")]
    Url(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the crawl is ending; try again when it has ended")]
    Ending,
}

/// Where orders are carried out.
pub(super) struct Office<'a> {
    pub frontier: &'a mut Frontier,
    pub config: &'a mut Config,
    pub job: &'a JobDir,
    pub now: Timestamp,
}

impl Office<'_> {
    /// Carries an order out; says what was done, a line each.
    pub(super) fn carry_out(&mut self, order: &Order) -> Result<Vec<String>, OrderError> {
        match order {
            Order::Pause { host } => self.each(host, |this, host| {
                this.frontier.pause(host)?;
                Ok(format!("{host} is paused until it is resumed; {}", this.waiting(host)))
            }),
            Order::Block { host } => self.each(host, |this, host| {
                this.frontier.block(host)?;
                Ok(format!("{host} is blocked: nothing is asked of it any more; {}", this.waiting(host)))
            }),
            Order::Resume { host } => self.each(host, |this, host| {
                this.frontier.resume(host, this.now)?;
                Ok(format!("{host} is asked again; {}", this.waiting(host)))
            }),
            Order::Delay { host, delay } => self.set_delay(host, *delay),
            Order::Add { urls } => self.add(urls),
            Order::Stop => Ok(vec!["the crawl finishes what is in flight and ends; the state is safe".to_owned()]),
        }
    }

    fn set_delay(&mut self, host: &str, delay: Option<Span>) -> Result<Vec<String>, OrderError> {
        let is_short = delay.is_some_and(|delay| delay.0 < LEAST_DELAY);
        if let Some(delay) = delay.filter(|_| is_short && !self.config.may_hurry()) {
            return Err(ConfigError::Delay(delay).into());
        }
        self.each(host, |this, host| {
            this.frontier.set_delay(host, delay.map(|delay| delay.0), this.now)?;
            let now = this.frontier.host(host, this.now).map(|status| Span(status.delay));
            let now =
                now.map_or_else(String::new, |delay| format!("; with its crawl-delay and response time: {delay}"));
            Ok(match delay {
                Some(delay) => format!("{host} has a delay of {delay} now{now}"),
                None => format!("{host} has the configured delay again{now}"),
            })
        })
    }

    fn add(&mut self, urls: &[String]) -> Result<Vec<String>, OrderError> {
        let parse = |typed: &String| typed_url(typed).map_err(OrderError::Url);
        let urls: Vec<CrawlUrl> = urls.iter().map(parse).collect::<Result<_, _>>()?;
        urls.iter().map(|url| self.add_one(url)).collect()
    }

    fn add_one(&mut self, url: &CrawlUrl) -> Result<String, OrderError> {
        let known = self.frontier.explain(url, self.now)?;
        if let Some(life) = known.life.filter(|life| !matches!(life.account, Stands::Rejected(_))) {
            return Ok(format!("{url} is known already: {}", stands(&life)));
        }
        let portal = known.portals.into_iter().find(|portal| portal.wanted).map(|portal| portal.portal);
        let (name, is_new) = match portal {
            Some(name) => (name, false),
            None => (self.open_portal(url)?, true),
        };
        let Some(id) = self.frontier.portal(&name) else { return Err(OrderError::Ending) };
        self.frontier.add(&[Discovery::seed(url.clone(), UrlKind::Start, id)], self.now)?;
        Ok(if is_new {
            format!("{url} is queued, in a new portal {name}")
        } else {
            format!("{url} is queued, in {name}")
        })
    }

    /// A portal around a URL that no portal reaches; it stays part of the job.
    fn open_portal(&mut self, url: &CrawlUrl) -> Result<String, OrderError> {
        let is_taken = |name: &str| self.config.portals.iter().any(|portal| portal.name == name);
        let host = url.host_name();
        let name = if is_taken(host) { format!("{host} {}", self.config.portals.len() + 1) } else { host.to_owned() };
        let portal = Portal::around(name.clone(), url.clone());
        self.config.portals.push(portal.clone());
        self.config.added.push(name.clone());
        self.config.write(self.job.root())?;
        self.frontier.add_portal(&crate::frontier::Portal { name: name.clone(), scope: scope(&portal) })?;
        Ok(name)
    }

    /// Does something to every host that is meant: `http` and `https` of one name are two.
    fn each(
        &mut self,
        typed: &str,
        mut order: impl FnMut(&mut Self, &Host) -> Result<String, StoreError>,
    ) -> Result<Vec<String>, OrderError> {
        let hosts: Vec<Host> = self.frontier.hosts(self.now).into_iter().map(|status| status.host).collect();
        let meant: Vec<&Host> = hosts.iter().filter(|host| is_meant(host, typed)).collect();
        if meant.is_empty() {
            let hint = match nearest(typed, &hosts) {
                Some(name) => format!("; did you mean {name}?"),
                None => "; `goldminer status DIR` lists those that there are".to_owned(),
            };
            return Err(OrderError::UnknownHost { typed: typed.to_owned(), hint });
        }
        meant.into_iter().map(|host| Ok(order(self, host)?)).collect()
    }

    fn waiting(&self, host: &Host) -> String {
        match self.frontier.host(host, self.now).map_or(0, |status| status.queued) {
            0 => "nothing of it waits".to_owned(),
            urls => counted(urls, "URL of it waits", "URLs of it wait"),
        }
    }
}

impl Portals {
    /// The portals of a configuration that was changed while the crawl runs.
    pub(super) fn again(config: &Config, frontier: &Frontier) -> Self {
        Self::of(config).with_ids(|name| frontier.portal(name))
    }
}

/// `courier.example`, `courier.example:8080` or `http://courier.example/`.
fn is_meant(host: &Host, typed: &str) -> bool {
    let typed = typed.trim_end_matches('/').to_ascii_lowercase();
    host.as_str() == typed || name(host) == typed
}

fn name(host: &Host) -> &str {
    host.as_str().split_once("://").map_or(host.as_str(), |(_, name)| name)
}

/// The host whose name differs least, if it is near enough to be meant.
fn nearest<'a>(typed: &str, hosts: &'a [Host]) -> Option<&'a str> {
    let typed = typed.split_once("://").map_or(typed, |(_, name)| name);
    let near = hosts.iter().map(|host| (strsim::damerau_levenshtein(typed, name(host)), name(host))).min()?;
    (near.0 <= 1 + near.1.len() / 3).then_some(near.1)
}

fn stands(life: &Life) -> String {
    let source = if life.source == Source::Seed {
        "a seed".to_owned()
    } else {
        format!("found by {}", name_of(&life.source).replace('-', " "))
    };
    match life.account {
        Stands::Done(done) => format!("{source}, done ({})", name_of(&done).replace('-', " ")),
        Stands::Rejected(reason) => format!("{source}, rejected ({})", name_of(&reason).replace('-', " ")),
        Stands::Queued => format!("{source}, queued"),
        Stands::InFlight => format!("{source}, in flight"),
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
    fn a_misspelt_host_is_told_by_the_nearest_one() {
        let hosts = [host("https://courier.example/"), host("https://gazette.example/")];
        assert_eq!(nearest("courir.example", &hosts), Some("courier.example"));
        assert_eq!(nearest("wholly-different.org", &hosts), None);
    }
}
