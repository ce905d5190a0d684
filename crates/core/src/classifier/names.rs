//! What class names, ids, roles and properties say of an element: the web's own words, in some twenty-odd categories. They
//! are a prior for the model, which weighs them by data; never a rule about a site.

use std::sync::LazyLock;

use goldminer_html::comment_names::names_comments;
use goldminer_html::name_words::for_each_word;
use goldminer_html::phrases::Phrases;
use goldminer_html::{Element, Marks, Tag};
use rustc_hash::FxHashMap;

/// Categories that are none of an element that holds the page's text: comments stand behind it, and it is seen.
pub(super) const DENIED: Categories = 1 << COMMENTS | 1 << HIDDEN;

/// Categories as bits.
pub(super) type Categories = u32;

/// A category with whole words and parts of words that name it.
struct Category {
    name: &'static str,
    words: &'static str,
    parts: &'static str,
}

/// The number of categories.
pub(super) const CATEGORIES: usize = VOCABULARY.len();
/// Of comments, which have a vocabulary of their own.
const COMMENTS: usize = 2;
/// Of hidden elements, which attributes tell as well.
const HIDDEN: usize = 16;

/// The words, of which a name has them as they are; the parts, which stand anywhere in it.
const VOCABULARY: [Category; 32] = [
    Category {
        name: "content",
        words: "content contents main post posts article articles entry story text page body single detail news blog \
                topic center middle primary inhalt artikel contenido conteudo contenu cikk tartalom",
        parts: "",
    },
    Category {
        name: "article body",
        words: "prose richtext markdown wysiwyg storytext bodycopy bodytext hentry",
        parts: "articlebody article-body article_body articlecontent article-content article_content articletext \
                article-text article_text postcontent post-content post_content postbody post-body post_body \
                entry-content entry_content entrycontent storybody story-body story_body storycontent story-content \
                story_content rich-text body-copy body-text field-name-body field--name-body maincontent main-content \
                main_content content-body contentbody articledetail article__body articlepage newstext news-text \
                single-content page-content blog-content blogcontent",
    },
    Category {
        name: "comments",
        words: "respond reply replies forum forums yorum yorumlar reactie reacties pingback trackback disqus commenter",
        parts: "hozzaszol livefyre guestbook otzyv pinglun talkback diskus diskuz discuss feedback leserstimme \
                leserbrief",
    },
    Category {
        name: "related",
        words: "similar also teaser teasers recirculation readmore upnext picks verwandt podobne ajanlo ajanlok \
                kapcsolodo",
        parts: "related recommend relevant read-next readnext read-more readmore read_more alsolike also-like \
                suggested relacionad similaires mehr-zum morefrom more-from youmay you-may mostread most-read \
                outbrain taboola",
    },
    Category {
        name: "navigation",
        words: "nav navi navbar menu menus topnav subnav mainnav topbar tabs tab pager paging pagination page-numbers \
                prev next previous skip jump sitemap menuitem submenu megamenu offcanvas",
        parts: "navigation breadcrumb pagination dropdown",
    },
    Category {
        name: "share",
        words: "share sharing shares sharedaddy like likes tweet twitter facebook fb addthis addtoany bookmark \
                bookmarks print email mail follow tools toolbar actions action instagram pinterest whatsapp buttons",
        parts: "social share-",
    },
    Category {
        name: "footer",
        words: "foot bottom copyright legal disclaimer imprint impressum colophon terms privacy contentinfo lablec",
        parts: "footer",
    },
    Category {
        name: "sidebar",
        words: "side aside rail sidecolumn rightcol leftcol right left secondary complementary widget widgets column2 \
                sidebox rightbar leftbar rand randspalte marginalspalte gadget module modules portlet",
        parts: "sidebar widget-area right-col left-col rightcolumn leftcolumn",
    },
    Category {
        name: "caption",
        words: "caption captions credit credits figcaption photo photos image images img picture legend bildunterschrift \
                kep kepalairas foto fotos",
        parts: "caption",
    },
    Category {
        name: "byline",
        words: "byline author authors by reporter writer contributor dateline source autor szerzo verfasser publisher \
                creator attribution posted",
        parts: "byline posted-by author-name",
    },
    Category {
        name: "author box",
        words: "bio about biography profile profiles avatar vcard",
        parts: "author-bio authorbio author-box authorbox about-author author-info author_info about-the-author \
                author-desc",
    },
    Category {
        name: "advertisement",
        words: "ad ads adv adsense adbox adslot advert adverts banner banners sponsor sponsors sponsored promo \
                promotion promoted dfp gpt werbung anzeige reklama reklam hirdetes pub commercial partner partners \
                affiliate",
        parts: "advert sponsor adsby ad-container ad-wrapper google-ad googlead",
    },
    Category {
        name: "form",
        words: "form forms search searchbox input field label contact rss survey poll polls vote \
                votes voting quiz searchform",
        parts: "search-form",
    },
    Category {
        name: "cookie notice",
        words: "gdpr consent notice notices cc-window alert alerts notification toast modal popup pop overlay dialog \
                lightbox",
        parts: "cookie popup onetrust optanon didomi usercentrics quantcast",
    },
    Category {
        name: "header",
        words: "head masthead top banner hero logo brand branding jumbotron intro-header kopf fejlec toolbar utility",
        parts: "header",
    },
    Category {
        name: "title",
        words: "title titles headline heading subtitle subhead subheading cim titel titre titulo kicker name",
        parts: "headline",
    },
    Category {
        name: "hidden",
        words: "hidden hide invisible sr only visuallyhidden offscreen collapse collapsed noprint hid none closed",
        parts: "screen-reader visually-hidden sr-only display-none displaynone",
    },
    Category {
        name: "tags",
        words: "tag tags tagcloud label labels keyword keywords category categories cat cats topics taxonomy \
                schlagwort cimke cimkek categoria section-name",
        parts: "tag-links taglist tag-list post-tags",
    },
    Category {
        name: "card",
        words: "card cards tile tiles item items box boxes block blocks grid carousel slider slide slides swiper feature \
                features featured panel kasten karte cell thumb thumbs thumbnail media collection preview summary excerpt row rows",
        parts: "carousel grid-item list-item",
    },
    Category {
        name: "list",
        words: "list lists listing listings feed stream river results result index table rows headlines stories loop \
                timeline liste lista",
        parts: "newslist news-list",
    },
    Category {
        name: "shop",
        words: "price prices cart product products buy shop checkout basket sku stock shipping review reviews rating \
                ratings star stars specs variant variants wishlist amazon offer offers deal deals coupon pricing",
        parts: "product add-to-cart woocommerce",
    },
    Category {
        name: "lead",
        words: "lead lede intro introduction standfirst summary abstract excerpt dek deck teasertext description \
                chapeau perex bevezeto vorspann",
        parts: "standfirst",
    },
    Category {
        name: "quote",
        words: "quote quotes blockquote pullquote pull callout highlight note tip info infobox factbox sidebar-text \
                testimonial testimonials",
        parts: "pullquote pull-quote",
    },
    Category {
        name: "questions",
        words: "faq faqs accordion question questions answer answers qa toggle",
        parts: "accordion",
    },
    Category {
        name: "table of contents",
        words: "toc contents tableofcontents outline jumplinks anchor anchors",
        parts: "table-of-contents table_of_contents ez-toc tocwidget",
    },
    Category {
        name: "code",
        words: "code pre syntax brush hljs prettyprint crayon gist codeblock console terminal snippet output language",
        parts: "highlight codehilite code-block sourcecode syntaxhighlight",
    },
    Category {
        name: "media",
        words: "video videos gallery galleries slideshow player audio podcast playlist embed youtube figure lightbox \
                galeria galerie",
        parts: "slideshow photogallery videoplayer",
    },
    Category {
        name: "date line",
        words: "date dates time timestamp datetime meta metadata published publish updated postmeta info infos datum \
                fecha hora posted byline views count counter reading readtime",
        parts: "entry-meta post-meta article-meta published pubdate read-time reading-time",
    },
    Category {
        name: "account",
        words: "login logout signin register account user users member members profile premium paywall subscriber \
                password join",
        parts: "paywall log-in sign-in",
    },
    Category {
        name: "more of the site",
        words: "more most popular trending further top latest recent hot archive archives promo promos mehr meist \
                neueste",
        parts: "",
    },
    Category {
        name: "subscription",
        words: "optin mailing nl subscribe",
        parts: "newsletter subscri sign-up signup mailchimp hirlevel boletin mailing-list",
    },
    Category {
        name: "who posted",
        words: "sig poster rank ranks usertitle postdetails userstats online reputation karma joined",
        parts: "signature postprofile post-profile userinfo user-info user_info userdetails user-details message-user \
                messageuser postuser post-user posterinfo poster-info",
    },
];

