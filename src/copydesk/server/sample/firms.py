"""The sample's people, organizations and spaces. All of them are invented."""

from __future__ import annotations

from copydesk.server.sample.story import Book, Firm, Membership, Person, Shelf

OWNER = "mara"
"""Whose desk it is: an administrator of the first organization, a reviewer in the second."""


def _person(name: str, firm: str, seen: float | None) -> Person:
    return Person(name=name, email=f"{name.split()[0].lower()}@{firm}.example", seen=seen)


PEOPLE: dict[str, Person] = {
    "mara": _person("Mara Lindqvist", "quayside", 0.01),
    "priya": _person("Priya Raman", "quayside", 0.03),
    "jonas": _person("Jonas Weber", "quayside", 0.1),
    "lee": _person("Lee Okafor", "quayside", 0.2),
    "samira": _person("Samira Haddad", "quayside", 0.6),
    "tomas": Person(name="Tomás Vidal", email="tomas@quayside.example", seen=0.9),
    "ines": Person(name="Inês Carvalho", email="ines@quayside.example", seen=1.3),
    "kofi": _person("Kofi Mensah", "quayside", 0.4),
    "hana": _person("Hana Sato", "quayside", 0.3),
    "ruben": _person("Ruben de Vries", "quayside", 0.08),
    "clara": _person("Clara Boyd", "quayside", 2.1),
    "yusuf": _person("Yusuf Demir", "quayside", 6.5),
    "elena": _person("Elena Petrova", "quayside", 1.8),
    "dan": _person("Dan Whitlock", "quayside", 4.2),
    "bot": Person(name="Release bot", email="release-bot@quayside.example", seen=0.5),
    "nora": Person(name="Nora Finch", email="nora@finchwrites.example", seen=3.4),
    "olu": _person("Olu Adeyemi", "quayside", 190),
    "wren": _person("Wren Aldous", "pebblebox", 0.2),
    "iker": _person("Iker Zubiri", "pebblebox", 1.1),
    "mei": _person("Mei Tanaka", "pebblebox", 0.7),
    "pavel": _person("Pavel Horak", "pebblebox", 9.3),
    "saoirse": Person(name="Saoirse Byrne", email="saoirse@pebblebox.example", seen=2.6),
}
"""Everybody, by the key that the story calls them."""


def _member(
    person: str, role: str | None, joined: float, *, sso: bool = True, disabled: bool = False
) -> Membership:
    return Membership(person=person, role=role, joined=joined, sso=sso, disabled=disabled)


