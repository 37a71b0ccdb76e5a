"""The screens in words, line by line, for screen readers and plain terminals."""
