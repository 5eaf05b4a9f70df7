"""Mail: how often one gets it, and the way out that works signed out."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import mail
from accounts.enums import Digest
from accounts.models import User


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def settings(request: HttpRequest) -> HttpResponse:
    user = User.objects.get(username=request.user.get_username())
    if request.method == "POST":
        mail.choose(user.pk, request.POST.get("digest", ""))
        messages.success(request, "Mail settings saved.")
        return HttpResponseRedirect(reverse("accounts:mail"))
    choices = [(value, label, value == user.digest) for value, label in Digest.choices]
    context = {"choices": choices, "address": user.email}
    return render(request, "accounts/mail.html", context)


# Mail programs post here on their own (RFC 8058); the token is what allows it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Asks first: mail scanners open every link."""
    user = mail.user_of(token)
    if request.method == "POST":
        mail.choose(user.pk, Digest.OFF)
        user.digest = Digest.OFF
    context = {"stopped": user.digest == Digest.OFF, "address": user.email}
    return render(request, "accounts/unsubscribe.html", context)
