"""Files people write: TOML and JSON read strictly, every error with its line and key; and the one door to pydantic."""

from sim3d.form.faults import form_bad_value, form_missing_key, form_unknown_key, form_unreadable, line_of, listed
from sim3d.form.form import (
    MAX_FORM_BYTES,
    Field,
    Form,
    Written,
    parse_data,
    parse_form,
    read_form,
    read_text,
    schema_text,
    with_keys,
)
from sim3d.form.text import to_json, to_json_line, to_toml, toml_value
from sim3d.form.where import json_lines, toml_lines

__all__ = [
    "MAX_FORM_BYTES",
    "Field",
    "Form",
    "Written",
    "form_bad_value",
    "form_missing_key",
    "form_unknown_key",
    "form_unreadable",
    "json_lines",
    "line_of",
    "listed",
    "parse_data",
    "parse_form",
    "read_form",
    "read_text",
    "schema_text",
    "to_json",
    "to_json_line",
    "to_toml",
    "toml_lines",
    "toml_value",
    "with_keys",
]