_QUAYSIDE = Firm(
    key="quayside",
    title="Quayside",
    at=820,
    settings={
        "hostname": "quayside",
        "email_domains": ("quayside.example",),
        "use_case": "productDocs",
        "plan": "pro_2024",
        "ai": True,
        "sso": True,
        "merge_rules": {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]},
    },
    members=(
        _member("dan", "admin", 820),
        _member("mara", "admin", 815),
        _member("olu", "edit", 800, disabled=True),
        _member("priya", "create", 760),
        _member("kofi", "review", 742),
        _member("lee", "edit", 700),
        _member("ruben", "comment", 655),
        _member("jonas", "edit", 590),
        _member("samira", "edit", 544),
        _member("tomas", "create", 430),
        _member("ines", "review", 402),
        _member("hana", "edit", 377),
        _member("clara", "comment", 300),
        _member("bot", "edit", 280, sso=False),
        _member("elena", "edit", 199),
        _member("yusuf", "read", 150),
        _member("nora", None, 64, sso=False),
    ),
    teams={
        "Documentation": ("mara", "priya", "jonas", "elena"),
        "API": ("kofi", "lee", "ines"),
        "Support": ("ruben", "clara"),
        "Mobile": ("hana", "tomas"),
    },
    places=(
        Shelf(
            key="documentation",
            title="Documentation",
            description="What we publish, and how we write it.",
        ),
        Book(
            key="handbook",
            title="Handbook",
            emoji="📘",
            by="mara",
            at=780,
            below="documentation",
            visibility="in-collection",
            rules={"require_change_request_subject": ()},
        ),
        Book(
            key="platform-guide",
            title="Platform guide",
            emoji="🧭",
            by="priya",
            at=700,
            below="documentation",
            visibility="public",
            language="en",
            grants={"Documentation": "edit", "nora": "edit"},
        ),
        Book(
            key="api-reference",
            title="API reference",
            emoji="🔌",
            by="lee",
            at=690,
            below="documentation",
            visibility="public",
            edit_mode="locked",
            rules={
                "require_specific_reviewers": ("kofi",),
                "require_up_to_date_change_request": (),
            },
        ),
        Shelf(
            key="sdks",
            title="SDKs",
            below="documentation",
            description="One space for each library.",
        ),
        Book(
            key="web-sdk",
            title="Web SDK",
            emoji="🌐",
            by="tomas",
            at=520,
            below="sdks",
            visibility="public",
        ),
        Book(
            key="mobile-sdk",
            title="Mobile SDKs",
            emoji="📱",
            by="hana",
            at=360,
            below="sdks",
            visibility="unlisted",
            grants={"Mobile": "edit"},
            rules={
                "require_at_least_one_review": (),
                "require_up_to_date_change_request": (),
            },
        ),
        Shelf(
            key="editions",
            title="Editions",
            below="documentation",
            description="Versions, languages.",
        ),
        Book(
            key="platform-guide-v1",
            title="Platform guide v1",
            emoji="📦",
            by="priya",
            at=695,
            below="editions",
            visibility="public",
            edit_mode="locked",
        ),
        Book(
            key="platform-guide-de",
            title="Plattform-Leitfaden",
            emoji="🇩🇪",
            by="elena",
            at=180,
            below="editions",
            visibility="share-link",
            language="de",
            grants={"elena": "admin"},
        ),
        Shelf(
            key="operations",
            title="Operations",
            description="Money, incidents and everything that support answers.",
        ),
        Book(
            key="billing",
            title="Billing and payouts",
            emoji="🧾",
            by="samira",
            at=500,
            below="operations",
            visibility="public",
            rules={
                "require_one_of_specific_reviewers": ("samira", "mara"),
                "require_change_request_description": (),
            },
        ),
        Book(
            key="troubleshooting",
            title="Troubleshooting",
            emoji="🛟",
            by="ruben",
            at=480,
            below="operations",
            visibility="public",
            grants={"Support": "edit"},
            rules={
                "require_all_reviews_approved": (),
                "require_change_request_subject": (),
            },
        ),
        Shelf(
            key="internal",
            title="Internal",
            below="operations",
            description="Not for customers.",
            level=None,
            grants={"API": "edit", "Support": "read"},
        ),
        Book(
            key="runbooks",
            title="Runbooks",
            emoji="🚨",
            by="lee",
            at=470,
            below="internal",
            rules={},
        ),
        Book(
            key="changelog",
            title="Changelog",
            emoji="📰",
            by="bot",
            at=280,
            visibility="public",
            rules={"require_change_request_description": ()},
        ),
        Book(
            key="page-templates",
            title="Page templates",
            emoji="📐",
            by="priya",
            at=150,
            rules={"require_at_least_one_review": ()},
        ),
    ),
)

_PEBBLEBOX = Firm(
    key="pebblebox",
    title="Pebblebox",
    at=500,
    settings={
        "hostname": "pebblebox",
        "type": "community",
        "use_case": "openSourceDocs",
        "community_type": "openSource",
        "plan": "community_2024",
        "default_role": "comment",
    },
    members=(
        _member("wren", "admin", 500, sso=False),
        _member("iker", "create", 466, sso=False),
        _member("mei", "edit", 320, sso=False),
        _member("saoirse", "review", 250, sso=False),
        _member("pavel", "comment", 190, sso=False),
        _member("mara", "review", 95, sso=False),
        _member("tomas", "edit", 60, sso=False),
    ),
    teams={"Maintainers": ("wren", "iker"), "Docs friends": ("mei", "saoirse", "mara")},
    places=(
        Book(
            key="manual",
            title="Manual",
            emoji="🪨",
            by="wren",
            at=490,
            visibility="public",
            language="en",
            rules={"require_up_to_date_change_request": ()},
        ),
        Book(
            key="contributing",
            title="Contributing",
            emoji="🤝",
            by="iker",
            at=410,
            visibility="public",
            grants={"mara": "edit"},
        ),
        Shelf(key="old", title="Older releases", description="Kept for those who stay behind."),
        Book(
            key="manual-v1",
            title="Manual 1.x",
            emoji="⌛",
            by="wren",
            at=488,
            below="old",
            visibility="public",
            edit_mode="locked",
        ),
    ),
)

FIRMS: tuple[Firm, ...] = (_QUAYSIDE, _PEBBLEBOX)
"""The organizations, in the order in which they are listed."""
