from django.db.models import TextChoices


class QuestionState(TextChoices):
    OPEN = "open", "Waiting"
    TAKEN = "taken", "Being answered"
    ANSWERED = "answered", "Answered"
    CLOSED = "closed", "Closed without an answer"
