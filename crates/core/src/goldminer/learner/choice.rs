//! Chooses the candidates that become templates: the set that cuts all pages best together. A page is cut by the
//! matching template with the highest fitness. A candidate around several layouts therefore cuts only pages that no
//! other template cuts better. F is the F-score of a cut, estimated from the silver labels (automatic estimates of the
//! wanted text, see `labels`).

use super::super::thresholds::FEW_PAGES;
use super::candidates::{Candidate, Match};
use super::labels::Labels;

/// The most templates of a domain, not counting those for which better templates leave no pages.
const MAX_TEMPLATES: usize = 6;
/// A further template must have at least this mean F-score over the pages that no template cuts yet. Otherwise it must
/// reach both `MIN_RISE` and `MIN_GAIN`.
const MIN_MEAN: f64 = 0.1;
/// A further template is also chosen if it raises the mean F-score of the pages that it takes from other templates by
/// this much, and the mean of all pages by `MIN_GAIN`.
const MIN_RISE: f64 = 0.12;
/// A further template that takes pages from other templates must raise the mean F-score of all pages by at least this
/// much.
const MIN_GAIN: f64 = 0.02;
/// The penalty for candidates (possible templates) whose elements hold single paragraphs, because they may win by
/// chance on a small sample.
const LEAF_PENALTY: f64 = 0.05;
/// The penalty for candidates with tag sequences. A pattern for an element that cuts the sample equally well is more
/// likely to fit further pages.
const TAGS_PENALTY: f64 = 0.02;
/// The penalty for a candidate that matches all pages that are not articles. If it matches only a share of these pages,
/// it gets the same share of the penalty.
const OTHERS_PENALTY: f64 = 0.02;
/// A candidate that matches at least this share of the pages that are not articles may be the frame of all pages.
const WIDE: f64 = 0.5;
/// Wide candidates are replaced by others that match at most this part of the share that the widest one matches.
const NARROW: f64 = 0.5;
/// The most templates that the replacement may add. Otherwise each page could get its own.
const MAX_MORE: usize = 2;
/// The most that the replacement may lower the mean F-score, after penalties are subtracted. The F-score itself then
/// falls by at most 0.03, because the penalties differ by at most 0.02. A difference as small as this may be chance.
const MAX_LOSS: f64 = 0.01;
/// The fewest pages that a tag sequence must cut: on single pages, some tags are in the right place by chance.
const MIN_TAG_PAGES: usize = 3;
/// A chosen candidate is exchanged for one that raises the mean F-score of all pages by at least this many thousandths.
const MIN_EXCHANGE: i64 = 5;
/// The most exchanges. More than two are hardly ever needed.
const MAX_EXCHANGES: usize = 8;

/// A chosen candidate.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// The index of the candidate.
    pub candidate: usize,
    /// The pages of the sample that the candidate cuts, as indexes.
    pub pages: Vec<usize>,
    /// The mean estimated F on these pages.
    pub fitness: f64,
}

/// Chooses the templates, and returns them in the order in which they are tried on a page.
/// `others` is the number of pages that are not articles.
pub(super) fn choose(candidates: &[Candidate], labels: &[Labels], others: usize) -> Vec<Chosen> {
    let with_text = labels.iter().filter(|labels| labels.all_wanted() > 0).count();
    let scored = candidates.iter().map(|candidate| Scored::of(candidate, labels)).collect();
    let mut choice = Choice { candidates, scored, pages: labels.len(), with_text, max_on_others: 1.0 };
    let mut chosen = choice.choose();
    let widest = chosen.iter().map(|at| candidates[*at].others_share).fold(0.0, f64::max);
    if widest >= WIDE && others >= FEW_PAGES {
        choice.max_on_others = widest * NARROW;
        let narrow = choice.choose();
        if narrow.len() <= chosen.len() + MAX_MORE && choice.mean(&narrow) >= choice.mean(&chosen) - MAX_LOSS {
            chosen = narrow;
        }
    }
    let assigned = choice.assign(chosen.iter().copied());
    // Each page went to its fittest template, so templates are tried in the order of fitness.
    chosen.sort_by(|a, b| choice.scored[*b].fitness.total_cmp(&choice.scored[*a].fitness).then(a.cmp(b)));
    let mut chosen: Vec<Chosen> = chosen.into_iter().filter_map(|candidate| collect(candidate, &assigned)).collect();
    // If better candidates leave only a page or two to a candidate, it matched by chance.
    chosen.retain(|chosen| chosen.pages.len() >= choice.least_pages(chosen.candidate));
    chosen
}

