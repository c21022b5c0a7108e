"""Banter on the desktop: one instance, a key that works in every program, the icon in the tray."""
