"""Fixtures of the tests without a screen."""

from tests.writing import one_request_unless_said, retries_without_pauses

__all__ = ["one_request_unless_said", "retries_without_pauses"]
