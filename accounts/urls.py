from django.urls import path

from accounts import mail_views, oauth_views, views

app_name = "accounts"

urlpatterns = [
    path("sign-in", views.SignIn.as_view(), name="login"),
    path("sign-out", views.SignOut.as_view(), name="logout"),
    path("connections", oauth_views.connected, name="connections"),
    path(
        "connections/<int:application_id>/disconnect",
        oauth_views.disconnect,
        name="disconnect",
    ),
    path("settings/mail", mail_views.settings, name="mail"),
    path("mail/stop/<str:token>", mail_views.unsubscribe, name="unsubscribe"),
]
