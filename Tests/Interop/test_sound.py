"""What listeners in other languages can rely on; run by test_interop.py."""


from caprig_client import NoAnswer
from case import Case
from manifest_schema import manifest_of
from sound_listener import Listener

MARK_AMPLITUDE, NOISE = 16384, 64  # docs/virtual-microphone.md


class SoundChannel(Case):
    DEVICE = "node1/desk"

    def channel(self):
        return next(status.frames for status in self.nodes() if status.node == "node1")

    def state(self):
        return next(
            d.condition.state for d in self.rig.devices() if f"{d.device.id.node}/{d.device.id.device}" == self.DEVICE
        )

    def test_samples_follow_each_other_and_gaps_are_marked(self):
        with Listener(self.rig, self.DEVICE) as listener:
            chunks = [listener.next() for _ in range(25)]
        first = chunks[0].header
        self.assertTrue(first.begins_run)
        self.assertEqual((first.sample_rate, first.channel_count, first.missing_frames), (48000, 1, 0))
        for before, after in zip(chunks, chunks[1:]):
            self.assertEqual(after.header.epoch, first.epoch)
            self.assertFalse(after.header.begins_run)
            if after.header.number == before.header.number + 1:
                self.assertEqual(after.header.position, before.end + after.header.missing_frames)
            else:  # one that did not come on a busy machine: the position says how much that was
                self.assertGreater(after.header.position, before.end)
            # No sample of the virtual microphone is zero, so nothing was put in for what is missing.
            self.assertTrue(all(after.samples), "a sample is zero")

    def test_a_mark_is_heard_at_the_rig_time_of_its_second(self):
        pair = manifest_of(self.trigger())["wallClock"]
        rig_clock = self.rig.status().rig_clock_id
        marks = 0
        with Listener(self.rig, self.DEVICE) as listener:
            chunks = [listener.next() for _ in range(35)]
        for before, chunk in zip(chunks, chunks[1:]):
            header = chunk.header
            self.assertTrue(header.HasField("rig"))
            self.assertEqual(header.rig.rig_clock_id, rig_clock)
            self.assertEqual(header.rig.bound_ns, header.rig.clock_bound_ns + header.stamp_bound_ns)
            loud = next((i for i, sample in enumerate(chunk.samples) if abs(sample) > MARK_AMPLITUDE // 4), None)
            # The beginning of a mark, and not one that the message before has the beginning of.
            if loud is None or any(abs(sample) > 4 * NOISE for sample in before.samples[-4800:]):
                continue
            at = header.rig.rig_start_ns + round(loud * 1e9 / header.sample_rate)
            second = at + pair["realtimeNanoseconds"] - pair["monotonic"]
            off = (second + 500_000_000) % 1_000_000_000 - 500_000_000
            # A quarter of the amplitude is reached within three samples of 2 kHz and more.
            self.assertLessEqual(abs(off), header.rig.bound_ns + 3e9 / header.sample_rate)
            marks += 1
        self.assertGreaterEqual(marks, 2)

    def test_a_microphone_is_open_and_its_sound_published_only_while_somebody_listens(self):
        self.await_true("a microphone that nobody needs stays open", lambda: self.state() != "running")
        before = self.channel().published
        with Listener(self.rig, self.DEVICE) as listener:
            first = listener.next()
            self.await_true("a microphone that is heard is not told of", lambda: self.state() == "running")
        self.await_true("a microphone that nobody needs stays open", lambda: self.state() != "running")
        self.assertEqual(self.channel().watched, 0)
        self.assertGreater(self.channel().published, before)
        with Listener(self.rig, self.DEVICE) as listener:
            again = listener.next()
            self.assertTrue(again.header.begins_run)
            self.assertGreater(again.header.number, first.header.number)
        with self.assertRaises(NoAnswer), Listener(self.rig, "node1/nobody") as listener:
            listener.next(patience=1)
