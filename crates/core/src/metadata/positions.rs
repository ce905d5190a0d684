//! What stands on the page for readers, weighed against what it tells machines: the line below the headline is read by
//! people, and mended by them; what publishing systems put into the head is often the day of an import, or the site's name.

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page};
use jiff::civil::Date;

use super::author::byline::{self, Byline};
use super::author::{self, marked};
use super::date::customs::{self, Customs, Order};
use super::date::dateline::{self, Dateline};
use super::date::{self, YEARS_OF_WEB};
use super::places::{self, KnownPlaces, known_order};
use super::title::{self, Candidates};
use super::{Found, near, text};
use crate::document::MetadataSource;

/// Fills and mends what the sources for machines have said; what a person has said of the domain comes before all.
pub(super) fn read(
    page: &Page,
    customs: &Customs<'_>,
    places: Option<&dyn KnownPlaces>,
    told: Candidates,
    headline: Option<usize>,
    found: &mut Found,
) {
    around_headline(page, customs, places, told, headline, found);
    if let Some(places) = places {
        manual(page, customs, places, found);
    }
}

/// What stands where a person has pointed.
fn manual(page: &Page, customs: &Customs<'_>, places: &dyn KnownPlaces, found: &mut Found) {
    let headline = places.headline_by_hand(page).and_then(|at| text::folded(&page.paragraphs()[at].text));
    if headline.is_some() {
        found.title = headline;
        found.sources.title = Some(MetadataSource::Text);
    }
    if let Some(day) = places::published_by_hand(page, places, customs) {
        found.published = Some(day);
        found.sources.published = Some(MetadataSource::Text);
    }
    take_authors(found, places::authors_by_hand(page, places));
}

fn around_headline(
    page: &Page,
    customs: &Customs<'_>,
    places: Option<&dyn KnownPlaces>,
    mut told: Candidates,
    headline: Option<usize>,
    found: &mut Found,
) {
    let document = title::whole(page);
    let in_markup = found.title.take();
    let titles = [&told.json_ld, &told.meta, &in_markup, &document];
    let titles: Vec<&str> = titles.into_iter().flatten().map(String::as_str).collect();
    // A page may tell its title in its markup alone.
    let headline = headline.or_else(|| in_markup.as_ref().and_then(|title| near::headline(page, &[title])));
    let heading = headline.map(|at| &page.paragraphs()[at]);
    let heading = heading.filter(|paragraph| paragraph.heading == Some(1) || near::is_title(paragraph, &titles));
    told.headline = heading.and_then(|heading| text::folded(&heading.text));
    let is_in_markup = told.json_ld.is_none() && told.meta.is_none();
    match told.choose(document.as_deref(), found.site_name.as_deref()) {
        Some((title, source)) if !(is_in_markup && in_markup.is_some()) => {
            found.title = Some(title);
            found.sources.title = Some(source);
        }
        _ => found.title = in_markup,
    }
    if let Some(places) = places {
        at_places(page, customs, places, found);
    }
    let Some(headline) = headline else {
        return without_headline(page, customs, found);
    };
    let lines = near::lines(page, headline);
    let part = page.paragraphs()[headline].element;
    let days = dateline::near(page, &lines, customs, part);
    let dated = days.published.as_ref().or(days.modified.as_ref()).map(|day| day.index);
    // A line that says what machines are told bears them out against an older day, as of what is reported.
    let told = found.published.as_deref().and_then(date::day);
    let is_borne_out = told.is_some_and(|told| days.days.contains(&told));
    publish(page, found, days.published.filter(|_| !is_borne_out), customs, part);
    if let (None, Some(day)) = (&found.modified, days.modified) {
        found.modified = Some(day.written);
        found.sources.modified = Some(MetadataSource::Text);
    }
    let byline = byline::near(page, headline, &lines, dated);
    attribute(page, found, headline, &lines, byline);
}

/// What stands where other pages of the domain name day and authors.
fn at_places(page: &Page, customs: &Customs<'_>, places: &dyn KnownPlaces, found: &mut Found) {
    if found.published.is_none()
        && let Some(day) = places::published(page, places, customs)
    {
        found.published = Some(day.written);
        found.sources.published = Some(MetadataSource::Text);
    }
    if found.authors.is_empty() {
        take_authors(found, places::authors(page, places));
    }
}

fn without_headline(page: &Page, customs: &Customs<'_>, found: &mut Found) {
    if found.published.is_none() {
        publish(page, found, None, customs, None);
    }
    if found.authors.is_empty() {
        take_authors(found, marked::anywhere(page, None));
    }
}

/// The day of publication: what the head says, unless the line at the headline knows better.
fn publish(page: &Page, found: &mut Found, line: Option<Dateline>, customs: &Customs<'_>, headline: Option<ElementId>) {
    let told = found.published.as_deref().and_then(date::day);
    let better = match (told, line) {
        (None, Some(line)) => Some(line),
        (None, None) => dateline::labelled(page, customs, headline),
        (Some(told), Some(line)) if is_better(found, told, &line) => Some(line),
        (Some(_), _) => None,
    };
    if let Some(line) = better {
        found.published = Some(line.written);
        found.sources.published = Some(MetadataSource::Text);
    }
}

