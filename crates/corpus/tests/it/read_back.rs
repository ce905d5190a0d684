//! Reads our HTML, and our Markdown by way of HTML, back to the paragraphs and objects of a document.

use goldminer_core::document::{
    CellSpan, DocumentParagraph, Item, ItemPart, Mark, MarkKind, Object, ObjectKind, ParagraphKind, Table,
};
use pulldown_cmark::{Options, Parser};
use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

pub(crate) type Tree = (Vec<DocumentParagraph>, Vec<Object>);

/// A cell of a table's grid: its text, its marks, and whether it is a header cell.
type GridCell = Option<(String, Vec<Mark>, bool)>;

pub(crate) fn markdown_to_html(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_TASKLISTS;
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, Parser::new_ext(markdown, options));
    html
}

pub(crate) fn read_html(html: &str) -> Tree {
    let mut reader = Reader::default();
    let html = Html::parse_fragment(html);
    reader.children(html.root_element());
    reader.flush();
    (reader.paragraphs, reader.objects)
}

#[derive(Default)]
struct Reader {
    paragraphs: Vec<DocumentParagraph>,
    objects: Vec<Object>,
    around: Vec<Around>,
    note: Option<String>,
    kind: Option<(ParagraphKind, Option<u8>)>,
    lists: u32,
    text: String,
    marks: Vec<Mark>,
    /// A picture at the beginning of the paragraph, with its credit.
    figure: Option<Object>,
    credit: Option<std::ops::Range<usize>>,
}

enum Around {
    Quote,
    List { ordered: bool, number: Option<u32> },
    Item { part: Option<ItemPart>, number: Option<i32>, continues: bool, checked: Option<bool> },
}

impl Reader {
    fn children(&mut self, element: ElementRef<'_>) {
        for child in element.children() {
            match child.value() {
                Node::Text(text) => self.push(text),
                Node::Element(_) => self.element(ElementRef::wrap(child).unwrap()),
                _ => {}
            }
        }
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            let is_space = matches!(c, ' ' | '\n' | '\t' | '\r');
            if !is_space {
                self.text.push(c);
            } else if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
    }

    fn length(&self) -> u32 {
        self.text.chars().count() as u32
    }

