//! Test webs that the demo does not need: the cargo feature `test-webs` adds them for tests and benches.
//!
//! | to get | use |
//! |---|---|
//! | portals with one unusual feature each | [`Portals::odd`] |
//! | many small portals, of one size or several | [`Portals::many`]`(5_000, 2, …)`, [`Portals::sized`]`(&[(9, 3), (1, 3_000)], …)` |
//! | portals with large pages, to measure throughput | [`Portals::of_page_bytes`] |
//! | portals with infinite spaces (calendars, sessions) | [`Portals::trapped`]`(2, &Trap::USUAL)`; [`traps::visits`] counts the requests to each trap |
//! | each portal under two host names | [`Portals::under_www`] |
//! | errors, delays, redirect loops, redesigns, news | [`Knobs`](crate::web::Knobs) |
//! | malicious hosts | [`WebConfig::attacks`]; [`attacks::Scale`] sets their size, `Scale::SHORT` is for tests |
//! | portals that cannot be read, or not completely | [`WebConfig::barriers`] |
//! | an IP address for each portal | [`WebConfig::addresses`], with [`Web::resolve_rules`](crate::web::Web::resolve_rules) |
//!
//! [`Portals::odd`]: crate::portals::Portals::odd
//! [`Portals::many`]: crate::portals::Portals::many
//! [`Portals::sized`]: crate::portals::Portals::sized
//! [`Portals::of_page_bytes`]: crate::portals::Portals::of_page_bytes
//! [`Portals::trapped`]: crate::portals::Portals::trapped
//! [`Portals::under_www`]: crate::portals::Portals::under_www
//! [`WebConfig::attacks`]: crate::web::WebConfig::attacks
//! [`WebConfig::barriers`]: crate::web::WebConfig::barriers
//! [`WebConfig::addresses`]: crate::web::WebConfig::addresses

pub mod attacks;
pub mod barriers;
mod faults;
mod gold;
pub(crate) mod knobs;
mod log;
mod many;
mod odd;
pub mod traps;

pub(crate) use faults::{Faults, more_addresses};
pub(crate) use many::{Extras, filled_up};
