"""One pass through everything that a rig does, so that every fault point is reached; see `bench.py --sweep`."""

import signal
import time

import zmq

from caprig_client import PB, NoAnswer, Refused, client, connect
from joined import copy_keys
from rig import COORDINATOR, Daemon

device = PB["device"]

# Faults that lead to points which are not reached otherwise. A sweep leaves out those at its own point.
DETOURS = {
    COORDINATOR: (
        "coordinator.collect.wait.finishing=delay:1500ms,hit=2",  # so that files are put in place together
        "library.part.sync=fail:EIO,hit=2",  # so that a part is removed and fetched anew
        "coordinator.collect.wait.stored=crash,hit=6",  # so that a file is found in place that no manifest names
    ),
    "node1": (
        "spool.file.read=fail:EIO,hit=6",  # so that a chunk is refused
        "recording.finished.rename=fail:EIO,hit=2",  # so that a movie is finished at the second attempt
        "deferred.movie.rename=fail:EIO",  # so that a motion photo is given up
        "encoder.wait.start=delay:8000ms,hit=3",  # so that deferred work waits when the agent ends
    ),
    "node2": ("agent.collect.send.chunk=delay:700ms,hit=4,times=8",),  # so that one is sent before another hello
}
CHUNK = 256 * 1024  # bytes
PILE = 34  # shots of two cameras: a hello lists 64 captures
RATE = "600 kB/s"  # so that transfers last and are cut


def work(rig, stage):
    """Does everything once; what does not work while a daemon is away is left."""
    watch_pictures(rig)
    stage.trigger("all", "all", "soon", False)
    pause(rig, 0.8)
    ask(rig, get_shot=client.GetShot(shot_id=bytes(16)))
    describe(rig, "node1", "cam1")
    miss(rig, stage)
    refuse(rig, stage)
    stage.trigger("cut", "all", "soon", False)
    pause(rig, 0.5)
    for node in ("node1", "node2"):
        rig.proxy.cut(node, ("collect",))
    time.sleep(0.6)
    for node in ("node1", "node2"):
        rig.proxy.heal(node, ("collect",))
    await_part(rig)
    rig.note("the workout restarts the coordinator in the middle of transfers")
    rig.kill(COORDINATOR)
    pause(rig, 3.0)
    read_back(rig)
    record(rig, stage)
    stage.live("cut live", "node1/cam2", "h264", True)
    stage.record("cut take", "node1", None)
    pause(rig, 1.8)
    stage.trigger("agent", "all", "soon", False)
    pause(rig, 0.6)
    rig.note("the workout restarts node1 in the middle of transfers, a take and deferred work")
    rig.kill("node1")
    pause(rig, 2.0)
    clone(rig)
    forget(rig)


def pile_up(rig, stage):
    """More captures in a spool than a hello lists, for the points on the way of the others."""
    rig.proxy.cut("node1", ("collect",))
    for number in range(PILE):
        stage.trigger(f"pile {number}", "node1", "soon", False)
        pause(rig, 0.1)
    pause(rig, 2.0)
    rig.note("the workout restarts node1 with a full spool")
    rig.kill("node1")
    rig.proxy.heal("node1", ("collect",))
    pause(rig, 4.0)


def pause(rig, seconds):
    """Time goes on only while nobody is away."""
    time.sleep(seconds)
    deadline = time.monotonic() + 6
    while time.monotonic() < deadline and not all(daemon.runs() for daemon in rig.daemons.values()):
        time.sleep(0.05)


def await_part(rig):
    """Until the library has one chunk of a file of several, or none is on its way."""
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline:
        if any(path.stat().st_size == CHUNK for path in (rig.library / ".incoming").glob("*.node2.cam2.*.part")):
            return
        time.sleep(0.01)


def ask(rig, **body):
    with rig.client(1.5) as asked:
        try:
            return asked.ask(**body)
        except (NoAnswer, Refused) as error:
            rig.note(f"not answered: {error}")
            return None


