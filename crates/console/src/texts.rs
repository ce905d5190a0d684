//! Every word that the console shows, in one place, so that it can be shown in other languages. What a crawl says of itself
//! comes from the crawl.

use std::net::SocketAddr;
use std::path::Path;

use goldminer_corpus::figures::counted;
use goldminer_crawl::frontier::RobotsStatus;

use crate::edit_action::EditAction;
use crate::job_summary::State;

pub(super) const TITLE: &str = "GoldMiner";
/// What is wrong with `--behind`.
pub(super) fn not_an_origin(typed: &str) -> String {
    format!(
        "--behind {typed}: write the address of the proxy as people open it, with its scheme and without a path: \
         --behind https://console.uni.hu. The proxy does the TLS; without TLS everybody on the way reads the token"
    )
}

/// Why a console does not answer a whole network.
pub(super) fn open_door(address: SocketAddr) -> String {
    format!(
        "--listen {address}: other machines would reach the console there, without TLS. Put a proxy that does TLS before it \
         and name that: --listen {address} --behind https://console.uni.hu. Or leave --listen out and let ssh do it, on the \
         machine where you sit: ssh -L 8080:127.0.0.1:8080 {}, with --port 8080 here",
        address.ip()
    )
}

pub(super) const NOT_THERE: &str = "There is nothing at this address.";
pub(super) const THIS_JOB: &str = "this job";
pub(super) const NO_PROGRAM: &str = "the crawl could not be started";
pub(super) const NOT_A_NAME: &str =
    "a name has letters, digits, spaces, dots and dashes, and begins with none of the last";
pub(super) const NO_COURSE: &str = "the archive's index cannot be read";
pub(super) const WENT_WRONG: &str = "That did not work";

pub(super) const SKIP: &str = "Skip to the contents";
pub(super) const WAY_BACK: &str = "Where this page is";
pub(super) const AWAY: &str = "The console does not answer any more: what is shown is as it was. Crawls go on.";
pub(super) const CHANGED: &str = "A job has begun or ended meanwhile.";
pub(super) const LOAD_AGAIN: &str = "Load the page again";
pub(super) const LOOKING: &str = "It is being looked at: in a moment there is more here.";
pub(super) const IN_FOLDER: &str = "In";
pub(super) const LOOK_AT_IT: &str = "Look at it";

pub(super) const JOBS: &str = "Jobs";
pub(super) const NO_JOBS: &str = "There is no crawl here yet. Start one:";
pub(super) const RUNNING: &str = "running";
pub(super) const STILL: &str = "lies still";
pub(super) const BEGINS: &str = "begins just now";
pub(super) const ATTENTION: &str = "What needs attention";
pub(super) const NOTHING_NEEDED: &str = "Nothing: every portal gives what it should.";
pub(super) const PORTALS: &str = "Portals";
pub(super) const OVER_TIME: &str = "Over time";
pub(super) const OVER_TIME_LATER: &str = "Wait for all of it";
pub(super) const ACCOUNTED: &str = "Every URL accounted for";
pub(super) const NOTHING_YET: &str = "Nothing came yet.";
pub(super) const FILTER: &str = "Filter by name";
pub(super) const SHOW: &str = "Show";
pub(super) const EVERY_STATE: &str = "every state";
pub(super) const PAGES_OF_PORTALS: &str = "More portals";
pub(super) const PAGE_BEFORE: &str = "before";
pub(super) const PAGE_AFTER: &str = "after";
pub(super) const NONE_FITS: &str = "No portal fits.";
pub(super) const ACCOUNTS_WRONG: &str =
    "The accounts do not add up: this is a defect, please report it with the job's log.";

pub(super) const START: &str = "Start a crawl";
pub(super) const START_DEMO: &str = "Start the demo";
pub(super) const START_DEMO_NOTE: &str = "Built-in portals on this machine: no network, under a minute.";
pub(super) const INTO_FOLDER: &str = "Each gets a folder of its own, by its name, in";
pub(super) const DEMO_NAME: &str = "Name of the job";
pub(super) const START_SEEDS: &str = "Start a crawl of these portals";
pub(super) const START_SEEDS_NOTE: &str =
    "A seeds file names the portals; `goldminer init` writes one. A job that is there already goes on.";
