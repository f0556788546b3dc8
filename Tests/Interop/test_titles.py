"""What `capctl record stop` asks at a terminal, which here is a pseudo-terminal."""

import json
import os
import pty
import select
import subprocess
import time

from case import Case


class Titles(Case):
    def setUp(self):
        super().setUp()
        self.capctl = self.local.admin.capctl
        self.take = self.capctl("record", "start", "--all")["take"]["id"]
        self.await_true("nothing is recorded", lambda: all(
            int(camera["durationNanoseconds"]) > 3e8 for camera in self.capctl("record", "status")["takes"][0]["cameras"]))
        self.addCleanup(self.local.admin.run, "record", "stop", self.take, "--no-title")

    def stop(self, typed, *arguments):
        """Stops the take at a terminal at which each line of `typed` is typed when it is asked for. Returns the answer, what the
        terminal has shown, and what was not asked for."""
        person, terminal = pty.openpty()
        self.addCleanup(os.close, person)
        admin = self.local.admin
        command = [admin.programs / "capctl", "record", "stop", self.take, *arguments, "--admin", admin.folder, "--format", "json"]

        def control():
            os.setsid()
            os.close(os.open(os.ttyname(terminal), os.O_RDWR))  # which makes it the controlling terminal

        process = subprocess.Popen(
            [str(word) for word in command], stdin=terminal, stdout=subprocess.PIPE, stderr=terminal, preexec_fn=control)
        os.close(terminal)
        shown, typed, deadline = b"", list(typed), time.monotonic() + 60
        questions = 0
        while time.monotonic() < deadline:
            if select.select([person], [], [], 0.1)[0]:
                try:
                    shown += os.read(person, 4096)
                except OSError:  # the command has ended
                    break
            if shown.count(b"(Enter: none): ") > questions:
                questions += 1
                os.write(person, typed.pop(0) if typed else b"\x04")
        output = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, 0, shown.decode())
        return json.loads(output), shown.decode(), typed

    def title(self):
        return self.capctl("takes", "show", self.take).get("title")

    def test_a_person_at_a_terminal_is_asked_for_the_title(self):
        answer, shown, rest = self.stop(["x\x0by\n".encode(), "  Läufer, first jump \n".encode()])
        self.assertEqual((answer["title"], self.title(), rest), ("Läufer, first jump",) * 2 + ([],))
        self.assertIn(self.take, shown)
        self.assertIn("control characters", shown)
        answer, shown, rest = self.stop([b"Another\n"])
        self.assertEqual((answer["title"], rest), ("Läufer, first jump", [b"Another\n"]), "it has a title")

    def test_a_person_may_decline(self):
        for typed, arguments, rest in (([b"\n"], [], []), ([], [], []), ([b"x\n"], ["--no-title"], [b"x\n"])):
            with self.subTest(typed=typed, arguments=arguments):
                answer, _, left = self.stop(typed, *arguments)
                self.assertEqual((answer.get("title"), self.title(), left), (None, None, rest))

    def test_a_title_of_the_command_line_is_not_asked_for(self):
        answer, _, rest = self.stop([b"x\n"], "--title", "Second jump")
        self.assertEqual((answer["title"], self.title(), rest), ("Second jump", "Second jump", [b"x\n"]))

    def test_without_a_terminal_nobody_is_asked(self):
        done = subprocess.run(
            [str(self.local.admin.programs / "capctl"), "record", "stop", self.take, "--admin", str(self.local.admin.folder)],
            input=b"Nobody\n", capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIsNone(self.title())
