"""The rules of the project that no other tool checks."""

import ast
import hashlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(path for name in ("console", "memories") for path in (ROOT / name).rglob("*.py"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))
STYLES = sorted((ROOT / "static").glob("*.css"))
SCRIPTS = sorted((ROOT / "static").glob("*.js"))

# --- layout -----------------------------------------------------------------------------------------------------------

FIXED = {"manage.py", "console", "memories", "templates", "static", "tests", "requirements.txt"}
EXPECTED = {
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"),
    *("pyproject.toml", "requirements-dev.txt", ".python-version", ".gitignore"),
    *("script", "docs", "locale", "benchmarks", ".ci", "Dockerfile", "compose.yaml"),
}
LATER = {"locale"}
MAX_LINES = 450
LONGER = {
    "memories/wire/filters.py": 500,  # one language, both ways
    "memories/wire/resources.py": 750,  # one table: the messages of the API
}


def tracked() -> list[Path]:
    """Every file that is in the repository or would be with `git add --all`."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def test_the_top_level_is_what_the_design_says() -> None:
    found = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert found - FIXED - EXPECTED == set()
    assert (FIXED | EXPECTED) - LATER - found == set()


def test_modules_stay_small() -> None:
    long = {}
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        lines = len(path.read_text().splitlines())
        if lines > LONGER.get(name, MAX_LINES):
            long[name] = lines
    assert long == {}


def test_scripts_can_be_run() -> None:
    for name in ("script/server", "script/test", ".ci/run", "manage.py"):
        assert (ROOT / name).stat().st_mode & 0o111, name


def test_nothing_depends_on_one_machine() -> None:
    paths = re.compile(r"(?<![\w.:/~-])/(?:root|home|Users|opt|srv|work)/\w")
    registries = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|debian\.org|--(?:extra-)?index-url")
    for path in tracked():
        if path == Path(__file__) or "vendor" in path.parts:
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        assert not paths.search(text), path
        assert not registries.search(text), path


# --- packages ---------------------------------------------------------------------------------------------------------

ARROWS = {
    "console": {"client", "access", "wire", "exchange"},
    "client": {"wire"},
    "server": {"wire", "access", "exchange"},
    "access": {"wire"},
    "exchange": {"wire"},
    "gateway": {"client", "access", "wire"},
    "wire": set(),
}


def package(module: str) -> str | None:
    """Which part of ours a dotted name belongs to, or None for what is not ours."""
    first, _, rest = module.partition(".")
    if first == "console":
        return "console"
    return rest.partition(".")[0] or None if first == "memories" else None


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text()))


def imported(path: Path) -> Iterator[str]:
    """The dotted names a file imports, at the top or inside a function."""
    own = module_of(path).split(".")
    if path.name != "__init__.py":
        own = own[:-1]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = own[: len(own) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_packages_import_only_along_the_arrows() -> None:
    wrong = []
    for path in SOURCES:
        here = package(module_of(path))
        for name in imported(path) if here else ():
            there = package(name)
            if there and there != here and there not in ARROWS[here or ""]:
                wrong.append(f"{module_of(path)} imports {name}")
    assert wrong == []


def test_the_server_is_named_by_dotted_string_in_the_settings_alone() -> None:
    found = set()
    for path in SOURCES:
        if package(module_of(path)) == "server":
            continue
        for node in nodes(path):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and re.fullmatch(r"memories\.server[\w.]*", text):
                found.add(path.relative_to(ROOT).as_posix())
    assert found <= {"console/settings.py"}


@pytest.mark.parametrize("library", ["httpx", "google"])
def test_only_the_client_speaks_http(library: str) -> None:
    users = {module_of(path) for path in SOURCES if any(n.split(".")[0] == library for n in imported(path))}
    assert all(name.startswith("memories.client") for name in users), users


def test_no_other_http_library_is_used() -> None:
    others = {"requests", "urllib3", "aiohttp", "httpx2"}
    for path in SOURCES:
        assert not others & {name.split(".")[0] for name in imported(path)}, path


def test_the_environment_is_read_in_the_settings_alone() -> None:
    for path in SOURCES:
        if path.name not in ("settings.py", "wsgi.py"):
            names = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
            assert not names & {"environ", "getenv"}, path


DRAWS_HTML = {"console/table.py"}  # the rows of the list, for speed; tests/views look at what it escapes


def test_nothing_is_declared_safe() -> None:
    for path in SOURCES:
        if path.relative_to(ROOT).as_posix() in DRAWS_HTML:
            continue
        called = {ast.unparse(node.func).rpartition(".")[2] for node in nodes(path) if isinstance(node, ast.Call)}
        assert not called & {"mark_safe", "SafeString", "SafeText", "html_safe"}, path


# --- pages ------------------------------------------------------------------------------------------------------------

PHYSICAL = re.compile(
    r"""(?x) (?<![\w-]) (?:
        (?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right|top|bottom)(?:-\w+)*
      | border-(?:top|bottom)-(?:left|right)-radius
      | (?:left|right|top|bottom|(?:min-|max-)?(?:width|height))
    ) \s*: (?!\s*[\d.]+\w*\s*\)) """
)
PHYSICAL_VALUES = re.compile(r"(?<![\w-])(?:text-align|float|clear)\s*:\s*(?:left|right)\b")


def declarations(css: str) -> str:
    """The text without comments, and without the conditions of at-rules, where widths are allowed."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return re.sub(r"@(?:media|container|supports)[^{]*", "", css)


def test_styles_are_logical() -> None:
    for path in STYLES:
        css = declarations(path.read_text())
        found = [m.group() for m in PHYSICAL.finditer(css)] + [m.group() for m in PHYSICAL_VALUES.finditer(css)]
        assert found == [], path


@pytest.mark.parametrize(
    "css", ["a { margin-left: 0 }", "a{left:0}", "a { text-align: right }", "a { max-width: 3rem }"]
)
def test_the_rule_finds_physical_styles(css: str) -> None:
    assert PHYSICAL.search(css) or PHYSICAL_VALUES.search(css)


FORBIDDEN = {
    "an inline handler": r"""\son\w+\s*=\s*["'{]""",
    "an inline style": r"\sstyle\s*=|<style\b",
    "an inline script": r"<script(?![^>]*\ssrc=)",
    "unescaped text": r"\|\s*safe\b|\|\s*safeseq\b|autoescape\s+off|mark_safe",
    "an htmx handler": r"hx-on\b",
    "htmx code": r"""["'\s]js:|javascript:""",
    "an htmx trigger filter": r"""hx-trigger\s*=\s*["'][^"']*\[""",
    "another origin": r"""(?:src|action|hx-(?:get|post|put|patch|delete))\s*=\s*["']\s*(?:https?:)?//""",
}


@pytest.mark.parametrize("fault", FORBIDDEN)
def test_templates_are_plain(fault: str) -> None:
    assert TEMPLATES
    for path in TEMPLATES:
        text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text(), flags=re.DOTALL)
        found = re.search(FORBIDDEN[fault], text, re.IGNORECASE)
        assert not found, f"{path.relative_to(ROOT)}: {found}"


