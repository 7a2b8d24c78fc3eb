"""Being here puts this folder on the import path: its helper modules are imported by name."""
