"""The arguments of the commands about accounts: ``login``, ``logout``, ``profiles``, ``doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, _SubParsersAction
    from collections.abc import Callable

    Subparsers = _SubParsersAction[ArgumentParser]
    Connecting = Callable[[ArgumentParser], None]


def add_accounts(commands: Subparsers, connecting: Connecting) -> None:
    """Declare the commands."""
    _login(commands)
    _logout(commands)
    _profiles(commands)
    _doctor(commands, connecting)


def _login(commands: Subparsers) -> None:
    from argparse import SUPPRESS, BooleanOptionalAction
    from pathlib import Path

    parser = commands.add_parser(
        "login",
        help="connect to a service, and keep its token",
        description="The token is typed unseen, and tried at the service before it is kept.",
    )
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="what to call the profile (default: default)"
    )
    parser.add_argument(
        "--base-url", metavar="URL", default=SUPPRESS, help="the service (default: the hosted one)"
    )
    parser.add_argument(
        "--token-command",
        metavar="COMMAND",
        help="what prints the token at each start, such as a password manager; no shell reads it",
    )
    parser.add_argument(
        "--token-stdin", action="store_true", help="read the token from standard input"
    )
    parser.add_argument(
        "--store",
        choices=("keyring", "file"),
        help="keep the token in the system's keyring and nowhere else, or in a file for you only "
        "(default: the keyring, the file where there is none)",
    )
    parser.add_argument(
        "--ca-file",
        type=Path,
        metavar="FILE",
        help="certificates (PEM) of who vouches for the service, besides the usual ones",
    )
    parser.add_argument(
        "--read-only",
        action=BooleanOptionalAction,
        default=SUPPRESS,
        help="write nothing to the service with this profile",
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="send the token unencrypted to another machine (http://) without asking",
    )
    parser.set_defaults(runner="copydesk.cli.login:login")


def _logout(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "logout",
        help="take the token of a profile from this machine",
        description="What was typed and not sent stays on this machine.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="the profile (default: the usual)")
    parser.add_argument("--everything", action="store_true", help="remove the profile as well")
    parser.add_argument("--yes", action="store_true", help="remove it without asking")
    parser.set_defaults(runner="copydesk.cli.logout:logout")


def _profiles(commands: Subparsers) -> None:
    from argparse import SUPPRESS

    parser = commands.add_parser("profiles", help="list the services that were logged in to")
    # Nothing where it is not given: an action below has no use for it.
    parser.add_argument(
        "--json", action="store_true", dest="as_json", default=SUPPRESS, help="as JSON"
    )
    parser.set_defaults(runner="copydesk.cli.profiles:list_profiles")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    using = actions.add_parser("use", help="open this profile where none is named")
    using.add_argument("name", metavar="NAME", help="the profile; desk is the embedded desk")
    using.set_defaults(runner="copydesk.cli.profiles:use_profile")


def _doctor(commands: Subparsers, connecting: Connecting) -> None:
    parser = commands.add_parser(
        "doctor",
        help="say what is configured, what answers, and what is wrong",
        description="Writes nothing, and prints no token. Exit status 1 when something is wrong.",
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="as JSON")
    connecting(parser)
    parser.set_defaults(runner="copydesk.cli.doctor:examine")
