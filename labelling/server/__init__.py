"""Argilla in an environment of its own: launcher, search engine, accounts, blindness.

`environment` and `supervisor` use the standard library alone and run anywhere; the other
modules run inside the server's environment (`.venv-server`) and are type-checked there.
"""
