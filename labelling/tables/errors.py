"""The one exception a user meets: a sentence with what, where, what was expected, what next."""


class InputError(ValueError):
    """Bad input. The command line prints the sentence and ends with exit code 1."""

    def __init__(self, found: str, *, expected: str = "", then: str = "") -> None:
        """`found` says what and where; `expected` what would be right; `then` what to do next."""
        self.found, self.expected, self.then = found, expected, then
        parts = [found, f"expected {expected}" if expected else "", then]
        super().__init__("; ".join(part for part in parts if part))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence instead of the program's inside."""
        return [f"{type(self).__name__}: {self}"]
