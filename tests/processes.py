"""What tests ask of processes."""


def is_running(process):
    """Not once it has ended, though nobody has waited for it."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
