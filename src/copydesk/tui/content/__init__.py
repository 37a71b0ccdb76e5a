"""The content of a space: pages, files, links, and search."""