pub(super) const SEEDS_FILE: &str = "Seeds file, as a path on this machine";
pub(super) const JOB_NAME: &str = "Name of the job (by default the file's)";
pub(super) const FOOTER: &str =
    "GoldMiner's console. It answers on this machine alone and loads nothing from elsewhere.";

/// Numbers of a job: key of the live numbers, word, what it means.
pub(super) const FETCHED: (&str, &str) = ("pages", "Pages stored in the archive.");
pub(super) const DOCUMENTS: (&str, &str) = ("documents", "Articles in the corpus.");
pub(super) const QUEUED: (&str, &str) = ("URLs wait", "Found, and not asked for yet.");
pub(super) const RATE: (&str, &str) = ("answers a second", "Over the last seconds; none while nothing runs.");

pub(super) const YIELD: (&str, &str) = ("yield", "Bytes of clean text for each byte received.");
pub(super) const FITNESS: (&str, &str) =
    ("fitness", "How well its profile's cuts agree with the good text of its pages, from 0 to 1.");
pub(super) const DELAY: (&str, &str) = ("delay", "From the end of an answer to the next request.");

pub(super) const HOSTS: &str = "Hosts";
pub(super) const ALL_HOSTS: &str = "All of its hosts";
pub(super) const TAKE_BACK: &str = "Take it back";
pub(super) const NEXT_REQUEST: &str = "The next request goes";
pub(super) const NO_REQUEST: &str = "Nothing is asked of it at present.";
pub(super) const ROBOTS_HAD: &str = "robots.txt";
pub(super) const ADD_NOTE: &str = "What was added cannot be taken back; a host can be paused or blocked.";
pub(super) const NEXT: &str = "next";
pub(super) const ROBOTS_ASKS: &str = "its robots.txt asks for";
pub(super) const ALIAS_OF: &str = "Another name of";
pub(super) const CLOSED: &str = "Closed:";
pub(super) const MOVED_TO: &str = "Its start page has moved to";
pub(super) const LAST_NEWS: &str = "Something new came last";
pub(super) const RESUME: &str = "Resume";
pub(super) const PAUSE: &str = "Pause";
pub(super) const BLOCK: &str = "Block";
pub(super) const SET_DELAY: &str = "Set delay";
pub(super) const OWN_DELAY: &str = "Configured delay";
pub(super) const ADD_URL: &str = "Crawl from this page as well";
pub(super) const ADD: &str = "Add";
pub(super) const STOP: (&str, &str) =
    ("Stop the crawl", "It finishes what is in flight and ends; the same command goes on with it.");
pub(super) const NO_DELAY: &str = "a delay is a number and a unit, as in 20s or 500ms";
pub(super) const NO_ORDER: &str = "there is no such order";
pub(super) const QUEUE: &str = "What waits, by path";
pub(super) const YIELD_BY_PATH: &str = "Yield by path";
pub(super) const PATH: &str = "path";
pub(super) const RECEIVED: &str = "received";
pub(super) const WENT_WRONG_THERE: &str = "What went wrong";
pub(super) const TRIED_AGAIN: &str = "tried again";
pub(super) const LATEST_PAGES: &str = "The latest pages";
pub(super) const NOT_WHOLE: &str = "The portal has so many URLs that these numbers are of a part of them.";
pub(super) const SEARCH: &str = "A URL, or words of a text";
pub(super) const FOUND: &str = "Found";
pub(super) const NOTHING_FOUND: &str = "No document has these words in a row.";
pub(super) const SEARCH_NOT_WHOLE: &str = "There may be more: only a part of the corpus was looked at.";
pub(super) const A_URL: &str = "A URL";
pub(super) const ITS_LIFE: &str = "Its life";
pub(super) const ITS_PORTAL: &str = "Its portal:";
pub(super) const ITS_BLOCKS: &str = "What became of each block";
pub(super) const ITS_DOCUMENT: &str = "Its document";
pub(super) const STORED_PAGE: &str = "The stored page";
pub(super) const STORED_NOTE: &str =
    "Without scripts, styles, pictures and links: it runs nothing and asks for nothing.";
