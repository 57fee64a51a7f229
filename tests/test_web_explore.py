"""The explorer in a real browser: what is on the screen is what the library computes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browsing import Asked, a_page, serious_faults, served_here
from priorwise import Corpus, discover, explore
from priorwise.discovery.demo import DemoDocument
from priorwise.explorer import FAMILIES, FamilySetting, View, setting_of
from priorwise.explorer.documents import Line
from priorwise.explorer.families import NaiveBayesFamily
from priorwise.web.explore import TARGETS

pytestmark = pytest.mark.slow

HOSTILE = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">"
LABEL = "Geology"
LAPLACE = "model=beta&alpha=1&beta=1"


@pytest.fixture(scope="module")
def hostile(documents: list[DemoDocument], tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The made-up corpus, every title of which is markup, as is the beginning of every text."""
    return Corpus.from_texts(
        [f"{HOSTILE} {document.text}" for document in documents],
        labels=[document.labels for document in documents],
        ids=[document.id for document in documents],
        titles=[f"{HOSTILE} {document.title}" for document in documents],
        path=tmp_path_factory.mktemp("explore") / "hostile.corpus",
    )


@pytest.fixture(scope="module")
def view(hostile: Corpus) -> View:
    return explore(hostile, LABEL, "beta")


@pytest.fixture(scope="module")
def ranked(hostile: Corpus) -> View:
    """The same documents; the model that ranks solves from where it was, so it has a view to itself."""
    return explore(hostile, LABEL)


@pytest.fixture(scope="module")
def server(hostile: Corpus) -> Iterator[Asked]:
    with served_here("explore", hostile.path, LABEL, "--port", 0) as running:
        yield running


def figure(page: Page, measure: str, on: str) -> Locator:
    return page.locator(f"[data-measure={measure}][data-on={on}]")


def written(number: float) -> str:
    """Three decimals as the page writes them: a half is rounded up, where Python rounds it to the even digit."""
    return str(Decimal(number).quantize(Decimal("0.001"), ROUND_HALF_UP))


def shows(page: Page, view: View, setting: FamilySetting, line: Line | None = None) -> None:
    """Wait until the figures beside the view are those that the library computes."""
    found = view.measures(setting, line)
    for part, of in found.items():
        for measure in ("f1", "precision", "recall"):
            expect(figure(page, measure, part)).to_have_text(written(getattr(of, measure)))
        expect(figure(page, "counts", part)).to_have_text(f"{of.tp} / {of.fp}")


def typed(page: Page, family: str) -> FamilySetting:
    """The setting that the fields say."""
    return setting_of(family, [float(field.input_value()) for field in page.locator(".typed").all()])


def line_of(page: Page) -> Line:
    """The decision line that the page says."""
    said = (page.locator(".rule").text_content() or "").replace("−", "-").replace(" ", "")
    if height := re.fullmatch(r"logodds=([-\d.e]+)", said):
        return Line(shift=-float(height[1]))
    found = re.fullmatch(r"y=([-\d.e]*)x([-+][\d.e-]+)?", said)
    assert found is not None, said
    return Line(float(found[1] or 1), float(found[2] or 0))


def trial(page: Page, place: int = 0) -> Locator:
    return page.locator(".trials tbody tr").nth(place)


def test_a_slider_moves_the_points_and_the_figures(server: Asked, browser: Browser, view: View) -> None:
    with a_page(browser) as page:
        page.goto(f"{server.url}&{LAPLACE}")
        shows(page, view, setting_of("beta"))
        slider = page.get_by_role("slider", name="α")
        slider.fill("150")
        setting = typed(page, "beta")
        assert setting.values[0] < 0.01
        shows(page, view, setting)
        assert view.measures(setting)["held_out"].f1 != view.measures(setting_of("beta"))["held_out"].f1
        expect(figure(page, "f1", "left_out")).to_have_text(f"{view.left_out(setting).f1:.3f}")
        page.get_by_label("β, typed").fill("250")
        page.get_by_label("β, typed").press("Enter")
        shows(page, view, setting_of("beta", [setting.values[0], 250.0]))
        page.get_by_label("β, typed").fill("none")
        page.get_by_label("β, typed").press("Enter")
        expect(page.get_by_label("β, typed")).to_have_attribute("aria-invalid", "true")
        expect(page.locator(".panels")).to_have_attribute("data-moving", "false")


