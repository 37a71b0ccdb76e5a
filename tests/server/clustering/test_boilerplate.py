"""What a form asks is in all texts, and tells none of them from another."""

from __future__ import annotations

from copydesk.server.clustering.boilerplate import FEWEST, without_forms
from copydesk.server.clustering.grouping import Issue, find_clusters

FORM = """{subject}
### What happened?
{subject}
Name: Kim {number}
Description: {subject}, since the update of Monday
**Version:** {number}.2
- [x] I have searched
Enabled apps
Operating system: Debian 11
"""


def test_only_what_is_filled_in_is_left() -> None:
    subjects = [f"Problem number {'abcdefghij'[n]} of many" for n in range(FEWEST)]
    texts = [FORM.format(subject=each, number=n) for n, each in enumerate(subjects)]
    assert without_forms(texts) == [
        f"{each}\n{each}\n{each}, since the update of Monday" for each in subjects
    ]
    assert without_forms(texts[1:]) == texts[1:]


def test_who_says_what_many_say_and_nothing_else_says_it_still() -> None:
    many = ["I cannot log in"] * 9 + ["Hello\nI cannot log in"] * 9
    assert without_forms(many) == many
    assert without_forms([f"{each}\nThe code never comes" for each in many])[0] == many[0] + (
        "\nThe code never comes"
    )
    assert without_forms(["", " ", "?!"] * FEWEST) == ["", " ", "?!"] * FEWEST


def test_what_stands_behind_the_name_of_a_field_is_whole() -> None:
    filled = [f"1{n}:30 an error is shown" for n in range(FEWEST)]
    assert without_forms([f"発生時刻：{each}" for each in filled]) == filled


def test_a_form_pulls_no_problems_together() -> None:
    told = {
        "export": ["Export of invoices stops", "Invoice export is empty", "Exported invoices lack"],
        "code": ["The login code never comes", "No code for the login", "Login code is late"],
        "dns": ["Custom domain has no certificate", "Certificate of the domain", "Domain: no cert"],
    }
    given = [
        Issue(f"{key}{n}", FORM.format(subject=each, number=f"{key}{n}"))
        for key, texts in told.items()
        for n, each in enumerate(texts)
    ]
    found = find_clusters(given).clusters
    assert {frozenset(each.issues) for each in found} == {
        frozenset(f"{key}{n}" for n in range(3)) for key in told
    }
    assert not any("apps" in each.title or "happened" in each.summary for each in found)