pub(super) const NO_PAGE: &str = "No page is stored of this URL.";

pub(super) const EDIT: &str = "Correct how pages like this are cut";
pub(super) const EDITOR: &str = "Correct the profile";
pub(super) const EDITOR_LEAD: &str = "Say of a block what should become of it; you see what that does to other pages of the domain before anything is saved.";
pub(super) const EXPORT: &str = "The profile as a file";
pub(super) const UNDO: &str = "Take back version";
pub(super) const EXTRACT_AGAIN: (&str, &str) = (
    "Extract again",
    "Extracts the stored pages by the profiles as they are now, into a folder beside the job; later only what has changed.",
);
pub(super) const SAVE: &str = "Save as a new version";
pub(super) const PROPOSALS: &str = "Patterns that would do it, the most specific first. The more general one is, the more pages it changes: look at them.";
pub(super) const PLACES: &str =
    "Places that have it, first those that agree best with what reads like an article on the other pages.";
pub(super) const NO_PROPOSAL: &str =
    "No pattern would do it: nothing around the block has a name, or another rule than the profile decides.";
pub(super) const CHARACTERS: &str = "characters";
pub(super) const NO_CHANGE: &str = "the profile has no such template any more: load the page again";
pub(super) const NOTHING_TO_UNDO: &str = "there is no version before this one";
pub(super) const NO_PROFILE: &str = "there is no such profile";
pub(super) const IT_IS: &str = "It is …";
pub(super) const TOLD: [&str; 3] = ["headline", "authors", "day"];
pub(super) const NOTHING_SAID: &str = "none";
pub(super) const MANUAL: &str = "said by hand";
pub(super) const TEMPLATE: &str = "template";
pub(super) const CUT_INSIDE: &str = "cuts";
pub(super) const LEADS: &str = "keeps before it";
pub(super) const SEE_TWELVE: &str = "See twelve pages at once";
pub(super) const TWELVE: &str =
    "Twelve of them, with what they would gain and lose; those that change come first. Nothing is saved yet.";
pub(super) const AS_BEFORE: &str = "This page stays as it is.";
pub(super) const UNDO_EXTRACTED: &str = "… and in what was extracted again";
pub(super) const EXTRACTS: &str = "The stored pages are being extracted.";
pub(super) const EXTRACTS_AGAIN: &str = "The pages of the domain are being extracted again.";
pub(super) const NOT_EXTRACTED: &str = "Since this console was started, the job has not been extracted again.";
pub(super) const TEACHING: &str = "Teach by marking pages";
pub(super) const TEACHING_LEAD: &str = "Mark on a few pages what is text. The domain learns again with them, and you see how much better it does before anything is saved.";
pub(super) const PICKED: &str = "Pages that tell most";
pub(super) const PICKED_NOTE: &str =
    "Here the profile and the classifier of single pages disagree about elements that stand on many pages.";
pub(super) const NOTHING_PICKED: &str =
    "Nothing is in dispute between the profile and the classifier of single pages that the marked pages do not settle.";
pub(super) const MARKED_PAGES: &str = "Marked pages";
pub(super) const NONE_MARKED: &str = "None yet.";
pub(super) const F_MEANS: &str = "How near the extracted words come to the marked ones, from 0 to 100: the harmonic mean of how many of them are right and how many of the right ones are there.";
pub(super) const F_NOW: &str = "on them by the profile as it is.";
pub(super) const LEARN: &str = "Learn with these marks";
pub(super) const GOLD_FILE: &str = "The marked pages as an evaluation set";
pub(super) const WOULD_LEARN: &str = "What would be learned";
pub(super) const BEFORE: &str = "now";
pub(super) const AFTER: &str = "with the marks";
pub(super) const F_ON_MARKED: &str = "F on the marked pages";
pub(super) const F_LEFT_OUT: &str = "F on each marked page, learned without its own marks";
pub(super) const TAUGHT_NOTE: &str = "Its templates take the place of the others and stay when the domain learns again. What was said by hand stays as well.";
pub(super) const TEACHES_NOTHING: &str = "the pages teach no pattern, even with the marks: mark more of them";
pub(super) const NO_PAGES_OF_DOMAIN: &str = "there are no stored pages of this domain";
pub(super) const MARKING_LEAD: &str =
    "What is checked belongs to the article: headline, lead, text. Comments, teasers, bylines and advertising do not.";
