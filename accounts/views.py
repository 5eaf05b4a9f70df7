from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpResponse

from accounts.signin import SignInForm


class SignIn(LoginView):
    template_name = "accounts/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        response = super().form_invalid(form)
        response.status_code = 400
        for error in form.errors.as_data().get("__all__", []):
            if error.code == "locked":
                response.status_code = 429
                response["Retry-After"] = str((error.params or {}).get("wait", 60))
        return response


class SignOut(LogoutView):
    http_method_names = ["post", "options"]
