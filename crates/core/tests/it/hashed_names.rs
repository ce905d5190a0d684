//! Portals whose classes and ids are hashes without a meaning, made by tools for style sheets. Their articles are
//! still complete, and the text around them is left out.

use goldminer_core::extract::{Algorithm, Extractor, SourcePage};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::page::Page;

use super::made_up_portal::{articles, domain, sentence, title, url, word};

/// How names are made: from an element's role, the portal and the page.
type Style = fn(role: &str, portal: u64, page: u64) -> String;

const STYLES: &[(&str, Style)] = &[
    ("c and three hexadecimal digits", |role, portal, _| format!("c{:03x}", hash(role, portal) & 0xfff)),
    ("four hexadecimal digits", |role, portal, _| format!("{:04x}", hash(role, portal) & 0xffff)),
    ("base 36", |role, portal, _| base36(hash(role, portal), 5)),
    ("CSS in JS", |role, portal, _| format!("css-{}", base36(hash(role, portal), 6))),
    ("styled components", |role, portal, _| {
        format!("sc-{} {}", mixed_case(hash(role, portal), 6), mixed_case(hash(role, portal + 9), 6))
    }),
    ("CSS modules", |role, portal, _| format!("{role}_box__{}", base36(hash(role, portal), 5))),
    ("underscore and six hexadecimal digits", |role, portal, _| format!("_{:06x}", hash(role, portal) & 0xff_ffff)),
    ("atomic words", |role, portal, _| {
        let kinds = ["mt", "mb", "px", "py", "text", "w", "leading", "gap"];
        let pick = |nth: u64| hash(role, portal * 31 + nth);
        let one = |nth: u64| format!("{}-{}", kinds[pick(nth) as usize % kinds.len()], pick(nth + 50) % 12);
        (0..4).map(one).collect::<Vec<_>>().join(" ")
    }),
    ("atomic hashes", |role, portal, _| {
        let rules: Vec<String> = (0..6).map(|nth| base36(hash("rule", (hash(role, portal + nth)) % 40), 7)).collect();
        rules.iter().map(|rule| format!("x{rule}")).collect::<Vec<_>>().join(" ")
    }),
    ("two deployments", |role, portal, page| format!("_{:05x}", hash(role, portal * 2 + page % 2) & 0xf_ffff)),
    ("new on each page", |role, portal, page| format!("c{:06x}", hash(role, portal * 1_000 + page) & 0xff_ffff)),
    ("some real names", |role, portal, _| match role {
        "article" | "menu" | "footer" => role.to_owned(),
        _ => format!("c{:03x}", hash(role, portal) & 0xfff),
    }),
    ("ids, too", |role, portal, page| {
        format!("c{:03x}' id='x{:05x}", hash(role, portal) & 0xfff, hash(role, portal * 77 + page) & 0xf_ffff)
    }),
];

