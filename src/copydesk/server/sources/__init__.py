"""Documentation repositories: read into neutral values, and written back byte for byte.

Nothing here knows the desk's database. ``git`` reads a folder, a repository or a bundle; ``layout``
makes spaces of pages and files out of it; ``plan`` adds history and branches; ``writer`` goes the
other way.
"""
