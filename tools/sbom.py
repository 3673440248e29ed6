"""`python -m tools.sbom WHEEL` writes WHEEL.cdx.json: a software bill of materials (CycloneDX 1.6).

It lists the packages of the running Python, which should be exactly those of the lock files (`make build`).
The output is deterministic for the same wheel and packages.
"""

import hashlib
import json
import re
import sys
import uuid
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from email.message import Message
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path
from typing import Any

OURS = "calendar-api"
EXTRA = re.compile(r"extra\s*==")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def needs(requirements: Iterable[str]) -> list[str]:
    """The names of installed requirements without extras; some are for older Pythons only."""
    always = [text for text in requirements if not EXTRA.search(text)]
    named = [canonical(re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0]) for text in always]
    return sorted(name for name in named if installed(name))


def installed(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def licenses(about: Message) -> list[dict[str, Any]]:
    if expression := about["License-Expression"]:
        return [{"expression": expression}]
    classified = [
        text.rpartition(" :: ")[2]
        for text in about.get_all("Classifier", [])
        if text.startswith("License ::") and text != "License :: OSI Approved"
    ]
    named = classified or [text for text in [(about["License"] or "").split("\n")[0]] if text]
    return [{"license": {"name": name}} for name in named]


def component(name: str, *, optional: bool) -> dict[str, Any]:
    about = metadata.metadata(name)
    version = metadata.version(name)
    return {
        "type": "library",
        "bom-ref": purl(name, version),
        "name": name,
        "version": version,
        "scope": "optional" if optional else "required",
        "purl": purl(name, version),
        "licenses": licenses(about),  # type: ignore[arg-type]  # has the interface of a Message
    }


def closure(names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs(metadata.requires(name) or [])
    return found


def bill(wheel: Path) -> dict[str, Any]:
    content = wheel.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    with zipfile.ZipFile(wheel) as archive:
        (about_file,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        about = HeaderParser().parsestr(archive.read(about_file).decode("utf-8"))
        newest = max(info.date_time for info in archive.infolist())
    requirements = about.get_all("Requires-Dist", [])
    base = needs(requirements)
    extras = [text.partition(";")[0] for text in requirements if EXTRA.search(text)]
    required = closure(base)
    every = sorted(required | closure(needs(extras)))
    refs = {name: purl(name, metadata.version(name)) for name in every}
    me = purl(OURS, about["Version"])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest + repr(sorted(refs.items())))}",
        "version": 1,
        "metadata": {
            "timestamp": datetime(*newest, tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": me,
                "name": OURS,
                "version": about["Version"],
                "purl": me,
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "licenses": licenses(about),
            },
        },
        "components": [component(name, optional=name not in required) for name in every],
        "dependencies": [
            {"ref": me, "dependsOn": [refs[name] for name in base]},
            *(
                {
                    "ref": refs[name],
                    "dependsOn": [
                        refs[other] for other in needs(metadata.requires(name) or []) if other in refs
                    ],
                }
                for name in every
            ),
        ],
    }


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tools.sbom WHEEL")
    wheel = Path(sys.argv[1])
    target = wheel.with_name(f"{wheel.name}.cdx.json")
    target.write_text(json.dumps(bill(wheel), indent=2) + "\n", "utf-8")
    print(target)


if __name__ == "__main__":
    main()
