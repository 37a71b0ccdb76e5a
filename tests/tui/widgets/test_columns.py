"""How the columns of a list share its width."""

from copydesk.tui.widgets.list import ROOMY, Column, VirtualList, lay_out
from tests.drive import drive
from tests.tui.desk_place import DeskApp, Request

COLUMNS = [
    Column[str]("number", "#", str, 4),
    Column[str]("subject", "SUBJECT", str, flex=1, minimum=24),
    Column[str]("space", "SPACE", str, 9, drop=2, most=14),
    Column[str]("by", "BY", str, 10, drop=1),
]


def widths(width: int) -> dict[str, int]:
    """Return the widths of the columns that are shown in so many cells."""
    return {column.key: cells for column, cells in lay_out(COLUMNS, width)}


def test_a_narrow_list_drops_columns_and_a_wide_one_grows_them() -> None:
    assert widths(40) == {"number": 4, "subject": 24, "by": 10}
    assert widths(60) == {"number": 4, "subject": 29, "space": 14, "by": 10}
    # What a subject does not need is given to names that are cut, and then to the subject again.
    assert widths(100) == {"number": 4, "subject": ROOMY, "space": 19, "by": 10}
    assert widths(160) == {"number": 4, "subject": 115, "space": 28, "by": 10}
    for width in range(50, 200):
        assert sum(widths(width).values()) + 3 == width


def test_a_narrow_column_comes_back_where_a_wide_one_had_to_go_too() -> None:
    columns = [
        Column[str]("title", "TITLE", str, flex=1, minimum=20),
        Column[str]("state", "STATE", str, 16, drop=1),
        Column[str]("path", "PATH", str, 9, drop=2),
        Column[str]("count", "COUNT", str, 5, drop=3),
    ]

    def shown(width: int) -> list[str]:
        return [column.key for column, _ in lay_out(columns, width)]

    assert shown(53) == ["title", "state", "path", "count"]
    assert shown(50) == ["title", "state", "path"], "the last one to go is what matters most"
    assert shown(38) == ["title", "state"]
    assert shown(36) == ["title", "path", "count"], "there is room for both without it"
    assert shown(28) == ["title", "count"]
    assert shown(20) == ["title"]


def test_cells_that_nothing_uses_are_given_to_what_is_cut() -> None:
    columns = [
        Column[str]("title", "TITLE", str, flex=2, minimum=12),
        Column[str]("said", "SAID", str, flex=1, minimum=12),
        Column[str]("from", "FROM", str, 12),
    ]

    def given(**longest: int) -> list[int]:
        return [cells for _, cells in lay_out(columns, 62, longest)]

    assert given() == [32, 16, 12]
    assert given(title=32, said=16, **{"from": 12}) == [32, 16, 12], "nothing is cut"
    # What lacks least is whole first; titles of columns stay whole, with the sign of the order.
    assert given(title=40, said=5, **{"from": 5}) == [40, 12, 8]
    assert given(title=90, said=20, **{"from": 5}) == [35, 20, 5]
    assert given(title=10, said=40, **{"from": 20}) == [10, 30, 20]
    assert given(title=90) == [32, 16, 12], "what was not measured gives nothing"
    for title in range(0, 90, 7):
        assert sum(given(title=title, said=30, **{"from": 3})) == 60


def test_a_flexible_column_has_its_minimum_where_there_is_room_for_all() -> None:
    columns = [
        Column[str]("name", "NAME", str, flex=1, minimum=26),
        Column[str]("said", "SAID", str, flex=2, minimum=24),
    ]
    for width, cells in ((40, (13, 26)), (51, (26, 24)), (61, (26, 34)), (91, (30, 60))):
        assert tuple(cells for _, cells in lay_out(columns, width)) == cells


async def test_rows_that_are_cut_take_room_from_the_details() -> None:
    long = "Rename the Connect chapter to Integrate, and say why, everywhere that it is linked"
    app = DeskApp()
    async with drive(app, size=(140, 40)) as driver:
        rows, detail = driver.app.screen.query(VirtualList)
        wide, before = rows.outer_size.width, driver.line("SUBJECT")
        assert driver.line("SUBJECT") == before, "where nothing is cut nothing moves"
        app.service.rows = [Request("7", long, "ana")]
        await driver.press("R", ".")
        assert long in driver.line("ana")
        taken = rows.outer_size.width
        assert taken > wide
        assert taken + detail.outer_size.width == 140
        app.service.rows = [Request("7", long * 3, "ana")]
        await driver.press("R", ".")
        assert "…" in driver.line("ana")
        assert detail.outer_size.width == 40, "what the details need they keep"
        await driver.resize(36, 24)
        assert detail.outer_size.width == 36
        assert "BY" in driver.line("SUBJECT"), "what was taken once is not lacking now"
        await driver.resize(100, 40)
        assert (rows.outer_size.width, detail.outer_size.width) == (60, 40)


async def test_a_list_above_its_details_is_as_wide_as_the_terminal() -> None:
    async with drive(DeskApp(), size=(200, 40)) as driver:
        driver.place.add_class("-vast", "-holds-none")
        await driver.press("P")
        widths = {each.outer_size.width for each in driver.place.query(VirtualList)}
        assert widths == {200}


def test_what_is_taken_is_no_room_for_more_columns() -> None:
    columns = [
        Column[str]("name", "NAME", str, flex=1, minimum=20),
        Column[str]("by", "BY", str, width=10, drop=1),
    ]
    assert [column.key for column, _ in lay_out(columns, 32)] == ["name", "by"]
    assert lay_out(columns, 32, taken=4) == [(columns[0], 32)]


def test_words_keep_off_numbers_before_them() -> None:
    number = Column[str]("n", "N", str, width=3, align="right")
    words = Column[str]("w", "W", str, flex=1)
    assert [cells for _, cells in lay_out([number, words], 30)] == [3, 25]
    assert [cells for _, cells in lay_out([words, number], 30)] == [26, 3]


async def test_a_number_that_comes_after_something_was_cut_is_whole() -> None:
    counts = {"121": "3", "118": "4", "114": "5", "113": "6"}
    async with drive(DeskApp(), size=(80, 24)) as driver:
        rows = driver.app.screen.query_one(VirtualList)
        rows.columns = (
            Column[Request]("subject", "SUBJECT", lambda row: row.subject * 9, flex=1),
            Column[Request]("count", "COUNT", lambda row: counts[row.id], 6, align="right"),
            Column[Request]("by", "BY", lambda row: row.by, width=20),
        )
        rows.refresh_rows()
        await driver.idle()
        counts["113"] = "1,234,567"
        rows.refresh_rows()
        await driver.idle()
        assert "1,234,567  ana" in driver.line("Rename")
        assert driver.line("Rename").rstrip(" ┃").endswith("ana"), "names take what they need"
