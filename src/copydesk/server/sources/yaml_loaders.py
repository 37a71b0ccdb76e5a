"""How YAML of untrusted files is loaded; apart, so that a desk opens without YAML."""

from __future__ import annotations

from typing import Any

import yaml


class PlainLoader(yaml.SafeLoader):
    """A safe loader without aliases, which can make a small text stand for an enormous value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return the next value. Raises ``ComposerError`` for an alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.get_mark()
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", mark)
        return super().compose_node(parent, index)


class LenientLoader(PlainLoader):
    """One that takes a value with a tag of its own for nothing, as of settings of a program."""


LenientLoader.add_multi_constructor("", lambda loader, suffix, node: None)
