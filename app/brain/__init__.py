"""A larger model that Banter may ask: any program that speaks the chat-completions protocol. No Qt, no torch."""