/// The names of the categories.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    VOCABULARY.iter().map(|category| category.name)
}

/// What the marks of an element say.
pub(super) fn categories(marks: &Marks<'_>) -> Categories {
    let mut found = 0;
    let names = [&marks.class, &marks.id, &marks.role, &marks.itemprop];
    for name in names.into_iter().filter_map(|name| name.as_deref()) {
        found |= PARTS.kinds_in(name);
        found |= if names_comments(name) { 1 << COMMENTS } else { 0 };
        for_each_word(name, |word| found |= WORDS.get(word).copied().unwrap_or(0));
    }
    found
}

/// What other attributes say of whether a reader sees it.
pub(super) fn hidden() -> Categories {
    1 << HIDDEN
}

/// The element holds the page, so that its names say nothing about parts of it.
pub(super) fn holds_the_page(element: &Element) -> bool {
    matches!(element.tag, Tag::Html | Tag::Body)
}

static WORDS: LazyLock<FxHashMap<&'static str, Categories>> = LazyLock::new(|| {
    let mut words: FxHashMap<&str, Categories> = FxHashMap::default();
    for (bit, category) in VOCABULARY.iter().enumerate() {
        for word in category.words.split_ascii_whitespace() {
            *words.entry(word).or_default() |= 1 << bit;
        }
    }
    words
});

