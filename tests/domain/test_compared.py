"""Pages compared, row by row with every mark: how they read, as it was looked at and kept.

All of it is in ``tests/domain/compared.json``, which ``--update-golden`` writes: look at the
difference.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from copydesk.domain.diff import Line, Span, compare

KEPT = Path(__file__).parent / "compared.json"

PROSE = """# Retries

Deliveries are retried when your endpoint fails.

We retry five times over one hour.

Each attempt waits longer than the last. The first wait is ten seconds, the second a minute.

| Field | Type | Meaning |
|---|---|---|
| attempt | int | 1 to 5 |
| of | int | all |

A delivery that never succeeds is dropped. Nothing tells you that it was.

## Order

Events of one object may arrive out of order. Compare their times.

See the old guide for the reasons.
"""

WRAPPED = """One paragraph that goes on
over two lines, with a break\x20\x20
and ends here.

* an item
  that goes on
* another item
"""

CODE = """Before.

~~~ruby
first
second
~~~

```python
def answer():
    return 41
```

    indented
    code

After.
"""

HTML = """<table>
<tr><th>A</th><th>B</th></tr>
<tr><td><a href="x.md">One</a></td><td>Two <strong>bold</strong></td></tr>
</table>

<details>
<summary>More</summary>

Inside.

</details>

