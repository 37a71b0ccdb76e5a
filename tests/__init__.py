"""Tests, laid out as the code is. Every one runs against a real desk (``world``)."""
