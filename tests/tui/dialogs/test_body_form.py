"""Forms made of the bodies of the contract: what they show, check, and send."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from pydantic import Field, StringConstraints, ValidationError

from copydesk.client.errors import Unreachable
from copydesk.contract.enumerations import Role
from copydesk.contract.models.base import Body, Timestamp, WebAddress
from copydesk.session.errors import NotDoneError
from copydesk.session.options import Option
from copydesk.tui.dialogs.body_fields import SAMPLES, Slot, alike, slots_of, words_of
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.body_values import Filling
from copydesk.tui.dialogs.dialog import Box
from copydesk.tui.dialogs.form import FieldsWrongError, Form
from copydesk.tui.dialogs.form_fields import FormInput
from tests.contract.examples import SENT, example, least, sendable
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import World


@st.composite
def bodies(draw: st.DrawFn) -> tuple[type[Body], dict[str, Any]]:
    """Draw a body model, and JSON of it with some of what it may leave out left out."""
    model = draw(st.sampled_from(SENT))
    whole, needed = sendable(example(model)), sendable(least(model))
    left_out = draw(st.sets(st.sampled_from(sorted(whole)))) if whole else set()
    kept = {name: each for name, each in whole.items() if name in needed or name not in left_out}
    for slot in slots_of(model):
        if len(slot.path) == 1 and slot.name in kept and slot.kind in ("text", "choice", "list"):
            kept[slot.name] = draw(_values(slot))
    try:
        return model, json.loads(model.model_validate(kept).to_json())
    except ValidationError:  # a rule between fields
        reject()


def _values(slot: Slot) -> st.SearchStrategy[Any]:
    if slot.kind == "choice":
        return st.sampled_from([slot.read(each) for each in slot.values])
    words = st.text("abc é漢-", min_size=1, max_size=8).map(str.strip).filter(bool)
    if slot.kind == "list":
        short = words.filter(lambda each: each != "data")
        return st.lists(short, min_size=1, max_size=3)
    shape = slot.schema_of("pattern")
    if shape is not None:
        return st.sampled_from([each for each in SAMPLES if re.search(shape, each)])
    least_many = slot.schema_of("minLength") or 0
    return words.map(lambda each: each * (1 + least_many)).map(lambda each: each[: slot.longest])


def texts_of(filling: Filling[Any], value: Mapping[str, Any]) -> dict[str, str]:
    """Return what a person types for the JSON of a body."""
    texts = {}
    for slot in filling.slots:
        at: Any = value
        for part in slot.path:
            at = at.get(part) if isinstance(at, Mapping) else None
        texts[slot.name] = slot.written(at).strip()
    return texts


@given(bodies())
def test_what_is_filled_in_is_the_body(drawn: tuple[type[Body], dict[str, Any]]) -> None:
    model, value = drawn
    filling = Filling(model, None)
    texts = texts_of(filling, value)
    assert [slot.name for slot in filling.slots if filling.check(slot, texts[slot.name])] == []
    assert json.loads(filling.body(texts).to_json()) == value


def test_every_body_has_a_form_and_every_pattern_a_sample() -> None:
    for model in SENT:
        whole = sendable(example(model))
        filling = Filling(model, None)
        assert json.loads(filling.body(texts_of(filling, whole)).to_json()) == whole
        form = body_form(model, title="All", draft_key="all", send=Desk().send, current=whole)
        assert {each.name for each in form.fields} == {slot.name for slot in filling.slots}
        for slot in filling.slots:
            shape = slot.schema_of("pattern")
            assert shape is None or alike(shape), slot
            if slot.kind in ("text", "number", "moment"):
                assert slot.limits or slot.longest is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(SENT), st.data())
def test_what_is_not_edited_is_not_sent(model: type[Body], data: st.DataObject) -> None:
    names = [slot.path[0] for slot in slots_of(model)]
    current = {name: data.draw(JSON) for name in names}
    filling = Filling(model, current)
    assert filling.values(filling.first) == {}
    for slot in filling.slots:
        if slot.kind == "json" and filling.first[slot.name]:
            # Nothing is lost in JSON, drawn or not: any edit sends the rest as it was.
            assert slot.read(filling.first[slot.name]) == filling._known[slot.name]
    for slot in filling.slots:
        text = data.draw(st.text(max_size=20)).strip()
        sent = filling_values(filling, {**filling.first, slot.name: text})
        needed = {other.path[0] for other in filling.slots if other.required}
        assert sent.keys() - needed <= {slot.path[0]}


def filling_values(filling: Filling[Any], texts: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        return filling.values(texts)
    except FieldsWrongError:
        return {}


class Look(Body):
    """A part of a handbook."""

    theme: Literal["light", "dark"]
    dense: bool | None = None


class HandbookUpdate(Body):
    """A body with a field of every kind."""

    nullable: ClassVar[tuple[str, ...]] = ("home", "default_role")

    title: Annotated[str, StringConstraints(min_length=2, max_length=20)] | None = Field(
        default=None, description="What the handbook is called, wherever it is listed."
    )
    home: WebAddress | None = Field(default=None, description="The page that readers see first.")
    default_role: Role | None = Field(
        default=None, description="The role of whoever joins, and of everyone who never got one."
    )
    public: bool | None = None
    topics: list[Literal["guides", "reference", "news"]] | None = None
    editors: Annotated[list[str], Field(max_length=3)] | None = None
    pages: Annotated[int, Field(ge=1, le=500)] | None = None
    opens_at: Timestamp | None = None
    look: Look | None = None
    extra: dict[str, Any] | None = None


NOW = {
    "title": "Staff hand\u202ebook\x1b[31m",
    "home": "http://acme.io",
    "defaultRole": "edit",
    "public": False,
    "topics": ["guides", "news"],
    "editors": ["ana", "lee"],
    "pages": 12,
    "look": {"theme": "light", "dense": True},
    "extra": {"a": 1},
}


class HandbookCreate(Body):
    """A new one."""

    name: Annotated[str, StringConstraints(max_length=9)] = Field(description="Its short name.")
    kind: Literal["book"]
    home: WebAddress | None = None
    role: Role | None = None
    public: bool = False
    organization: str


class Desk:
    """What a form sends to, and what it answers."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.refusal = ""
        self.fails: Exception | None = None
        self.answers: asyncio.Event | None = None

    async def send(self, body: Body) -> None:
        self.sent.append(json.loads(body.to_json()))
        if self.fails is not None:
            raise self.fails
        if self.answers is not None:
            await self.answers.wait()
        if self.refusal:
            raise NotDoneError(self.refusal)


