"""Being here puts this folder on the import path, and gives its tests the running services."""

from services_fixture import services

__all__ = ["services"]
