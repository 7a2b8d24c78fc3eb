"""What is written down is true: commands, dictionary, environment, links, dependencies."""

import ast
import re
import sys
import tomllib

import polars as pl
import pytest
import yaml
from packaging.requirements import Requirement

from analysis.cli import COMMANDS
from labelling.tables import SCHEMAS
from tests.documents import ROOT, environment_yml, with_commands

README = (ROOT / "README.md").read_text(encoding="utf-8")
DICTIONARY = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TYPES = {
    pl.String(): "text",
    pl.Int32(): "int32",
    pl.Int64(): "int64",
    pl.Float64(): "float64",
    pl.Boolean(): "bool",
    pl.Date(): "date",
    pl.Datetime("us", "UTC"): "time UTC",
}


def test_the_command_table_is_the_command_line():
    assert with_commands(README) == README, "run `make docs`"


def test_the_readme_names_only_commands_that_exist():
    named = set(re.findall(r"`gates ([a-z]+)", README))
    assert named <= {name.split()[0] for name in COMMANDS}


def test_environment_yml_is_made_from_pyproject():
    written = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert written == environment_yml(), "run `make docs`"
    pip = next(d["pip"] for d in yaml.safe_load(written)["dependencies"] if isinstance(d, dict))
    wanted = PROJECT["project"]["dependencies"]
    assert {Requirement(d).name for d in wanted} <= {Requirement(p).name for p in pip[1:]}


def described(table: str) -> list[tuple[str, str]]:
    section = DICTIONARY.split(f"\n## {table}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| \**(\w+)\** \| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
    return [row for row in rows if row[0] != "column"]


def shown(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.List):
        return f"list of {'struct' if isinstance(dtype.inner, pl.Struct) else shown(dtype.inner)}"
    return TYPES[dtype]


@pytest.mark.parametrize("table", SCHEMAS)
def test_the_data_dictionary_is_the_schemas(table):
    columns = SCHEMAS[table].columns()
    assert described(table) == [
        (name, shown(column.dtype) + ("?" if column.nullable else ""))
        for name, column in columns.items()
    ]


def test_the_dictionary_has_no_table_of_its_own():
    assert re.findall(r"^## (\w+)$", DICTIONARY, re.MULTILINE) == list(SCHEMAS)


def test_every_imported_package_is_declared():
    declared = {
        Requirement(d).name.lower().replace("-", "_")
        for d in [
            *PROJECT["project"]["dependencies"],
            *PROJECT["project"]["optional-dependencies"]["test"],
            *PROJECT["project"]["optional-dependencies"]["style"],
        ]
    }
    names = {"yaml": "pyyaml", "sklearn": "scikit_learn", "vl_convert": "vl_convert_python"}
    ours = {"labelling", "analysis", "tests", *(p.stem for p in (ROOT / "tests").rglob("*.py"))}
    server = ROOT / "labelling" / "server"
    for path in [*ROOT.glob("labelling/**/*.py"), *ROOT.glob("analysis/**/*.py")]:
        if server in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            found += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in (name.split(".")[0] for name in found):
                known = module in sys.stdlib_module_names or module in ours
                assert known or names.get(module, module) in declared, f"{path}: {module}"


def test_the_readme_s_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_no_lock_file_records_where_packages_came_from():
    for name in ("constraints.txt", "labelling/server/requirements.txt"):
        assert "://" not in (ROOT / name).read_text(encoding="utf-8")
