"""The few words in which the descriptions of this package are written."""

from typing import Any

Schema = dict[str, Any]


def like(pattern: str) -> Schema:
    """Describe a text of this form."""
    return {"type": "string", "pattern": pattern}


TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "maximum": 10**15, "minimum": -(10**15)}
AMOUNT: Schema = {"type": "integer", "minimum": 0, "maximum": 10**15}
DIGITS = like("^[0-9]{1,18}$")
FLAG: Schema = {"type": "boolean"}
MOBILE = like("^09[0-9]{9}$")
NATIONAL_CODE = like("^[0-9]{10}$")
CARD = like("^[0-9]{16}$")
BACK = like(r"^https?://[a-z]{1,20}\.example/[a-z]{0,20}$")
UNIX: Schema = {"type": "integer", "description": "Unix seconds"}
PAGING: dict[str, Schema] = {
    name: {"type": "integer", "minimum": 1, "maximum": 1000}
    for name in ("page", "per_page")
}
_ID = like("^[A-Za-z0-9-]{1,64}$")
_FORM = "application/x-www-form-urlencoded"


def one_of(*values: str) -> Schema:
    """Describe one of these texts."""
    return {"type": "string", "enum": list(values)}


def text(*, longest: int = 200) -> Schema:
    """Describe a text that is not empty."""
    return {"type": "string", "minLength": 1, "maxLength": longest}


def or_null(schema: Schema) -> Schema:
    """Describe what may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def every(schema: Schema, *, least: int = 0) -> Schema:
    """Describe an array."""
    return {"type": "array", "items": schema, "minItems": least}


def shape(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """Describe an answer: these fields, all required but the optional, no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }


MESSAGE = shape(message=TEXT)


def asked(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """Describe what is sent: as `shape`, and more fields do no harm."""
    return shape(optional, **fields) | {"additionalProperties": True}


def wrapped(**data: Schema) -> Schema:
    """Describe `{message, data: {…}}`."""
    return shape(message=TEXT, data=shape(**data))


def ref(name: str) -> Schema:
    """Refer to a schema of the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def operation(
    summary: str,
    answers: dict[int, Schema],
    *,
    security: str = "",
    body: Schema | None = None,
    query: dict[str, Schema] | None = None,
    forms: bool = False,
) -> Schema:
    """Describe one operation; `answers` are JSON schemas by HTTP status."""
    found: Schema = {
        "summary": summary,
        "responses": {
            str(status): {"description": summary, "content": _json(schema)}
            for status, schema in answers.items()
        },
    }
    if security:
        found["security"] = [{security: []}]
    if body is not None:
        content = _json(body) | ({_FORM: {"schema": body}} if forms else {})
        found["requestBody"] = {"required": True, "content": content}
    if query:
        found["parameters"] = [
            {"name": name, "in": "query", "required": False, "schema": schema}
            for name, schema in query.items()
        ]
    return found


def page(summary: str, *statuses: int) -> Schema:
    """Describe a page for people."""
    content = {"text/html; charset=utf-8": {"schema": TEXT}}
    return {
        "summary": summary,
        "responses": {
            str(status): {"description": summary, "content": content}
            for status in statuses
        },
    }


def form_page(summary: str, *statuses: int) -> Schema:
    """Describe the answer to a page: a redirect to the business."""
    outcome = asked(outcome=one_of("pay", "decline", "trouble"))
    found = page(summary, *statuses)
    found["responses"]["303"] = {"description": "Back to the business."}
    found["requestBody"] = {"required": True, "content": {_FORM: {"schema": outcome}}}
    return found


def path_item(examples: dict[str, str], /, **operations: Schema) -> Schema:
    """Describe a path: its parameters with examples, and its operations by verb."""
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": one_of(example) if name == "business" else _ID,
            **({"example": example} if example else {}),
        }
        for name, example in examples.items()
    ]
    return {**({"parameters": parameters} if parameters else {}), **operations}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}
