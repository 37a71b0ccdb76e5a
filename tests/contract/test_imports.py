"""The contract is light: both sides and every tool can import it."""

import subprocess
import sys


def test_the_contract_loads_no_network_no_screen_and_no_database() -> None:
    probe = (
        "import sys, copydesk.contract.operations; "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"httpx", "starlette", "uvicorn", "textual", "rich", "sqlite3", "dulwich", "asyncio"}
    assert heavy.isdisjoint(loaded)
    assert {"copydesk", "pydantic"} <= set(loaded)


def test_the_contract_is_made_of_nothing_but_pydantic() -> None:
    probe = (
        "import sys, copydesk.contract.operations; "
        "print(*sorted(name for name in sys.modules if name.startswith('copydesk.')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout.split()
    assert all(name.startswith("copydesk.contract") for name in loaded)
