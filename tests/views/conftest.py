import pytest

from tests.views.place import Place


@pytest.fixture
def place(db: None) -> Place:
    """An empty bank of the test's own."""
    return Place.make()