fn hash(role: &str, salt: u64) -> u64 {
    let bytes = role.bytes().chain(salt.to_le_bytes());
    let mixed = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

fn of_letters(mut hash: u64, length: usize, letters: &[u8]) -> String {
    let digits = std::iter::from_fn(|| {
        let digit = letters[(hash % letters.len() as u64) as usize];
        hash /= letters.len() as u64;
        Some(digit as char)
    });
    digits.take(length).collect()
}

fn base36(hash: u64, length: usize) -> String {
    of_letters(hash, length, b"0123456789abcdefghijklmnopqrstuvwxyz")
}

fn mixed_case(hash: u64, length: usize) -> String {
    of_letters(hash, length, b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

/// How languages write a sentence.
#[derive(Clone, Copy)]
enum Script {
    Latin,
    Chinese,
    Arabic,
}

impl Script {
    fn sentence(self, seed: u64) -> String {
        let pick = |words: &[&'static str], nth: u64| words[hash("word", seed * 97 + nth) as usize % words.len()];
        match self {
            Self::Latin => sentence(hash("seed", seed) as usize % 50_000),
            Self::Chinese => {
                let words = [
                    "城市", "议会", "老师", "桥梁", "收获", "花园", "车站", "冬天", "昨天", "居民", "认为", "讨论",
                    "关于", "新的",
                ];
                let parts: String = (0..14).map(|nth| pick(&words, nth)).collect();
                format!("在{}的时候，他们说这是{parts}的问题，因为没有人知道。", pick(&words, 40))
            }
            Self::Arabic => {
                let words = [
                    "المدينة",
                    "المجلس",
                    "المعلم",
                    "الجسر",
                    "الحصاد",
                    "الحديقة",
                    "المحطة",
                    "الشتاء",
                    "السكان",
                    "القديم",
                ];
                let parts: Vec<&str> = (0..9).map(|nth| pick(&words, nth)).collect();
                format!(
                    "قال إن {} في {} على {} من {} هذا ما كان.",
                    parts[0],
                    parts[1],
                    parts[2],
                    parts[3..].join(" و ")
                )
            }
        }
    }

    fn paragraph(self, page: u64, number: u64) -> String {
        let name = word((page * 31 + number) as usize);
        let sentences: Vec<String> =
            (0..2 + number % 2).map(|nth| self.sentence(page * 1_009 + number * 13 + nth)).collect();
        format!("{} {name}.", sentences.join(" "))
    }
}

/// A portal with its style and its script.
#[derive(Clone, Copy)]
struct Portal {
    style: Style,
    number: u64,
    script: Script,
}

impl Portal {
    /// The paragraphs of an article: lead, text and subheads.
    fn gold(self, n: u64) -> Vec<String> {
        let mut gold = vec![title(n as usize)];
        gold.extend((0..5 + n % 3).map(|number| self.script.paragraph(n, number)));
        gold.insert(4, ["Background", "Conclusion", "What comes next"][n as usize % 3].to_owned());
        gold
    }

    fn page(self, n: u64) -> String {
        let Self { style, number, script } = self;
        let class = |role: &str| format!("class='{}'", style(role, number, n));
        let gold = self.gold(n);
        let mut main = format!("<h1 {}>{}</h1><p {}>{}</p>", class("title"), gold[0], class("lead"), gold[1]);
        main += &format!("<div {}><span {}>By Anna Nagy</span></div>", class("byline"), class("author"));
        main += &format!(
            "<figure {}><img src=a.jpg><figcaption {}>Seen in {}</figcaption></figure>",
            class("figure"),
            class("caption"),
            word(n as usize)
        );
        for (at, text) in gold.iter().enumerate().skip(2) {
            let (tag, role) = if at == 4 { ("h2", "subhead") } else { ("p", "par") };
            main += &format!("<{tag} {}>{text}</{tag}>", class(role));
            if at == 5 {
                main += &format!(
                    "<div {}><p {}>Do you like what you are reading? Subscribe to our newsletter and you will get the best of \
                     this newspaper every morning, and it will cost you nothing.</p></div>",
                    class("promo"),
                    class("promotext")
                );
            }
        }
        let teased = |at: u64| {
            let other = (n + at * 7) % 200 + 300;
            format!("<p {}><a href=/articles/{other}>{}</a></p>", class("teaser"), title(other as usize))
        };
        let menu: String =
            ["Home", "Sport", "Culture"].map(|name| format!("<a {} href=/{name}>{name}</a>", class("link"))).concat();
        format!(
            "<html><head><title>{} - The Paper</title></head><body><div {}><div {}>{menu}</div><div {}>{main}</div>\
             <div {}>{}</div><div {}><p {}>All rights are reserved by the publisher of this newspaper and by its authors. \
             Nothing of it may be copied, stored or shown in any way without our permission, which you can ask for.</p>\
             </div></div></body></html>",
            gold[0],
            class("page"),
            class("menu"),
            class("article"),
            class("aside"),
            (1..6).map(teased).collect::<String>(),
            class("footer"),
            class("notice"),
        )
        .replace("<html>", if matches!(script, Script::Latin) { "<html lang=en>" } else { "<html>" })
    }

    fn printed(self, n: u64) -> String {
        let gold = self.gold(n);
        let text: String = gold[1..].iter().map(|text| format!("<p>{text}</p>")).collect();
        format!("<html><head><title>{0} - The Paper</title></head><body><h1>{0}</h1>{text}", gold[0])
    }

    /// The share of the articles' characters that is kept; and the characters kept besides them, per character of
    /// article.
    fn kept(self, pages: usize) -> (f64, f64, DomainProfile) {
        let mut learner = Learner::of(domain());
        for (path, html) in articles(pages, |n| self.page(n as u64)) {
            learner.add_page(&Page::parse(html), Some(&url(&path)));
        }
        // Every second portal also has versions for printers.
        if self.number % 2 == 1 {
            for (path, html) in articles(pages, |n| self.printed(n as u64)) {
                learner.add_page(&Page::parse(html), Some(&url(&(path + "/print"))));
            }
        }
        let profile = learner.learn().expect("a profile");
        let extractor = Extractor::default().with_algorithm(Algorithm::Goldminer);
        let (mut wanted, mut found, mut more) = (0, 0, 0);
        for (path, html) in articles(pages + 2, |n| self.page(n as u64)).into_iter().step_by(pages.div_ceil(12)) {
            let (url, domain) = (url(&path), domain());
            let n: u64 = path.rsplit('/').next().unwrap().parse().unwrap();
            let source =
                SourcePage::new(html.as_bytes(), &domain).with_url(&url).with_content_type("text/html; charset=utf-8");
            let texts: Vec<String> = match extractor.extract(&source, Some(&profile)) {
                Ok(document) => document.paragraphs.into_iter().map(|part| part.text).collect(),
                Err(_) => Vec::new(),
            };
            let gold = self.gold(n);
            wanted += gold.iter().map(String::len).sum::<usize>();
            found += gold.iter().filter(|text| texts.contains(text)).map(String::len).sum::<usize>();
            more += texts.iter().filter(|text| !gold.contains(text)).map(String::len).sum::<usize>();
        }
        (found as f64 / wanted as f64, more as f64 / wanted as f64, profile)
    }
}

/// Checks that the articles of every portal are kept, and hardly anything else.
fn whole(styles: &[(&str, Style)], script: Script, sizes: &[usize], portals: u64) {
    let mut wrong = Vec::new();
    for (name, style) in styles {
        for pages in sizes {
            for number in 0..portals {
                let (kept, more, profile) = Portal { style: *style, number, script }.kept(*pages);
                println!(
                    "{name}, {pages} pages, {number}: {kept:.3} kept, {more:.3} more, fitness {:.3}",
                    profile.evidence.fitness
                );
                if kept < 0.99 || more > 0.05 {
                    wrong.push(format!(
                        "{name}, {pages} pages, {number}: {kept:.3} kept, {more:.3} more\n{}",
                        profile.to_toml()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn articles_below_hashed_names_are_whole() {
    whole(STYLES, Script::Latin, &[5, 12, 30], 2);
}

#[test]
fn many_articles_below_hashed_names_are_whole() {
    whole(STYLES, Script::Latin, &[120], 1);
}

#[test]
fn articles_in_other_scripts_below_hashed_names_are_whole() {
    for script in [Script::Chinese, Script::Arabic] {
        whole(&STYLES[..7], script, &[12, 30], 1);
    }
}
