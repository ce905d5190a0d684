//! A job on disk: its directory and lock, settings, checkpoints and history, and how its databases are rebuilt.

pub mod at_rest;
pub mod card;
pub mod checkpoint;
mod directory;
pub mod history;
pub mod lock;
pub mod page_list;
mod rebuild;
pub mod renewal;
mod replacement;
pub mod settings;
pub mod url_list;
pub mod withdrawal;

pub use at_rest::AtRest;
pub use checkpoint::begin_with;
pub use directory::*;
pub use history::last_run::LastRun;
pub use history::marks::{Stage, Suspect};
pub use renewal::{Losses, Rebuilt, rebuild};
pub use settings::has_room;
pub use url_list::{Portion, UrlFilter, UrlLine};
pub use withdrawal::{Withdrawal, withdraw};
