"""The commands and their options, declared once with argparse; each names what runs it.

The parser is only built when there is something to parse: opening the program imports none of it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from copydesk.cli import log_file
from copydesk.cli.errors import UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser, _SubParsersAction

    from copydesk.cli.connection import Service
    from copydesk.cli.parser import Parser


@dataclass(frozen=True)
class Command:
    """A parsed command line: the function that runs it, as ``module:function``, and its options."""

    runner: str
    options: dict[str, Any] = field(default_factory=dict)

    def run(self) -> int:
        """Import what the command needs, run it, and return the exit status.

        Raises ``UsageError`` for a general option given to a command that has no use for it.
        """
        debug = self.options.pop("debug", None)
        if debug:
            log_file.ask_for_requests()
        log_file.begin_debugging()
        module, _, name = self.runner.partition(":")
        function = getattr(importlib.import_module(module), name)
        accepted = inspect.signature(function).parameters
        options = dict(self.options)
        if "service" in accepted:
            options["service"] = _service(options)
        for option, value in options.items():
            if option not in accepted and value is not None:
                raise UsageError(f"--{option.replace('_', '-')} has no meaning for this command")
            _expect_text(option, value)
        status: int = function(**{k: v for k, v in options.items() if k in accepted})
        return status


def _expect_text(option: str, value: object) -> None:
    """Raise ``UsageError`` for bytes of another kind, which name nothing; files may be called so.

    Python keeps such bytes as characters that no text has.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{option.replace('_', ' ')} {value!a}: this is not UTF-8 text"
            ) from error


def _service(options: dict[str, Any]) -> Service:
    """Take the options that say which service is meant out of all of them."""
    from copydesk.cli.connection import Service

    names = [option.name for option in fields(Service)]
    given = {name: options.pop(name, None) for name in names}
    return Service(**{name: value for name, value in given.items() if value is not None})


def parse(arguments: Sequence[str]) -> Command:
    """Return the command for these arguments. Usage errors print a sentence and exit with 2."""
    if not arguments:
        return Command("copydesk.cli.open:open_desk")
    opening = _opening_parser()
    at = _first_word(arguments, opening)
    if at is not None and arguments[at].startswith(("http://", "https://")):
        given = opening.read([*arguments[:at], *arguments[at + 1 :]])
        return Command("copydesk.cli.open:open_address", {"url": arguments[at], **vars(given)})
    options = vars(build_parser().read(arguments))
    runner = options.pop("runner")
    return Command(runner, options)


def _first_word(arguments: Sequence[str], parser: Parser) -> int | None:
    """Return where the first argument stands that is no option and no value of one."""
    at = 0
    while at < len(arguments):
        word = arguments[at]
        if not word.startswith("-"):
            return at
        action = parser._option_string_actions.get(word)
        at += 2 if action is not None and action.nargs is None else 1
    return None


@cache
def _opening_parser() -> Parser:
    """Return what may stand before or after an address that is opened."""
    from copydesk.cli.parser import Parser

    parser = Parser(prog="copydesk URL", description="Open where an address points.")
    _connection(parser)
    return parser