def test_the_page_opens_at_the_learned_prior_of_the_model_that_ranks(
    server: Asked, browser: Browser, ranked: View
) -> None:
    with a_page(browser) as page:
        page.goto(server.url)
        opening = ranked.opening("members")
        shows(page, ranked, opening)
        assert typed(page, "members") == opening
        assert ranked.measures(opening)["held_out"].f1 > 0
        expect(page.get_by_label("Model", exact=True)).to_have_value("members")
        expect(page.get_by_label("Log odds upright")).to_be_checked()
        expect(page.get_by_label("Log odds upright")).to_be_disabled()
        expect(page.locator(".rule")).to_have_text("log odds = 0")
        expect(page.locator(".words")).to_contain_text("Move a slider to see which words change their weight.")
        expect(page.locator(".terrain h2")).to_have_text("What was tried")
        expect(figure(page, "f1", "left_out")).to_have_text(f"{ranked.left_out(opening).f1:.3f}")
        for name, caption in (
            ("σ²", "how far a word's weight may be from its centre"),
            ("k", "how much words that are spelled alike have in common"),
            ("g", "how much other categories count, compared with words"),
            ("n", "how many top candidates count as provisional members"),
            ("c", "how much the keywords count"),
        ):
            expect(page.get_by_role("slider", name=name, exact=True)).to_have_accessible_description(caption)


def near(page: Page, view: View, setting: FamilySetting) -> None:
    """Wait until the figures are those of a setting, but for documents that a solve's tolerance may turn."""
    for part, of in view.measures(setting).items():
        expect(figure(page, "counts", part)).to_have_text(re.compile(r"^\d+ / \d+$"))
        page.wait_for_function(
            """([part, tp, fp]) => {
              const cell = document.querySelector(`[data-measure=counts][data-on=${part}]`);
              const [a, b] = cell.textContent.split(" / ").map(Number);
              return Math.abs(a - tp) + Math.abs(b - fp) <= 3;
            }""",
            arg=[part, of.tp, of.fp],
        )


def test_sliders_and_keywords_move_the_words_of_the_model_that_ranks(
    server: Asked, browser: Browser, ranked: View
) -> None:
    with a_page(browser) as page:
        page.goto(server.url)
        shows(page, ranked, ranked.opening("members"))
        page.get_by_role("slider", name="σ²").fill("850")
        page.get_by_role("slider", name="n", exact=True).fill("0")
        setting = typed(page, "members")
        assert setting.named()["believed"] == 0
        assert setting.values[0] > 1
        near(page, ranked, setting)
        expect(page.locator(".words tbody tr")).to_have_count(12)
        words = ranked.words(setting, 12)
        listed = page.locator(".words tbody tr td:first-child")
        expect(listed.first).to_have_text(words[0].word)
        assert len({each.word for each in words} & set(listed.all_text_contents())) >= 10
        for_it, against = [each.word for each in words if each.word.isascii() and each.word.isalpha()][:2]
        keywords = f"+{for_it}:3 -{against}"
        page.get_by_label("Keywords").fill(keywords.replace("-", "−"))
        page.get_by_label("Keywords").press("Enter")
        known = setting_of("members", setting.values, keywords)
        expect(listed.first).to_have_text(ranked.words(known, 1)[0].word)
        near(page, ranked, known)
        expect(page).to_have_url(re.compile(rf"keywords=%2B{for_it}%3A3\+-{against}"))
        expect(trial(page)).to_contain_text(keywords)
        trial(page).get_by_label("Keep").check()
        page.reload()
        expect(page.get_by_label("Keywords")).to_have_value(keywords)
        near(page, ranked, known)
        expect(trial(page).get_by_label("Keep")).to_be_checked()
        page.get_by_role("button", name="Back to the learned prior").click()
        expect(page.get_by_label("Keywords")).to_have_value("")
        near(page, ranked, ranked.opening("members"))
        expect(page.locator(".controls .progress")).to_contain_text("Learned from members that were left out: σ²")
        page.get_by_label("Keywords").fill("xyzzy")
        page.expected_complaints = ("404 (Not Found)",)
        page.get_by_label("Keywords").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("no document has the word 'xyzzy'")


