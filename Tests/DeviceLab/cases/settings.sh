# One settings transaction of a vivid and a USB camera, compared with v4l2-ctl; a format; a value that another program changes; a camera
# that is pulled out before T, and plugged in again.
plug_in 0 CAM0 --no-dht --fps 5
vivid=$(vivid_device 0)
usb=$(uvc_device CAM0)
cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: vivid, purpose: Uncompressed frames, source: { v4l2: { path: $vivid } },
      format: { pixelFormat: YUYV, width: 320, height: 180, framesPerSecond: 5 } }
  - { name: usb, purpose: USB camera by serial, source: { v4l2: { serial: CAM0 } },
      format: { pixelFormat: MJPG, width: 640, height: 360 } }
YAML
start_coordinator
in_background "$BIN/capctl" events --replay --format json > "$RESULTS/events" 2> "$RESULTS/events.log"
start_agent
wait_until "both cameras run" cameras_run 2
wait_until "the node is synchronized" eval '"$BIN/capctl" status --format json | grep -q clockBoundNanoseconds'

# value NODE CONTROL: what v4l2-ctl reads.
value() { v4l2-ctl -d "$1" -C "$2" | sed 's/.*: //; s/ .*//'; }
# both CONTROL: what v4l2-ctl reads of both cameras.
both() { echo "$(value "$vivid" "$1") $(value "$usb" "$1")"; }
# settings NAME STATUS ARGUMENT...: the answer is in $RESULTS/NAME; it is well when capctl ends with STATUS.
settings() {
  local name=$1 wanted=$2 status=0; shift 2
  timeout 90 "$BIN/capctl" settings set "$@" --format json > "$RESULTS/$name" 2> "$RESULTS/$name.log" || status=$?
  [ $status = "$wanted" ] || { echo "       status $status"; cat "$RESULTS/$name" "$RESULTS/$name.log"; false; }
}
# report NAME EXPRESSION: holds of `cameras` by device.
report() {
  python3 - "$RESULTS/$1" "$2" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
cameras = {camera["device"]: camera for camera in report["cameras"]}
outcomes = {name: camera["outcome"] for name, camera in cameras.items()}
if not eval(sys.argv[2]):
    print("       not true:", sys.argv[2], "of", json.dumps(report)[:2000])
    sys.exit(1)
PYTHON
}

v4l2-ctl -d "$vivid" -c gain_automatic=1
expect "both cameras get gain and brightness in one transaction" settings first 0 gain=raw:7 driver.brightness=33 --all
expect "both are set" report first 'set(outcomes.values()) == {"set"} and len(outcomes) == 2'
expect "v4l2-ctl sees the gain of both" [ "$(both gain)" = "7 7" ]
expect "and the brightness of both" [ "$(both brightness)" = "33 33" ]
expect "vivid's automatic gain is off" [ "$(value "$vivid" gain_automatic)" = 0 ]
expect "what was read back is in the report" report first \
  'all(camera["effect"]["controls"]["gain"] == "7" for camera in cameras.values())'
expect "neither driver tells from which frame on" report first \
  'all(camera["effect"]["evidence"] == "unknown" and "firstNew" not in camera["effect"] for camera in cameras.values())'

expect "a camera that lacks a control is refused, the other one is set" settings lacking 3 exposure=25ms --all
expect "it is vivid" report lacking 'outcomes == {"lab/vivid": "refused", "lab/usb": "set"}'
expect "v4l2-ctl sees the exposure in 100 µs" [ "$(value "$usb" exposure_time_absolute)" = 250 ]
expect "where all are required, nothing is changed" settings required 4 exposure=10ms --all --require-all
expect "v4l2-ctl sees the exposure before" [ "$(value "$usb" exposure_time_absolute)" = 250 ]

expect "vivid gets another format and a brightness at one T" \
  settings format 0 format=YUYV:640x360 minimumFrameDuration=200ms driver.brightness=44 --device lab/vivid
expect "its stream was opened again" report format 'cameras["lab/vivid"]["effect"]["streamReopened"]'
expect "v4l2-ctl sees the size" eval 'v4l2-ctl -d "$vivid" --get-fmt-video | grep -q "640/360"'
expect "and the brightness" [ "$(value "$vivid" brightness)" = 44 ]
expect "a still has the size" eval \
  '"$BIN/capctl" trigger --device lab/vivid --no-live --at +4s --format json > "$RESULTS/still" && python3 "$LAB/shot.py" "$RESULTS/still" "size(stored[\"lab/vivid\"]) == (640, 360)"'
expect "a format that a camera does not offer is refused" settings offer 4 format=MJPG:320x180 --device lab/usb

# Another program.
v4l2-ctl -d "$vivid" -c brightness=10
wait_until "a value that v4l2-ctl has changed is set again" eval '[ "$(value "$vivid" brightness)" = 44 ]'
wait_until "and both values are told" eval 'grep settings.drifted "$RESULTS/events" | grep -q "brightness 10 instead of 44"'

# Pulled out between commit and T, as the coordinator's ledger tells.
in_background settings midway 3 gain=raw:9 --all --at +9s
midway=$last
wait_until "the transaction is committed" grep -q '"state" : "committed"' /tmp/library/.caprig/settings.json
unplug 0
wait $midway; status=$?
expect "a transaction with a camera pulled out ends, and some cameras are set" [ $status = 0 ]
expect "each camera has its outcome" report midway \
  'outcomes["lab/vivid"] == "set" and outcomes["lab/usb"] in ("failed", "refused") and cameras["lab/usb"]["problem"]["message"]'
expect "v4l2-ctl sees the gain of the other" [ "$(value "$vivid" gain)" = 9 ]

plug_in 0 CAM0 --no-dht --fps 5
usb=$(uvc_device CAM0)
wait_until "a camera that is plugged in again gets its exposure again" \
  eval '[ "$(value "$usb" exposure_time_absolute)" = 250 ]'
wait_until "its gain" eval '[ "$(value "$usb" gain)" = 7 ]'
wait_until "and its brightness" eval '[ "$(value "$usb" brightness)" = 33 ]'
wait_until "which is told" eval 'grep settings.restored "$RESULTS/events" | grep -q "instead of 250"'
