"""Issues and clusters found in conversations; all that needs the extra runs in a child process."""
