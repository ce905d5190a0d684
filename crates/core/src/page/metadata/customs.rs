//! How a page writes its days: in which language and calendar, and what stands first in numbers.

use std::cell::OnceCell;

use crate::page::Page;
use crate::page::language;

/// What stands first where a date is written in three numbers with slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

/// How a page writes its days, as far as it is known. Its languages are asked only where a day is in doubt: to detect one
/// takes as long as to read a page.
#[derive(Debug, Default)]
pub(super) struct Customs<'p> {
    page: Option<&'p Page>,
    /// What stands first where a date is written in three numbers with slashes.
    pub order: Option<Order>,
    declared: OnceCell<Option<String>>,
    detected: OnceCell<Option<&'static str>>,
}

impl<'p> Customs<'p> {
    /// Those of a page.
    pub(super) fn of(page: &'p Page, order: Option<Order>) -> Self {
        Self { page: Some(page), order, ..Self::default() }
    }

    /// The languages that the page may be in, the likelier one first: templates lie.
    pub(super) fn languages(&self) -> impl Iterator<Item = &str> {
        let declared = || self.declared.get_or_init(|| self.page?.declared_language()).as_deref();
        self.detected().into_iter().chain(std::iter::once_with(declared).flatten())
    }

    fn detected(&self) -> Option<&'static str> {
        *self.detected.get_or_init(|| language::detect(&language::sample(self.page?.paragraphs())))
    }

    /// Whether the page may be in one of some languages.
    pub(super) fn is_in(&self, languages: &[&str]) -> bool {
        self.languages().any(|language| languages.contains(&language))
    }
}
