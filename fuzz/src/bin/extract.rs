//! Checks with random input that any pages can be learned from, that every method can extract any page, and that the
//! same page always gives the same document.
#![no_main]

use std::sync::{Arc, LazyLock};

use goldminer_core::address::Domain;
use goldminer_core::extract::{Algorithm, Extractor, SourcePage};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::published::PublishedLearner;
use goldminer_core::page::Page;
use goldminer_lab::boilerpipe::DecisionTree;
use goldminer_lab::ncleaner::{Model, Parameters, Trainer};
use goldminer_lab::onion::{Onion, OnionConfig};
use goldminer_lab::{AllText, Boilerpipe, Bte, TreeFilter};
use libfuzzer_sys::fuzz_target;

fn model() -> Arc<Model> {
    let mut trainer = Trainer::new(Parameters::standard());
    trainer.add_clean("The council met on Monday to discuss what the new bridge would cost the town.");
    trainer.add_raw("Home | Sport | Culture | Log in | 3 comments | Share");
    Arc::new(trainer.train())
}

fuzz_target!(|bytes: &[u8]| {
    static MODEL: LazyLock<Arc<Model>> = LazyLock::new(model);
    let domain = Domain::named("portal.example");
    let mut learner = Learner::of(domain.clone());
    let mut published = PublishedLearner::new(domain.clone());
    for page in bytes.split(|byte| *byte == 0).take(8) {
        let page = Page::parse(String::from_utf8_lossy(page).into_owned());
        learner.add_page(&page, None);
        published.add(&page);
    }
    let source = SourcePage { path: Some("page"), ..SourcePage::new(bytes, &domain) };
    let boilerpipe = Boilerpipe { classifier: DecisionTree::TextDensity, ..Boilerpipe::default() };
    let methods = [
        (Algorithm::Goldminer, learner.learn().ok()),
        (Algorithm::Goldminer2013, published.learn()),
        (Algorithm::Fallback, None),
        (Algorithm::Justext(Box::default()), None),
        (Algorithm::Other(Arc::new(AllText)), None),
        (Algorithm::Other(Arc::new(Bte)), None),
        (Algorithm::Other(Arc::new(boilerpipe)), None),
        (Algorithm::Other(Arc::new(TreeFilter::default())), None),
        (Algorithm::Other(MODEL.clone()), None),
    ];
    let mut onion = Onion::new(OnionConfig::default());
    for (algorithm, profile) in methods {
        let extractor = Extractor::default().with_algorithm(algorithm);
        let first = extractor.extract(&source, profile.as_ref());
        if let Ok(document) = &first {
            assert!(!document.paragraphs.is_empty());
            let texts: Vec<&str> = document.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
            assert_eq!(onion.keep(&texts).len(), texts.len());
        }
        assert_eq!(first, extractor.extract(&source, profile.as_ref()));
    }
});
