#!/usr/bin/env python3
"""The gateway compared with docs/api/openapi.yaml: python test_openapi.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

Answers to known requests are validated with jsonschema. Then Schemathesis derives requests from the document, for sessions with different
permissions.
"""

import contextlib
import copy
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse

import yaml
import zmq

from caprig_client import Keys
from case import Case
from joining import Code, ask, join
from openapi import API, METHODS, ROOT, SCHEMAS, nodes
from run_tests import run_tests
from test_web import Script, Web, WebRig, new_shot

ROUTES = ROOT / "Sources" / "Interfaces" / "WebGateway"
GREY = {"red": 0.18, "green": 0.18, "blue": 0.18}
PERMISSIONS = ("view", "read", "add", "trigger", "configure", "admin")


class Answer:
    """What is compared with the document."""

    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body


class Documented(Web):
    api = API()

    # A shot and a take, of which every document exists, and the files of the shot; the same for all tests.
    shot = take = files = movie = None

    @classmethod
    def setUpClass(cls):
        if Documented.shot is not None:
            return
        shot, take = new_shot(), new_shot()
        script = Script(cls.local, cls.local.token(*PERMISSIONS)["token"])
        for path, body in (("shots?wait=30", {"shot": shot, "selection": {"choice": {"all": {}}}}),
                           ("takes?wait=30", {"take": take, "selection": {"choice": {"all": {}}}, "settings": {"movie": {"maxRecordedDurationNanoseconds": 300000000}}}),
                           (f"takes/{take}/stop?wait=30", None)):
            done = script.ask("POST", path, body)
            if done.status != 200:
                raise RuntimeError(done.body)
        Documented.files = cls.stored_files(script, shot)
        [Documented.movie] = [path for path in cls.stored_files(script, take) if path == "node1.cam1/movie.mov"]
        Documented.shot, Documented.take = shot, take

    @staticmethod
    def stored_files(script, shot):
        """The paths of the files of a shot or take."""
        return [file["path"] for capture in script.get(f"shots/{shot}/manifest").document["captures"] for file in capture["files"]]

    @property
    def values(self):
        """Of the parameters of paths: what exists, except sessions, keys and invitations, so that nothing is ended."""
        return {"rig": "rig", "node": "node1", "device": "cam1", "shot": self.shot, "take": self.take, "path": self.files[0],
                "session": "000000000000", "key": "nobody", "name": "nobody", "profile": "nothing", "run": self.shot,
                "replacement": "none", "settings": self.shot}

    @property
    def special(self):
        """Other parameters of the paths of some operations."""
        return {"getMovie": {"shot": self.take, "path": self.movie}}

    # A body that each operation with one accepts, and that changes little.
    @property
    def bodies(self):
        return {"signIn": {"secret": "caprig_" + "A" * 43}, "commandDevice": {"action": "start"}, "setControls": {"none": 1},
                "applySettings": {"selection": {"devices": ["node1/cam1"]}, "settings": "driver.none=1"},
                "matchSettings": {"selection": {"devices": ["node1/cam1"]}, "card": GREY, "frames": 1},
                "lockSettings": {"selection": {"devices": ["node1/cam1"]}, "frames": 1},
                "undoSettings": {}, "saveProfile": {"selection": {"labels": ["roof"]}}, "loadProfile": {},
                "trigger": {"selection": {"devices": ["node1/cam1"]}}, "editShot": {"title": "A title"},
                "startTake": {"selection": {"labels": ["roof"]}}, "markTake": {"text": "Here"},
                "takeHold": {"duration": "10000000000", "note": "A test"},
                "discardCaptures": {"captures": [{"shot": self.shot, "device": "node1/cam1"}]},
                "inviteKey": {"name": "guest", "role": "viewer"}, "renameKey": {"name": "somebody"},
                "approveKey": {"fingerprint": "SHA256:" + "A" * 43, "name": "guest", "role": "viewer"},
                "declineKey": {"fingerprint": "SHA256:" + "A" * 43}}

    @property
    def queries(self):
        """Of the operations that need one."""
        return {"exportShots": f"?shot={self.shot}"}

    def send(self, operation, token=None, body=None, query="", headers=None, method=None, **values):
        """Sends a request of an operation; does not read what never ends."""
        path = operation.url.format(**{**self.values, **self.special.get(operation.id, {}), **values}) + (query or self.queries.get(operation.id, ""))
        headers = {**({"Authorization": f"Bearer {token}"} if token else {"Caprig-Request": "1"}), **(headers or {})}
        body = json.dumps(self.bodies[operation.id] if body is None else body) if operation.id in self.bodies else None
        connection = http.client.HTTPConnection("127.0.0.1", self.local.port, timeout=30)
        try:
            connection.request(method or operation.method, path, body, headers)
            response = connection.getresponse()
            endless = operation.is_endless and response.status == 200
            return Answer(response, b"" if endless else response.read())
        finally:
            connection.close()

    def end_runs(self):
        """Requests may have begun some, which set cameras."""
        token, (runs, cancel) = self.local.token("view", "configure")["token"], map(self.api.by_id.get, ("listRuns", "cancelRun"))
        for run in json.loads(self.send(runs, token).body)["runs"]:
            self.assert_conforms(cancel, self.send(cancel, token, run=run["run"], query="?wait=30"), 200)

    def assert_conforms(self, operation, answer, *statuses):
        self.assertEqual(operation.problems(answer), [], f"{operation.id}: {answer.status} {answer.body[:500]}")
        if statuses:
            self.assertIn(answer.status, statuses, f"{operation.id}: {answer.body[:500]}")


class Document(Documented):
    """The document itself, and the routes of the program."""

    def test_every_object_is_closed(self):
        for part in nodes(self.api.document["components"]["schemas"]):
            if part.get("type") == "object":
                # Those without members are maps, whose values have a schema.
                self.assertEqual("properties" in part, part["additionalProperties"] is False, part)
                self.assertLessEqual(set(part.get("required", ())), set(part.get("properties", ())))

    def test_the_routes_in_the_sources_are_those_of_the_document(self):
        found = set()
        for source in ROUTES.rglob("*.swift"):
            for owner, method, path in re.findall(r'\b(group|router)\.(get|post|put|patch|delete|head)\(\s*"([^"]*)"', source.read_text()):
                if owner == "router" and path in ("", "**"):
                    continue  # the files of the page
                path = "/rigs/{}/" + path if owner == "group" else "/" + path.removeprefix("api/v1/")
                found.add((method, re.sub(r":\w+|\*\*", "{}", path)))
        documented = {(operation.method.lower(), re.sub(r"\{\w+\}", "{}", operation.path)) for operation in self.api.operations}
        self.assertEqual(found, documented)

    def test_every_documented_operation_exists(self):
        for operation in self.api.operations:
            with self.subTest(operation.id):
                answer = self.send(operation)
                self.assertNotEqual(answer.status, 404, answer.body)
                self.assert_conforms(operation, answer)

    def test_head_is_answered_like_get_without_the_body(self):
        token = self.local.token(*PERMISSIONS)["token"]
        for operation in self.api.operations:
            if operation.method == "GET":
                for secret in (token, None):
                    with self.subTest(f"{operation.id} {'with' if secret else 'without'} a session"):
                        got, head = self.send(operation, secret), self.send(operation, secret, method="HEAD")
                        self.assertEqual((head.status, head.body), (got.status, b""))
                        self.assertEqual(head.headers["Content-Type"], got.headers["Content-Type"])

    def test_no_other_method_exists(self):
        script = self.script(*PERMISSIONS)
        for url in sorted({operation.url for operation in self.api.operations}):
            methods = {operation.method for operation in self.api.operations if operation.url == url}
            for method in {name.upper() for name in METHODS} - methods:
                with self.subTest(f"{method} {url}"):
                    self.problem(script.ask(method, url.format(**self.values)), 404, "notFound")

    def test_nothing_else_exists(self):
        script = self.script(*PERMISSIONS)
        for path in ("/api", "/api/v1", "/api/v1/rigs", "/api/v1/rigs/rig", "/api/v1/rigs/other/status", "/api/v2/rigs/rig/status",
                     "/api/v1/openapi.yaml", "/api/v1/metrics", "audit/x", "spool", "record", "devices/node1", "snapshot/node1", "stream/node1",
                     f"shots/{self.shot}/files", f"shots/{self.shot}/previews", f"shots/{self.shot}/thumbnails", f"shots/{self.shot}/mp4",
                     f"takes/{self.take}/files", "sessions/000000000000/token",
                     "status/x", "identity/x", "events/x", "devices/node1/cam1/x", "spool/node1/x", "keys/nobody/x", "keys/approvals/x",
                     "keys/invitations/nobody/x"):
            for method in ("GET", "POST", "DELETE"):
                with self.subTest(f"{method} {path}"):
                    self.problem(script.ask(method, path), 404, "notFound")


