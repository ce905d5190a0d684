//! A blog on the engine that half of the web uses: `post-1234` in id and class, numbered comments, widgets.
//!
//! Its habits: no id or class of the article is the same on two pages, comments are nested and as long as the article,
//! the newsletter form stands between two paragraphs, tags and share buttons close the text.

use super::super::html::{attribute, each, link, put, text};
use super::super::place::slug;
use super::super::view::{ArticlePage, Layout, Link, ListPage, PlainPage, Site, Teaser};
use goldminer_core::document::ParagraphKind;

/// See the module.
pub(crate) struct Blog;

impl Layout for Blog {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let site = page.site;
        let classes: String = page.tags.iter().map(|tag| format!(" tag-{}", slug(&tag.label))).collect();
        let main = format!(
            "<div id=\"post-{id}\" class=\"post-{id} post type-post status-publish format-standard hentry \
             category-{category}{classes}\">\n\
             <h1 class=\"entry-title\">{headline}</h1>\n<div class=\"entry-meta\">\
             <span class=\"posted-on\">{date}</span> \
             <span class=\"byline\"><span class=\"author vcard\">{author}</span></span> \
             <span class=\"cat-links\">{section}</span> \
             <a class=\"comments-link\" href=\"#comments\">{n} {comments_word}</a></div>\n\
             <div class=\"entry-content\">\n\
             <p><b>{lead}</b></p>\n{body}<div class=\"sharedaddy\"><h3>{share}</h3><ul><li><a rel=\"nofollow\" \
             href=\"https://social.invalid/?u={id}\">+1</a></li></ul></div>\n</div><!-- .entry-content -->\n\
             <div class=\"entry-utility\">{tags_word}: {tags} {permalink}</div>\n\
             </div><!-- #post-{id} -->\n{related}{comments}",
            id = page.id,
            category = slug(&page.section.label),
            headline = text(&page.brief.headline),
            date = page.brief.published.strftime("%Y-%m-%d %H:%M"),
            author = link(&page.author.path, &page.author.label),
            section = link(&page.section.path, &page.section.label),
            n = page.comments.len(),
            comments_word = text(&site.word("comments")),
            lead = text(&page.brief.lead),
            body = body(page),
            share = text(&site.word("share")),
            tags_word = text(&site.word("tags")),
            tags = each(&page.tags, |l, out| out.push_str(&link(&l.path, &l.label))),
            permalink = page.twin.as_ref().map_or_else(String::new, |path| link(path, "permalink")),
            related = widget("related-posts", &site.word("related"), &page.related, true),
            comments = comments(page),
        );
        let head = format!(
            "<link rel=\"canonical\" href=\"{}\" />\n\
             <meta property=\"article:published_time\" content=\"{}+02:00\" />\n",
            attribute(&site.absolute(&page.path)),
            page.brief.published
        );
        let body_class = format!("single single-post postid-{}", page.id);
        shell(site, &body_class, &page.brief.headline, &head, &main, &page.latest, &page.most_read)
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        let posts = each(page.teasers.iter().enumerate(), |(i, t), out| {
            put(
                out,
                format_args!(
                    "<div class=\"post hentry loop-{i}\"><h2 class=\"entry-title\">{}</h2>\
                     <div class=\"entry-summary\"><p>{} \
                     <a class=\"more-link\" href=\"{}\">{}</a></p></div></div>",
                    link(&t.path, &t.headline),
                    text(&t.lead),
                    attribute(&t.path),
                    text(&page.site.word("more")),
                ),
            );
        });
        let turn = |path: &Option<String>, class: &str, word: &str| {
            path.as_ref().map_or_else(String::new, |path| {
                format!("<div class=\"nav-{class}\">{}</div>", link(path, &page.site.word(word)))
            })
        };
        let main = format!(
            "<h1 class=\"page-title\">{}</h1>\n{posts}<div class=\"navigation\">{}{}</div>\n\
             <ul class=\"pages\">\n{}</ul>\n",
            text(&page.title),
            turn(&page.previous, "next", "previous"),
            turn(&page.next, "previous", "next"),
            items(&page.extras),
        );
        shell(page.site, "archive", &page.title, "", &main, &[], &page.most_read)
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        let head = if page.noindex { "<meta name=\"robots\" content=\"noindex, follow\" />\n" } else { "" };
        let main = format!(
            "<div class=\"page type-page\"><h1 class=\"entry-title\">{}</h1>\n\
             <div class=\"page-content\">{}</div></div>",
            text(&page.title),
            page.main
        );
        shell(page.site, "page", &page.title, head, &main, &[], &[])
    }
}

fn body(page: &ArticlePage<'_>) -> String {
    let call = format!(
        "<div class=\"mc4wp-form\" id=\"form-{}\"><p>{}</p><input type=\"email\" /></div>\n",
        page.id,
        text(&page.site.word("subscribe"))
    );
    let mut out = String::with_capacity(6_000);
    let middle = page.body.len() / 2;
    for (i, (kind, paragraph)) in page.body.iter().enumerate() {
        let inner = text(paragraph);
        match kind {
            ParagraphKind::Heading => put(&mut out, format_args!("<h4>{inner}</h4>\n")),
            ParagraphKind::ListItem => put(&mut out, format_args!("<ul><li>{inner}</li></ul>\n")),
            _ => put(&mut out, format_args!("<p>{inner}</p>\n")),
        }
        if i == middle {
            out.push_str(&call);
        }
    }
    out
}

