"""Tools in a conversation: what the model calls, how long it takes, what is asked back and what is said of it."""
