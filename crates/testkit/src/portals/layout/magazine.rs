//! A portal with several templates: reports, opinions and live tickers have hardly a tag in common.
//!
//! Its habits: the lead is an `<h2>`, a box of facts and a portrait interrupt the text, subheads are bold paragraphs,
//! an opinion begins with a note on its author that is the same under each, ticker entries carry their time of day.

use super::super::html::{attribute, each, link, put, text};
use super::super::view::{ArticlePage, Layout, Link, ListPage, PlainPage, Site, Teaser};
use crate::prose::story::Genre;
use goldminer_core::document::ParagraphKind;

/// See the module.
pub(crate) struct Magazine;

impl Layout for Magazine {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let main = match page.genre {
            Genre::Opinion => opinion(page),
            Genre::Live => live(page),
            _ => report(page),
        };
        let site = page.site;
        let main = format!(
            "{main}\n{twin}<div class=\"teaser-reihe\" role=\"complementary\">\
             <h3>{related}</h3>\n{teasers}</div>\n{comments}\n\
             <div class=\"rand\">{top}{latest}</div>",
            twin = page
                .twin
                .as_ref()
                .map_or_else(String::new, |path| format!("<p class=\"kurzlink\">{}</p>\n", link(path, path))),
            related = text(&site.word("related")),
            teasers = cards(&page.related),
            comments = comments(page),
            top = list_box(&site.word("most_read"), &page.most_read, true),
            latest = list_box(&site.word("latest"), &page.latest, false),
        );
        let head = format!(
            "<meta name=\"author\" content=\"{}\">\n<meta name=\"date\" content=\"{}+02:00\">\n\
             <meta property=\"og:title\" \
             content=\"{}\">\n<meta property=\"og:site_name\" content=\"{}\">\n",
            attribute(&page.author.label),
            page.brief.published,
            attribute(&page.brief.headline),
            attribute(&site.portal.name),
        );
        shell(site, &page.brief.headline, &head, &main)
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        let turn = |path: &Option<String>, word: &str| {
            path.as_ref().map_or_else(String::new, |p| link(p, &page.site.word(word)))
        };
        let main = format!(
            "<div class=\"ressort\"><h1>{}</h1>\n{}<p class=\"blaettern\">{} {}</p>\n<ul>\n{}</ul></div>\n\
             <div class=\"rand\">{}</div>",
            text(&page.title),
            cards(&page.teasers),
            turn(&page.previous, "previous"),
            turn(&page.next, "next"),
            items(&page.extras),
            list_box(&page.site.word("most_read"), &page.most_read, true),
        );
        shell(page.site, &page.title, "", &main)
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        let head = if page.noindex { "<meta name=\"robots\" content=\"noindex\">\n" } else { "" };
        let main = format!("<div class=\"seite\"><h1>{}</h1>\n{}</div>", text(&page.title), page.main);
        shell(page.site, &page.title, head, &main)
    }
}

fn report(page: &ArticlePage<'_>) -> String {
    let mut body = String::with_capacity(6_000);
    for (i, (kind, paragraph)) in page.body.iter().enumerate() {
        let inner = text(paragraph);
        match kind {
            ParagraphKind::Heading => {
                put(&mut body, format_args!("<p class=\"zwischentitel\"><strong>{inner}</strong></p>\n"))
            }
            ParagraphKind::ListItem => put(&mut body, format_args!("<ul class=\"punkte\"><li>{inner}</li></ul>\n")),
            _ => put(&mut body, format_args!("<p>{inner}</p>\n")),
        }
        if i == 1 {
            put(
                &mut body,
                format_args!("<div class=\"abo\" data-nosnippet><p>{}</p></div>\n", text(&page.site.word("subscribe"))),
            );
        }
    }
    format!(
        "<div class=\"story\" data-id=\"{id}\">\n<span class=\"dachzeile\">{section}</span>\n<h1>{headline}</h1>\n\
         <h2 class=\"vorspann\">\
         {lead}</h2>\n<div class=\"autorzeile\">{by} {author}, {date}</div>\n<div class=\"textblock\">\n{body}</div>\n\
         <div class=\"schluss\">{tags}</div>\n</div>",
        id = page.id,
        section = link(&page.section.path, &page.section.label),
        headline = text(&page.brief.headline),
        lead = text(&page.brief.lead),
        by = text(&page.site.word("by")),
        author = link(&page.author.path, &page.author.label),
        date = date(page),
        tags = each(&page.tags, |l, out| out.push_str(&link(&l.path, &l.label))),
    )
}

