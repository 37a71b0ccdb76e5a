"""Reports on clusters: that of the sample as it is kept, and of strangers who write markup."""

from __future__ import annotations

import re
from datetime import timedelta
from html.parser import HTMLParser
from itertools import count

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from copydesk.client.api import Api
from copydesk.client.in_process import AppTransport
from copydesk.contract import operations as ops
from copydesk.present.cluster_report import markdown, report_blocks, report_value
from copydesk.present.cluster_report_file import report_file
from copydesk.server.app import create_app, mint_token
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.session.cluster_rows import ClusterMerge, ClusterRow
from copydesk.session.reads.cluster_report import (
    Quote,
    ReportedCluster,
    ReportRead,
    Request,
    read_report,
)
from tests.drive import compare_golden
from tests.world import BASE_URL, START


async def test_the_report_of_the_sample(update_golden: bool) -> None:
    made = count(1)
    store = Store(clock=lambda: START, new_id=lambda: f"id{next(made)}", durable=False)
    owner = build_sample(store)
    token = store.write(lambda tx: mint_token(tx, owner, "test"))
    async with Api(BASE_URL, token, transport=AppTransport(create_app(store))) as api:
        [home] = [
            each for each in (await api(ops.list_organizations)).items if each.title == "Quayside"
        ]
        read = await read_report(api, home.id, home.title, 1, START)
    store.close()
    for ending in ("md", "html"):
        text = report_file(read, html=ending == "html", masked=True).decode()
        compare_golden(
            "report-of-the-sample", text.rstrip("\n"), update=update_golden, ending=ending
        )


def report_with(words: str, address: str = "https://a.example/1?b=c&d") -> ReportRead:
    """Return a report in which strangers wrote all that may be words."""
    row = ClusterRow(
        "c1", words, words, (0.0,) * 12 + (9.0,), 9, 8, ((words, 9.0),), START, START, address
    )
    requests = [Request(7, words, "merged", address)]
    told = ReportedCluster(row, requests, "", [Quote(words, words, START, address)])
    merges = {"c1": [ClusterMerge("r1", "#7", START - timedelta(weeks=4))]}
    return ReportRead(words, START, 1, [row], merges, [told])


class Seen(HTMLParser):
    """The elements, attributes and words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def seen(text: str) -> Seen:
    """Return what a browser makes of a page."""
    found = Seen()
    found.feed(text)
    found.close()
    return found


PLAIN = report_with("words")
MARKUP = (
    '</style></title><script>alert(1)</script><img src=x onerror=alert(1)>"\'&lt;',
    "![x](http://evil.example/p.png) [y](javascript:alert(1)) <http://evil.example>",
    "www.evil.example and https://evil.example",
    "# a", "> a", "- a", "1. a", "+ a", "===", "---", "```", "`a`", "a | b", "**a**", "_a_ ~~a~~",
    "a\\", "a\\|b", "{% embed %}", "$$a$$", "&amp; &#60;b>", "a #", "![", "]( <", "a  ", "* * *",
    "| a |\n|---|", "\tcode", "    code", "<!-- ", "[a]: b", ":smile:", "@ana",
)  # fmt: skip


READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def rendered(text: str) -> list[tuple[str, str]]:
    """Return the tokens of Markdown, with the words of links' targets."""
    tokens = READER.parse(text)
    found = [each for token in tokens for each in token.children or [token]]
    return [
        (each.type, str(each.attrs.get("href", "")))
        for each in found
        if each.type not in ("text", "text_special", "softbreak")
    ]


def words_of(text: str) -> str:
    """Return all words of Markdown, as they are read."""
    tokens = READER.parse(text)
    return "\n".join(
        "".join(each.content for each in token.children or () if each.type.startswith("text"))
        for token in tokens
    )


PLAIN_MARKDOWN = rendered(markdown(report_blocks(PLAIN, masked=False)))
PLAIN_PAGE = seen(report_file(PLAIN, html=True, masked=False).decode())


def check(words: str) -> None:
    """Assert that words make no markup in a report, and are all there."""
    read = report_with(words)
    text = markdown(report_blocks(read, masked=False))
    assert rendered(text) == PLAIN_MARKDOWN
    said = " ".join(words.split())
    assert words_of(text).count(said) >= 5
    page = seen(report_file(read, html=True, masked=False).decode())
    assert page.tags == PLAIN_PAGE.tags
    assert page.attributes == PLAIN_PAGE.attributes
    assert "".join(page.words).count(said) >= 5


def test_what_strangers_write_makes_no_markup() -> None:
    for words in MARKUP:
        check(" ".join(words.split()))


@given(
    st.text(st.sampled_from("ab1 \\`*_{}[]()<>#+-.!|~$&:@/=\"'w\u05d0"), min_size=1).map(str.strip)
)
def test_no_other_words_make_markup(words: str) -> None:
    said = " ".join(words.split())
    if said:
        check(said)


def test_addresses_lead_where_a_browser_gets_without_a_password() -> None:
    for address in ("http://desk.invalid/app/o/1", "javascript:alert(1)", "file:///etc/passwd", ""):
        read = report_with("words", address)
        assert "desk.invalid" not in markdown(report_blocks(read, masked=True))
        page = seen(report_file(read, html=True, masked=True).decode())
        assert "a" not in page.tags
    read = report_with("words", "https://a.example/1?token=abcdef&x=1")
    for html in (True, False):
        text = report_file(read, html=html, masked=False).decode()
        assert "a.example" in text
        assert "abcdef" not in text


def test_masked_unless_it_is_said_not_to_be() -> None:
    read = report_with("ask kim@example.org or +351 912 345 678, password: hunter2-x9")
    for masked in (True, False):
        texts = [report_file(read, html=html, masked=masked).decode() for html in (True, False)]
        for text in (*texts, str(report_value(read, masked=masked))):
            found = re.sub(r"[\\\s]+", " ", text).replace(" @", "@")
            assert ("kim@example.org" in found) is not masked
            assert ("912 345" in found) is not masked
            assert ("hunter2" in found) is not masked
        assert ("are not masked" in texts[0]) is not masked
