//! The picture of a comparison: a bar of F for each row, with precision and recall marked on it. One SVG file that
//! needs nothing else.

use std::fmt::Write as _;

use super::table::{ScoreRow, Table};

/// Sizes in pixels.
const NAME_WIDTH: f64 = 170.0;
const BAR_WIDTH: f64 = 520.0;
const ROW_HEIGHT: f64 = 26.0;
const TOP: f64 = 64.0;

/// Draws the table.
pub(crate) fn svg(table: &Table) -> String {
    let (width, height) = (NAME_WIDTH + BAR_WIDTH + 70.0, TOP + ROW_HEIGHT * table.rows.len() as f64 + 34.0);
    let lowest = lowest(table);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"22\" font-weight=\"bold\">{}: {} pages</text>\n\
         <text x=\"12\" y=\"42\" fill=\"#555\">bar: F; ◂ precision, ▸ recall (micro, in percent)</text>\n",
        escaped(&table.field),
        table.pages
    );
    let bottom = TOP + ROW_HEIGHT * table.rows.len() as f64;
    for percent in (lowest as u32..=100).step_by(10) {
        let x = place(f64::from(percent) / 100.0, lowest);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{percent}</text>",
            TOP - 8.0,
            bottom + 18.0
        );
    }
    for (number, row) in table.rows.iter().enumerate() {
        svg.push_str(&bar(row, TOP + ROW_HEIGHT * number as f64, lowest));
    }
    svg.push_str("</svg>\n");
    svg
}

fn bar(row: &ScoreRow, top: f64, lowest: f64) -> String {
    let measures = &row.all.micro;
    let (start, end, middle) = (place(lowest / 100.0, lowest), place(measures.f, lowest), top + ROW_HEIGHT / 2.0);
    let mark = |share: f64, sign: &str| {
        let x = place(share, lowest);
        format!("<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222\">{sign}</text>", middle + 4.5)
    };
    format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
         <rect x=\"{start:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#8fb4d8\"/>{}{}\
         <text x=\"{:.1}\" y=\"{:.1}\">{:.2}</text>\n",
        start - 8.0,
        middle + 4.5,
        escaped(&row.name),
        top + 4.0,
        end - start,
        ROW_HEIGHT - 8.0,
        mark(measures.precision, "◂"),
        mark(measures.recall, "▸"),
        NAME_WIDTH + BAR_WIDTH + 12.0,
        middle + 4.5,
        100.0 * measures.f
    )
}

/// The lowest ten that all marks are above of, in percent: bars that begin at zero would hide the differences.
fn lowest(table: &Table) -> f64 {
    let shares = table.rows.iter().flat_map(|row| [row.all.micro.precision, row.all.micro.recall, row.all.micro.f]);
    (shares.fold(0.9, f64::min) * 10.0).floor() * 10.0
}

fn place(share: f64, lowest: f64) -> f64 {
    NAME_WIDTH + BAR_WIDTH * ((share * 100.0 - lowest) / (100.0 - lowest)).clamp(0.0, 1.0)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
