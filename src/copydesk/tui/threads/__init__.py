"""Comment threads: their pane, their commands, the inbox, and comments on a space."""