{% hint style="info" %}
Careful.
{% endhint %}
"""

PAIRS: dict[str, tuple[str, str]] = {
    "edited": (
        PROSE,
        PROSE.replace("five times over one hour", "eight times over 24 hours")
        .replace("1 to 5", "1 to 8")
        .replace("the old guide", "[Event delivery](events.md)"),
    ),
    "added and removed": (
        PROSE,
        PROSE.replace(
            "A delivery that never succeeds is dropped. Nothing tells you that it was.",
            "After the last attempt the event goes to the dead letter queue.",
        )
        .replace("| of | int | all |\n", "| next | time | when |\n| last | bool | whether |\n")
        .replace("Compare their times.", ""),
    ),
    "moved": (
        PROSE,
        PROSE.replace("We retry five times over one hour.\n\n", "").replace(
            "See the old guide", "We retry five times over one hour.\n\nSee the old guide"
        ),
    ),
    "sections moved": (
        "# A\n\nOne.\n\n## B\n\nTwo words here.\n\n## C\n\nThree words there.\n",
        "# A\n\nOne.\n\n## C\n\nThree words there.\n\n## B\n\nTwo words here.\n",
    ),
    "wrapped anew": (
        WRAPPED,
        WRAPPED.replace("goes on\nover two lines,", "goes on over\ntwo long lines,").replace(
            "another item", "another\n  thing"
        ),
    ),
    "split": (
        "One sentence stands here. Another one follows it. A third ends it.\n",
        "One sentence stands here.\n\nAnother one follows it. A third one ends it.\n",
    ),
    "joined": (
        "One sentence stands here.\n\nAnother one follows it.\n",
        "One sentence stands here. Another one follows it.\n",
    ),
    "code": (
        CODE,
        CODE.replace("second", "second, changed").replace("41", "42").replace("~~~\n\n", "~~~\n"),
    ),
    "html": (
        HTML,
        HTML.replace("Two <strong>bold</strong>", "Two <em>slanted</em>")
        .replace('style="info"', 'style="warning"')
        .replace("Inside.", "Inside of it."),
    ),
    "spelling": ("* One\n* Two\n\n---\n", "- One\n- Two\n\n***\n"),
    "line ends": ("One.\r\nTwo.\r\n", "One.\nTwo.\n\n\nThree."),
    "letters": (
        "The colour of the aeroplane, naïve café; 日本語のページです。",
        "The color of the airplane, naive cafe; 日本語の頁です。",
    ),
    "punctuation": (
        "Use the SHA-1 header, version 1.2.3 (see below).",
        "Use the SHA-256 header; version 1.3.0 (see above)!",
    ),
    "broken anew": (
        "One row stands here  \nand the second row follows it  \nbefore the third ends it all.\n",
        "One row stands there  \nand the second row  \nfollows it before the third ends it all"
        "  \nfor good.\n\nEnd.\n",
    ),
    "other breaks": (
        "First  \nsecond  \nthird  \nfourth\n",
        "First  \nsomething else  \nthird  \nfourth  \nfifth\n",
    ),
    "escapes": (
        "get\\_user and \\*all\\* of it.\n\n| a\\_b | \\*c\\* |\n|---|---|\n",
        "get_user and *all* of it.\n\n| a_b | *c* |\n|---|---|\n",
    ),
    "headings": (
        "# One\n\nText of one.\n\n## Two\n\nText of two.\n\n### Three\n\nText of three.\n",
        "# One\n\nText of one.\n\nTwo\n\nText of two.\n\n## Three\n\nText of three, changed.\n",
    ),
    "a paragraph became a heading": ("Set up the desk\n\nText.\n", "## Set up the desk\n\nText.\n"),
    "moved and edited": (
        "# A\n\nThe first paragraph speaks of deliveries, retries and the time between them.\n\n"
        "# B\n\nShort.\n\n# C\n\n- an item of a list\n- another item of it\n",
        "# A\n\nShort.\n\n# C\n\n- an item of a list\n- another item of it\n\n# B\n\nThe first "
        "paragraph speaks of deliveries, retries and the pause between them.\n",
    ),
    "moved up with what stands around it": (
        "Alpha is the first of these words.\n\nBeta is the second of these words.\n\nSame.\n\n"
        "```sh\nrun this now\n```\n\nSame.\n\nOmega is the last of these words.\n",
        "Same.\n\n```sh\nrun this now\n```\n\nSame.\n\nAlpha is the first of these words.\n\n"
        "Beta is the second of these words.\n\nOmega is the last of these words.\n",
    ),
    "said twice": (
        "The same words stand here.\n\nOther words.\n\nThe same words stand here.\n",
        "Other words.\n\nThe same words stand here.\n\nMore.\n\nThe same words stand here.\n",
    ),
    "lists": (
        "1. one\n2. two\n3. three\n\n- a\n  - b\n  - c\n- d\n",
        "1. one\n2. between\n3. two\n4. three\n\n- a\n  - c\n  - e\n- d, changed\n",
    ),
    "quotes": (
        "> One\n> goes on\n>\n> Two\n",
        "> One\n> goes on and on\n>\n> Three\n> > inner\n",
    ),
    "tables": (
        "| A | B |\n|---|---|\n| 1 | one |\n| 2 | two |\n| 3 | three |\n",
        "| A | B | C |\n|---|---|---|\n| 3 | three | x |\n| 1 | one more | y |\n| 4 | four | z |\n",
    ),
    "a fence without an end": ("A\n\n```\nB\n```\n\nC\n", "A\n\n```\nB\n\nC\n"),
    "front matter": ("---\ntitle: A\nx: 1\n---\n\nText.\n", "---\ntitle: B\nx: 1\n---\n\nText.\n"),
    "tags": (
        '{% hint style="info" %}\nA\n{% endhint %}\n\n{% tab title="One" %}\nB\n{% endtab %}\n',
        '{% hint style="danger" %}\nA\n{% endhint %}\n\n{% tab title="Two" %}\nB\n{% endtab %}\n',
    ),
    "what is hidden in html": (
        '<a href="x.md" class="a">It</a> is.\n\n<table><tr><td a="1">A</td></tr></table>\n',
        '<a href="x.md" class="b">It</a> is.\n\n<table><tr><td a="2">A</td></tr></table>\n',
    ),
    "little in common": (
        "All of this sentence is about birds.\n\nOne, two.\n",
        "None of that is about fish at all, nor about birds.\n\nThree, four.\n",
    ),
    "long": (
        "".join(f"Paragraph {n} says the number {n * n}.\n\n" for n in range(40)),
        "".join(
            f"Paragraph {n} says the number {n * n if n % 13 else -n}.\n\n"
            for n in range(40)
            if n not in (7, 8, 30)
        ),
    ),
    "addresses": (
        "See https://docs.example.com/guides/start?x=1#top and 10:30 at 3.5 km/h.",
        "See https://docs.example.com/guides/begin?x=2#top and 11:30 at 4.5 km/h.",
    ),
    "blank lines": ("One.\n\n\n\nTwo.\n", "One.\n\nTwo.\n\n\n"),
    "new": ("", PROSE),
    "gone": (WRAPPED, ""),
    "same": (PROSE, PROSE),
}


def spans(found: tuple[Span, ...]) -> str:
    signs = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
    return "".join(signs[span.kind].format(span.text) for span in found)


def told(line: Line) -> dict[str, Any]:
    values = {each.name: getattr(line, each.name) for each in fields(line)}
    shown = {
        name: spans(value) if name in ("spans", "marks") else value
        for name, value in values.items()
    }
    return {name: value for name, value in shown.items() if value not in (None, False, "", ())}


def test_pages_read_compared_as_they_did(update_golden: bool) -> None:
    found = {}
    for name, (before, after) in PAIRS.items():
        diff = compare(before, after)
        found[name] = {
            "lines": [json.dumps(told(line), default=repr, ensure_ascii=False) for line in diff],
            "hunks": [repr(hunk) for context in (0, 2) for hunk in diff.hunks(context)],
            "folded": [
                diff.sentence(hunk.start, hunk.stop) for hunk in diff.hunks() if hunk.folded
            ],
            "counts": [len(diff), diff.added, diff.removed, diff.changed, diff.quiet],
            "stops": repr(diff.changes),
        }
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if update_golden:
        KEPT.write_text(text, encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    for name, each in json.loads(text).items():
        assert each == kept[name], name