struct Choice<'s> {
    candidates: &'s [Candidate],
    scored: Vec<Scored>,
    pages: usize,
    /// The number of pages with text that a cut should give.
    with_text: usize,
    /// Candidates that match a larger share of the pages that are not articles are not chosen.
    max_on_others: f64,
}

impl Choice<'_> {
    /// Chooses candidates one by one, and then corrects the choice.
    fn choose(&self) -> Vec<usize> {
        let mut assigned = self.assign([]);
        let mut chosen: Vec<usize> = Vec::new();
        while in_use(&assigned, &chosen) < MAX_TEMPLATES {
            let is_enough = |gain: Gain, left| gain.is_enough(left, self.with_text);
            let Some((_, best)) = self.best(&chosen, &assigned, is_enough) else { break };
            self.scored[best].assign(best, &mut assigned);
            chosen.push(best);
        }
        self.exchange(&mut chosen);
        self.prune(&mut chosen);
        chosen
    }

    /// The mean F-score of these candidates over all pages with text, less their penalties.
    fn mean(&self, chosen: &[usize]) -> f64 {
        let assigned = self.assign(chosen.iter().copied());
        let score = |assigned: &Assigned| assigned.score - penalty(&self.candidates[assigned.candidate]);
        assigned.iter().flatten().map(score).sum::<f64>() / self.with_text.max(1) as f64
    }

    /// Returns, for each page, which of these candidates cuts it.
    fn assign(&self, chosen: impl IntoIterator<Item = usize>) -> Vec<Option<Assigned>> {
        let mut assigned = vec![None; self.pages];
        chosen.into_iter().for_each(|candidate| self.scored[candidate].assign(candidate, &mut assigned));
        assigned
    }

    /// Like [`Self::assign`], without the candidate at index `slot`.
    fn assign_without(&self, slot: usize, chosen: &[usize]) -> Vec<Option<Assigned>> {
        self.assign(chosen.iter().copied().filter(|other| *other != chosen[slot]))
    }

    /// The number of pages with text that no candidate cuts.
    fn left(&self, assigned: &[Option<Assigned>]) -> usize {
        self.with_text - assigned.iter().flatten().count()
    }

    /// The fewest pages that a candidate must cut.
    fn least_pages(&self, candidate: usize) -> usize {
        let (candidate, least) = (&self.candidates[candidate], (self.with_text / 10).clamp(1, 2));
        match candidate.element() {
            None => least.max(MIN_TAG_PAGES),
            Some(_) if candidate.is_leaf => least.max(self.with_text.div_ceil(3).min(2)),
            Some(_) => least,
        }
    }

    /// The gain from a further candidate, if the others leave `left` pages uncut. None if it cuts fewer than `least`
    /// pages.
    fn gain(&self, candidate: usize, assigned: &[Option<Assigned>], left: usize, least: usize) -> Option<Gain> {
        let (gain, penalty) = (self.scored[candidate].gain(assigned, least)?, penalty(&self.candidates[candidate]));
        let on_left = gain.on_left - penalty * left as f64;
        Some(Gain { on_left, on_taken: gain.on_taken - penalty * gain.taken as f64, ..gain })
    }

    /// Returns a gain in thousandths of F, as a mean over all pages with text.
    fn thousandths(&self, gain: Gain) -> i64 {
        (1000.0 * gain.total() / self.with_text as f64).round() as i64
    }

    /// The unchosen candidate with the largest gain, in thousandths, if `is_worth_it` accepts it. Of equal gains, the
    /// candidate with the shorter text is taken.
    fn best(
        &self,
        chosen: &[usize],
        assigned: &[Option<Assigned>],
        is_worth_it: impl Fn(Gain, usize) -> bool,
    ) -> Option<(i64, usize)> {
        let left = self.left(assigned);
        let is_narrow = |at: &usize| self.candidates[*at].others_share <= self.max_on_others;
        let others = (0..self.candidates.len()).filter(|at| !chosen.contains(at) && is_narrow(at));
        let gains = others.filter_map(|at| {
            let gain = self.gain(at, assigned, left, self.least_pages(at)).filter(|gain| is_worth_it(*gain, left))?;
            Some((self.thousandths(gain), at))
        });
        let written = |at: usize| (self.candidates[at].text().len(), self.candidates[at].text());
        gains.max_by(|(a, at_a), (b, at_b)| a.cmp(b).then_with(|| written(*at_b).cmp(&written(*at_a))))
    }

    /// Replaces candidates that were chosen early. Candidates that were chosen later took pages from them, and for the
    /// pages that they still cut, other candidates may be better.
    fn exchange(&self, chosen: &mut [usize]) {
        for _ in 0..MAX_EXCHANGES {
            let best_for = |slot: usize| {
                let assigned = self.assign_without(slot, chosen);
                let now = self.gain(chosen[slot], &assigned, self.left(&assigned), self.least_pages(chosen[slot]));
                let (then, at) = self.best(chosen, &assigned, |_, _| true)?;
                Some((then - now.map_or(0, |gain| self.thousandths(gain)), slot, at))
            };
            let best = (0..chosen.len()).filter_map(best_for).max_by_key(|(rise, ..)| *rise);
            let Some((_, slot, at)) = best.filter(|(rise, ..)| *rise >= MIN_EXCHANGE) else { return };
            chosen[slot] = at;
        }
    }

    /// Removes candidates that are no longer worth a template.
    fn prune(&self, chosen: &mut Vec<usize>) {
        while chosen.len() > 1 {
            let needless = (0..chosen.len()).filter_map(|slot| {
                let assigned = self.assign_without(slot, chosen);
                let left = self.left(&assigned);
                let gain = self.gain(chosen[slot], &assigned, left, 1);
                let is_needless = gain.is_none_or(|gain| !gain.is_enough(left, self.with_text));
                is_needless.then(|| (gain.map_or(0.0, Gain::total), slot))
            });
            let Some((_, slot)) = needless.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
            chosen.remove(slot);
        }
    }
}