async def people() -> Sequence[Option]:
    mallory = Option(f"mallory{HOSTILE}", "Mallory")
    return [Option("ana", "Ana"), Option("lee", "Lee"), Option("sam", "Sam Ortiz"), mallory]


async def show(driver: Driver, form: Form) -> Form:
    driver.app.push_screen(form)
    await driver.idle()
    return form


HOSTILE = "\x1b[31mStaff\u202e hand\u200bbook\x07"


def edit(desk: Desk, current: Mapping[str, Any] = NOW) -> Form:
    return body_form(
        HandbookUpdate,
        title="Edit Staff handbook",
        draft_key="handbook",
        send=desk.send,
        current=current,
        offers={"editors": people},
        labels={"home": "First page"},
    )


async def test_only_what_differs_is_sent_and_limits_are_told_while_typing(
    world: World, update_golden: bool
) -> None:
    desk = Desk()
    async with drive(open_world(world)) as driver:
        form = await show(driver, edit(desk))
        driver.golden("body-form", update=update_golden)
        await driver.press("ctrl+s")
        assert "Nothing is changed yet." in driver.screen
        await driver.burst(*" for us")
        assert "20 characters at most, this has 21" in driver.line("Title")
        await driver.press("ctrl+s")
        assert "Mend “Title” first." in driver.screen
        assert desk.sent == []
        await driver.burst(*["backspace"] * 7)
        await driver.press("tab")
        await driver.burst(*["backspace"] * 14)
        assert "will be removed" in driver.line("First page")
        await driver.press("tab", "g")
        assert "was edit" in driver.line("Default role")
        assert "guest (none)" in driver.screen
        await driver.burst("tab", "left", "tab")
        await driver.press("ctrl+o", "space", "ctrl+s", "tab")
        assert form.values()["topics"] == "news"
        await driver.press("ctrl+o", "space", "ctrl+s")
        # What is sent is the id; what is read in the field is what that is called.
        assert form.values()["editors"] == "lee"
        assert driver.line("   Lee   ")
        await driver.press("tab", "0", "tab")
        assert form.values()["pages"] == "120"
        await driver.burst(*"soon")
        assert "it has to be a date and a time" in driver.line("Opens at")
        await driver.burst(*["backspace"] * 4)
        await driver.press("tab", "d")
        await driver.burst("tab", "tab")
        await driver.press("x")
        assert "this is not JSON" in driver.line("Extra")
        await driver.press("backspace")
        desk.refusal = "body.look.theme: not in winter; body.editors.0: no one is called lee"
        await driver.press("ctrl+s")
        expected = {
            "home": None,
            "defaultRole": None,
            "public": True,
            "topics": ["news"],
            "editors": ["lee"],
            "pages": 120,
            "look": {"theme": "dark", "dense": True},
        }
        assert desk.sent == [expected]
        assert "no one is called lee" in driver.line("Editors")
        assert "The service did not accept “Editors” and “Look: theme”." in driver.screen
        await driver.press("escape")
        form = await show(driver, edit(desk))
        assert "what you typed before is back" in driver.screen
        await driver.press("tab", "tab", "tab", "tab", "tab")
        assert driver.line("   Lee   "), "what its ids are called is kept too"
        desk.refusal = ""
        desk.fails = Unreachable("desk.test cannot be reached")
        await driver.press("ctrl+s")
        assert "Offline: not sent." in driver.screen
        assert "offline" in driver.screen.splitlines()[0]
        desk.fails = None
        # Nothing is typed, and nothing sent again, until the answer is there.
        desk.answers = asyncio.Event()
        for key in ("ctrl+s", "X", "ctrl+s", "escape"):
            await driver.send(key)
        assert "Being sent" in driver.screen
        desk.answers.set()
        await driver.idle()
        assert desk.sent == [expected] * 3
        assert driver.app.screen is not form


