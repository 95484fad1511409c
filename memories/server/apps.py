from django.apps import AppConfig


class ServerConfig(AppConfig):
    name = "memories.server"
    label = "server"
