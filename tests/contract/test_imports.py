"""The contract is light: both sides and every tool can import it."""

import subprocess
import sys


def test_the_contract_loads_no_network_no_screen_and_no_database() -> None:
    probe = (
        "import sys\n"
        "from copydesk.contract.operations import CATALOGUE\n"
        "for each in CATALOGUE.values(): each.load()\n"
        "print(*sorted(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout.split()
    packages = {name.partition(".")[0] for name in loaded}
    heavy = {"httpx", "starlette", "uvicorn", "textual", "rich", "sqlite3", "dulwich", "asyncio"}
    assert heavy.isdisjoint(packages)
    assert {"copydesk", "pydantic"} <= packages
    # Of copydesk it is made of nothing but itself.
    own = [name for name in loaded if name.startswith("copydesk.")]
    own.remove("copydesk._version")
    assert own
    assert all(name.startswith("copydesk.contract") for name in own)
