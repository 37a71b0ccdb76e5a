"""How large an object in a pack may be; importing this sees to it, whoever reads one.

A pack of a few kilobytes may hold objects of any size: as differences from others, or packed well.
dulwich unpacks them whole, before anybody could ask how large they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from dulwich import pack

from copydesk.server.sources.model import MAX_FILE, SourceError

LARGEST = MAX_FILE + 2**20
"""How many bytes an object may have: a little more than a desk keeps, which says so itself."""

_apply_delta: Callable[[Any, Any], list[bytes]] = pack.apply_delta


def _refuse_above(size: int) -> None:
    if size > LARGEST:
        raise SourceError(
            "A file of the repository is larger than 1 GB; no desk keeps that. "
            "Take it out of the repository, or import a branch without it."
        )


def _apply_bounded(source: bytes | list[bytes], delta: bytes | list[bytes]) -> list[bytes]:
    said = delta if isinstance(delta, bytes) else b"".join(delta)
    _refuse_above(_length(said))
    return _apply_delta(source, said)


def _length(delta: bytes) -> int:
    """Return how long the result of a delta is, the second number of its head; 0 without one."""
    found = [0, 0]
    place = shift = 0
    for byte in delta[:32]:
        found[place] |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            place, shift = place + 1, 0
            if place == len(found):
                break
    return found[1]


def _bounded(unpack: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(unpack)
    def unpack_bounded(*args: Any, **named: Any) -> Any:
        for each in (*args, *named.values()):
            if isinstance(each, pack.UnpackedObject):
                _refuse_above(each.decomp_len or 0)
        return unpack(*args, **named)

    return unpack_bounded


vars(pack)["apply_delta"] = _apply_bounded
for _name in ("read_zlib_chunks", "read_zlib_chunks_at"):
    if _name in vars(pack):  # the second is there since dulwich 1.2
        vars(pack)[_name] = _bounded(vars(pack)[_name])
