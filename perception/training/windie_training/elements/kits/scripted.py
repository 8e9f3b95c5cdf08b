"""Kits of components that draw themselves by a script."""

from .base import Kit

SCRIPTED: tuple[Kit, ...] = ()
