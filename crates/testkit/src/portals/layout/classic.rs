//! A portal of 2008: XHTML, `id="content"`, comments of the content system as marks, no metadata but `<meta>`.
//!
//! Its habits: teasers are cut after some words and carry three dots, the byline stands between headline and lead, the
//! comments of readers follow in the same column, and the print version is a link under the text.

use super::super::html::{attribute, each, link, put, text};
use super::super::view::{ArticlePage, Layout, Link, ListPage, PlainPage, Site, Teaser};
use goldminer_core::document::ParagraphKind;

/// See the module.
pub(crate) struct Classic;

impl Layout for Classic {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let site = page.site;
        let tags = each(&page.tags, |l, out| out.push_str(&link(&l.path, &l.label)));
        let print = page.print.as_ref().map_or_else(String::new, |path| {
            format!("<a class=\"print\" href=\"{}\">{}</a>", attribute(path), text(&site.word("print")))
        });
        let main = format!(
            "<!-- cikk -->\n<h1>{headline}</h1>\n<div class=\"info\"><span class=\"author\">{by} {author}</span> | \
             <span class=\"date\">{published} {date}</span></div>\n<p class=\"lead\"><strong>{lead}</strong></p>\n\
             <div class=\"text\">\n{body}</div>\n<!-- /cikk -->\n<div class=\"tools\">{print} <a href=\"#\" \
             onclick=\"return mail()\">{share}</a></div>\n\
             <div class=\"tags\">{tags_word}: {tags}</div>\n{related}\n{comments}",
            headline = text(&page.brief.headline),
            by = text(&site.word("by")),
            author = link(&page.author.path, &page.author.label),
            published = text(&site.word("published")),
            date = date(page),
            lead = text(&page.brief.lead),
            body = body(page),
            share = text(&site.word("share")),
            tags_word = text(&site.word("tags")),
            related = boxed(&site.word("related"), "related", &page.related, 120),
            comments = comments(page),
        );
        let right = boxed(&site.word("most_read"), "toplist", &page.most_read, 140)
            + &boxed(&site.word("latest"), "fresh", &page.latest, 0);
        let head = format!(
            "<meta name=\"description\" content=\"{}\" />\n<meta name=\"author\" content=\"{}\" />\n",
            attribute(&page.brief.lead),
            attribute(&page.author.label)
        );
        shell(site, &page.brief.headline, &head, &main, &right)
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        let teasers = each(&page.teasers, |t, out| {
            put(
                out,
                format_args!(
                    "<div class=\"item\"><h2>{}</h2><p>{} <span class=\"date\">({})</span></p>\
                     <div class=\"clear\"></div></div>",
                    link(&t.path, &t.headline),
                    text(&t.short(220)),
                    t.day
                ),
            );
        });
        let turn =
            |path: &Option<String>, word| path.as_ref().map_or_else(String::new, |p| link(p, &page.site.word(word)));
        let main = format!(
            "<h1 class=\"rovat\">{}</h1>\n{teasers}<div class=\"pager\">{} {}</div>\n<ul>\n{}</ul>",
            text(&page.title),
            turn(&page.previous, "previous"),
            turn(&page.next, "next"),
            items(&page.extras)
        );
        let right = boxed(&page.site.word("most_read"), "toplist", &page.most_read, 140);
        shell(page.site, &page.title, "", &main, &right)
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        let head = if page.noindex { "<meta name=\"robots\" content=\"noindex,follow\" />\n" } else { "" };
        let main = format!("<h1>{}</h1>\n<div class=\"static\">\n{}</div>", text(&page.title), page.main);
        shell(page.site, &page.title, head, &main, "")
    }
}

fn body(page: &ArticlePage<'_>) -> String {
    let call = format!(
        "<div class=\"banner\"><p><a href=\"/hirlevel\" rel=\"nofollow\">{}</a></p></div>\n",
        text(&page.site.word("subscribe"))
    );
    let mut out = String::with_capacity(6_000);
    for (i, (kind, paragraph)) in page.body.iter().enumerate() {
        let inner = text(paragraph);
        match kind {
            ParagraphKind::Heading => put(&mut out, format_args!("<h3>{inner}</h3>\n")),
            ParagraphKind::ListItem => put(&mut out, format_args!("<ul><li>{inner}</li></ul>\n")),
            _ => put(&mut out, format_args!("<p>{inner}</p>\n")),
        }
        if i == 3 {
            out.push_str(&call);
        }
    }
    out
}

fn comments(page: &ArticlePage<'_>) -> String {
    let comments = each(page.comments.iter().enumerate(), |(i, comment), out| {
        put(
            out,
            format_args!(
                "<table class=\"comment\" width=\"100%\"><tr><td class=\"nick\"><b>{}</b><br />#{}</td>\
                 <td>{}</td></tr></table>",
                text(&comment.nick),
                i + 1,
                each(&comment.paragraphs, |p, out| put(out, format_args!("<p>{}</p>", text(p)))),
            ),
        );
    });
    format!(
        "<!-- forum -->\n<div id=\"forum\"><h3>{} ({})</h3>\n<p>{}</p>\n{comments}</div>\n<!-- /forum -->",
        text(&page.site.word("comments")),
        page.comments.len(),
        text(&page.site.word("rules"))
    )
}

fn boxed(title: &str, class: &str, teasers: &[Teaser], chars: usize) -> String {
    let teasers = each(teasers, |t, out| {
        let lead = if chars > 0 { format!("<br />{}", text(&t.short(chars))) } else { String::new() };
        put(out, format_args!("<li>{}{lead}</li>", link(&t.path, &t.headline)));
    });
    format!("<div class=\"box {class}\"><h4>{}</h4><ul>\n{teasers}</ul></div>\n", text(title))
}

fn items(links: &[Link]) -> String {
    each(links, |l, out| put(out, format_args!("<li>{}</li>", link(&l.path, &l.label))))
}

/// As a Hungarian content system writes it.
fn date(page: &ArticlePage<'_>) -> String {
    page.brief.published.strftime("%Y. %m. %d. %H:%M").to_string()
}

fn shell(site: Site<'_>, title: &str, head: &str, main: &str, right: &str) -> String {
    format!(
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \
         \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\" \
         xml:lang=\"{lang}\">\n<head>\n{charset}<title>{name} - {title}</title>\n{head}\
         <script type=\"text/javascript\">function mail() {{ return false; }}</script>\n</head>\n<body>\n\
         <table id=\"page\" cellspacing=\"0\" cellpadding=\"0\"><tr><td colspan=\"3\" id=\"top\">\
         <a href=\"/\">{name}</a>\n\
         <ul id=\"menu\">\n{menu}</ul></td></tr>\n<tr><td id=\"left\" valign=\"top\">\
         <p class=\"support\">{support}</p></td>\n\
         <td valign=\"top\"><div id=\"content\">\n{main}\n</div></td>\n\
         <td id=\"right\" valign=\"top\">\n{right}</td></tr>\n\
         <tr><td colspan=\"3\" id=\"bottom\"><ul>\n{services}</ul>\
         <p>{footer}</p></td></tr></table>\n</body>\n</html>\n",
        lang = site.portal.newsroom.language.code(),
        charset = site.portal.charset_meta(),
        title = text(title),
        name = text(&site.portal.name),
        menu = items(&site.menu()),
        support = text(&site.word("support")),
        services = items(&site.services()),
        footer = text(&site.word("footer")),
    )
}
