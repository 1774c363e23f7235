"""The formgrader's pages, made safe for a class of strangers, and able to work without a network.

nbgrader writes students' names and ids into its pages as they are, and a name is what a student typed. So its
templates are read through `_Guarded`, which writes values into scripts as JSON and marks nbgrader's own scripts with a
nonce; names are escaped; and a policy lets a browser run nothing but what carries the nonce and load nothing from
elsewhere, should an escape be missed. Pages of nbgrader courses that are not of this course are left as they are.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from html import escape
from pathlib import Path

from jinja2 import BaseLoader, Environment, FileSystemLoader
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import base, handlers

OURS = Path(__file__).resolve().parent / "templates"
NONCE = secrets.token_urlsafe(16)  # of this server; no submitted file can know it
_NAMES = ("student", "first_name", "last_name", "notebook_path", "assignment_id", "notebook_id")
_SCRIPT = re.compile(r"<script(?=[\s>])")
_VALUE = re.compile(r'= "\{\{ ([\w.]+) \}\}"')  # of a variable in a script; an attribute has no space there
_HANDLER = re.compile(r'\bon[a-z]+="([^"{]+)"', re.IGNORECASE)


def guarded(template: str) -> str:
    """The text of a template whose scripts carry the nonce and take values as JSON."""
    return _SCRIPT.sub(f'<script nonce="{NONCE}"', _VALUE.sub(r"= {{ \1 | tojson }}", template))


class _Guarded(BaseLoader):
    def __init__(self, loader: BaseLoader):
        self.loader = loader

    def get_source(self, environment, template):
        text, *rest = self.loader.get_source(environment, template)
        return guarded(text), *rest


class GradingPage(HTMLExporter):
    """One submission with its boxes for scores and comments."""

    def _create_environment(self):
        environment = super()._create_environment()
        environment.loader = _Guarded(environment.loader)
        return environment

    def from_notebook_node(self, nb, resources=None, **kwargs):
        resources = dict(resources or {})
        for name in _NAMES:
            if isinstance(resources.get(name), str):
                resources[name] = escape(resources[name])
        return super().from_notebook_node(nb, resources, **kwargs)


def policy() -> str:
    """The Content-Security-Policy of every page: nbgrader's own scripts and button handlers, nothing from elsewhere."""
    found = {
        handler for path in Path(handlers.template_path).rglob("*.*") for handler in _HANDLER.findall(path.read_text())
    }
    digests = sorted(base64.b64encode(hashlib.sha256(handler.encode()).digest()).decode() for handler in found)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'nonce-{NONCE}'",
            f"script-src-attr 'unsafe-hashes' {allowed}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
        ]
    )


def install() -> None:
    """Put these pages in place of nbgrader's, for classes of the course."""
    handler = base.BaseHandler
    if getattr(handler, "of_the_course", False):
        return
    handler.of_the_course = True
    stock = {name: getattr(handler, name) for name in ("render", "exporter", "content_security_policy")}
    pages = Environment(loader=_Guarded(FileSystemLoader(handlers.template_path)), autoescape=True)
    said = policy()

    def render(self, name, **values):
        return pages.get_template(name).render(**values) if _ours(self) else stock["render"](self, name, **values)

    def exporter(self):
        # Made anew for each page: it takes a few milliseconds, and the configuration may have changed.
        return GradingPage(config=_config(self)) if _ours(self) else stock["exporter"].fget(self)

    def content_security_policy(self):
        return said if _ours(self) else stock["content_security_policy"].fget(self)

    handler.render = render
    handler.exporter = property(exporter)
    handler.content_security_policy = property(content_security_policy)


def _config(handler):
    config = handler.settings["nbgrader_formgrader"].config.copy()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [str(OURS), handlers.template_path]
    return config


def _ours(handler) -> bool:
    return bool(handler.settings["nbgrader_formgrader"].config.get("GraderCourse", {}).get("root"))
