"""How clusters are found: the table ``[clusters]`` of the settings.

[clusters]
model = "~/models/static-multilingual"
embed = ["my-vectors", "--lines"]
off = false
"""

from __future__ import annotations

from functools import partial

from copydesk.domain.clustering import Clustering
from copydesk.domain.text import clean
from copydesk.local.paths import NoHomeError, expanded
from copydesk.local.settings_lines import Keys, line_in_table

_line = partial(line_in_table, "clusters")


KEYS: Keys = {
    "model": ((str,), "a folder in quotes"),
    "embed": ((list,), 'a list of texts, such as ["my-vectors", "--lines"]'),
    "off": ((bool,), "true or false"),
}
"""The keys of the table."""


def clustering_of(value: object, text: str) -> tuple[Clustering, list[tuple[int, str]]]:
    """Return how clusters are found, and every mistake with its line.

    ``value`` is the content under ``clusters``, ``text`` the whole file.
    """
    if not isinstance(value, dict):
        return Clustering(), [(_line("", text), "clusters are a table: it begins with [clusters]")]
    wrong: list[tuple[int, str]] = []
    model, embed, off = value.get("model", ""), value.get("embed", []), value.get("off", False)
    if not isinstance(model, str):
        wrong.append((_line("model", text), f"model of clusters must be {KEYS['model'][1]}"))
        model = ""
    words = [each for each in embed if isinstance(each, str)] if isinstance(embed, list) else []
    if not isinstance(embed, list) or len(words) < len(embed) or not all(words):
        sentence = f"embed of clusters must be {KEYS['embed'][1]}"
        wrong.append((_line("embed", text), sentence))
        words = []
    if not isinstance(off, bool):
        wrong.append((_line("off", text), f"off of clusters must be {KEYS['off'][1]}"))
        off = False
    if model and words:
        sentence = "clusters take vectors from a model or from embed, not from both"
        wrong.append((_line("embed", text), sentence))
        words = []
    for key in value.keys() - KEYS.keys():
        said = clean(key, limit=60)
        sentence = f"clusters have no {said}: the keys are {', '.join(KEYS)}"
        wrong.append((_line(key, text), sentence))
    try:
        model = str(expanded(model).absolute()) if model else ""
    except NoHomeError as error:
        wrong.append((_line("model", text), f"the model {clean(model)}: {error.strerror}"))
        model = ""
    return Clustering(model, tuple(words), off), wrong
