//! GoldMiner: learns from a sample of a domain's pages where its articles begin and end, and cuts pages there.
//!
//! [`learner`] makes a [`profile`] of a sample, [`trim`] applies it; [`pattern`] is how a cut point is written. All of it
//! works on [`Page`](crate::page::Page)s and knows neither files nor time. Turning what is left into a document is
//! `extract`'s part.

pub mod learner;
pub mod pattern;
pub mod profile;
pub mod silver;
pub mod trim;

mod headline;
mod sketch;
mod vocabulary;

use crate::justext::Class;
use crate::page::Page;

/// Name and version, as documents and profiles record them.
pub const PROGRAM: &str = concat!("goldminer/", env!("CARGO_PKG_VERSION"));

/// How much good text makes a page worth learning from, in characters.
const MIN_GOOD: usize = 400;

/// Whether a page looks like an article, so that it may teach: it has a fair amount of good text. (Whether that text is
/// its own, only a sample can tell.)
#[must_use]
pub fn teaches(page: &Page) -> bool {
    let judged = silver::judge(page, None);
    let good = page.paragraphs().iter().zip(&judged.classes).filter(|(_, class)| **class == Class::Good);
    good.map(|(paragraph, _)| headline::weight(&paragraph.text)).sum::<usize>() >= MIN_GOOD
}
