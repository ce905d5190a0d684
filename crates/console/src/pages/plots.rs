//! Bar charts as inline SVG, drawn by the crate plotters. The colours are placeholders that the style sheet replaces,
//! so that a chart suits light and dark mode.

use maud::{Markup, PreEscaped, html};
use plotters::coord::Shift;
use plotters::prelude::*;

/// The size of a plot: small, so that letters stay legible on a phone.
const SIZE: (u32, u32) = (480, 260);

/// Placeholder colours of labels and lines, which the style sheet replaces.
const INK: RGBColor = RGBColor(0x01, 0x01, 0x01);
const GRID: RGBColor = RGBColor(0x02, 0x02, 0x02);
/// Placeholder colours of the parts of a bar: good, neutral, warning, bad.
const FILLS: [RGBColor; 4] = [RGBColor(0x0A, 0, 0), RGBColor(0x0B, 0, 0), RGBColor(0x0C, 0, 0), RGBColor(0x0D, 0, 0)];

/// A bar chart. Each bar has four parts, from the bottom up in the colours good, neutral, warning, bad.
pub(crate) struct Bars<'a> {
    /// A description of the plot, for people who cannot see it.
    pub says: &'a str,
    /// The heights of the parts of each bar; zero for parts that the bar does not have.
    pub bars: &'a [[f64; 4]],
    /// Returns the label below a point of the horizontal axis. The point is given as the number of bars to its left.
    pub below: &'a dyn Fn(f64) -> String,
    /// The number of labels below the horizontal axis, approximately.
    pub labels: usize,
    /// Returns the label beside a height on the vertical axis.
    pub beside: &'a dyn Fn(f64) -> String,
}

/// The width of the widest digit of a label, in pixels.
const LETTER_WIDTH: usize = 9;

impl Bars<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            self.draw_on(&area).expect("nothing can fail when a plot is drawn into memory");
            area.present().expect("nothing can fail when a plot is drawn into memory");
        }
        html! { div.plot role="img" aria-label=(self.says) { (PreEscaped(svg)) } }
    }

    fn draw_on(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let top = self.bars.iter().map(|bar| bar.iter().sum::<f64>()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        // Half of the last label extends beyond the end of the axis.
        let last = (self.below)(self.bars.len() as f64).chars().count();
        let mut chart = ChartBuilder::on(area)
            .margin_top(10)
            .margin_right(12.max(LETTER_WIDTH * last / 2) as u32)
            .x_label_area_size(26)
            .y_label_area_size(58)
            .build_cartesian_2d(0.0..self.bars.len() as f64, 0.0..top * 1.05)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(("sans-serif", 13).into_font().color(&INK))
            .x_labels(self.labels)
            .y_labels(6)
            .x_label_formatter(&|place| (self.below)(*place))
            .y_label_formatter(&|height| (self.beside)(*height))
            .draw()?;
        for (at, bar) in self.bars.iter().enumerate() {
            let (left, right) = (at as f64 + 0.08, at as f64 + 0.92);
            let mut bottom = 0.0;
            for (height, fill) in bar.iter().zip(FILLS).filter(|(height, _)| **height > 0.0) {
                let part = Rectangle::new([(left, bottom), (right, bottom + height)], fill.filled());
                chart.draw_series(std::iter::once(part))?;
                bottom += height;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_bar_is_drawn_in_its_colour() {
        let bars = [[3.0, 0.0, 0.0, 1.0], [0.0; 4], [2.0, 1.0, 1.0, 0.0]];
        let plot = Bars {
            says: "answers",
            bars: &bars,
            below: &|place| format!("<{place}>"),
            labels: 3,
            beside: &|height| format!("{height}"),
        };
        let svg = plot.draw().into_string();
        for (fill, parts) in [("#0A0000", 2), ("#0B0000", 1), ("#0C0000", 1), ("#0D0000", 1)] {
            assert_eq!(svg.matches(&format!("fill=\"{fill}\"")).count(), parts, "{fill} in {svg}");
        }
        assert!(svg.contains("aria-label=\"answers\""));
        assert!(svg.contains("&lt;0&gt;"), "labels are escaped: {svg}");
    }

    #[test]
    fn the_last_label_is_inside_of_the_plot() {
        let below = |_: f64| "2026-11-27 08:14".to_owned();
        let plot = Bars { says: "", bars: &[[1.0; 4]; 3], below: &below, labels: 3, beside: &|_| String::new() };
        let svg = plot.draw().into_string();
        let labels = svg.split("<text ").filter(|text| text.contains("2026-11-27 08:14"));
        let at = |text: &str| text.split_once("x=\"")?.1.split_once('"')?.0.parse::<f64>().ok();
        let last = labels.filter_map(at).fold(0.0, f64::max);
        let half = (LETTER_WIDTH * "2026-11-27 08:14".len()) as f64 / 2.0;
        assert!(last > 0.0 && last + half <= f64::from(SIZE.0), "{last}: {svg}");
    }

    #[test]
    fn nothing_to_draw_is_no_error() {
        let plot =
            Bars { says: "nothing", bars: &[], below: &|_| String::new(), labels: 1, beside: &|_| String::new() };
        assert!(plot.draw().into_string().contains("<svg"));
    }
}
