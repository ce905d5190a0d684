//! Why a block was kept or cut. Reports show five kinds of reasons in colours: kept, boilerplate, repeated, other text
//! (comments), and doubtful.

use goldminer_core::goldminer::trim::ParagraphReason;
use goldminer_core::justext::Class;

use super::dissection::{Block, Dissection};

/// The fewest characters of a block that can be doubtful. The jusText class of a shorter text, such as a date or a
/// name, is random.
const MIN_DOUBT: u32 = 80;

/// Why a block was kept or cut, given the domain's other pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockReason {
    /// The block is in the document.
    Kept,
    /// The block was cut as boilerplate: jusText classes it so, it is too short to classify, or a rule of the
    /// profile excludes it.
    Boilerplate,
    /// Cut: the block is also on other pages.
    Repeated,
    /// Cut: the block is text, but not of the article, such as readers' comments.
    OtherText,
    /// Cut, although jusText classifies the block as good text and no other page has it.
    Doubtful,
}

impl BlockReason {
    /// All reasons: kept blocks first, then cut blocks, the most certain reason first.
    pub const ALL: [Self; 5] = [Self::Kept, Self::Boilerplate, Self::Repeated, Self::OtherText, Self::Doubtful];

    /// The reason for a block from its measures: why the extraction kept or cut it, whether jusText calls it good, its
    /// length, and on how many of the surveyed pages it is.
    pub fn of(reason: ParagraphReason, is_good: bool, chars: u32, pages_with: u32) -> Self {
        match () {
            () if reason.is_kept() => Self::Kept,
            () if pages_with > 1 => Self::Repeated,
            () if reason == ParagraphReason::Comment => Self::OtherText,
            () if is_good && chars >= MIN_DOUBT && reason != ParagraphReason::Excluded => Self::Doubtful,
            () => Self::Boilerplate,
        }
    }

    /// The reason for a block that is on `pages_with` of the surveyed pages.
    pub fn on(block: &Block, pages_with: u32) -> Self {
        Self::of(block.reason, block.class == Class::Good, block.chars, pages_with)
    }

    /// The name of the reason's class in the style sheet, which gives the colour.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Boilerplate => "boilerplate",
            Self::Repeated => "repeated",
            Self::OtherText => "other",
            Self::Doubtful => "doubtful",
        }
    }

    /// The reason in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Boilerplate => "cut: boilerplate",
            Self::Repeated => "cut: also on other pages",
            Self::OtherText => "cut: comments",
            Self::Doubtful => "cut, although it may be text of the article",
        }
    }
}

/// Why a block of a page is in the document or not, in words, as in `kept: the headline` or `cut: teaser for another
/// page`. Other pages are not taken into account.
pub fn reason_alone(page: &Dissection, block: &Block) -> String {
    match page.doubt.as_ref().filter(|_| !page.outcome.is_article()) {
        Some(doubt) => format!("cut: the page gives no text, because {doubt}"),
        None => reason(block, BlockReason::on(block, 1)).to_owned(),
    }
}

/// Why a block was kept or cut, in words.
pub(crate) fn reason(block: &Block, verdict: BlockReason) -> &'static str {
    match block.reason {
        ParagraphReason::Kept | ParagraphReason::Lead if block.is_headline => "kept: the headline",
        ParagraphReason::Kept => "kept",
        ParagraphReason::Lead => "kept: the lead, between headline and article",
        ParagraphReason::Excluded => "cut: a rule of the profile excludes it",
        ParagraphReason::Comment => "cut: readers' comments",
        ParagraphReason::Named => "cut: its tag, id or class means boilerplate",
        ParagraphReason::Learned => "cut: its element is mostly boilerplate on this portal",
        ParagraphReason::Repeated => "cut: repeated inside many articles",
        ParagraphReason::Teaser => "cut: teaser for another page",
        ParagraphReason::Links => "cut: mostly links, or a link to another page",
        ParagraphReason::Copy => "cut: repeated on the same page",
        ParagraphReason::OtherArticle => "cut: part of another article below this one",
        ParagraphReason::Credit => "cut: only author and date, which are in the metadata",
        ParagraphReason::Wall => "cut: asks readers to pay, or to continue elsewhere",
        ParagraphReason::Outside => match verdict {
            BlockReason::Doubtful => "cut: good text by jusText, but outside the article",
            BlockReason::Repeated => "cut: outside the article; also on other pages",
            _ => "cut: outside the article",
        },
    }
}

/// The name of a jusText class.
pub fn class(class: Class) -> &'static str {
    match class {
        Class::Good => "good",
        Class::NearGood => "near-good",
        Class::Short => "short",
        Class::Bad => "bad",
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! A profile and a page for tests.

    use goldminer_core::extract::SourcePage;
    use goldminer_core::goldminer::profile::DomainProfile;
    use goldminer_html::address::Domain;

    pub(crate) fn profile(start: &str) -> DomainProfile {
        let toml = format!(
            "key = 'portal.example'\nversion = 1\nlanguage = 'en'\nlearned_at = '2026-11-20T09:15:00Z'\n\
             program = 'goldminer/0.1.0'\n\
             [evidence]\npages = 120\ndistinct = 100\ntaught = 95\ncovered = 90\nfitness = 0.95\n\
             [[template]]\nstart = '{start}'\nmatches = 1\npages = 90\nshare = 0.9\nfitness = 0.97\n"
        );
        toml.parse().unwrap()
    }

    /// A page for tests, without a URL.
    pub(crate) fn article_source<'a>(html: &'a str, domain: &'a Domain) -> SourcePage<'a> {
        let source = SourcePage::new(html.as_bytes(), domain).with_content_type("text/html; charset=utf-8");
        SourcePage { path: Some("portal.example/page"), ..source }
    }
}
