from django.apps import AppConfig


class Access(AppConfig):
    name = "memories.access"
    label = "access"