async def test_a_new_one_leaves_out_what_is_empty_and_hostile_values_stay(
    world: World, update_golden: bool
) -> None:
    desk = Desk()
    async with drive(open_world(world), size=(140, 40)) as driver:
        form = body_form(
            HandbookCreate, title="New handbook", draft_key="new", send=desk.send, verb="make it",
            fixed={"organization": "acme"},
        )  # fmt: skip
        await show(driver, form)
        await driver.press("ctrl+s")
        assert "it has to be filled in" in driver.line("Name")
        await driver.burst(*"docs")
        await driver.press("tab", "tab", "r")
        driver.golden("body-form-new", update=update_golden)
        await driver.press("ctrl+s")
        assert desk.sent == [
            {"name": "docs", "kind": "book", "role": "review", "organization": "acme"}
        ]
        await show(driver, edit(desk))
        driver.golden("body-form", update=update_golden)
        await driver.press("escape")
        now = {"title": HOSTILE, "editors": [HOSTILE, "a,b"], "extra": {"a": "x" * 1_000_000},
               "look": {"theme": "sepia"}, "defaultRole": "owner"}  # fmt: skip
        form = await show(driver, edit(desk, now))
        assert form.values()["title"] == "Staff handbook"
        assert form.values()["extra"] == ""
        assert form.values()["look.theme"] == "sepia"
        await driver.press("ctrl+s")
        assert "Nothing is changed yet." in driver.screen
        await driver.paste(HOSTILE)
        assert form.values()["title"] == "Staff handbookStaff handbook"
        assert isinstance(form.focused, FormInput)
        assert form.focused.cursor_position == 28
        await driver.burst(*["backspace"] * 14)
        desk.refusal = "body.sister: what is that?"
        await driver.press("!", "ctrl+s")
        assert desk.sent[1:] == [{"title": "Staff handbook!"}]
        assert "what is that?" in driver.screen
        await driver.press("escape")
        kept = {"title": f"{HOSTILE}?", "extra": f"{HOSTILE}\r\n"}
        driver.app.session.drafts.save("handbook", json.dumps(kept))
        form = await show(driver, edit(desk, {}))
        assert form.changed() == {"title": "Staff handbook?", "extra": "Staff handbook"}
        for _ in "abcde":
            await driver.press("tab")
        assert form.values()["editors"] == ""
        await driver.press("ctrl+o")
        assert "Mallory" not in driver.screen, "what was sent for it would be another id"
        await driver.press("escape")
        assert "Left out: 1 offer whose id has signs that cannot be drawn." in driver.screen
        family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
        await driver.paste(f"{HOSTILE}\r\n\t{family}\n")
        assert form.values()["editors"] == f"Staff handbook\n\t{family}"
        assert not re.search("[\x00-\x08\x0b-\x1f\u200b\u202e]", driver.screen)


