//! Corrects machine-readable metadata by the visible text of the page. People read and correct the line below the
//! headline; publishing systems often put the date of an import, or the site's name, into the metadata.

use goldminer_html::Page;
use goldminer_html::address::CrawlUrl;

use super::author::byline::{self, Byline};
use super::author::{self, marked};
use super::date::dateline::{self, Dateline};
use super::date::style::{DateStyle, day_first_at_host};
use super::date::{self, YEARS_OF_WEB};
use super::own_part::OwnPart;
use super::places::{self, KnownPlaces};
use super::title::{self, Candidates};
use super::{Field, Found, near, text};
use crate::document::MetadataSource;

/// Completes and corrects the machine-readable metadata. Manual rules of the domain take precedence over everything.
pub(super) fn read(
    page: &Page,
    style: &DateStyle<'_>,
    places: Option<&KnownPlaces<'_>>,
    titles: &Candidates,
    headline: Option<usize>,
    part: OwnPart,
    found: &mut Found,
) {
    let heading = headline.map(|at| &page.paragraphs()[at]);
    let heading = heading.filter(|heading| heading.heading == Some(1) || near::is_title(heading, &titles.all()));
    let heading = heading.and_then(|heading| text::folded(&heading.text));
    if let Some((title, source)) = titles.choose(heading.as_deref(), found.first(Field::SiteName)) {
        found.set(Field::Title, [title], source);
    }
    if let Some(places) = places {
        set_from_places(page, style, places, found);
    }
    match headline {
        Some(headline) => set_from_headline(page, style, headline, part, found),
        None => {
            set_published(page, found, None, style, None, part);
            if found.lacks(Field::Authors) {
                found.set(Field::Authors, marked::anywhere(page, part), MetadataSource::Text);
            }
        }
    }
    if let Some(places) = places {
        set_manual(page, style, places, found);
    }
}

/// Replaces metadata by the text in the elements that manual rules select.
fn set_manual(page: &Page, style: &DateStyle<'_>, places: &KnownPlaces<'_>, found: &mut Found) {
    let headline = places.headline_by_hand.and_then(|at| text::folded(&page.paragraphs()[at].text));
    found.set(Field::Title, headline, MetadataSource::Text);
    found.set(Field::Published, places::published_by_hand(page, places, style), MetadataSource::Text);
    found.set(Field::Authors, places::authors_by_hand(page, places), MetadataSource::Text);
}

/// Fills the missing date and authors from the places where other pages of the domain have them.
fn set_from_places(page: &Page, style: &DateStyle<'_>, places: &KnownPlaces<'_>, found: &mut Found) {
    if found.lacks(Field::Published) {
        let day = places::published(page, places, style);
        found.set(Field::Published, day.map(|day| day.written), MetadataSource::Text);
    }
    if found.lacks(Field::Authors) {
        found.set(Field::Authors, places::authors(page, places), MetadataSource::Text);
    }
}

fn set_from_headline(page: &Page, style: &DateStyle<'_>, headline: usize, part: OwnPart, found: &mut Found) {
    let lines = near::lines(page, headline);
    let days = dateline::near(page, &lines, style, headline, part);
    let dated = days.published.as_ref().or(days.modified.as_ref()).map(|day| day.index);
    // If a line has the same date as the metadata, other dates are ignored: they may be those of reported events.
    let published_day = found.first(Field::Published).and_then(date::day);
    let is_borne_out = published_day.is_some_and(|published_day| days.days.contains(&published_day));
    set_published(page, found, days.published.filter(|_| !is_borne_out), style, Some(headline), part);
    found.add(Field::Modified, days.modified.map(|day| day.written), MetadataSource::Text);
    let byline = byline::near(page, part, &lines, dated);
    set_authors(page, found, headline, part, &lines, byline);
}

/// Chooses the publication date: that of the metadata, unless the line at the headline is more reliable.
fn set_published(
    page: &Page,
    found: &mut Found,
    line: Option<Dateline>,
    style: &DateStyle<'_>,
    headline: Option<usize>,
    part: OwnPart,
) {
    let better = match found.first(Field::Published).and_then(date::day) {
        None => match line {
            // Many pages show the date of the visit above the headline.
            Some(line) if headline.is_some_and(|headline| line.index < headline) => {
                dateline::anywhere(page, style, headline, part).or(Some(line))
            }
            line => line.or_else(|| dateline::anywhere(page, style, headline, part)),
        },
        Some(published_day) => line.filter(|line| {
            // The date in the metadata is too late if articles were moved to another system, and one day off if it is
            // in UTC.
            let is_of_time = found.source(Field::Published) == Some(MetadataSource::Time);
            let is_utc = || found.first(Field::Published).is_some_and(|published| published.ends_with('Z'));
            let is_of_import =
                YEARS_OF_WEB.contains(&line.date.year()) && line.is_plain && line.date < published_day && !is_of_time;
            is_of_import && (is_utc() || published_day.yesterday().is_ok_and(|yesterday| yesterday != line.date))
        }),
    };
    found.set(Field::Published, better.map(|line| line.written), MetadataSource::Text);
}

