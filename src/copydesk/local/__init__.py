"""What lives on this machine: settings, drafts, journal, pages seen, the last screen, the log.

Nothing here needs an HTTP library, pydantic or Textual, so that all of it can be read before the
first paint. Everything is written for its user only: folders 0700, files 0600.
"""
