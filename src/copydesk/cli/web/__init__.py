"""``copydesk serve --web``: the screens in a browser on this machine.

What runs in the browser is textual-serve's: a terminal in a page, and the socket behind it. Its
server is not used: it has no sign-in, answers any origin, starts programs by a shell and hands on
the whole environment.
"""