def test_scripts_never_make_html_of_text() -> None:
    for path in SCRIPTS:
        found = re.search(
            r"\.(?:innerHTML|outerHTML|srcdoc)|insertAdjacentHTML|document\.write|\beval\(|new Function",
            path.read_text(),
        )
        assert not found, f"{path.name}: {found}"


VENDORED = {
    "htmx-4.0.1.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "htmx-LICENSE.txt": "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
}


def test_vendored_files_are_what_was_published() -> None:
    files = (ROOT / "static" / "vendor").iterdir()
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files} == VENDORED


# --- words ------------------------------------------------------------------------------------------------------------


def test_every_setting_is_in_the_readme_and_the_other_way_round() -> None:
    read = set(re.findall(r"\benv(?:_int|_list)?\(\s*\"([A-Z_]+)\"", (ROOT / "console/settings.py").read_text()))
    told = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert read
    assert told == read


def test_every_dependency_is_pinned_and_its_reason_recorded() -> None:
    decisions = (ROOT / "docs/decisions.md").read_text()
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = [line for line in (ROOT / name).read_text().splitlines() if line and line[0] not in "#-"]
        assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.]+", line) for line in lines), name
    chosen = (ROOT / "requirements.txt").read_text().split("\n\n")[0]
    for package_name in re.findall(r"^([\w-]+)", chosen, re.MULTILINE):
        assert re.search(rf"^\*\*{re.escape(package_name)}\b", decisions, re.MULTILINE), package_name
