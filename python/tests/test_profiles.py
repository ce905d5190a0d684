"""Learning and storing profiles, and extracting with them in threads and other processes."""

import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import goldminer
import pytest

TEXT = "It was in week {n} that the council met and asked what they thought of bridge {n}. "


def page(n):
    story = f"<p>{TEXT.format(n=n) * 3}</p>" * 3
    return f"<title>Week {n}</title><ul><li><a href=/>Home</a></ul><div class=story><h1>Week {n}</h1>{story}</div>"


PAGES = [(page(n), f"http://portal.example/{n}") for n in range(1, 21)]


@pytest.fixture(scope="module")
def profile():
    return goldminer.learn(PAGES)


@pytest.fixture()
def folder(profile, tmp_path):
    goldminer.Profiles([profile]).save(tmp_path / "profiles")
    return tmp_path / "profiles"


def test_a_profile_is_learned_from_pages(profile):
    assert profile.key == "portal.example"
    assert profile.templates == ["div.story"]
    assert profile.evidence["pages"] == 20
    assert profile.test(page(99))[0]["verdict"] == "cuts"
    document = goldminer.bare_extraction(*PAGES[0], profiles=profile)
    assert document.provenance["method"] == "goldminer"
    assert document.provenance["profile"]["key"] == "portal.example"


def test_a_learner_accepts_pages_one_by_one(profile):
    learner = goldminer.Learner("portal.example")
    assert all(learner.add(html, url) for html, url in PAGES)
    assert learner.learn() == profile
    with pytest.raises(goldminer.ProfileError, match="0 pages"):
        goldminer.Learner().learn()
    with pytest.raises(ValueError, match="^domain "):
        goldminer.Learner("no host at all")
    with pytest.raises(ValueError, match="^pages "):
        goldminer.learn(page(1))


def test_profiles_are_saved_and_read_again(profile, folder):
    profiles = goldminer.Profiles.open(folder)
    assert list(profiles) == ["portal.example"] and "portal.example" in profiles and len(profiles) == 1
    assert profiles["portal.example"] == profile
    with pytest.raises(KeyError):
        profiles["other.example"]
    file = folder / "portal.example.toml"
    assert goldminer.Profile.load(file) == goldminer.Profile.parse(profile.to_toml()) == profile
    with pytest.raises(goldminer.ProfileError):
        goldminer.Profile.parse("key = 7")


def test_comments_in_a_profile_file_stay(profile, folder):
    file = folder / "portal.example.toml"
    file.write_text("# reviewed by Anna\n" + file.read_text())
    profile.save(folder)
    assert "reviewed by Anna" in file.read_text()


def test_a_page_without_a_url_uses_the_given_profile(profile):
    assert goldminer.bare_extraction(page(1), profiles=profile).provenance["method"] == "goldminer"


def test_a_profile_that_changes_is_read_again(folder):
    assert goldminer.extract(*PAGES[0], profiles=folder)
    file = folder / "portal.example.toml"
    file.write_text(file.read_text().replace("div.story", "div.no-such"))
    document = goldminer.bare_extraction(*PAGES[0], profiles=folder)
    assert document is None or document.provenance["method"] != "goldminer"


def test_many_pages_keep_their_order(profile):
    extractor = goldminer.Extractor(profile)
    expected = [extractor.extract(*p) for p in PAGES]
    for threads in (0, 1, 2, 7):
        assert list(extractor.extract_many(PAGES, threads=threads)) == expected
    assert [d.title for d in extractor.extract_many((html for html, _ in PAGES), threads=2)][:2] == ["Week 1", "Week 2"]
    assert list(extractor.extract_many([])) == []


def test_pages_are_read_only_when_they_are_needed():
    taken = []

    def pages():
        for n in range(10_000):
            taken.append(n)
            yield page(n)

    documents = goldminer.Extractor().extract_many(pages(), threads=2)
    next(documents)
    assert len(taken) <= 2 * 8 + 1


def test_an_error_of_the_iterator_comes_after_earlier_pages():
    def pages():
        yield page(1)
        raise KeyError("the disk")

    documents = goldminer.Extractor().extract_many(pages(), threads=2)
    assert next(documents)
    with pytest.raises(KeyError):
        next(documents)
    assert list(documents) == []
    documents = goldminer.Extractor().extract_many([page(1), 7])
    assert next(documents)
    with pytest.raises(ValueError, match="^pages must be str or bytes, not int"):
        next(documents)


@pytest.mark.parametrize("threads", [-1, 1.5, "two", 2**70])
def test_a_wrong_number_of_threads_is_named(threads):
    with pytest.raises(ValueError, match="^threads "):
        goldminer.Extractor().extract_many([], threads=threads)


def test_an_extractor_is_shared_by_threads(profile):
    extractor = goldminer.Extractor(profile)
    expected = [extractor.extract(*p) for p in PAGES]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda p: extractor.extract(*p), PAGES * 5)) == expected * 5


def test_other_threads_work_while_a_page_is_extracted():
    page = b"<p>" + b"It rained all day in the town. " * 1_000_000
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    goldminer.Extractor().extract(page)
    done.set()
    thread.join()
    assert len(ticks) > 5


def test_an_extractor_is_pickled_by_path_and_digest(folder):
    extractor = goldminer.Extractor(folder, language="hu", convention="page")
    pickled = pickle.dumps(extractor)
    assert len(pickled) < 1000
    assert pickle.loads(pickled).extract(*PAGES[0]) == extractor.extract(*PAGES[0])
    file = folder / "portal.example.toml"
    file.write_text(file.read_text().replace("div.story", "div.other"))
    from goldminer.extraction import _reopened

    _reopened.cache_clear()
    with pytest.raises(goldminer.ProfileError, match="has changed since"):
        pickle.loads(pickled)


def test_profiles_without_a_path_are_pickled_completely(profile):
    extractor = pickle.loads(pickle.dumps(goldminer.Extractor(profile)))
    assert extractor.extract(*PAGES[0]).provenance["method"] == "goldminer"


def _text(extractor, page):
    return extractor.extract(*page).text


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_an_extractor_works_in_processes_that_were_forked_or_spawned(method, folder):
    extractor = goldminer.Extractor(folder)
    # Threads were used in this process before.
    expected = [document.text for document in extractor.extract_many(PAGES, threads=2)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(_text, [(extractor, page) for page in PAGES]) == expected
