"""Tools that reach into the computer. What differs between systems stands behind one small class for each.

What is asked for comes from a spoken sentence: it is compared with what there is on the computer, and never becomes a
command, a path or a part of one.
"""
