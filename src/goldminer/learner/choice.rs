//! Choice: which candidates become templates. The one with the highest mean estimated F over the pages wins; then again
//! over the pages where it does not match.

use super::candidates::Candidate;
use super::labels::Labels;

/// How many templates a domain may have.
const MAX_TEMPLATES: usize = 4;
/// A further template must reach this mean over the pages that are left.
const MIN_MEAN: f64 = 0.1;
/// Taken off candidates that hold single paragraphs: on a small sample they may win by chance.
const LEAF_PENALTY: f64 = 0.05;

/// A chosen candidate.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// Its index.
    pub candidate: usize,
    /// The pages that it was chosen for and matches.
    pub pages: Vec<usize>,
    /// The mean estimated F over these.
    pub fitness: f64,
}

/// Chooses templates, the best first.
pub(super) fn choose(candidates: &[Candidate], labels: &[Labels]) -> Vec<Chosen> {
    let scores: Vec<Vec<(usize, f64)>> = candidates.iter().map(|candidate| scores(candidate, labels)).collect();
    let mut is_left: Vec<bool> = labels.iter().map(|labels| labels.all_wanted() > 0).collect();
    let least_pages = (is_left.iter().filter(|left| **left).count() / 10).clamp(1, 2);
    let mut chosen = Vec::new();
    while chosen.len() < MAX_TEMPLATES {
        let left = is_left.iter().filter(|left| **left).count();
        let mean = |at: &usize| {
            let scores = scores[*at].iter().filter(|(page, _)| is_left[*page]);
            let (pages, sum) = scores.fold((0, 0.0), |(pages, sum), (_, f)| (pages + 1, sum + f));
            let penalty = if candidates[*at].is_leaf { LEAF_PENALTY } else { 0.0 };
            (pages >= least_pages).then(|| (1000.0 * (sum / left.max(1) as f64 - penalty)).round() as i64)
        };
        let means = (0..candidates.len()).filter_map(|at| Some((mean(&at)?, at)));
        let best = means
            .max_by_key(|(mean, at)| (*mean, std::cmp::Reverse((candidates[*at].text.len(), &candidates[*at].text))));
        let Some((_, candidate)) = best.filter(|(mean, _)| *mean >= (1000.0 * MIN_MEAN) as i64) else { break };
        let matched: Vec<(usize, f64)> = scores[candidate].iter().copied().filter(|(page, _)| is_left[*page]).collect();
        let fitness = matched.iter().map(|(_, f)| f).sum::<f64>() / matched.len() as f64;
        let pages: Vec<usize> = matched.iter().map(|(page, _)| *page).collect();
        pages.iter().for_each(|page| is_left[*page] = false);
        chosen.push(Chosen { candidate, pages, fitness });
    }
    chosen
}

/// The estimated F on each page where the candidate matches.
fn scores(candidate: &Candidate, labels: &[Labels]) -> Vec<(usize, f64)> {
    candidate
        .by_page()
        .map(|(page, places)| (page, labels[page].estimated_f(places.iter().map(|place| &place.blocks))))
        .collect()
}
