//! Finds the figures, embeds and rules (`hr`) that belong to the article. They stand within its text, in an element
//! whose text is mostly kept.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag, Tokens};

use super::embeds;
use super::pictures::{self, folded};
use super::reader::Reader;
use super::table::cell_text;
use crate::document::{Object, ObjectKind};
use crate::goldminer::sums::Sums;

/// The most elements around an image or a caption that are checked.
const MAX_AROUND: usize = 5;
/// The most levels between a caption and a paragraph in it.
pub(super) const MAX_IN_CAPTION: usize = 6;
/// If a box around a figure drops most of its text, has at most this many characters and at most half of them in links,
/// the next larger box decides.
const FEW_CHARS: u32 = 160;
/// The most elements in a box with a picture and its caption.
const MAX_ELEMENTS: usize = 400;
/// The most figures, embeds and rules of a page.
const MAX_OBJECTS: usize = 1 << 14;
/// A label before a credit has fewer words than this.
const MAX_LABEL_WORDS: usize = 3;
/// Names of elements with the credit of a picture.
const CREDITS: [&str; 6] = ["credit", "copyright", "photographer", "attribution", "byline", "source"];
/// Beginnings of credit lines that are not marked by an element.
const CREDIT_LINES: [&str; 14] = [
    "Photo:",
    "Photos:",
    "Photo by",
    "Photograph:",
    "Photo credit:",
    "Image:",
    "Image credit:",
    "Credit:",
    "Picture:",
    "Foto:",
    "Fotó:",
    "Bild:",
    "Crédit photo",
    "©",
];

/// A figure, embed or rule on the page.
pub(super) struct Figure {
    pub(super) start: u32,
    pub(super) element: ElementId,
    pub(super) object: Object,
    /// The URL of the picture's file, leaving out files for special sizes (`srcset`). Copies of a picture are
    /// recognised by it.
    file: Option<String>,
    /// The caption, if it has text.
    pub(super) caption: Option<ElementId>,
}

/// Decides which objects belong to the text.
struct Finder<'r, 'p> {
    reader: &'r Reader<'p>,
    /// Running sums of the characters of all paragraphs, and of those in links.
    all: Sums,
    links: Sums,
    /// The byte range from the headline to the last kept text.
    text: Range<u32>,
    /// The innermost element with all of the kept text.
    core: Option<ElementId>,
}

/// The objects that belong to the text, in page order.
pub(super) fn find(reader: &Reader<'_>, kept: &[usize], headline: Option<usize>) -> Vec<Figure> {
    let page = reader.page;
    let is_object = |tag: Tag| {
        matches!(
            tag,
            Tag::Img | Tag::Iframe | Tag::Video | Tag::Audio | Tag::Hr | Tag::Blockquote | Tag::Div | Tag::Other
        )
    };
    let mut text = kept.iter().filter(|at| headline != Some(**at)).map(|at| &page.paragraphs()[*at]);
    let Some(first) = text.next() else { return Vec::new() };
    let last = text.next_back().unwrap_or(first);
    let headline = headline.map(|at| page.paragraphs()[at].span.start).filter(|start| *start < first.span.start);
    let common = first.element.and_then(|first| {
        page.ancestors_and_self(first).find(|id| last.element.is_some_and(|last| page.is_within(last, *id)))
    });
    let core = common.filter(|id| !matches!(page.element(*id).tag, Tag::Body | Tag::Html));
    let all = Sums::of(page.paragraphs().iter().map(|paragraph| paragraph.chars));
    let links = Sums::of(page.paragraphs().iter().map(|paragraph| paragraph.link_chars));
    let text = headline.unwrap_or(first.span.start)..last.span.end;
    let finder = Finder { reader, all, links, text, core };
    let mut figures: Vec<Figure> = Vec::new();
    for id in page.ids().filter(|id| is_object(page.element(*id).tag)) {
        if figures.len() >= MAX_OBJECTS {
            break;
        }
        let Some(figure) = finder.figure(id) else { continue };
        match figures.last_mut() {
            // Pages repeat a picture for browsers without scripts. The copy may name fewer files.
            Some(last)
                if last.object.source.is_some() && last.object.source == figure.object.source
                    || last.file.is_some() && last.file == figure.file =>
            {
                if last.file == last.object.source {
                    last.object.source = figure.object.source;
                }
                last.object.alt = last.object.alt.take().or(figure.object.alt);
                last.object.caption = last.object.caption.take().or(figure.object.caption);
                last.object.credit = last.object.credit.take().or(figure.object.credit);
                last.caption = last.caption.take().or(figure.caption);
            }
            // A single caption below several pictures belongs to the last one.
            Some(last) if last.caption.is_some() && last.caption == figure.caption => {
                last.caption = None;
                (last.object.caption, last.object.credit) = (None, None);
                figures.push(figure);
            }
            _ => figures.push(figure),
        }
    }
    figures
}

