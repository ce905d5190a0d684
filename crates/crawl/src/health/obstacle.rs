//! Recognises obstacles that hide the text of a portal: scripts that would have to run, or a wall (login, paywall,
//! consent, CAPTCHA). A few pages are examined for their structure and their visible text, never for names that one
//! vendor or site uses.
//!
//! Nothing is fetched or stored here. Only portals without a document are checked, so a portal with documents is
//! never reported.

use std::fmt;

use goldminer_core::extract::mentions_consent;
use goldminer_core::metadata::rights_of_page;
use goldminer_core::{Restriction, Rights};
use goldminer_fetch::shows_challenge;
use goldminer_html::{Page, Tag, Token, TokenKind};
use serde::{Deserialize, Serialize};

/// The fewest characters of running text (text in sentences) that an article has. Walls (such as a login) have fewer,
/// and so have pages that need scripts.
const ARTICLE_CHARS: usize = 400;
/// The most visible characters of a page whose text counts as loaded by a script.
const SCRIPTED_CHARS: usize = 600;
/// A page with this many links is a list, not a wall.
const MOST_LINKS: usize = 20;

/// An obstacle that hides the text of a portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// The pages ask whether the visitor is human.
    Captcha,
    /// The pages ask for a password.
    Login,
    /// The pages say that they must be paid for.
    Paywall,
    /// The pages ask for consent.
    ConsentWall,
    /// The pages contain scripts that load the text.
    Scripts,
}

/// An obstacle, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstructed {
    /// The kind of obstacle.
    pub by: Obstacle,
    /// Number of pages with it.
    pub pages: usize,
    /// Number of examined pages.
    pub looked_at: usize,
    /// Number of visible characters of these pages.
    pub text_chars: usize,
    /// The bytes of scripts and their data in these pages.
    pub script_bytes: usize,
}

impl fmt::Display for Obstructed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.by {
            Obstacle::Captcha => "it shows a CAPTCHA",
            Obstacle::Login => "it requires a login",
            Obstacle::Paywall => "its pages declare that they are not free",
            Obstacle::ConsentWall => "it shows a consent dialog instead of text",
            Obstacle::Scripts => "its text is made by scripts, which GoldMiner does not run",
        };
        let Self { pages, looked_at, text_chars, script_bytes, .. } = self;
        write!(f, "{what} (seen on {pages} of {looked_at} pages: {text_chars} characters of text in all")?;
        match self.by {
            Obstacle::Scripts => write!(f, ", {script_bytes} bytes of scripts, empty elements for them to fill)"),
            _ => write!(f, ")"),
        }
    }
}

/// Whether a page with this many links is thin (neither an article nor a list). Pages with an obstacle, such as a
/// login, are thin.
pub(crate) fn is_thin(page: &Page, links: usize) -> bool {
    links < MOST_LINKS && page.running_chars() < ARTICLE_CHARS
}

/// The facts of a page: the obstacles that it shows, and the size of its contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ObstacleFacts {
    shows: Vec<Obstacle>,
    text_chars: usize,
    script_bytes: usize,
}

impl ObstacleFacts {
    /// Examines a page. `gives_text` says whether an article was found in it nevertheless, for example in its data.
    pub(crate) fn of(page: &Page, gives_text: bool) -> Self {
        let (mut seen, mut text_chars) = (String::new(), 0);
        for paragraph in page.paragraphs() {
            text_chars += paragraph.chars as usize;
            // Walls are short, so their words are at the beginning.
            if seen.len() < 4 * ARTICLE_CHARS {
                seen.push_str(&paragraph.text);
                seen.push('\n');
            }
        }
        let tags = TagFacts::of(page);
        let is_thin = is_thin(page, tags.links);
        let is_scripted = !gives_text && text_chars < SCRIPTED_CHARS && tags.has_script && tags.has_empty_root;
        let mut shows = Vec::new();
        shows.extend((is_thin && tags.has_script && shows_challenge(page.text())).then_some(Obstacle::Captcha));
        shows.extend((is_thin && tags.asks_password).then_some(Obstacle::Login));
        shows.extend(Rights::of(rights_of_page(page)).restricts(Restriction::Paywall).then_some(Obstacle::Paywall));
        shows.extend((is_thin && tags.has_answer && mentions_consent(&seen)).then_some(Obstacle::ConsentWall));
        shows.extend((is_thin && is_scripted).then_some(Obstacle::Scripts));
        Self { shows, text_chars, script_bytes: tags.script_bytes }
    }
}

/// The facts of a page that can be read from its tags alone.
#[derive(Default)]
struct TagFacts {
    links: usize,
    script_bytes: usize,
    has_script: bool,
    has_empty_root: bool,
    asks_password: bool,
    /// Whether there is a button that answers a question.
    has_answer: bool,
}

