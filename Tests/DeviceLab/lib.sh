# What a case can use. A case is sourced after this file, in the guest, as root; it gets
#   BIN      the release programs            LAB      this folder
#   MEDIA    camera.mjpeg, 640x360           RESULTS  an empty folder that outlives the guest
# A case goes on after a failed expectation; it fails as a whole when one failed or a command it names is missing.
set -uo pipefail
expectations=0 failures=0 children=()

# expect DESCRIPTION COMMAND...: the command succeeds.
expect() {
  local description=$1; shift
  expectations=$((expectations + 1))
  if "$@"; then echo "  ok   $description"; else failures=$((failures + 1)); echo "  FAIL $description"; fi
}

# expect_report DESCRIPTION FILE EXPRESSION: a Python expression about a probe's output holds (report.py).
expect_report() {
  expect "$1" python3 "$LAB/report.py" "$2" "$3"
}

# wait_until DESCRIPTION COMMAND...: the command succeeds within 60 seconds.
wait_until() {
  local description=$1 end=$((SECONDS + 60)); shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then expect "$description" false; return 1; fi
    sleep 0.2
  done
}

# vivid_device NUMBER: the device node of vivid's camera 0 to 3.
vivid_device() {
  local wanted; wanted=$(printf 'vivid-%03d-vid-cap' "$1")
  for node in /sys/class/video4linux/video*; do
    [ "$(cat "$node/name")" = "$wanted" ] && { echo "/dev/$(basename "$node")"; return; }
  done
  return 1
}

# uvc_device SERIAL: the capture node of a plugged-in USB camera; its metadata node has the higher number.
uvc_device() {
  local node
  for node in $(ls -d /sys/class/video4linux/video* | sort -V); do
    [ "$(cat "$node/device/../serial" 2>/dev/null)" = "$1" ] && { echo "/dev/$(basename "$node")"; return; }
  done
  return 1
}

# plug_in PORT SERIAL [OPTION]...: plugs a USB camera in and waits for its device node. What it sends is written to
# $RESULTS/SERIAL.sent, images one after another.
plug_in() {
  local port=$1 serial=$2; shift 2
  "$LAB/uvc-camera" --port "$port" --serial "$serial" --size 640x360 --fps 10 --frames-log "$RESULTS/$serial.sent" "$@" \
    "$MEDIA/camera.mjpeg" &
  children+=($!); printf -v "camera_at_$port" %s $!
  wait_until "camera $serial at port $port appears" uvc_at "$port"
}

uvc_at() {
  [ -n "$(ls -d /sys/devices/platform/vhci_hcd.0/usb*/*-$(($1 + 1))/*/video4linux 2>/dev/null)" ]
}

# unplug PORT: pulls the USB camera out and waits until the kernel has noticed.
unplug() {
  local variable=camera_at_$1
  kill "${!variable}"; wait "${!variable}" 2>/dev/null
  wait_until "camera at port $1 is gone" eval "! uvc_at $1"
}

# probe NAME ARGUMENT...: streams by v4l2-probe; its lines are in $RESULTS/NAME. One that hangs is ended after 90 s, or PROBE_LIMIT.
probe() {
  local name=$1; shift
  timeout "${PROBE_LIMIT:-90}" "$BIN/v4l2-probe" "$@" > "$RESULTS/$name"
}

