"""Write what goes along with the sdist and the wheel of a release: man page, recipes of packages.

The recipes name the address at which a release will be, and the digests of what is to be there.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from argparse import _SubParsersAction
from hashlib import sha256
from pathlib import Path
from string import Template

from argparse_manpage.manpage import Manpage

from copydesk.cli.help import STATUSES
from copydesk.cli.parser import build_parser

OLDEST, NEWEST = "3.11", "3.13"

CONTAINER = """\
FROM docker.io/library/python:$newest-slim
COPY $wheel constraints.txt /wheel/
RUN pip install --no-cache-dir --constraint /wheel/constraints.txt /wheel/$wheel \\
 && useradd --create-home desk \\
 && install --directory --owner desk /home/desk/kept
USER desk
ENV COPYDESK_HOME=/home/desk/kept LANG=C.UTF-8
VOLUME ["/home/desk/kept"]
ENTRYPOINT ["copydesk"]
"""

FORMULA = """\
class Copydesk < Formula
  desc "Terminal client for GitBook"
  homepage "$address"
  url "$address/$sdist"
  sha256 "$sdist_digest"
  license "MIT"

  depends_on "python@$newest"

  resource "man" do
    url "$address/copydesk.1"
    sha256 "$man_digest"
  end

  def install
    system "python$newest", "-m", "venv", libexec
    system libexec/"bin/python", "-m", "pip", "install", "--constraint", "constraints.txt", "."
    bin.install_symlink libexec/"bin/copydesk"
    generate_completions_from_executable(bin/"copydesk", "completion")
    resource("man").stage { man1.install "copydesk.1" }
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/copydesk --version")
  end
end
"""

PKGBUILD = """\
pkgname=copydesk
pkgver=$version
pkgrel=1
pkgdesc="Terminal client for GitBook"
arch=(x86_64 aarch64)
url="$address"
license=(MIT)
depends=("python>=$oldest")
makedepends=(python-pip)
source=("$address/$sdist" "$address/copydesk.1")
sha256sums=($sdist_digest
            $man_digest)

package() {
  cd "$$srcdir/copydesk-$$pkgver"
  python -m pip install --constraint constraints.txt --target "$$pkgdir/usr/lib/copydesk" .
  rm -r "$$pkgdir/usr/lib/copydesk/bin"
  install -Dm755 /dev/stdin "$$pkgdir/usr/bin/copydesk" << 'END'
#!/bin/sh
export PYTHONPATH=/usr/lib/copydesk
exec python -c 'from copydesk.cli import main; raise SystemExit(main())' "$$@"
END
  while read -r shell file; do
    PYTHONPATH="$$pkgdir/usr/lib/copydesk" python -m copydesk completion "$$shell" \\
      | install -Dm644 /dev/stdin "$$pkgdir/usr/share/$$file"
  done << 'END'
bash bash-completion/completions/copydesk
zsh zsh/site-functions/_copydesk
fish fish/vendor_completions.d/copydesk.fish
END
  install -Dm644 "$$srcdir/copydesk.1" -t "$$pkgdir/usr/share/man/man1"
  install -Dm644 LICENSE -t "$$pkgdir/usr/share/licenses/copydesk"
}
"""


def main(dist: Path, address: str = "") -> None:
    """Write the files into the folder that has the sdist and the wheel."""
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    version = wheel.name.split("-")[1]
    page = dist / "copydesk.1"
    page.write_text(man_page(version), "utf-8")
    below = dist / "man" / "man1"
    below.mkdir(parents=True)
    shutil.copy(page, below)
    shutil.copy("constraints.txt", dist)
    facts = {
        "version": version,
        # Nothing is published: an address that can never be one, unless it is told.
        "address": address or f"https://copydesk.invalid/{version}",
        "sdist": sdist.name,
        "wheel": wheel.name,
        "sdist_digest": sha256(sdist.read_bytes()).hexdigest(),
        "man_digest": sha256(page.read_bytes()).hexdigest(),
        "oldest": OLDEST,
        "newest": NEWEST,
    }
    for name, text in (
        ("Containerfile", CONTAINER),
        ("copydesk.rb", FORMULA),
        ("PKGBUILD", PKGBUILD),
    ):
        (dist / name).write_text(Template(text).substitute(facts), "utf-8")


def man_page(version: str) -> str:
    """Return the man page: the commands as they are declared, the exit statuses, and examples."""
    os.environ["COLUMNS"] = "72"  # with the indent of a man page a usage fits into 80
    parser = build_parser()
    vars(parser)["man_short_description"] = "a terminal client for GitBook"
    told = Manpage(parser)
    told.source, told.manual = f"copydesk {version}", "User Commands"
    # The lines of a usage stay lines: filled, they are one paragraph with gaps.
    page = re.sub(
        r"^(usage: .+?)\n\n", r".nf\n\1\n.fi\n\n", str(told), flags=re.MULTILINE | re.DOTALL
    )
    commands = next(each for each in parser._actions if isinstance(each, _SubParsersAction))
    told_below = filter(None, (each.epilog for each in commands.choices.values()))
    examples = "\n".join(told_below).replace("-", r"\-")
    statuses = "".join(f".TP\n{status}\n{said.replace('`', '')}\n" for status, said in STATUSES)
    return f"{page.rstrip()}\n.SH EXIT STATUS\n{statuses}.SH EXAMPLES\n.nf\n{examples}\n.fi\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
