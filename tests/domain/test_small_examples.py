"""What is made of short texts and numbers, whole: each with what comes of it (see `remade`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from copydesk.contract.models.merge_rules import MergeRule
from copydesk.domain import (
    access,
    address,
    block_tags,
    changed_words,
    completion,
    condition,
    html_line,
    integration_manifest,
    json_display,
    json_text,
    keymap,
    known_name,
    mail_words,
    mention,
    merge_rules,
    moments,
    own_command,
    own_words,
    personal_data,
    picture,
    redirects,
    slug,
    source_name,
    space_tree,
    text,
    trend,
    visitor_schema,
)
from copydesk.domain.diff import whole_words
from copydesk.domain.page_tree import PageNode, compare_trees
from copydesk.domain.request_folder import file_names
from copydesk.domain.saved_reply import SavedReply
from tests.domain.test_examples import Made, plain, refused
from tests.golden_json import remade

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def error_or(work: Callable[[], object]) -> Made:
    """Return what is made, or what is said where that is refused."""
    try:
        return plain(work())
    except ValueError as error:
        return f"refused: {error}"


def pulse(given: Mapping[str, Any]) -> Made:
    """Return what is told of the issues of weeks, and of merges among them."""
    weeks = given["weeks"]
    rate = trend.rate(weeks)
    bars = [trend.spark(weeks), trend.spark(weeks, ascii=True), trend.spark(weeks, top=20)]
    effects = [
        [plain(each), plain(each.ratio), each.helped, each.change]
        for each in trend.effects(weeks, given.get("merges", []))
    ]
    return [
        plain(trend.trend(weeks, given["issues"])),
        plain(rate),
        rate.move,
        rate.rank,
        bars,
        effects,
    ]


def addressed(given: str) -> Made:
    """Return what an address is of, and how it is written."""
    return [
        plain(address.parse_app_url(given)),
        address.web_address(given),
        address.is_unserved(given),
        address.is_path_part(given),
        address.shown_at(None, given),
        address.markdown_link("A [b] \\c", given),
        error_or(lambda: address.service_url(given)),
    ]


def redirected(given: Mapping[str, str]) -> Made:
    """Return what a redirect from a source does to a path."""
    source, path, to = given["source"], given["path"], given["to"]
    return [
        list(redirects.candidates(path)),
        [redirects.landing(source, path, to, capture=capture) for capture in (True, False)],
        list(redirects.probes(source)),
        redirects.wrong_source(source),
        redirects.path_on(path, "https://Docs.acme.test/"),
    ]


def ruled(given: Mapping[str, Mapping[str, Any]]) -> Made:
    """Return where redirects lead, and which go in a loop."""
    rules = {name: redirects.Rule(name, **each) for name, each in given["rules"].items()}
    held = redirects.Rules(rules, {"/shown": "Shown", "/a/b": "Below"})
    paths = ["/a", "/a/b", "/a/b/c", "/shown", "/b"]
    return [
        {path: [plain(held.holding(path)), plain(held.follow(path))] for path in paths},
        {name: [plain(held.loop(name)), plain(held.trouble(rule))] for name, rule in rules.items()},
    ]


PEOPLE = [
    mention.Named("1", "Ana Costa", "ana.c@acme.test"),
    mention.Named("2", "Ana Silva", "as@acme.test"),
    mention.Named("3", "Lee"),
]


def typing(given: str) -> Made:
    """Return what may be completed at the end of a line, and whom the line names."""
    begun = completion.begun(given)
    named = [mention.names(given, each, PEOPLE) for each in PEOPLE]
    if begun is None:
        return [mention.names_somebody(given), named]
    known = [("smile", "😄"), ("smiley", "😃"), ("cat with a smile", "😸"), ("+1", "👍")]
    replies = [SavedReply("thanks", "Thank you, {person}."), SavedReply("this", "See {page}.")]
    return [
        plain(begun),
        plain(completion.people(begun.typed, PEOPLE)),
        [plain(completion.emoji(begun.typed, known, plain=each)) for each in (True, False)],
        plain(completion.replies(begun.typed, replies, {"person": "Ana"})),
        mention.names_somebody(given),
        named,
    ]


def from_mail(given: str) -> Made:
    """Return what of a mail is the writer's own."""
    return [
        mail_words.own_words(given, reply=True),
        mail_words.own_words(given, reply=False),
        mail_words.own_subject(given.partition("\n")[0]),
    ]