    fn element(&mut self, element: ElementRef<'_>) {
        let value = element.value();
        let class = value.attr("class").unwrap_or_default();
        match value.name() {
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "div" | "section" | "figcaption" => {
                self.block(element, class)
            }
            "blockquote" => {
                self.flush();
                self.around.push(Around::Quote);
                let (first, objects) = (self.paragraphs.len() as u32, self.objects.len());
                self.children(element);
                self.flush();
                self.around.pop();
                let begins = |object: &&mut Object| object.kind == ObjectKind::Embed && object.before == first;
                if let Some(embed) = self.objects.get_mut(objects).filter(begins) {
                    embed.quoted = (first..self.paragraphs.len() as u32).collect();
                }
            }
            "ul" | "ol" | "dl"
                if element
                    .parent()
                    .and_then(ElementRef::wrap)
                    .is_some_and(|parent| parent.value().attr("class") == Some("footnotes")) =>
            {
                for note in element.child_elements() {
                    self.within_note(note.value().attr("id").unwrap().strip_prefix("fn-").unwrap(), note);
                }
            }
            "ul" | "ol" | "dl" => self.list(element),
            "pre" => {
                self.flush();
                let text: String = element.text().collect();
                let mut code = DocumentParagraph::new(ParagraphKind::Code, text.strip_suffix('\n').unwrap_or(&text));
                let language = element.child_elements().next().and_then(|code| code.value().attr("class"));
                code.language = language.and_then(|class| class.strip_prefix("language-")).map(str::to_owned);
                self.add(code);
            }
            "table" => self.table(element),
            "figure" => self.figure(element),
            "hr" => {
                self.flush();
                self.objects.push(Object::new(ObjectKind::Rule, self.paragraphs.len() as u32));
            }
            "iframe" => {
                self.flush();
                let mut embed = Object::new(ObjectKind::Embed, self.paragraphs.len() as u32);
                embed.source = attribute(value, "src");
                embed.provider = attribute(value, "title");
                self.objects.push(embed);
            }
            "img" => {
                assert!(self.text.is_empty(), "a picture is inside text: {}", self.text);
                self.figure = Some(picture(value));
            }
            "br" if self.figure.is_some() && self.text.is_empty() => {}
            "br" => self.mark(MarkKind::LineBreak, None, |reader| reader.push(" ")),
            "input" => {
                if let Some(Around::Item { checked, .. }) = self.around.last_mut() {
                    *checked = Some(value.attr("checked").is_some());
                }
            }
            "math" => {
                let tex = value.attr("alttext").unwrap();
                self.formula(tex, value.attr("display") == Some("block"));
            }
            "span" if class.contains("math-inline") => self.formula(&element.text().collect::<String>(), false),
            "span" if class.contains("math-display") => self.formula(&element.text().collect::<String>(), true),
            "sup" if class == "footnote-definition-label" => {}
            "sup" if class.starts_with("footnote-ref") => {
                let link = element.child_elements().next().unwrap().value().attr("href").unwrap().to_owned();
                let label = link.trim_start_matches('#').trim_start_matches("fn-").to_owned();
                let text = label.clone();
                self.mark(MarkKind::NoteReference, Some(label), |reader| reader.push(&text));
            }
            "small" => {
                let start = self.text.len();
                self.children(element);
                self.credit = Some(start..self.text.len());
            }
            name => match style(name) {
                Some(kind) => {
                    let target = (kind == MarkKind::Link).then(|| value.attr("href").unwrap().to_owned());
                    self.mark(kind, target, |reader| reader.children(element));
                }
                None => self.children(element),
            },
        }
    }

    fn block(&mut self, element: ElementRef<'_>, class: &str) {
        self.flush();
        if class == "footnote-definition" {
            return self.within_note(element.value().attr("id").unwrap(), element);
        }
        let kind = match element.value().name() {
            "figcaption" => Some((ParagraphKind::Caption, None)),
            name => name
                .strip_prefix('h')
                .and_then(|level| level.parse().ok())
                .map(|level| (ParagraphKind::Heading, Some(level))),
        };
        let around = std::mem::replace(&mut self.kind, kind);
        self.children(element);
        self.flush();
        self.kind = around;
    }

    fn within_note(&mut self, label: &str, element: ElementRef<'_>) {
        self.flush();
        self.note = Some(label.to_owned());
        self.children(element);
        self.flush();
        self.note = None;
    }

    fn list(&mut self, element: ElementRef<'_>) {
        self.flush();
        let ordered = element.value().name() == "ol";
        self.around.push(Around::List { ordered, number: None });
        let mut next = number_of(element.value(), "start").unwrap_or(1);
        for item in element.child_elements() {
            let part = match item.value().name() {
                "dt" => Some(ItemPart::Term),
                "dd" => Some(ItemPart::Definition),
                _ => None,
            };
            next = number_of(item.value(), "value").unwrap_or(next);
            self.around.push(Around::Item { part, number: ordered.then_some(next), continues: false, checked: None });
            self.children(item);
            self.flush();
            self.around.pop();
            next += 1;
        }
        self.around.pop();
    }

    fn mark(&mut self, mark: MarkKind, target: Option<String>, inside: impl FnOnce(&mut Self)) {
        let (at, start) = (self.marks.len(), self.length());
        self.marks.push(Mark { start, end: start, mark, target });
        inside(self);
        self.marks[at].end = self.length();
    }

