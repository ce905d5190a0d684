//! How a page writes dates: in which language and calendar, and with the day or the month first.

use std::cell::OnceCell;

use goldminer_html::Page;
use goldminer_html::text::language;

use super::locales;

/// How a page writes dates. Its languages are determined only if a date is ambiguous, because detecting a language
/// takes as long as reading a page.
#[derive(Debug, Default)]
pub(crate) struct DateStyle<'p> {
    page: Option<&'p Page>,
    /// Whether the day is before the month in a date such as `03/04/2026`; an inner None if it is not known.
    day_first: OnceCell<Option<bool>>,
    declared: OnceCell<Option<String>>,
    language: Option<&'p str>,
    detected: OnceCell<Option<&'static str>>,
}

impl<'p> DateStyle<'p> {
    /// The date style of a page. If `day_first` is None, the page's language decides whether the day or the month is
    /// first.
    pub(crate) fn of(page: &'p Page, day_first: Option<bool>) -> Self {
        let day_first = day_first.map_or_else(OnceCell::new, |day_first| OnceCell::from(Some(day_first)));
        Self { page: Some(page), day_first, ..Self::default() }
    }

    /// Sets the language of the page's text, if it is known already.
    pub(crate) fn in_language(self, language: Option<&'p str>) -> Self {
        Self { language, ..self }
    }

    /// The date style of a page, without an order of day and month. It is for dates that are evidence of the order, and
    /// must not be read with a guess.
    pub(crate) fn without_order(page: &'p Page) -> Self {
        Self { page: Some(page), day_first: OnceCell::from(None), ..Self::default() }
    }

    /// The languages that the page may have, the likelier one first. Declarations in templates may be wrong.
    pub(crate) fn languages(&self) -> impl Iterator<Item = &str> {
        self.detected().into_iter().chain(std::iter::once_with(|| self.declared()).flatten())
    }

    /// Whether the day is before the month in dates in numbers, if known.
    pub(crate) fn day_first(&self) -> Option<bool> {
        *self.day_first.get_or_init(|| self.usual_order())
    }

    /// Whether the page's language writes the year last in dates in numbers.
    pub(crate) fn has_year_last(&self) -> bool {
        self.languages()
            .next()
            .is_some_and(|language| locales::short_dates(language).any(|form| agreed([form]).is_some()))
    }

    /// Returns whether the page's language has the day or the month first. For English, it depends on the country.
    /// Languages that begin dates with the year have the day first if the year is last. The declared language may be
    /// wrong, and detecting the text's language takes long. So it is not detected if the declared language is not
    /// English and has the day first, and English on this page would not have the month first.
    fn usual_order(&self) -> Option<bool> {
        let form = |tag: &str| locales::short_english_date(tag.trim().rsplit_once(['-', '_'])?.1);
        let of = |language: &str| match language {
            "en" => agreed(self.page?.declared_languages().find_map(|tag| form(&tag))),
            _ => agreed(locales::short_dates(language)).or(Some(true)),
        };
        let declared = self.declared().and_then(of).filter(|day_first| *day_first);
        let is_decisive = self.declared() != Some("en") && of("en") != Some(false);
        declared.filter(|_| is_decisive).or_else(|| self.languages().find_map(of))
    }

    fn declared(&self) -> Option<&str> {
        self.declared.get_or_init(|| self.page?.declared_language()).as_deref()
    }

    fn detected(&self) -> Option<&str> {
        self.language
            .or_else(|| *self.detected.get_or_init(|| language::detect(&language::sample(self.page?.paragraphs()))))
    }

    /// Whether the page may be in one of these languages.
    pub(crate) fn is_in(&self, languages: &[&str]) -> bool {
        self.languages().any(|language| languages.contains(&language))
    }
}

/// Whether the English of a host's country has the day before the month; None if it is not known.
pub(crate) fn day_first_at_host(host_name: &str) -> Option<bool> {
    let top = host_name.rsplit('.').next()?;
    agreed(locales::short_english_date(if top == "uk" { "gb" } else { top }))
}

/// Whether the day is before the month in these `strftime` formats, if all agree.
fn agreed(forms: impl IntoIterator<Item = &'static str>) -> Option<bool> {
    let order = |form: &str| {
        let (day, month) = (form.find("%d").or_else(|| form.find("%e"))?, form.find("%m")?);
        let year = form.find("%Y").or_else(|| form.find("%y"))?;
        (year > month).then_some(day < month)
    };
    let mut orders = forms.into_iter().map(order);
    let first = orders.next()??;
    orders.all(|order| order == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_language_is_detected_if_the_declared_one_decides() {
        let text = "<p>The council met on Monday and talked for hours about the new bridge over the river.";
        for (head, is_looked_at) in
            [("<html lang=pt-BR>", false), ("<html lang=en>", true), ("<html lang=es-US>", true), ("<html>", true)]
        {
            let page = Page::parse(format!("{head}<body>{text}"));
            let style = DateStyle::of(&page, None);
            style.day_first();
            assert_eq!(style.detected.get().is_some(), is_looked_at, "{head}");
        }
    }

    #[test]
    fn numeric_dates_follow_the_language_and_the_country() {
        let english = "<p>The council met on Monday and talked for hours about the new bridge over the river.";
        for (head, text, expected) in [
            ("<html lang=es>", "<p>El consejo se reunió el lunes y habló durante horas del nuevo puente.", Some(true)),
            ("<html lang=en>", "<p>Il consiglio si è riunito lunedì e ha parlato per ore del nuovo ponte.", Some(true)),
            ("<html lang=en-GB>", english, Some(true)),
            ("<html><meta property=og:locale content=en_US>", english, Some(false)),
            ("<html lang=en>", english, None),
            ("<html lang=hu>", "<p>A tanács hétfőn ülésezett, és órákig beszélt a folyó új hídjáról.", Some(true)),
        ] {
            let page = Page::parse(format!("{head}<body>{text}"));
            assert_eq!(DateStyle::of(&page, None).day_first(), expected, "{head} {text}");
            assert_eq!(DateStyle::of(&page, Some(false)).day_first(), Some(false));
        }
        for (host, expected) in [
            ("www.portal.co.uk", Some(true)),
            ("portal.com.au", Some(true)),
            ("portal.us", Some(false)),
            ("portal.com", None),
            ("portal.ca", None),
        ] {
            assert_eq!(day_first_at_host(host), expected, "{host}");
        }
    }
}
