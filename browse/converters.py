from browse.item_actions import ACTIONS, DECISIONS


class _Word:
    """In addresses: one of a few words."""

    regex = ""

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class PresetId(_Word):
    """A built-in preset, or one of people's own."""

    regex = r"system-[a-z-]{1,30}|u_[0-9a-f]{8}"


class ItemAction(_Word):
    regex = "|".join(ACTIONS)


class Decision(_Word):
    regex = "|".join(DECISIONS)
