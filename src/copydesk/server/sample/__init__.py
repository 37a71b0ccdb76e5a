"""The sample desk: two invented organizations with a past, and a way to grow a desk for benchmarks.

``build_sample`` fills an empty desk, ``remove_sample`` takes that out again; ``grow`` adds an
organization of any size to a desk.
"""

from copydesk.server.sample.building import build_sample
from copydesk.server.sample.removal import remove_sample
from copydesk.server.sample.scale import grow

__all__ = ["build_sample", "grow", "remove_sample"]
