from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("sign-in", views.SignIn.as_view(), name="login"),
    path("sign-out", views.SignOut.as_view(), name="logout"),
]