impl Finder<'_, '_> {
    fn figure(&self, id: ElementId) -> Option<Figure> {
        let page = self.reader.page;
        let element = page.element(id);
        let start = element.start;
        let has_text = |caption: &ElementId| !page.paragraphs_in(*caption).is_empty();
        let is_near = self.text.contains(&start) || self.core.is_some_and(|core| page.is_within(id, core));
        if !is_near {
            return None;
        }
        match element.tag {
            Tag::Hr => {
                let is_rule = self.text.contains(&start) && self.belongs(id, None);
                let names_notes = |id| page.marks_values(id).any(|value| value.contains("footnote"));
                let is_of_notes = page.ancestors_and_self(id).take(2).any(names_notes);
                (is_rule && !is_of_notes).then(|| self.object(id, ObjectKind::Rule))
            }
            Tag::Img => {
                if page.formula_at(start).is_some() {
                    return None;
                }
                let picture = pictures::of(page, id, &self.reader.targets)?;
                let caption = caption_of(page, id).filter(has_text);
                let inside = caption.map(|caption| page.paragraphs_in(caption));
                // A picture above the text must have a caption; otherwise it is decoration.
                let is_inside = self.core.is_none_or(|core| page.is_within(id, core));
                if inside.is_none() && !is_inside || !self.belongs(id, inside.as_ref()) {
                    return None;
                }
                let mut figure = self.object(id, ObjectKind::Figure);
                (figure.object.source, figure.file) = (Some(picture.source), Some(picture.file));
                figure.object.alt = picture.alt;
                if let (Some(caption), Some(inside)) = (caption, inside) {
                    let text = cell_text(self.reader, inside).text;
                    figure.object.credit = credit(page, caption, &text);
                    figure.object.caption = Some(text).filter(|text| !text.is_empty());
                    figure.caption = Some(caption);
                }
                Some(figure)
            }
            Tag::Blockquote | Tag::Div => {
                let (address, provider) = embeds::post(page, id, &self.reader.targets)?;
                let inside = page.paragraphs_in(id);
                let is_kept = self.reader.kept.within(&inside) > 0 || self.belongs(id, Some(&inside));
                let caption = self.reader.figcaption(id).filter(has_text);
                is_kept.then(|| Figure { caption, ..self.embed(id, address, Some(provider)) })
            }
            _ => {
                let (address, provider) = embeds::media(page, id, &self.reader.targets)?;
                let caption = self.reader.figcaption(id).filter(has_text).or_else(|| self.caption_in_box(id));
                let inside = caption.map(|caption| page.paragraphs_in(caption));
                let belongs = self.belongs(id, inside.as_ref());
                belongs.then(|| Figure { caption, ..self.embed(id, Some(address), provider) })
            }
        }
    }

