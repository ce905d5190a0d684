//! A portal of today: `<article>`, JSON-LD, OpenGraph, class names by block and element.
//!
//! Its habits: a newsletter call and a box of related articles *inside* the article, full leads in every teaser,
//! comments in a section of their own after the article's end.

use super::super::html::{attribute, each, json, link, put, text};
use super::super::view::{ArticlePage, Layout, Link, ListPage, PlainPage, Site, Teaser};
use goldminer_core::document::ParagraphKind;

/// See the module.
pub(crate) struct Modern;

impl Layout for Modern {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let main = format!(
            "{article}\n{comments}\n<aside class=\"sidebar\">\n{most_read}{latest}</aside>",
            article = article(page),
            comments = comments(page),
            most_read = module(&page.site.word("most_read"), "most-read", &page.most_read, true),
            latest = module(&page.site.word("latest"), "latest", &page.latest, false),
        );
        shell(page.site, &page.brief.headline, &head(page), &main)
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        let teasers = each(&page.teasers, |t, out| {
            put(
                out,
                format_args!(
                    "<article class=\"teaser\"><h2 class=\"teaser__title\">{}</h2><p class=\"teaser__lead\">{}</p>\
                     <time datetime=\"{day}\">{day}</time></article>",
                    link(&t.path, &t.headline),
                    text(&t.lead),
                    day = t.day,
                ),
            );
        });
        let turn = |path: &Option<String>, rel: &str, word: &str| {
            path.as_ref().map_or_else(String::new, |path| {
                format!("<a rel=\"{rel}\" href=\"{}\">{}</a>", attribute(path), text(&page.site.word(word)))
            })
        };
        let main = format!(
            "<h1 class=\"page-title\">{title}</h1>\n<div class=\"teaser-list\">\n{teasers}</div>\n\
             <nav class=\"pager\">{previous} {next}</nav>\n<ul class=\"extras\">\n{extras}</ul>\n\
             <aside class=\"sidebar\">\n{most_read}</aside>",
            title = text(&page.title),
            previous = turn(&page.previous, "prev", "previous"),
            next = turn(&page.next, "next", "next"),
            extras = items(&page.extras),
            most_read = module(&page.site.word("most_read"), "most-read", &page.most_read, true),
        );
        shell(page.site, &page.title, "", &main)
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        let head = if page.noindex { "<meta name=\"robots\" content=\"noindex\">\n" } else { "" };
        let main = format!(
            "<div class=\"static-page\"><h1 class=\"page-title\">{}</h1>\n{}</div>",
            text(&page.title),
            page.main
        );
        shell(page.site, &page.title, head, &main)
    }
}

fn article(page: &ArticlePage<'_>) -> String {
    let site = page.site;
    let mut body = String::with_capacity(6_000);
    let mut paragraphs = 0;
    let mut listing = false;
    for (kind, paragraph) in &page.body {
        if listing && *kind != ParagraphKind::ListItem {
            body.push_str("</ul>\n");
            listing = false;
        }
        match kind {
            ParagraphKind::Heading => {
                put(&mut body, format_args!("<h2 class=\"article__subhead\">{}</h2>\n", text(paragraph)))
            }
            ParagraphKind::ListItem => {
                if !listing {
                    body.push_str("<ul class=\"article__list\">\n");
                    listing = true;
                }
                put(&mut body, format_args!("<li>{}</li>\n", text(paragraph)));
            }
            _ => {
                paragraphs += 1;
                put(&mut body, format_args!("<p>{}</p>\n", text(paragraph)));
            }
        }
        match paragraphs {
            2 if *kind == ParagraphKind::Paragraph => put(
                &mut body,
                format_args!(
                    "<div class=\"newsletter-box\"><p>{}</p><form action=\"/newsletter\"><input type=\"email\" \
                     name=\"mail\"><button>OK</button></form></div>\n",
                    text(&site.word("subscribe"))
                ),
            ),
            4 if *kind == ParagraphKind::Paragraph => {
                put(&mut body, format_args!("<aside class=\"related-inline\">{}</aside>\n", related(page)))
            }
            _ => {}
        }
    }
    if listing {
        body.push_str("</ul>\n");
    }
    format!(
        "<article class=\"article\" id=\"a{id}\" itemscope itemtype=\"https://schema.org/NewsArticle\">\n\
         <header class=\"article__header\">\n<a class=\"article__kicker\" href=\"{section_path}\">{section}</a>\n\
         <h1 class=\"article__title\" itemprop=\"headline\">{headline}</h1>\n\
         <div class=\"article__meta\">{by} <a rel=\"author\" href=\"{author_path}\">{author}</a> · \
         <time datetime=\"{iso}\">{iso_day}</time></div>\n<ul class=\"share\"><li><a rel=\"nofollow\" \
         href=\"https://social.invalid/share\">{share}</a></li></ul>\n</header>\n\
         <figure class=\"article__figure\"><img src=\"/img/{id}.jpg\" alt=\"\">\
         <figcaption>{photo}: {author}</figcaption>\
         </figure>\n<p class=\"article__lead\">{lead}</p>\n\
         <div class=\"article__body\" itemprop=\"articleBody\">\n{body}</div>\n\
         <footer class=\"article__footer\">\n<ul class=\"tags\">\n{tags}</ul>\n{twin}\
         <p class=\"support\">{support}</p>\n\
         </footer>\n</article>",
        id = page.id,
        section_path = attribute(&page.section.path),
        section = text(&page.section.label),
        headline = text(&page.brief.headline),
        by = text(&site.word("by")),
        author_path = attribute(&page.author.path),
        author = text(&page.author.label),
        iso = iso(page),
        iso_day = page.brief.published.date(),
        share = text(&site.word("share")),
        photo = text(&site.word("photo")),
        lead = text(&page.brief.lead),
        tags = items(&page.tags),
        twin = page
            .twin
            .as_ref()
            .map_or_else(String::new, |path| format!("<p class=\"permalink\">{}</p>\n", link(path, "#"))),
        support = text(&site.word("support")),
    )
}

