from django.urls import path

from browse.views import governance

urlpatterns = [
    path("governance", governance.governance, name="governance"),
    path("governance/gaps", governance.gap, name="gap"),
]
