"""An example of each command: what its help shows, and what a slip of a word is answered with."""

from __future__ import annotations

from types import MappingProxyType

EXAMPLES = MappingProxyType(
    {
        "login": "work --base-url https://api.example.com",
        "logout": "work",
        "profiles": "",
        "profiles use": "work",
        "doctor": "",
        "api": "GET /orgs --paginate",
        "cr list": '--view "Needs me"',
        "cr show": "14",
        "cr diff": "14 | less -R",
        "cr merge": "14 --yes",
        "cr revert": '14 --why "The date was wrong."',
        "cr approve": '14 "Looks right."',
        "cr ask": '14 "Which region is meant?"',
        "cr review": "14 review.yaml --plan",
        "cr threads": "14 --all",
        "cr comment": '14 "Looks right."',
        "cr reply": '14 THREAD "Business hours."',
        "cr resolve": "14 THREAD",
        "cr apply": "14 --plan",
        "cr check": "14",
        "cr checkout": "14 pages/",
        "cr push": "pages/ --plan",
        "cr edit": '14 --subject "Name the region"',
        "cr create": '"Name the region" --space guide',
        "clusters": "--sort trend",
        "clusters list": "--csv --output clusters.csv",
        "clusters show": "CLUSTER",
        "clusters report": "--since 1w --output monday.html",
        "clusters issues": "--since 1w --csv",
        "clusters conversations": "--since 2d",
        "findings": "--status open",
        "findings list": "--kind broken-link --csv --output links.csv",
        "findings show": "FINDING",
        "spaces": "",
        "spaces list": "--json | jq -r '.[].id'",
        "spaces show": "guide",
        "sites": "",
        "sites list": "--json",
        "sites show": "docs.example.com",
        "ops": "--json",
        "settings": "",
        "settings get": "theme",
        "settings set": "theme light",
        "settings unset": "theme",
        "settings edit": "",
        "settings check": "",
        "settings schema": "> copydesk.schema.json",
        "keys": "| less",
        "manual": "",
        "help": "merge",
        "log": "--since 1h",
        "outbox": "",
        "watch": "--once",
        "cache show": "",
        "cache clear": "--profile work",
        "structure export": "docs.example.com > order.yaml",
        "structure apply": "docs.example.com order.yaml --plan",
        "redirects list": "docs.example.com",
        "redirects add": "docs.example.com /old /guides/start",
        "redirects delete": "docs.example.com /old",
        "redirects import": "docs.example.com moved.csv --plan",
        "redirects export": "docs.example.com > redirects.csv",
        "redirects test": "docs.example.com /old",
        "search": '"webhook retries" --space "Platform guide"',
        "conversations send": "tickets.csv --mask",
        "serve": "--web",
        "desk token": "",
        "desk sample": "--scale 1000",
        "desk import": "handbook/ --space Handbook",
        "desk export": "Handbook handbook/",
        "desk check": "",
        "desk backup": "copy.db",
        "complete": "sites",
        "completion": "bash > copydesk.bash",
    }
)
"""What follows a command in its example, by the command."""


def example(command: str) -> str:
    """Return the example of a command; "" where it has none."""
    return f"copydesk {command} {EXAMPLES[command]}".rstrip() if command in EXAMPLES else ""


def examples_near(word: str, meant: str) -> list[str]:
    """Return the examples of what was meant, and of the commands beside it that are most alike.

    ``meant`` is a command, or one that groups others.
    """
    from difflib import SequenceMatcher

    group = meant if any(each.startswith(f"{meant} ") for each in EXAMPLES) else ""
    group = group or meant.rpartition(" ")[0]
    beside = [each for each in EXAMPLES if each == meant or (f"{each} ").startswith(f"{group} ")]
    alike = {each: SequenceMatcher(a=word, b=each.rpartition(" ")[2]).ratio() for each in beside}
    beside.sort(key=lambda each: (each != meant, -alike[each] if alike[each] > 0.5 else 0.0))
    return [example(each) for each in beside[:3]]
