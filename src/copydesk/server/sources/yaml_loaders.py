"""How YAML of untrusted files is loaded; apart, so that a desk opens without YAML."""

from __future__ import annotations

from typing import Any

import yaml

LONGEST_ALIASED = 200
"""Characters of a value that an alias may stand for, as the name of a version."""


class PlainLoader(yaml.SafeLoader):
    """A safe loader with aliases of short values alone: of others, a small text could stand for an
    enormous value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the next value. Raises ``ComposerError`` for an alias of more than a few words."""
        alias = self.check_event(yaml.AliasEvent)
        mark = self.get_mark() if alias else None
        node = super().compose_node(parent, index)
        if alias and not (isinstance(node, yaml.ScalarNode) and len(node.value) <= LONGEST_ALIASED):
            said = "an alias may only stand for a short value"
            raise yaml.composer.ComposerError(None, None, said, mark)
        return node


class LenientLoader(PlainLoader):
    """One that takes a value with a tag of its own for nothing, as of settings of a program."""


LenientLoader.add_multi_constructor("", lambda loader, suffix, node: None)