@cache
def build_parser() -> Parser:
    """Return the whole command line, for parsing and for its documentation."""
    from argparse import RawDescriptionHelpFormatter

    from copydesk import __version__
    from copydesk.cli.account_arguments import add_accounts
    from copydesk.cli.parser import Parser
    from copydesk.cli.script_arguments import add_api, add_clusters, add_cr, add_sites

    connecting = partial(_connection, again=True)
    parser = Parser(
        prog="copydesk",
        description="The terminal desk for people who run documentation.",
        usage="%(prog)s [-h] [--version] [--profile NAME | --base-url URL | --desk FILE] "
        "[--read-only] [--debug] [URL | COMMAND …]",
        epilog=(
            "URL, an address of the platform's application or of a published site, opens the\n"
            "screens where it points.\n"
            "With no account copydesk opens the embedded desk: a sample, or what you import.\n"
            "copydesk login connects it to a service; COPYDESK_TOKEN, COPYDESK_BASE_URL and\n"
            "COPYDESK_PROFILE do so for one run."
        ),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"copydesk {__version__}")
    _connection(parser)
    parser.set_defaults(runner="copydesk.cli.open:open_desk")
    plain: ArgumentParser = parser
    commands = plain.add_subparsers(metavar="COMMAND", title="commands", prog=parser.prog)
    add_accounts(commands, connecting)
    add_api(commands, connecting)
    add_cr(commands, connecting)
    add_clusters(commands, connecting)
    add_sites(commands, connecting)
    _ops(commands)
    _keys(commands)
    _log(commands)
    _outbox(commands)
    _cache(commands)
    _structure(commands)
    _conversations(commands)
    _serve(commands)
    _desk(commands)
    _completion(commands)
    _everywhere(parser)
    return parser


def _everywhere(parser: ArgumentParser) -> None:
    """Accept the general options behind each word of a command, not only where they are listed.

    What has no use for one says so, as it does where the option stands in front.
    """
    from argparse import SUPPRESS, _SubParsersAction

    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for below in action.choices.values():
                listed = list(below._actions)
                _connection(below, again=True)
                for added in below._actions:
                    if added not in listed:
                        added.help = SUPPRESS
                _everywhere(below)


def _connection(parser: ArgumentParser, *, again: bool = False) -> None:
    """Accept the options that say which service is meant; ``again``: after the command, too.

    Those that the parser has already stay as they are.
    """
    from argparse import SUPPRESS
    from pathlib import Path

    default = SUPPRESS if again else None
    told: dict[str, dict[str, Any]] = {
        "--desk": {
            "type": Path,
            "metavar": "FILE",
            "help": "the embedded desk's database (default: your own)",
        },
        "--base-url": {
            "metavar": "URL",
            "help": "the service to use; its token is read from COPYDESK_TOKEN, or that of a "
            "profile",
        },
        "--profile": {
            "metavar": "NAME",
            "help": "the profile to use (copydesk profiles); desk is the embedded desk",
        },
        "--read-only": {"action": "store_true", "help": "write nothing to the service"},
        "--debug": {
            "action": "store_true",
            "help": "log every request, without what is in it (copydesk log --file says where)",
        },
    }
    for name, settings in told.items():
        if name not in parser._option_string_actions:
            parser.add_argument(name, default=default, **settings)


def _ops(commands: _SubParsersAction[ArgumentParser]) -> None:
    parser = commands.add_parser("ops", help="print the operations of the API")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", dest="as_json", help="as JSON")
    form.add_argument("--openapi", action="store_true", help="as an OpenAPI 3.1 document")
    form.add_argument("--markdown", action="store_true", help="as the reference page")
    parser.set_defaults(runner="copydesk.cli.reference:print_operations")


def _keys(commands: _SubParsersAction[ArgumentParser]) -> None:
    parser = commands.add_parser("keys", help="print what every key does")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", dest="as_json", help="as JSON")
    form.add_argument("--markdown", action="store_true", help="as the reference page")
    parser.set_defaults(runner="copydesk.cli.reference:print_keys")


def _outbox(commands: _SubParsersAction[ArgumentParser]) -> None:
    parser = commands.add_parser("outbox", help="print what waits to be sent from this machine")
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON")
    parser.set_defaults(runner="copydesk.cli.outbox:print_outbox")


def _log(commands: _SubParsersAction[ArgumentParser]) -> None:
    parser = commands.add_parser("log", help="print what was written from this machine")
    parser.add_argument("--since", metavar="SPAN", help="only the last 30m, 1h, 2d, …")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", dest="as_json", help="as JSON")
    form.add_argument(
        "--file",
        action="store_true",
        dest="file",
        help="print where errors and requests are logged",
    )
    parser.set_defaults(runner="copydesk.cli.log:print_log")


