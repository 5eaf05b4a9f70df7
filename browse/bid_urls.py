from django.urls import path

from browse.views import bid, bid_import, bids

urlpatterns = [
    path("bids", bids.listing, name="bids"),
    path("bids/new", bids.new, name="bid-new"),
    path("bids/<int:bid_id>", bid.bid, name="bid"),
    path("bids/<int:bid_id>/edit", bids.edit, name="bid-edit"),
    path("bids/<int:bid_id>/import", bid_import.import_questions, name="bid-import"),
    path("bids/<int:bid_id>/answers.<str:kind>", bids.export, name="bid-export"),
    path("bids/<int:bid_id>/questions", bids.add_question, name="bid-question"),
    path(
        "bids/<int:bid_id>/questions/<int:question_id>/edit",
        bids.edit_question,
        name="bid-question-edit",
    ),
    path(
        "bids/<int:bid_id>/questions/<int:question_id>/answer",
        bid.save,
        name="bid-answer",
    ),
    path(
        "bids/<int:bid_id>/questions/<int:question_id>/insert",
        bid.insert,
        name="bid-insert",
    ),
    path(
        "bids/<int:bid_id>/questions/<int:question_id>/cite",
        bid.cite,
        name="bid-cite",
    ),
]
