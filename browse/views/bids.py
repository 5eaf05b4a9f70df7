"""`/bids`: the list, a bid's own facts, its questions, and the answers to take away."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.text import slugify
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bid_forms import BidForm, QuestionForm
from browse.bid_list import bid_list
from browse.bid_page import bid_or_404, question_or_404
from browse.timeouts import page_reads
from kb.domain import bids
from kb.exporters import answers
from kb.models import FormQuestion, Workspace


@require_safe
@signed_in
def listing(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    status, number = request.GET.get("status", ""), request.GET.get("page", "")
    with page_reads():
        shown = bid_list(viewer, status, number, timezone.now().date())
    response = render(request, "browse/bids/list.html", {"list": shown})
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    viewer.require_editor()
    form = BidForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        bid = Workspace(**form.values())
        bids.open_bid(viewer, bid, timezone.now().date())
        return HttpResponseRedirect(reverse("browse:bid", args=[bid.pk]))
    return _form(request, form, None)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit(request: HttpRequest, viewer: Viewer, bid_id: int) -> HttpResponse:
    viewer.require_editor()
    bid = bid_or_404(bid_id)
    form = BidForm(request.POST) if request.method == "POST" else BidForm.of(bid)
    if request.method == "POST" and form.is_valid():
        bids.edit_bid(viewer, bid.pk, form.values(), timezone.now().date())
        messages.success(request, "Bid saved.")
        return HttpResponseRedirect(reverse("browse:bid", args=[bid.pk]))
    return _form(request, form, bid)


@require_POST
@signed_in
def add_question(request: HttpRequest, viewer: Viewer, bid_id: int) -> HttpResponse:
    viewer.require_editor()
    bid = bid_or_404(bid_id)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        return _question_form(request, form, bid, None)
    return _to_question(bids.save_question(viewer, form.question(bid)))


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit_question(
    request: HttpRequest, viewer: Viewer, bid_id: int, question_id: int
) -> HttpResponse:
    """Its words, section and limit; the answer stays."""
    viewer.require_editor()
    question = question_or_404(bid_id, question_id)
    if request.method != "POST":
        form = QuestionForm.of(question)
        return _question_form(request, form, question.workspace, question)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        return _question_form(request, form, question.workspace, question)
    return _to_question(bids.save_question(viewer, form.apply(question)))


@require_safe
@signed_in
def export(
    request: HttpRequest, viewer: Viewer, bid_id: int, kind: str
) -> HttpResponse:
    bid = bid_or_404(bid_id)
    response = HttpResponse(
        answers.export(viewer, bid, kind), content_type=answers.FORMATS[kind]
    )
    name = slugify(str(bid))[:80] or f"bid-{bid.pk}"
    response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    patch_cache_control(response, private=True, no_store=True)
    return response


def _form(request: HttpRequest, form: BidForm, bid: Workspace | None) -> HttpResponse:
    status = 422 if form.is_bound else 200
    context = {"form": form, "bid": bid}
    return render(request, "browse/bids/form.html", context, status=status)


def _question_form(
    request: HttpRequest,
    form: QuestionForm,
    bid: Workspace,
    question: FormQuestion | None,
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    context = {"form": form, "bid": bid, "question": question}
    return render(request, "browse/bids/question.html", context, status=status)


def _to_question(question: FormQuestion) -> HttpResponse:
    url = reverse("browse:bid", args=[question.workspace_id])
    return HttpResponseRedirect(f"{url}?question={question.pk}")
