"""`python -m app` is the `banter` command."""

import sys

# The model's process imports this module again under another name and must not run it.
if __name__ == "__main__":
    try:
        from app.cli import main

        sys.exit(main())
    except KeyboardInterrupt:
        # Ctrl-C while modules were still being imported.
        sys.exit(130)
