"""The few tags that every template has."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """A picture of the sprite, hidden from screen readers; the words beside it say what it means."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', static("icons.svg"), name)
