"""What every test of a client in another language starts from."""

import time
import unittest

from caprig_client import Rig, all_cameras, trigger_request
from stranger import Stranger


class Case(unittest.TestCase):
    local = None  # the LocalRig that all tests share

    def setUp(self):
        self.rig = self.local.client()
        self.addCleanup(self.rig.close)

    def trigger(self, **fields):
        return self.rig.trigger(trigger_request(all_cameras(nodes=self.local.nodes), **fields))

    def client(self, name, role):
        """The client channel with the key of somebody who has joined under this name."""
        rig = Rig(self.local.endpoints["client"], keys=self.local.admin.member(name, role))
        self.addCleanup(rig.close)
        return rig

    def agent(self, node):
        """An agent in another language, whose node has joined."""
        return Stranger(self.local.endpoints["control"], node, self.local.admin.member(node, "node"))

    def nodes(self):
        """What the coordinator says of the rig's own nodes."""
        return [node for node in self.rig.status().nodes if node.node in self.local.nodes]

    def await_true(self, problem, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, problem)
            time.sleep(0.1)

    def assert_works(self):
        """The rig takes a picture with every camera of its own."""
        for program in self.local.programs:
            self.assertTrue(program.runs(), f"{program.name} has ended:\n{program.tail()}")
        document = self.trigger()
        self.assertEqual(document.status, "complete", document.manifest.content.decode())
