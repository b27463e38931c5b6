"""The pipeline: read, place, audit, write."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("throwaudit")
except PackageNotFoundError:  # the sources without an installation
    __version__ = "0+unknown"
