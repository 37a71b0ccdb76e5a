"""One typed stub per API operation, and the catalogue of them all.

A stub's signature is the contract: the names in the path are path parameters, a parameter named
``body`` is the request body, every other parameter is a query parameter, and the return type is the
response. What several stubs take alike is a ``TypedDict``: ``**paging: Unpack[Paging]``. The client
sends a stub, the embedded desk implements it, and documentation lists it; none of them repeats what
the signature already says.
"""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
B = TypeVar("B")

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

PREFIX = "/v1"
"""What every path starts with."""

DEFAULT_STATUS: Mapping[str, int] = {"DELETE": 205}
"""Success codes (docs/api-notes.md says which); the rest are 200."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Wire:
    """The name that a parameter has on the wire, where camelCase of the Python name is not it."""

    name: str


@dataclass(frozen=True, slots=True)
class Default:
    """The default of a parameter that is declared in a ``TypedDict``, where it is not None."""

    value: Any


@dataclass(frozen=True)
class Parameter:
    """A path or query parameter of an operation.

    ``name`` is the Python name, ``wire`` the name in the URL, ``annotation`` the type with its
    constraints, ``default`` the documented default or ``inspect.Parameter.empty`` when required.
    """

    name: str
    wire: str
    annotation: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether a request without it is invalid."""
        return self.default is inspect.Parameter.empty

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """The validator of its values, built on first use."""
        return TypeAdapter(self.annotation)

    @property
    def repeated(self) -> bool:
        """Whether it is an array, sent as a repeated key (docs/api-notes.md, Fields)."""
        return any(get_origin(part) is list for part in _flatten(self.annotation))


class Operation(Generic[P, R]):
    """One operation of the API.

    ``api(operation, …)`` takes the same arguments as the stub and returns what it returns; the
    embedded desk accepts only a handler with the same parameters and result. ``route`` is its
    method and path with ``{}`` for each placeholder: what a service has or lacks.
    """

    def __init__(
        self,
        stub: Callable[P, R],
        method: Method,
        path: str,
        status: int,
        extension: str | None,
        also: tuple[int, ...] = (),
        secret: bool = False,
        ended: bool = False,
        successor: str = "",
        reads: bool = False,
        creates: bool = False,
        may_lack: bool = False,
    ) -> None:
        self.stub = stub
        self.name = stub.__name__
        self.method: Method = method
        self.path = PREFIX + path
        self.status = status
        self.extension = extension
        self.also = also
        self.secret = secret
        self.ended = ended
        self.reads = reads or method == "GET"
        self.creates = creates or status == 201
        self.successor = successor and _route(*successor.split(" ", 1))
        self.may_lack = may_lack
        self.route = _route(method, path)
        self.noun = stub.__module__.rpartition(".")[2]

    def __repr__(self) -> str:
        return f"<Operation {self.name}: {self.method} {self.path}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Refuse to be called: a stub declares, a client or a handler acts."""
        raise TypeError(f"{self.name} is a declaration: send it with a client")

    def read_as(self, result: type[B]) -> Operation[P, B]:
        """Return the same operation with its answer read as another model.

        That one has a few of the fields only: of a long answer, what nobody looks at is not made.
        """
        other = copy.copy(self)
        other.__dict__.update(result=result)
        other.__dict__.pop("result_adapter", None)
        return cast("Operation[P, B]", other)

    @property
    def optional(self) -> bool:
        """Whether services are known to lack it; the others are what copydesk needs of each."""
        return self.ended or self.extension is not None

    @property
    def loaded(self) -> bool:
        """Whether the modules of its models are loaded, which takes milliseconds."""
        return "signature" in self.__dict__

    def load(self) -> inspect.Signature:
        """Load the modules of its models, before a key waits for them; return the signature."""
        return self.signature

    @cached_property
    def signature(self) -> inspect.Signature:
        """The stub's signature, its annotations evaluated and its ``Unpack`` spelled out."""
        declared = inspect.signature(self.stub, eval_str=True)
        parameters = [*declared.parameters.values()]
        if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD:
            shared = get_type_hints(get_args(parameters.pop().annotation)[0], include_extras=True)
            # Ahead of the stub's own: answers are cached under addresses that begin so.
            at = sum(
                each.kind is not each.KEYWORD_ONLY or each.default is each.empty
                for each in parameters
            )
            parameters[at:at] = [
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=next((mark.value for mark in _marks(each, Default)), None),
                    annotation=each,
                )
                for name, each in shared.items()
            ]
        return declared.replace(parameters=parameters)

    @property
    def statuses(self) -> tuple[int, ...]:
        """Every success code, the usual one first.

        Deleting a missing thing is a 204 (docs/api-notes.md, Success codes).
        """
        missing = (204,) if self.method == "DELETE" else ()
        return tuple(dict.fromkeys((self.status, *self.also, *missing)))

    @property
    def summary(self) -> str:
        """The first line of the stub's docstring, without its full stop."""
        return (inspect.getdoc(self.stub) or "").split("\n", 1)[0].rstrip(".")

    @property
    def wire_path(self) -> str:
        """The path with its parameters named as the API document names them."""
        return _PLACEHOLDER.sub(lambda name: "{" + to_camel(name[1]) + "}", self.path)

    @cached_property
    def path_parameters(self) -> tuple[Parameter, ...]:
        """The parameters named in the path, in the order of the path."""
        return tuple(self._parameter(name) for name in _PLACEHOLDER.findall(self.path))

    @cached_property
    def query_parameters(self) -> tuple[Parameter, ...]:
        """The parameters sent after the question mark, in declared order."""
        in_path = set(_PLACEHOLDER.findall(self.path))
        return tuple(
            self._parameter(name)
            for name in self.signature.parameters
            if name not in in_path and name != "body"
        )

    @cached_property
    def body(self) -> Parameter | None:
        """The request body, or None when the operation takes none."""
        return self._parameter("body") if "body" in self.signature.parameters else None

    @cached_property
    def result(self) -> Any:
        """The response type; ``NoneType`` when there is no body."""
        annotation = self.signature.return_annotation
        return NoneType if annotation is None else annotation

    @cached_property
    def result_adapter(self) -> TypeAdapter[Any]:
        """The reader of the response, built on first use."""
        return TypeAdapter(self.result)

    @cached_property
    def pages(self) -> bool:
        """Whether it answers one page of a longer list."""
        return (
            any(parameter.name == "page" for parameter in self.query_parameters)
            and hasattr(self.result, "model_fields")
            and "next" in self.result.model_fields
        )

    def _parameter(self, name: str) -> Parameter:
        declared = self.signature.parameters[name]
        wire = next((mark.name for mark in _marks(declared.annotation, Wire)), to_camel(name))
        return Parameter(name, wire, declared.annotation, declared.default)


