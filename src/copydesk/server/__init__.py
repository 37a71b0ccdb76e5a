"""The embedded desk: the API of the contract as an ASGI app over one SQLite file."""
