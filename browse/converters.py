class PresetId:
    """In addresses: a built-in preset, or one of people's own."""

    regex = r"system-[a-z-]{1,30}|u_[0-9a-f]{8}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
