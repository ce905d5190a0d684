//! A page of the nineties: upper-case tags, attributes without quotes, tables in tables, `<FONT>`, `<BR><BR>` between
//! paragraphs, character references for all that is not ASCII.
//!
//! Its habits: nothing has a class or an id, no paragraph has an element of its own, tags are left open.

use super::super::html::{attribute, each, link, put, references, text};
use super::super::view::{ArticlePage, Layout, Link, ListPage, PlainPage, Site, Teaser};
use goldminer_core::document::ParagraphKind;

/// See the module.
pub(crate) struct Tables;

impl Layout for Tables {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        let site = page.site;
        let mut body = String::with_capacity(6_000);
        for (i, (kind, paragraph)) in page.body.iter().enumerate() {
            let inner = text(paragraph);
            match kind {
                ParagraphKind::Heading => put(&mut body, format_args!("<B><FONT SIZE=4>{inner}</FONT></B><BR><BR>\n")),
                ParagraphKind::ListItem => put(&mut body, format_args!("<LI>{inner}\n")),
                _ => put(&mut body, format_args!("{inner}<BR><BR>\n")),
            }
            if i == 2 {
                put(
                    &mut body,
                    format_args!(
                        "<TABLE BORDER=1 ALIGN=right WIDTH=180><TR><TD><FONT SIZE=2>{}</FONT></TABLE>\n",
                        text(&site.word("subscribe"))
                    ),
                );
            }
        }
        let comments = each(&page.comments, |comment, out| {
            let paragraphs =
                comment.paragraphs.iter().map(|p| text(p).into_owned()).collect::<Vec<_>>().join("<BR><BR>\n");
            put(out, format_args!("<HR SIZE=1><B>{}</B>:<BR>\n{paragraphs}<BR>", text(&comment.nick)));
        });
        let main = format!(
            "<FONT SIZE=6 FACE=Times><B>{headline}</B></FONT><BR>\n<FONT SIZE=2>{by} {author}, {date}</FONT><BR><BR>\n\
             <B>{lead}</B><BR><BR>\n{body}<CENTER>* * *</CENTER>\n<FONT SIZE=2>{tags}{twin}</FONT>\n<HR>\n\
             <FONT SIZE=4>{word}</FONT><BR>{rules}\n\
             {comments}",
            headline = text(&page.brief.headline),
            by = text(&site.word("by")),
            author = link(&page.author.path, &page.author.label),
            date = page.brief.published.date(),
            lead = text(&page.brief.lead),
            tags = each(&page.tags, |l, out| out.push_str(&link(&l.path, &l.label))),
            twin = page.twin.as_ref().map_or_else(String::new, |path| link(path, "#")),
            word = text(&site.word("comments")),
            rules = text(&site.word("rules")),
        );
        let right = column(&site.word("related"), &page.related, true)
            + &column(&site.word("most_read"), &page.most_read, true)
            + &column(&site.word("latest"), &page.latest, false);
        shell(site, &page.brief.headline, "", &main, &right)
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        let teasers = each(&page.teasers, |t, out| {
            put(out, format_args!("<LI><B>{}</B><BR>{}<BR>", link(&t.path, &t.headline), text(&t.lead)));
        });
        let turn = |path: &Option<String>, word: &str| {
            path.as_ref().map_or_else(String::new, |p| link(p, &page.site.word(word)))
        };
        let main = format!(
            "<FONT SIZE=5>{}</FONT><UL>\n{teasers}</UL>\n{} {}<UL>\n{}</UL>",
            text(&page.title),
            turn(&page.previous, "previous"),
            turn(&page.next, "next"),
            items(&page.extras)
        );
        shell(page.site, &page.title, "", &main, &column(&page.site.word("most_read"), &page.most_read, true))
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        let head = if page.noindex { "<META NAME=ROBOTS CONTENT=NOINDEX>\n" } else { "" };
        let main = format!("<FONT SIZE=5>{}</FONT>\n{}", text(&page.title), page.main);
        shell(page.site, &page.title, head, &main, "")
    }
}

fn column(title: &str, teasers: &[Teaser], leads: bool) -> String {
    let teasers = each(teasers, |t, out| {
        let lead = if leads { format!("<BR>{}", text(&t.lead)) } else { String::new() };
        put(out, format_args!("<LI><A HREF=\"{}\">{}</A>{lead}", attribute(&t.path), text(&t.headline)));
    });
    format!("<TABLE BGCOLOR=#EEEEEE WIDTH=200><TR><TD><B>{}</B><UL>\n{teasers}</UL></TABLE>\n", text(title))
}

fn items(links: &[Link]) -> String {
    each(links, |l, out| put(out, format_args!("<LI>{}", link(&l.path, &l.label))))
}

fn shell(site: Site<'_>, title: &str, head: &str, main: &str, right: &str) -> String {
    let page = format!(
        "<HTML><HEAD>\n{charset}<TITLE>{name}: {title}</TITLE>\n{head}</HEAD>\n<BODY BGCOLOR=#FFFFFF>\n\
         <TABLE WIDTH=100%><TR>\
         <TD COLSPAN=3><FONT SIZE=7><A HREF=\"/\">{name}</A></FONT>\n<TR><TD VALIGN=top WIDTH=120><UL>\n{menu}</UL>\n\
         <FONT SIZE=2>{support}</FONT>\n<TD VALIGN=top>\n{main}\n<TD VALIGN=top>\n{right}\n<TR><TD COLSPAN=3><HR>\
         <UL>\n{services}</UL>\n\
         <FONT SIZE=1>{footer}</FONT></TABLE>\n</BODY></HTML>\n",
        charset = site.portal.charset_meta(),
        title = text(title),
        name = text(&site.portal.name),
        menu = items(&site.menu()),
        support = text(&site.word("support")),
        services = items(&site.services()),
        footer = text(&site.word("footer")),
    );
    references(&page)
}
