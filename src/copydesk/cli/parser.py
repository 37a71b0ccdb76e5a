"""The commands and their options, declared once with argparse; each names its function.

The parser repeats nothing that could rewrite a terminal. Options are taken as they are called,
never cut short, and a word that is none gets the nearest one, and examples of it.
"""

from __future__ import annotations

import re
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    Namespace,
    RawDescriptionHelpFormatter,
    _ActionsContainer,
    _SubParsersAction,
)
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias, get_args

from copydesk.cli.api import GivenField
from copydesk.cli.errors import note
from copydesk.cli.examples import example, examples_near
from copydesk.contract.enumerations import (
    ChangeRequestStatus,
    ChangeRequestWritableStatus,
    FindingStatus,
    FindingType,
)
from copydesk.domain.text import capital, clean, listed, shorten

Subparsers: TypeAlias = "_SubParsersAction[ArgumentParser]"

GROUPS = {
    "Start": ("login", "logout", "profiles", "doctor", "settings", "keys", "manual", "help"),
    "Work": (
        *("cr", "watch", "spaces", "sites", "structure", "redirects", "clusters", "findings"),
        *("conversations", "search"),
    ),
    "Desk": ("desk", "serve"),
    "Scripts": ("api", "ops", "log", "outbox", "cache", "complete", "completion"),
}
"""The commands as the help of the whole program lists them."""

SENDING = "conversations send"

ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("pr", "mr", "pulls", "changes", "requests", "change-requests"), "cr"),
        **dict.fromkeys(("whoami", "status"), "doctor"),
        **dict.fromkeys(("auth", "signin"), "login"),
        **dict.fromkeys(("config", "configure"), "settings"),
        **dict.fromkeys(("man", "docs"), "manual"),
        "pages": "spaces show",
        "version": "--version",
        "open": "copydesk URL",
        "cr view": "cr show",
        "cr checks": "cr check",
        "cr new": "cr create",
        "cr request-changes": "cr ask",
        **dict.fromkeys(("cr close", "cr archive"), "cr edit --status archived"),
        **dict.fromkeys(("cr reopen", "cr ready"), "cr edit --status open"),
        "cr draft": "cr edit --status draft",
        **dict.fromkeys(("tickets", "conversations import", "conversations ingest"), SENDING),
        **dict.fromkeys(
            ("conversations list", "conversations show", "conversations export"),
            "clusters conversations",
        ),
    }
)
"""What other programs call a command, and what it is here."""

NAMING = frozenset({"FILE", "FOLDER", "NAME", "SOURCE", "URL"})
"""What arguments are called that name something."""

TEXTS = frozenset({"SUBJECT", "TEXT"})
"""What arguments are called that are what a person says."""

COLUMNS = 96
"""How wide the help of a command is that groups others, at most."""

_PLAIN = (
    (
        r"^argument (\S+): expected (?:one|at least one|\d+) arguments?$",
        r"\1 needs a value",
    ),
    (r"^the following arguments are required: (.+)$", r"missing: \1"),
    (r"^one of the arguments (.+) is required$", r"one of these is missing: \1"),
    (r"^argument (\S+): not allowed with argument (\S+)$", r"\1 does not go with \2"),
    (r"^argument (\S+): ignored explicit argument .*$", r"\1 takes no value"),
    (r"^argument (\S+): ", r"\1: "),
)
"""What argparse says, and how we say it."""

_NO_ACTION = "the following arguments are required: ACTION"
"""What argparse says where a command was given none of its actions."""


def _path(typed: str) -> Path:
    """Return the path of an argument, where ``~`` may stand before it although no shell read it."""
    from copydesk.local.paths import NoHomeError, expanded

    try:
        path = expanded(typed)
        return path.absolute() if str(path) == "-" != typed else path  # "./-" is a file
    except NoHomeError as error:
        raise ArgumentTypeError(f"{clean(typed)}: {error.strerror}") from error


