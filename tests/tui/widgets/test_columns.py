"""How the columns of a list share its width."""

from copydesk.tui.widgets.list import ROOMY, Column, lay_out

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
