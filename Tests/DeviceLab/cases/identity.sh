# Identity, hot plug, permissions: two cameras that nothing but their sockets tells apart keep their names.
mkdir -p /run/udev
/lib/systemd/systemd-udevd --daemon
udevadm trigger --subsystem-match=video4linux --action=add
udevadm settle

# twins SERIAL: plugs two cameras of this serial number in, the first into port 0; what each sends is told by its name.
twins() {
  plug_in 0 LEFT --serial "$1"
  plug_in 1 RIGHT --serial "$1"
  udevadm settle
}

# link PORT: udev's name for a socket.
link() { echo "/dev/v4l/by-path/platform-vhci_hcd.0-usb-0:$(($1 + 1)):1.0-video-index0"; }

# bus PORT: the driver's name for a socket.
bus() { echo "usb-vhci_hcd.0-$(($1 + 1))"; }

# is_camera NAME LEFT|RIGHT ARGUMENT...: the frames that this identity yields are those that camera sent.
is_camera() {
  local name=$1 camera=$2; shift 2
  mkdir -p "$RESULTS/$name.frames"
  probe "$name" "$@" --frames 3 --save "$RESULTS/$name.frames"
  expect_report "$name is the $camera camera" "$RESULTS/$name" \
    "len(saved('$name.frames')) == 3 and set(saved('$name.frames')) <= sent('$camera')"
}

# names_hold WHEN: path and bus identities of both sockets mean the cameras they meant.
names_hold() {
  is_camera "$1-left-by-path" LEFT "$(link 0)"
  is_camera "$1-right-by-path" RIGHT "$(link 1)"
  is_camera "$1-left-by-bus" LEFT --bus "$(bus 0)"
  is_camera "$1-right-by-bus" RIGHT --bus "$(bus 1)"
}

node_at() { basename "$(readlink "$(link "$1")")"; }

twins ""
names_hold plugged
before="$(node_at 0) $(node_at 1)"
unplug 0; unplug 1
plug_in 1 RIGHT --serial ""
plug_in 0 LEFT --serial ""
udevadm settle
expect "the nodes are numbered the other way round" [ "$(node_at 1) $(node_at 0)" = "$before" ]
names_hold replugged

by_id=$(ls /dev/v4l/by-id/*-video-index0)
probe by-id "$by_id"
expect_report "a link by id that fits both is refused, with what to write for each" "$RESULTS/by-id" \
  'event("refused")["code"] == "ambiguous" and all(f"v4l2: {{ path: \"/dev/v4l/by-path/platform-vhci_hcd.0-usb-0:{port}:1.0-video-index0\" }}" in event("refused")["reason"] for port in (1, 2))'
unplug 1
udevadm settle
probe single "$by_id" --frames 2
expect_report "of a single camera it is accepted" "$RESULTS/single" 'len(frames) == 2'
unplug 0

twins SAME
probe serial --serial SAME
expect_report "a serial number that fits both is refused, with what to write for each" "$RESULTS/serial" \
  'event("refused")["code"] == "ambiguous" and all(f"usb-0:{port}:1.0" in event("refused")["reason"] for port in (1, 2))'
unplug 0; unplug 1

plug_in 0 CAM0
plug_in 1 CAM1
udevadm settle
"$BIN/capagentd" --list-devices --format json > "$RESULTS/list.json"
"$BIN/capagentd" --list-devices > "$RESULTS/list"
# lists EXPRESSION: holds of `cameras`, by serial number.
lists() {
  python3 - "$RESULTS/list.json" "$1" <<'PYTHON'
import json, sys
listed = json.load(open(sys.argv[1]))["cameras"]
cameras = {camera.get("serial"): camera for camera in listed}
sys.exit(not eval(sys.argv[2]))
PYTHON
}
expect "both USB cameras and vivid's are listed, metadata nodes are not" lists \
  'len(listed) == 6 and all(camera["authorization"] == "authorized" for camera in listed)'
expect "each has its serial number, link and bus as lines to paste" lists \
  'cameras["CAM1"]["configurationLines"] == ["source: { v4l2: { serial: \"CAM1\" } }", "source: { v4l2: { path: \"'"$(link 1)"'\" } }", "source: { v4l2: { bus: \"'"$(bus 1)"'\" } }"]'
expect "the table has the same line" grep -qF 'source: { v4l2: { serial: "CAM1" } }' "$RESULTS/list"
expect "v4l2-ctl names the same cameras" eval '[ "$(v4l2-ctl --list-devices | grep -c "^Devicelab")" = 2 ]'

# Permissions: udev's rule gives the group video access; without it no group helps; the device policy is something else.
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/capagentd" --list-devices --format json; }
node=$(uvc_device CAM0)
chgrp video "$node"; chmod 660 "$node"
nobody > "$RESULTS/list.json"
expect "a camera of a group names the group to join" lists \
  'cameras["CAM0"]["authorization"] == "denied" and "usermod -aG video" in cameras["CAM0"]["remedy"]'
expect "a camera that may not be opened is listed with its identity" lists \
  'cameras["CAM0"]["configurationLines"][0] == "source: { v4l2: { serial: \"CAM0\" } }"'
chgrp root "$node"; chmod 600 "$node"
nobody > "$RESULTS/list.json"
expect "a camera of root's alone names the udev rule" lists \
  'cameras["CAM0"]["authorization"] == "denied" and "GROUP=\"video\"" in cameras["CAM0"]["remedy"]'
mkdir -p /tmp/devices && mount -t cgroup -o devices devices /tmp/devices && mkdir /tmp/devices/closed
expect "there is a device control group" test -w /tmp/devices/closed/devices.deny
echo 'c 81:* rwm' > /tmp/devices/closed/devices.deny
(echo $BASHPID > /tmp/devices/closed/cgroup.procs; exec "$BIN/capagentd" --list-devices --format json) > "$RESULTS/list.json"
expect "a device policy is told from permissions" lists \
  'cameras["CAM0"]["authorization"] == "restricted" and "DeviceAllow=char-video4linux rw" in cameras["CAM0"]["remedy"]'

# Hot plug: the announcement wakes the agent.
unplug 0
udevadm settle
cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: usb0, purpose: USB camera by socket, source: { v4l2: { path: "$(link 0)" } } }
YAML
start_coordinator
start_agent --log-level debug
wait_until "the agent is ready" grep -q '"ready":true' "$RESULTS/agent"
state() { "$BIN/capctl" devices list --format json | grep -o '"state" : "[a-zA-Z]*' | cut -d'"' -f4; }
wait_until "the camera is absent" eval '[ "$(state)" = absent ]'
expect "nothing was announced before" eval '! grep -q "a video device has appeared" "$RESULTS/agent.log"'
plug_in 0 CAM0
wait_until "the agent hears of it" grep -q "a video device has appeared" "$RESULTS/agent.log"
wait_until "a camera plugged in runs" eval '[ "$(state)" = running ]'
