"""What Lab Streaming Layer finds of the clock of another machine."""

import os
import subprocess
import sys

try:
    import pylsl

    PROBLEM = None
except Exception as error:  # also if its library cannot be loaded
    PROBLEM = f"Lab Streaming Layer could not be measured: {error}"

WARM = 12  # seconds, as the rig's estimates have
# Lab Streaming Layer finds the other machine without multicast.
CONFIGURATION = "[multicast]\nResolveScope = machine\n[lab]\nKnownPeers = {%s}\n"
OUTLET = """
import sys, pylsl
outlet = pylsl.StreamOutlet(pylsl.StreamInfo('clock', 'Clock', 1, 10, 'float32', 'caprig-bench'))
print('ready', flush=True)
sys.stdin.read()
"""
# Prints its own clock and the correction, which is to be added to the other one.
INLET = """
import sys, time, pylsl
found = pylsl.resolve_byprop('source_id', 'caprig-bench', timeout=30)
inlet = pylsl.StreamInlet(found[0], processing_flags=0)
inlet.open_stream(timeout=30)
inlet.time_correction(timeout=30)
time.sleep(float(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    correction = inlet.time_correction(timeout=30)
    print(repr(pylsl.local_clock()), repr(correction), flush=True)
    time.sleep(float(sys.argv[3]))
"""


def version():
    return f"Lab Streaming Layer {pylsl.library_version() / 100:.2f}"


def errors(context, folder, near, far, clock, count, pace=0.4):
    """The errors of corrections for a clock, nanoseconds."""
    if PROBLEM:
        return []
    from . import daemons

    settings = folder / "lsl.cfg"
    settings.write_text(CONFIGURATION % ("10.77.0.1, 10.77.0.2" if near else "127.0.0.1"))
    environment = {**os.environ, "LSLAPICFG": str(settings)}
    shifted = ["unshare", "--time", "--monotonic", str(daemons.SHIFT_SECONDS), "--"] if daemons.SHIFT_SECONDS else []
    outlet = subprocess.Popen(
        [*far, *shifted, *clock.command, sys.executable, "-c", OUTLET], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment)
    try:
        if outlet.stdout.readline() != b"ready\n":
            raise RuntimeError("Lab Streaming Layer's outlet did not start")
        told = subprocess.run(
            [*near, sys.executable, "-c", INLET, str(WARM), str(count), str(pace)], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=True, timeout=180, text=True).stdout
    finally:
        outlet.stdin.close()
        outlet.wait(10)
        outlet.stdout.close()
    found = []
    for line in told.splitlines():
        own, correction = (float(word) for word in line.split())
        kernel = int(own * 1e9)
        found.append(abs(int(correction * 1e9) - (kernel - clock.shown(kernel))))
    return found
