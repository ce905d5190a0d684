//! The demo's prose in jusText: articles, readers' comments and boxes all pass for good text, so that only a learned
//! profile can tell them apart.

use goldminer_core::document::ParagraphKind;
use goldminer_core::justext::{self, Class, Stoplist, Thresholds};
use goldminer_core::page::{Page, encoding};
use goldminer_testkit::portals::{Portal, Portals, Size};

/// The paragraphs of a page that are good by jusText's published thresholds.
fn good_text(portal: &Portal, path: &str) -> String {
    let reply = portal.reply(path, false);
    let html = encoding::decode(&reply.body, Some(&reply.content_type)).text.into_owned();
    let page = Page::parse(html);
    let stoplist = Stoplist::of_language(portal.newsroom.language.code()).expect("a stoplist");
    let classes = justext::classify(page.paragraphs(), stoplist, &Thresholds::default());
    let good = page.paragraphs().iter().zip(classes).filter(|(_, class)| *class == Class::Good);
    good.map(|(paragraph, _)| paragraph.text.to_string() + "\n").collect()
}

#[test]
fn justext_classes_articles_comments_and_boxes_as_good() {
    for portal in Portals::demo(&Size { scale: 0.4, ..Size::default() }).iter() {
        let (mut paragraphs, mut kept, mut comments, mut comments_kept, mut foreign) = (0, 0, 0, 0, 0);
        for (n, (path, article)) in portal.gold().enumerate() {
            let good = good_text(&portal, &path);
            let long = article.paragraphs.iter().filter(|(kind, _)| *kind == ParagraphKind::Paragraph);
            for (_, text) in long.filter(|(_, text)| text.len() > 200) {
                paragraphs += 1;
                kept += usize::from(good.contains(text.as_str()));
            }
            for comment in portal.comments(n).iter().filter(|comment| comment.len() > 200) {
                comments += 1;
                comments_kept += usize::from(good.contains(comment.as_str()));
            }
            foreign += portal.boilerplate().iter().filter(|text| good.contains(text.as_str())).count();
        }
        let host = &portal.host;
        assert!(kept * 100 >= paragraphs * 95, "{host}: {kept} of {paragraphs} paragraphs");
        assert!(comments_kept * 100 >= comments * 80, "{host}: {comments_kept} of {comments} comments");
        assert!(foreign > portal.newsroom.articles, "{host}: {foreign} boilerplate texts");
    }
}