def _cache(commands: _SubParsersAction[ArgumentParser]) -> None:
    from argparse import SUPPRESS

    cache = commands.add_parser(
        "cache", help="show or drop what is kept of what was read of services"
    )
    actions = cache.add_subparsers(metavar="ACTION", title="actions", required=True)
    showing = actions.add_parser("show", help="print how much is kept, and how old it is")
    showing.add_argument("--json", action="store_true", dest="as_json", help="as JSON")
    showing.set_defaults(runner="copydesk.cli.cache:show_cache")
    clearing = actions.add_parser("clear", help="drop it; drafts and what waits to be sent stay")
    clearing.add_argument(
        "--profile", metavar="NAME", default=SUPPRESS, help="of this profile only"
    )
    clearing.set_defaults(runner="copydesk.cli.cache:clear_cache")


def _structure(commands: _SubParsersAction[ArgumentParser]) -> None:
    from pathlib import Path

    structure = commands.add_parser(
        "structure", help="write the structure of a site to a file, and make it as a file says"
    )
    actions = structure.add_subparsers(metavar="ACTION", title="actions", required=True)

    exporting = actions.add_parser("export", help="print the structure as YAML to be edited")
    exporting.set_defaults(runner="copydesk.cli.structure:export_structure")

    applying = actions.add_parser("apply", help="make a site what a file says, or show the plan")
    exporting.add_argument("site", metavar="SITE", help="its id, title, host name or address")
    applying.add_argument("site", metavar="SITE", help="its id, title, host name or address")
    applying.add_argument(
        "file", type=Path, metavar="FILE", nargs="?", help="what the site shall be"
    )
    applying.add_argument(
        "--plan",
        action="store_true",
        help="print the requests that make it so, and send nothing; the exit status is 7 if there "
        "are any, 0 if the site is as the file says",
    )
    applying.add_argument(
        "--remove", action="store_true", help="remove from the site what the file lacks"
    )
    applying.add_argument(
        "--recreate", action="store_true", help="add again what the file has and the site lacks"
    )
    applying.add_argument("--yes", action="store_true", help="send without asking")
    applying.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    left = applying.add_mutually_exclusive_group()
    left.add_argument(
        "--resume", action="store_true", help="send the rest of what stopped before, without FILE"
    )
    left.add_argument(
        "--roll-back", action="store_true", help="take back what was sent before it stopped"
    )
    left.add_argument(
        "--keep", action="store_true", help="keep what was sent before it stopped, drop the rest"
    )
    applying.set_defaults(runner="copydesk.cli.structure:apply_structure")
    for parser in (exporting, applying):
        parser.add_argument(
            "--organization", metavar="TITLE", help="look for the site in this one only (or its id)"
        )
        _connection(parser, again=True)


def _conversations(commands: _SubParsersAction[ArgumentParser]) -> None:
    conversations = commands.add_parser(
        "conversations", help="hand in support conversations from files"
    )
    actions = conversations.add_subparsers(metavar="ACTION", title="actions", required=True)
    sending = actions.add_parser("send", help="check what is in files, and send each once")
    sending.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="JSON: one conversation, a list, or one on every line; - reads standard input",
    )
    sending.add_argument(
        "--organization",
        metavar="TITLE",
        help="whose they are (or its id), where you are in several",
    )
    sending.add_argument(
        "--skip-bad",
        action="store_true",
        help="send the rest where some cannot be sent; the exit status is 1 then",
    )
    sending.add_argument(
        "--again", action="store_true", help="send also what was sent before, which replaces it"
    )
    sending.add_argument(
        "--json", action="store_true", dest="as_json", help="a JSON object for each, one a line"
    )
    sending.set_defaults(runner="copydesk.cli.conversations:send_conversations")
    _connection(sending, again=True)


