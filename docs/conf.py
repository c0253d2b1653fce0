"""How the documentation is built; `make docs` does it."""

import pkgutil
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

import causalaug

project = "causalaug"
author = "The causalaug developers"
project_copyright = author
version = release = causalaug.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_extra", "results/reproduction_cost.md"]
templates_path = ["_templates"]
nitpicky = True
default_role = "literal"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {
    "exclude-members": "set_fit_request, set_score_request, set_params, get_metadata_routing"
}
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "causalaug"
html_extra_path = ["_extra"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": "plot_",
    "ignore_pattern": r"__init__\.py|demo\.py",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}


def _public_names() -> dict[str, str]:
    """Return where each public name is documented: at the root if it is there, else at home."""
    homes = {}
    for module in pkgutil.iter_modules(causalaug.__path__):
        if module.name.startswith("_") or module.name == "cli":
            continue
        home = import_module(f"causalaug.{module.name}")
        for name in home.__all__:
            place = "causalaug" if name in causalaug.__all__ else home.__name__
            homes[name] = f"{place}.{name}"
            homes[f"{module.name}.{name}"] = f"{place}.{name}"
    return homes


PUBLIC = _public_names()


class LinkPublicNames(SphinxTransform):
    """Let code in the text that is the name of something public lead to its page."""

    default_priority = 20
    inside = (nodes.reference, nodes.title, addnodes.pending_xref, addnodes.desc_signature)

    def apply(self, **_: Any) -> None:
        """Wrap such literals in references."""
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext().removeprefix("ca.").removesuffix("()")
            if name in PUBLIC and not _is_inside(literal, self.inside):
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=PUBLIC[name], refwarn=True
                )
                link["refexplicit"] = True
                literal.replace_self(link)
                link += literal


def _is_inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while (node := node.parent) is not None:
        if isinstance(node, kinds):
            return True
    return False


def resolve_public_name(
    app: Sphinx, env: Any, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.Element | None:
    """Resolve the bare name of something public, as in the `Raises` of a docstring."""
    target = PUBLIC.get(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or target is None:
        return None
    python = env.get_domain("py")
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)


def setup(app: Sphinx) -> None:
    """Connect the two."""
    app.add_transform(LinkPublicNames)
    app.connect("missing-reference", resolve_public_name)
