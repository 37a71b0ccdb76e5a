"""The arguments of the commands for scripts: ``api``, ``cr``, ``clusters``, ``sites``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, get_args

from copydesk.cli.api_fields import Field
from copydesk.contract.enumerations import ChangeRequestStatus

if TYPE_CHECKING:
    from argparse import ArgumentParser, _SubParsersAction
    from collections.abc import Callable

    Subparsers = _SubParsersAction[ArgumentParser]
    Connecting = Callable[[ArgumentParser], None]


def add_api(commands: Subparsers, connecting: Connecting) -> None:
    """Declare ``copydesk api``."""
    from argparse import RawDescriptionHelpFormatter

    parser = commands.add_parser(
        "api",
        help="send a request to the service, and print its answer",
        epilog=(
            "  copydesk api GET /orgs --paginate\n"
            "  copydesk api GET spaces/SPACE/change-requests -f status=draft\n"
            "  copydesk api PATCH spaces/SPACE -f title=Handbook\n"
            "  copydesk api POST spaces/SPACE/change-requests/7/comments -f body[markdown]=Thanks\n"
            "  copydesk api PUT some/path --input body.json"
        ),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("method", metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE")
    parser.add_argument("path", metavar="PATH", help="with or without /v1; a query may follow")
    for names, typed, said in (
        (
            ("-f", "--raw-field"),
            False,
            "a text, in the body, or in the query of a GET; a[b]=1, a[]=1",
        ),
        (("-F", "--field"), True, "the same with true, false, null, whole numbers and @FILE"),
    ):
        parser.add_argument(
            *names,
            dest="fields",
            metavar="KEY=VALUE",
            action="append",
            default=[],
            type=partial(Field, typed=typed),
            help=said,
        )
    parser.add_argument(
        "--input",
        dest="body",
        metavar="FILE",
        help="the body as JSON (-: standard input); fields go to the query then",
    )
    parser.add_argument(
        "--paginate", action="store_true", help="all items of a list, one JSON object a line"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        dest="as_json",
        help="one JSON value in any case: one list of all pages, null for no body",
    )
    parser.set_defaults(runner="copydesk.cli.api:send_request")
    connecting(parser)


def add_cr(commands: Subparsers, connecting: Connecting) -> None:
    """Declare ``copydesk cr`` with what it does."""
    parser = commands.add_parser("cr", help="list, show, compare, merge, comment change requests")
    actions = parser.add_subparsers(metavar="ACTION", title="actions", required=True)

    listing = actions.add_parser("list", help="print those of a status or of a view")
    which = listing.add_mutually_exclusive_group()
    which.add_argument(
        "--status", choices=get_args(ChangeRequestStatus), help="what they are (default: open)"
    )
    which.add_argument("--view", metavar="NAME", help='a view of the screens, as "Needs me"')
    listing.add_argument(
        "--filter", dest="where", metavar="TEXT", help="a filter as after / on the screens"
    )
    listing.set_defaults(runner="copydesk.cli.cr_list:list_requests")

    showing = actions.add_parser("show", help="print one: whether it can be merged, and why not")
    showing.set_defaults(runner="copydesk.cli.cr:show_request")
    comparing = actions.add_parser("diff", help="print what one changes, by word")
    comparing.add_argument("--patch", action="store_true", help="as a patch that git apply takes")
    comparing.set_defaults(runner="copydesk.cli.cr_diff:show_diff")
    merging = actions.add_parser("merge", help="merge one, once somebody has said so")
    merging.add_argument("--yes", action="store_true", help="merge without asking")
    merging.set_defaults(runner="copydesk.cli.cr:merge_request")
    commenting = actions.add_parser("comment", help="comment on one as a whole")
    commenting.set_defaults(runner="copydesk.cli.cr:comment_on")
    for each in (showing, comparing, merging, commenting):
        each.add_argument("request", metavar="NUMBER", help="its number, id or address")
    commenting.add_argument("text", metavar="TEXT", help="Markdown; - reads standard input")
    for each in (listing, showing, comparing, merging, commenting):
        each.add_argument("--space", metavar="SPACE", help="its space: title, slug, id or address")
        _common(each, connecting)


def add_clusters(commands: Subparsers, connecting: Connecting) -> None:
    """Declare ``copydesk clusters``; without more it lists them."""
    parser, listing, showing = _listed(
        commands, connecting, "clusters", "cluster", "what users struggle with, by week"
    )
    from argparse import SUPPRESS

    for each in (parser, listing):
        each.add_argument(
            "--sort",
            metavar="ORDER",
            default=None if each is parser else SUPPRESS,
            help="updatedAt (default), issues, conversations, trend, newest or name",
        )
    for each in (parser, listing, showing):
        each.add_argument(
            "--unmask",
            action="store_true",
            default=False if each is parser else SUPPRESS,
            help="show e-mail addresses and phone numbers",
        )


def add_sites(commands: Subparsers, connecting: Connecting) -> None:
    """Declare ``copydesk sites``; without more it lists them."""
    _listed(commands, connecting, "sites", "site", "the published sites, and what one shows")


def _listed(
    commands: Subparsers, connecting: Connecting, name: str, noun: str, said: str
) -> tuple[ArgumentParser, ArgumentParser, ArgumentParser]:
    """Declare a command that lists things of a kind, or shows one of them."""
    parser = commands.add_parser(name, help=f"print {said}")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    listing = actions.add_parser("list", help=f"print all {name} (also without a word)")
    showing = actions.add_parser("show", help=f"print one {noun}")
    showing.add_argument(noun, metavar=noun.upper(), help="its id or its title")
    for each in (parser, listing):
        each.set_defaults(runner=f"copydesk.cli.{name}:list_{name}")
    showing.set_defaults(runner=f"copydesk.cli.{name}:show_{noun}")
    for each in (parser, listing, showing):
        _common(each, connecting, again=each is not parser)
    return parser, listing, showing


def _common(parser: ArgumentParser, connecting: Connecting, *, again: bool = False) -> None:
    """Accept what all of them do; ``again``: after another word, too."""
    from argparse import SUPPRESS

    parser.add_argument(
        "--organization",
        metavar="TITLE",
        default=SUPPRESS if again else None,
        help="look in this one only (or its id)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        dest="as_json",
        default=SUPPRESS if again else False,
        help="print JSON",
    )
    connecting(parser)