def test_what_was_tried_can_be_gone_to_and_naive_bayes_is_one_click_away(
    server: Asked, browser: Browser, ranked: View, view: View
) -> None:
    with a_page(browser) as page:
        page.goto(server.url)
        tried = ranked.objective_map("members").drawn(TARGETS["f1"])["tried"]
        expect(page.locator(".terrain .quiet")).to_contain_text(f"for {len(tried)} settings")
        shows(page, ranked, ranked.opening("members"))
        page.locator(".terrain-chart .scatterlayer .point").last.click(force=True)
        expect(trial(page, 1)).to_be_visible()
        assert list(typed(page, "members").values) in [list(each["values"]) for each in tried]
        page.get_by_label("Model", exact=True).select_option("bernoulli-beta")
        shows(page, view, view.opening("beta"))
        expect(page.get_by_label("Log odds upright")).not_to_be_checked()
        expect(page.get_by_role("button", name="Find the best")).to_be_visible()
        expect(page.get_by_label("by", exact=True)).to_be_visible()
        page.get_by_label("Model", exact=True).select_option("members")
        near(page, ranked, ranked.opening("members"))
        expect(page.get_by_label("by", exact=True)).not_to_be_visible()


def test_a_document_of_the_model_that_ranks_is_read(server: Asked, browser: Browser) -> None:
    with a_page(browser) as page:
        page.goto(server.url)
        expect(page.locator(".panels")).to_have_attribute("data-moving", "false")
        page.locator("canvas").nth(1).focus()
        page.keyboard.press("n")
        expect(page.locator(".glance li").first).to_be_visible()
        page.keyboard.press("Enter")
        reader = page.get_by_role("dialog")
        expect(reader.locator("mark").first).to_be_visible()
        expect(reader).to_contain_text("log odds")


def test_a_run_is_explored_at_its_prior(hostile: Corpus, browser: Browser, tmp_path: Path) -> None:
    run = discover(hostile, LABEL)
    run.save(tmp_path / "geology.run")
    with served_here("explore", tmp_path / "geology.run", "--port", 0) as running, a_page(browser) as page:
        page.goto(running.url)
        own = explore(hostile, LABEL, tried=run.stages[-1].tried)
        shows(page, own, own.opening("members"))
        assert typed(page, "members").prior.numbers == pytest.approx(run.prior.numbers, rel=1e-3)
        expect(page).to_have_url(re.compile("run=geology.run"))


def test_presets_are_one_key_and_the_best_is_found(server: Asked, browser: Browser, view: View) -> None:
    with a_page(browser) as page:
        page.goto(f"{server.url}&{LAPLACE}")
        shows(page, view, setting_of("beta"))
        page.keyboard.press("e")
        shows(page, view, setting_of("beta", [0.1, 0.3]))
        page.keyboard.press("j")
        best = view.find_best(setting_of("jelinek-mercer"))[-1]
        expect(page.get_by_label("λ, typed")).to_have_value(re.compile(f"^{best.values[0]:.4g}$"))
        shows(page, view, best)
        expect(figure(page, "f1", "left_out")).to_have_text(f"{view.left_out(best).f1:.3f}")
        page.keyboard.press("l")
        shows(page, view, setting_of("beta"))
        page.get_by_role("button", name="Find the best").click()
        best = view.find_best(setting_of("beta"))[-1]
        shows(page, view, best)
        expect(page.locator(".controls .progress")).to_have_text(re.compile(r"Best by leave-one-out: α \S+, β \S+$"))
        expect(page.locator(".terrain-chart .scatterlayer .trace")).to_have_count(5)


