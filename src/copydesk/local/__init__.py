"""The state of this machine: settings, drafts, journal, seen pages, the last screen, the log.

Nothing here needs an HTTP library, pydantic or Textual, so that all of it can be read before the
first paint. All files are private: folders 0700, files 0600.
"""
