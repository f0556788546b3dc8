"""Clients of takes: they begin one, set marks, and stop it, each however often that must be asked."""

import os
import time

from caprig_client import NoAnswer, Refused, client, new_shot_id, trigger_request

from shots import Order, selection


class Take(Order):
    """One take as its client knows it."""

    PATIENCE = 4.0  # seconds for the next sign of a take that is being ended

    def __init__(self, rig, target, request):
        super().__init__(rig, target, request)
        self.marks = {}  # acknowledged: id -> (rig time, text)
        self.stops = set()  # instants of the stop, as they were answered
        self.starting = None  # the thread that asks for it
        self.is_stopped = False  # by somebody who has been told so

    @classmethod
    def of(cls, rig, target, limit=None, segment=None):
        """A take of all cameras, of a node's or of one, soon; `limit` is the longest it may be, `segment` the length of its
        files, seconds."""
        movie = {}
        if limit:
            movie["maxRecordedDurationNanoseconds"] = int(limit * 1e9)
        if segment:
            movie["segmentDurationNanoseconds"] = int(segment * 1e9)
        return cls(rig, target, trigger_request(selection(target), new_shot_id(), {"movie": movie}))

    def start(self):
        self.starting = super().start()
        return self.starting

    def mark(self, text):
        """Sets a mark, as soon as the take has begun; where it has ended, none."""
        identity = int.from_bytes(os.urandom(8)) | 1
        request = client.MarkTake(take_id=self.request.shot_id, mark_id=identity, text=text)
        while (reply := self.ask_again(mark_take=request)) is not None:
            mark = reply.take_mark
            self.marks[mark.mark_id] = (mark.rig_time_ns, mark.text)
            if (mark.mark_id, mark.text) != (identity, text):
                self.problems.append(f"mark {identity} '{text}' was answered as {mark.mark_id} '{mark.text}'")
            return

    def stop(self):
        """Asks for the end until it is answered with what has become of it, or that there is no such take."""
        reply = self.ask_again(stop_take=client.StopTake(take_id=self.request.shot_id))
        if reply is not None:
            seconds = self.seconds
            self.take(reply.shot)
            self.seconds = seconds  # until the beginning was answered: a take lasts as long as it lasts
            if instant := self.answers[-1].get("take", {}).get("stopTime"):
                self.stops.add(instant)
        self.is_stopped = True

    def ask_again(self, **body):
        """The reply, however often it must be asked for; None where the take does not come, or has ended."""
        with self.rig.client(self.PATIENCE) as asked:
            while not self.is_cancelled:
                is_known = not self.starting.is_alive()
                try:
                    return asked.ask(**body)
                except NoAnswer:
                    continue
                except Refused as refusal:
                    # Whoever asks for the take may not have got through to the coordinator.
                    if refusal.code == "unknownShot" and not is_known or refusal.code in ("noMemory", "inputOutput", "noSpace"):
                        time.sleep(0.3)
                        continue
                    if refusal.code not in ("unknownShot", "conflict"):
                        self.problems.append(f"{next(iter(body))} was refused with {refusal}")
                    return None