@pytest.mark.parametrize("model", sorted({family.model.name for family in NaiveBayesFamily.all()}))
def test_sliders_and_keys_of_every_family(server: Asked, browser: Browser, view: View, model: str) -> None:
    families = [family.name for family in NaiveBayesFamily.all() if family.model.name == model]
    with a_page(browser) as page:
        page.goto(f"{server.url}&model={families[0]}")
        for family in families:
            page.get_by_label("Model", exact=True).select_option(family)
            opening = view.opening(family)
            shows(page, view, opening)
            assert view.left_out(opening).f1 > 0
            for slider in page.get_by_role("slider").all():
                slider.fill("700")
            moved = typed(page, family)
            assert moved.values != opening.values
            shows(page, view, moved)
            for field, value in zip(page.locator(".typed").all(), (0.25, 0.5), strict=False):
                field.fill(str(value))
                field.press("Enter")
            shows(page, view, setting_of(family, [0.25, 0.5][: len(moved.values)]))
        field.blur()
        for preset in FAMILIES[families[0]].presets(len(view.documents.features)):
            if preset.values is None:
                continue
            page.keyboard.press(preset.key)
            expect(page.get_by_label("Model", exact=True)).to_have_value(preset.family)
            shows(page, view, setting_of(preset.family, preset.values))


def test_the_terrain_is_seen_beside_the_documents_on_a_laptop(server: Asked, browser: Browser) -> None:
    with a_page(browser, viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{server.url}&model=beta")
        expect(page.locator(".terrain-chart .main-svg").first).to_be_visible()
        expect(trial(page)).to_be_visible()
        for part in (".terrain-chart", ".panels", ".measures", ".words", ".controls"):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= 800, part
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_every_family_and_a_click_on_the_terrain(server: Asked, browser: Browser, view: View) -> None:
    with a_page(browser) as page:
        page.goto(f"{server.url}&model=beta")
        for family in ("jelinek-mercer", "witten-bell", "presence-collection", "presence"):
            page.get_by_label("Model", exact=True).select_option(FAMILIES[family].name)
            shows(page, view, view.opening(family))
        expect(page.locator(".terrain .quiet")).to_contain_text("41,209 priors")
        page.locator(".terrain-chart .nsewdrag").click(position={"x": 60, "y": 30})
        expect(trial(page, 1)).to_be_visible()
        setting = typed(page, "presence")
        terrain = view.objective_map("presence")
        assert terrain.setting(terrain.nearest(setting)).values == setting.values
        shows(page, view, setting)


def test_the_address_brings_everything_back(server: Asked, browser: Browser, view: View) -> None:
    with a_page(browser) as page:
        page.goto(f"{server.url}&{LAPLACE}")
        expect(trial(page)).to_contain_text("α 1, β 1")
        page.keyboard.press("e")
        expect(trial(page)).to_contain_text("α 0.1, β 0.3")
        trial(page).get_by_label("Keep").check()
        page.get_by_label("α, typed").fill("0.02")
        page.get_by_label("α, typed").press("Enter")
        expect(trial(page)).to_contain_text("α 0.02, β 0.3")
        page.locator("canvas").first.focus()
        for _ in range(3):
            page.keyboard.press("Shift+ArrowUp")
        page.get_by_label("Log odds upright").check()
        expect(trial(page)).to_contain_text("y = ")
        expect(page).to_have_url(re.compile("shift=.*axes=odds"))
        line = line_of(page)
        assert line.shift > 0
        trial(page).get_by_label("Keep").check()
        page.reload()
        shows(page, view, setting_of("beta", [0.02, 0.3]), line)
        expect(trial(page)).to_contain_text("α 0.02, β 0.3; y = x + ")
        expect(page.get_by_label("Log odds upright")).to_be_checked()
        kept = page.locator(".trials tbody tr", has_text="α 0.1, β 0.3")
        expect(kept.get_by_label("Keep")).to_be_checked()
        expect(trial(page).get_by_label("Keep")).to_be_checked()
        kept.get_by_role("link").click()
        shows(page, view, setting_of("beta", [0.1, 0.3]))


def test_the_line_is_dragged_turned_and_put_back(server: Asked, browser: Browser, view: View) -> None:
    with a_page(browser) as page:
        page.goto(f"{server.url}&{LAPLACE}")
        shows(page, view, setting_of("beta"))
        expect(page.locator(".panels")).to_have_attribute("data-moving", "false")
        box = page.locator("canvas").first.bounding_box()
        assert box is not None
        x, y = box["x"] + 60 + (box["width"] - 68) / 2, box["y"] + 8 + (box["height"] - 42) / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 40, steps=4)
        page.mouse.up()
        moved = line_of(page)
        assert moved.slope == 1.0
        assert moved.shift > 0
        shows(page, view, setting_of("beta"), moved)
        page.get_by_role("button", name="Back to y = x").click()
        # The grip near the line's end: the middle stays, the end goes to the left, so the line becomes steeper.
        grip = x + 0.38 * (box["width"] - 68), y - 0.38 * (box["height"] - 42)
        page.mouse.move(*grip)
        page.mouse.down()
        page.mouse.move(grip[0] - 60, grip[1], steps=4)
        page.mouse.up()
        rotated = line_of(page)
        assert rotated.slope == pytest.approx(0.38 * (box["width"] - 68) / (0.38 * (box["width"] - 68) - 60), rel=0.05)
        shows(page, view, setting_of("beta"), rotated)
        page.get_by_role("button", name="Back to y = x").click()
        page.locator("canvas").nth(1).focus()
        page.keyboard.press("ArrowLeft")
        turned = line_of(page)
        assert turned.slope > 1.0
        shows(page, view, setting_of("beta"), turned)
        expect(figure(page, "f1", "left_out")).to_have_text("–")
        page.get_by_role("button", name="Back to y = x").click()
        shows(page, view, setting_of("beta"))