/// Returns, for each page, the estimated F that the chosen candidates reach.
pub(super) fn reached(chosen: &[Chosen], candidates: &[Candidate], labels: &[Labels]) -> Vec<f64> {
    let mut reached = vec![0.0; labels.len()];
    for chosen in chosen {
        let its_own = candidates[chosen.candidate].by_page().filter(|(page, _)| chosen.pages.contains(page));
        for (page, places) in its_own {
            reached[page] = labels[page].estimated_f(places.iter().map(|place| &place.blocks));
        }
    }
    reached
}

/// The penalty that is subtracted from a candidate's estimated F on each page.
fn penalty(candidate: &Candidate) -> f64 {
    let own = match candidate.element() {
        None => TAGS_PENALTY,
        Some(_) if candidate.is_leaf => LEAF_PENALTY,
        Some(_) => 0.0,
    };
    own + OTHERS_PENALTY * candidate.others_share
}

/// A candidate with its estimated F on each page where it matches and that has wanted text.
struct Scored {
    by_page: Vec<(usize, f64)>,
    /// The mean of the estimated F over these pages.
    fitness: f64,
}

/// The chosen candidate that cuts a page, and how well it does.
#[derive(Debug, Clone, Copy)]
struct Assigned {
    candidate: usize,
    fitness: f64,
    /// The estimated F on this page.
    score: f64,
}