/// Whether the day at the headline is rather the one of publication. A day that machines are told is later where articles
/// were moved from one system to another; and one later where it is the day in Greenwich.
fn is_better(found: &Found, told: Date, line: &Dateline) -> bool {
    let is_of_web = YEARS_OF_WEB.contains(&line.date.year());
    let is_of_import =
        is_of_web && line.is_plain && line.date < told && found.sources.published != Some(MetadataSource::Time);
    let is_utc = found.published.as_deref().is_some_and(|told| told.ends_with('Z'));
    is_of_import && (is_utc || told.yesterday().is_ok_and(|yesterday| yesterday != line.date))
}

/// The authors: whom the head names, unless that is only the site, or the line at the headline names another person.
fn attribute(page: &Page, found: &mut Found, headline: usize, lines: &[near::Line<'_>], byline: Option<Byline>) {
    let site = found.site_name.as_deref().map(title::comparable);
    let is_site = |name: &String| Some(title::comparable(name)) == site;
    let are_only_site = found.authors.iter().all(is_site);
    if !are_only_site {
        if let Some(byline) = byline.filter(|byline| names_others(byline, &found.authors)) {
            take_authors(found, byline.names);
        }
        return;
    }
    let labelled = byline.as_ref().filter(|byline| byline.is_labelled).map(|byline| byline.names.clone());
    let names = labelled
        .or_else(|| Some(marked::near(page, headline, lines)).filter(|names| !names.is_empty()))
        .or_else(|| byline.map(|byline| byline.names));
    if found.authors.is_empty() {
        let names = names
            .or_else(|| byline::anywhere(page, headline).map(|byline| byline.names))
            .unwrap_or_else(|| marked::anywhere(page, page.paragraphs()[headline].element));
        take_authors(found, names);
    } else if let Some(names) = names.filter(|names| names.iter().all(|name| is_person(name) && !is_site(name))) {
        take_authors(found, names);
    }
}

/// Whether a byline names a person, and nobody of those who are told.
fn names_others(byline: &Byline, told: &[String]) -> bool {
    let named: Vec<String> = byline.names.iter().map(|name| title::comparable(name)).collect();
    let is_named = |told: &String| {
        let told = title::comparable(told);
        named.iter().any(|name| name.contains(&told) || told.contains(name.as_str()))
    };
    byline.is_labelled && byline.names.iter().all(|name| is_person(name)) && !told.iter().any(is_named)
}

fn is_person(name: &str) -> bool {
    name.split_whitespace().count() >= 2 && author::is_like_a_name(name) && author::is_like_a_person(name)
}

fn take_authors(found: &mut Found, names: Vec<String>) {
    let names: Vec<String> = names.into_iter().take(author::MAX_AUTHORS).collect();
    if !names.is_empty() {
        found.authors = names;
        found.sources.authors = Some(MetadataSource::Text);
    }
}

/// How the page writes days in numbers, where more than the page itself tells: as other pages of the domain do, else as is
/// usual in the host's country.
pub(super) fn order(address: Option<&CrawlUrl>, places: Option<&dyn KnownPlaces>) -> Option<Order> {
    places.and_then(known_order).or_else(|| customs::order_of_host(address?.host_name()))
}

#[cfg(test)]
mod tests {
    use goldminer_html::Page;

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
    fn days_of_others_on_the_page_are_not_the_article_s() {
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
            // A foot is no foot before the text.
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
    fn a_day_in_a_sentence_is_not_that_of_publication() {
        let told =
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
                published(&format!("{told}{TITLE}<p>{sentence}</p>{TEXT}")).as_deref(),
                Some("2026-11-20"),
                "{sentence}"
            );
        }
    }

    #[test]
    fn a_line_of_the_day_of_a_change_is_not_that_of_publication() {
        for line in
            ["最后更新时间：2026-12-01", "Last modified date: 1 December 2026", "Datum der Aktualisierung: 1.12.2026"]
        {
            let found =
                crate::metadata::of_page(&Page::parse(format!("<html lang=de>{TITLE}<p>{line}</p>{TEXT}")), None);
            assert_eq!((found.published, found.modified.as_deref()), (None, Some("2026-12-01")), "{line}");
        }
    }

    #[test]
    fn a_day_before_the_web_is_not_put_before_the_head_s() {
        let told = "<meta property=article:published_time content=2026-11-20>";
        assert_eq!(published(&format!("{told}{TITLE}<p>8 May 1945</p>{TEXT}")).as_deref(), Some("2026-11-20"));
        assert_eq!(published(&format!("{TITLE}<p>23 October 1956</p>{TEXT}")).as_deref(), Some("1956-10-23"));
    }

    #[test]
    fn a_day_in_numbers_is_read_as_the_country_writes_it() {
        for (language, expected) in
            [("en-US", Some("2026-03-04")), ("en-GB", Some("2026-04-03")), ("de", Some("2026-04-03")), ("en", None)]
        {
            let page = Page::parse(format!("<html lang={language}><h1>A bridge opens</h1><p>03/04/2026</p>"));
            assert_eq!(crate::metadata::of_page(&page, None).published.as_deref(), expected, "{language}");
        }
    }

    #[test]
    fn a_host_comes_before_the_language_in_markup_as_well() {
        let html = "<html lang=en-US><h1>A bridge opens</h1><p itemprop=datePublished>03/04/2026</p>";
        let address = goldminer_html::address::CrawlUrl::parse("https://portal.in/bridge").unwrap();
        let found = crate::metadata::of_page(&Page::parse(html.to_owned()), Some(&address));
        assert_eq!(found.published.as_deref(), Some("2026-04-03"));
    }
}