async def test_all_lines_of_a_pasted_text_are_in_a_field_of_one(world: World) -> None:
    async with drive(open_world(world), size=(80, 24)) as driver:
        form = await show(driver, edit(Desk(), {}))
        await driver.paste("\n Staff\r\n\n\thandbook \nof 2026\n")
        assert form.values()["title"] == "Staff handbook of 2026"
        await driver.paste(" \n\n")
        await driver.paste(" and 2027 \n")
        assert form.values()["title"] == "Staff handbook of 2026 and 2027"


async def test_the_field_in_focus_is_in_sight_on_the_smallest_screen(world: World) -> None:
    async with drive(open_world(world), size=(80, 24)) as driver:
        form = await show(driver, edit(Desk()))
        for _ in range(4):
            await driver.press("tab")
        for size in ((30, 6), (80, 24), (30, 8), (40, 12)):
            await driver.resize(*size)
            assert form.focused is not None
            field = form.focused.region
            assert field.height
            assert form.query_one(Box).region.contains_region(field), size
            assert field.bottom <= form.query_one(".foot").region.y, size


def test_the_fields_that_are_asked_for() -> None:
    filling = Filling(HandbookUpdate, {}, ["look", "title"])
    assert [slot.name for slot in filling.slots] == ["look.theme", "look.dense", "title"]
    with pytest.raises(ValueError, match="no field sister"):
        Filling(HandbookUpdate, {}, ["sister"])
    alike = ["a", "a\u200b", "b\nc", "\u200b"]
    filling = Filling(HandbookUpdate, {"editors": alike})
    texts = {**filling.first, "editors": filling.first["editors"] + "\nz"}
    assert filling.values(texts) == {"editors": ["a", "a\u200b", "b\nc", "z", "\u200b"]}
    filling = Filling(HandbookUpdate, {"editors": [HOSTILE, "a,b"]})
    texts = {**filling.first, "editors": filling.first["editors"] + "\nc, d"}
    assert filling.values(texts) == {"editors": [HOSTILE, "a,b", "c", "d"]}
    assert words_of("look.ssoURL") == "Look: SSO URL"
    assert [option.title for option in Filling(HandbookUpdate, {}).options(slots()["public"])] == [
        "leave as it is", "yes", "no",
    ]  # fmt: skip
    assert (
        Filling(HandbookUpdate, {"look": {}}).options(slots()["look.dense"])[0].title == "left out"
    )


def slots() -> Mapping[str, Slot]:
    return {slot.name: slot for slot in slots_of(HandbookUpdate)}