impl TagFacts {
    fn of(page: &Page) -> Self {
        let html = page.text();
        let (mut facts, mut is_in_script, mut open_root) = (Self::default(), false, None);
        for token in page.tokens() {
            match token.kind {
                TokenKind::StartTag { tag, .. } => {
                    is_in_script = tag == Tag::Script;
                    facts.has_script |= is_in_script;
                    facts.links += usize::from(tag == Tag::A);
                    facts.asks_password |= tag == Tag::Input && says(&token, html, "type", "password");
                    facts.has_answer |= tag == Tag::Button || tag == Tag::Input && says(&token, html, "type", "submit");
                    let is_root = matches!(tag, Tag::Div | Tag::Main | Tag::Section)
                        && token.attributes(html).any(|attribute| attribute.is("id"));
                    open_root = is_root.then_some(tag);
                }
                TokenKind::EndTag { tag, .. } => {
                    facts.has_empty_root |= open_root == Some(tag);
                    (open_root, is_in_script) = (None, false);
                }
                TokenKind::Text if html[token.span.range()].trim().is_empty() => {}
                TokenKind::Text => open_root = None,
                TokenKind::RawText if is_in_script => facts.script_bytes += token.span.len(),
                _ => {}
            }
        }
        facts
    }
}

fn says(token: &Token, html: &str, name: &str, value: &str) -> bool {
    token.attributes(html).any(|attribute| attribute.is(name) && attribute.raw_value.eq_ignore_ascii_case(value))
}

/// The obstacle on the pages of one portal, if four of five have the same.
pub(crate) fn obstacle(pages: &[ObstacleFacts]) -> Option<Obstructed> {
    let kinds =
        [Obstacle::Captcha, Obstacle::Login, Obstacle::Paywall, Obstacle::ConsentWall, Obstacle::Scripts].into_iter();
    kinds.map(|by| (by, pages.iter().filter(|page| page.shows.contains(&by)).collect::<Vec<_>>())).find_map(
        |(by, showing)| {
            (!showing.is_empty() && 5 * showing.len() >= 4 * pages.len()).then(|| Obstructed {
                by,
                pages: showing.len(),
                looked_at: pages.len(),
                text_chars: showing.iter().map(|page| page.text_chars).sum(),
                script_bytes: showing.iter().map(|page| page.script_bytes).sum(),
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obstacle_on(bodies: &[&str]) -> Option<Obstacle> {
        let facts: Vec<ObstacleFacts> =
            bodies.iter().map(|body| ObstacleFacts::of(&Page::parse((*body).to_owned()), false)).collect();
        obstacle(&facts).map(|obstructed| obstructed.by)
    }

    const STORY: &str = "<p>The council met on Monday and talked for hours about the bridge that was to be built over the river \
        before the winter came. Nobody could say who would pay for it, and so the meeting was put off again.</p>";

    #[test]
    fn each_obstacle_is_recognised_by_the_structure_of_its_pages() {
        let scripted = "<title>News</title><div id=x></div><script src=/m.js></script><script>var s={\"a\":1}</script>";
        let login =
            "<p>Please log in to read on.</p><form><input name=u><input type=password><button>Go</button></form>";
        let consent = "<p>We and our partners use cookies. Do you agree?</p><form><button>Accept</button></form>";
        let captcha = "<p>Are you human?</p><script>check()</script><div id=box></div>";
        let paid = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"isAccessibleForFree\":false}</script><p>Buy.";
        assert_eq!(obstacle_on(&[scripted, scripted]), Some(Obstacle::Scripts));
        assert_eq!(obstacle_on(&[login]), Some(Obstacle::Login));
        assert_eq!(obstacle_on(&[consent]), Some(Obstacle::ConsentWall));
        assert_eq!(obstacle_on(&[captcha]), Some(Obstacle::Captcha));
        assert_eq!(obstacle_on(&[paid]), Some(Obstacle::Paywall));
    }

    #[test]
    fn articles_and_lists_beside_logins_and_banners_are_no_obstacle() {
        let article = format!(
            "<div id=ad></div><script>load()</script><form><input type=password><button>Log in</button></form>\
             <p>We use cookies.</p>{STORY}{STORY}{STORY}<p>How a captcha works.</p>"
        );
        assert_eq!(obstacle_on(&[&article]), None);
        let list: String = (0..30).map(|n| format!("<li><a href=/{n}>Story {n}</a></li>")).collect();
        assert_eq!(obstacle_on(&[&format!("<div id=ad></div><script>load()</script><ul>{list}</ul>")]), None);
        assert_eq!(obstacle_on(&["<p>Nothing yet.", "<ul><li><a href=/>Home</a></ul>"]), None);
        assert_eq!(obstacle_on(&[]), None);
    }

    #[test]
    fn scripts_whose_data_contain_the_article_are_no_obstacle() {
        let page = Page::parse("<title>News</title><div id=x></div><script src=/m.js></script>".to_owned());
        assert!(ObstacleFacts::of(&page, false).shows.contains(&Obstacle::Scripts));
        assert!(!ObstacleFacts::of(&page, true).shows.contains(&Obstacle::Scripts));
    }

    #[test]
    fn one_wall_among_other_pages_is_no_obstacle_of_the_portal() {
        let login = "<form><input type=password></form>";
        assert_eq!(obstacle_on(&[login, "<p>a", "<p>b"]), None);
        assert_eq!(obstacle_on(&[login, login, login, login, "<p>b"]), Some(Obstacle::Login));
    }
}