pub(super) const KEEP_MARKS: &str = "Keep these marks";
pub(super) const NO_ARTICLE: &str = "This page is no article";
pub(super) const FORGET_MARKS: &str = "Forget the marks";
pub(super) const MARKED: &str = "The marks are kept, in the folder gold of the job.";
pub(super) const FORGOTTEN: &str = "The marks are forgotten.";
pub(super) const PAGE_CHANGED: &str = "the page was fetched again meanwhile, and has changed: mark it anew";
pub(super) const TEACH: &str = "Teach by marking whole pages";

/// A column of the portals: its name in addresses, its word, what it means.
pub(super) const COLUMNS: [(&str, &str, &str); 7] = [
    ("name", "portal", "As the seeds file names it."),
    ("state", "state", "In a word; what needs a person comes first."),
    ("queued", "waiting", "URLs of its hosts that were found and not asked for yet."),
    ("pages", "pages", "Pages of its domains in the archive."),
    ("documents", "documents", "Articles of its domains in the corpus."),
    ("yield", "yield", "Bytes of clean text for each byte received."),
    ("fitness", "fitness", "How well its profile's cuts agree with the good text of its pages, from 0 to 1."),
];

/// A state's word, and what it means.
pub(super) fn state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Refused => ("refuses", "It refused several times in a row (403, or a CAPTCHA)."),
        State::HostErrors => {
            ("does not answer", "A host of it cannot be reached, or answers with errors, and URLs wait there.")
        }
        State::NoYield => ("no documents", "Its pages gave no article."),
        State::Moved => ("moved", "A start page has moved out of what belongs to the portal."),
        State::Unsure => ("unsure", "Its profile cuts too few pages, or agrees too little with their good text."),
        State::Dry => ("dry", "Nothing new has come for much longer than usual."),
        State::Blocked => ("blocked", "By an order: nothing is asked of it any more."),
        State::Paused => ("paused", "By an order: nothing is asked of it until it is resumed."),
        State::Spent => ("budget spent", "The seeds file allows no more pages or bytes."),
        State::Learning => ("learning", "It waits for enough article-like pages to learn from."),
        State::Crawling => ("crawling", "URLs of it wait for their turn."),
        State::Stopped => ("stopped", "URLs of it wait, and the crawl is not running."),
        State::Idle => ("done", "Nothing of it waits."),
    }
}

/// What needs attention, of so many portals.
pub(super) fn attention(state: State, portals: usize) -> String {
    let portals = counted(portals as u64, "portal", "portals");
    match state {
        State::Refused => format!("{portals} refuse"),
        State::HostErrors => format!("{portals} with hosts that do not answer"),
        State::NoYield => format!("{portals} without a document"),
        State::Moved => format!("{portals} moved out of their scope"),
        State::Unsure => format!("{portals} with an unsure profile"),
        State::Dry => format!("{portals} without news for long"),
        other => format!("{portals}: {}", self::state(other).0),
    }
}

pub(super) fn disk(free: &str) -> String {
    format!("Only {free} are free on the disk: a crawl pauses when there is too little room.")
}

/// How a process ended, by its exit code (docs: exit codes).
pub(super) fn ended(code: Option<i32>) -> String {
    match code {
        Some(0) => "done".to_owned(),
        Some(3) => "stopped by a limit".to_owned(),
        Some(4) => "finished, but a portal gave no document".to_owned(),
        Some(130) => "stopped".to_owned(),
        Some(code) => format!("failed (exit code {code})"),
        None => "ended by a signal".to_owned(),
    }
}