def command(given: Mapping[str, Any]) -> Made:
    """Return what is wrong with a command, and what of it is run."""
    run, shell = tuple(given["run"]), given.get("shell", False)
    return [
        list(own_command.wrong_words(run, shell=shell)),
        error_or(lambda: own_command.ready(run, given.get("values", {}), shell=shell)),
    ]


def keys(given: Mapping[str, Any]) -> Made:
    """Return which keys actions have, and what is wrong with those of the settings."""
    own = keymap.OwnKeys(given.get("preset", "vim"), given.get("own", {}))
    declared = {name: tuple(each) for name, each in given["declared"].items()}
    found = [
        keymap.keymap_of(declared, given["screens"], own, given.get("fields", ()), browser=browser)
        for browser in (False, True)
    ]
    renamed = keymap.keys_renamed(
        (each[0], tuple(found[0][0].get(name, each))) for name, each in declared.items() if each
    )
    return [plain(found), renamed, keymap.with_keys(given.get("text", ""), renamed)]


def two_rows(given: tuple[str, str]) -> Made:
    """Return the words, and the cells, that differ between two rows."""

    def marked(both: tuple[changed_words.Spans, changed_words.Spans]) -> list[str]:
        signs = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
        return ["".join(signs[each.kind].format(each.text) for each in side) for side in both]

    exact, plain_words = (
        changed_words.compare_words(*given),
        changed_words.compare_words(*given, exact=False),
    )
    found = [exact, plain_words, changed_words.compare_cells(*given), whole_words(*exact)]
    count = [changed_words.count_words(each) for each in exact]
    return [[marked(each) for each in found], count, changed_words.tokens(given[0])]


def aged(given: str) -> Made:
    """Return how a moment reads at noon of the 4th of March 2026."""
    then = moments.instant(given)
    ahead = timedelta() if then is None else then - NOW
    return [
        moments.age(then, NOW), moments.ago(then, NOW), moments.told_ago(then, NOW),
        moments.spelled(f"Sent {moments.ago(then, NOW)}."), moments.is_age(moments.age(then, NOW)),
        moments.age_or_ahead(then, NOW), moments.moment(then, NOW), moments.apart(ahead),
        plain(moments.service_time(NOW, ahead)),
    ]  # fmt: skip


def manifest(given: tuple[str, bool]) -> Made:
    """Return what a manifest says and where, and which files it names."""

    def read(text: str) -> Made:
        found = integration_manifest.read_manifest(text, is_json=given[1])
        lines = {json_text.where(path): line for path, line in found.lines.items()}
        wrong = [str(each) for each in found.problems]
        return [found.value, lines, wrong, list(integration_manifest.files_named(found.value))]

    return refused(read)(given[0])


def json_said(given: str) -> Made:
    """Return what a JSON text says, with what it has twice, or why it is none, and where."""
    try:
        found = json_text.read_json(given)
    except json_text.JsonTextError as error:
        return [str(error), error.line, error.column]
    places = [json_text.place_of(given, at) for _, at in found.twice]
    return [json_display.json_text(found.value), plain(found.twice), places, found.where(("a", 0))]


def tagged(given: str) -> Made:
    """Return the block or the HTML that a line is."""
    tag = block_tags.read_tag(given)
    said = (
        None if tag is None else [tag.name, tag.kind.word, tag.ends, block_tags.said_of(tag, given)]
    )
    return [block_tags.is_tag(given), said, plain(html_line.read_html(given))]


def titled(given: tuple[str, str]) -> Made:
    """Return how well a title is what was typed, and slugs of both."""
    typed, title = given
    return [
        known_name.rank(typed, title), slug.slugify(title), slug.is_slug(typed, title),
        slug.free_slug(slug.slugify(title), {typed, f"{typed}-1"}),
    ]  # fmt: skip


def masked(given: str) -> Made:
    """Return a text without what is of a person."""
    return [
        personal_data.mask(given),
        personal_data.mask_kept(given),
        personal_data.mask_emails(given),
    ]


def pictured(given: str) -> Made:
    """Return the pictures that a text shows."""
    names = {"a b.png": "1", "img/c.png": "2", ".gitbook/assets/d.png": "3", "e": "4"}
    found = picture.pictures_of(given)
    return [
        picture.may_show(given),
        [[*each, picture.files_named(each[0], names)] for each in map(plain_pair, found)],
    ]


def plain_pair(shown: picture.Shown) -> list[str]:
    return [shown.address, shown.words]


