"""The resources of the API, one module per noun.

Annotations are evaluated here, not left as strings: pydantic reads every one of them at import, and
compiling them again from strings costs a tenth of that time.
"""