/// Every third comment answers the one before.
fn comments(page: &ArticlePage<'_>) -> String {
    let mut out = format!(
        "<div id=\"comments\"><h3 id=\"comments-title\">{} {}</h3>\n<ol class=\"commentlist\">\n",
        page.comments.len(),
        text(&page.site.word("comments"))
    );
    let mut open = false;
    for (i, comment) in page.comments.iter().enumerate() {
        let answers = i % 3 == 2;
        if answers {
            out.push_str("<ul class=\"children\">\n");
        } else if open {
            out.push_str("</li>\n");
        }
        let number = page.id * 10 + i;
        put(
            &mut out,
            format_args!(
                "<li class=\"comment {parity} depth-{depth}\" id=\"li-comment-{number}\"><div id=\"comment-{number}\">\
                 <div class=\"comment-author vcard\"><cite class=\"fn\">{nick}</cite></div><div class=\"comment-meta\">\
                 <a href=\"#comment-{number}\">#{number}</a></div><div class=\"comment-body\">{paragraphs}</div>\
                 <div class=\"reply\"><a rel=\"nofollow\" href=\"#respond\">{reply}</a></div></div>\n",
                parity = if i % 2 == 0 { "even" } else { "odd" },
                depth = if answers { 2 } else { 1 },
                nick = text(&comment.nick),
                paragraphs = each(&comment.paragraphs, |p, out| put(out, format_args!("<p>{}</p>", text(p)))),
                reply = text(&page.site.word("reply")),
            ),
        );
        if answers {
            out.push_str("</li></ul>\n");
        }
        open = true;
    }
    if open {
        out.push_str("</li>\n");
    }
    put(
        &mut out,
        format_args!(
            "</ol>\n<div id=\"respond\"><h3>{}</h3><p class=\"comment-notes\">{}</p><form>\
             <textarea></textarea></form></div></div>\n",
            text(&page.site.word("write_comment")),
            text(&page.site.word("rules"))
        ),
    );
    out
}

fn widget(id: &str, title: &str, teasers: &[Teaser], leads: bool) -> String {
    let teasers = each(teasers, |t, out| {
        let lead = if leads { format!("<div class=\"excerpt\">{}</div>", text(&t.lead)) } else { String::new() };
        put(out, format_args!("<li>{}{lead}</li>", link(&t.path, &t.headline)));
    });
    format!(
        "<div id=\"{id}\" class=\"widget\"><h3 class=\"widget-title\">{}</h3><ul>\n{teasers}</ul></div>\n",
        text(title)
    )
}

fn items(links: &[Link]) -> String {
    each(links, |l, out| put(out, format_args!("<li class=\"menu-item\">{}</li>", link(&l.path, &l.label))))
}

fn shell(
    site: Site<'_>,
    body_class: &str,
    title: &str,
    head: &str,
    main: &str,
    latest: &[Teaser],
    most_read: &[Teaser],
) -> String {
    let recent =
        if latest.is_empty() { String::new() } else { widget("recent-posts-2", &site.word("latest"), latest, false) };
    let top = if most_read.is_empty() {
        String::new()
    } else {
        widget("top-posts-4", &site.word("most_read"), most_read, true)
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n{charset}<title>{title} &raquo; {name}</title>\n\
         <meta name=\"generator\" content=\"BlogEngine 4.9\" />\n{feed}{head}</head>\n<body class=\"{body_class}\">\n\
         <div id=\"wrapper\" class=\"hfeed\">\n<div id=\"header\"><div id=\"site-title\">\
         <a href=\"/\" rel=\"home\">{name}</a></div>\n\
         <div id=\"access\" role=\"navigation\"><ul class=\"menu\">\n{menu}</ul></div></div>\n<div id=\"main\">\n\
         <div id=\"container\"><div id=\"content\" role=\"main\">\n{main}\n</div></div>\n<div id=\"primary\" \
         class=\"widget-area\">\n{recent}{top}<div id=\"text-3\" class=\"widget\">\
         <p>{support}</p></div></div>\n</div>\n\
         <div id=\"footer\"><ul>\n{services}</ul><p>{footer}</p></div>\n</div>\n<div id=\"cookie-law\">\
         <p>{cookies}</p></div>\n\
         </body>\n</html>\n",
        lang = site.portal.newsroom.language.code(),
        charset = site.portal.charset_meta(),
        title = text(title),
        name = text(&site.portal.name),
        feed = super::super::feeds::discovery(site),
        menu = items(&site.menu()),
        support = text(&site.word("support")),
        services = items(&site.services()),
        footer = text(&site.word("footer")),
        cookies = text(&site.word("cookies")),
    )
}
