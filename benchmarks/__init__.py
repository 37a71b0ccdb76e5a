"""What copydesk says about its speed, measured. Every figure is a ratio within one run."""
