"""The API of the documentation platform, declared once for both sides.

Nothing here sends or serves anything: the client and the embedded desk both derive what they do
from these declarations. Imports are limited to the standard library and pydantic.
"""
