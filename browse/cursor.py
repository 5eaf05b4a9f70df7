"""Where a list goes on: signed, so that a cursor in an address is one of ours."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core import signing

from core.errors import BadInput

_SALT = "browse.cursor"


@dataclass(frozen=True)
class Cursor:
    """The last item before the place: its sort value and id, in which order (`by`),
    and how many items stand before the place (`shown`)."""

    by: str
    value: Any
    id: UUID
    shown: int

    def __str__(self) -> str:
        packed = [self.by, self.value, self.id.hex, self.shown]
        return signing.Signer(salt=_SALT).sign_object(packed, compress=True)

    @classmethod
    def read(cls, text: str, by: str) -> "Cursor":
        """`BadInput` for a cursor that is not ours or belongs to another order."""
        try:
            packed = signing.Signer(salt=_SALT).unsign_object(text)
        except signing.BadSignature:
            raise BadInput(
                "This place in the list is not known any more.", field="cursor"
            ) from None
        if packed[0] != by:
            raise BadInput(
                "This place in the list belongs to another order.", field="cursor"
            )
        return cls(packed[0], packed[1], UUID(packed[2]), packed[3])