def _port(text: str) -> int:
    from argparse import ArgumentTypeError

    from copydesk.domain.text import clean, shorten

    try:
        return int(text)
    except ValueError:
        named = shorten(clean(text), 60)
        said = f"a port is a number from 0 to 65535, such as 8484, and not {named!r}"
        raise ArgumentTypeError(said) from None


def _serve(commands: _SubParsersAction[ArgumentParser]) -> None:
    parser = commands.add_parser("serve", help="serve the embedded desk over HTTP")
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (%(default)s)"
    )
    parser.add_argument("--port", type=_port, default=8484, help="the port; 0 takes a free one")
    parser.add_argument(
        "--fetch", action="store_true", help="read OpenAPI specifications from their public URLs"
    )
    _desk_option(parser)
    parser.set_defaults(runner="copydesk.cli.serve:serve")


def _desk(commands: _SubParsersAction[ArgumentParser]) -> None:
    from pathlib import Path

    desk = commands.add_parser("desk", help="fill, copy and check the embedded desk")
    actions = desk.add_subparsers(metavar="ACTION", title="actions", required=True)

    token = actions.add_parser("token", help="mint a bearer token and print it")
    token.add_argument("--user", metavar="EMAIL", help="whose token (default: the desk's owner)")
    token.set_defaults(runner="copydesk.cli.desk:mint")

    sample = actions.add_parser("sample", help="make the sample, grow or remove it")
    what = sample.add_mutually_exclusive_group()
    what.add_argument(
        "--scale", type=int, metavar="N", default=0, help="also add N change requests and more"
    )
    what.add_argument(
        "--remove", action="store_true", help="take it out of the desk; what else is there stays"
    )
    sample.add_argument(
        "--force", action="store_true", help="with --remove: also what you made in it"
    )
    sample.set_defaults(runner="copydesk.cli.desk:sample")

    importing = actions.add_parser("import", help="read a folder or git repository of Markdown")
    importing.add_argument(
        "source", type=Path, metavar="SOURCE", help="a folder, repository or bundle"
    )
    importing.add_argument("--organization", metavar="TITLE", help="where to put it")
    importing.add_argument("--space", metavar="TITLE", help="what to call the space")
    importing.set_defaults(runner="copydesk.cli.desk:import_source")

    exporting = actions.add_parser("export", help="write a space back as Markdown")
    exporting.add_argument("space", metavar="SPACE", help="the space's id or title")
    exporting.add_argument("folder", type=Path, metavar="FOLDER", help="where to write it")
    exporting.add_argument(
        "--force", action="store_true", help="overwrite files that were changed by hand as well"
    )
    exporting.set_defaults(runner="copydesk.cli.desk:export_space")

    check = actions.add_parser("check", help="read the whole desk for damage; writes nothing")
    check.add_argument("--repair", action="store_true", help="make the search index anew first")
    check.set_defaults(runner="copydesk.cli.desk:check")

    backup = actions.add_parser("backup", help="copy the desk, in use or not, to one file")
    backup.add_argument("file", type=Path, metavar="FILE", help="what to call the copy")
    backup.add_argument("--force", action="store_true", help="replace a file that is there")
    backup.set_defaults(runner="copydesk.cli.desk:back_up")
    for parser in (token, sample, importing, exporting, check, backup):
        _desk_option(parser)


def _completion(commands: _SubParsersAction[ArgumentParser]) -> None:
    parser = commands.add_parser("completion", help="print what a shell completes commands with")
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell it is for")
    parser.set_defaults(runner="copydesk.cli.completion:print_completion")


def _desk_option(parser: ArgumentParser) -> None:
    """Accept ``--desk`` after the command as well as before it."""
    from argparse import SUPPRESS
    from pathlib import Path

    parser.add_argument(
        "--desk",
        type=Path,
        metavar="FILE",
        default=SUPPRESS,
        help="the desk's database (default: your own)",
    )
