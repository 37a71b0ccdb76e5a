"""Conditions: what is surely broken is named, and nothing else is."""

from __future__ import annotations

import pytest

from copydesk.domain.condition import why_no_condition


@pytest.mark.parametrize(
    "text",
    [
        "",
        "// always",
        'visitor.claims.plan == "pro" && !visitor.claims.trial',
        "(visitor.claims.roles & 4) != 0 && (a | b) && x&~y|-z",
        "a.some((x) => { y |= x; y &= 3; return y })",
        "/^pro/.test(visitor.claims.plan)",
        r"/[\])}\"'/]{2}\//gi.test(x) || a / b / c > 2",
        "!/a|b/.test(x) && typeof /x=/ === 'object'",
        "[...visitor.claims.groups, 'a'].includes('b')",
        "Math.max(...a) > 3",
        "new Date() > new Date(2026, 1, 1)",
        "visitor.void.in.typeof == a.in && {in: 1, typeof: 2}.in",
        "a.in",
        "visitor.void",
        "['a', 'b',].includes(visitor.claims.plan,)",
        'visitor.claims.plan == "pro" // what they pay for: "all (of it',
        "a /* either } ' */ || b",
        "a ? b : c ? -1 : +2",
        "a?.b?.[0]?.(c) ?? d",
        "a?.5:1",
        "(a, b)",
        "`pro` == x && `a${`b${c}`}` == '",
        "a.some((x, y = 1) => { const z = x; return /}/.test(z) && y })",
        "() => 1",
        "x++ / 2 > --y",
        "a ** 2 >>> 1 != b",
        "async x => await x",
        "'it\\'s' == \"\\\"\" && 'a\\\nb'",
        "(function* () { yield* x })()",
        "({*a() {}, get b() { return 1 }}).b",
        "größe > 1.5e3 && $x && _y && 0x1F && 1_000 && .5",
        "a;",
        "void 0",
        "@odd # signs",
        "of == await",
    ],
)
def test_what_may_be_valid_passes(text: str) -> None:
    assert why_no_condition(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("visitor.claims.plan = 'pro'", "= is not a comparison here: write =="),
        ("a /* x */ = b", "= is not a comparison here: write =="),
        ("a => b =", "something is missing after ="),
        ("a & & b", "something is missing before &"),
        ("| a", "something is missing before |"),
        ("a &", "something is missing after &"),
        ("a == 'pro", "the text that ' begins has no end"),
        ('a == "p\nro"', 'the text that " begins has no end'),
        ("a == `pro", "the text that ` begins has no end"),
        ("a /* why", "the comment that /* begins has no end"),
        ("a && /pro", "the regular expression that / begins has no end"),
        ("(a && b", ") is missing at its end"),
        ("f({a: [1}", "} closes nothing"),
        ("a)", ") closes nothing"),
        ("a ==", "something is missing after =="),
        ("a && !", "something is missing after !"),
        ("a && // b", "something is missing after &&"),
        ("visitor.", "something is missing after ."),
        ("a in", "something is missing after in"),
        ("&& a", "something is missing before &&"),
        ("a && || b", "something is missing before ||"),
        ("(== a)", "something is missing before =="),
        ("(a &&) b", "something is missing before )"),
        ("a / (b / c", ") is missing at its end"),
        ("(a) / (b / c", ") is missing at its end"),
        ("a[0] / [b / c", "] is missing at its end"),
        ("{ a", "} is missing at its end"),
        ("f(a, !)", "something is missing before )"),
        ("a ? b :", "something is missing after :"),
        ("a == '" + "x" * 40, "the text that ' begins has no end"),
    ],
)
def test_what_is_surely_broken_is_named(text: str, why: str) -> None:
    assert why_no_condition(text) == why


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "/" * 50_000, '"\\' * 30_000, "a" * 50_000, "/*" * 20_000, ",/[" * 20_000],
)
def test_long_ones_are_read_in_one_go(text: str) -> None:
    why_no_condition(text)
