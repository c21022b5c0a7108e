"""Plain words for what the voice would stumble over: numbers, times, durations, dates, lists; and numbers from words.

British usage, lower case, no hyphens: "one hundred and ninety six".
"""
