"""Manifests held against docs/schema/shot-v2.json and what it refers to, by a validator that nobody here wrote."""

import itertools
import json
import pathlib

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs/schema"
REQUEST = json.loads((SCHEMAS / "shot-request-v1.json").read_text())
SCHEMA = json.loads((SCHEMAS / "shot-v2.json").read_text())
REQUEST_VALIDATOR = Draft202012Validator(REQUEST)
VALIDATOR = Draft202012Validator(SCHEMA, registry=Registry().with_resource("shot-request-v1.json", Resource(REQUEST, DRAFT202012)))


def schema_problems(manifest, limit=3):
    """Where a manifest is not as its schema says, as sentences; at most `limit` of them."""
    errors = itertools.islice(VALIDATOR.iter_errors(manifest), limit)
    return [f"manifest {error.json_path}: {error.message[:200]}" for error in errors]


def request_problems(request):
    """Where a request is not as its schema says."""
    return [f"request {error.json_path}: {error.message[:200]}" for error in REQUEST_VALIDATOR.iter_errors(request)]


def manifest_of(document):
    """The manifest in a coordinator's answer, which has come whole and is as its schema says."""
    if len(document.manifest.content) != document.manifest.byte_count:
        raise AssertionError("the manifest has more pages than came with the answer")
    manifest = json.loads(document.manifest.content)
    beside = (document.status, document.revision, document.manifest.schema_version)
    if beside != (manifest["status"], manifest["revision"], manifest["schemaVersion"]):
        raise AssertionError(f"beside the manifest is {beside}")
    if problems := schema_problems(manifest):
        raise AssertionError("\n".join(problems))
    return manifest
