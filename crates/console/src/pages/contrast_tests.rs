//! Tests the contrast of all colour combinations in the style sheet, light and dark (WCAG 2.2, 1.4.3 and 1.4.11).

use std::collections::BTreeMap;

use super::frame::STYLE;

/// The luminances of a scheme's colours, by name.
type Colours = BTreeMap<String, f64>;

/// The background colours.
const AROUND: [&str; 2] = ["paper", "card"];
/// The colours of texts on paper and cards.
const TEXTS: [&str; 8] = ["ink", "muted", "kept", "repeated", "boilerplate", "other", "doubtful", "edge"];

/// The luminance of each colour: [light, dark]. Colours that the dark scheme does not set are those of the light one.
fn schemes(sheet: &str) -> [Colours; 2] {
    let mut light = Colours::new();
    let mut dark = Colours::new();
    for part in sheet.split("--").skip(1) {
        let Some((name, rest)) = part.split_once(": #") else { continue };
        let Some(value) = rest.get(..6).filter(|value| value.bytes().all(|byte| byte.is_ascii_hexdigit())) else {
            continue;
        };
        let light_of = |at: usize| {
            let part = f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let luminance = 0.2126 * light_of(0) + 0.7152 * light_of(2) + 0.0722 * light_of(4);
        // The first value of a colour is that of the light scheme.
        let scheme = if light.contains_key(name) { &mut dark } else { &mut light };
        scheme.insert(name.to_owned(), luminance);
    }
    let mut all_dark = light.clone();
    all_dark.extend(dark);
    [light, all_dark]
}

fn ratio(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The name in `property:var(--name)`, with or without a blank.
fn colour_of<'r>(rule: &'r str, property: &str) -> Option<&'r str> {
    let mut declarations = rule.split(';').filter_map(|declaration| declaration.split_once(':'));
    let value = declarations.find(|(name, _)| name.trim() == property)?.1;
    value.trim().strip_prefix("var(--")?.split(')').next()
}

#[test]
fn every_colour_has_enough_contrast_in_both_schemes() {
    let sheet = STYLE;
    for (scheme, colours) in ["light", "dark"].into_iter().zip(schemes(sheet)) {
        let at_least = |least: f64, fore: &str, back: &str| {
            let (fore_light, back_light) = (colours[fore], colours[back]);
            let ratio = ratio(fore_light, back_light);
            assert!(ratio >= least, "{scheme}: {fore} on {back} is {ratio:.2}");
        };
        let mut pairs = 0;
        for rule in sheet.split('}').filter_map(|rule| rule.rsplit_once('{')) {
            let (fore, back) = (colour_of(rule.1, "color"), colour_of(rule.1, "background"));
            match (fore, back) {
                (Some(fore), Some(back)) => at_least(4.5, fore, back),
                // A text without a colour of its own is normal text, muted text or a link.
                (None, Some(back)) if back.ends_with("-soft") => {
                    ["ink", "muted", "edge"].into_iter().for_each(|fore| at_least(4.5, fore, back));
                }
                (Some(fore), None) => AROUND.iter().for_each(|back| at_least(4.5, fore, back)),
                _ => continue,
            }
            pairs += 1;
        }
        assert!(pairs > 30, "the sheet was not read: {pairs}");
        for back in AROUND {
            TEXTS.iter().for_each(|text| at_least(4.5, text, back));
            // The edges of form controls, and the outline of the focused element.
            at_least(3.0, "control", back);
            at_least(3.0, "edge", back);
        }
    }
}
