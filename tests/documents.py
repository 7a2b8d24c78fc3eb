"""The documents that are made from the code: `make docs` writes them, a test compares them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- commands: made by `make docs` -->", "<!-- end of commands -->"
CONDA = (
    "yaml --pyproject pyproject.toml --extra test --pip-only --name memory-gates "
    "--channel conda-forge --python-include infer --header --custom-command"
).split()


def environment_yml() -> str:
    """The conda environment that pyproject.toml describes."""
    program = Path(sys.executable).with_name("pyproject2conda")
    command = [program, *CONDA, "make docs", "-r", "-e ."]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return made.stdout


def command_table() -> str:
    """Command and what it does, in the order of the flow."""
    from analysis.cli import COMMANDS

    rows = ["| command | does |", "| --- | --- |"]
    for name, command in COMMANDS.items():
        does = (command.__doc__ or "").strip().splitlines()[0]
        rows.append(f"| `gates {name}` | {does} |")
    return "\n".join(rows)


def with_commands(readme: str) -> str:
    """The README with its command table made anew."""
    head, rest = readme.split(BEGIN)
    return f"{head}{BEGIN}\n\n{command_table()}\n\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Write the documents."""
    readme = ROOT / "README.md"
    readme.write_text(with_commands(readme.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "environment.yml").write_text(environment_yml(), encoding="utf-8")


if __name__ == "__main__":
    main()