class Parser(ArgumentParser):
    """Complains in one clean sentence: what it repeats may have come from anywhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})
        self.color = False  # of Python 3.14: what a command prints is the same with every Python
        self._typed: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Print a sentence on how the command is used, and exit with 2.

        A command that was given none of its actions prints its help: that is no mistake.
        """
        if message == _NO_ACTION:
            self.print_help()
            self.exit()
        said = clean(message, limit=1000)
        for pattern, plain in _PLAIN:
            said = re.sub(pattern, plain, said, count=1, flags=re.DOTALL)
        near = [example(self.prog.removeprefix("copydesk "))] if "missing: " in said else []
        self.refuse(f"{said}{self._if_meant(said)}", near)

    def _if_meant(self, said: str) -> str:
        """Return what becomes of the first word that no option has: it may be meant as a text."""
        words = (each for each in self._typed if each.startswith("--"))
        word = next((each for each in words if not self._known(each)), "")
        option = re.sub(r"^(?:\S+/)?(\S+) needs a value$", r"\1", said)
        if (option, word) in pairwise(self._typed):
            return f", and {_named(word)} is taken for an option: write {option}={_named(word)}"
        return f", and {self.no_use(word)}" if word and "missing: " in said else ""

    def _known(self, word: str) -> bool:
        """Whether a word is an option here, with a value or without."""
        return word == "--" or word.partition("=")[0] in self._option_string_actions

    def refuse(self, said: str, near: Iterable[str] = ()) -> NoReturn:
        """Print a sentence on what is wrong, and examples of what is right, and exit with 2."""
        note(said)
        lines = [f"{self.prog}: {said}", *(f"  {each}" for each in near if each)]
        # argparse of Python 3.11.2 takes a closed standard error for a fault of ours.
        self.exit(2, "".join(f"{line}\n" for line in lines) if sys.stderr else None)

    def read(self, arguments: Sequence[str]) -> Namespace:
        """Return what the arguments say; the same as ``parse_args`` with a better complaint."""
        _everywhere(self, set(arguments))
        self._refuse_unknown(arguments)
        found, left = self.parse_known_args(arguments)
        if left:
            parser = self.meant(arguments)
            parser.refuse(parser.no_use(left[0]))
        return found

    def parse_known_args(  # type: ignore[override]
        self, args: Any = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """Keep what was typed, for a better complaint."""
        self._typed = () if args is None else args
        return super().parse_known_args(args, namespace)

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is not None and file is sys.stderr:
            super()._print_message(message, file)
        else:
            from copydesk.cli.output import put

            put(message, end="")

    def format_help(self) -> str:
        """Return its help; of one that groups others, what each does, with an example."""
        commands = [each for each in self._actions if isinstance(each, _SubParsersAction)]
        if not commands:
            return super().format_help()
        said = {each.dest: each for each in commands[0]._choices_actions}
        options = [each for each in self._actions if each.option_strings]
        if " " in self.prog:
            return self._actions_told(commands[0], said, options)
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, names in GROUPS.items():
            formatter.start_section(title)
            formatter.add_arguments([said[name] for name in names])
            formatter.end_section()
        formatter.start_section("Options")
        formatter.add_arguments(options)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def _actions_told(
        self, actions: _SubParsersAction[Parser], said: Mapping[str, Action], options: list[Action]
    ) -> str:
        """Return what each action of a command does, with an example, and what most of them take.

        What is shown of the command line has first the words, then the options.
        """
        below = list(actions.choices.values())
        taken = [each for one in below for each in one._actions if each.help is not SUPPRESS]
        named = Counter(_argument_name(each) for each in taken)
        general = {"-h", *opening_parser()._option_string_actions}
        usual = {
            name: f"[{name} {each.metavar}]"
            if each.option_strings and each.metavar
            else f"[{name}]"
            for each in sorted(taken, key=lambda each: bool(each.option_strings))
            if 2 * named[name := _argument_name(each)] > len(below) and name not in general
        }
        action = "ACTION" if actions.required else "[ACTION]"
        usage = " ".join((self.prog, action, *usual.values()))
        lines = [*_wrapped(usage, "", "  "), self.description or "", ""]
        wide = max(map(len, said)) + 4
        for name, each in said.items():
            lines += _wrapped(each.help or "", f"  {name}".ljust(wide), " " * wide)
            lines.append(" " * wide + example(f"{self.prog} {name}".removeprefix("copydesk ")))
        formatter = self._get_formatter()
        formatter.start_section("Options")
        formatter.add_arguments([each for each in options if "--help" not in each.option_strings])
        formatter.end_section()
        return "\n".join(filter(None, ("\n".join(lines) + "\n", formatter.format_help())))

    def no_use(self, word: str) -> str:
        """Say that an argument is of no use here, and what may have been meant."""
        option = word.partition("=")[0]
        if not word.startswith("-"):
            return f"{_named(word)} is one word too many. {self.prog} --help says more."
        known = [each for each in self._option_string_actions if each.startswith("--")]
        if option in known:
            return f"{option} goes after the command: {self.prog} {option}"
        near = _nearest(option, known)
        meant = f" Did you mean {near}?" if near else ""
        texts = any(each.metavar in TEXTS and not each.option_strings for each in self._actions)
        behind = " A text that begins so goes behind --." if texts else ""
        return f"there is no option {_named(option)}.{meant} {self.prog} --help lists all.{behind}"

    def _refuse_unknown(self, arguments: Sequence[str]) -> None:
        """Refuse the first word up to the last of the command that is not one of ours.

        argparse would tell of the options first, and take what follows one for a command.
        """
        meant, parser = self.meant(arguments), self
        words = iter(arguments)
        for word in words:
            below = [each for each in parser._actions if isinstance(each, _SubParsersAction)]
            if word == "--" or (parser is not self and not below):
                return
            option, equals, _ = word.partition("=")
            known = parser._option_string_actions.get(option)
            if known is not None:
                if known.nargs is None and not equals:
                    next(words, None)
            elif word.startswith("--") and (parser is self or parser is not meant):
                told = meant if option in meant._option_string_actions else parser
                parser.refuse(told.no_use(word))
            elif below and not word.startswith("-"):
                parser = parser._below(below[0], word)

    def _below(self, commands: _SubParsersAction[Parser], word: str) -> Parser:
        """Return the parser of a command, or exit with what may have been meant."""
        self._check_value(commands, word)
        return commands.choices[word]

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Return a value as its type. Raises ``ArgumentError`` in words that are no program's.

        No name is none that was left out: a script whose variable is not set means something else.
        """
        if not arg_string and action.metavar in NAMING:
            raise ArgumentError(action, "the name is empty")
        try:
            return super()._get_value(action, arg_string)
        except ArgumentError as error:
            if action.type is not int:
                raise
            named = repr(shorten(arg_string))
            raise ArgumentError(action, f"a whole number is needed, not {named}") from error

    def _parse_optional(self, arg_string: str) -> Any:
        """Take ``-MKv3…``, an id, or ``-is:mine`` for a value: no option here is called so.

        ``-yes`` was meant to be one.
        """
        begins, options = arg_string[:2], self._option_string_actions
        named = len(arg_string) > 2 and begins[0] == "-" and begins != "--"
        named = named and f"-{arg_string.partition('=')[0]}" not in options
        groups = any(isinstance(each, _SubParsersAction) for each in self._actions)
        option = options.get(begins)
        if named and not groups and (option is None or option.nargs == 0):
            return None
        return super()._parse_optional(arg_string)

    def _match_arguments_partial(self, actions: Sequence[Action], pattern: str) -> list[int]:
        """Leave arguments that may be left out for what follows the next option.

        Before Python 3.12.7 the TEXT of ``cr approve 14 --space X TEXT`` was taken for left out at
        the option before it, and then for one word too many.
        """
        counts: list[int] = super()._match_arguments_partial(actions, pattern)
        while counts and not counts[-1] and "O" in pattern[sum(counts) :]:
            counts.pop()
        return counts

    def meant(self, arguments: Sequence[str]) -> Parser:
        """Return the parser of the command that the arguments name."""
        parser: Parser = self
        for word in arguments:
            for action in parser._actions:
                if isinstance(action, _SubParsersAction) and word in action.choices:
                    parser = action.choices[word]
                    break
        return parser

    def _check_value(self, action: Action, value: Any) -> None:
        """Raise ``ArgumentError`` for a value that is not a choice, and name the nearest choice."""
        if action.choices is None or value in action.choices:
            return
        words = [str(each) for each in action.choices]
        if isinstance(action, _SubParsersAction):
            self._refuse_command(str(value), action)
        near = _nearest(str(value), words)
        meant = f": did you mean {near}?" if near else "."
        said = f"it cannot be {_named(str(value))}{meant} It is {listed(words, 'or')}."
        raise ArgumentError(action, said)

    def _refuse_command(self, word: str, commands: _SubParsersAction[Parser]) -> NoReturn:
        """Say that there is no such command, which one is the nearest, and examples of that.

        A word that is an action of a command counts where it is nearer than all commands.
        """
        below = {
            name: f"{above} {name}"
            for above, each in commands.choices.items()
            for deeper in each._actions
            if isinstance(deeper, _SubParsersAction)
            for name in deeper.choices
        }
        before = self.prog.removeprefix("copydesk").strip()
        known = {} if before else {**below}
        for name, here in ELSEWHERE.items():
            above, _, last = name.rpartition(" ")
            if above == before:
                known[last] = here
        known |= {each: f"{before} {each}".strip() for each in commands.choices}
        near = known.get(_nearest(word, known), "")
        meant = f"Did you mean {near}?" if near else f"{self.prog} --help lists all."
        said = f"there is no command {_named(word)}. {meant}"
        self.refuse(said, examples_near(word, near) if near else ())


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return wrap(text, COLUMNS, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _argument_name(action: Action) -> str:
    return action.option_strings[0] if action.option_strings else str(action.metavar)


def _named(word: str) -> str:
    """Return a word that somebody typed as a message names it: in quotes if it is not plain."""
    short = shorten(word)
    return short if re.fullmatch(r"[\w.=-]+", short, re.ASCII) else repr(short)


def _nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that a word is most like; "" where it is like none."""
    from difflib import get_close_matches

    # Without their dashes: two options would be alike by these alone.
    bare = {each.lstrip("-"): each for each in known}
    near = get_close_matches(word.lstrip("-").casefold(), bare, 1, 0.65)
    return bare[near[0]] if near else ""


def _flag(
    parser: _ActionsContainer,
    name: str,
    said: str,
    *,
    dest: str | None = None,
    default: bool | str = False,
) -> None:
    """Declare an option without a value."""
    parser.add_argument(name, action="store_true", dest=dest, default=default, help=said)


def _to_file(parser: ArgumentParser) -> None:
    """Accept what writes a list to a file."""
    parser.add_argument(
        "--output", metavar="FILE", type=_path, help="write to a file that only you can read"
    )
    _flag(parser, "--force", "replace a file that is there")


def add_api(commands: Subparsers) -> None:
    """Declare ``copydesk api``."""
    parser = commands.add_parser(
        "api",
        help="send a call to the service, and print its answer",
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
    parser.add_argument(
        "path", metavar="PATH", help="the path, with or without /v1; a query may follow"
    )
    for names, typed, said in (
        (
            ("-f", "--raw-field"),
            False,
            "a text of the body, or of the query of a GET; a[b]=1 nests, a[]=1 makes a list",
        ),
        (
            ("-F", "--field"),
            True,
            "as -f, but true, false, null and whole numbers are such values; @FILE is read",
        ),
    ):
        parser.add_argument(
            *names,
            dest="fields",
            metavar="KEY=VALUE",
            action="append",
            default=[],
            type=partial(GivenField, typed=typed),
            help=said,
        )
    parser.add_argument(
        "--input",
        dest="body",
        metavar="FILE",
        help="a file with the body, as JSON (-: standard input); fields go to the query then",
    )
    _flag(
        parser,
        "--paginate",
        "read all pages of a list, print a JSON object for each entry, one per line",
    )
    _flag(
        parser,
        "--json",
        "print one JSON value in any case: one list with --paginate, null for no body",
        dest="as_json",
    )
    parser.set_defaults(runner="copydesk.cli.api:send_request")
    _connection(parser, again=True)


def add_cr(commands: Subparsers) -> None:
    """Declare ``copydesk cr`` with what it does."""
    parser = commands.add_parser("cr", help="list, read, review, edit and merge change requests")
    actions = parser.add_subparsers(metavar="ACTION", title="actions", required=True)

    listing = actions.add_parser(
        "list", help="list change requests by their status, a view or a filter"
    )
    which = listing.add_mutually_exclusive_group()
    which.add_argument(
        "--status",
        choices=get_args(ChangeRequestStatus),
        help="only those of this status (default: open)",
    )
    which.add_argument(
        "--view", metavar="NAME", help='only those of a view of the screens, such as "Needs me"'
    )
    listing.add_argument(
        "--filter",
        dest="where",
        metavar="TEXT",
        help="only those that a filter finds, written as after / on the screens",
    )
    listing.set_defaults(runner="copydesk.cli.cr_list:list_requests")

    ones = partial(_request, actions)
    ones("show", "cr:show_request", "print a change request, and whether it can be merged")
    comparing = ones(
        "diff", "cr_diff:show_diff", "print what a change request changes, word by word"
    )
    _flag(comparing, "--patch", "print a patch that git apply takes")
    merging = ones("merge", "cr:merge_request", "merge a change request; asks first")
    _flag(merging, "--yes", "merge without asking")
    reverting = ones(
        "revert", "cr:revert_request", "begin a change request that reverts the merge of another"
    )
    reverting.add_argument(
        "--why",
        metavar="TEXT",
        required=True,
        help="why: the description of the new change request",
    )
    for name, runner, said in (
        ("approve", "approve", "approve a change request; asks first"),
        ("ask", "ask_for_changes", "ask for changes in a change request; asks first"),
    ):
        judging = ones(name, f"cr_review:{runner}", said)
        judging.add_argument(
            "text", metavar="TEXT", nargs="?", help=f"the text of the review: {_MARKDOWN}"
        )
        _flag(judging, "--yes", "send without asking")
    reviewing = ones(
        "review", "cr_review:review", "send the comments and the review that a file has"
    )
    reviewing.add_argument(
        "file", metavar="FILE", type=_path, help="YAML or JSON; - reads standard input"
    )
    _flag(
        reviewing, "--plan", "send nothing, print what would be sent; exit status 7 if there is any"
    )
    _flag(reviewing, "--yes", "send without asking")
    reading = ones("threads", "cr_threads:show_threads", "print the threads of a change request")
    _flag(reading, "--all", "print resolved threads and reviews, too", dest="every")
    commenting = ones("comment", "cr_threads:comment_on", "comment on a change request as a whole")
    commenting.add_argument("text", metavar="TEXT", help=_MARKDOWN)
    replying = ones("reply", "cr_threads:reply_to", "reply in a thread of a change request")
    replying.add_argument(
        "thread", metavar="THREAD", help="the thread: its id, as cr threads prints it"
    )
    replying.add_argument("text", metavar="TEXT", help=_MARKDOWN)
    resolving = ones("resolve", "cr_threads:resolve", "resolve threads of a change request")
    resolving.add_argument(
        "threads",
        metavar="THREAD",
        nargs="+",
        help="the threads: their ids, as cr threads prints them",
    )
    _flag(resolving, "--reopen", "reopen them instead")
    applying = ones(
        "apply",
        "cr_apply:apply_suggestions",
        "apply suggestions in the threads of a change request",
    )
    applying.add_argument(
        "threads",
        metavar="THREAD",
        nargs="*",
        help="the threads: their ids; without any, all suggestions that fit are applied",
    )
    _flag(
        applying,
        "--plan",
        "apply nothing, print what would be applied; exit status 7 if there is any",
    )
    _flag(applying, "--yes", "apply without asking")
    checked = ones(
        "check",
        "cr_check:check_request",
        "run the checks on the text that a change request changes; exit status 1 for findings",
    )
    _flag(checked, "--all", "print findings in older text of its pages, too", dest="every")
    checking = ones("checkout", "cr_files:checkout", "write the pages of a change request as files")
    checking.add_argument(
        "folder", metavar="FOLDER", type=_path, help="an empty folder, or the name of a new one"
    )
    pushing = actions.add_parser("push", help="send what was changed in a folder of cr checkout")
    pushing.add_argument(
        "folder", metavar="FOLDER", type=_path, help="the folder that cr checkout wrote"
    )
    for option, said in (
        ("plan", "send nothing, print the patch; exit status 7 if there is one"),
        ("yes", "send without asking"),
        ("stage", "send nothing, stage the changes for the screens"),
        ("remove", "delete the pages whose files are gone"),
    ):
        _flag(pushing, f"--{option}", said)
    _flag(pushing, "--json", "print JSON", dest="as_json")
    pushing.set_defaults(runner="copydesk.cli.cr_files:push")
    _connection(pushing, again=True)
    editing = ones(
        "edit",
        "cr_fields:edit",
        "change the subject, the description or the status of a change request",
    )
    editing.add_argument("--subject", metavar="TEXT", help="the new subject, one line")
    editing.add_argument(
        "--status", choices=get_args(ChangeRequestWritableStatus), help="the new status"
    )
    creating = actions.add_parser(
        "create", help="create a change request: a draft, without changes"
    )
    creating.add_argument("subject", metavar="SUBJECT", help="the subject, one line")
    creating.set_defaults(runner="copydesk.cli.cr_fields:create")
    creating.add_argument(
        "--cluster", metavar="CLUSTER", help="the cluster that it answers: id or title"
    )
    for each in (editing, creating):
        each.add_argument(
            "--description",
            metavar="TEXT",
            help="the description, as plain text; - reads standard input",
        )
    for each in (listing, creating):
        each.add_argument("--space", metavar="SPACE", required=each is creating, help=_SPACE)
        _common(each)


_MARKDOWN = "Markdown; - reads standard input"

_SPACE = "the space: title, slug, id or address"


def _request(actions: Subparsers, name: str, runner: str, said: str) -> ArgumentParser:
    """Declare an action on one change request, and return its parser."""
    parser = actions.add_parser(name, help=said)
    parser.set_defaults(runner=f"copydesk.cli.{runner}")
    parser.add_argument(
        "request", metavar="NUMBER", help="the change request: number, id or address"
    )
    parser.add_argument("--space", metavar="SPACE", help=_SPACE)
    _common(parser)
    return parser


def add_clusters(commands: Subparsers) -> None:
    """Declare ``copydesk clusters``; without more it lists them."""
    parser, actions, listing, showing = _listed(
        commands, "clusters", "cluster", "what users struggle with, by week"
    )
    for each in (parser, listing):
        each.add_argument(
            "--sort",
            metavar="ORDER",
            default=None if each is parser else SUPPRESS,
            help="updatedAt (default), issues, conversations, trend, newest or name",
        )
    reporting = actions.add_parser(
        "report",
        help="write what came up most, what was done about it, and whether it helped",
        description=REPORT,
        formatter_class=RawDescriptionHelpFormatter,
    )
    reporting.set_defaults(runner="copydesk.cli.clusters_report:write_report")
    reporting.add_argument(
        "--since",
        metavar="SPAN",
        default="1w",
        help="how far back, in whole weeks: 1w (default) to 12w, or 7d",
    )
    reporting.add_argument(
        "--format", dest="form", choices=("markdown", "html"),
        help="the format (default: by the name of the file, else Markdown)",
    )  # fmt: skip
    tables = []
    for name, fields in (("issues", ISSUES), ("conversations", CONVERSATIONS)):
        table = actions.add_parser(
            name, help=f"print {name}: all, those of one cluster, or the latest",
            description=fields, formatter_class=RawDescriptionHelpFormatter,
        )  # fmt: skip
        table.set_defaults(runner="copydesk.cli.clusters_report:list_told", what=name)
        table.add_argument(
            "--cluster", metavar="CLUSTER", help="only those of this cluster: id or title"
        )
        table.add_argument("--since", metavar="SPAN", help="only those of the last 2d, 1w, …")
        tables.append(table)
    for each in (listing, *tables):
        _flag(each, "--csv", "print CSV", dest="as_csv")
    for each in (reporting, listing, *tables):
        _to_file(each)
        _flag(each, "--wait", "first wait until all conversations are analysed")
    for each in (reporting, *tables):
        _common(each, again=True)
    for each in (parser, listing, showing, reporting, *tables):
        _unmask(each, again=each is not parser)


def add_findings(commands: Subparsers) -> None:
    """Declare ``copydesk findings``; without more it lists them."""
    parser, _, listing, showing = _listed(
        commands, "findings", "finding", "what the content of sites lacks or gets wrong"
    )
    for each in (parser, listing):
        given: dict[str, Any] = {"default": None if each is parser else SUPPRESS}
        each.add_argument(
            "--status", choices=get_args(FindingStatus), help="only those of this status", **given
        )
        each.add_argument(
            "--kind", choices=get_args(FindingType), help="only those that say this", **given
        )
    listing.description = FINDINGS
    listing.formatter_class = RawDescriptionHelpFormatter
    _flag(listing, "--csv", "print CSV", dest="as_csv")
    _to_file(listing)
    for each in (parser, listing, showing):
        each.add_argument(
            "--site", metavar="SITE", default=None if each is parser else SUPPRESS,
            help="only those of one site: id, title, host name or address",
        )  # fmt: skip
        _unmask(each, again=each is not parser)


FINDINGS = """\
The most asked about come first. ASKED counts the records that tell of one, VIEWS how often its
pages are viewed in a week, CR the change requests that were begun for it. With --json each has what
the service says, its description as Markdown, organization, site, siteTitle, views (in four weeks)
and weeklyPulse (13 weeks, the latest last); --csv has the same as columns. E-mail addresses and
phone numbers are masked, and no cell is run as a formula.

Exit status: 0 also for none; 1 it failed, or the file is there already; 2 wrong usage; 3 not
allowed; 5 the service cannot be reached; 6 it has no findings."""

REPORT = """\
The ten clusters with the most issues since then: each with its 13 weeks, this week beside the
usual week, the change requests that answer it, what the merged ones changed, and what users said.
Below them: what all merged change requests changed, and which clusters are new. E-mail addresses
and phone numbers are masked; words with a password or a token in them are not quoted.

--json prints: organization, since, until, clusters (how many there are), top, new and merged.
Each cluster of these lists has id, label, issues, lately (issues since then), weeklyPulse (13
weeks, the latest last), rate and effects (a sentence for each merge); those of top also summary,
conversations, sources, link, changeRequests (number, subject, status, link), moreChangeRequests
(those left out, null for none) and quotes (words, source, at, link). A rate has move (new, grows,
falls, steady, or few: too few issues to tell), week (issues this week), usual (a week since the
first issue), and how many times the usual that is: factor, probably from low to high.

Exit status: 0 written, also where nothing came up; 1 it failed, or the file is there already;
2 wrong usage; 3 not allowed; 5 the service cannot be reached."""

ISSUES = """\
Problems that were told in conversations, the latest first. With --json each has id, title, summary,
cluster (its id, null for none), clusterLabel, conversation (its id), source, createdAt and link
(where the conversation is); --csv has the same as columns. E-mail addresses and phone numbers are
masked, and no cell is run as a formula.

Exit status: 0 also for none; 1 it failed, or the file is there already; 2 wrong usage; 3 not
allowed; 5 the service cannot be reached; 6 it has none of these."""

CONVERSATIONS = """\
Conversations that were sent, the latest first. With --json each has id, subject, source,
createdAt, analysedAt (null while issues are looked for in it), issues (how many were found in it),
clusters (id and label of each) and link; --csv has the same as columns. E-mail addresses and phone
numbers are masked, and no cell is run as a formula.

Exit status: 0 also for none; 1 it failed, or the file is there already; 2 wrong usage; 3 not
allowed; 5 the service cannot be reached; 6 it has none of these."""


def add_spaces(commands: Subparsers) -> None:
    """Declare ``copydesk spaces``; without more it lists them."""
    _listed(commands, "spaces", "space", "the spaces, and the pages of one")


def _unmask(parser: ArgumentParser, *, again: bool) -> None:
    default = SUPPRESS if again else False
    _flag(parser, "--unmask", "show e-mail addresses and phone numbers", default=default)


def add_sites(commands: Subparsers) -> None:
    """Declare ``copydesk sites``; without more it lists them."""
    _listed(commands, "sites", "site", "the sites, published or not, and what one shows")


def _listed(
    commands: Subparsers, name: str, noun: str, said: str
) -> tuple[ArgumentParser, Subparsers, ArgumentParser, ArgumentParser]:
    """Declare a command that lists things of a kind, or shows one of them, with its actions."""
    parser = commands.add_parser(name, help=f"print {said}")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    listing = actions.add_parser("list", help=f"print all {name} (the same as {name} alone)")
    showing = actions.add_parser("show", help=f"print one {noun}")
    showing.add_argument(noun, metavar=noun.upper(), help=f"the {noun}: id or title")
    for each in (parser, listing):
        each.set_defaults(runner=f"copydesk.cli.{name}:list_{name}")
    showing.set_defaults(runner=f"copydesk.cli.{name}:show_{noun}")
    for each in (parser, listing, showing):
        _common(each, again=each is not parser)
    return parser, actions, listing, showing


def _common(parser: ArgumentParser, *, again: bool = False, json: bool = True) -> None:
    """Accept what all of them do; ``again``: after another word, too."""
    parser.add_argument(
        "--organization",
        metavar="TITLE",
        default=SUPPRESS if again else None,
        help="only in this organization: title or id",
    )
    if json:
        default = SUPPRESS if again else False
        _flag(parser, "--json", "print JSON", dest="as_json", default=default)
    _connection(parser, again=True)


def add_accounts(commands: Subparsers) -> None:
    """Declare the commands."""
    _login(commands)
    _logout(commands)
    _profiles(commands)
    _doctor(commands)


def _login(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "login",
        help="connect to a service, and save its token",
        description="The token is not shown while you type. It is saved if the service takes it.",
    )
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the name of the profile (default: default)"
    )
    parser.add_argument(
        "--base-url", metavar="URL", default=SUPPRESS, help="the service (default: the hosted one)"
    )
    parser.add_argument(
        "--token-command",
        metavar="COMMAND",
        help="a program that prints the token, as of a password manager; run at each start, "
        "without a shell",
    )
    _flag(parser, "--token-stdin", "read the token from standard input")
    parser.add_argument(
        "--store",
        choices=("keyring", "file"),
        help="where to save the token: in the system's keyring alone, or in a file that only you "
        "can read (default: the keyring, or a file where the system has no keyring)",
    )
    parser.add_argument(
        "--ca-file",
        type=_path,
        metavar="FILE",
        help="a file of certificate authorities (PEM) to trust, besides the usual ones",
    )
    parser.add_argument(
        "--read-only",
        action=BooleanOptionalAction,
        default=SUPPRESS,
        help="write nothing to the service with this profile",
    )
    _flag(
        parser,
        "--insecure",
        "send the token unencrypted to another machine (http://) without asking",
    )
    parser.set_defaults(runner="copydesk.cli.login:login")


def _logout(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "logout",
        help="remove the token of a profile from this machine",
        description="Drafts, and what waits to be sent, stay on this machine.",
    )
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the profile (default: the one that copydesk opens)"
    )
    _flag(parser, "--everything", "remove the profile as well")
    _flag(parser, "--yes", "remove it without asking")
    parser.set_defaults(runner="copydesk.cli.login:logout")


