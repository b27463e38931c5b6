"""Drawings of the report, in the one visual system of ``rules.drawing``: each a function from counts to SVG."""