    /// The caption below a frame, video or recording: the only paragraph of the box around both.
    fn caption_in_box(&self, id: ElementId) -> Option<ElementId> {
        let page = self.reader.page;
        let around =
            page.ancestors_and_self(id).skip(1).take(MAX_AROUND).take_while(|around| Some(*around) != self.core);
        let held = around.map(|around| page.paragraphs_in(around)).find(|held| !held.is_empty())?;
        let kept = &self.reader.kept;
        let paragraph = &page.paragraphs()[held.start];
        let is_caption = held.len() == 1
            && paragraph.span.start > page.element(id).start
            && paragraph.chars <= FEW_CHARS
            && paragraph.heading.is_none()
            // Dropped text below a frame is mostly a label or a notice.
            && kept.within(&held) > 0
            && 2 * kept.within(&held) < kept.all();
        paragraph.element.filter(|_| is_caption)
    }

    fn object(&self, element: ElementId, kind: ObjectKind) -> Figure {
        let start = self.reader.page.element(element).start;
        Figure { start, element, object: Object::new(kind, 0), file: None, caption: None }
    }

    fn embed(&self, element: ElementId, source: Option<String>, provider: Option<&str>) -> Figure {
        let mut embed = self.object(element, ObjectKind::Embed);
        (embed.object.source, embed.object.provider) = (source, provider.map(str::to_owned));
        embed
    }

    /// Whether the box around an object (a figure, embed or rule) is kept. `own` is the object's own text, for example
    /// its caption, which does not count.
    fn belongs(&self, id: ElementId, own: Option<&Range<usize>>) -> bool {
        let page = self.reader.page;
        for around in page.ancestors_and_self(id).skip(1) {
            if Some(around) == self.core {
                return true;
            }
            let tag = page.element(around).tag;
            if matches!(tag, Tag::Nav | Tag::Aside | Tag::Footer)
                && self.reader.kept.within(&page.paragraphs_in(around)) == 0
            {
                return false;
            }
            if let Some(is_kept) = self.holds_text(around, own) {
                return is_kept;
            }
        }
        self.text.contains(&page.element(id).start)
    }

    /// Whether an element keeps half of its text, or holds half of all kept text. None if neither, and its text is short
    /// and mostly unlinked.
    fn holds_text(&self, id: ElementId, own: Option<&Range<usize>>) -> Option<bool> {
        let page = self.reader.page;
        let inside = page.paragraphs_in(id);
        let of = |sums: &Sums| {
            let own = own.filter(|own| inside.start <= own.start && own.end <= inside.end);
            sums.within(&inside) - own.map_or(0, |own| sums.within(own))
        };
        let (all, kept) = (of(&self.all), of(&self.reader.kept));
        match () {
            () if kept > 0 && (2 * kept >= all || 2 * self.reader.kept.within(&inside) >= self.reader.kept.all()) => {
                Some(true)
            }
            () if all <= FEW_CHARS && 2 * of(&self.links) <= all => None,
            () => Some(false),
        }
    }
}

/// The caption element around an element, if there is one: the `figcaption`, or the outermost element named as a
/// caption.
pub(crate) fn caption_around(page: &Page, element: ElementId) -> Option<ElementId> {
    let around = page.ancestors_and_self(element).take(MAX_IN_CAPTION).filter(|id| names_caption(page, *id));
    around.reduce(|inner, outer| if page.element(inner).tag == Tag::Figcaption { inner } else { outer })
}

fn names_caption(page: &Page, id: ElementId) -> bool {
    let element = page.element(id);
    let is_name = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.ends_with("caption") || name.ends_with("caption-text") || name.ends_with("caption__text")
    };
    match element.tag {
        Tag::Figcaption => true,
        Tag::P | Tag::Div | Tag::Span | Tag::Dd | Tag::Small | Tag::Em | Tag::Figure => {
            element.is_marked
                && page.raw_class(id).is_some_and(|class| {
                    class.contains("aption")
                        && class.split_ascii_whitespace().any(|name| is_name(name) && name != "wp-caption")
                })
        }
        _ => false,
    }
}

