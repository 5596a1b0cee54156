# SPDX-License-Identifier: BSD-3-Clause
"""Makes what is given to others, of one clean checkout; scripts/release sets up what this needs.

build_release.py [--output dist] [--only tarball deb wheels] [--pythons 3.9 3.13 ...] [--trial]

The folder then has a tarball of the program that runs from any place, a package of Debian, wheels, the list of all that is
inside with versions and licences (SPDX), and the checksums of these.
"""

import argparse
import gzip
import hashlib
import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from build_wheels import (
    COMPILED_PACKAGES,
    ROOT,
    WheelError,
    all_libraries,
    compiler_environment,
    correctionlib_licences,
    find_pythons,
    make,
    needed_libraries,
    package_of,
    run,
    version_of,
)

MAX_TARBALL = 20_000_000
FORMER_PARTS = ("libdl.so.2", "libpthread.so.0", "libresolv.so.2", "librt.so.1", "libutil.so.1")
BUILD = ROOT / "build" / "package"


def project_version() -> str:
    return re.search(r"project\(Skimline VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def commit() -> str:
    return run("git", "rev-parse", "HEAD", cwd=ROOT).strip()


def commit_time() -> int:
    return int(run("git", "log", "-1", "--format=%ct", cwd=ROOT))


def require_clean_checkout() -> None:
    changed = run("git", "status", "--porcelain", cwd=ROOT)
    if changed:
        raise WheelError(f"the checkout has changes that are not committed:\n{changed}")


def environment() -> dict[str, str]:
    return compiler_environment() | {"SOURCE_DATE_EPOCH": str(commit_time())}


# The program


def build_program() -> None:
    run("cmake", "--preset", "package", cwd=ROOT, env=environment())
    run("cmake", "--build", "--preset", "package", cwd=ROOT, env=environment())


def packages_inside() -> list[str]:
    """The Debian packages whose code is in the program, or goes along with it."""
    libraries = all_libraries(BUILD / "skimline").values()
    return sorted({*COMPILED_PACKAGES, *map(package_of, libraries)})


def licence_of(package: str) -> str:
    return Path("/usr/share/doc", package, "copyright").read_text()


def add_licences(folder: Path) -> None:
    folder.mkdir(parents=True)
    for package in packages_inside():
        (folder / f"{package}.txt").write_text(licence_of(package))
    (folder / "correctionlib.txt").write_text(correctionlib_licences())


def bundle_libraries(root: Path) -> None:
    """Puts the libraries that others may lack beside the program, which looks for them there, and in a folder of their own those
    that other systems have, but perhaps older ones: the launcher decides."""
    (root / "libexec").mkdir()
    program = root / "libexec" / "skimline"
    (root / "bin" / "skimline").rename(program)
    shutil.copyfile(ROOT / "packaging" / "launcher", root / "bin" / "skimline")
    (root / "bin" / "skimline").chmod(0o755)
    ours, own = root / "lib", root / "lib" / "own"
    own.mkdir()
    asked, found = needed_libraries(program), all_libraries(program)
    # Parts of the C library that are one with it now, but not for libraries of older systems.
    found |= {name: found["libc.so.6"].parent / name for name in FORMER_PARTS}
    for name, path in found.items():
        target = (ours if name in asked else own) / name
        shutil.copyfile(path, target)
        target.chmod(0o755)
        if name in asked:
            run(tool("patchelf"), "--set-rpath", "$ORIGIN", target)
    run(tool("patchelf"), "--set-rpath", "$ORIGIN/../lib", program)


def tool(name: str) -> Path:
    return Path(sys.executable).parent / name


def archive(root: Path, target: Path) -> None:
    """The same bytes whenever and wherever it is made."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [root, *sorted(root.rglob("*"))]:
            information = tar.gettarinfo(path, arcname=str(path.relative_to(root.parent)))
            information.uid = information.gid = 0
            information.uname = information.gname = "root"
            information.mtime = commit_time()
            information.mode = 0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") if path.is_file() else io.BytesIO() as content:
                tar.addfile(information, content)
    with target.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(plain.getvalue())


def make_tarball(folder: Path) -> Path:
    name = f"skimline-{project_version()}-linux-{os.uname().machine}"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, name)
        run("cmake", "--install", BUILD, "--component", "program", "--strip", "--prefix", root)
        documents = root / "share" / "doc" / "skimline"
        bundle_libraries(root)
        add_licences(documents / "licences")
        for document in ("LICENSE", "README.md", "CHANGELOG.md"):
            shutil.copyfile(ROOT / document, documents / document)
        target = folder / f"{name}.tar.gz"
        archive(root, target)
    if target.stat().st_size > MAX_TARBALL:
        raise WheelError(f"{target.name} has {target.stat().st_size} bytes; at most {MAX_TARBALL} are wanted")
    return target


def make_deb(folder: Path) -> Path:
    with tempfile.TemporaryDirectory() as scratch:
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", scratch, cwd=scratch, env=environment())
        (made,) = Path(scratch).glob("*.deb")
        return Path(shutil.copy(made, folder))


def make_wheels(folder: Path, versions: list[str]) -> list[Path]:
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(commit_time()))
    return [make(python, folder) for python in find_pythons(versions or [version_of(sys.executable)])]


# What is inside


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def identifier(kind: str, name: str) -> str:
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def component(name: str, version: str, supplier: str, licence: str) -> dict:
    return {
        "SPDXID": identifier("SPDXRef-Package", name),
        "name": name,
        "versionInfo": version,
        "supplier": supplier,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }


def debian_component(package: str) -> dict:
    version = run("dpkg-query", "-W", "-f=${Version}", package).strip()
    return component(package, version, "Organization: Debian", identifier("LicenseRef-debian", package))


def licence_texts(packages: list[str]) -> list[dict]:
    return [
        {
            "licenseId": identifier("LicenseRef-debian", package),
            "name": f"The copyright file of Debian's {package}",
            "extractedText": licence_of(package),
        }
        for package in packages
    ]


def correctionlib_version() -> str:
    (sources,) = (ROOT / ".venv" / "src").glob("correctionlib-*")
    return sources.name.removeprefix("correctionlib-")


def file_of(path: Path) -> dict:
    content = path.read_bytes()
    return {
        "SPDXID": identifier("SPDXRef-File", path.name),
        "fileName": f"./{path.name}",
        "checksums": [
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()},
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
        ],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def components() -> list[dict]:
    """What is in the program and in the wheels: pybind11 in these only."""
    fetched = {
        "correctionlib": correctionlib_version(),
        "pybind11": importlib.metadata.version("pybind11"),
    }
    of_debian = [debian_component(package) for package in packages_inside()]
    return of_debian + [
        component(name, version, f"Organization: The {name} developers", "BSD-3-Clause")
        for name, version in fetched.items()
    ]


def bill_of_materials(artefacts: list[Path]) -> dict:
    """The SPDX document."""
    ours = component("skimline", project_version(), "Organization: The Skimline developers", "BSD-3-Clause")
    parts = components()
    files = [file_of(path) for path in artefacts]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [(ours["SPDXID"], "CONTAINS", part["SPDXID"]) for part in parts]
    relations += [(ours["SPDXID"], "GENERATES", file["SPDXID"]) for file in files]
    created = datetime.fromtimestamp(commit_time(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"skimline-{project_version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/skimline-{project_version()}-{commit()}",
        "creationInfo": {"created": created, "creators": ["Organization: The Skimline developers"]},
        "packages": [ours, *parts],
        "files": files,
        "hasExtractedLicensingInfos": licence_texts(packages_inside()),
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations
        ],
    }


def describe(folder: Path, artefacts: list[Path]) -> None:
    document = folder / f"skimline-{project_version()}.spdx.json"
    document.write_text(json.dumps(bill_of_materials(artefacts), indent=1) + "\n")
    lines = [f"{sha256(path)}  {path.name}\n" for path in sorted([*artefacts, document])]
    (folder / "SHA256SUMS").write_text("".join(lines))


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder for all of it")
    kinds = ["tarball", "deb", "wheels"]
    parser.add_argument("--only", nargs="+", choices=kinds, default=kinds, help="leave out the others")
    parser.add_argument("--pythons", nargs="+", metavar="VERSION", help="of the wheels, such as 3.9 3.13")
    parser.add_argument("--trial", action="store_true", help="take changes that are not committed")
    return parser.parse_args()


def main() -> None:
    arguments = parsed_arguments()
    arguments.output.mkdir(parents=True, exist_ok=True)
    artefacts = []
    try:
        if not arguments.trial:
            require_clean_checkout()
        build_program()  # for the list of what is inside, too
        if "tarball" in arguments.only:
            artefacts.append(make_tarball(arguments.output))
        if "deb" in arguments.only:
            artefacts.append(make_deb(arguments.output))
        if "wheels" in arguments.only:
            artefacts += make_wheels(arguments.output, arguments.pythons)
        describe(arguments.output, artefacts)
    except (WheelError, subprocess.SubprocessError) as error:
        sys.exit(f"scripts/release: {error}")
    for path in artefacts:
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