def _profiles(commands: Subparsers) -> None:
    parser = commands.add_parser("profiles", help="list the services that you logged in to")
    # Nothing where it is not given: an action below has no use for it.
    _flag(parser, "--json", "print JSON", dest="as_json", default=SUPPRESS)
    parser.set_defaults(runner="copydesk.cli.login:list_profiles")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    using = actions.add_parser("use", help="open this profile when a command names none")
    using.add_argument("name", metavar="NAME", help="the profile; desk is your own desk")
    using.set_defaults(runner="copydesk.cli.login:use_profile")


def _doctor(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "doctor",
        help="say what is configured, what answers, and what is wrong",
        description="Writes nothing, and prints no token. Exit status 1 if something is wrong.",
    )
    _flag(parser, "--json", "print JSON", dest="as_json")
    _flag(
        parser,
        "--ask",
        "also find out which operations the service has, by one read of each unknown one",
    )
    _connection(parser, again=True)
    parser.set_defaults(runner="copydesk.cli.doctor:examine")


@cache
def opening_parser() -> Parser:
    """Return what may stand before or after an address that is opened."""
    parser = Parser(prog="copydesk URL", description="Open where an address points.")
    _connection(parser)
    return parser


@cache
def build_parser() -> Parser:
    """Return the whole command line, for parsing and for its documentation."""
    from copydesk import __version__

    parser = Parser(
        prog="copydesk",
        description="A terminal client for GitBook. Without a command it opens the screens: your "
        "service, or a sample.",
        usage="%(prog)s [-h] [--version] [--profile NAME | --base-url URL | --desk FILE] "
        "[--read-only] [--linear] [--theme NAME] [--debug] [URL | COMMAND …]",
        epilog=(
            "URL, an address of the platform's application or of a published site, opens the\n"
            "screens where it points.\n"
            "With no account copydesk opens your own desk: a sample, or what you import.\n"
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
    add_accounts(commands)
    add_api(commands)
    add_cr(commands)
    add_clusters(commands)
    add_findings(commands)
    add_spaces(commands)
    add_sites(commands)
    _ops(commands)
    _settings(commands)
    _keys(commands)
    _manual(commands)
    _help(commands)
    _log(commands)
    _outbox(commands)
    _watch(commands)
    _cache(commands)
    _structure(commands)
    _redirects(commands)
    _search(commands)
    _conversations(commands)
    _serve(commands)
    _desk(commands)
    _complete(commands)
    _completion(commands)
    _describe(parser)
    return parser


def _describe(parser: ArgumentParser) -> None:
    """Begin the help of each command with the sentence that lists it."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            said = {each.dest: each.help or "" for each in action._choices_actions}
            for name, below in action.choices.items():
                told = f"{capital(said[name])}."
                below.description = "\n\n".join(filter(None, (told, below.description)))
                _describe(below)


def _everywhere(parser: ArgumentParser, words: Collection[str]) -> None:
    """Accept the general options behind each of these words that is a command, too.

    What has no use for one says so, as it does where the option stands in front. Accepting them
    behind every command there is would take longer than all the rest of reading arguments.
    """
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for below in (each for name, each in action.choices.items() if name in words):
                listed = list(below._actions)
                _connection(below, again=True)
                for added in below._actions:
                    if added not in listed:
                        added.help = SUPPRESS
                _everywhere(below, words)


OF_SCREENS = ("--theme", "--linear")
"""The general options of what opens the screens: no command below tells of them."""


def _connection(parser: ArgumentParser, *, again: bool = False) -> None:
    """Accept the options that say which service is meant; ``again``: after the command, too.

    Those that the parser has already stay as they are.
    """
    default = SUPPRESS if again else None
    told: dict[str, dict[str, Any]] = {
        "--desk": {
            "type": _path,
            "metavar": "FILE",
            "help": "the file of your own desk (default: below your data folder)",
        },
        "--base-url": {
            "metavar": "URL",
            "help": "the service to use; its token is that of COPYDESK_TOKEN, or of the profile "
            "of this service",
        },
        "--profile": {
            "metavar": "NAME",
            "help": "the profile to use (copydesk profiles); desk is your own desk",
        },
        "--read-only": {"action": "store_true", "help": "write nothing to the service"},
        "--theme": {
            "metavar": "NAME",
            "help": "the colours of the screens: auto, dark, light, colour-blind, ansi, mono",
        },
        "--linear": {
            "action": "store_true",
            "help": "tell in words, line by line, what the screens show: for screen readers",
        },
        "--debug": {
            "action": "store_true",
            "help": "log every call, without what is in it (copydesk log --file says where)",
        },
    }
    for name, settings in told.items():
        if again and name in OF_SCREENS:
            settings["help"] = SUPPRESS
        if name not in parser._option_string_actions:
            parser.add_argument(name, default=default, **settings)


def _ops(commands: Subparsers) -> None:
    parser = commands.add_parser("ops", help="print the operations of the API")
    form = parser.add_mutually_exclusive_group()
    _flag(form, "--json", "print JSON", dest="as_json")
    _flag(form, "--openapi", "print an OpenAPI 3.1 document")
    _flag(form, "--markdown", "print the page of the manual")
    parser.set_defaults(runner="copydesk.cli.reference:print_operations")


def _keys(commands: Subparsers) -> None:
    parser = commands.add_parser("keys", help="print what every key does")
    form = parser.add_mutually_exclusive_group()
    _flag(form, "--json", "print JSON", dest="as_json")
    _flag(form, "--markdown", "print the page of the manual")
    _flag(form, "--press", "name each key that you press")
    parser.set_defaults(runner="copydesk.cli.reference:print_keys")


def _settings(commands: Subparsers) -> None:
    parser = commands.add_parser("settings", help="list, change and check the settings")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json", action="store_true", dest="as_json", default=SUPPRESS, help="print JSON"
    )
    form.add_argument(
        "--markdown", action="store_true", default=SUPPRESS, help="print the page of the manual"
    )

    def of_profile(below: ArgumentParser, said: str) -> None:
        below.add_argument("--profile", metavar="NAME", default=SUPPRESS, help=said)

    of_profile(parser, "what holds in this profile")
    parser.set_defaults(runner="copydesk.cli.settings:list_settings")
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    for name, runner, said in (
        ("get", "get_setting", "print the value of a setting"),
        ("set", "set_setting", "give a setting a value"),
        ("unset", "unset_setting", "remove a setting from the file, so that its default applies"),
        ("edit", "edit_settings", "open the file in $VISUAL or $EDITOR, then check it"),
        (
            "check",
            "check_settings",
            "print every mistake in the file and in variables; exit status 1 if there is one",
        ),
        ("schema", "print_schema", "print the JSON Schema of the file"),
    ):
        each = actions.add_parser(name, help=said)
        if name in ("get", "set", "unset"):
            each.add_argument("name", metavar="NAME", help="the setting")
        if name == "set":
            each.add_argument("value", metavar="VALUE", help="as text, without quotes")
        if name in ("set", "unset"):
            of_profile(each, "change the table of this profile in the file")
        if name in ("get", "check"):
            of_profile(each, "what holds in this profile")
        each.set_defaults(runner=f"copydesk.cli.settings:{runner}")


def _manual(commands: Subparsers) -> None:
    parser = commands.add_parser("manual", help="read the manual in the screens, offline")
    parser.set_defaults(runner="copydesk.cli.manual_desk:open_manual")


def _help(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "help", help="explain a topic (help merge), or a command (help cr merge)"
    )
    parser.add_argument(
        "words", metavar="WORD", nargs="*",
        help="what the manual is asked for, or a command; without one, all commands are listed",
    )  # fmt: skip
    _flag(parser, "--markdown", "print the page of the manual, with all commands")
    parser.set_defaults(runner="copydesk.cli.help:print_help")


def _outbox(commands: Subparsers) -> None:
    parser = commands.add_parser("outbox", help="print what waits to be sent from this machine")
    _flag(parser, "--json", "print JSON", dest="as_json")
    parser.set_defaults(runner="copydesk.cli.log:print_outbox")


def _log(commands: Subparsers) -> None:
    parser = commands.add_parser("log", help="print the log of what this machine sent")
    parser.add_argument(
        "--since", metavar="SPAN", help="only what was sent in the last 30m, 1h, 2d, …"
    )
    form = parser.add_mutually_exclusive_group()
    _flag(form, "--json", "print JSON", dest="as_json")
    _flag(
        form,
        "--file",
        "print the name of the file that errors and calls are logged in",
        dest="file",
    )
    parser.set_defaults(runner="copydesk.cli.log:print_log")


def _watch(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "watch",
        help="merge change requests that wait for their rules, once the rules are met",
        description="Looks each minute at the change requests that wait (M in the merge dialog), "
        "and merges those whose rules are met. Ends when none waits: exit status 0 if all were "
        "merged, 4 if one was stopped.",
    )
    _flag(parser, "--once", "look once; exit status 7 if some still wait")
    _flag(parser, "--json", "print a JSON object for each, one per line", dest="as_json")
    _connection(parser, again=True)
    parser.set_defaults(runner="copydesk.cli.watch:watch_merges")


def _cache(commands: Subparsers) -> None:
    cache = commands.add_parser(
        "cache", help="show or clear the answers of services that are saved on this machine"
    )
    actions = cache.add_subparsers(metavar="ACTION", title="actions", required=True)
    showing = actions.add_parser("show", help="print how much is saved, and how old it is")
    _flag(showing, "--json", "print JSON", dest="as_json")
    showing.set_defaults(runner="copydesk.cli.cache:show_cache")
    clearing = actions.add_parser(
        "clear", help="clear the answers; drafts and what waits to be sent stay"
    )
    clearing.add_argument(
        "--profile", metavar="NAME", default=SUPPRESS, help="only the answers of this profile"
    )
    clearing.set_defaults(runner="copydesk.cli.cache:clear_cache")


def _structure(commands: Subparsers) -> None:
    structure = commands.add_parser(
        "structure", help="print the structure of a site, and change it to what a file says"
    )
    actions = structure.add_subparsers(metavar="ACTION", title="actions", required=True)

    exporting = actions.add_parser(
        "export", help="print the structure of a site as YAML, to be edited"
    )
    exporting.set_defaults(runner="copydesk.cli.structure:export_structure")

    applying = actions.add_parser(
        "apply", help="change a site to what a file says, or print the plan"
    )
    exporting.add_argument("site", metavar="SITE", help="the site: id, title, host name or address")
    applying.add_argument("site", metavar="SITE", help="the site: id, title, host name or address")
    applying.add_argument(
        "file",
        type=_path,
        metavar="FILE",
        nargs="?",
        help="the file with the structure; - reads standard input",
    )
    _flag(
        applying,
        "--plan",
        "send nothing, print the calls; exit status 7 if there are any, 0 if the site is as "
        "the file says",
    )
    _flag(applying, "--remove", "remove from the site what is not in the file")
    _flag(applying, "--recreate", "add again what is in the file and was removed from the site")
    _flag(applying, "--yes", "send without asking")
    _flag(applying, "--json", "print JSON", dest="as_json")
    left = applying.add_mutually_exclusive_group()
    _flag(left, "--resume", "send the rest of an apply that stopped; without FILE")
    _flag(left, "--roll-back", "undo what an apply sent before it stopped")
    _flag(left, "--keep", "keep what an apply sent before it stopped, discard the rest")
    applying.set_defaults(runner="copydesk.cli.structure:apply_structure")
    for parser in (exporting, applying):
        parser.add_argument(
            "--organization", metavar="TITLE", help="only in this organization: title or id"
        )
        _connection(parser, again=True)


def _redirects(commands: Subparsers) -> None:
    redirects = commands.add_parser(
        "redirects", help="list, make, remove, import and test the redirects of a site"
    )
    actions = redirects.add_subparsers(metavar="ACTION", title="actions", required=True)
    ones: dict[str, ArgumentParser] = {}
    for name, runner, said in (
        ("list", "list_redirects", "print the redirects of a site, with what is wrong with them"),
        ("add", "add_redirect", "make a redirect; asks first"),
        ("delete", "delete_redirect", "remove a redirect; asks first"),
        ("import", "import_redirects", "make, change and remove redirects as a CSV file says"),
        ("export", "export_redirects", "print the redirects as a CSV file that import reads"),
        ("test", "try_path", "say where a path leads; exit status 1 where it leads to nothing"),
    ):
        ones[name] = each = actions.add_parser(name, help=said)
        each.add_argument("site", metavar="SITE", help="the site: id, title, host name or address")
        each.set_defaults(runner=f"copydesk.cli.redirects:{runner}")
    for name in ("add", "delete"):
        ones[name].add_argument(
            "source", metavar="FROM", help="the path, such as /old, or /old/* for all below it"
        )
    adding, importing = ones["add"], ones["import"]
    adding.add_argument("to", metavar="TO", help="a path that the site shows, or a web address")
    _flag(adding, "--keep", "put what the * is behind TO; else it is left out")
    _flag(adding, "--temporary", "browsers and search engines do not remember it")
    _flag(adding, "--draft", "a draft: it leads nowhere yet")
    _flag(ones["delete"], "--draft", "the draft, not the live one")
    importing.add_argument(
        "file", type=_path, metavar="FILE",
        help="CSV (-: standard input): from, to, kind (permanent, temporary), rest (discard, keep) "
        "and state (live, draft); the first of each where it is left out, and - as to removes",
    )  # fmt: skip
    _flag(
        importing, "--plan", "send nothing, print what would be sent; exit status 7 if there is any"
    )
    _flag(importing, "--skip-bad", "send the rest if some lines cannot be; exit "
        "status 1 then")  # fmt: skip
    ones["test"].add_argument("path", metavar="PATH", help="the path, or an address of the site")
    for name, each in ones.items():
        if name in ("add", "delete", "import"):
            _flag(each, "--yes", "send without asking")
        _common(each, json=name != "export")


def _search(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "search",
        help="find the pages that have some words, section by section",
        description=SEARCH,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "words", metavar="TEXT", nargs="+", help="the words; each is found by how it begins"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--space", metavar="SPACE", help="only in a space: title, slug, id or address"
    )
    where.add_argument("--site", metavar="SITE", help="only there: id, title, host name or address")
    _common(parser)
    parser.set_defaults(runner="copydesk.cli.search:search_pages")


SEARCH = """\
The best comes first; without --space and --site every organization is searched. With --json each
result has space (its id), spaceTitle, page (its id), title, under (the titles of the pages above
it), section (its title, null for the page as a whole), path, says and link.

Exit status: 0 also for none; 1 it failed; 2 wrong usage; 3 not allowed; 5 the service cannot be
reached; 6 it cannot search there."""


def _conversations(commands: Subparsers) -> None:
    conversations = commands.add_parser(
        "conversations", help="send support conversations from files"
    )
    actions = conversations.add_subparsers(metavar="ACTION", title="actions", required=True)
    sending = actions.add_parser(
        "send", help="check the conversations in files, and send each once"
    )
    sending.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="CSV, an export of Zendesk, Intercom, Freshdesk, Help Scout or Front, mbox, .eml or "
        "JSON, recognized by its content (docs/conversations.md); - reads standard input",
    )
    sending.add_argument(
        "--columns",
        metavar="LIST",
        help="what the columns of a table, or the fields of JSON, say, saved for the next file "
        'with the same ones: "body=Description, id=Ticket ID, subject=Subject, '
        'created=Created at, keep=Plan"',
    )
    sending.add_argument(
        "--source",
        metavar="NAME",
        help="where the conversations are from, such as the name of an account of a help desk",
    )
    sending.add_argument(
        "--team",
        metavar="ADDRESS",
        action="append",
        help="an address or a domain of your team: what it wrote in mails and tables is the team's "
        "(repeat for more)",
    )
    sending.add_argument(
        "--dates",
        choices=("dmy", "mdy"),
        help="how to read dates such as 02/03/2026: day first or month first, where a table shows "
        "neither",
    )
    sending.add_argument(
        "--encoding",
        metavar="NAME",
        help="how a table or JSON is written that is neither UTF-8 nor UTF-16, such as cp932 "
        "(Japanese); a table is taken for cp1252 (Western Europe) where it can be",
    )
    _flag(
        sending,
        "--mask",
        "mask e-mail addresses, the numbers of phones, cards and accounts, passwords and keys "
        "before anything is sent",
    )
    _flag(sending, "--yes", "send without asking")
    sending.add_argument(
        "--organization",
        metavar="TITLE",
        help="the organization to send to, if you are in several: title or id",
    )
    _flag(sending, "--skip-bad", "send the rest if some cannot be sent; exit status 1 then")
    _flag(sending, "--again", "send again, too, what was sent before; it replaces what is there")
    _flag(sending, "--json", "print a JSON object for each, one per line", dest="as_json")
    sending.set_defaults(runner="copydesk.cli.conversations:send_conversations")
    _connection(sending, again=True)


def _port(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        named = shorten(clean(text))
        said = f"a port is a number from 0 to 65535, such as 8484, not {named!r}"
        raise ArgumentTypeError(said) from None


def _requests(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < len(text) <= 9 and int(text):
        return int(text)
    named = shorten(clean(text))
    raise ArgumentTypeError(f"a limit is a number of calls, such as 3600, not {named!r}")


def _serve(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "serve", help="serve your own desk over HTTP, or the screens to a browser"
    )
    parser.add_argument(
        "--web", action="store_const", dest="runner", const="copydesk.cli.web.serve:serve_web",
        default=SUPPRESS, help="open the screens in a browser on this machine, by a link that "
        "works once",
    )  # fmt: skip
    parser.add_argument(
        "--host", default=SUPPRESS, help="the address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=_port, default=SUPPRESS,
        help="the port; 0 takes a free one (default: 8484, with --web 8485)",
    )  # fmt: skip
    parser.add_argument(
        "--fetch", action="store_true", default=SUPPRESS,
        help="read OpenAPI specifications from their public URLs",
    )  # fmt: skip
    parser.add_argument(
        "--git", type=_path, metavar="FOLDER", default=SUPPRESS,
        help="let spaces be imported from, and exported to, git repositories below this folder",
    )  # fmt: skip
    parser.add_argument(
        "--limit", type=_requests, metavar="N", default=SUPPRESS,
        help="how many calls each token may send in an hour (default: any number)",
    )  # fmt: skip
    parser.add_argument(
        "--as", choices=("earlier", "today", "document"), default=SUPPRESS, dest="edition",
        metavar="SERVICE", help="have only the operations of a service: the earlier one, today's, "
        "or that of the API document (earlier, today, document)",
    )  # fmt: skip
    _desk_option(parser)
    parser.set_defaults(runner="copydesk.cli.serve:serve")


def _desk(commands: Subparsers) -> None:
    desk = commands.add_parser("desk", help="fill, copy and check your own desk")
    actions = desk.add_subparsers(metavar="ACTION", title="actions", required=True)

    token = actions.add_parser("token", help="create a bearer token and print it")
    token.add_argument("--user", metavar="EMAIL", help="whose token (default: the desk's owner)")
    token.set_defaults(runner="copydesk.cli.desk:mint")

    sample = actions.add_parser("sample", help="make, enlarge or remove the sample")
    what = sample.add_mutually_exclusive_group()
    what.add_argument(
        "--scale",
        type=int,
        metavar="N",
        default=0,
        help="add an organization with N change requests, and all else in proportion",
    )
    _flag(
        what,
        "--remove",
        "remove the sample, with what you wrote in its spaces; what else is in the desk stays",
    )
    _flag(
        sample,
        "--force",
        "with --remove: remove spaces that you made or imported in the sample, too",
    )
    sample.set_defaults(runner="copydesk.cli.desk:sample")

    importing = actions.add_parser(
        "import", help="import a folder or git repository of Markdown as a space"
    )
    importing.add_argument(
        "source", type=_path, metavar="SOURCE", help="a folder, a git repository or a git bundle"
    )
    importing.add_argument(
        "--organization",
        metavar="TITLE",
        help="the organization to import to, made if there is none (default: named as the source)",
    )
    importing.add_argument(
        "--space", metavar="TITLE", help="the title of the space (default: by the source)"
    )
    importing.set_defaults(runner="copydesk.cli.desk:import_source")

    exporting = actions.add_parser("export", help="write a space as Markdown files")
    exporting.add_argument("space", metavar="SPACE", help="the space: id or title")
    exporting.add_argument("folder", type=_path, metavar="FOLDER", help="the folder to write to")
    _flag(exporting, "--force", "overwrite what was changed by hand or by commits, too")
    exporting.set_defaults(runner="copydesk.cli.desk:export_space")

    check = actions.add_parser("check", help="check the whole desk for damage")
    _flag(check, "--repair", "rebuild the search index first; without it, nothing is written")
    check.set_defaults(runner="copydesk.cli.desk:check")

    backup = actions.add_parser("backup", help="copy the desk to one file, even while it is in use")
    backup.add_argument("file", type=_path, metavar="FILE", help="the name of the copy")
    _flag(backup, "--force", "replace a file that is there")
    backup.set_defaults(runner="copydesk.cli.desk:back_up")
    for parser in (token, sample, importing, exporting, check, backup):
        _desk_option(parser)


def _complete(commands: Subparsers) -> None:
    from copydesk.cli.complete import VALUES

    parser = commands.add_parser(
        "complete",
        help="print what a word can be completed to; completion scripts call it",
        description="Asks no service: it prints what is known on this machine. A line has a value, "
        "a tab, and what it is.",
    )
    parser.add_argument(
        "kind", metavar="KIND", choices=tuple(VALUES), help=f"one of: {', '.join(VALUES)}"
    )
    parser.add_argument(
        "word", metavar="WORD", nargs="?", default="", help="what is typed of the word"
    )
    parser.add_argument(
        "line", metavar="LINE", nargs="*", default=(),
        help="after --: the words of the command line, for its --profile and --space",
    )  # fmt: skip
    parser.set_defaults(runner="copydesk.cli.complete:print_values")


def _completion(commands: Subparsers) -> None:
    parser = commands.add_parser("completion", help="print the completion script of a shell")
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    parser.set_defaults(runner="copydesk.cli.reference:print_completion")


def _desk_option(parser: ArgumentParser) -> None:
    """Accept ``--desk`` after the command as well as before it."""
    parser.add_argument(
        "--desk",
        type=_path,
        metavar="FILE",
        default=SUPPRESS,
        help="the file of your own desk (default: below your data folder)",
    )
