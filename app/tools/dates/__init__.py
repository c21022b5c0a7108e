"""Dates in people's own words: "the fourth of July", "three weeks from Monday", "Christmas"."""
