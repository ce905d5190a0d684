//! Describes the differences between two versions of a profile.

use goldminer_core::DomainProfile;
use goldminer_core::goldminer::profile::Template;
use goldminer_corpus::figures::counted;

/// A difference: its sign (`-` removed, `+` added) and the rule.
pub type Line = (char, String);

/// The rules that only one of two versions has: those of the templates first.
///
/// ```
/// use goldminer_console::words::profile::differences;
/// use goldminer_core::DomainProfile;
///
/// let earlier = DomainProfile::from_toml("key = 'portal.example'\n[[template]]\nstart = 'div.story'\n")?;
/// let mut later = earlier.clone();
/// later.templates[0].drops.push("div.related".parse().unwrap());
/// assert_eq!(differences(&earlier, &later), [('+', "template div.story drops div.related".to_owned())]);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
pub fn differences(earlier: &DomainProfile, later: &DomainProfile) -> Vec<Line> {
    let (old, new) = (rules(earlier), rules(later));
    let gone = old.iter().filter(|rule| !new.contains(rule)).map(|rule| ('-', rule.clone()));
    let come = new.iter().filter(|rule| !old.contains(rule)).map(|rule| ('+', rule.clone()));
    let repeated = |sign, one: &DomainProfile, other: &DomainProfile| {
        let texts = one.repeated.iter().filter(|text| !other.repeated.contains(text)).count() as u64;
        (texts > 0).then(|| (sign, format!("{} to drop", counted(texts, "repeated text", "repeated texts"))))
    };
    let (gone, come) = (gone.chain(repeated('-', earlier, later)), come.chain(repeated('+', later, earlier)));
    gone.chain(come).collect()
}

/// The rules of a profile, one per line. Each line is complete without the others.
fn rules(profile: &DomainProfile) -> Vec<String> {
    let mut rules: Vec<String> = profile.templates.iter().enumerate().flat_map(of_template).collect();
    rules.extend(profile.language.iter().map(|language| format!("language {language}")));
    rules.extend(profile.teasers.iter().map(|title| format!("titles of teasers {title}")));
    if profile.is_small {
        rules.push("paragraphs that are mostly links are always dropped (learned from few pages)".to_owned());
    }
    rules.extend(profile.places.published.iter().map(|element| format!("date of publication, element {element}")));
    rules.extend(profile.places.authors.iter().map(|element| format!("authors, element {element}")));
    rules.extend(profile.places.day_first.map(|is_first| match is_first {
        true => "dates have the day before the month".to_owned(),
        false => "dates have the month before the day".to_owned(),
    }));
    rules.extend(profile.manual.in_words().iter().map(|rule| format!("manual rule {rule}")));
    rules
}

fn of_template((place, template): (usize, &Template)) -> Vec<String> {
    let name = format!("template {}", template.bounds());
    let mut rules = vec![format!(
        "{name}, number {place}, {:.0} % of the pages that the profile was learned from, fitness {:.3}{}",
        100.0 * template.share,
        template.fitness,
        if template.dated { ", requires a date" } else { "" }
    )];
    let elements = [("keeps lead", &template.leads), ("keeps part", &template.parts), ("drops", &template.drops)];
    for (verb, elements) in elements {
        rules.extend(elements.iter().map(|element| format!("{name} {verb} {element}")));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redesign_lists_removed_and_added_rules() {
        let [old, new] = [
            "[places]\npublished = ['div.date']\n[[template]]\nstart = 'div.story'\ndrops = ['div.promo', 'div.ad']\n",
            "is_small = true\n[manual]\ntitle = ['h2']\n[[template]]\nstart = 'article.new'\n\
             [[template]]\nstart = 'div.story'\ndrops = ['div.ad']\n",
        ]
        .map(|rules| DomainProfile::from_toml(&format!("key = 'portal.example'\n{rules}")).unwrap());
        let lines: Vec<String> = differences(&old, &new).iter().map(|(sign, rule)| format!("{sign} {rule}")).collect();
        for rule in [
            "- template div.story drops div.promo",
            "- date of publication, element div.date",
            "+ template article.new, number 0, ",
            "+ template div.story, number 1, ",
            "+ paragraphs that are mostly links are always dropped",
            "+ manual rule title: h2",
        ] {
            assert!(lines.iter().any(|line| line.starts_with(rule)), "{rule} is missing in {lines:?}");
        }
        assert!(!lines.iter().any(|line| line.contains("div.ad")) && differences(&new, &new).is_empty());
    }

    #[test]
    fn every_kind_of_rule_is_compared() {
        let [old, new] = [
            "repeated = ['0000000000000001']\n[[template]]\nstart = 'div'\nleads = ['p.a']\n",
            "repeated = ['0000000000000002']\n[places]\nauthors = ['p.by']\nday_first = true\n\
             [[template]]\nstart = 'div'\nparts = ['p.a']\n",
        ]
        .map(|rules| DomainProfile::from_toml(&format!("key = 'portal.example'\n{rules}")).unwrap());
        let lines: Vec<String> = differences(&old, &new).iter().map(|(sign, rule)| format!("{sign} {rule}")).collect();
        assert_eq!(
            lines,
            [
                "- template div keeps lead p.a",
                "- 1 repeated text to drop",
                "+ template div keeps part p.a",
                "+ authors, element p.by",
                "+ dates have the day before the month",
                "+ 1 repeated text to drop",
            ]
        );
    }
}
