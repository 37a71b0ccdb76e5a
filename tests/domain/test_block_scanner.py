"""Where blocks and rows begin, whatever stands in a text: all of it in ``blocks.json``."""

from __future__ import annotations

import json

from copydesk.domain.blocks import BlockText, cells, even, read_fence
from tests.golden_json import compare

TEXTS = {
    "nothing": "",
    "blank lines only": "\n \n\t\n",
    "front matter": "---\ntitle: A\n---\n\n# A\n",
    "front matter without an end": "---\ntitle: A\n\nText.\n",
    "dashes further down": "A\n\n---\ntitle: B\n---\n",
    "headings": "# One\n\n###### Six\n####### Seven\n#No\n   ## Three in\n    # Four in\n#\n",
    "underlined": "One\n===\n\nTwo\n---\nThree\nlines\n--\n\n---\n\nFour\n= =\n\n===\n",
    "wrapped": "One that\n  goes on\n\tand on.\n\nTwo.  \nThree\\\nFour<br>\nFive<br/>\n"
    "Six <br />\nend.\n",
    "break before an underline": "One  \ntwo\n===\n",
    "rules": "***\n\n- - -\n___\n**\n * * *  \n-----\n\n  --  --\n",
    "items": "* a\n* b\n  goes on\n\n  more\n\n  * inner\n    - deep\n\n      text\n+ c\n- \n-\n"
    "-no\n",
    "numbers": "1. a\n2. b\n10) c\n\n   in it\n\n3. d\n\nText\n2. no item\n1. an item\n"
    "1234567890. no\n",
    "numbers in items": "- a\n  1. x\n  2. y\n- b\n  1. z\n",
    "an item of code": "- ```sh\n  run\n  ```\n- b\n\n1.     code\n",
    "code in an item": "- a\n\n      code\n\n      more\n\n  text\n\n        deep\n",
    "tabs": "-\ta\n\n\tb\n\n\t\tcode\n\n \tcode\n",
    "fences": "```py\na = 1\n\n# no heading\n```\n\n~~~~\n```\n~~~\n~~~~\n``` a`b\nText\n"
    "   ```\nin\n  ```\n",
    "a fence without an end": "A\n\n```\nB\n\nC\n",
    "a fence closed by a longer one": "```\na\n`````\nb\n```` c\n",
    "a fence far in": "    ```\n    a\n    ```\n",
    "code that a text begins with": "    code\n  Text\n",
    "indented code": "A\n\n    code\n\n\n    more\n\nB\n    goes on\n",
    "quotes": "> One\ngoes on\n> > inner\n> back\n>\n> # Head\n> - item\n\n>no blank\n    > code\n",
    "a quote that is interrupted": "> One\n# Head\n> Two\n- item\n",
    "breaks in a quote": "> One  \n> two\n> three\\\n> four\n",
    "tables": "| A | B |\n|---|:-:|\n| 1 | 2 |\nA | B\n\nC | D\n- | -\n\nE\n-|-\n\n|F|\n|\n\n"
    "| G |\n| -- |\n",
    "a table after text": "Text\n| A | B |\n|---|---|\n| 1 \\| x | `|` |\n# Head\n",
    "a table at the end": "| A |\n|---|",
    "references": "[a]: there.md\n[b]: <x y>\nText\n[c]: no\n\n[d]:\n\n  [^1]: A note.\n",
    "tags": "{% hint style=\"info\" %}\nText\n{% endhint %}\n{% no\n  {% tab %}  \n- a\n"
    "{% step %}\n",
    "html": "<div>\n<p>A</p>\n\n</div>\nText <b>in</b>\n<b>lone</b>\n\n<br/>\n<x-y a=\"1\">\nB\n"
    "\n</x-y>\n",
    "html that is kept": "<pre>\na\n\nb\n</pre>\nText\n\n<!-- c\n\nd -->\nEnd\n<SCRIPT x>\n\n"
    "</script>\n",
    "html without an end": "<!-- a\n\nb\n\n<style>\n\nc\n\n<!-- d\n",
    "other html": "<!DOCTYPE html>\n\n<?php\n\n</table>\n\n<unknown\n\n<h1>A</h1>\n    <div>\n",
    "a table in html": "<table>\n<tr><td>A</td></tr><tr><td>B</td>\n</tr>\n\n<TR><td>C\n"
    "<tr><td>D</td></tr>\n",
    "a table in html after text": "Text <tr> in\n\n<table><tr><th>A</th></tr></table>\n\n<tr\n",
    "html in html": "<div>\n<!-- a\nb -->\n<pre>\nc\n\nd\n</pre>\n<table>\n\n<tr><td>e</td></tr>\n"
    "</table>\nf\n\n<table>\n\ng\n\n</table>\n<table>\n{% h %}\n</table>\n",
    "details": "<details open>\n<summary>A</summary>\nb\n- c\n</details>\nd\n",
    "components": "<Tabs\n  a={1}\n>\n    Text\n    more\n\n    in it\n\n        code\n</Tabs>\n"
    "<Lone\n/>\n\n    code\n\n<NoEnd\n\n{/* a\n\n# b */}\n",
    "signs": ":::note\nText\n:::\nTerm\n: One\n: Two\n  on\n\n    in it\nimport A from 'b'\n"
    "[^1]: c\n    d\n",
    "names of front matter": "---\n\n# a\nb c.d: e\n---\n\n---\nf\n---\n",
    "line ends": "One\r\ntwo\r\n\r\nThree\rfour\n\r\n\rEnd",
    "formulas": "$$\nx\ny\n$$\nText\n\n$$a$$\n $$b $$ \n$$$$\n$$c\n\n- $$\n  d\n  $$\n\n"
    "$$\nblank\n\n$$\n\n$$\nno end\n",
    "links in html": "See <a href=\"x.md\">it</a> and `<a href=\"y\">`.\n\n"
    "See <a href=\"x.md\">it</a>.\n",
    "escapes": "get\\_user \\*all\\*  and   \\x\n\n| a \\| b | \\\\| c |\n| --- | ----- |\n"
    "|  x  |y |\n",
    "signs of no block": "#\n\n`\n\n~\n\n>\n\n=\n\n|\n\n{\n\n[\n\n7\n\n_\n",
    "a long sign": "-" * 400 + "\n\nText\n" + "=" * 400 + "\n",
}  # fmt: skip


