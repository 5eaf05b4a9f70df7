"""Measurements beside peers; nothing in the hub imports them. `bench.settings` says
where they work."""

import os

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "bench.settings"
django.setup()