    fn formula(&mut self, tex: &str, is_block: bool) {
        if is_block {
            self.flush();
            self.add(DocumentParagraph::new(ParagraphKind::Formula, tex));
        } else {
            self.mark(MarkKind::Math, None, |reader| reader.text.push_str(tex));
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut marks = std::mem::take(&mut self.marks);
        let credit = self.credit.take();
        let text = text.trim_end_matches(' ');
        let length = text.chars().count() as u32;
        marks.iter_mut().for_each(|mark| mark.end = mark.end.min(length));
        marks.retain(|mark| mark.start < mark.end);
        let figure = self.figure.take();
        if let Some(mut figure) = figure.clone() {
            figure.before = self.paragraphs.len() as u32;
            figure.caption = Some(text.to_owned()).filter(|text| !text.is_empty());
            figure.credit = credit.map(|at| text[at.start..at.end.min(text.len())].to_owned());
            self.objects.push(figure);
        }
        if text.is_empty() {
            return;
        }
        let kind = match (self.kind, figure) {
            (_, Some(_)) => (ParagraphKind::Caption, None),
            (Some(kind), None) => kind,
            (None, None) => match self.around.last() {
                Some(Around::Quote) => (ParagraphKind::Quote, None),
                Some(_) => (ParagraphKind::ListItem, None),
                None => (ParagraphKind::Paragraph, None),
            },
        };
        let mut paragraph = DocumentParagraph::new(kind.0, text);
        (paragraph.level, paragraph.marks) = (kind.1, marks);
        self.add(paragraph);
    }

    fn add(&mut self, mut paragraph: DocumentParagraph) {
        let is_caption = paragraph.kind == ParagraphKind::Caption;
        let quotes = self.around.iter().filter(|around| matches!(around, Around::Quote)).count();
        let depth = self.around.iter().filter(|around| matches!(around, Around::List { .. })).count();
        if !is_caption {
            paragraph.note = self.note.clone();
            paragraph.quote = (quotes > 0).then_some(quotes as u8);
        }
        let (mut item, lists) = (Item::default(), &mut self.lists);
        for around in &mut self.around {
            match around {
                Around::List { ordered, number } => {
                    item.ordered = *ordered;
                    item.list = number.unwrap_or_default();
                }
                Around::Item { part, number, continues, checked } => {
                    (item.part, item.number, item.continues) = (*part, *number, *continues);
                    item.checked = *checked;
                    *continues |= !is_caption;
                }
                Around::Quote => {}
            }
        }
        if depth > 0 && !is_caption {
            let list = self.around.iter_mut().rev().find_map(|around| match around {
                Around::List { number, .. } => Some(number),
                _ => None,
            });
            item.list = *list.unwrap().get_or_insert_with(|| {
                *lists += 1;
                *lists - 1
            });
            item.depth = depth as u8;
            paragraph.item = Some(item);
        }
        self.paragraphs.push(paragraph);
    }

    fn figure(&mut self, element: ElementRef<'_>) {
        self.flush();
        let part = |name: &str| element.child_elements().find(|child| child.value().name() == name);
        if let Some(table) = part("table") {
            self.table(table);
            let at = self.paragraphs.len();
            self.block(part("figcaption").unwrap(), "");
            let caption = self.paragraphs[at].text.clone();
            self.paragraphs[at - 1].table.as_mut().unwrap().caption = Some(caption);
            return;
        }
        let before = self.paragraphs.len();
        let mut figure = part("img").map(|image| picture(image.value()));
        if let Some(caption) = part("figcaption") {
            let around = self.kind.replace((ParagraphKind::Caption, None));
            self.children(caption);
            let credit = self.credit.take();
            self.flush();
            self.kind = around;
            if let Some(figure) = &mut figure {
                let text = &self.paragraphs[before].text;
                figure.caption = Some(text.clone());
                figure.credit = credit.map(|at| text[at.start..at.end.min(text.len())].to_owned());
            }
        }
        if let Some(mut figure) = figure {
            figure.before = before as u32;
            self.objects.push(figure);
        }
    }

    fn table(&mut self, element: ElementRef<'_>) {
        self.flush();
        let mut table = Table::default();
        let mut rows: Vec<(bool, ElementRef<'_>)> = Vec::new();
        for part in element.child_elements() {
            match part.value().name() {
                "caption" => {
                    let around = self.kind.replace((ParagraphKind::Caption, None));
                    self.children(part);
                    self.flush();
                    self.kind = around;
                    table.caption = self.paragraphs.last().map(|caption| caption.text.clone());
                }
                name => rows.extend(part.child_elements().map(|row| (name == "thead", row))),
            }
        }
        let is_empty = |row: &ElementRef<'_>| row.text().all(|text| text.trim_ascii().is_empty());
        if rows.len() > 1 && rows[0].0 && is_empty(&rows[0].1) {
            rows.remove(0);
        }
        table.head_rows = rows.iter().filter(|(is_head, _)| *is_head).count() as u32;
        // For each cell: its text, its marks, and whether it is a header cell.
        let mut grid: Vec<Vec<GridCell>> = vec![Vec::new(); rows.len()];
        for (at, (_, row)) in rows.iter().enumerate() {
            let mut column = 0;
            for cell in row.child_elements() {
                while grid[at].get(column).is_some_and(Option::is_some) {
                    column += 1;
                }
                self.children(cell);
                let (text, mut marks) = (std::mem::take(&mut self.text), std::mem::take(&mut self.marks));
                let text = text.trim_end_matches(' ').to_owned();
                let length = text.chars().count() as u32;
                marks.iter_mut().for_each(|mark| mark.end = mark.end.min(length));
                marks.retain(|mark| mark.start < mark.end);
                let span = |name| number_of(cell.value(), name).unwrap_or(1) as u32;
                let (down, right) = (span("rowspan"), span("colspan"));
                let is_head = cell.value().name() == "th";
                for row in &mut grid[at..at + down as usize] {
                    let width = row.len().max(column + right as usize);
                    row.resize(width, None);
                    row[column..column + right as usize].fill(Some((String::new(), Vec::new(), is_head)));
                }
                grid[at][column] = Some((text, marks, is_head));
                if down * right > 1 {
                    table.spans.push(CellSpan { row: at as u32, column: column as u32, rows: down, columns: right });
                }
            }
        }
        let heads =
            |row: &Vec<GridCell>| row.iter().take_while(|cell| cell.as_ref().is_some_and(|cell| cell.2)).count();
        table.head_columns = grid[table.head_rows as usize..].iter().map(heads).min().unwrap_or(0) as u32;
        let (mut text, mut marks) = (String::new(), Vec::new());
        for (at, row) in grid.into_iter().enumerate() {
            text.push_str(if at > 0 { "\n" } else { "" });
            for (at, cell) in row.into_iter().enumerate() {
                text.push_str(if at > 0 { "\t" } else { "" });
                let (inside, of_cell, _) = cell.unwrap_or_default();
                let start = text.chars().count() as u32;
                marks.extend(of_cell.into_iter().map(|mark| Mark {
                    start: mark.start + start,
                    end: mark.end + start,
                    ..mark
                }));
                text.push_str(&inside);
            }
        }
        let mut paragraph = DocumentParagraph::new(ParagraphKind::Table, text);
        (paragraph.table, paragraph.marks) = (Some(table), marks);
        self.add(paragraph);
    }
}

fn style(name: &str) -> Option<MarkKind> {
    Some(match name {
        "a" => MarkKind::Link,
        "em" => MarkKind::Emphasis,
        "strong" => MarkKind::Strong,
        "code" => MarkKind::Code,
        "sub" => MarkKind::Sub,
        "sup" => MarkKind::Sup,
        "del" => MarkKind::Deleted,
        _ => return None,
    })
}

fn picture(image: &Element) -> Object {
    let mut figure = Object::new(ObjectKind::Figure, 0);
    (figure.source, figure.alt) = (attribute(image, "src"), attribute(image, "alt"));
    figure
}

fn attribute(element: &Element, name: &str) -> Option<String> {
    element.attr(name).filter(|value| !value.is_empty()).map(str::to_owned)
}

fn number_of(element: &Element, name: &str) -> Option<i32> {
    element.attr(name).and_then(|number| number.parse().ok())
}
