"""Where the meshes and included models of a robot file lie: beside it, or in packages around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from multibody.files.robots.description import Description, Solid
from multibody.files.robots.markup import Element

__all__ = ["add_mesh", "found_path"]

SCHEMES = ("package://", "model://", "file://")


def add_mesh(
    robot: Description, solids: list[Solid], element: Element, name: str, solid: Solid, packages: Mapping[str, str]
) -> None:
    """Add a mesh to the solids of a link; one that is not found is noted in the robot."""
    if not name:
        raise element.error(f"<{element.tag}> names no file", 'write filename="package://..." or a relative path')
    if any(scale == 0.0 for scale in solid.scale):
        raise element.error(f'the scale of the mesh "{name}" is zero', "give numbers that are not zero")
    path = found_path(name, Path(element.line.file), packages)
    if path is None:
        robot.skip("mesh that is not found", name)
        return
    solid.file = str(path)
    solids.append(solid)


def found_path(name: str, file: Path, packages: Mapping[str, str]) -> Path | None:
    """Return the file or folder that a robot file names, None where there is none.

    ``package://NAME/REST`` and ``model://NAME/REST`` are looked for in the folders of `packages`, then in folders called NAME
    that hold the file or lie beside a folder that does. Other names are relative to the file.
    """
    try:
        return next((path for path in _places(name, file, packages) if path.exists()), None)
    except (OSError, ValueError):  # a name that no file can have
        return None


def _places(name: str, file: Path, packages: Mapping[str, str]) -> Iterator[Path]:
    """Return where it can lie, the likely places first."""
    folder = file.resolve().parent
    scheme = next((scheme for scheme in SCHEMES if name.startswith(scheme)), "")
    rest = unquote(name.removeprefix(scheme)) if scheme else name
    if scheme == "file://":
        yield folder / rest.removeprefix("localhost")
        return
    if not scheme:
        if "://" not in name:
            yield folder / rest.replace("\\", "/")
        return
    package, _, inner = rest.partition("/")
    if package in packages:
        yield Path(packages[package]) / inner
    for above in (folder, *folder.parents):
        if above.name == package:
            yield above / inner
        yield above / package / inner
    if inner:
        yield folder / inner
