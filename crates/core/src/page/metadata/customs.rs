//! How a page writes its days: in which language and calendar, and what stands first in numbers.

use std::cell::OnceCell;

use super::locales;
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
    /// What other pages of the domain have taught of it.
    order: Option<Order>,
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

    /// What stands first in numbers: as other pages have it, else as is usual in the page's language. English says it by its
    /// country alone.
    pub(super) fn order(&self) -> Option<Order> {
        self.order.or_else(|| {
            let language = self.languages().next()?;
            if language != "en" {
                return agreed(locales::short_dates(language));
            }
            let tags = self.page?.declared_languages();
            let form =
                tags.filter_map(|tag| locales::short_english_date(tag.trim().rsplit(['-', '_']).next()?)).next()?;
            agreed([form])
        })
    }

    fn detected(&self) -> Option<&'static str> {
        *self.detected.get_or_init(|| language::detect(&language::sample(self.page?.paragraphs())))
    }

    /// Whether the page may be in one of some languages.
    pub(super) fn is_in(&self, languages: &[&str]) -> bool {
        self.languages().any(|language| languages.contains(&language))
    }
}

/// What stands first by all of some forms of `strftime`, if they agree.
fn agreed(forms: impl IntoIterator<Item = &'static str>) -> Option<Order> {
    let order = |form: &str| {
        let (day, month) = (form.find("%d").or_else(|| form.find("%e"))?, form.find("%m")?);
        let year = form.find("%Y").or_else(|| form.find("%y"))?;
        (year > month).then_some(if day < month { Order::DayFirst } else { Order::MonthFirst })
    };
    let mut orders = forms.into_iter().map(order);
    let first = orders.next()??;
    orders.all(|order| order == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_in_numbers_are_read_as_the_language_and_the_country_write_them() {
        let english = "<p>The council met on Monday and talked for hours about the new bridge over the river.";
        for (head, text, expected) in [
            (
                "<html lang=es>",
                "<p>El consejo se reunió el lunes y habló durante horas del nuevo puente.",
                Some(Order::DayFirst),
            ),
            (
                "<html lang=en>",
                "<p>Il consiglio si è riunito lunedì e ha parlato per ore del nuovo ponte.",
                Some(Order::DayFirst),
            ),
            ("<html lang=en-GB>", english, Some(Order::DayFirst)),
            ("<html><meta property=og:locale content=en_US>", english, Some(Order::MonthFirst)),
            ("<html lang=en>", english, None),
            ("<html lang=hu>", "<p>A tanács hétfőn ülésezett, és órákig beszélt a folyó új hídjáról.", None),
        ] {
            let page = Page::parse(format!("{head}<body>{text}"));
            assert_eq!(Customs::of(&page, None).order(), expected, "{head} {text}");
            assert_eq!(Customs::of(&page, Some(Order::MonthFirst)).order(), Some(Order::MonthFirst));
        }
    }
}