/// Whether a caption belongs to a picture or a table in a figure, not to a quote or a listing.
pub(super) fn is_of_picture(page: &Page, caption: ElementId) -> bool {
    let own = page.paragraphs_in(caption).len();
    let shows = |tag: Tag| {
        matches!(tag, Tag::Img | Tag::Video | Tag::Iframe | Tag::Svg | Tag::Canvas | Tag::Picture | Tag::Object)
    };
    for around in page.ancestors_and_self(caption).skip(1).take(MAX_AROUND) {
        if matches!(page.element(around).tag, Tag::Body | Tag::Article | Tag::Main)
            || page.ids_in(around).nth(MAX_ELEMENTS).is_some()
        {
            return false;
        }
        let is_figure = page.element(around).tag == Tag::Figure;
        let mut holds_picture = false;
        for id in page.ids_in(around) {
            let tag = page.element(id).tag;
            if matches!(tag, Tag::Blockquote | Tag::Pre) {
                return false;
            }
            holds_picture |= shows(tag) || tag == Tag::Table && is_figure;
        }
        if holds_picture {
            // A box with a caption has little other text.
            return is_figure || page.paragraphs_in(around).len() <= own + 2;
        }
    }
    false
}

fn caption_of(page: &Page, image: ElementId) -> Option<ElementId> {
    let is_figure = |id: &ElementId| page.element(*id).tag == Tag::Figure;
    for (at, around) in page.ancestors_and_self(image).skip(1).take(MAX_AROUND).enumerate() {
        let element = page.element(around);
        let is_in_figure = || page.ancestors_and_self(around).skip(1).take(MAX_AROUND - at).any(|id| is_figure(&id));
        if matches!(element.tag, Tag::Body | Tag::Main | Tag::Section | Tag::Table)
            || element.tag == Tag::Article && !is_in_figure()
            || page.paragraphs_in(around).len() > 6
            || page.ids_in(around).nth(MAX_ELEMENTS).is_some()
        {
            return None;
        }
        let mut captions = page.ids_in(around).filter(|id| names_caption(page, *id));
        // Each figure in a gallery may have its own.
        let caption = captions.find(|id| page.ancestors_and_self(*id).find(is_figure).is_none_or(|own| own <= around));
        if caption.is_some() {
            return caption.filter(|caption| is_of_picture(page, *caption));
        }
        if element.tag == Tag::Figure && !is_in_figure() {
            return None;
        }
    }
    None
}

/// The credit of a picture: from an element in the caption, else from a line of the caption's text.
fn credit(page: &Page, caption: ElementId, text: &str) -> Option<String> {
    let names = |id: &ElementId| {
        page.marks_values(*id).any(|value| {
            let value = value.to_ascii_lowercase();
            CREDITS.iter().any(|name| value.contains(name))
        })
    };
    let credit = page.ids_in(caption).filter(|id| page.element(*id).is_marked).find(names);
    let credit = credit.map(|id| {
        let source = page.inner_source(id);
        folded(&Tokens::new(source).map(|token| token.text(source).into_owned()).collect::<String>())
    });
    let line = || {
        let at = CREDIT_LINES.iter().filter_map(|begin| text.rfind(begin)).max()?;
        Some(text[at..].trim_matches(['(', ')', '[', ']', ' ']).to_owned())
            .filter(|credit| credit.chars().count() <= 120)
    };
    // The first words may be a hidden label, which is not in the caption's text.
    let shown = credit.as_deref().and_then(|rest| {
        let mut ends = std::iter::successors(Some(rest), |rest| Some(rest.split_once(' ')?.1)).take(MAX_LABEL_WORDS);
        ends.find(|end| !end.is_empty() && text.contains(end))
    });
    shown.map(str::to_owned).or_else(line)
}
