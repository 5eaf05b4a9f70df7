"""How API callers say who they are with `Authorization: Bearer`."""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts import tokens
from accounts.models import AccessToken, User


class BearerAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.casefold() != "bearer":
            return None
        token = tokens.find(secret.strip(), timezone.now())
        if token is None:
            raise AuthenticationFailed("This access token is not valid.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Knowledge Hub"'
