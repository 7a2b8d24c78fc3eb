"""The house: who may import whom, who may touch which heavy dependency, who writes which table."""

import ast
import re

import pytest

from tests.documents import ROOT

ORDER = {
    "labelling": (
        "pseudonyms workspaces tables statistics console transcripts settings untrusted sampling "
        "merging reading proposed candidates transcript_field tasks practice agreement drift style "
        "once_disputed monitor plan reference simulate unreached client answers rounds audit "
        "sample server withdrawal accounts adjudication removal services scratch archive backup "
        "restore moving cli"
    ).split(),
    "analysis": (
        "gates replay alike pairs checks links truth match ratios measures intervals parts slices "
        "points curve choice store about figures captions agreed printed "
        "once_disputed score ordering differences "
        "stability compare tallies traffic charts columns summary controls export "
        "observations promotion doctor cli"
    ).split(),
}
DATA_LAYER = {"tables", "statistics", "transcripts"}
ROOTS = {"cli", "doctor"}
DOORS = {
    "argilla": {"labelling/client.py"},
    "httpx": {"labelling/client.py"},
    "altair": {"analysis/charts/"},
    "ipywidgets": {"analysis/controls.py"},
    "datasets": {"analysis/publish.py"},
    "huggingface_hub": {"analysis/publish.py"},
    "sklearn": {"labelling/style.py"},
    "openai": {"analysis/endpoints.py"},
}
MODULES = sorted(
    path.relative_to(ROOT)
    for package in ORDER
    for path in (ROOT / package).rglob("*.py")
    if path.parts[-3:-1] != ("labelling", "server") and path.parent.name != "server"
)


def imported(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(dotted):
    """`labelling.tables.store.read` -> ("labelling", "tables")."""
    parts = dotted.split(".")
    return (parts[0], parts[1]) if parts[0] in ORDER and len(parts) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_module_imports_only_from_those_above_it(path):
    if path.name == "__init__.py" and len(path.parts) == 2:
        return
    package, own = path.parts[0], path.parts[1].removesuffix(".py")
    assert own in ORDER[package], f"{own} has no place in the order of {package}"
    for module, name in filter(None, map(room, imported(path))):
        if module == package and name != own:
            assert ORDER[package].index(name) < ORDER[package].index(own), f"imports {name}"
        elif module != package:
            assert package == "analysis", "labelling never imports analysis"
            assert name in DATA_LAYER | {"console"} or own in ROOTS, f"imports labelling.{name}"


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_each_heavy_dependency_has_one_door(path):
    for module in imported(path):
        top = module.split(".")[0]
        assert path.as_posix().startswith(tuple(DOORS.get(top, {""}))), f"imports {top}"


def test_each_table_has_one_writing_module():
    writers = {}
    for path in MODULES:
        text = (ROOT / path).read_text(encoding="utf-8")
        for table in re.findall(r"\bwrite\(\s*study,\s*\"(\w+)\"", text):
            writers.setdefault(table, set()).add(path.as_posix())
    assert {"candidates", "labels", "captures", "reference_facts"} <= set(writers)
    assert all(len(modules) == 1 for modules in writers.values()), writers
