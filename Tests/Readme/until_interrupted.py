"""Runs a command that goes on until it is interrupted, has something happen in the rig, and interrupts it once it has told of
that."""

import signal
import subprocess
import sys
import threading


def listen():
    # A shell starts what runs in its background deaf to the signal, and a person's command is not.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True, preexec_fn=listen) as command:
    watchdog = threading.Timer(60, command.kill)
    watchdog.start()
    heard = threading.Event()

    def happen():
        # The first may come before the command has begun to follow.
        while command.poll() is None and not heard.is_set():
            subprocess.run(["capctl", "trigger", "--all"], stdout=subprocess.DEVNULL, check=False)

    happening = threading.Thread(target=happen)
    happening.start()
    line = command.stdout.readline()
    heard.set()
    print(line, end="")
    command.send_signal(signal.SIGINT)
    command.stdout.read()
    watchdog.cancel()
    happening.join()
    status = command.wait()
if not line:
    sys.exit(f"{' '.join(sys.argv[1:])} has told nothing")
if status not in (0, -signal.SIGINT, 130):
    sys.exit(f"{' '.join(sys.argv[1:])}: interrupted, it ended with {status}")
