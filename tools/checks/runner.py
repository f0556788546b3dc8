"""Runs stages in their order and lanes, and ends them all when it is interrupted."""

import os
import re
import signal

from . import processes
from .figures import figures_of
from .result import INTERRUPTED, Result, judged
from .stages import steps

# Variables of `make check` that would mean something else to the target of a stage, as words of MAKEFLAGS.
OWN_VARIABLES = ("FROM", "ONLY", "REST")
OWN_WORDS = re.compile(rf"(^|\s)({'|'.join(OWN_VARIABLES)})=(\\.|[^\s\\])*")


class Runner:
    """Runs stages with `make TARGET BUILT=1`.

    It is one thread, which waits for the end of any process and then starts what its lane has next.
    - folder: For the logs.
    - results: Where results are kept.
    - say: Prints a text.
    - grace: Seconds from an interruption until everything is killed; a second interruption kills at once.
    """

    def __init__(self, folder, results, say, make="make", grace=15):
        self.folder, self.results, self.say, self.make, self.grace = folder, results, say, make, grace
        self.running = {}  # process id -> Run
        self.is_interrupted = False

    def run(self, stages):
        """The results of the stages that have begun, by name."""
        processes.adopt_orphans()
        handlers = {number: signal.signal(number, self.interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
        handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, lambda *_: processes.kill_descendants())
        try:
            results = {}
            for lanes in steps(stages):
                results |= self.run_step(lanes)
            if self.is_interrupted:
                signal.setitimer(signal.ITIMER_REAL, 0)
                processes.kill_descendants()
                processes.reap_all()
            return results
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def run_step(self, lanes):
        """Runs lanes beside each other."""
        results, waiting = {}, {id(lane): list(lane) for lane in lanes}
        lane_of = {stage.name: id(lane) for lane in lanes for stage in lane}
        for lane in waiting.values():
            self.start_next(lane)
        while self.running:
            run, result = self.next_end()
            results[run.stage.name] = result
            self.start_next(waiting[lane_of[run.stage.name]])
        return results

    def start_next(self, lane):
        if self.is_interrupted or not lane:
            return
        stage = lane.pop(0)
        self.results.forget(stage.name)
        self.say(f"==   {stage.name} begins")
        command = [self.make, stage.target, "BUILT=1"]
        run = processes.Run(stage, command, self.log(stage.name), environment())
        self.running[run.process.pid] = run
        if self.is_interrupted:  # The signal came before the process was known.
            run.signal(signal.SIGINT)

    def next_end(self):
        """Waits until a stage has ended, tells its output and keeps its result. Orphans end too, and are nobody's."""
        while True:
            process, status, usage = os.wait4(-1, 0)
            if run := self.running.pop(process, None):
                return run, self.take(run, *run.ended(status, usage))

    def take(self, run, status, seconds, processors):
        name, text = run.stage.name, run.log.read_text(errors="replace")
        measured = {"seconds": seconds, "processors": processors, "began": run.began}
        figures = figures_of(text.splitlines())
        if self.is_interrupted:
            result = Result(name, INTERRUPTED, figures, status=status, **measured)
        else:
            result = judged(name, status, figures, **measured)
            self.results.keep(result)
        self.say(text + ("" if text.endswith("\n") or not text else "\n") + ending(run.stage, result))
        return result

    def interrupt(self, *_):
        """Asks all stages to end, as Ctrl-C does in each; kills them where it is asked for the second time."""
        if self.is_interrupted:
            processes.kill_descendants()
            return
        self.is_interrupted = True
        signal.setitimer(signal.ITIMER_REAL, self.grace)
        for run in list(self.running.values()):
            run.signal(signal.SIGINT)

    def log(self, stage):
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{stage}.log"


def ending(stage, result):
    """The line at the end of a stage."""
    within = f" of {stage.budget} s" if stage.budget else ""
    over = "; over its budget" if 0 < stage.budget < result.seconds else ""
    word = "ok  " if result.is_good else "FAIL"
    status = f"status {result.status}, " if result.status else ""
    return f"{word} {stage.name} ({status}{result.seconds:.0f} s{within}, {result.processors:.1f} processors busy{over})"


def environment():
    """That of a stage."""
    variables = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
    if "MAKEFLAGS" in variables:
        variables["MAKEFLAGS"] = OWN_WORDS.sub("", variables["MAKEFLAGS"])
    return variables
