//! A course over time as a line as small as a word.

use maud::{Markup, html};

const WIDTH: f64 = 100.0;
const HEIGHT: f64 = 24.0;

/// A line through the values, scaled so that `top` reaches the upper edge; missing values leave a gap. `says` is for
/// those who cannot see it.
pub(super) fn sparkline(values: &[Option<f64>], top: f64, says: &str) -> Markup {
    let stretches = stretches(values, top.max(f64::MIN_POSITIVE));
    html! {
        svg.spark viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(says) {
            title { (says) }
            @for stretch in &stretches {
                @let line = stretch.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ");
                @if let (Some((first, _)), Some((last, _))) = (stretch.first(), stretch.last()) {
                    polygon.area points={ (format!("{first:.1},{HEIGHT} ")) (line) (format!(" {last:.1},{HEIGHT}")) } {}
                    polyline.line points=(line) {}
                }
            }
        }
    }
}

/// Points of each stretch without a gap; a single value becomes a short line.
fn stretches(values: &[Option<f64>], top: f64) -> Vec<Vec<(f64, f64)>> {
    let step = WIDTH / (values.len().max(2) - 1) as f64;
    let mut stretches: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut is_open = false;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            is_open = false;
            continue;
        };
        let y = (HEIGHT - 1.0) - (value / top).clamp(0.0, 1.0) * (HEIGHT - 2.0);
        let x = if values.len() == 1 { 0.0 } else { at as f64 * step };
        match stretches.last_mut().filter(|_| is_open) {
            Some(stretch) => stretch.push((x, y)),
            None => stretches.push(vec![(x, y)]),
        }
        is_open = true;
    }
    for stretch in stretches.iter_mut().filter(|stretch| stretch.len() == 1) {
        let (x, y) = stretch[0];
        stretch.push((if values.len() == 1 { WIDTH } else { x + step / 2.0 }, y));
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_part_the_line_and_values_stay_inside() {
        let line = stretches(&[Some(0.0), Some(2.0), None, Some(f64::NAN), Some(0.5)], 1.0);
        assert_eq!(line.len(), 2);
        assert_eq!(line[0], [(0.0, 23.0), (25.0, 1.0)]);
        assert_eq!(stretches(&[Some(1.0)], 1.0), [vec![(0.0, 1.0), (100.0, 1.0)]]);
    }

    #[test]
    fn it_says_what_it_shows() {
        let svg = sparkline(&[Some(1.0)], 1.0, "coverage of \"a\"").into_string();
        assert!(svg.contains("aria-label=\"coverage of &quot;a&quot;\""), "{svg}");
    }
}