/// Chooses the authors: those of the metadata. The line at the headline is used if the metadata only name the site, or
/// if this line names another person.
fn set_authors(
    page: &Page,
    found: &mut Found,
    headline: usize,
    part: OwnPart,
    lines: &[near::Line<'_>],
    byline: Option<Byline>,
) {
    let site = found.first(Field::SiteName).map(title::comparable);
    let is_site = |name: &String| Some(title::comparable(name)) == site;
    let declared = found.all(Field::Authors);
    let names = if !declared.iter().all(is_site) {
        byline.filter(|byline| names_others(byline, declared)).map(|byline| byline.names)
    } else {
        let labelled = byline.as_ref().filter(|byline| byline.is_labelled).map(|byline| byline.names.clone());
        let names = labelled
            .or_else(|| Some(marked::near(page, headline, part, lines)).filter(|names| !names.is_empty()))
            .or_else(|| byline.map(|byline| byline.names));
        if declared.is_empty() {
            names
                .or_else(|| byline::anywhere(page, headline, part).map(|byline| byline.names))
                .or_else(|| Some(marked::anywhere(page, part)))
        } else {
            names.filter(|names| names.iter().all(|name| author::is_whole_person(name) && !is_site(name)))
        }
    };
    found.set(Field::Authors, names.unwrap_or_default(), MetadataSource::Text);
}

/// Whether a byline names a person, but none of the authors in the metadata.
fn names_others(byline: &Byline, known: &[String]) -> bool {
    let named: Vec<String> = byline.names.iter().map(|name| title::comparable(name)).collect();
    let is_named = |known: &String| {
        let known = title::comparable(known);
        named.iter().any(|name| name.contains(&known) || known.contains(name.as_str()))
    };
    byline.is_labelled && byline.names.iter().all(|name| author::is_whole_person(name)) && !known.iter().any(is_named)
}

/// Whether the page writes the day before the month: as other pages of its domain do, else as is usual in its host's
/// country. None if neither is known.
pub(super) fn day_first(address: Option<&CrawlUrl>, places: Option<&KnownPlaces<'_>>) -> Option<bool> {
    places.and_then(|places| places.day_first).or_else(|| day_first_at_host(address?.host_name()))
}

#[cfg(test)]
mod tests {
    use goldminer_html::Page;

    #[test]
    fn the_day_of_the_visit_in_the_page_s_head_is_not_the_article_s() {
        let text = "<p>".to_owned() + &"It was built in two years, and nobody knows who paid for it. ".repeat(3);
        for (today, day) in [
            ("Friday, 6 November 2026", "4 August 2026"),
            ("Freitag, 6. November 2026", "4. August 2026"),
            ("vendredi 6 novembre 2026", "4 août 2026"),
            ("2026. november 6., péntek", "2026. augusztus 4."),
            ("пятница, 6 ноября 2026", "4 августа 2026"),
            ("2026年11月6日（金）", "2026年8月4日"),
        ] {
            let article = format!("<article><h1>A bridge opens</h1>{text}{text}");
            for (html, expected) in [
                (format!("<div class=topbar><span>{today}</span></div><main>{article}"), None),
                (format!("<header><p>News<div class=date>{today}</div></header>{article}"), None),
                (format!("<main><div class=today-date>{today}</div>{article}"), None),
                (format!("<p>14°C {today}</p><ul><li>Home<li>Local</ul>{article}"), None),
                (format!("<p>{today}</p>{article}<p class=dateline>{day}</p>"), Some("2026-08-04")),
                (
                    format!("<article><p>{today}</p><h1>A bridge opens</h1>{text}<p class=date>{day}</p>"),
                    Some("2026-08-04"),
                ),
                (format!("<article><p>{day}</p><h1>A bridge opens</h1>{text}{text}"), Some("2026-08-04")),
                (format!("<main><p class=published>{day}</p>{article}"), Some("2026-08-04")),
            ] {
                let page = Page::parse(format!("<body>{html}"));
                assert_eq!(crate::metadata::of_page(&page, None).published.as_deref(), expected, "{html}");
            }
        }
    }

    #[test]
    fn the_day_of_an_event_is_not_the_article_s() {
        for (day, place) in [
            ("Date: 12 September 2026", "Place: Harbour"),
            ("Datum: 12. September 2026, 19:00", "Ort: Hafen"),
            ("Date : 12 septembre 2026", "Lieu : Le port"),
            ("Dátum: 2026. szeptember 12.", "Helyszín: Kikötő"),
            ("Fecha: 12 de septiembre de 2026", "Lugar: El puerto"),
            ("Termin: 12. September 2026", "Eintritt frei"),
            ("Időpont: 2026. szeptember 12.", "Belépés ingyenes"),
        ] {
            let event = format!("<div><p>{day}</p><p>{place}</p></div>");
            for (line, expected) in [("", None), ("<p>2026-08-04</p>", Some("2026-08-04"))] {
                let page = Page::parse(format!("<h1>A bridge opens</h1>{line}{event}<p>It rained."));
                assert_eq!(crate::metadata::of_page(&page, None).published.as_deref(), expected, "{event}");
            }
        }
    }

    #[test]
    fn bylines_and_date_lines_are_read_in_the_languages_of_news() {
        for (language, lines, author) in [
            ("en", "<p>By Anna Nagy</p><p>Published on November 20, 2026</p><p>Updated Dec 1, 2026</p>", "Anna Nagy"),
            (
                "de",
                "<p>Von Anna Nagy</p><p>Veröffentlicht am 20. November 2026</p><p>Aktualisiert: 1.12.2026</p>",
                "Anna Nagy",
            ),
            (
                "fr",
                "<p>Par Anna Nagy</p><p>Publié le 20 novembre 2026 à 9h15</p><p>Mis à jour le 1er décembre 2026</p>",
                "Anna Nagy",
            ),
            (
                "es",
                "<p>Por Anna Nagy</p><p>Publicado el 20 de noviembre de 2026</p><p>Actualizado: 01/12/2026</p>",
                "Anna Nagy",
            ),
            (
                "pt",
                "<p>Por Anna Nagy</p><p>Publicado em 20/11/2026</p><p>Atualizado em 1 de dezembro de 2026</p>",
                "Anna Nagy",
            ),
            (
                "it",
                "<p>di Anna Nagy</p><p>Pubblicato il 20 novembre 2026</p><p>Aggiornato il 1 dicembre 2026</p>",
                "Anna Nagy",
            ),
            (
                "hu",
                "<p>Szerző: Nagy Anna</p><p>Megjelent: 2026. november 20.</p><p>Frissítve: 2026.12.01.</p>",
                "Nagy Anna",
            ),
            (
                "cs",
                "<p>Autor: Anna Nagy</p><p>Publikováno 20. listopadu 2026</p><p>Aktualizováno 1. 12. 2026</p>",
                "Anna Nagy",
            ),
            (
                "pl",
                "<p>Autor: Anna Nagy</p><p>Opublikowano: 20 listopada 2026</p><p>Aktualizacja: 1 grudnia 2026</p>",
                "Anna Nagy",
            ),
            (
                "ru",
                "<p>Автор: Анна Надь</p><p>Опубликовано 20 ноября 2026</p><p>Обновлено: 1 декабря 2026 г.</p>",
                "Анна Надь",
            ),
            (
                "el",
                "<p>Συντάκτης: Άννα Νάγκι</p><p>Δημοσίευση: 20 Νοεμβρίου 2026</p><p>Ενημέρωση: 1 Δεκεμβρίου 2026</p>",
                "Άννα Νάγκι",
            ),
            ("zh", "<p>作者：王小明</p><p>发布时间：2026年11月20日</p><p>更新：2026-12-01</p>", "王小明"),
            ("ja", "<p>文：山田太郎</p><p>公開日：2026年11月20日</p><p>更新日：2026年12月1日</p>", "山田太郎"),
        ] {
            let text = "An article of several words about a bridge that was opened at last. ".repeat(3);
            let page = format!("<html lang={language}><h1>A bridge opens in the north</h1>{lines}<p>{text}</p>");
            let found = crate::metadata::of_page(&Page::parse(page), None);
            assert_eq!(found.authors, [author], "{language}");
            assert_eq!(found.published.as_deref().and_then(|at| at.get(..10)), Some("2026-11-20"), "{language}");
            assert_eq!(found.modified.as_deref().and_then(|at| at.get(..10)), Some("2026-12-01"), "{language}");
        }
    }

    fn published(html: &str) -> Option<String> {
        crate::metadata::of_page(&Page::parse(format!("<title>A bridge opens in the north</title><body>{html}")), None)
            .published
    }

    const TITLE: &str = "<h1>A bridge opens in the north</h1>";
    const TEXT: &str =
        "<p>An article of several words about a bridge that was opened at last, and about the river below it.";

    #[test]
    fn dates_of_other_texts_on_the_page_are_not_the_article_s() {
        let line = "<p class=info>20 November 2026</p>";
        for other in [
            "<ol class=commentlist><li><time datetime=2027-01-02>2 January 2027</time><p>I like it.</li></ol>",
            "<div id=disqus><p>Posted on 2 January 2024</div>",
            "<blockquote class=twitter-tweet><p>It rains.</p>— Anna (@anna) <a href=/1>January 2, 2024</a></blockquote>",
            "<div class=related><a href=/salt>All you must know of salt</a> <time datetime=2024-01-02>2 January 2024</time></div>",
            "<div><h3><a href=/1>All about salt</a></h3><time datetime=2024-01-02>2 January 2024</time></div>",
            "<article><p>Rain.</article><article><h2>Salt</h2><time datetime=2024-01-02>2 January 2024</time></article>",
            "<aside><h4><a href=/1>Salt for sale</a></h4>Published on 2 January 2024</aside>",
            "<footer>Published on 2 January 2024</footer>",
            "<div itemprop=comment itemscope itemtype=https://schema.org/Comment><i itemprop=datePublished content=2024-01-02></i></div>",
        ] {
            // A footer before the text is not the page's footer.
            let orders = [format!("{TITLE}{line}{TEXT}{other}"), format!("{TITLE}{line}{other}{TEXT}")];
            for html in orders.iter().take(if other.starts_with("<footer") { 1 } else { 2 }) {
                assert_eq!(published(html).as_deref(), Some("2026-11-20"), "{html}");
            }
            assert_eq!(published(&format!("{TITLE}{TEXT}{other}")), None, "{other}");
        }
    }

    #[test]
    fn a_day_beside_many_tags_is_read() {
        let tags = "approval testing, integration testing, software development, agile, open source, testing";
        let line = format!("<p>6 November 2017 | Anna Nagy | {tags}</p>");
        assert_eq!(published(&format!("{TITLE}{line}{TEXT}")).as_deref(), Some("2017-11-06"));
        let title = "<title>Valid until spring</title><h1>Valid until spring</h1>";
        assert_eq!(
            published(&format!("{title}<p>6 November 2017</p>{TEXT}")).as_deref(),
            Some("2017-11-06"),
            "a headline is no label"
        );
    }

    #[test]
    fn a_date_in_a_sentence_is_not_the_publication_date() {
        let metadata =
            r#"<script type=application/ld+json>{"@type": "NewsArticle", "datePublished": "2026-11-20"}</script>"#;
        for sentence in [
            "The vote is on 3 May 2031.",
            "On 3 May 2019 the council met.",
            "Released 12 January 2021",
            "Release date: 12 January 2021",
            "The study was published on 12 January 2021.",
            "Die Sitzung fand am 3. Mai 2019 statt.",
            "Le conseil s’est réuni le 3 mai 2019.",
            "2019年5月3日、市議会が開かれた。",
        ] {
            assert_eq!(published(&format!("{TITLE}<p>{sentence}</p>{TEXT}")), None, "{sentence}");
            assert_eq!(
                published(&format!("{metadata}{TITLE}<p>{sentence}</p>{TEXT}")).as_deref(),
                Some("2026-11-20"),
                "{sentence}"
            );
        }
    }

    #[test]
    fn a_date_of_change_is_not_the_publication_date() {
        for line in
            ["最后更新时间：2026-12-01", "Last modified date: 1 December 2026", "Datum der Aktualisierung: 1.12.2026"]
        {
            let found =
                crate::metadata::of_page(&Page::parse(format!("<html lang=de>{TITLE}<p>{line}</p>{TEXT}")), None);
            assert_eq!((found.published, found.modified.as_deref()), (None, Some("2026-12-01")), "{line}");
        }
    }

    #[test]
    fn a_date_before_the_web_does_not_replace_the_metadata() {
        let metadata = "<meta property=article:published_time content=2026-11-20>";
        assert_eq!(published(&format!("{metadata}{TITLE}<p>8 May 1945</p>{TEXT}")).as_deref(), Some("2026-11-20"));
        assert_eq!(published(&format!("{TITLE}<p>23 October 1956</p>{TEXT}")).as_deref(), Some("1956-10-23"));
    }

    #[test]
    fn numeric_dates_follow_the_order_of_the_host_s_country() {
        for (language, expected) in
            [("en-US", Some("2026-03-04")), ("en-GB", Some("2026-04-03")), ("de", Some("2026-04-03")), ("en", None)]
        {
            let page = Page::parse(format!("<html lang={language}><h1>A bridge opens</h1><p>03/04/2026</p>"));
            assert_eq!(crate::metadata::of_page(&page, None).published.as_deref(), expected, "{language}");
        }
    }

    #[test]
    fn the_host_decides_before_the_language_in_markup_too() {
        let html = "<html lang=en-US><h1>A bridge opens</h1><p itemprop=datePublished>03/04/2026</p>";
        let address = goldminer_html::address::CrawlUrl::parse("https://portal.in/bridge").unwrap();
        let found = crate::metadata::of_page(&Page::parse(html.to_owned()), Some(&address));
        assert_eq!(found.published.as_deref(), Some("2026-04-03"));
    }
}
