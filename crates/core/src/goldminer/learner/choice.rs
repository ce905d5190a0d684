//! Chooses the candidates that become templates: the set that cuts all pages best together. A page is cut by the
//! matching template with the highest fitness. A wrapper around several layouts therefore serves only pages that no
//! other template serves better.

use super::candidates::Candidate;
use super::labels::Labels;

/// The most templates of a domain, without wrappers that end up with no pages.
const MAX_TEMPLATES: usize = 6;
/// A further template must have at least this mean F over the pages that no template serves yet, …
const MIN_MEAN: f64 = 0.1;
/// … or raise the mean F of the pages that it takes from other templates by this much, …
const MIN_RISE: f64 = 0.12;
/// … and the mean F of all pages by this much.
const MIN_GAIN: f64 = 0.02;
/// The penalty for candidates that hold single paragraphs: on a small sample they may win by chance.
const LEAF_PENALTY: f64 = 0.05;
/// The penalty for tags: an element that is equally good here is also good on other pages.
const TAGS_PENALTY: f64 = 0.02;
/// The penalty for a candidate that matches all pages that are not articles; it falls with the share of these pages.
const OTHERS_PENALTY: f64 = 0.02;
/// The fewest pages that a tag sequence must serve: on single pages, some tags are in the right place by chance.
const MIN_TAG_PAGES: usize = 3;
/// A chosen candidate is exchanged for one that raises the mean of all pages by at least this many thousandths.
const MIN_EXCHANGE: i64 = 5;
/// The most exchanges. More than two are hardly ever needed.
const MAX_EXCHANGES: usize = 8;

/// A chosen candidate.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// The index of the candidate.
    pub candidate: usize,
    /// The pages that it cuts.
    pub pages: Vec<usize>,
    /// The mean estimated F over these pages.
    pub fitness: f64,
}

/// Chooses templates, in the order in which they are tried on a page.
pub(super) fn choose(candidates: &[Candidate], labels: &[Labels]) -> Vec<Chosen> {
    let teaching = labels.iter().filter(|labels| labels.all_wanted() > 0).count();
    let scored = candidates.iter().map(|candidate| Scored::of(candidate, labels)).collect();
    let choice = Choice { candidates, scored, pages: labels.len(), teaching };
    let mut served = choice.serve([]);
    let mut chosen: Vec<usize> = Vec::new();
    while in_use(&served, &chosen) < MAX_TEMPLATES {
        let Some((_, best)) = choice.best(&chosen, &served, |gain, left| gain.is_enough(left, teaching)) else { break };
        choice.scored[best].serve(best, &mut served);
        chosen.push(best);
    }
    choice.exchange(&mut chosen);
    choice.prune(&mut chosen);
    let served = choice.serve(chosen.iter().copied());
    // Pages were given to templates by fitness, so templates are tried in this order.
    chosen.sort_by(|a, b| choice.scored[*b].fitness.total_cmp(&choice.scored[*a].fitness).then(a.cmp(b)));
    let mut chosen: Vec<Chosen> = chosen.into_iter().filter_map(|candidate| collect(candidate, &served)).collect();
    // A candidate to which better ones leave only a page or two matched by chance.
    chosen.retain(|chosen| chosen.pages.len() >= choice.least_pages(chosen.candidate));
    chosen
}

struct Choice<'s> {
    candidates: &'s [Candidate],
    scored: Vec<Scored>,
    pages: usize,
    /// The number of pages that teach.
    teaching: usize,
}

impl Choice<'_> {
    /// For each page, the one of these candidates that cuts it.
    fn serve(&self, chosen: impl IntoIterator<Item = usize>) -> Vec<Option<Served>> {
        let mut served = vec![None; self.pages];
        chosen.into_iter().for_each(|candidate| self.scored[candidate].serve(candidate, &mut served));
        served
    }

    /// Like [`Self::serve`], without the candidate in this slot.
    fn serve_without(&self, slot: usize, chosen: &[usize]) -> Vec<Option<Served>> {
        self.serve(chosen.iter().copied().filter(|other| *other != chosen[slot]))
    }

    /// The number of teaching pages that no candidate serves.
    fn left(&self, served: &[Option<Served>]) -> usize {
        self.teaching - served.iter().flatten().count()
    }

    fn least_pages(&self, candidate: usize) -> usize {
        least_pages(&self.candidates[candidate], self.teaching)
    }

    /// The gain from a further candidate, if the others leave `left` pages. It must cut at least `least` pages.
    fn gain(&self, candidate: usize, served: &[Option<Served>], left: usize, least: usize) -> Option<Gain> {
        let gain = self.scored[candidate].gain(served, least)?;
        Some(gain.penalised(penalty(&self.candidates[candidate]), left))
    }

    /// A gain in thousandths of the mean over all pages that teach.
    fn thousandths(&self, gain: Gain) -> i64 {
        (1000.0 * gain.total() / self.teaching as f64).round() as i64
    }

    /// The unchosen candidate with the largest gain, in thousandths, if `is_worth_it` accepts it. Of equal gains, the
    /// candidate with the shorter text is taken.
    fn best(
        &self,
        chosen: &[usize],
        served: &[Option<Served>],
        is_worth_it: impl Fn(Gain, usize) -> bool,
    ) -> Option<(i64, usize)> {
        let left = self.left(served);
        let others = (0..self.candidates.len()).filter(|at| !chosen.contains(at));
        let gains = others.filter_map(|at| {
            let gain = self.gain(at, served, left, self.least_pages(at)).filter(|gain| is_worth_it(*gain, left))?;
            Some((self.thousandths(gain), at))
        });
        let written = |at: usize| (self.candidates[at].text().len(), self.candidates[at].text());
        gains.max_by(|(a, at_a), (b, at_b)| a.cmp(b).then_with(|| written(*at_b).cmp(&written(*at_a))))
    }

    /// Replaces candidates that were chosen early by better ones for the pages that later candidates have left them.
    fn exchange(&self, chosen: &mut [usize]) {
        for _ in 0..MAX_EXCHANGES {
            let best_for = |slot: usize| {
                let served = self.serve_without(slot, chosen);
                let now = self.gain(chosen[slot], &served, self.left(&served), self.least_pages(chosen[slot]));
                let (then, at) = self.best(chosen, &served, |_, _| true)?;
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
                let served = self.serve_without(slot, chosen);
                let left = self.left(&served);
                let gain = self.gain(chosen[slot], &served, left, 1);
                let is_needless = gain.is_none_or(|gain| !gain.is_enough(left, self.teaching));
                is_needless.then(|| (gain.map_or(0.0, Gain::total), slot))
            });
            let Some((_, slot)) = needless.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
            chosen.remove(slot);
        }
    }
}