/// What a candidate would add to the F, summed over pages.
#[derive(Debug, Clone, Copy)]
struct Gain {
    /// The gain on pages that no chosen candidate cuts yet.
    on_left: f64,
    /// The gain on pages that it would take from chosen candidates.
    on_taken: f64,
    /// The number of pages that it would take.
    taken: usize,
}

impl Gain {
    /// Whether the gain is worth a template, if `left` pages are not cut yet and `with_text` pages have text to learn
    /// from.
    fn is_enough(self, left: usize, with_text: usize) -> bool {
        self.on_left >= MIN_MEAN * left.max(1) as f64
            || (self.on_taken >= MIN_GAIN * with_text as f64 && self.on_taken >= MIN_RISE * self.taken as f64)
    }

    fn total(self) -> f64 {
        self.on_left + self.on_taken
    }
}

impl Scored {
    fn of(candidate: &Candidate, labels: &[Labels]) -> Self {
        let f = |page: usize, places: &[Match]| labels[page].estimated_f(places.iter().map(|place| &place.blocks));
        let with_text = candidate.by_page().filter(|(page, _)| labels[*page].all_wanted() > 0);
        let by_page: Vec<(usize, f64)> = with_text.map(|(page, places)| (page, f(page, places))).collect();
        let fitness = by_page.iter().map(|(_, f)| f).sum::<f64>() / by_page.len().max(1) as f64;
        Self { by_page, fitness }
    }

    /// Whether the candidate would cut the page if it were chosen.
    fn wins(&self, assigned: Option<&Assigned>) -> bool {
        assigned.is_none_or(|assigned| assigned.fitness < self.fitness)
    }

    /// The gain from the candidate; None if it would cut too few pages.
    fn gain(&self, assigned: &[Option<Assigned>], least_pages: usize) -> Option<Gain> {
        let mut gain = Gain { on_left: 0.0, on_taken: 0.0, taken: 0 };
        let mut pages = 0;
        for (page, score) in &self.by_page {
            let now = assigned[*page].as_ref();
            if !self.wins(now) {
                continue;
            }
            pages += 1;
            match now {
                None => gain.on_left += score,
                Some(now) => {
                    gain.on_taken += score - now.score;
                    gain.taken += 1;
                }
            }
        }
        (pages >= least_pages).then_some(gain)
    }

    fn assign(&self, candidate: usize, assigned: &mut [Option<Assigned>]) {
        for (page, score) in &self.by_page {
            if self.wins(assigned[*page].as_ref()) {
                assigned[*page] = Some(Assigned { candidate, fitness: self.fitness, score: *score });
            }
        }
    }
}

/// Returns how many of the chosen candidates cut a page.
fn in_use(assigned: &[Option<Assigned>], chosen: &[usize]) -> usize {
    let is_assigned = |candidate: &&usize| assigned.iter().flatten().any(|assigned| assigned.candidate == **candidate);
    chosen.iter().filter(is_assigned).count()
}

fn collect(candidate: usize, assigned: &[Option<Assigned>]) -> Option<Chosen> {
    let its_own = assigned.iter().enumerate().filter_map(|(page, assigned)| Some((page, assigned.as_ref()?)));
    let its_own = its_own.filter(|(_, assigned)| assigned.candidate == candidate);
    let (pages, scores): (Vec<usize>, Vec<f64>) = its_own.map(|(page, assigned)| (page, assigned.score)).unzip();
    let fitness = scores.iter().sum::<f64>() / scores.len() as f64;
    (!pages.is_empty()).then_some(Chosen { candidate, pages, fitness })
}