fn related(page: &ArticlePage<'_>) -> String {
    let teasers = each(&page.related, |t, out| {
        put(out, format_args!("<li>{}<p>{}</p></li>", link(&t.path, &t.headline), text(&t.lead)));
    });
    format!("<h3>{}</h3><ul>\n{teasers}</ul>", text(&page.site.word("related")))
}

fn comments(page: &ArticlePage<'_>) -> String {
    let comments = each(page.comments.iter().enumerate(), |(i, comment), out| {
        let paragraphs = each(&comment.paragraphs, |p, out| put(out, format_args!("<p>{}</p>", text(p))));
        put(
            out,
            format_args!(
                "<li class=\"comment\" data-comment-id=\"{}\"><span class=\"comment__author\">{}</span>\n\
                 <div class=\"comment__body\">{paragraphs}</div><button>{}</button></li>",
                page.id * 100 + i,
                text(&comment.nick),
                text(&page.site.word("reply")),
            ),
        );
    });
    format!(
        "<section class=\"comments\" id=\"comments\"><h2>{} ({})</h2>\n<p class=\"comments__rules\">{}</p>\n\
         <ol>\n{comments}</ol></section>",
        text(&page.site.word("comments")),
        page.comments.len(),
        text(&page.site.word("rules")),
    )
}

fn module(title: &str, class: &str, teasers: &[Teaser], leads: bool) -> String {
    let teasers = each(teasers, |t, out| {
        let lead = if leads { format!("<p>{}</p>", text(&t.lead)) } else { String::new() };
        put(out, format_args!("<li><h4>{}</h4>{lead}</li>", link(&t.path, &t.headline)));
    });
    format!("<section class=\"module module--{class}\"><h3>{}</h3><ol>\n{teasers}</ol></section>\n", text(title))
}

fn items(links: &[Link]) -> String {
    each(links, |l, out| put(out, format_args!("<li>{}</li>", link(&l.path, &l.label))))
}

fn iso(page: &ArticlePage<'_>) -> String {
    format!("{}+02:00", page.brief.published)
}

fn head(page: &ArticlePage<'_>) -> String {
    let url = page.site.absolute(&page.path);
    let headline = &page.brief.headline;
    let lead = &page.brief.lead;
    format!(
        "<link rel=\"canonical\" href=\"{url}\">\n<meta property=\"og:type\" content=\"article\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{description}\">\n\
         <meta property=\"og:url\" content=\"{url}\">\n<meta property=\"og:site_name\" content=\"{name}\">\n\
         <meta property=\"article:published_time\" content=\"{iso}\">\n<meta property=\"article:section\" \
         content=\"{section}\">\n<script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\"@type\":\
         \"NewsArticle\",\"headline\":{j_headline},\"datePublished\":\"{iso}\",\"description\":{j_lead},\"author\":\
         [{{\"@type\":\"Person\",\"name\":{j_author}}}],\"publisher\":{{\"@type\":\"Organization\",\"name\":{j_name}}},\
         \"mainEntityOfPage\":{j_url}}}</script>\n",
        url = attribute(&url),
        title = attribute(headline),
        description = attribute(lead),
        name = attribute(&page.site.portal.name),
        iso = iso(page),
        section = attribute(&page.section.label),
        j_headline = json(headline),
        j_lead = json(lead),
        j_author = json(&page.author.label),
        j_name = json(&page.site.portal.name),
        j_url = json(&url),
    )
}

fn shell(site: Site<'_>, title: &str, head: &str, main: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n{charset}<title>{title} | {name}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{feed}{head}\
         <style>body{{font-family:serif;max-width:70em}}</style>\n<script>window.site={{\"v\":3}};</script>\n</head>\n\
         <body class=\"layout\">\n<div class=\"cookie-banner\" role=\"dialog\"><p>{cookies}</p>\
         <button>OK</button></div>\n\
         <header class=\"masthead\"><a href=\"/\" class=\"logo\">{name}</a>\n<nav class=\"menu\">\
         <ul>\n{menu}</ul></nav></header>\n\
         <main class=\"main\">\n{main}\n</main>\n<footer class=\"footer\">\n<ul>\n{services}</ul>\n<p>{footer}</p>\n\
         <p>© 2026 {name}</p>\n</footer>\n</body>\n</html>\n",
        lang = site.portal.newsroom.language.code(),
        charset = site.portal.charset_meta(),
        title = text(title),
        name = text(&site.portal.name),
        feed = super::super::feeds::discovery(site),
        cookies = text(&site.word("cookies")),
        menu = items(&site.menu()),
        services = items(&site.services()),
        footer = text(&site.word("footer")),
    )
}