/// The estimated F that the chosen candidates reach on each page.
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

/// The fewest pages that a candidate must cut, if `teaching` pages teach.
fn least_pages(candidate: &Candidate, teaching: usize) -> usize {
    let least = (teaching / 10).clamp(1, 2);
    match candidate.element() {
        None => least.max(MIN_TAG_PAGES),
        Some(_) if candidate.is_leaf => least.max(teaching.div_ceil(3).min(2)),
        Some(_) => least,
    }
}

/// The penalty on a candidate's estimate.
fn penalty(candidate: &Candidate) -> f64 {
    let own = match candidate.element() {
        None => TAGS_PENALTY,
        Some(_) if candidate.is_leaf => LEAF_PENALTY,
        Some(_) => 0.0,
    };
    own + OTHERS_PENALTY * candidate.on_others
}

/// A candidate with the estimated F on each page where it matches and there is wanted text.
struct Scored {
    by_page: Vec<(usize, f64)>,
    /// The mean over these pages.
    fitness: f64,
}

/// The chosen candidate that cuts a page, and how well it does.
#[derive(Debug, Clone, Copy)]
struct Served {
    candidate: usize,
    fitness: f64,
    /// The estimated F on this page.
    score: f64,
}

/// What a candidate would add to the F, summed over pages.
#[derive(Debug, Clone, Copy)]
struct Gain {
    /// On pages that nothing serves yet.
    on_left: f64,
    /// On pages that it would take from others.
    on_taken: f64,
    /// The number of these pages.
    taken: usize,
}

impl Gain {
    /// Whether the gain is worth a template, if `left` pages are unserved and `teaching` pages teach.
    fn is_enough(self, left: usize, teaching: usize) -> bool {
        self.on_left >= MIN_MEAN * left.max(1) as f64
            || (self.on_taken >= MIN_GAIN * teaching as f64 && self.on_taken >= MIN_RISE * self.taken as f64)
    }

    fn total(self) -> f64 {
        self.on_left + self.on_taken
    }

    fn penalised(self, penalty: f64, left: usize) -> Self {
        let on_left = self.on_left - penalty * left as f64;
        Self { on_left, on_taken: self.on_taken - penalty * self.taken as f64, ..self }
    }
}

impl Scored {
    fn of(candidate: &Candidate, labels: &[Labels]) -> Self {
        let by_page: Vec<(usize, f64)> = candidate
            .by_page()
            .filter(|(page, _)| labels[*page].all_wanted() > 0)
            .map(|(page, places)| (page, labels[page].estimated_f(places.iter().map(|place| &place.blocks))))
            .collect();
        let fitness = by_page.iter().map(|(_, f)| f).sum::<f64>() / by_page.len().max(1) as f64;
        Self { by_page, fitness }
    }

    /// Whether the candidate would cut the page if it were chosen.
    fn wins(&self, served: Option<&Served>) -> bool {
        served.is_none_or(|served| served.fitness < self.fitness)
    }

    /// The gain from the candidate; none if it would serve too few pages.
    fn gain(&self, served: &[Option<Served>], least_pages: usize) -> Option<Gain> {
        let mut gain = Gain { on_left: 0.0, on_taken: 0.0, taken: 0 };
        let mut pages = 0;
        for (page, score) in &self.by_page {
            let now = served[*page].as_ref();
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

    fn serve(&self, candidate: usize, served: &mut [Option<Served>]) {
        for (page, score) in &self.by_page {
            if self.wins(served[*page].as_ref()) {
                served[*page] = Some(Served { candidate, fitness: self.fitness, score: *score });
            }
        }
    }
}

/// How many of the chosen candidates serve a page.
fn in_use(served: &[Option<Served>], chosen: &[usize]) -> usize {
    let serves = |candidate: &&usize| served.iter().flatten().any(|served| served.candidate == **candidate);
    chosen.iter().filter(serves).count()
}

fn collect(candidate: usize, served: &[Option<Served>]) -> Option<Chosen> {
    let scores: Vec<(usize, f64)> = served
        .iter()
        .enumerate()
        .filter_map(|(page, served)| Some((page, served.filter(|served| served.candidate == candidate)?.score)))
        .collect();
    if scores.is_empty() {
        return None;
    }
    let fitness = scores.iter().map(|(_, score)| score).sum::<f64>() / scores.len() as f64;
    Some(Chosen { candidate, pages: scores.into_iter().map(|(page, _)| page).collect(), fitness })
}
