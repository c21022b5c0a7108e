"""What the window shows of the tools: cards in the transcript, running timers, what rings, and the notes."""
