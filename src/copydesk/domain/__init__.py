"""Pure logic of documentation work: no input or output, no clock, no terminal."""