def test_trials_are_compared_and_exported(server: Asked, browser: Browser, view: View, tmp_path: Path) -> None:
    with a_page(browser, accept_downloads=True) as page:
        page.goto(f"{server.url}&{LAPLACE}")
        expect(page.locator(".trials tbody tr")).to_have_count(1)
        page.keyboard.press("e")
        expect(page.locator(".trials tbody tr")).to_have_count(2)
        trial(page, 1).get_by_label("Compare").check()
        kept, laplace = (view.left_out(setting_of("beta", values)).f1 for values in ([0.1, 0.3], [1.0, 1.0]))
        more = f"{'−' if kept < laplace else '+'}{abs(kept - laplace):.3f}"
        expect(trial(page).locator("td").nth(4)).to_have_text(f"{kept:.3f} {more}")
        with page.expect_download() as download:
            page.get_by_role("button", name="Export CSV").click()
        download.value.save_as(tmp_path / "trials.csv")
        with (tmp_path / "trials.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["prior"] for row in rows] == ["Beta(alpha=0.1, beta=0.3)", "Beta(alpha=1, beta=1)"]
        found = view.measures(setting_of("beta", [0.1, 0.3]))["held_out"]
        assert float(rows[0]["held_out_f1"]) == found.f1
        assert int(rows[0]["held_out_tp"]) == found.tp
        trial(page, 1).get_by_role("link").click()
        expect(page.get_by_label("α, typed")).to_have_value("1")


def test_a_document_is_read_and_its_title_is_no_markup(server: Asked, browser: Browser) -> None:
    with a_page(browser) as page:
        page.goto(f"{server.url}&model=presence")
        expect(page.locator(".panels")).to_have_attribute("data-moving", "false")
        page.locator("canvas").nth(1).focus()
        page.keyboard.press("n")
        expect(page.locator(".glance")).to_contain_text(HOSTILE)
        page.keyboard.press("Enter")
        reader = page.get_by_role("dialog")
        expect(page.locator(".glance")).not_to_be_visible()
        expect(reader.get_by_role("heading")).to_contain_text(HOSTILE)
        expect(reader.locator(".text")).to_contain_text(HOSTILE)
        assert reader.locator("mark").count() > 3
        assert page.locator("main img, main script").count() == 0
        expect(page).to_have_title(f"{LABEL} · Explore · priorwise")
        page.keyboard.press("Escape")
        expect(reader).not_to_be_visible()
        page.get_by_label("Log odds upright").check()
        box = page.locator("canvas").nth(1).bounding_box()
        assert box is not None
        for share in np.linspace(0.9, 0.1, 30):
            page.mouse.move(box["x"] + 60 + 0.9 * (box["width"] - 68), box["y"] + share * box["height"])
            if page.locator("canvas").nth(1).get_attribute("data-pointed") != "":
                break
        expect(page.locator(".glance")).to_be_visible()
        page.mouse.down()
        page.mouse.up()
        expect(reader.get_by_role("heading")).to_be_visible()


@pytest.mark.parametrize("model", ["model=members", LAPLACE], ids=["members", "beta"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe(server: Asked, browser: Browser, scheme: str, model: str) -> None:
    with a_page(browser, color_scheme=scheme) as page:
        page.goto(f"{server.url}&{model}")
        expect(trial(page)).to_be_visible()
        expect(page.locator(".terrain-chart .main-svg").first).to_be_visible()
        assert serious_faults(page) == []
        for panel, times in ((0, 1), (1, 1), (1, 3)):
            page.locator("canvas").nth(panel).focus()
            for _ in range(times):
                page.keyboard.press("n")
            page.keyboard.press("Enter")
            expect(page.get_by_role("dialog")).to_be_visible()
            expect(page.get_by_role("dialog").locator("mark").first).to_be_visible()
            assert serious_faults(page) == []
            page.keyboard.press("Escape")


def _floats(content: Any) -> np.ndarray:
    return np.frombuffer(content, dtype="<f4")


def test_a_large_corpus_is_a_density_with_a_sample_on_top(server: Asked, browser: Browser, hostile: Corpus) -> None:
    status, content = server.ask(f"/api/explore/density?label={LABEL}&model=beta&documents=100")
    found = _floats(content)
    assert status == 200
    assert found[6:].sum() > 0.9 * hostile.n_documents
    with a_page(browser) as page:
        page.goto(f"{server.url}&model=beta&documents=100")
        expect(page.locator(".facts")).to_contain_text("among 100 documents of 400")
        expect(page.locator(".panels")).to_have_attribute("data-shaded", "true")
        page.keyboard.press("e")
        expect(page.locator(".panels")).to_have_attribute("data-shaded", "false")
        expect(page.locator(".panels")).to_have_attribute("data-shaded", "true")


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("points?label=Ches", 404, "did you mean 'Chess'"),
        ("points?label=Chess&model=betta", 400, "'model' must be one of"),
        ("points?label=Chess&model=beta&alpha=-1", 400, "'alpha' must be a number"),
        ("points?label=Chess&model=beta&alpha=nan", 400, "'alpha' must be a number"),
        ("points?label=Chess&documents=1e9", 400, "'documents' must be a whole number"),
        ("document?label=Chess&point=400", 400, "'point' must be a whole number from 0 to 399"),
        ("document?label=Chess", 400, "'point' must be a whole number"),
        ("trial?label=Chess&model=beta&slope=inf", 400, "'slope' must be a number"),
        ("terrain?label=Chess&target=luck", 400, "'target' must be one of"),
        ("density?label=Chess&model=beta", 400, "all documents of this corpus are points already"),
        ("points?label=Chess&variance=0", 400, "'variance' must be a number"),
        ("points?label=Chess&keywords=%2Bxyzzy", 404, "no document has the word 'xyzzy'"),
        ("points?label=Chess&model=beta&keywords=rook", 400, "takes no keywords"),
        ("points?label=Chess&run=none.run", 404, "no run 'none.run'"),
        (f"start?label={quote('x' * 2000)}", 400, "more than 1,000 characters"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(server: Asked, path: str, status: int, says: str) -> None:
    answered, content = server.ask(f"/api/explore/{path}")
    assert answered == status
    assert says in content["error"]