fn opinion(page: &ArticlePage<'_>) -> String {
    let body = each(&page.body, |(_, paragraph), out| put(out, format_args!("<p>{}</p>", text(paragraph))));
    format!(
        "<section class=\"kolumne\">\n<div class=\"portrait\"><img src=\"/img/autor.jpg\" alt=\"\">\
         <p>{author}</p></div>\n\
         <p class=\"rubrik\">{opinion}</p>\n<h1 class=\"kolumne-titel\">{headline}</h1>\n\
         <p class=\"hinweis\">{support}</p>\n\
         <div class=\"kolumne-text\">\n<p class=\"einstieg\">{lead}</p>\n{body}</div>\n\
         <p class=\"datum\">{date}</p>\n</section>",
        author = link(&page.author.path, &page.author.label),
        opinion = text(&page.site.word("opinion")),
        headline = text(&page.brief.headline),
        support = text(&page.site.word("support")),
        lead = text(&page.brief.lead),
        date = date(page),
    )
}

fn live(page: &ArticlePage<'_>) -> String {
    let mut minute = u32::from(page.brief.published.minute().unsigned_abs());
    let entries = each(page.body.iter().enumerate(), |(i, (_, paragraph)), out| {
        minute += 7 + (i as u32 * 5) % 11;
        put(
            out,
            format_args!(
                "<div class=\"tick\" id=\"tick-{}-{i}\"><time>{:02}:{:02}</time><div class=\"tick-text\">\
                 <p>{}</p></div></div>",
                page.id,
                (9 + minute / 60) % 24,
                minute % 60,
                text(paragraph)
            ),
        );
    });
    format!(
        "<div class=\"ticker-kopf\"><span class=\"rot\">{live}</span><h1>{headline}</h1>\
         <p class=\"ticker-intro\">{lead}</p>\
         <p class=\"zeile\">{author}, {date}</p></div>\n<div class=\"ticker\" id=\"ticker\">\n{entries}</div>\n\
         <div class=\"ticker-ende\"><p>{subscribe}</p></div>",
        live = text(&page.site.word("live")),
        headline = text(&page.brief.headline),
        lead = text(&page.brief.lead),
        author = link(&page.author.path, &page.author.label),
        date = date(page),
        subscribe = text(&page.site.word("subscribe")),
    )
}

fn comments(page: &ArticlePage<'_>) -> String {
    let comments = each(page.comments.iter().enumerate(), |(i, comment), out| {
        let paragraphs = each(&comment.paragraphs, |p, out| put(out, format_args!("{}<br>", text(p))));
        put(
            out,
            format_args!(
                "<div class=\"beitrag\" id=\"k{}\"><b>{}</b><blockquote>{paragraphs}</blockquote></div>",
                page.id * 20 + i,
                text(&comment.nick)
            ),
        );
    });
    format!(
        "<div class=\"leserstimmen\"><h3>{}</h3><p>{}</p>\n{comments}</div>",
        text(&page.site.word("comments")),
        text(&page.site.word("rules"))
    )
}

fn cards(teasers: &[Teaser]) -> String {
    each(teasers, |t, out| {
        put(
            out,
            format_args!("<div class=\"karte\"><h4>{}</h4><p>{}</p></div>", link(&t.path, &t.headline), text(&t.lead)),
        );
    })
}

fn list_box(title: &str, teasers: &[Teaser], leads: bool) -> String {
    let teasers = each(teasers, |t, out| {
        let lead = if leads { format!(" <span>{}</span>", text(&t.lead)) } else { String::new() };
        put(out, format_args!("<li>{}{lead}</li>", link(&t.path, &t.headline)));
    });
    format!("<div class=\"kasten\"><h5>{}</h5><ol>\n{teasers}</ol></div>\n", text(title))
}

fn items(links: &[Link]) -> String {
    each(links, |l, out| put(out, format_args!("<li>{}</li>", link(&l.path, &l.label))))
}

fn date(page: &ArticlePage<'_>) -> String {
    page.brief.published.strftime("%d.%m.%Y, %H:%M").to_string()
}

fn shell(site: Site<'_>, title: &str, head: &str, main: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n{charset}<title>{title} - {name}</title>\n{head}</head>\n\
         <body>\n\
         <div class=\"kopf\"><a href=\"/\">{name}</a><ul class=\"ressorts\">\n{menu}</ul></div>\n\
         <div class=\"hinweisleiste\">\
         <p>{cookies}</p></div>\n<div class=\"spalten\">\n{main}\n</div>\n<div class=\"fuss\"><p>{footer}</p>\
         <ul>\n{services}</ul></div>\n\
         </body>\n</html>\n",
        lang = site.portal.newsroom.language.code(),
        charset = site.portal.charset_meta(),
        title = text(title),
        name = text(&site.portal.name),
        menu = items(&site.menu()),
        cookies = text(&site.word("cookies")),
        services = items(&site.services()),
        footer = text(&site.word("footer")),
    )
}
