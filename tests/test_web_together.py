"""Several reviewers in the app: links that admit one person to one category, a shared queue, and decisions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from asking import Answer, ask
from browsing import a_page, serious_faults, served_here
from priorwise.corpus import Corpus
from priorwise.web.app import make_app
from priorwise.web.guard import Access, Guard
from priorwise.web.pages import pages_of
from priorwise.web.together import Guest, Invitations
from priorwise.web.workspace import Workspace

OWNER = {"authorization": "Bearer secret"}


@pytest.fixture
def app(corpus: Corpus, auto_path: Path, tmp_path: Path) -> Guard:
    shutil.copytree(auto_path, tmp_path / "runs" / "auto.run")
    invitations = Invitations(b"key")
    pages = pages_of(Workspace(corpus, folder=tmp_path / "runs"), invitations)
    return make_app(pages, Access(token="secret"), more=[invitations.mount(lambda _: pages)])


def owner(app: Guard, path: str, body: Any = None) -> Answer:
    return ask(app, path, body, headers=OWNER)


def links(app: Guard, **how: Any) -> dict[str, str]:
    shared = {"category": "auto", "reviewers": ["Ada", "Bob"], **how}
    assert owner(app, "/api/together/share", shared).status == 200
    state = owner(app, "/api/together/state?category=auto").json()
    return {each["name"]: each["link"] for each in state["reviewers"]}


def judge(app: Guard, link: str, id: str, word: str) -> Answer:
    # Whatever name is sent, a guest judges under the name of the link.
    sent = {"category": "other", "reviewer": "Mallory", "id": id, "verdict": word, "identity": f"{link[-9:]}{id}"}
    return ask(app, f"{link}api/workbench/judge", sent)


def test_a_link_admits_to_one_category_under_one_name_and_to_nothing_else(app: Guard) -> None:
    ada = links(app)["Ada"]
    assert ask(app, "/api/workbench/state?category=auto&reviewer=Ada").status == 401
    assert ask(app, f"{ada}workbench").status == 200
    started = ask(app, f"{ada}api/workbench/start").json()
    assert (started["reviewer"], started["is_guest"], started["can_learn_again"]) == ("Ada", True, False)
    state = ask(app, f"{ada}api/workbench/state?category=../x&reviewer=Bob").json()
    first = state["next"][0]["id"]
    assert judge(app, ada, first, "yes").status == 200
    (said,) = owner(app, "/api/workbench/history?category=auto").json()["verdicts"]
    assert (said["item"], said["reviewer"]) == (first, "Ada")
    for path in ("library", "api/library/begun", "api/together/state?category=auto", "api/finish/state?category=auto"):
        assert ask(app, ada + path).status == 404, path
    assert ask(app, f"{ada}api/workbench/words", {"category": "auto", "words": "+x"}).status == 404
    assert ask(app, f"{ada}api/workbench/sample", {"category": "auto", "n": 5}).status == 404


def test_links_that_were_changed_made_elsewhere_or_withdrawn_are_refused(app: Guard) -> None:
    ada = links(app)["Ada"]
    swapped = ada[:-3] + ("A" if ada[-3] != "A" else "B") + ada[-2:]
    elsewhere = f"/r/{Invitations(b'other').token(Guest('', 'auto', 'Ada'))}/"
    for link in (swapped, elsewhere, "/r/x/", "/r/%F0%9F%92%A9/", f"/r/{'A' * 5000}/"):
        assert ask(app, f"{link}api/workbench/start").status == 404, link
    stranger = f"/r/{Invitations(b'key').token(Guest('', 'auto', 'Cyd'))}/"
    assert ask(app, f"{stranger}api/workbench/start").status == 400
    assert owner(app, "/api/together/share", {"category": "auto", "reviewers": []}).status == 200
    refused = ask(app, f"{ada}api/workbench/state")
    assert (refused.status, "no longer valid" in refused.json()["error"]) == (400, True)


def test_guests_do_not_see_what_others_said_until_somebody_decides(app: Guard) -> None:
    both = links(app, copies=2)
    first = ask(app, f"{both['Ada']}api/workbench/state").json()["next"][0]["id"]
    judge(app, both["Ada"], first, "yes")
    bob = ask(app, f"{both['Bob']}api/workbench/state").json()
    assert bob["next"][0]["id"] == first
    assert bob["verdicts"] == {}
    assert ask(app, f"{both['Bob']}api/workbench/history").json()["verdicts"] == []
    judge(app, both["Bob"], first, "no")
    state = owner(app, "/api/together/state?category=auto").json()
    assert [each["judged"] for each in state["reviewers"]] == [1, 1]
    assert (state["group"]["documents"], state["pairs"][0]["agreed"]) == (1, 0.0)
    (each,) = state["disagreements"]
    assert [(v["reviewer"], v["verdict"]) for v in each["verdicts"]] == [("Ada", "yes"), ("Bob", "no")]
    assert owner(app, "/api/finish/state?category=auto").json()["disagreements"] == 1
    decided = {"category": "auto", "reviewer": "Cyd", "id": first, "verdict": "yes"}
    assert owner(app, "/api/together/decide", {**decided, "id": bob["next"][1]["id"]}).status == 400
    assert owner(app, "/api/together/decide", {**decided, "verdict": "skip"}).status == 400
    assert owner(app, "/api/together/decide", decided).status == 200
    assert owner(app, "/api/together/state?category=auto").json()["disagreements"][0]["decision"]["reviewer"] == "Cyd"
    summary = owner(app, "/api/workbench/state?category=auto&reviewer=Cyd").json()["summary"]
    assert (summary["found"], summary["unsure"]) == (1, 0)


@pytest.mark.parametrize("wrong", [{"reviewers": ["Ada"]}, {"reviewers": "Ada"}, {"copies": 3}, {"overlap": 2}])
def test_a_team_that_cannot_work_is_refused(app: Guard, wrong: dict[str, Any]) -> None:
    assert owner(app, "/api/together/share", {"category": "auto", "reviewers": ["a", "b"], **wrong}).status == 400


def test_the_key_of_links_is_private_and_kept(tmp_path: Path) -> None:
    token = Invitations.in_folder(tmp_path).token(Guest("c", "k", "n"))
    assert Invitations.in_folder(tmp_path).guest(token) == Guest("c", "k", "n")
    assert (tmp_path / "invitations.key").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_two_reviewers_judge_by_their_links_and_a_third_decides(
    auto_path: Path, tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "auto.run"
    shutil.copytree(auto_path, run)
    monkeypatch.setenv("PRIORWISE_FOLDER", str(tmp_path))
    with served_here("review", run, "--reviewer", "Cyd", "--port", 0) as server:
        with a_page(browser) as page:
            page.goto(server.start)
            page.get_by_role("link", name="Together").click()
            page.get_by_label("Who judges? One name on each line.").fill("Ada\nBob")
            page.get_by_text("Each document is judged by").click()
            page.get_by_role("button", name="Save").click()
            expect(page.get_by_role("link", name="Link of Ada")).to_be_visible()
            assert serious_faults(page) == []
            together = page.url
            links = [page.get_by_role("link", name=f"Link of {name}").get_attribute("href") for name in ("Ada", "Bob")]
        for link, key in zip(links, "yn", strict=True):
            with a_page(browser, viewport={"width": 390, "height": 844}) as page:
                page.goto(str(link))
                expect(page.locator(".document .text")).to_have_text(re.compile(r"\w{3}"))
                assert page.get_by_role("link", name="Finish").count() == 0
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                shown = str(page.locator(".document").get_attribute("data-document"))
                page.keyboard.press(key)
                expect(page.locator(".document")).not_to_have_attribute("data-document", shown)
        with a_page(browser) as page:
            page.goto(together)
            expect(page.get_by_role("heading", name="Disagreements: 1 to decide")).to_be_visible()
            page.get_by_role("button", name="Read ").click()
            expect(page.get_by_role("region", name="Text of ")).to_have_text(re.compile(r"\w{3}"))
            assert serious_faults(page) == []
            page.get_by_role("group", name="Decide about").get_by_role("button", name="Yes").click()
            expect(page.get_by_text("Decided by")).to_be_visible()
            expect(page.get_by_role("heading", name="Disagreements: 0 to decide")).to_be_visible()
