//! Tests of all built-in portals.

use super::*;
use std::collections::{BTreeMap, HashSet};

fn portals() -> Vec<std::sync::Arc<Portal>> {
    Portals::demo(&Size { scale: 0.4, ..Size::default() }).iter().collect()
}

/// The page, decoded with its true encoding.
fn read(portal: &Portal, path: &str) -> String {
    let reply = portal.reply(path, false);
    assert_eq!(reply.status, 200, "{}{path}", portal.host);
    let wrong = portal.wrong_charsets().into_iter().find(|wrong| wrong.path == path);
    let encoding =
        wrong.and_then(|wrong| Encoding::for_label(wrong.actual.as_bytes())).unwrap_or(portal.charset.encoding);
    let html = encoding.decode(&reply.body).0.into_owned();
    htmlize::unescape(&html).into_owned()
}

/// The text of a page without tags, with white space folded.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<').skip(1) {
        text.push_str(piece.split_once('>').map_or("", |(_, text)| text));
        text.push(' ');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All links of all pages: each path with a page that links to it. Endless spaces are followed for a few steps.
fn links(portal: &Portal) -> BTreeMap<String, String> {
    let base = url::Url::parse(&portal.start()).unwrap();
    let mut found = BTreeMap::from([("/".to_owned(), String::new())]);
    let mut queue = vec!["/".to_owned()];
    while let Some(path) = queue.pop() {
        let reply = portal.reply(&path, false);
        let html = String::from_utf8_lossy(&reply.body).replace("&amp;", "&");
        let here = base.join(&path).unwrap();
        let location = reply.fields.iter().filter(|(name, _)| *name == "Location").map(|(_, to)| to.as_str());
        let locs = html.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next());
        for link in html
            .split("<a ")
            .skip(1)
            .filter_map(|a| a.split("href=\"").nth(1)?.split('"').next())
            .chain(location)
            .chain(locs)
        {
            let url = here.join(link).unwrap();
            let target = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
            let endless = target.matches("archivum").count() > 3 || target.contains("2029");
            if url.host() == base.host() && !endless && !found.contains_key(&target) {
                found.insert(target.clone(), path.clone());
                queue.push(target);
            }
        }
    }
    found
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
    let body = |seed| Portals::demo(&Size { seed, ..Size::default() }).iter().next().unwrap().reply("/", false).body;
    assert_eq!(body(1), body(1));
    assert_ne!(body(1), body(2));
}

#[test]
fn every_link_but_that_of_the_deleted_page_works() {
    for portal in portals() {
        let missing = portal.path(PageSpec::new(Kind::Missing, 0));
        for (path, from) in links(&portal) {
            let service = path.starts_with("/newsletter") || path.starts_with("/hirlevel");
            let status = portal.reply(&path, false).status;
            let expected = if Some(&path) == missing.as_ref() || service { 404 } else { 200 };
            assert!(
                status == expected || matches!(status, 301 | 302),
                "{status} at {path} from {from} of {}",
                portal.host
            );
        }
    }
}

#[test]
fn all_pages_can_be_reached_from_the_front_page() {
    for portal in portals() {
        let links = links(&portal);
        let gold = portal.gold().map(|(path, _)| path);
        let second_urls = portal.second_urls().into_iter().map(|(_, second_url)| second_url);
        for path in
            gold.chain(second_urls).chain(portal.forbidden()).chain(portal.non_articles()).chain(portal.nofollow())
        {
            let hidden = path.contains("print=1");
            assert!(hidden || links.contains_key(&path), "nothing leads to {path} of {}", portal.host);
        }
    }
}

#[test]
fn the_gold_text_is_on_its_page_in_both_layouts() {
    for portal in portals() {
        for (path, article) in portal.gold() {
            let text = text_of(&read(&portal, &path));
            for (_, paragraph) in &article.paragraphs {
                assert!(text.contains(paragraph.as_str()), "{paragraph:?} is not on {path} of {}", portal.host);
            }
            assert!(text.contains(&article.authors[0]));
            assert_ne!(portal.reply(&path, true).body, portal.reply(&path, false).body);
        }
    }
}

#[test]
fn second_urls_have_the_text_of_their_article() {
    for portal in portals() {
        assert!(!portal.second_urls().is_empty(), "{}", portal.host);
        let gold: BTreeMap<String, GoldArticle> = portal.gold().collect();
        for (main, second_url) in portal.second_urls() {
            let text = text_of(&read(&portal, &second_url));
            assert!(
                gold[&main].paragraphs.iter().all(|(_, paragraph)| text.contains(paragraph.as_str())),
                "{second_url}"
            );
        }
        for (older, newer) in portal.near_duplicates() {
            assert_ne!(gold[&older].text(), gold[&newer].text());
        }
    }
}

