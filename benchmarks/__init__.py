"""Performance figures: each script compares with a named rival in one run and states memory."""
