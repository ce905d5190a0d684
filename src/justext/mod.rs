//! Stand-in until the real module is merged.
#![allow(missing_docs)]
use crate::page::Paragraph;
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Good,
    NearGood,
    Short,
    Bad,
}

#[derive(Debug, Clone)]
pub struct Stoplist {
    pub name: String,
    words: HashSet<String>,
    dense: bool,
    none: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Thresholds {
    pub length_low: f64,
    pub length_high: f64,
    pub stop_low: f64,
    pub stop_high: f64,
    pub links: f64,
    pub heading_distance: u32,
}
impl Default for Thresholds {
    fn default() -> Self {
        Self { length_low: 70., length_high: 200., stop_low: 0.3, stop_high: 0.32, links: 0.2, heading_distance: 200 }
    }
}

const ZH: &str = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里";
static CACHE: LazyLock<Mutex<FxHashMap<String, Arc<Stoplist>>>> = LazyLock::new(Default::default);

impl Stoplist {
    pub fn of_text(text: &str) -> Arc<Self> {
        let lang = whatlang::detect(text).map(|i| i.lang());
        let name = match lang {
            None => "none".to_owned(),
            Some(whatlang::Lang::Cmn | whatlang::Lang::Jpn) => "zh".to_owned(),
            Some(l) => l.eng_name().to_owned(),
        };
        let mut c = CACHE.lock().unwrap_or_else(|e| e.into_inner());
        c.entry(name.clone())
            .or_insert_with(|| {
                let words: HashSet<String> = if name == "zh" {
                    ZH.chars().map(String::from).collect()
                } else {
                    ::justext::get_stoplist(&name)
                        .map(|l| l.iter().map(|w| w.to_lowercase()).collect())
                        .unwrap_or_default()
                };
                let none = words.is_empty();
                Arc::new(Self { name: name.clone(), words, dense: name == "zh", none })
            })
            .clone()
    }
}
fn context_free(p: &Paragraph, s: &Stoplist, t: &Thresholds) -> Class {
    let dense = p
        .text
        .chars()
        .filter(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'))
        .count();
    let len = (p.chars as usize + 2 * dense) as f64;
    if p.link_density() > t.links || p.text.contains('©') {
        return Class::Bad;
    }
    if len < t.length_low {
        return if p.link_chars > 0 { Class::Bad } else { Class::Short };
    }
    let mut share = if s.dense {
        let mut n = 0;
        let mut k = 0;
        for c in p.text.chars().filter(|c| c.is_alphanumeric()) {
            n += 1;
            let mut b = [0; 4];
            k += usize::from(s.words.contains(&*c.encode_utf8(&mut b)));
        }
        k as f64 / f64::from(n.max(1)) * (0.32 / 0.09)
    } else {
        let mut n = 0;
        let mut k = 0;
        for w in p.text.split_whitespace() {
            n += 1;
            k += usize::from(s.words.contains(&w.to_lowercase()));
        }
        k as f64 / f64::from(n.max(1))
    };
    if s.none {
        share = 1.0
    }
    let low = if s.dense { 0.06 * 0.32 / 0.09 } else { t.stop_low };
    if share >= t.stop_high {
        if len > t.length_high { Class::Good } else { Class::NearGood }
    } else if share >= low {
        Class::NearGood
    } else {
        Class::Bad
    }
}
pub fn classify(ps: &[Paragraph], s: &Stoplist, t: &Thresholds) -> Vec<Class> {
    let init: Vec<Class> = ps.iter().map(|p| context_free(p, s, t)).collect();
    let mut c = init.clone();
    for i in 0..ps.len() {
        if ps[i].heading.is_some() && c[i] == Class::Short {
            let (mut j, mut d) = (i + 1, 0);
            while j < ps.len() && d <= t.heading_distance {
                if c[j] == Class::Good {
                    c[i] = Class::NearGood;
                    break;
                }
                d += ps[j].chars;
                j += 1;
            }
        }
    }
    let nb = |c: &[Class], i: usize, near: bool, up: bool| {
        let mut k = i as isize;
        loop {
            k += if up { 1 } else { -1 };
            if k < 0 || k as usize >= c.len() {
                return Class::Bad;
            }
            match c[k as usize] {
                Class::Short => {}
                Class::NearGood if near => {}
                x => return x,
            }
        }
    };
    let mut n = c.clone();
    for i in 0..ps.len() {
        if c[i] == Class::Short {
            let (p, q) = (nb(&c, i, true, false), nb(&c, i, true, true));
            n[i] = if p == Class::Good && q == Class::Good {
                Class::Good
            } else if p == Class::Bad && q == Class::Bad {
                Class::Bad
            } else if (p == Class::Bad && nb(&c, i, false, false) == Class::NearGood)
                || (q == Class::Bad && nb(&c, i, false, true) == Class::NearGood)
            {
                Class::Good
            } else {
                Class::Bad
            };
        }
    }
    c = n;
    for i in 0..ps.len() {
        if c[i] == Class::NearGood {
            c[i] = if nb(&c, i, true, false) == Class::Bad && nb(&c, i, true, true) == Class::Bad {
                Class::Bad
            } else {
                Class::Good
            }
        }
    }
    for i in 0..ps.len() {
        if ps[i].heading.is_some() && c[i] == Class::Bad && init[i] != Class::Bad {
            let (mut j, mut d) = (i + 1, 0);
            while j < ps.len() && d <= t.heading_distance {
                if c[j] == Class::Good {
                    c[i] = Class::Good;
                    break;
                }
                d += ps[j].chars;
                j += 1;
            }
        }
    }
    c
}
