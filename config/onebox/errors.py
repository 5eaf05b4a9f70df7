class OneboxError(Exception):
    """Why the hub or a command cannot run, in one line for the person at the
    terminal."""
