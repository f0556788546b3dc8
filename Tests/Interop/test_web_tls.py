#!/usr/bin/env python3
"""A gateway that speaks TLS: python test_web_tls.py FOLDER-OF-RELEASE-PROGRAMS [TEST]...

Python's ssl (OpenSSL) and Chromium check certificates; openssl makes those of files.
"""

import hashlib
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import urllib.parse

from playwright.sync_api import expect

from case import Case
from test_web import PAGE, WebRig, run_in_chromium


class TLS(Case):
    chromium = None

    def gateway(self, *options):
        """A further gateway for one test; its address, host and port."""
        program, address = self.local.further_gateway("--port", 0, *options, name="capwebd-tls")
        self.addCleanup(self.end, program)
        parts = urllib.parse.urlsplit(address)
        self.assertEqual(parts.scheme, "https", address)
        return address, parts.hostname, parts.port

    def end(self, program):
        self.local.programs.remove(program)
        self.assertEqual(program.stop(), 0)

    @staticmethod
    def certificate(port):
        return ssl.get_server_certificate(("127.0.0.1", port))

    def ask(self, port, method="GET", path="/api/v1/rig", body=None, trusted=None, host="localhost", headers=None):
        context = ssl.create_default_context(cadata=trusted) if trusted else ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20)
        # The name to check, and to ask for, is not always that of the connection.
        connection.connect = lambda: self.connect(connection, context, host, port)
        try:
            connection.request(method, path, body, {"Host": f"{host}:{port}", **(headers or {})})
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    @staticmethod
    def connect(connection, context, host, port):
        connection.sock = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 20), server_hostname=host)

    def test_its_own_certificate_is_the_one_that_web_login_names(self):
        address, _, port = self.gateway("--tls")
        digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.certificate(port))).hexdigest().upper()
        fingerprint = ":".join(re.findall("..", digest))
        self.await_true("the gateway is listed", lambda: address in [each["address"] for each in self.listed()])
        link = self.local.admin.capctl("web", "login", "--at", address, "--may", "view")
        self.assertEqual(link["certificateSHA256"], fingerprint)
        # Without an address, it is the gateway with TLS.
        link = self.local.admin.capctl("web", "login", "--may", "view")
        self.assertEqual((link["certificateSHA256"], link["link"].partition("login.html#")[0]), (fingerprint, address))

    def listed(self):
        return self.local.admin.capctl("status")["gateways"]

    def test_its_own_certificate_stays_and_names_the_machine(self):
        _, _, port = self.gateway("--tls", "--host", "rig.example")
        made = self.certificate(port)
        for host in ("localhost", "127.0.0.1", "rig.example"):
            with self.subTest(host):
                response, _ = self.ask(port, trusted=made, host=host)
                self.assertEqual(response.status, 200)
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.ask(port, trusted=made, host="other.example")
        _, _, second = self.gateway("--tls", "--host", "rig.example")
        self.assertEqual(self.certificate(second), made)
        folder = self.local.home / "caprig" / "web"
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual({path.stat().st_mode & 0o777 for path in folder.glob("certificate.*")}, {0o600})

    def test_beyond_loopback_it_speaks_tls_only(self):
        _, _, port = self.gateway("--listen", "0.0.0.0")
        self.assertEqual(self.ask(port)[0].status, 200)
        plain = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        plain.request("GET", "/api/v1/rig")
        response = plain.getresponse()
        self.assertEqual((response.status, response.headers["Location"]), (307, f"https://127.0.0.1:{port}/api/v1/rig"))
        self.assertEqual(response.read().decode(), f"this port speaks TLS: https://127.0.0.1:{port}/api/v1/rig\n")
        plain.close()

    def test_old_versions_of_tls_are_refused(self):
        _, _, port = self.gateway("--tls")
        old = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
            input=b"", capture_output=True, timeout=20)
        self.assertIn(b"protocol version", old.stderr)

    def test_names_of_others_are_not_answered(self):
        _, _, port = self.gateway("--tls")
        response, body = self.ask(port, headers={"Host": f"evil.example:{port}"})
        self.assertEqual((response.status, json.loads(body)["code"]), (421, "misdirected"))
        response, _ = self.ask(port, headers={"Host": f"192.0.2.7:{port}"})
        self.assertEqual(response.status, 200, "an address is nobody's name")

    def test_signing_in_sets_a_cookie_for_tls_only(self):
        address, _, port = self.gateway("--tls")
        secret = self.local.admin.capctl("web", "login", "--at", address, "--may", "view")["link"].partition("#")[2]
        origin = f"https://localhost:{port}"
        response, body = self.ask(
            port, "POST", "/api/v1/rigs/rig/login", json.dumps({"secret": secret}),
            headers={"Origin": origin, "Content-Type": "application/json", "Caprig-Request": "1"})
        self.assertEqual(response.status, 204, body)
        cookie = response.headers["Set-Cookie"]
        self.assertRegex(cookie, "^__Host-caprig-session=.*; Path=/;.*HttpOnly; SameSite=Strict; Secure$")

    def openssl(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=60)

    def files(self, name):
        """A certificate for localhost that an authority has issued, its key, and the authority's."""
        folder = self.local.folder / name
        folder.mkdir()
        (folder / "names").write_text("subjectAltName=DNS:localhost")
        new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        self.openssl(*new, "-x509", "-subj", "/CN=authority", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
        self.openssl(*new, "-subj", "/CN=rig", "-keyout", folder / "rig.key", "-out", folder / "rig.csr")
        self.openssl(
            "x509", "-req", "-in", folder / "rig.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial",
            "-extfile", folder / "names", "-out", folder / "rig.pem")
        return folder / "rig.pem", folder / "rig.key", folder / "ca.pem"

    def test_a_certificate_of_an_authority_is_served_and_needs_no_fingerprint(self):
        certificate, key, authority = self.files("files")
        address, _, port = self.gateway("--certificate", certificate, "--private-key", key)
        self.assertEqual(self.ask(port, trusted=authority.read_text())[0].status, 200)
        self.await_true("the gateway is listed", lambda: address in [each["address"] for each in self.listed()])
        self.assertNotIn("certificateSHA256", self.local.admin.capctl("web", "login", "--at", address, "--may", "view"))

    def test_files_that_do_not_belong_together_are_named(self):
        certificate, _, _ = self.files("one")
        _, key, _ = self.files("two")
        for pair in ((certificate, key), (certificate, certificate), (self.local.folder / "absent.pem", key)):
            with self.subTest(pair):
                result = subprocess.run(
                    [self.local.programs_folder / "capwebd", "--context", "rig", "--page", PAGE, "--certificate", pair[0],
                     "--private-key", pair[1]],
                    capture_output=True, timeout=30, env={**os.environ, "XDG_CONFIG_HOME": str(self.local.home)})
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(str(pair[0]).encode(), result.stderr)

    def test_the_page_moves_in_chromium(self):
        address, _, _ = self.gateway("--tls")
        self.await_true("the gateway is listed", lambda: address in [each["address"] for each in self.listed()])
        context = self.chromium.new_context(ignore_https_errors=True)
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(self.local.admin.capctl("web", "login", "--may", "view", "--may", "read")["link"])
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("Connected", exact=True)).to_be_visible(timeout=15_000)
        expect(page.get_by_text("Running", exact=True).first).to_be_visible(timeout=15_000)


def main(programs, names):
    rig = WebRig(pathlib.Path(programs).resolve(), nodes=1, cameras=1, rate=10)
    return run_in_chromium(rig, names, TLS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