/// How the last run ended, by the word in `outcome.json`.
pub(super) fn last_run(ended: &str) -> &'static str {
    match ended {
        "finished" => "finished: nothing was left to ask for",
        "unreached" => "finished, except for hosts that never answered",
        "interrupted" => "stopped by a person",
        "pages" => "stopped at the limit of pages",
        "time" => "stopped at the limit of time",
        "disk" => "stopped: the disk was full",
        "patience" => "stopped: all that was left waited for hosts in trouble",
        _ => "ended",
    }
}

/// How much of the archive's indexes was read.
pub(super) fn read_so_far(read: &str, all: &str) -> String {
    format!("Drawn of the latest {read} of {all} of the archive's index; the rest is being read.")
}

/// A look that is not the latest.
pub(super) fn as_of(time: &str) -> String {
    format!("As of {time} UTC; it is being looked at again.")
}

pub(super) fn no_seeds(path: &Path) -> String {
    format!("there is no file {} on this machine", path.display())
}

pub(super) fn showing(from: usize, to: usize, of: usize) -> String {
    format!("{from} to {to} of {of}")
}

pub(super) fn process(job: &str, ended: Option<&str>) -> String {
    ended.map_or_else(|| format!("{job}: its crawl runs"), |ended| format!("{job}: {ended}"))
}

/// What is known of a host's robots.txt, and what that means.
pub(super) fn robots(standing: RobotsStatus) -> (&'static str, &'static str) {
    match standing {
        RobotsStatus::Unknown => ("not asked for yet", "Nothing else is asked for before it."),
        RobotsStatus::Rules => {
            ("obeyed", "The file in which a host says what crawlers may ask for: its rules are kept.")
        }
        RobotsStatus::AllowAll => ("there is none", "A host without that file allows everything (RFC 9309)."),
        RobotsStatus::Unavailable => {
            ("could not be had", "Until it can be had nothing is asked of the host (RFC 9309); it is tried again.")
        }
    }
}

/// When which host is asked next.
pub(super) fn next_request(when: &str, host: &str) -> String {
    format!("{NEXT_REQUEST} {when} to {host}.")
}

/// A button's word, and the host that it is for: for whoever does not see beside what it stands.
pub(super) fn order_for(word: &str, host: &str) -> String {
    format!("{word}: {host}")
}

pub(super) fn more(hidden: usize) -> String {
    format!("… and {} more.", goldminer_corpus::figures::thousands(hidden as u64))
}

pub(super) fn left_out(urls: u64) -> String {
    format!("{} of its sitemaps were left out.", counted(urls, "URL", "URLs"))
}

pub(super) fn action(action: EditAction) -> &'static str {
    match action {
        EditAction::Cut => "Cut it",
        EditAction::Keep => "Keep it",
        EditAction::Article => "The article is here",
        EditAction::Headline => "The headline",
        EditAction::Authors => "The byline",
        EditAction::Published => "The date",
        EditAction::Comments => "Readers' comments",
        EditAction::Teasers => "A list of teasers",
    }
}

pub(super) fn edited_profile(key: &str, version: u32, template: Option<usize>) -> String {
    match (version, template) {
        (0, _) => format!("There is no profile of {key} yet."),
        (version, Some(template)) => format!("Template {template} of {key}, version {version}, cuts this page."),
        (version, None) => format!("No template of {key}, version {version}, cuts this page."),
    }
}

pub(super) fn effect(changed: usize, of: usize) -> String {
    format!("changes {changed} of {of} other pages")
}

pub(super) fn agrees(percent: u32) -> String {
    format!("agrees by {percent} % with what reads like an article there")
}

pub(super) fn other_version(key: &str, latest: u32, changes: &[String]) -> String {
    let changes = if changes.is_empty() { String::new() } else { format!("\n{}", changes.join("\n")) };
    format!(
        "Nothing was saved: meanwhile there is version {latest} of {key}, with these changes. Your choice is kept below, tried \
         on that version.{changes}"
    )
}

