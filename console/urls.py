from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from console.views import banks, changes, memories, profiles, retrieval, revisions, scopes, session

signing = [
    path("sign-in", session.sign_in, name="sign_in"),
    path("sign-out", session.sign_out, name="sign_out"),
    path("preferences", session.preferences, name="preferences"),
    path("healthz", session.health, name="health"),
]

memory = [
    path("", memories.show, name="memory"),
    path("/edit", changes.edit, name="memory_edit"),
    path("/delete", changes.delete, name="memory_delete"),
    path("/copy/<str:form>", memories.copy, name="memory_copy"),
    path("/revisions/<str:revision>/rollback", revisions.rollback, name="rollback"),
]

bank: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="memories"), name="bank"),
    path("/memories", memories.index, name="memories"),
    path("/new", changes.create, name="memory_create"),  # any word below /memories may be the id of a memory
    path("/memories/<slug:memory>", include(memory)),
    path("/structured", profiles.index, name="structured"),
    path("/retrieve", retrieval.index, name="retrieve"),
    path("/scopes", scopes.index, name="scopes"),
    path("/pair", scopes.pair, name="pair"),
]

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="banks"), name="home"),
    *signing,
    path("banks", banks.index, name="banks"),
    path("banks/<slug:location>/<slug:bank>", include(bank)),
    path("", include(settings.MEMORY_BANK_URLS)),
]