def cut(text: str, *, plain: bool = False) -> list[str]:
    """Return each row of a text, below the block that begins with it."""
    found = BlockText(text, plain=plain)
    begins = {block.first: block for block in found.blocks}
    lines = []
    for at in range(len(found)):
        row = found.row(at)
        if (block := begins.get(at)) is not None:
            level = f" {block.level}" if block.level else ""
            lines.append(f"{block.kind}{level} of {block.stop - block.first}")
        said, key = found.said(at), found.key(at)
        lines.append(
            f"  {row.kind} {row.start}-{row.stop} line {found.line_of(row.start)} "
            f"{found.span(at)} {json.dumps(said)}"
            + (f" = {json.dumps(key)}" if key != said else "")
        )
    lines += [f"unclosed {found.unclosed}"] if found.unclosed is not None else []
    return lines


def test_texts_are_cut_into_blocks_and_rows_as_they_were(update_golden: bool) -> None:
    found = {name: cut(text) for name, text in TEXTS.items()}
    found["plain"] = cut("# A\n\n```\nB\n- c\n\nD\n", plain=True)
    keys = BlockText("7. a\n\n3. b\n9. *c*\n\n> - x\n")
    found["keys of blocks"] = [keys.block_key(at) for at in range(len(keys.blocks))]
    compare("blocks", found, update=update_golden)


def test_rows_blocks_and_lines_are_found_from_each_other() -> None:
    text = BlockText("One\ntwo\n\nThree.\n\n\n* four\n")
    assert [text.row_of_line(line) for line in range(7)] == [0, 0, 1, 2, 3, 3, 4]
    assert [text.block_of(row) for row in range(5)] == [0, None, 1, None, 2]
    assert [text.source(row) for row in range(5)] == [
        "One\ntwo\n", "\n", "Three.\n", "\n\n", "* four\n",
    ]  # fmt: skip


def test_a_long_row_is_joined_once_and_reads_the_same() -> None:
    text = BlockText("word\n" * 150)
    assert text.said(0) == " ".join(["word"] * 150)
    assert text.said(0) is text.said(0)


def test_a_row_can_be_shown_as_it_was_written() -> None:
    text = BlockText("See <a href='x'  >it</a>.\n")
    assert text.said(0) == "See [it](x)."
    text.show_source(0)
    assert text.said(0) == "See <a href='x' >it</a>."


def test_the_line_that_begins_code_says_its_language_and_the_item_that_it_is_in() -> None:
    assert read_fence("  ```python  title=a") == ("", "python  title=a")
    assert read_fence("~~~ ruby ") == ("", "ruby")
    assert read_fence("1. ```") == ("1.", "")
    assert read_fence("- ~~~ a") == ("-", "a")
    assert read_fence("- a ```") is None
    assert read_fence("text") is None


def test_cells_and_blanks() -> None:
    assert cells("| a | b |") == ["", " a ", " b ", ""]
    assert cells(r"a \| b|c\\|d") == [r"a \| b", r"c\\", "d"]
    assert even("a \t b\\_c\\  ") == "a b_c\\"