#[test]
fn articles_are_surrounded_by_boilerplate() {
    for portal in portals() {
        let pages: Vec<String> = portal.gold().take(12).map(|(path, _)| text_of(&read(&portal, &path))).collect();
        let boilerplate = portal.boilerplate();
        let found = boilerplate.iter().filter(|text| pages.iter().all(|page| page.contains(text.as_str()))).count();
        assert!(found >= 3, "{}: {found} boilerplate texts on all pages", portal.host);
        let gold: HashSet<String> = portal.gold().flat_map(|(_, a)| a.paragraphs).map(|(_, text)| text).collect();
        assert!(boilerplate.iter().all(|text| !gold.contains(text)));
        for (n, page) in pages.iter().enumerate() {
            let comments = portal.comments(n);
            assert!(comments.iter().all(|comment| page.contains(comment.as_str()) && !gold.contains(comment)));
        }
        let lead = portal.gold_article(portal.newsroom.most_read(1)[0]).paragraphs[1].1.clone();
        let teased = pages.iter().filter(|page| page.contains(&lead[..60])).count();
        assert_eq!(teased, pages.len(), "{}: the most read article is teased on all pages", portal.host);
    }
}

#[test]
fn pages_with_a_wrong_charset_really_have_one() {
    let wrong_charsets: Vec<_> = portals()
        .into_iter()
        .flat_map(|portal| portal.wrong_charsets().into_iter().map(move |wrong| (portal.clone(), wrong)))
        .collect();
    assert!(!wrong_charsets.is_empty());
    for (portal, wrong) in wrong_charsets {
        let body = portal.reply(&wrong.path, false).body;
        let declared = Encoding::for_label(wrong.declared.as_bytes()).unwrap();
        let actual = Encoding::for_label(wrong.actual.as_bytes()).unwrap();
        assert_ne!(declared, actual);
        let name = portal.name.as_str();
        assert!(actual.decode(&body).0.contains(name));
        assert_ne!(actual.decode(&body).0, declared.decode(&body).0);
    }
}

#[test]
fn robots_txt_forbids_pages_that_exist_and_are_linked() {
    for portal in portals() {
        assert!(portal.forbidden().len() >= 3, "{}: {:?}", portal.host, portal.forbidden());
        for path in portal.forbidden() {
            assert!(!portal.robots().allows(&path));
            assert_eq!(portal.reply(&path, false).status, 200, "{path}");
        }
        let robots = String::from_utf8(portal.reply("/robots.txt", false).body).unwrap();
        assert!(robots.contains("Disallow: /") && !robots.contains("Crawl-delay"));
    }
}

#[test]
fn the_traps_have_no_end() {
    for portal in portals() {
        if portal.has(Kind::Archive) {
            let top = portal.path(PageSpec::new(Kind::Archive, 0)).unwrap();
            assert_eq!(portal.reply(&format!("/{}", top[1..].repeat(50)), false).status, 200);
            assert_eq!(portal.reply(&format!("{top}other/"), false).status, 404);
        }
        if let Some(month) = portal.path(PageSpec::new(Kind::Calendar, 9_999).sheet(12)) {
            assert!(String::from_utf8_lossy(&portal.reply(&month, false).body).contains("10000"));
        }
    }
}

#[test]
fn redirects_chain_to_an_article_and_loop() {
    for portal in portals() {
        let follow = |mut path: String| {
            for hops in 0..20 {
                let reply = portal.reply(&path, false);
                match reply.fields.into_iter().find(|(name, _)| *name == "Location") {
                    Some((_, to)) => path = to,
                    None => return Some((hops, path)),
                }
            }
            None
        };
        let (hops, end) = follow(portal.path(PageSpec::new(Kind::Hop, 0)).unwrap()).unwrap();
        assert!(hops == 3 && portal.gold().any(|(path, _)| path == end), "{hops} {end}");
        assert_eq!(follow(portal.path(PageSpec::new(Kind::Loop, 0)).unwrap()), None);
    }
}

#[test]
fn pages_of_a_given_size_have_that_size() {
    let size = Size { scale: 0.2, ..Size::default() };
    for portal in Portals::demo(&size).of_page_bytes(40_000).iter() {
        for (path, _) in portal.gold() {
            let bytes = portal.reply(&path, false).body.len();
            assert!((36_000..43_000).contains(&bytes), "{bytes} bytes at {path} of {}", portal.host);
        }
    }
}

#[test]
fn hundreds_of_small_portals_differ_from_each_other() {
    let portals = Portals::many(200, 20, &Size::default());
    assert_eq!(portals.hosts().len(), 200);
    assert!(portals.find("portal-200.example").is_none() && portals.find("portal-7.example").is_none());
    let headlines: HashSet<String> = portals.iter().map(|portal| portal.gold_article(0).text()).collect();
    assert_eq!(headlines.len(), 200);
    assert_eq!(portals.find("portal-199.example").unwrap().gold().count(), 20);
}

#[test]
fn an_unpublished_article_is_on_no_page() {
    for portal in portals() {
        let earlier = portal.earlier(3);
        let (paths, links) = (portal.gold().map(|(path, _)| path).collect::<Vec<_>>(), links(&earlier));
        for (n, path) in paths.iter().enumerate() {
            assert_eq!(earlier.reply(path, false).status, if n < 3 { 404 } else { 200 });
            assert_eq!(links.contains_key(path), n >= 3, "{path}");
        }
    }
}