pub(super) fn repeated_texts((gone, come): (usize, usize)) -> String {
    format!("texts that repeat: {gone} no longer known, {come} new")
}

/// The profile that marks are held against.
pub(super) fn profile_now(version: u32, taught: u32) -> String {
    match version {
        0 => "There is no profile yet.".to_owned(),
        _ => format!("Its profile is version {version}, learned from {}.", counted(u64::from(taught), "page", "pages")),
    }
}

/// What marking a page would settle.
pub(super) fn settles(chars: u64) -> String {
    format!("settles {} that are in dispute", counted(chars, "character", "characters"))
}

/// How many pages say something else of headline, authors or day.
pub(super) fn told_otherwise(what: &str, pages: usize) -> String {
    format!("another {what} on {}", counted(pages as u64, "page", "pages"))
}

pub(super) fn extracted_into(folder: &str) -> String {
    format!("The corpus is in the folder {folder}, beside the job.")
}

pub(super) fn saved(key: &str, version: u32) -> String {
    format!("Saved as version {version} of {key}. Documents of pages that are extracted from now on follow it.")
}

/// Of a crawl on many machines.
#[cfg(feature = "cluster")]
mod of_cluster {
    use goldminer_corpus::figures::counted;

    pub(crate) const CLUSTER: &str = "A crawl on many machines";
    pub(crate) const FILES_IN: &str = "Files in";
    pub(crate) const MADE_BY: &str = "made by goldminer";
    pub(crate) const COMMITTED_PAGES: (&str, &str) =
        ("pages", "Fetched, and committed: they stay whatever becomes of the worker that has them.");
    pub(crate) const COMMITTED_DOCUMENTS: (&str, &str) =
        ("documents", "Articles in the corpus, and committed: `goldminer cluster export` writes them.");
    pub(crate) const WORKERS_ALIVE: (&str, &str) =
        ("workers", "Processes whose lease has not ended: they have told the database in time that they live.");
    pub(crate) const NOTHING_NEEDED_OF_CLUSTER: &str = "Nothing: every partition is in hand, or done.";
    pub(crate) const NOBODY_WORKS: &str =
        "No worker is there, and partitions are free. Start one: goldminer cluster work --db …";
    pub(crate) const WORKERS: &str = "Workers";
    pub(crate) const NO_WORKERS: &str = "None within the last day. Start one: goldminer cluster work --db …";
    pub(crate) const WORKER: &str = "worker";
    pub(crate) const STATE: &str = "state";
    pub(crate) const NUMBER: &str = "number";
    pub(crate) const LEASE: (&str, &str) =
        ("lease", "How long the worker has its partitions without another sign of life; negative since that is over.");
    pub(crate) const PARTITIONS: (&str, &str) =
        ("Partitions", "Some whole domains with their portals: what one worker has at a time.");
    pub(crate) const COMMITTED: (&str, &str) =
        ("last commit", "How long ago: what came since would be fetched again if the worker were lost.");
    pub(crate) const EPOCH: (&str, &str) = ("epoch", "How often a worker has taken the partition.");

    pub(crate) fn lost_worker(name: &str, state: &str, partitions: i64) -> String {
        let partitions = counted(partitions.unsigned_abs(), "partition", "partitions");
        format!(
            "Worker {name} is {state} and has {partitions}: others take over when its lease and the time of grace are over"
        )
    }

    pub(crate) fn late_commit(partition: i32, seconds: i64) -> String {
        format!(
            "The last commit of partition {partition} is {} old: does its worker reach the store?",
            counted(seconds.unsigned_abs() / 60, "minute", "minutes")
        )
    }

    pub(crate) fn waiting_hosts(hosts: u64) -> String {
        let hosts = counted(hosts, "host has", "hosts have");
        format!("{hosts} asked to be left alone for now, and no worker asks them.")
    }
}
#[cfg(feature = "cluster")]
pub(super) use of_cluster::*;
