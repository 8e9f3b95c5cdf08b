"""Generates the modules that git does not have, when the package is built: the types of the API document, and the synchronous client.

`python hatch_build.py` generates them in src, as an editable installation does. Other wheels take them from a temporary
folder, so that a build changes nothing here. A source distribution contains the document.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "scripts"))
import make_sync
import make_types


def contract() -> Path:
    """Returns the API document: of a source distribution, or of a clone."""
    for at in (ROOT / "openapi.json", ROOT.parent / "openapi.json"):
        if at.exists():
            return at
    sys.exit(f"{ROOT.parent / 'openapi.json'} is missing: build the package in a clone of its repository, or from its source distribution")


def generate(to: Path) -> None:
    make_types.write(contract(), to / "types.py")
    make_sync.write(ROOT / "src" / "windie" / "_async", to / "_sync")


class Generated(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            build_data["force_include"][str(contract())] = "openapi.json"
        elif version == "editable":
            generate(ROOT / "src" / "windie")
        else:
            self.generated = TemporaryDirectory()
            generate(Path(self.generated.name))
            build_data["force_include"][self.generated.name] = "windie"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "generated"):
            self.generated.cleanup()


if __name__ == "__main__":
    generate(ROOT / "src" / "windie")