def _route(method: str, path: str) -> str:
    """Return a method and a path below ``/v1``, whatever the placeholders are called."""
    return f"{method} {PREFIX}{_PLACEHOLDER.sub('{}', path)}"


def _marks(annotation: Any, kind: type[B]) -> Iterator[B]:
    """Yield what an annotation is marked with of a kind."""
    if get_origin(annotation) is Annotated:
        yield from (part for part in annotation.__metadata__ if isinstance(part, kind))


def _flatten(annotation: Any) -> list[Any]:
    parts = [annotation]
    if get_origin(annotation) is not list:
        for part in get_args(annotation):
            parts.extend(_flatten(part))
    return parts


CATALOGUE: dict[str, Operation[..., Any]] = {}
"""Every declared operation by name. Complete once ``copydesk.contract.operations`` is imported."""


def operation(
    method: Method,
    path: str,
    *,
    status: int | None = None,
    also: tuple[int, ...] = (),
    extension: str | None = None,
    secret: bool = False,
    ended: bool = False,
    successor: str = "",
    reads: bool = False,
    creates: bool = False,
    may_lack: bool = False,
) -> Callable[[Callable[P, R]], Operation[P, R]]:
    """Declare an API operation by its stub.

    ``path`` is relative to ``/v1``. ``status`` is the success code where it is not the usual one
    of its method; ``also`` are those that the outcome chooses instead. ``extension`` names the
    extension (docs/api-notes.md, Extensions) that an operation belongs to; a service may lack it.
    ``secret``: what is asked or answered may hold a credential, such as a share key or the settings
    of an integration, so that nothing of it is kept on a machine. ``ended``: newer services have it
    no longer. ``successor`` is the method and path of what they have in its place, such as
    ``"GET /orgs/{organization_id}/sites/{site_id}/findings"``, whether or not it is declared here.
    ``reads``: it changes nothing, though its method is not GET. ``creates``: sent twice it may make
    two things, though its status is not 201. ``may_lack``: a 404 also means that the thing of the
    path has none of what is asked for.

    Raises ``ValueError`` at import for a name, or a method and path, declared twice; for a stub
    without a docstring; and for a placeholder that is not a parameter.
    """

    def declare(stub: Callable[P, R]) -> Operation[P, R]:
        usual = DEFAULT_STATUS.get(method, 200)
        declared = Operation(
            stub,
            method,
            path,
            status or usual,
            extension,
            also,
            secret,
            ended,
            successor,
            reads,
            creates,
            may_lack,
        )
        if not stub.__doc__:
            raise ValueError(f"operation {declared.name} has no docstring")
        if missing := set(_PLACEHOLDER.findall(path)) - set(stub.__code__.co_varnames):
            raise ValueError(f"operation {declared.name} lacks path parameters {sorted(missing)}")
        for other in CATALOGUE.values():
            if other.name == declared.name or other.route == declared.route:
                raise ValueError(f"operation {declared.name} is declared twice")
        CATALOGUE[declared.name] = declared
        return declared

    return declare
