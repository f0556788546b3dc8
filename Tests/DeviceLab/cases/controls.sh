# Controls of vivid and of a USB camera through the whole rig, compared with v4l2-ctl.
plug_in 0 CAM0 --fps 5
vivid=$(vivid_device 0)
usb=$(uvc_device CAM0)
cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: vivid, purpose: Many controls, source: { v4l2: { path: $vivid } },
      format: { pixelFormat: YUYV, width: 320, height: 180, framesPerSecond: 5 } }
  - { name: usb, purpose: Exposure, source: { v4l2: { serial: CAM0 } } }
YAML
start_coordinator
start_agent
wait_until "both cameras run" cameras_run 2

show() { "$BIN/capctl" devices show "$1" --format json > "$RESULTS/$2"; }
# details FILE EXPRESSION: holds of `details`, and `controls` by name; `listed` is what v4l2-ctl says, by name.
details() {
  python3 - "$RESULTS/$1" "$2" "$RESULTS/v4l2-ctl" <<'PYTHON'
import json, re, sys
details = json.load(open(sys.argv[1]))
controls = {control["name"]: control for control in details["capabilities"]["controls"]}
# Lines such as `brightness 0x00980900 (int)    : min=0 max=255 step=1 default=128 value=128 flags=slider`.
lines = re.findall(r"^ +(\w+) (0x\w+) \((\w+) *\) *: (.*)$", open(sys.argv[3]).read(), re.M)
kinds = {"int": "integer", "int64": "integer", "bool": "boolean", "menu": "menu", "intmenu": "menu", "bitmask": "bitmask", "button": "button"}
listed = {name: (kinds[kind], dict(re.findall(r"(\w+)=(-?\w+)", rest))) for name, _, kind, rest in lines if kind in kinds and "dims" not in rest}
if not eval(sys.argv[2]):
    print("       not true:", sys.argv[2])
    print("       v4l2-ctl only:", sorted(set(listed) - set(controls)), "capctl only:", sorted(set(controls) - set(listed)))
    sys.exit(1)
PYTHON
}
for camera in vivid usb; do
  v4l2-ctl -d "${!camera}" --list-ctrls > "$RESULTS/v4l2-ctl"
  # An agent that the guest starves for two seconds counts as gone for a moment; asking again does no harm.
  wait_until "$camera can be described" show lab/$camera $camera.json
  expect "$camera has the controls that v4l2-ctl lists, of the same kinds" details $camera.json \
    'set(controls) == set(listed) and len(controls) >= 4 and all(controls[name]["kind"] == kind for name, (kind, _) in listed.items())'
  expect "ranges and defaults are v4l2-ctl's" details $camera.json \
    'all(int(controls[name][ours]) == int(facts[theirs]) for name, (kind, facts) in listed.items() for ours, theirs in (("minimum", "min"), ("maximum", "max"), ("step", "step"), ("defaultValue", "default")) if theirs in facts and kind == "integer")'
  expect "its formats are told" details $camera.json 'details["capabilities"]["formats"][0]["sizes"]'
  expect "it is authorized" details $camera.json 'details["authorization"] == "authorized"'
done
v4l2-ctl -d "$vivid" --list-ctrls > "$RESULTS/v4l2-ctl"
expect "menus have their entries" details vivid.json \
  'len(controls["test_pattern"]["menu"]) == 22 and any(control["kind"] == "menu" and all(item["name"].isdigit() for item in control["menu"]) for control in controls.values())'
expect "units are told where V4L2 defines them" details usb.json 'controls["exposure_time_absolute"]["unit"] == "100 µs"'

# value NODE CONTROL: what v4l2-ctl reads.
value() { v4l2-ctl -d "$1" -C "$2" | sed 's/.*: //; s/ .*//'; }
# set_controls STATUS DEVICE NAME=VALUE...: capctl ends so.
set_controls() {
  local wanted=$1 status=0; shift
  "$BIN/capctl" devices set "$@" > "$RESULTS/set" 2> "$RESULTS/set.log" || status=$?
  [ $status = "$wanted" ] || { echo "       status $status"; cat "$RESULTS/set" "$RESULTS/set.log"; false; }
}
expect "several controls are set at once" set_controls 0 lab/vivid brightness=33 contrast=44 hue=-5
expect "what was read back is printed" eval '[ "$(tr "\n" " " < "$RESULTS/set")" = "brightness=33 contrast=44 hue=-5 " ]'
expect "v4l2-ctl sees them" [ "$(value "$vivid" brightness) $(value "$vivid" contrast) $(value "$vivid" hue)" = "33 44 -5" ]
expect "a value out of range refuses all" set_controls 4 lab/vivid brightness=99 contrast=1000
expect "it says what the control takes" grep -q "'contrast' does not accept 1000; it accepts 0 to 255" "$RESULTS/set.log"
expect "nothing was changed" [ "$(value "$vivid" brightness) $(value "$vivid" contrast)" = "33 44" ]
expect "an unknown name is refused" set_controls 4 lab/vivid no_such=1
expect "a gain under automatic gain is refused" eval 'v4l2-ctl -d "$vivid" -c gain_automatic=1 && set_controls 4 lab/vivid gain=7'
expect "it says that it would have no effect" grep -q "no effect" "$RESULTS/set.log"
expect "with the automatic off in the same call it is set" set_controls 0 lab/vivid gain=7 gain_automatic=0
expect "v4l2-ctl sees both" [ "$(value "$vivid" gain_automatic) $(value "$vivid" gain)" = "0 7" ]

expect "manual exposure of a USB camera is set in one call" set_controls 0 lab/usb auto_exposure=1 exposure_time_absolute=250
expect "v4l2-ctl sees its time" [ "$(value "$usb" exposure_time_absolute)" = 250 ]
expect "under automatic exposure it is refused" eval 'set_controls 0 lab/usb auto_exposure=0 && set_controls 4 lab/usb exposure_time_absolute=100'
expect "frames go on" cameras_run 2
