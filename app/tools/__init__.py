"""What Banter can do besides talking: tools that the model calls and whose results it speaks.

`tools.json` describes them, `tool` says what one is, `registry` keeps those that are there, `call` reads what the
model wrote and `speak` makes a sentence of the result. Neither Qt nor torch is imported here.
"""
