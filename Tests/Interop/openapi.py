"""docs/api/openapi.yaml: its operations, and how an answer differs from what it says."""

import email.message
import json
import pathlib
import urllib.parse

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "api" / "openapi.yaml"
SCHEMAS = ROOT / "docs" / "schema"
METHODS = ("get", "post", "put", "patch", "delete")


def pointer(document, path):
    """The part of a document that a JSON pointer names."""
    for key in path.strip("#/").split("/"):
        document = document[key.replace("~1", "/").replace("~0", "~")]
    return document


def schema_file(name):
    """A schema that the document refers to; its references begin at the document too."""
    schema = json.loads((SCHEMAS / name).read_text())
    for part in nodes(schema):
        if "$ref" in part:
            file, _, place = part["$ref"].partition("#")
            part["$ref"] = f"../schema/{file or name}#{place}"
    return schema


def nodes(part):
    """Every object of a document."""
    if isinstance(part, dict):
        yield part
        for child in part.values():
            yield from nodes(child)
    elif isinstance(part, list):
        for child in part:
            yield from nodes(child)


class Operation:
    """One method of one path."""

    def __init__(self, api, path, method):
        self.api, self.path, self.method = api, path, method.upper()
        self.definition = api.document["paths"][path][method]
        self.id = self.definition["operationId"]
        [server] = api.document["paths"][path].get("servers", api.document["servers"])
        self.url = urllib.parse.urlsplit(server["url"]).path + path  # below the address of the gateway

    @property
    def permissions(self):
        """Any of these is sufficient; empty if none is needed."""
        return set(self.definition.get("x-permissions", ()))

    @property
    def needs_session(self):
        return any("bearer" in choice for choice in self.definition.get("security", self.api.document["security"]))

    @property
    def is_endless(self):
        return self.definition.get("x-endless", False)

    def response(self, status):
        """Its place in the document; None if the document has no such answer."""
        base = f"#/paths/{self.path.replace('~', '~0').replace('/', '~1')}/{self.method.lower()}/responses/{status}"
        try:
            return pointer(self.api.document, base).get("$ref", base)
        except KeyError:
            return None

    def problems(self, answer):
        """How an answer differs from the document, as sentences."""
        place = self.response(answer.status)
        if place is None:
            return [f"the status {answer.status} is not documented: {answer.body[:200]}"]
        response = pointer(self.api.document, place)
        found = [f"the header {name} is missing" for name, header in response.get("headers", {}).items()
                 if self.api.resolved(header).get("required") and name not in answer.headers]
        if "content" not in response:
            return found + ([f"the answer has a body of {len(answer.body)} bytes"] if answer.body else [])
        message = email.message.Message()
        message["Content-Type"] = answer.headers.get("Content-Type", "none/none")
        kind = message.get_content_type()
        if kind not in response["content"]:
            return found + [f"the media type {kind} is not documented"]
        if "schema" in response["content"][kind] and kind.endswith("json"):
            schema = f"{place}/content/{kind.replace('/', '~1')}/schema"
            found += self.api.schema_problems(schema, json.loads(answer.body))
        return found


class API:
    """docs/api/openapi.yaml."""

    # Where the registry has the document; the schemas are beside it, as in the tree.
    BASE = "https://caprig.example/docs/api/openapi.yaml"

    def __init__(self):
        self.document = yaml.safe_load(DOCUMENT.read_text())
        self.files = {"": self.document, **{f"../schema/{path.name}": schema_file(path.name) for path in SCHEMAS.glob("*.json")}}
        self.registry = Registry().with_resources(
            (urllib.parse.urljoin(self.BASE, name), Resource(schema, DRAFT202012)) for name, schema in self.files.items())
        self.operations = [Operation(self, path, method) for path, item in self.document["paths"].items()
                           for method in METHODS if method in item]
        self.by_id = {operation.id: operation for operation in self.operations}

    def resolved(self, part):
        """What a part refers to, in this document or in a schema beside it."""
        while "$ref" in part:
            file, _, place = part["$ref"].partition("#")
            part = pointer(self.files[file], place) if place.strip("/") else self.files[file]
        return part

    def schema_problems(self, place, value, limit=3):
        schema = {"$ref": f"{self.BASE}{urllib.parse.quote(place, safe='#/~$')}"}
        errors = sorted(Draft202012Validator(schema, registry=self.registry).iter_errors(value), key=lambda error: len(error.path))
        return [f"{error.json_path}: {error.message[:300]}" for error in errors[:limit]]