static PARTS: LazyLock<Phrases> = LazyLock::new(|| {
    let of_category = |(bit, category): (usize, &'static Category)| {
        category.parts.split_ascii_whitespace().map(move |part| (part, 1 << bit))
    };
    Phrases::new(VOCABULARY.iter().enumerate().flat_map(of_category))
});

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn said(html: &str) -> Vec<&'static str> {
        let page = Page::parse(html.to_owned());
        let found = categories(&page.marks(page.ids().next().unwrap()));
        names().enumerate().filter(|(bit, _)| found >> bit & 1 == 1).map(|(_, name)| name).collect()
    }

    #[test]
    fn names_are_read_by_whole_words_and_by_parts() {
        assert_eq!(said("<div class='relatedPosts_2-top'>"), ["content", "related", "header", "more of the site"]);
        assert_eq!(said("<div id=kommentare>"), ["comments"]);
        assert_eq!(said("<div class='comment-piece category-opinion id_41c0ad97b2e'>"), ["tags"]);
        assert_eq!(said("<div class=shareholders>"), [""; 0]);
        assert_eq!(said("<section itemprop=articleBody>"), ["content", "article body"]);
    }

    #[test]
    fn categories_are_where_other_vocabularies_expect_them() {
        assert_eq!((VOCABULARY[HIDDEN].name, VOCABULARY[COMMENTS].name), ("hidden", "comments"));
    }
}