def command(rig, node, name, **body):
    request = device.DeviceRequest(device={"node": node, "device": name}, timeout_ns=2_000_000_000, **body)
    return ask(rig, device_request=request)


def describe(rig, node, name):
    command(rig, node, name, describe=device.DescribeDevice())


def halt(rig, node, name):
    """Stops a camera and starts it again, however often that must be asked."""
    command(rig, node, name, stop_session=device.StopSession())
    time.sleep(0.8)
    while not rig.is_ending and command(rig, node, name, start_session=device.StartSession()) is None:
        time.sleep(0.2)


def watch_pictures(rig, camera="cam1"):
    """A few live frames of every node that is to be had."""
    reply = ask(rig, get_status=client.GetStatus())
    for node in reply.status.nodes if reply else ():
        if not node.frames.port:
            continue
        keys = rig.admin.keys._replace(server=node.frames.public_key)
        with connect(zmq.SUB, f"tcp://{node.frames.host}:{node.frames.port}", -1, keys) as viewer:
            viewer.subscribe(f"{node.node}/{camera}/preview".encode())
            viewer.poll(1500)


def record(rig, stage):
    """A take with a mark and a stop, beside a Live Photo whose clip is encoded and put into a motion photo."""
    stage.live("live", "node1/cam1", "h264", True)
    stage.record("take", "node1", None)
    pause(rig, 0.8)
    stage.mark("take", "a mark")
    annotate(rig, stage.orders["take"], "A title")
    annotate(rig, stage.orders["take"], "")
    delete(rig, stage.orders["cancel"])
    pause(rig, 1.0)
    stage.stop("take")
    pause(rig, 1.5)


def read_back(rig):
    """Part of a stored file of the newest shots, of whichever the coordinator has one."""
    listed = ask(rig, list_shots=client.ListShots(limit=10))
    for shot in listed.shot_list.shots if listed else ():
        read = client.ReadAsset(shot_id=shot.shot_id, file="node1.cam1/photo.jpg", count=CHUNK)
        if ask(rig, read_asset=read):
            return


def annotate(rig, order, title):
    ask(rig, edit_shot=client.EditShot(shot_id=order.request.shot_id, title=title))


def delete(rig, order):
    """Of a shot without a picture, so that nothing is missed."""
    ask(rig, delete_shot=client.DeleteShot(shot_id=order.request.shot_id, only_copy=True))


def miss(rig, stage):
    """A camera that is stopped between arming and T."""
    stage.trigger("miss", "node1", "+1.0", False)
    time.sleep(0.5)
    command(rig, "node1", "cam1", stop_session=device.StopSession())
    pause(rig, 0.8)


def refuse(rig, stage):
    """A shot that requires a camera which is stopped: it is cancelled for the others."""
    stage.trigger("cancel", "all", "+1.0", True)
    pause(rig, 0.5)
    command(rig, "node1", "cam1", start_session=device.StartSession())


def clone(rig):
    """Another agent of the same name and key takes the place of the first, and goes again."""
    twin = Daemon("twin", rig.daemons["node1"].command, rig.folder)
    configuration = (rig.folder / "node1.yaml").read_text().replace("node1.spool", "twin.spool")
    (rig.folder / "twin.yaml").write_text(configuration)
    copy_keys(rig.spool("node1"), rig.folder / "twin.spool")
    twin.command = (twin.command[0], "--config", rig.folder / "twin.yaml")
    twin.start()
    try:
        pause(rig, 2.0)
    finally:
        twin.kill()
    # The first one is refused as long as this coordinator lives.
    rig.note("the workout ends the agent that was replaced")
    rig.daemons["node1"].send(signal.SIGTERM)
    pause(rig, 2.0)


def forget(rig):
    """A camera that its connected node has stays; the answer passes the same points."""
    ask(rig, forget_devices=client.ForgetDevices(devices=[{"node": "node2", "device": "cam2"}]))