# formats NAME DEVICE FOURCC...: captures a frame of each format of one of vivid's cameras, by the probe and by v4l2-ctl,
# and compares them (bars.py).
formats() {
  local name=$1 device=$2 format words; shift 2
  v4l2-ctl -d "$device" -c osd_text_mode=2
  # One probe for all: it takes the guest longer to start one than to capture.
  mkdir -p "$RESULTS/$name"
  PROBE_LIMIT=$((30 + 15 * $#)) probe "$name/probe" "$device" --size 320x180 --fps 10 --frames 1 --driver-format "$(IFS=,; echo "$*")" \
    --save "$RESULTS/$name" --pictures "$RESULTS/$name"
  for format in "$@"; do
    printf -v words 'width=320,height=180,pixelformat=%-4s' "$format"
    v4l2-ctl -d "$device" --set-fmt-video="$words" --stream-mmap --stream-count=1 \
      --stream-to="$RESULTS/$name/$format.v4l2-ctl" >/dev/null 2>&1
  done
  # One Python for all: it takes the guest longer to start one than to compare.
  python3 "$LAB/bars.py" "$RESULTS/$name" "$@" > "$RESULTS/$name/compared"
  for format in "$@"; do
    grep "^$format: " "$RESULTS/$name/compared" | sed 's/^/       /'
    expect "$name: $format is what v4l2-ctl sees" grep -qx "$format ok" "$RESULTS/$name/compared"
  done
}

# offers DEVICE: what the probe tells of a camera is what v4l2-ctl lists (offers.py).
offers() {
  local node; node=$(basename "$1")
  probe "offers-$node" capabilities "$1"
  v4l2-ctl -d "$1" --list-formats-ext > "$RESULTS/list-$node"
  expect "$1 offers the sizes and rates that v4l2-ctl lists" \
    python3 "$LAB/offers.py" "$RESULTS/offers-$node" "$RESULTS/list-$node"
}

# run_conformance NAME ARGUMENT...: checks whether a device keeps every promise of a camera (Tests/CameraConformance); the lines are in
# $RESULTS/NAME.
run_conformance() {
  local name=$1 status=0; shift
  timeout 230 "$BIN/v4l2-probe" conformance "$@" > "$RESULTS/$name" || status=$?
  echo $status > "$RESULTS/$name.status"
}

# expect_conformance NAME ARGUMENT...: the same, and an expectation each.
expect_conformance() {
  run_conformance "$@"
  expect_conforming "$1"
}

# expect_conforming NAME: the expectations of what has been run.
expect_conforming() {
  local name=$1 line check
  while read -r line; do
    check=${line#*\"check\":\"} check=${check%%\"*}
    [[ $line == *'"hasPassed":true'* ]] || echo "       $line"
    expect "$name: $check" eval "[[ \$line == *'\"hasPassed\":true'* ]]"
  done < "$RESULTS/$name"
  expect "$name: the suite has run to its end" [ "$(cat "$RESULTS/$name.status")" = 0 ]
}

# conforming_formats DEVICES FOURCC...: the same of vivid's cameras (names in one word) in each pixel format. The cameras divide the formats
# and run at once, since a check mostly waits for frames.
conforming_formats() {
  local devices=($1) lanes=() lane format; shift
  for lane in "${!devices[@]}"; do
    # A stamp at the start of the exposure: vivid makes pictures ahead of the time it stamps the end of a frame with.
    v4l2-ctl -d "${devices[lane]}" -c timestamp_source=1
    conforming_lane "${devices[lane]}" "$lane" "${#devices[@]}" "$@" & lanes+=($!)
  done
  wait "${lanes[@]}"
  for format in "$@"; do expect_conforming "$format"; done
}

# conforming_lane DEVICE NUMBER COUNT FOURCC...: every COUNT-th format from NUMBER on, one after another.
conforming_lane() {
  local device=$1 number=$2 count=$3 formats=("${@:4}")
  for ((; number < ${#formats[@]}; number += count)); do
    run_conformance "${formats[number]}" "$device" --format "${formats[number]}" --size 320x180 --fps 30
  done
}

# start_coordinator [OPTION]...: a coordinator with keys, whose library is /tmp/library; its process is $coordinator. Each capctl of
# the case uses its admin key from then on.
start_coordinator() {
  in_background "$BIN/capcoordd" --library /tmp/library --announce "$@" \
    > "$RESULTS/coordinator" 2> "$RESULTS/coordinator.log"
  coordinator=$last
  export CAPRIG_ADMIN=/tmp/library/.caprig/admin
  wait_until "the coordinator is ready" grep -q '"ready":true' "$RESULTS/coordinator"
}

# start_agent [OPTION]...: has the node `lab` of /tmp/agent.yaml join, and starts its agent, whose process is $agent.
start_agent() {
  local code; code=$("$BIN/capctl" node invite lab --format json | sed -n 's/.*"code" : "\(.*\)".*/\1/p')
  expect "the node joins by code" "$BIN/capagentd" join "$code" --config /tmp/agent.yaml
  in_background "$BIN/capagentd" --config /tmp/agent.yaml --announce "$@" > "$RESULTS/agent" 2> "$RESULTS/agent.log"
  agent=$last
}

# cameras_run COUNT: whether that many of the rig's cameras run.
cameras_run() {
  [ "$("$BIN/capctl" devices list --format json | grep -c '"state" : "running"')" = "$1" ]
}

# frames_in FILE: how many frames a probe has reported so far.
frames_in() {
  grep -c '"event":"frame"' "$1"
}

# has_frames FILE COUNT: whether a running probe has got that far.
has_frames() {
  [ "$(frames_in "$1")" -ge "$2" ]
}

# in_background COMMAND...: runs it while the case goes on; `wait $last` waits for it.
in_background() {
  "$@" & last=$!; children+=($last)
}

# Ends the case; one that failed shows the end of what its daemons have logged.
finish() {
  local child log
  for child in "${children[@]}"; do kill "$child" 2>/dev/null; done
  [ $failures = 0 ] || for log in "${RESULTS:-}"/*.log; do
    [ ! -s "$log" ] || { echo "  $(basename "$log"):"; tail -n 40 "$log"; }
  done
  echo "  $expectations expectations, $failures failed"
  [ $failures = 0 ] && [ $expectations -gt 0 ]
  exit
}