class Mistakes(Documented):
    """That a mistake in a body is told with the path of its member, for every member that the document has."""

    @property
    def samples(self):
        """Of schemas whose values must have a form, by their names."""
        return {"DeviceID": "node1/cam1", "ShotID": self.shot, "Integer64": "1"}

    def sample(self, schema):
        """A value that can be read, with all members that are required."""
        name, schema = schema.get("$ref", "").rpartition("/")[2], self.api.resolved(schema)
        if name in self.samples:
            return self.samples[name]
        if "enum" in schema:
            return schema["enum"][0]
        if schema.get("type") == "object":
            required = [*schema.get("required", ()), *schema.get("anyOf", [{}])[0].get("required", ())]
            return {member: self.sample(schema["properties"][member]) for member in required}
        if "oneOf" in schema:
            return self.sample(schema["oneOf"][0])
        return {"array": [], "boolean": True, "integer": schema.get("minimum", 1), "number": schema.get("minimum", 0.5)}.get(schema.get("type"), "x")

    def members(self, schema, path="", body=None):
        """The path and schema of every object and member below a schema, and bodies that have a value there."""
        schema = self.api.resolved(schema)
        if schema.get("type") == "object" and "properties" in schema:
            base = {**self.sample(schema), **(body or {})}
            yield f"{path}.zz".lstrip("."), {}, lambda value: {**base, "zz": value}
            for name, inner in schema["properties"].items():
                place = f"{path}.{name}".lstrip(".")
                yield place, self.api.resolved(inner), lambda value, name=name: {**base, name: value}
                for below, found, filled in self.members(inner, place):
                    yield below, found, lambda value, name=name, filled=filled: {**base, name: filled(value)}
        elif schema.get("type") == "array":
            yield f"{path}[0]", self.api.resolved(schema["items"]), lambda value: [value]
            for below, found, filled in self.members(schema["items"], f"{path}[0]"):
                yield below, found, lambda value, filled=filled: [filled(value)]

    def refusals(self):
        """Every operation with a body: a member, its schema, a function that makes the body, and how it is refused."""
        for operation in self.api.operations:
            if operation.id in self.bodies and operation.id != "setControls":  # its members are a camera's controls
                schema = operation.definition["requestBody"]["content"]["application/json"]["schema"]
                for path, member, filled in self.members(schema, body=self.bodies[operation.id]):
                    yield operation, path, member, lambda value, operation=operation, filled=filled: self.told(operation, filled(value))

    def told(self, operation, body):
        answer = self.send(operation, self.token, body)
        self.assert_conforms(operation, answer, 400)
        return json.loads(answer.body)["detail"]

    def setUp(self):
        super().setUp()
        self.token = self.local.token(*PERMISSIONS)["token"]

    def test_a_body_that_is_long_deep_or_double_is_refused_and_nothing_happens(self):
        """Such bodies are sent as they are, to each operation whose body is a request for a shot."""
        every, before = '"selection":{"choice":{"all":{}}}', self.newest()
        for text, status, told in (
                (f'{{{every},"settings":{{"quality":1}},"x":"{"x" * (10 << 20)}"}}', 413, "the body has more than"),
                (f'{{{every},"settings":{"[" * 10_000}{"]" * 10_000}}}', 400, "settings[0]"),
                (f'{"[" * 10_000}{"]" * 10_000}', 400, "[0]"), (f'{{"a":' * 10_000 + "1" + "}" * 10_000, 400, "a.a"),
                (f'{{{every},{every}}}', 400, "selection: occurs twice"),
                (f'{{{every},"settings":{{"quality":1,"quality":2}}}}', 400, "settings.quality: occurs twice"),
                (f'{{{every},"settings":{{"quality":1e999}}}}', 400, "settings.quality: "),
                (f'{{{every}}}{{}}', 400, "the body is not JSON"), (f'{{{every}', 400, "the body is not JSON"), ("[]", 400, "the body must be an object")):
            for name in ("trigger", "startTake"):
                with self.subTest(f"{name} {text[:80]}"):
                    answer = self.post(self.api.by_id[name], text)
                    self.assert_conforms(self.api.by_id[name], answer, status)
                    self.assertTrue((detail := json.loads(answer.body)["detail"]).startswith(told), detail)
        self.assertEqual(self.newest(), before)

    def newest(self):
        """The ids of the newest shots and takes."""
        answers = (self.send(self.api.by_id["listShots"], self.token, query=f"?takes={takes}&limit=5") for takes in ("false", "true"))
        lists = [json.loads(answer.body) for answer in answers]
        return [item["id"] for found in lists for item in found.get("shots", []) + found.get("takes", [])]

    def post(self, operation, text):
        connection = http.client.HTTPConnection("127.0.0.1", self.local.port, timeout=30)
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # what is too long is not read to its end
                connection.request("POST", operation.url.format(**self.values), text, {"Authorization": f"Bearer {self.token}"})
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def test_an_unknown_member_and_a_value_of_another_type_are_told_with_their_path(self):
        count = 0
        for operation, path, member, refused in self.refusals():
            # An integer of 64 bits may be text, so that its schema has no type.
            wrong = "x" if member.get("type") in ("boolean", "integer", "number", "object", "array") or "anyOf" in member else 7
            with self.subTest(f"{operation.id} {path}"):
                self.assertTrue((told := refused(wrong)).startswith(f"{path}: "), told)
            count += 1
        self.assertGreater(count, 100)

    def test_a_value_out_of_range_is_told_with_its_path(self):
        count = 0
        for operation, path, member, refused in self.refusals():
            values = ["zz"] if "enum" in member else []
            if member.get("type") in ("integer", "number"):
                values += [member["maximum"] + 1] if "maximum" in member else []
                values += [member["minimum"] - 1] if "minimum" in member else []
            for value in values:
                with self.subTest(f"{operation.id} {path} {value}"):
                    told = refused(value)
                    # What depends on other members is told with the object that has them.
                    place = told.partition(": ")[0]
                    self.assertTrue(place == path or path.startswith((f"{place}.", f"{place}[")), told)
                count += 1
        self.assertGreater(count, 20)


class Permissions(Documented):
    """What a session needs for each operation."""

    def test_an_operation_without_a_session_is_refused(self):
        for operation in self.api.operations:
            if operation.needs_session:
                with self.subTest(operation.id):
                    self.assert_conforms(operation, self.send(operation), 401)
                    # Whoever signs out does not want to know that the session has ended before.
                    self.assert_conforms(operation, self.send(operation, "caprig_" + "A" * 43), 204 if operation.id == "signOut" else 401)

    def test_a_request_that_is_not_understood_is_refused_for_its_session_first(self):
        for name, values in (("getDevice", {"device": "CAM"}), ("getShot", {"shot": "x"}), ("endSession", {"session": "x"}),
                             ("trigger", {"body": {}}), ("listShots", {"query": "?limit=x"}), ("getSnapshot", {"query": "?kind=x"}),
                             ("startTake", {"body": {}}), ("markTake", {"take": "x"}), ("listSpool", {"query": "?damaged=x"}),
                             ("discardCaptures", {"body": {}}), ("inviteKey", {"body": {}}), ("renameKey", {"key": "KEY"}),
                             ("revokeKey", {"key": "%ff"})):
            with self.subTest(name):
                self.assert_conforms(self.api.by_id[name], self.send(self.api.by_id[name], **values), 401)

    def test_each_permission_permits_what_is_documented_and_nothing_else(self):
        self.addCleanup(self.end_runs)
        tokens = {name: self.local.token(name)["token"] for name in PERMISSIONS}
        for operation in self.api.operations:
            if not operation.permissions:
                continue
            for name, token in tokens.items():
                with self.subTest(f"{operation.id} with {name}"):
                    answer = self.send(operation, token)
                    self.assert_conforms(operation, answer)
                    self.assertEqual(answer.status == 403, name not in operation.permissions, answer.body)

    def test_a_search_needs_no_further_permission(self):
        token, operation = self.local.token("read")["token"], self.api.by_id["listShots"]
        for query in ("", "?limit=5", "?title=x", "?device=node1/*"):
            with self.subTest(query):
                self.assert_conforms(operation, self.send(operation, token, query=query), 200)

    def test_signing_out_ends_the_session_of_the_request(self):
        token, operation, identity = self.local.token("view")["token"], self.api.by_id["signOut"], self.api.by_id["getIdentity"]
        self.assert_conforms(identity, self.send(identity, token), 200)
        for _ in range(2):
            self.assert_conforms(operation, self.send(operation, token), 204)
            self.assert_conforms(identity, self.send(identity, token), 401)

    def test_a_session_that_is_no_administrators_ends_itself_only(self):
        made, other, operation = self.local.token("view"), self.local.token("view"), self.api.by_id["endSession"]
        for id in (other["session"]["id"], "000000000000"):
            self.assert_conforms(operation, self.send(operation, made["token"], session=id), 403)
        self.assert_conforms(operation, self.send(operation, made["token"], session=made["session"]["id"]), 204)
        admin = self.local.token("admin")["token"]
        self.assert_conforms(operation, self.send(operation, admin, session=other["session"]["id"]), 204)
        self.assert_conforms(operation, self.send(operation, admin, session=other["session"]["id"]), 404)

    def test_signing_in_uses_a_link_up(self):
        secret = self.local.link("view")["link"].partition("#")[2]
        operation = self.api.by_id["signIn"]
        self.assert_conforms(operation, self.send(operation, body={"secret": secret}), 204)
        self.assert_conforms(operation, self.send(operation, body={"secret": secret}), 409)
        self.assert_conforms(operation, self.send(operation, body={"secret": "x"}), 400)


