"""Issues that tell the same problem come together; what is unlike stays alone."""

from __future__ import annotations

import pytest
from benchmarks.clusters import DATA, figures, read

from copydesk.server.clustering.__main__ import answer
from copydesk.server.clustering.grouping import Issue, find_clusters, place
from copydesk.server.clustering.titles import LONGEST, sentence_of
from copydesk.server.clustering.words import language_of, words_of

TOLD = {
    "export": [
        "the export of the logs is empty",
        "exported logs file is empty",
        "export gives an empty log",
        "logs export: empty file",
    ],
    "card": [
        "my credit card is declined",
        "card declined though the bank says it is fine",
        "credit card was declined again",
        "declined card, payment failed",
    ],
    "webhook": [
        "webhook signature is never valid",
        "signature of the webhook is invalid",
        "invalid webhook signatures since today",
        "webhook: signature not valid",
    ],
}


def issues() -> list[Issue]:
    return [
        Issue(f"{problem}{number}", text)
        for problem, texts in TOLD.items()
        for number, text in enumerate(texts)
    ]


def test_issues_of_one_problem_come_together() -> None:
    alone = Issue("alone", "do you have an office in Mexico")
    found = find_clusters([*issues(), alone])
    assert {frozenset(each.issues) for each in found.clusters} == {
        frozenset(f"{problem}{number}" for number in range(4)) for problem in TOLD
    }


def test_what_is_written_without_blanks_comes_together_by_its_words() -> None:
    told = {
        "login": ["ログインできません", "アップデート後にログインできない", "CSVログインについて"],
        "export": [
            "請求書のエクスポートが止まる",
            "請求書エクスポート失敗",
            "エクスポートした請求書が空",
        ],
        "中": ["更新后无法登录系统", "无法登录", "为什么无法登录系统"],
    }
    given = [
        Issue(f"{key}{n}", each) for key, texts in told.items() for n, each in enumerate(texts)
    ]
    assert {frozenset(each.issues) for each in find_clusters(given).clusters} == {
        frozenset(f"{key}{n}" for n in range(3)) for key in told
    }
    assert set(words_of("CSVエクスポートと請求書", "en")) >= {"csv", "エクスポート", "請求書"}


def test_the_same_issues_give_the_same_clusters() -> None:
    def told(given: list[Issue]) -> list[tuple[str, str, list[str]]]:
        texts = {each.id: each.text for each in given}
        return [
            (each.title, each.summary, sorted(texts[one] for one in each.issues))
            for each in find_clusters(given).clusters
        ]

    assert find_clusters(issues()) == find_clusters(issues())
    others = [Issue(f"x{n}", each.text) for n, each in enumerate(reversed(issues()))]
    assert told(others) == told(issues())


@pytest.mark.parametrize("texts", [[], ["one"], ["", "", "", ""], ["?!", "…", "12", "a b"]])
def test_nothing_comes_of_nothing(texts: list[str]) -> None:
    assert find_clusters([Issue(str(n), text) for n, text in enumerate(texts)]).clusters == ()


def test_by_hand_beats_the_machine() -> None:
    moved = [
        Issue(each.id, each.text, "mine", by_hand=True) if each.id in {"card0", "export0"} else each
        for each in issues()
    ]
    alone = Issue("card9", "my credit card is declined", None, by_hand=True)
    found = find_clusters([*moved, alone]).clusters
    together = next(each for each in found if "card0" in each.issues)
    assert "export0" in together.issues
    assert all("card9" not in each.issues for each in found)


def test_new_issues_go_to_the_cluster_that_they_are_nearest_to() -> None:
    known = {
        problem: [Issue(f"{problem}{n}", text) for n, text in enumerate(texts)]
        for problem, texts in TOLD.items()
    }
    new = [Issue("new", "our card is declined"), Issue("other", "do you sponsor meetups")]
    placed = place(new, known)
    assert placed.issues == {"new": "card"}
    assert place(new, {}).issues == {}


def test_the_child_answers_in_json() -> None:
    asked = [{"id": each.id, "text": each.text} for each in issues()]
    found = answer({"do": "find", "issues": asked, "settings": {}})
    assert len(found["clusters"]) == 3
    known = {"c1": asked[:4], "c2": asked[4:8]}
    new = [{"id": "new", "text": "our card is declined"}]
    assert answer({"do": "place", "issues": new, "known": known})["issues"] == {"new": "c2"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I cannot log in with my password", "en"),
        ("Ich kann mich mit meinem Kennwort nicht anmelden", "de"),
        ("No puedo iniciar sesión con mi contraseña", "es"),
        ("Je ne peux pas me connecter avec mon mot de passe", "fr"),
        ("Non riesco ad accedere con la mia password", "it"),
        ("Não consigo fazer login com a minha senha", "pt"),
        ("Ik kan niet inloggen met mijn wachtwoord", "nl"),
    ],
)
def test_the_same_means_the_same_in_each_language(text: str, language: str) -> None:
    assert language_of(text) == language
    assert {"login", "password"} <= set(words_of(text, language))


def test_what_a_compound_is_made_of_is_known() -> None:
    assert {"email", "attachment"} <= set(words_of("Mailanhang", "de"))


def test_a_title_is_in_the_language_that_most_of_a_cluster_is_in() -> None:
    german = ["Kartenzahlung abgelehnt, bitte um Hilfe", "karte wurde abgelehnt"]
    told = [Issue(f"de{number}", text) for number, text in enumerate(german)]
    found = find_clusters([*issues(), *told]).clusters
    card = next(each for each in found if "card0" in each.issues)
    assert card.title == "card is declined"
    # What is typical begins the summary.
    assert card.summary.partition(" · ")[0].casefold() in {each.casefold() for each in TOLD["card"]}


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["hello. invoices are wrong!"], "Invoices are wrong"),
        (["iPhone invoices are wrong"], "iPhone invoices are wrong"),
        (["something else. the invoice is wrong, " + "and so on " * 20], "The invoice is wrong"),
        ([""], ""),
    ],
)
def test_a_title_holds_what_tells_the_cluster_apart(said: list[str], title: str) -> None:
    found = sentence_of(said, {"invoice": 2.0, "wrong": 1.0})
    assert found.startswith(title)
    assert len(found) <= LONGEST


def test_what_is_uncertain_is_offered() -> None:
    known = {
        problem: [Issue(f"{problem}{n}", text) for n, text in enumerate(texts)]
        for problem, texts in TOLD.items()
    }
    text = "the bank shuts early"
    placed = place([Issue("doubtful", text)], known)
    assert placed.issues == {}
    assert [(each.issue, each.cluster) for each in placed.likely] == [("doubtful", "card")]


def test_the_conversations_of_a_smart_home_come_together() -> None:
    told = read(DATA / "conversations-home.jsonl")
    found = find_clusters([Issue(str(n), each.text) for n, each in enumerate(told)]).clusters
    cluster = {issue: number for number, each in enumerate(found) for issue in each.issues}
    got = figures(told, [cluster.get(str(number), -1) for number in range(len(told))])
    assert got["ARI"] >= 0.4
    assert got["purity"] >= 0.65
    assert got["noise"] <= 0.35
    assert got["across"] >= 0.35