def trees(given: tuple[list[list[Any]], list[list[Any]]]) -> Made:
    """Return what changed between two trees of pages, and the names of files of the second."""
    before, after = (
        [
            PageNode(page, title, title.lower(), path, kind, parent, at, version=(version, None))
            for page, title, path, kind, parent, at, version in each
        ]
        for each in given
    )
    changes = [
        [each.id, list(each.kinds), each.page.title] for each in compare_trees(before, after)
    ]
    return [changes, file_names(after)]


def rules_held(given: Mapping[str, Any]) -> Made:
    """Return how rules come out of the facts of a change request, and who stands against it."""
    rules = [MergeRule(rule=name, users=users) for name, users in given["rules"]]
    about = {**given.get("facts", {})}
    if "verdicts" in about:
        about["verdicts"] = [
            merge_rules.Verdict(who, status, outdated, moments.instant(at))
            for who, status, outdated, at in about["verdicts"]
        ]
    facts = merge_rules.MergeFacts(**about)
    results = merge_rules.evaluate(rules, facts)
    against = merge_rules.objectors(facts.verdicts or (), facts.author)
    named = [merge_rules.said_of(each) for each in rules]
    objection = merge_rules.objection(against, results)
    return [plain(results), merge_rules.blocking(results), against, objection, named]


def reached(given: Mapping[str, Any]) -> Made:
    """Return what gives people their level in a place, and what changes of it do."""
    chain = [
        access.Container(kind, key, title, default, tuple(access.Given(*each) for each in some))
        for kind, key, title, default, some in given["chain"]
    ]
    person = access.Person("u", given["role"], frozenset(given["teams"]), given["disabled"])
    found = access.sources(chain, "Acme", person)
    change = access.Change("user", "u", "Una", chain[0].level_of("u"), given["after"])
    known = access.KnownSources(chain, {"t": frozenset({"u"}), "v": frozenset({"w"})})
    staged = access.stage({}, change)
    again = access.staged_of(access.staged_text(staged.values()))
    return [
        plain(found), access.level_from(found), access.level_with(found, given["after"]),
        change.told(found), [known.of("u", level) for level in ("read", "edit", "admin")],
        plain(staged), again == staged,
        plain([access.Holder(kind, "h", "o").step(change) for kind in ("space", "site")]),
    ]  # fmt: skip


def grown(given: Mapping[str, Any]) -> Made:
    """Return a tree of spaces and collections: a line for each, with its sums."""
    nodes = [
        space_tree.SpaceNode(kind, key, title, parent, opened, drafts, comments, updated)
        for kind, key, title, parent, opened, drafts, comments, updated in given["nodes"]
    ]
    tree = space_tree.build_tree(
        nodes, given["sort"], backwards=given["backwards"], partial=given["partial"]
    )
    return [
        f"{each.id} {each.title}: {each.open} {each.draft} {each.comments} {each.spaces}"
        f" {each.updated} > {' '.join(child.id for child in each.children)}"
        for each in space_tree.walk(tree)
    ]


def conditioned(given: str) -> Made:
    """Return why a text is no condition, and which attributes of visitors it names."""
    return [condition.why_no_condition(given), plain(visitor_schema.claims_in(given))]


def counted(given: tuple[int, str]) -> Made:
    """Return a number with its noun, as a size, and as many words in a sentence."""
    count, noun = given
    return [
        text.plural(count, noun), text.plural(count, noun, "many"), text.size_words(count),
        text.listed([noun] * (count % 4), "or"), text.capital(noun), text.same_name(noun, "Box"),
        text.few([noun] * (count % 5), 2),
        source_name.source_id(noun), source_name.is_source_id(noun),
        source_name.source_label(noun),
    ]  # fmt: skip


KINDS: Mapping[str, Callable[[Any], Made]] = {
    "pulses": pulse,
    "addresses": addressed,
    "redirects": redirected,
    "redirect_rules": ruled,
    "typing": typing,
    "mail_words": from_mail,
    "own_words": lambda given: [own_words.own_words(given), own_words.without_call(given)],
    "own_commands": command,
    "keymaps": keys,
    "rows": two_rows,
    "ages": aged,
    "manifests": manifest,
    "json_texts": json_said,
    "tag_lines": tagged,
    "titles": titled,
    "masked": masked,
    "pictures": pictured,
    "page_trees": trees,
    "rules": rules_held,
    "levels": reached,
    "space_trees": grown,
    "conditions": conditioned,
    "images": lambda given: picture.image_size(bytes.fromhex(given)),
    "numbers": counted,
    "schema_changes": lambda given: [plain(found := visitor_schema.changes(*given)), bool(found)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_of_what_is_given_the_same_is_made(kind: str, update_golden: bool) -> None:
    remade(kind, KINDS[kind], update=update_golden)