class Answers(Documented):
    """Answers to requests whose result is known."""

    def setUp(self):
        super().setUp()
        self.token = self.local.token(*PERMISSIONS)["token"]

    def check(self, name, /, *statuses, **request):
        operation = self.api.by_id[name]
        answer = self.send(operation, self.token, **request)
        self.assert_conforms(operation, answer, *statuses)
        return answer

    def test_what_is_got_conforms(self):
        for operation in self.api.operations:
            # There is a profile once one is saved, and a run once one has begun: test_profiles_conform, test_runs_conform.
            if operation.method == "GET" and operation.id not in ("openLive", "getProfile", "getRun"):
                with self.subTest(operation.id):
                    self.assert_conforms(operation, self.send(operation, self.token), 200)

    def test_what_is_changed_conforms(self):
        self.check("editShot", 200)
        self.check("editShot", 200, body={})
        self.check("getShot", 200)
        self.check("editShot", 200, body={"title": "", "note": "two\nlines"})
        self.check("verifyShot", 200)
        self.check("setControls", 422)
        self.check("applySettings", 200)
        self.check("applySettings", 200, body={"selection": {"choice": {"all": {}}}, "settings": "gain=raw:0", "time": {"relative": {"nanoseconds": 100000000}}})
        self.check("commandDevice", 200, node="node2")

    def test_a_shot_is_deleted_once_and_known_as_deleted(self):
        shot = new_shot()
        self.check("trigger", 200, body={"shot": shot, "selection": {"devices": ["node1/cam1"]}}, query="?wait=30")
        refused = json.loads(self.check("deleteShot", 409, shot=shot).body)
        self.assertEqual(refused["code"], "onlyCopy")
        stored = [file for file in json.loads(self.check("getShot", 200, shot=shot).body)["files"] if file["outcome"] in ("done", "late")]
        lost = [(file["device"], file["file"].split("/")[0], file["byteCount"]) for file in refused["wouldDelete"]]
        self.assertEqual(lost, [(file["device"], "node1.cam1", file["byteCount"]) for file in stored])
        tag = self.check("getShot", 200, shot=shot).headers["ETag"]
        self.check("editShot", 200, shot=shot, body={"title": "Not this one"})
        self.check("deleteShot", 412, shot=shot, query="?onlyCopy=true", headers={"If-Match": tag})
        deleted = json.loads(self.check("deleteShot", 200, shot=shot, query="?onlyCopy=true").body)
        self.assertEqual((deleted["shot"], deleted["files"], deleted["onlyCopy"], deleted["reason"]), (shot, 2, True, "requested"))
        self.assertEqual(json.loads(self.check("deleteShot", 200, shot=shot).body), deleted)
        for name in ("getShot", "getManifest", "verifyShot", "editShot", "getFile", "getThumbnail"):
            self.assertEqual(json.loads(self.check(name, 410, shot=shot).body)["code"], "deleted")
        self.check("trigger", 410, body={"shot": shot, "selection": {"devices": ["node1/cam1"]}})
        listed = json.loads(self.check("listShots", 200).body)["shots"]
        self.assertNotIn(shot, [each["id"] for each in listed])

    def test_a_switch_that_would_be_refused_is_told_with_its_reason(self):
        for replacement, reason in (("none", "unknownDevice"), ("cam1", "unknownDevice"), ("desk", "notACamera")):
            answer = json.loads(self.check("canSwitchInput", 200, replacement=replacement).body)
            self.assertEqual((answer["isAllowed"], answer["objection"]["reason"]), (False, reason))
            self.assertIn("node1", answer["objection"]["problem"]["message"])

    def test_profiles_conform(self):
        both = [{"device": "node1/cam1", "settings": "gain=raw:3"}, {"device": "node2/cam1", "settings": "gain=raw:5"}]
        devices = {"devices": ["node1/cam1", "node2/cam1"]}

        def gains():
            held = json.loads(self.check("getHeldSettings", 200).body)
            return [re.search(r"driver.gain=(\d+)", camera["settings"])[1] for camera in held["cameras"]
                    if camera["device"] in devices["devices"]]

        self.check("applySettings", 200, body={"selection": devices, "settings": "gain=raw:1"})
        self.check("applySettings", 200, body={"selection": devices, "cameras": both})
        self.assertEqual(gains(), ["3", "5"])
        saved = json.loads(self.check("saveProfile", 200, profile="night", body={}).body)
        self.assertEqual((saved["isNew"], saved["profile"]["name"]), (True, "night"))
        version = saved["profile"]["version"]
        again = json.loads(self.check("saveProfile", 200, profile="night", body={"selection": {"choice": {"all": {}}}}).body)
        self.assertEqual((again["isNew"], again["profile"]), (False, saved["profile"]))
        self.assertEqual(json.loads(self.check("getProfile", 200, profile="night", query=f"?version={version}").body), saved["profile"])
        self.assertIn("night", [profile["name"] for profile in json.loads(self.check("listProfiles", 200).body)["profiles"]])
        undone = json.loads(self.check("undoSettings", 200).body)
        self.assertEqual(gains(), ["1", "1"])
        self.assertEqual(json.loads(self.check("cancelSettings", 200, settings=undone["settingsId"]).body), undone)
        self.check("cancelSettings", 409)
        for body in ({"transaction": undone["undoes"], "cameras": ["node1/cam1"]}, {"cameras": []}):
            self.check("undoSettings", 409 if body["cameras"] else 400, body=body)
        loaded = json.loads(self.check("loadProfile", 200, profile="night", body={"version": version, "requireAll": True}).body)
        self.assertEqual((loaded["profile"], gains()), (f"night@{version}", ["3", "5"]))
        history = json.loads(self.check("listSettings", 200).body)["transactions"]
        self.assertEqual([past["settingsId"] for past in history[:2]], [loaded["settingsId"], undone["settingsId"]])
        self.assertEqual(history[1]["undoes"], history[2]["settingsId"])
        self.check("loadProfile", 404, profile="night", body={"version": version + 1})
        self.check("removeProfile", 204, profile="night")
        for name in ("getProfile", "loadProfile", "removeProfile"):
            self.check(name, 404, profile="night")

    def test_runs_conform(self):
        self.addCleanup(self.end_runs)
        both = {"devices": ["node1/cam1", "node2/cam1"]}
        self.check("applySettings", 200, body={"selection": {"devices": ["node2/cam1"]}, "settings": "exposure=raw:40"})
        run = new_shot()
        body = {"id": run, "selection": both, "reference": "node1/cam1", "tolerance": 0.05, "frames": 5}
        accepted = self.check("matchSettings", 202, body=body)
        self.assertEqual(json.loads(accepted.body), {"run": run})
        self.assertTrue(accepted.headers["Location"].endswith(f"/settings/runs/{run}"))
        self.check("matchSettings", 409, body={**body, "frames": 6})
        self.assertIn(run, json.loads(self.check("lockSettings", 409).body)["detail"])
        ended = json.loads(self.check("getRun", 200, run=run, query="?wait=30").body)
        self.assertEqual((ended["state"], ended["report"]["kind"], [camera["device"] for camera in ended["report"]["cameras"]]),
                         ("ended", "match", ["node2/cam1"]))
        [matched], reference = ended["report"]["cameras"], ended["report"]["reference"]
        self.assertEqual((reference["outcome"], matched["outcome"]), ("locked", "matched"), ended)
        self.assertGreater(max(map(abs, matched["before"]["residual"])), 0.1)
        self.assertLessEqual(max(map(abs, matched["after"]["residual"])), 0.05)
        again = self.check("matchSettings", 200, body=body, query="?wait=30")
        self.assertEqual(json.loads(again.body), ended, "a repeat is the same run")
        self.assertEqual(json.loads(self.check("cancelRun", 200, run=run).body), ended, "it stays as it is")
        locked = json.loads(self.check("lockSettings", 200, query="?wait=30", body={"selection": both, "frames": 5}).body)
        self.assertEqual((locked["state"], locked["report"]["kind"], len(locked["report"]["cameras"])), ("ended", "lock", 2))
        self.assertEqual([each["run"] for each in json.loads(self.check("listRuns", 200).body)["runs"]][:2], [locked["run"], run])

    def test_a_run_is_cancelled_and_every_camera_has_an_outcome(self):
        self.addCleanup(self.end_runs)
        begun = json.loads(self.check("lockSettings", 202, body={"selection": {"choice": {"all": {}}}, "frames": 64}).body)["run"]
        cancelled = json.loads(self.check("cancelRun", 200, run=begun, query="?wait=30").body)
        self.assertEqual((cancelled["state"], {camera["outcome"] for camera in cancelled["report"]["cameras"]}), ("cancelled", {"refused"}))
        for camera in cancelled["report"]["cameras"]:
            self.assertIn("cancelled", camera["reason"])
        self.assertEqual(json.loads(self.check("getRun", 200, run=begun).body), cancelled)

    def test_a_stopped_camera_is_described(self):
        self.check("commandDevice", 200, node="node2", body={"action": "stop"})
        try:
            self.check("listDevices", 200)
            self.check("getDevice", 200, node="node2")
            self.check("getStatus", 200)
            self.check("getSnapshot", 503, node="node2")
            self.check("setControls", 503, node="node2")
            self.check("trigger", 200, query="?wait=30", body={"selection": {"choice": {"all": {}}}})
        finally:
            self.check("commandDevice", 200, node="node2")

    def test_the_answer_about_stills_comes_before_their_clips(self):
        body = {"shot": new_shot(), "selection": {"choice": {"all": {}}}, "settings": {"livePhoto": "whereEnabled"}}
        stills = json.loads(self.check("trigger", 200, query="?wait=30&until=stills", body=body).body)
        outcomes = {(file["kind"], file["outcome"]) for capture in stills["shot"]["captures"] for file in capture["files"]}
        self.assertEqual(stills["shot"]["status"], "open")
        self.assertEqual({outcome for kind, outcome in outcomes if kind == "photo"}, {"done"})
        self.assertIn(("pairedVideo", "pending"), outcomes)
        complete = json.loads(self.check("trigger", 200, query="?wait=30&until=all", body=body).body)
        self.assertEqual(complete["shot"]["status"], "complete")
        self.check("trigger", 400, query="?until=clips", body=body)

    def test_limits_of_the_timing_refuse_or_mark_a_shot(self):
        body = {"selection": {"choice": {"all": {}}}, "settings": {}}
        strict = {"maxBoundNanoseconds": 1000, "onExcess": "refuse"}
        refused = json.loads(self.check("trigger", 422, body={**body, "limits": strict}).body)
        self.assertEqual(refused["code"], "limitsExceeded")
        self.assertIn("node1/cam1: its bound is ", refused["detail"])
        self.check("trigger", 400, body={**body, "limits": {"onExcess": "retry"}})
        self.check("trigger", 400, body={**body, "limits": {"maxSkewNanoseconds": "999"}})
        wide = {"maxSkewNanoseconds": "60000000000", "maxBoundNanoseconds": "60000000000"}
        for limits, exceeds in (({"maxBoundNanoseconds": 1000}, ["maxBound"]), (wide, None), (None, None)):
            report = json.loads(self.check("trigger", 200, query="?wait=30", body={**body, "limits": limits}).body)
            self.assertEqual(report["shot"]["status"], "complete")
            self.assertEqual({tuple(capture.get("exceeds", [])) for capture in report["shot"]["captures"]}, {tuple(exceeds or [])})
            self.assertEqual("limits" in report["shot"], limits is not None)
            simultaneity = report["shot"]["simultaneity"]
            skews = {capture["device"]["id"]: capture["timing"]["skewNanoseconds"] for capture in report["shot"]["captures"]}
            self.assertEqual(simultaneity["spreadNanoseconds"], max(skews.values()) - min(skews.values()))
            self.assertEqual((skews[simultaneity["earliest"]], skews[simultaneity["latest"]]), (min(skews.values()), max(skews.values())))
            self.assertEqual(report["spreadBoundNanoseconds"], str(simultaneity["boundNanoseconds"]))
            self.assertEqual(report["shot"]["prediction"]["cameras"], len(skews))

    def test_shots_of_every_kind_conform(self):
        second = "1000000000"
        for body in ({"selection": {"choice": {"all": {}}}, "settings": {"livePhoto": "whereEnabled", "previewSize": 160, "quality": 50}},
                     {"selection": {"choice": {"all": {}}}, "settings": {"raw": "withPhoto", "rawThumbnail": {"codec": "jpeg", "longerSide": 160}}},
                     {"selection": {"choice": {"all": {}}}, "settings": {"codec": "jpeg"}, "time": {"relative": {"nanoseconds": -300000000}}},
                     {"selection": {"labels": ["test"]}, "time": {"soon": {"lead": second}}, "requireAll": True},
                     {"selection": {"nodes": ["node2"], "choice": {"matching": {"_0": [{"type": "wide"}]}}}},
                     {"selection": {"choice": {"first": {"_0": [{"position": "left"}], "per": "rig"}}}, "time": {"soon": {}}},
                     {"selection": {"labels": ["test"]}, "settings": {"bracket": [{"exposureNanoseconds": 2000000}, {"gain": 1}], "flash": "off",
                                                                      "embedThumbnail": "square"}, "time": {"soon": {"lead": second}}},
                     {"selection": {"labels": ["test"]}, "settings": {"livePhoto": "whereEnabled", "clipCodec": "h264", "motionPhoto": True}}):
            with self.subTest(body):
                shot = json.loads(self.check("trigger", 200, query="?wait=30", body=body).body)["shot"]["id"]
                self.check("getShot", 200, shot=shot)
                manifest = json.loads(self.check("getManifest", 200, shot=shot).body)
                # What is stored is a request again, and asks for the same.
                self.assertEqual(self.api.schema_problems("#/components/schemas/Trigger", manifest["request"]), [])
                self.check("trigger", 200, query="?wait=30", body={"shot": shot, **manifest["request"]})
        self.check("trigger", 202, body={"shot": (shot := new_shot()), "selection": {"choice": {"all": {}}}, "time": {"soon": {"lead": second}}})
        self.check("trigger", 409, body={"shot": shot, "selection": {"choice": {"all": {}}}})
        self.await_true("the shot is listed", lambda: self.send(self.api.by_id["getShot"], self.token, shot=shot).status == 200)
        self.check("getShot", 200, shot=shot)

    def test_lists_are_narrowed(self):
        cursor = json.loads(self.check("listShots", 200, query="?limit=1").body)["next"]
        for query in ("?limit=1", f"?cursor={cursor}", "?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00%2B01:00",
                      "?device=node1/*", "?device=cam1&device=node2/cam?", "?label=test&outcome=done&outcome=late&status=complete&status=partial",
                      "?title=x%20y&text=z", "?takes=true", "?takes=false"):
            with self.subTest(query):
                self.check("listShots", 200, query=query)
        takes = json.loads(self.check("listShots", 200, query="?takes=true&limit=1000").body)["takes"]
        self.assertIn(self.take, [take["id"] for take in takes])
        self.assertNotIn(self.shot, [take["id"] for take in takes])

    def test_a_take_is_begun_marked_and_ended(self):
        take, limits = new_shot(), {"maxRecordedDurationNanoseconds": 60000000000, "maxRecordedFileSize": "1000000000",
                                    "minFreeDiskSpaceLimit": 0, "segmentDurationNanoseconds": 30000000000}
        request = {"take": take, "selection": {"choice": {"all": {}}}, "settings": {"movie": {**limits, "segmentFileSize": 500000000}}}
        for _ in range(2):  # a repeat begins no second one
            begun = json.loads(self.check("startTake", 200, query="?wait=30", body=request).body)
            self.assertEqual(begun["take"]["id"], take)
            self.assertEqual({camera["outcome"] for camera in begun["cameras"]}, {"captured"})
        self.check("startTake", 409, body={**request, "requireAll": True})
        self.check("commandDevice", 409, body={"action": "stop"})
        offsets = [json.loads(self.check("markTake", 200, take=take, body={"text": "Begin", "mark": "18446744073709551615"}).body)
                   ["offsetNanoseconds"] for _ in range(2)]
        self.assertEqual(offsets[0], offsets[1])
        self.check("markTake", 200, take=take)
        self.check("listDevices", 200)
        states = {item["shot"]: item["state"] for item in json.loads(self.check("listSpool", 200).body)["captures"]}
        self.assertEqual(states[take], "recording")
        for _ in range(2):
            ended = json.loads(self.check("stopTake", 200, take=take, query="?wait=30").body)
            self.assertEqual({camera["outcome"] for camera in ended["cameras"]}, {"done"})
            self.assertEqual([mark["text"] for mark in ended["take"]["take"]["marks"]], ["Begin", "Here"])
        self.check("markTake", 409, take=take)
        self.check("editShot", 200, shot=take, body={"title": "A take", "note": "Of two cameras"})
        self.assertEqual(json.loads(self.check("getTake", 200, take=take).body)["title"], "A take")
        self.check("getShot", 200, shot=take)
        self.check("getManifest", 200, shot=take)
        for path in self.stored_files(Script(self.local, self.token), take):
            self.check("getFile", 206, shot=take, path=path, headers={"Range": "bytes=0-9"})

    def test_a_take_goes_on_if_nobody_waits_for_it(self):
        request = {"selection": {"devices": ["node2/cam1"]}, "time": {"soon": {"lead": 200000000}}, "requireAll": True}
        take = json.loads(self.check("startTake", 202, body=request).body)["take"]
        self.await_true("the camera records", lambda: self.outcomes(take) == {"captured"})
        self.check("stopTake", 202, take=take)
        self.await_true("the take ends", lambda: self.outcomes(take) == {"done"})
        self.check("stopTake", 202, take=take)

    def outcomes(self, take):
        """Of its cameras; empty while there is no such take."""
        answer = self.send(self.api.by_id["getTake"], self.token, take=take)
        return {camera["outcome"] for camera in json.loads(answer.body)["cameras"]} if answer.status == 200 else set()

    def test_spools_are_listed_and_discarded_from(self):
        for query in ("", "?damaged=true", "?damaged=false"):
            self.check("listSpool", 200, query=query)
        absent = {"shot": new_shot(), "device": "node1/cam1"}
        for body in ({"captures": [absent]}, {"captures": [absent] * 61, "damaged": True}):
            self.assertEqual(json.loads(self.check("discardCaptures", 200, body=body).body), {"discarded": []})

    def test_a_person_is_invited_renamed_and_revoked(self):
        code = json.loads(self.check("inviteKey", 201, body={"name": "anna", "role": "operator"}).body)["code"]
        self.assertIn(("anna", "open"), [(each["name"], each["state"]) for each in self.keys()["invitations"]])
        join(Code.read(code))
        self.check("inviteKey", 409, body={"name": "anna", "role": "operator"})
        self.check("renameKey", 409, key="anna", body={"name": "web"})
        [holder] = json.loads(self.check("renameKey", 200, key="anna", body={"name": "berta"}).body)["keys"]
        self.assertEqual((holder["name"], holder["role"]), ("berta", "operator"))
        self.check("renameKey", 409, key="anna")
        # Without the label, and with slashes that are not those of the path.
        beginning = urllib.parse.quote(holder["fingerprint"].removeprefix("SHA256:"), safe="")
        self.assertEqual(json.loads(self.check("revokeKey", 200, key=beginning).body), {"keys": [holder]})
        self.assertEqual(json.loads(self.check("revokeKey", 200, key="berta").body), {"keys": []})
        [record] = [key for key in self.keys()["keys"] if key["name"] == "berta"]
        self.assertIn("revoked", record)

    def test_an_invitation_is_withdrawn(self):
        self.check("inviteKey", 201, body={"name": "clara", "role": "node"})
        self.check("withdrawInvitation", 204, name="clara")
        self.assertEqual([each["state"] for each in self.keys()["invitations"] if each["name"] == "clara"], ["withdrawn"])
        self.check("withdrawInvitation", 409, name="clara")

    def test_a_hold_is_taken_refused_and_overridden(self):
        ben, operations = self.local.token("view", "trigger", of="ben")["token"], self.api.by_id
        self.check("releaseHold", 204)
        self.assertEqual(json.loads(self.check("getHold", 200).body), {})
        for body in ({"duration": "60000000000", "note": "light"}, {"note": None, "overrides": None}):
            taken = self.send(operations["takeHold"], ben, body=body)
            self.assert_conforms(operations["takeHold"], taken, 200)
            hold = json.loads(taken.body)["hold"]
            self.assertEqual((hold["holder"], hold["note"]), ("ben", "light"))
        for name in ("getHold", "getStatus"):
            self.assertEqual(json.loads(self.check(name, 200).body)["hold"]["endsRigNanoseconds"], hold["endsRigNanoseconds"])
        for name in ("trigger", "startTake", "commandDevice", "setControls", "applySettings", "undoSettings", "cancelSettings", "saveProfile",
                     "removeProfile", "matchSettings", "lockSettings", "cancelRun", "discardCaptures", "deleteShot", "takeHold", "releaseHold"):
            with self.subTest(name):
                self.check(name, 423)
        take = new_shot()
        for name, status in (("startTake", 200), ("stopTake", 423)):
            request = {"body": {"take": take, "selection": {"choice": {"all": {}}}}} if name == "startTake" else {"take": take}
            token = ben if name == "startTake" else self.token
            self.assert_conforms(operations[name], self.send(operations[name], token, query="?wait=30", **request), status)
        self.check("markTake", 200, take=take)
        self.assert_conforms(operations["stopTake"], self.send(operations["stopTake"], ben, take=take, query="?wait=30"), 200)
        self.check("editShot", 200, shot=take)
        self.check("takeHold", 423, body={"overrides": "nobody"})
        self.assert_conforms(operations["takeHold"], self.send(operations["takeHold"], ben, body={"overrides": "ben"}), 403)
        self.check("takeHold", 200, body={"overrides": "ben"})
        self.assert_conforms(operations["releaseHold"], self.send(operations["releaseHold"], ben), 423)
        for query in ("?overrides=ben", ""):
            self.check("releaseHold", 204, query=query)

    def test_a_machine_that_asks_is_approved(self):
        keys = Keys(*zmq.curve_keypair(), self.local.admin.server)
        self.assertEqual(self.ask_to_join(keys), "waiting")
        [request] = [each for each in self.keys()["requests"] if each["name"] == "dora"]
        self.check("approveKey", 409, body={"fingerprint": request["fingerprint"][:18], "name": "dora", "role": "viewer"})
        approval = {"fingerprint": request["fingerprint"][:19], "name": "dora", "role": "viewer"}
        for _ in range(2):
            [holder] = json.loads(self.check("approveKey", 200, body=approval).body)["keys"]
            self.assertEqual(holder, {"fingerprint": request["fingerprint"], "name": "dora", "role": "viewer"})
        self.await_true("the machine is admitted", lambda: self.ask_to_join(keys) == "admission")
        self.check("revokeKey", 200, key="dora")

    def test_a_machine_that_asks_is_declined(self):
        keys = Keys(*zmq.curve_keypair(), self.local.admin.server)
        self.assertEqual(self.ask_to_join(keys, "dagmar"), "waiting")
        [request] = [each for each in self.keys()["requests"] if each["name"] == "dagmar"]
        self.check("declineKey", 204, body={"fingerprint": request["fingerprint"][:19]})
        self.assertNotEqual(self.ask_to_join(keys, "dagmar"), "waiting")
        [declined] = [each for each in self.keys()["requests"] if each["fingerprint"] == request["fingerprint"]]
        self.assertTrue(declined["declined"])
        self.check("declineKey", 409, body={"fingerprint": "SHA256:" + "A" * 43})

    def test_the_audit_log_is_read_page_by_page(self):
        code = json.loads(self.check("inviteKey", 201, body={"name": "emil", "role": "viewer"}).body)["code"]
        join(Code.read(code))
        self.check("revokeKey", 200, key="emil")
        found, cursor = [], ""
        while cursor is not None:
            page = json.loads(self.check("listAudit", 200, query=f"?limit=5{cursor}").body)
            self.assertTrue(page["chain"]["isIntact"], page["chain"])
            found += page["records"]
            cursor = f"&cursor={page['next']}" if "next" in page else None
        numbers = [int(record["sequence"]) for record in found]
        self.assertEqual(numbers, list(range(numbers[0], 0, -1)), "no record is left out, and none comes twice")
        told = self.local.admin.capctl("audit", "list", "--limit", "100000")["records"]
        self.assertEqual(found, [record for record in reversed(told) if int(record["sequence"]) <= numbers[0]])
        about = [(record["kind"], record["subject"]) for record in found if record["subject"] == "emil"]
        self.assertEqual(about[0], ("revocation", "emil"))
        self.assertIn(("admission", "emil"), about)
        for query, matches in (("?kind=revocation&kind=admission&text=EMIL", lambda record: record["kind"] in ("revocation", "admission")),
                               ("?principal=admin&limit=1000", lambda record: record["principal"] == "admin")):
            with self.subTest(query):
                records = json.loads(self.check("listAudit", 200, query=query).body)["records"]
                self.assertGreater(len(records), 0)
                self.assertTrue(all(map(matches, records)), records)
        self.assertEqual(json.loads(self.check("listAudit", 200, query="?text=nowhere-to-be-found").body)["records"], [])
        for query in ("?limit=0", "?limit=1001", "?limit=x", "?cursor=x", "?cursor=" + "A" * 23, "?text=" + "x" * 257):
            with self.subTest(query):
                self.check("listAudit", 400, query=query)

    def ask_to_join(self, keys, name="dora"):
        """The kind of the coordinator's answer."""
        return ask(self.local.endpoints["join"], keys, name, "viewer")

    def keys(self):
        return json.loads(self.check("listKeys", 200).body)

    def test_a_title_is_found_by_words_with_a_space_of_a_form(self):
        self.check("editShot", 200, body={"title": "Blue hour"})
        for query in ("?title=blue%20hour", "?title=blue+hour"):
            with self.subTest(query):
                listed = json.loads(self.check("listShots", 200, query=query).body)["shots"]
                self.assertIn(self.shot, [shot["id"] for shot in listed])

    def test_rejected_pictures_are_marked_and_found(self):
        self.check("editShot", 200, body={"reject": ["node1/cam1", "node2/cam1"]})
        marked = json.loads(self.check("editShot", 200, body={"accept": ["node2/cam1"]}).body)
        self.assertEqual(marked["rejected"], ["node1/cam1"])
        self.assertEqual(json.loads(self.check("getShot", 200).body)["rejected"], ["node1/cam1"])
        for query, isFound in (("?rejected=true", True), ("?rejected=true&device=node1/*", True), ("?rejected=true&device=node2/*", False)):
            with self.subTest(query):
                listed = json.loads(self.check("listShots", 200, query=query).body)["shots"]
                self.assertEqual(self.shot in [shot["id"] for shot in listed], isFound)
        self.check("editShot", 200, body={"accept": ["node1/cam1"]})
        self.assertNotIn("rejected", json.loads(self.check("getShot", 200).body))
        take = json.loads(self.check("editShot", 200, shot=self.take, body={"reject": ["node1/cam1"]}).body)
        self.assertEqual(take["rejected"], ["node1/cam1"])
        self.assertEqual(json.loads(self.check("getTake", 200).body)["rejected"], ["node1/cam1"])
        self.check("editShot", 200, shot=self.take, body={"accept": ["node1/cam1"]})

    def test_files_are_read(self):
        for path in self.files:
            for name in (path, urllib.parse.quote(path, safe="")):
                answer = self.check("getFile", 200, path=name)
                self.check("getFile", 304, path=name, headers={"If-None-Match": answer.headers["ETag"]})
                self.check("getFile", 206, path=name, headers={"Range": "bytes=0-9"})
                self.check("getFile", 416, path=name, headers={"Range": "bytes=999999999-"})
        for name in ("getThumbnail", "getPreview"):
            for path in (self.files[0], urllib.parse.quote(self.files[0], safe="")):
                answer = self.check(name, 200, path=path)
                self.assertRegex(answer.headers["ETag"], self.api.document["components"]["headers"]["PictureETag"]["schema"]["pattern"])
                self.check(name, 304, path=path, headers={"If-None-Match": answer.headers["ETag"]})
        tag = self.check("getManifest", 200).headers["ETag"]
        self.check("getManifest", 304, headers={"If-None-Match": tag})

    # What has an entity tag, and changes of it that any number of requests can make.
    VERSIONED = {"getShot": ("editShot", "deleteShot"), "getHold": ("takeHold", "releaseHold"),
                 "listKeys": ("inviteKey", "withdrawInvitation", "approveKey", "declineKey", "renameKey", "revokeKey")}

    def test_documents_with_an_entity_tag_are_got_once(self):
        pattern = self.api.document["components"]["headers"]["VersionETag"]["schema"]["pattern"]
        for name in self.VERSIONED:
            with self.subTest(name):
                tag = self.check(name, 200).headers["ETag"]
                self.assertRegex(tag, pattern)
                answer = self.check(name, 304, headers={"If-None-Match": f'"x", {tag}'})
                self.assertEqual((answer.headers["ETag"], answer.body), (tag, b""))
                self.check(name, 200, headers={"If-None-Match": '"x"'})

    def test_a_change_whose_condition_does_not_hold_is_refused(self):
        other = '"' + "0" * 64 + '"'
        for name, changes in self.VERSIONED.items():
            before = self.check(name, 200)
            tag = before.headers["ETag"]
            for change in changes:
                for condition in (other, f"W/{tag}", '"x"', f"{other}, W/{tag}", f'"{tag[1:-1].upper()}"' if tag != tag.upper() else other):
                    with self.subTest(f"{change} if {condition}"):
                        self.check(change, 412, headers={"If-Match": condition})
            self.assertEqual(self.check(name, 200).headers["ETag"], tag)
        for malformed in ("", "x", '"x', '"x" "y"', '*, "x"', ",".join(f'"{number:064x}"' for number in range(17))):
            with self.subTest(malformed):
                self.check("editShot", 400, headers={"If-Match": malformed})

    def test_a_change_whose_condition_holds_is_made(self):
        for body in ({"title": "One"}, {"reject": ["node1/cam1"]}, {"title": "", "accept": ["node1/cam1"]}):
            tag = self.check("getShot", 200).headers["ETag"]
            changed = self.check("editShot", 200, body=body, headers={"If-Match": f'"x",{tag}'}).headers["ETag"]
            self.assertEqual(changed, self.check("getShot", 200).headers["ETag"])
            self.assertNotEqual(changed, tag)
            self.check("editShot", 412, body=body, headers={"If-Match": tag})
            self.check("editShot", 200, body={}, headers={"If-Match": "*"})
        self.check("editShot", 404, shot=new_shot(), headers={"If-Match": "*"})
        free = self.check("getHold", 200).headers["ETag"]
        held = self.check("takeHold", 200, headers={"If-Match": free}).headers["ETag"]
        self.assertEqual(held, self.check("getHold", 200).headers["ETag"])
        self.check("takeHold", 412, headers={"If-Match": free})
        self.check("releaseHold", 412, headers={"If-Match": free})
        self.check("releaseHold", 204, headers={"If-Match": held})
        self.assertEqual(self.check("getHold", 200).headers["ETag"], free)

    def test_keys_are_changed_as_they_were_listed(self):
        def tag():
            return {"If-Match": self.check("listKeys", 200).headers["ETag"]}

        before = tag()
        code = json.loads(self.check("inviteKey", 201, body={"name": "frieda", "role": "viewer"}, headers=before).body)["code"]
        self.check("withdrawInvitation", 412, name="frieda", headers=before)
        invited = tag()
        join(Code.read(code))
        self.check("renameKey", 412, key="frieda", body={"name": "gerda"}, headers=invited)
        joined = tag()
        self.check("renameKey", 200, key="frieda", body={"name": "gerda"}, headers=joined)
        self.check("revokeKey", 412, key="gerda", headers=joined)
        self.check("revokeKey", 200, key="gerda", headers=tag())
        self.check("inviteKey", 201, body={"name": "hanna", "role": "viewer"}, headers={"If-Match": "*"})
        self.check("withdrawInvitation", 204, name="hanna", headers=tag())
        keys = Keys(*zmq.curve_keypair(), self.local.admin.server)
        before = tag()
        self.assertEqual(self.ask_to_join(keys, "irma"), "waiting")
        [request] = [each for each in self.keys()["requests"] if each["name"] == "irma"]
        approval = {"fingerprint": request["fingerprint"][:19], "name": "irma", "role": "viewer"}
        self.check("approveKey", 412, body=approval, headers=before)
        self.check("declineKey", 412, body={"fingerprint": request["fingerprint"][:19]}, headers=before)
        waiting = tag()
        self.check("declineKey", 204, body={"fingerprint": request["fingerprint"][:19]}, headers=waiting)
        self.check("approveKey", 412, body=approval, headers=waiting)

    def test_what_has_no_entity_tag_is_not_changed_under_a_condition(self):
        condition = {"If-Match": self.check("getShot", 200).headers["ETag"]}
        for operation in self.api.operations:
            versioned = sum(self.VERSIONED.values(), ())
            if operation.method != "GET" and operation.id not in (*versioned, "verifyShot", "endSession"):
                with self.subTest(operation.id):
                    self.check(operation.id, 412, headers=condition)
        session = self.local.token("view")["session"]["id"]
        self.check("endSession", 412, session=session, headers=condition)
        self.check("endSession", 204, session=session, headers={"If-Match": "*"})
        self.check("commandDevice", 200, node="node2", headers={"If-Match": "*"})

    def test_a_repeat_with_a_condition_has_the_first_answer(self):
        tag = self.check("listKeys", 200).headers["ETag"]
        request = {"body": {"name": "klara", "role": "viewer"}, "headers": {"If-Match": tag, "Idempotency-Key": new_shot()}}
        first, again = (self.check("inviteKey", 201, **request) for _ in range(2))
        self.assertEqual(first.body, again.body)
        self.check("inviteKey", 409, body=request["body"], headers={**request["headers"], "If-Match": "*"})
        failed = {"body": request["body"], "headers": {"If-Match": tag, "Idempotency-Key": new_shot()}}
        for _ in range(2):
            self.check("inviteKey", 412, **failed)
        self.check("withdrawInvitation", 204, name="klara")

    def test_mistakes_conform(self):
        unknown, nobody, everything = new_shot(), {"Host": "rig.example"}, {"selection": {"choice": {"all": {}}}}
        for name, status, request in (
                ("getStatus", 404, {"rig": "other"}),
                ("getStatus", 403, {"headers": {"Origin": "https://evil.example"}}),
                ("getStatus", 421, {"headers": nobody}),
                ("getStatus", 403, {"headers": {"Sec-Fetch-Site": "same-site"}}),
                ("getStatus", 200, {"headers": {"Sec-Fetch-Site": "same-origin"}}),
                ("findRig", 421, {"headers": nobody}),
                ("findRig", 403, {"headers": {"Origin": "null"}}),
                ("signIn", 421, {"headers": nobody}),
                ("openLive", 426, {}),
                ("endSession", 404, {}),
                ("endSession", 404, {"session": "x"}),
                ("getDevice", 404, {"device": "none"}),
                ("getDevice", 404, {"device": "CAM"}),
                ("getDevice", 404, {"node": "none"}),
                ("getDevice", 400, {"node": "%ff"}),
                ("canSwitchInput", 404, {"device": "none"}),
                ("canSwitchInput", 404, {"replacement": "CAM"}),
                ("commandDevice", 400, {"body": {"action": "dance"}}),
                ("commandDevice", 400, {"body": {}}),
                ("commandDevice", 400, {"body": {"action": "switch"}}),
                ("commandDevice", 400, {"body": {"action": "switch", "replacement": "CAM"}}),
                ("commandDevice", 400, {"body": {"action": "switch", "replacement": "cam2", "force": True}}),
                ("commandDevice", 400, {"body": {"action": "start", "replacement": "cam2"}}),
                ("commandDevice", 404, {"body": {"action": "switch", "replacement": "none"}}),
                ("commandDevice", 404, {"device": "none"}),
                ("setControls", 400, {"body": {}}),
                ("setControls", 400, {"body": {"gain": "x"}}),
                ("setControls", 400, {"body": {"gain": "99999999999999999999"}}),
                ("applySettings", 400, {"body": {}}),
                ("applySettings", 400, {"body": {"settings": "gain=1%"}}),
                ("applySettings", 400, {"body": {**everything, "settings": ""}}),
                ("applySettings", 400, {"body": {**everything, "settings": "speed=3"}}),
                ("applySettings", 400, {"body": {**everything, "settings": "gain=1%", "id": "1"}}),
                ("applySettings", 422, {"body": {"selection": {"labels": ["nowhere"]}, "settings": "gain=1%"}}),
                ("applySettings", 422, {"body": {**everything, "settings": "gain=1%", "time": {"relative": {"nanoseconds": -1}}}}),
                ("applySettings", 404, {"body": {**everything, "settings": "gain=1%", "cameras": [{"device": "node1/none", "settings": "gain=1%"}]}}),
                ("applySettings", 400, {"body": {**everything, "cameras": [{"device": "node1/cam1", "settings": "gain"}]}}),
                ("applySettings", 400, {"body": {**everything, "cameras": [{"device": "node1/cam1", "settings": "gain=1%"}] * 2}}),
                ("applySettings", 422, {"body": {**everything, "cameras": [{"device": "node1/cam1", "settings": "gain=1%"}]}}),
                ("matchSettings", 400, {"body": everything}),
                ("matchSettings", 400, {"body": {"card": GREY}}),
                ("matchSettings", 400, {"body": {**everything, "card": {**GREY, "red": 0}}}),
                ("matchSettings", 400, {"body": {**everything, "card": GREY, "grayWorld": True}}),
                ("matchSettings", 400, {"body": {**everything, "card": GREY, "tolerance": 0.6}}),
                ("matchSettings", 400, {"body": {**everything, "card": GREY, "frames": 65}}),
                ("matchSettings", 400, {"body": {**everything, "card": GREY, "target": {"x": 0.9, "y": 0, "width": 0.2, "height": 1}}}),
                ("matchSettings", 400, {"query": "?wait=61"}),
                ("matchSettings", 404, {"body": {**everything, "reference": "node1/none"}}),
                ("matchSettings", 404, {"body": {**everything, "reference": "node1/desk"}}),
                ("matchSettings", 422, {"body": {"selection": {"devices": ["node1/cam1"]}, "reference": "node1/cam1"}}),
                ("matchSettings", 422, {"body": {"selection": {"labels": ["nowhere"]}, "card": GREY}}),
                ("lockSettings", 400, {"body": {**everything, "timeout": "1"}}),
                ("lockSettings", 400, {"body": {**everything, "id": "1"}}),
                ("lockSettings", 422, {"body": {"selection": {"labels": ["nowhere"]}}}),
                ("getRun", 404, {"run": unknown}),
                ("getRun", 404, {"run": "x"}),
                ("getRun", 400, {"query": "?wait=61"}),
                ("cancelRun", 404, {"run": unknown}),
                ("undoSettings", 400, {"body": {"id": "1"}}),
                ("saveProfile", 404, {"profile": ".night"}),
                ("saveProfile", 422, {}),
                ("getProfile", 404, {}),
                ("getProfile", 400, {"query": "?version=0"}),
                ("loadProfile", 404, {}),
                ("loadProfile", 400, {"body": {"version": 0}}),
                ("removeProfile", 404, {}),
                ("getSnapshot", 404, {"device": "none"}),
                ("getSnapshot", 404, {"device": "desk"}),
                ("getSnapshot", 400, {"query": "?kind=x"}),
                ("streamPictures", 404, {"device": "none"}),
                ("streamPictures", 400, {"query": "?kind=x"}),
                ("streamEvents", 400, {"headers": {"Last-Event-ID": "x"}}),
                ("listShots", 400, {"query": "?limit=1001"}),
                ("listShots", 400, {"query": "?cursor=x"}),
                ("listShots", 400, {"query": "?since=yesterday"}),
                ("listShots", 400, {"query": "?device=a/b/c"}),
                ("listShots", 400, {"query": "?label="}),
                ("listShots", 400, {"query": "?" + "&".join(["label=a"] * 33)}),
                ("listShots", 400, {"query": "?takes=yes"}),
                ("listShots", 400, {"query": "?takes"}),
                ("listShots", 400, {"query": "?until=2100-01-01T00:00:00+01:00"}),
                ("listShots", 400, {"query": "?title=" + "x" * 257}),
                ("getShot", 404, {"shot": unknown}),
                ("getShot", 404, {"shot": "x"}),
                ("getManifest", 404, {"shot": unknown}),
                ("verifyShot", 404, {"shot": unknown}),
                ("editShot", 404, {"shot": unknown}),
                ("deleteShot", 404, {"shot": unknown}),
                ("deleteShot", 404, {"shot": "x"}),
                ("deleteShot", 400, {"query": "?onlyCopy=yes"}),
                ("deleteShot", 409, {}),
                ("editShot", 400, {"body": {"title": "two\nlines"}}),
                ("editShot", 400, {"body": {"note": "x" * 16385}}),
                ("editShot", 400, {"body": {"title": 1}}),
                ("editShot", 404, {"body": {"reject": ["node1/none"]}}),
                ("editShot", 404, {"body": {"title": "x", "reject": ["node1/cam1", "node9/cam1"]}}),
                ("editShot", 400, {"body": {"reject": ["cam1"]}}),
                ("editShot", 400, {"body": {"reject": "node1/cam1"}}),
                ("editShot", 400, {"body": {"accept": ["node1/cam1"] * 4097}}),
                ("listShots", 400, {"query": "?rejected=yes"}),
                ("getFile", 404, {"path": "shot.json"}),
                ("getFile", 404, {"shot": unknown}),
                ("getThumbnail", 404, {"path": "shot.json"}),
                ("getThumbnail", 404, {"path": "x" * 257}),
                ("getThumbnail", 404, {"path": "%ff"}),
                ("getThumbnail", 404, {"shot": unknown}),
                ("getPreview", 404, {"path": "%00"}),
                ("getPreview", 404, {"shot": "x"}),
                ("trigger", 400, {"query": "?wait=61"}),
                ("trigger", 400, {"query": "?wait=x"}),
                ("trigger", 400, {"body": {}}),
                ("trigger", 400, {"body": []}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": 1}}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "shot": "00000000-0000-4000-8000-000000000000"}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "settings": {"quality": 101}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "settings": {"raw": True}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "settings": {"maxPhotoDimensions": {"width": 0, "height": 1}}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "time": {"absolute": {"realtimeNanoseconds": "now"}}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "time": {"soon": {"lead": -1}}}}),
                ("trigger", 400, {"body": {"selection": {"labels": ["two words"]}}}),
                ("trigger", 400, {"body": {"selection": {"devices": ["cam1"]}}}),
                ("trigger", 400, {"body": {"selection": {"nodes": ["NODE"]}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"matching": {"_0": [{"type": ""}]}}}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"all": {}}}, "time": {"absolute": {"realtimeNanoseconds": -315619200000000000}}}}),
                ("commandDevice", 409, {"device": "desk"}),
                ("trigger", 400, {"body": {"selection": {}}}),
                ("trigger", 422, {"body": {"selection": {"labels": ["roof"]}}}),
                ("trigger", 422, {"body": {"selection": {"choice": {"all": {}}}, "time": {"soon": {"lead": 9223372036854775807}}}}),
                ("trigger", 422, {"body": {"selection": {"choice": {"all": {}}}, "time": {"relative": {"nanoseconds": -9223372036854775808}}}}),
                ("trigger", 413, {"body": {"selection": {"labels": ["x" * (1 << 20)]}}}),
                ("trigger", 400, {"body": {"selection": {"choice": {"matching": {"_0": [{"position": ""}]}}}}}),
                ("startTake", 400, {"body": {}}),
                ("startTake", 400, {"body": {**everything, "take": "x"}}),
                ("startTake", 400, {"query": "?wait=61"}),
                ("startTake", 400, {"body": {"selection": {"choice": {"matching": {"_0": [{"type": ""}]}}}}}),
                ("startTake", 400, {"body": {**everything, "time": {"soon": {"lead": -1}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"maxRecordedDurationNanoseconds": 0}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"maxRecordedDurationNanoseconds": 1.5}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"maxRecordedFileSize": "x"}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"minFreeDiskSpaceLimit": -1}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"segmentDurationNanoseconds": 999999999}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"segmentFileSize": 999999}}}}),
                ("startTake", 400, {"body": {**everything, "settings": {"movie": {"maxRecordedDurationNanoseconds": 86400000000000, "segmentDurationNanoseconds": 1000000000}}}}),
                ("startTake", 400, {"body": {"selection": {}}}),
                ("startTake", 422, {"body": {**everything, "time": {"soon": {"lead": 9223372036854775807}}}}),
                ("startTake", 413, {"body": {"selection": {"labels": ["x" * (1 << 20)]}}}),
                ("getTake", 404, {"take": unknown}),
                ("getTake", 404, {"take": "x"}),
                ("stopTake", 404, {"take": unknown}),
                ("stopTake", 409, {"take": self.shot}),
                ("stopTake", 400, {"query": "?wait=x"}),
                ("markTake", 404, {"take": unknown}),
                ("markTake", 409, {}),
                ("markTake", 409, {"take": self.shot}),
                ("markTake", 400, {"body": {}}),
                ("markTake", 400, {"body": {"text": ""}}),
                ("markTake", 400, {"body": {"text": "two\nlines"}}),
                ("markTake", 400, {"body": {"text": "x" * 257}}),
                ("markTake", 400, {"body": {"text": "x", "mark": "x"}}),
                ("markTake", 400, {"body": {"text": "x", "mark": 1}}),
                ("markTake", 400, {"body": {"text": "x", "mark": "18446744073709551616"}}),
                ("listSpool", 404, {"node": "none"}),
                ("listSpool", 404, {"node": "NODE"}),
                ("listSpool", 400, {"query": "?damaged=yes"}),
                ("takeHold", 400, {"body": {"duration": "9999999999"}}),
                ("takeHold", 400, {"body": {"duration": "14400000000001"}}),
                ("takeHold", 400, {"body": {"duration": "-10000000000"}}),
                ("takeHold", 400, {"body": {"duration": 60}}),
                ("takeHold", 400, {"body": {"note": "two\nlines"}}),
                ("takeHold", 400, {"body": {"note": "x" * 257}}),
                ("takeHold", 400, {"body": {"overrides": ""}}),
                ("takeHold", 413, {"body": {"note": "x" * (1 << 20)}}),
                ("releaseHold", 400, {"query": "?overrides="}),
                ("releaseHold", 400, {"query": "?overrides=" + "x" * 129}),
                ("discardCaptures", 404, {"node": "none"}),
                ("discardCaptures", 400, {"body": {}}),
                ("discardCaptures", 400, {"body": {"captures": [{"shot": "x", "device": "node1/cam1"}]}}),
                ("discardCaptures", 400, {"body": {"captures": [{"shot": unknown}]}}),
                ("inviteKey", 400, {"body": {}}),
                ("inviteKey", 400, {"body": {"name": "Anna", "role": "viewer"}}),
                ("inviteKey", 400, {"body": {"name": "anna", "role": "king"}}),
                ("inviteKey", 409, {"body": {"name": "web", "role": "dashboard"}}),
                ("withdrawInvitation", 409, {}),
                ("withdrawInvitation", 400, {"name": "Anna"}),
                ("approveKey", 409, {}),
                ("approveKey", 400, {"body": {"fingerprint": "abc", "name": "anna", "role": "viewer"}}),
                ("renameKey", 409, {}),
                ("renameKey", 400, {"body": {"name": "Anna"}}),
                ("renameKey", 400, {"key": "Anna"}),
                ("revokeKey", 409, {}),
                ("revokeKey", 409, {"key": "SHA256:AAAAAAAAAAAA"}),
                ("revokeKey", 400, {"key": "%ff"}),
        ):
            with self.subTest(f"{name} {request}"[:120]):
                self.check(name, status, **request)

    def test_members_that_do_not_exist_are_refused(self):
        """A member with a mistake in its name would change what is done."""
        everything = {"selection": {"choice": {"all": {}}}}
        for name, body in (("trigger", {**everything, "requireall": True}), ("trigger", {"selection": {"choice": {"all": {}}, "label": ["x"]}}),
                           ("trigger", {**everything, "settings": {"livephoto": True}}), ("trigger", {**everything, "time": {"soon": {"lag": "1"}}}),
                           ("trigger", {**everything, "settings": {"maxPhotoDimensions": {"width": 1, "height": 1, "depth": 1}}}),
                           ("editShot", {"titel": "x"}), ("commandDevice", {"action": "start", "forced": True}),
                           ("signIn", {"secret": "caprig_" + "A" * 43, "name": "x"}), ("startTake", {**everything, "shot": new_shot()}),
                           ("startTake", {**everything, "settings": {"movie": {"maxLength": 1}}}),
                           ("startTake", {**everything, "movie": {}}), ("trigger", {**everything, "settings": {"movie": {}}}),
                           ("startTake", {"selection": {"choice": {"all": {}}, "label": ["x"]}}), ("markTake", {"text": "x", "id": "1"}),
                           ("discardCaptures", {"captures": [], "damage": True}), ("takeHold", {"for": "60000000000"}),
                           ("inviteKey", {"name": "anna", "role": "viewer", "may": "view"}), ("undoSettings", {"all": True}),
                           ("saveProfile", {"cameras": []}), ("loadProfile", {"Version": 1}),
                           ("applySettings", {**everything, "cameras": [{"device": "node1/cam1", "gain": 1}]}),
                           ("matchSettings", {**everything, "card": {**GREY, "alpha": 1}}), ("lockSettings", {**everything, "card": GREY}),
                           ("approveKey", {**self.bodies["approveKey"], "key": "x"}), ("renameKey", {"name": "x", "role": "admin"})):
            with self.subTest(f"{name} {body}"):
                self.check(name, 400, body=body)

    def test_events_conform(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.local.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/rigs/rig/events", headers={"Authorization": f"Bearer {self.token}"})
        response = connection.getresponse()
        self.check("trigger", 200, query="?wait=30")
        found = []
        while len(found) < 3:
            line = response.fp.readline().decode()
            if line.startswith("data: "):
                found.append(json.loads(line[6:]))
        for event in found:
            self.assertEqual(self.api.schema_problems("#/components/schemas/Event", event), [])


class Connections(Documented):
    """Requests that the parser or the upgrade to a WebSocket refuses."""

    def exchange(self, *lines, host=None, token=None):
        """The status of the answer to a request of these lines, and whether the connection has ended after it; nothing in 5 s."""
        authority = host or f"127.0.0.1:{self.local.port}"
        lines = [*lines, f"Host: {authority}", *([f"Authorization: Bearer {token}"] if token else []), "", ""]
        with socket.create_connection(("127.0.0.1", self.local.port), timeout=5) as connection:
            connection.sendall("\r\n".join(lines).encode())
            with connection.makefile("rb") as answer:
                try:
                    words = answer.readline().split()
                    status = int(words[1]) if words else None
                    return status, status in (400, 431) and answer.read()[-1:] is not None
                except TimeoutError:
                    return None, False

    def test_what_is_no_request_is_answered_and_the_connection_ended(self):
        status = "GET /api/v1/rigs/rig/status HTTP/1.1"
        for name, expected, lines in (
                ("no HTTP", 400, ["\x16\x03\x01"]), ("no version", 400, ["GET /"]), ("a NUL", 400, [status, "X: a\0b"]),
                ("two lengths", 400, [status, "Content-Length: 2", "Content-Length: 3"]), ("no length", 400, [status, "Content-Length: x"]),
                ("length and chunks", 400, [status, "Content-Length: 2", "Transfer-Encoding: chunked"]),
                ("a long header", 431, [status, "X: " + "x" * 40_000]), ("many headers", 431, [status, *["X: x"] * 200])):
            with self.subTest(name):
                self.assertEqual(self.exchange(*lines), (expected, True))

    def test_a_refused_upgrade_is_answered_like_any_other_request(self):
        token = self.local.token("view")["token"]
        upgrade = ["Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + "A" * 22 + "=="]
        live, status = "GET /api/v1/rigs/rig/live HTTP/1.1", "GET /api/v1/rigs/rig/status HTTP/1.1"
        web = [*upgrade, "Upgrade: websocket"]
        for name, expected, lines, options in (
                ("permitted", 101, [live, *web], {"token": token}),
                ("without a session", 401, [live, *web], {}),
                ("without the permission", 403, [live, *web], {"token": self.local.token("read")["token"]}),
                ("of a page of another origin", 403, [live, *web, "Origin: https://evil.example"], {"token": token}),
                ("to another host", 421, [live, *web], {"token": token, "host": "rig.example"}),
                ("of another path", 200, [status, *web], {"token": token}),
                ("of a path that does not exist", 404, [live.replace("live", "nothing"), *web], {"token": token}),
                ("of another rig", 404, [live.replace("rigs/rig", "rigs/other"), *web], {"token": token}),
                ("to another protocol", 200, [status, *upgrade, "Upgrade: h2c"], {"token": token})):
            with self.subTest(name):
                self.assertEqual(self.exchange(*lines, **options)[0], expected)


class Derived(Documented):
    """Requests that Schemathesis derives from the document."""

    CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
              "response_schema_conformance", "negative_data_rejection")
    # For each operation and phase.
    EXAMPLES = 10

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caprig-openapi-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_a_session_that_may_view(self):
        self.derive("view")

    def test_a_session_of_an_operator(self):
        self.derive("view", "read", "add", "trigger", "configure")

    def test_a_session_of_an_administrator(self):
        self.derive(*PERMISSIONS)

    def end_takes(self):
        """Requests may have begun some."""
        operation, token = self.api.by_id["stopTake"], self.local.token("trigger")["token"]
        for take in self.local.admin.capctl("record", "status")["takes"]:
            self.assert_conforms(operation, self.send(operation, token, take=take["id"], query="?wait=30"), 200)

    def withdraw_invitations(self):
        """Only so many are open at a time."""
        operation, token = self.api.by_id["withdrawInvitation"], self.local.token("admin")["token"]
        for invitation in self.local.admin.capctl("keys", "list")["invitations"]:
            if invitation["state"] == "open":
                self.assert_conforms(operation, self.send(operation, token, name=invitation["name"]), 204)

    def start_cameras(self):
        """Requests may have stopped them."""
        operation, token = self.api.by_id["commandDevice"], self.local.token("view", "configure")["token"]
        for node in self.local.nodes:
            self.assert_conforms(operation, self.send(operation, token, node=node), 200)

    def derive(self, *permissions):
        self.addCleanup(self.start_cameras)
        self.addCleanup(self.withdraw_invitations)
        self.addCleanup(self.end_takes)
        self.addCleanup(self.end_runs)
        self.write_document()
        self.write_configuration()
        schemathesis = pathlib.Path(sys.executable).with_name("schemathesis")
        done = subprocess.run(
            [schemathesis, "run", self.folder / "api" / "openapi.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=300,
            env={**os.environ, "TOKEN": self.local.token(*permissions)["token"], "NO_COLOR": "1"})
        self.assertEqual(done.returncode, 0, f"{done.stdout[-8000:]}\n{done.stderr[-4000:]}")
        self.end_takes()
        self.end_runs()
        self.start_cameras()
        self.assert_works()

    def write_document(self):
        """The document, changed so that what a request names often exists."""
        document = copy.deepcopy(self.api.document)
        name = {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,23}$"}
        parameters = document["components"]["parameters"]
        parameters["Node"]["schema"] = {"anyOf": [{"const": "node2"}, name]}
        parameters["Device"]["schema"] = {"anyOf": [{"enum": ["cam1", "desk"]}, name]}
        parameters["Shot"]["schema"] = {"anyOf": [{"const": self.shot}, {"type": "string", "format": "uuid"}]}
        parameters["Take"]["schema"] = {"anyOf": [{"const": self.take}, {"type": "string", "format": "uuid"}]}
        document["components"]["schemas"]["Invitation"]["properties"]["name"] = {"anyOf": [{"enum": ["guest", "visitor"]}, name]}
        document["paths"]["/rigs/{rig}/keys/invitations/{name}"]["parameters"][-1]["schema"] = {
            "anyOf": [{"enum": ["guest", "visitor"]}, name]}
        request = self.request_schema()
        selection = request["$defs"]["selection"]["properties"]
        selection["devices"]["items"] = {"enum": list(self.local.numbers)}
        selection["nodes"]["items"] = {"enum": self.local.nodes}
        selection["labels"]["items"] = {"anyOf": [{"const": "test"}, {"$ref": "#/$defs/word"}]}
        # A run takes longer than a request may here.
        for path in ("settings/match", "settings/lock", "settings/runs/{run}", "settings/runs/{run}/cancel"):
            for operation in (document["paths"][f"/rigs/{{rig}}/{path}"].get(method) for method in METHODS):
                if operation:
                    operation["parameters"] = [each for each in operation["parameters"] if not each["$ref"].endswith("Wait")]
        document["components"]["schemas"]["Match"]["properties"]["reference"] = {"enum": list(self.local.numbers)}
        # What the other operations name must stay: without this parameter an only copy is kept.
        deletion = document["paths"]["/rigs/{rig}/shots/{shot}"]["delete"]
        deletion["parameters"] = [each for each in deletion["parameters"] if each.get("name") != "onlyCopy"]
        self.allow_null(document)
        path = parameters["StoredFile"]
        path["schema"] = {"anyOf": [{"enum": self.files}, path["schema"]]}
        for folder in ("api", "schema"):
            (self.folder / folder).mkdir()
        (self.folder / "api" / "openapi.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
        shutil.copy(SCHEMAS / "shot-v2.json", self.folder / "schema")
        (self.folder / "schema" / "shot-request-v1.json").write_text(json.dumps(request))

    def request_schema(self):
        """The schema of requests for shots; stored ones have no null, and are read by the copy in this folder too."""
        request = json.loads((SCHEMAS / "shot-request-v1.json").read_text())
        names = ("selection", "photoSettings", "bracketStep", "rawThumbnailFormat", "movieSettings", "typeAndPosition")
        for schema in (request, *(request["$defs"][name] for name in names)):
            self.allow_null_in(schema)
        self.allow_null_in(request["$defs"]["time"]["oneOf"][0]["properties"]["soon"])
        return request

    def allow_null(self, document):
        """In bodies of requests, where it is like absence."""
        for name in ("Trigger", "TakeStart", "Mark", "AnnotationChange", "DeviceCommand", "Discard", "HoldChange", "Match", "Lock"):
            self.allow_null_in(document["components"]["schemas"][name])

    def allow_null_in(self, schema):
        for member, inner in schema["properties"].items():
            if member not in schema.get("required", ()):
                schema["properties"][member] = {"anyOf": [inner, {"type": "null"}]}

    def write_configuration(self):
        """Without requests that would end the token, never end, end or rename keys of this rig, or are of another server."""
        checks = "\n".join(f"{check}.enabled = true" for check in self.CHECKS)
        left_out = [operation.id for operation in self.api.operations if operation.is_endless]
        left_out += ["signOut", "approveKey", "renameKey", "revokeKey", "getMetrics"]
        (self.folder / "schemathesis.toml").write_text(f"""\
base-url = "http://127.0.0.1:{self.local.port}/api/v1"
headers = {{ Authorization = "Bearer ${{TOKEN}}" }}
request-timeout = 10
continue-on-failure = true
seed = 1
warnings = false
color = false
suppress-health-check = ["all"]

[cache]
enabled = false

[generation]
max-examples = {self.EXAMPLES}
deterministic = true
no-shrink = true
database = "none"

[phases.coverage]
unexpected-methods = []
extra-data-sources.responses = false

[phases.fuzzing]
extra-data-sources.responses = false

[phases.stateful]
enabled = false

[checks]
enabled = false
{checks}
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]

[parameters]
"path.rig" = "rig"

[[operations]]
include-operation-id = "getSnapshot"
parameters = {{ "path.node" = "node1", "path.device" = "cam1" }}

""" + "\n".join(f'[[operations]]\ninclude-operation-id = "{name}"\nenabled = false\n' for name in left_out))


def main(programs, names):
    Case.local = rig = WebRig(pathlib.Path(programs).resolve(), nodes=2, rate=30, virtual=[", look: { adaptationFrames: 3 }"])
    return run_tests(rig, [f"__main__.{name}" for name in names])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
