"""The way back of writes about people and about their organization.

As in `copydesk.domain.inverses`.
"""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step


def role_changed(organization: str, user: str, before: str | None, after: str | None) -> Reversal:
    """Return the way back of another role; None is that of a guest."""
    ids = _member(organization, user)

    def turn(role: str | None) -> tuple[Step, ...]:
        return (Step("update_member", ids, {"role": role}),)

    def there(role: str | None) -> Expectation:
        return Expectation(Step("get_member", ids), {"role": role})

    return Reversal(turn(before), turn(after), there(after), there(before))


def sso_member_added(organization: str, user: str, role: str | None) -> Reversal:
    """Return the way back of taking somebody in who signs in by single sign-on."""
    ids = _member(organization, user)
    read = Step("get_member", ids)
    return Reversal(
        (Step("remove_member", ids),),
        (Step("add_sso_member", ids),),
        Expectation(read, {"role": role}),
        Expectation(read, gone=True, said="they are a member again"),
        asks="They lose every team and space that they were given meanwhile.",
    )


def joined(organization: str, me: str) -> Reversal:
    """Return the way back of joining an organization: to leave it."""
    return Reversal(
        (Step("remove_member", _member(organization, me)),),
        (Step("join_organization", {"organization_id": organization}),),
        Expectation(Step("get_member", _member(organization, me)), {"id": me}),
        Expectation(Step("get_organization", {"organization_id": organization}), gone=True),
        asks="You leave it, with every team and space that you were given there meanwhile.",
    )


def organization_changed(
    organization: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of other settings: the former ones are put in their place.

    Both are what the organization says by the names of the wire, ``logo`` its address.
    """
    ids = {"organization_id": organization}

    def turn(values: Mapping[str, JSON]) -> tuple[Step, ...]:
        return (Step("update_organization", ids, dict(values)),)

    def there(values: Mapping[str, JSON]) -> Expectation:
        fields = {"urls.logo" if name == "logo" else name: value for name, value in values.items()}
        return Expectation(Step("get_organization", ids), fields)

    return Reversal(turn(before), turn(after), there(after), there(before))


def _member(organization: str, user: str) -> dict[str, str]:
    return {"organization_id": organization, "user_id": user}
