# A whole rig on real drivers: coordinator, agent, two USB cameras and two of vivid's; one instant, and an unplugging.
plug_in 0 CAM0 --no-dht --fps 2
plug_in 1 CAM1 --no-dht --fps 2

cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: usb0, purpose: USB camera by serial, maxPhotoDimensions: largest, source: { v4l2: { serial: CAM0 } },
      format: { pixelFormat: MJPG, width: 640, height: 360 } }
  - { name: usb1, purpose: USB camera by path, source: { v4l2: { path: $(uvc_device CAM1) } },
      format: { pixelFormat: MJPG, width: 640, height: 360 } }
  - { name: vivid0, purpose: Uncompressed frames, maxPhotoDimensions: 1280x720, source: { v4l2: { path: $(vivid_device 0) } },
      format: { pixelFormat: YUYV, width: 640, height: 360, framesPerSecond: 2 } }
  - { name: vivid1, purpose: Uncompressed frames, source: { v4l2: { path: $(vivid_device 1) } },
      format: { pixelFormat: YUYV, width: 640, height: 360, framesPerSecond: 2 } }
YAML
# The guest is slow in opening cameras, so that a still larger than its stream lies far ahead.
echo 'trigger: { maximumAhead: 60 s }' > /tmp/coordinator.yaml
start_coordinator --config /tmp/coordinator.yaml
start_agent
wait_until "all four cameras run" cameras_run 4
wait_until "the node is synchronized" eval '"$BIN/capctl" status --format json | grep -q clockBoundNanoseconds'

# trigger NAME STATUS ARGUMENT...: the answer is in $RESULTS/NAME; it is well when capctl ends with STATUS.
trigger() {
  local name=$1 wanted=$2 status=0; shift 2
  timeout 90 "$BIN/capctl" trigger --all --no-live --timeout 30s --format json "$@" > "$RESULTS/$name" 2> "$RESULTS/$name.log" ||
    status=$?
  [ $status = "$wanted" ] || { echo "       status $status"; sed 's/^/       /' "$RESULTS/$name.log"
    grep -o '"message" : ".*' "$RESULTS/$name" | sed 's/^/       /'; false; }
}

expect_shot() {
  expect "$1" python3 "$LAB/shot.py" "$RESULTS/$2" "$3"
}

expect "a shot of all cameras is complete" trigger first 0 --at +4s
expect_shot "four stills" first 'len(stored) == 4 and shot["status"] == "complete"'
expect_shot "a USB camera's still is one of the images it sent" first \
  'image(stored["lab/usb0"]) in sent("CAM0") and image(stored["lab/usb1"]) in sent("CAM1")'
expect_shot "Huffman tables are there" first 'all(b"\xff\xc4" in jpeg[:4096] for jpeg in stored.values())'
expect_shot "skew and bound are told of each" first \
  'all(abs(int(file["skewNanoseconds"])) <= 500_000_000 and int(file["boundNanoseconds"]) > 0 for file in files.values())'
stills=$(find /tmp/library -name photo.jpg)
for still in $stills; do expect "$(basename "$(dirname "$still")") can be decoded" djpeg -outfile /dev/null "$still"; done
[ -z "$(command -v jpeginfo)" ] || expect "jpeginfo finds all whole" eval 'jpeginfo -c $stills >/dev/null'
[ -z "$(command -v exiftool)" ] || expect "exiftool finds no fault" \
  eval '[ "$(exiftool -validate -s3 $stills | grep -c "^OK$")" = 4 ]'

expect "a still twice as large as the stream is taken" \
  trigger larger 0 --device lab/vivid0 --max-dimensions 1280x720
expect_shot "it is as large as it was said to be" larger \
  'size(stored["lab/vivid0"]) == (1280, 720) and shot["captures"][0]["resolved"]["photoFormat"]["width"] == 1280'
expect_shot "it is of the instant, and the stream's gap lies around it" larger \
  'abs(int(files["lab/vivid0"]["skewNanoseconds"])) <= 500_000_000 and gap["start"] < shot["time"] < gap["start"] + gap["nanoseconds"]'
expect "a USB camera of one size is asked for a larger still in vain" \
  trigger unsupported 4 --device lab/usb0 --max-dimensions 1280x720
expect_shot "it says that it does not offer one" unsupported \
  '"not supported" in files["lab/usb0"]["problem"]["message"]'

# Pulled out before T, whether it is armed already or not, so that its frame of T never comes. The coordinator's log tells at once that
# the shot is accepted; starting a program in the guest to ask for it may take until T.
accepted() { grep -c 'a shot is accepted' "$RESULTS/coordinator.log"; }
before=$(accepted)
in_background trigger second 3 --at +8s
second=$last
wait_until "the shot is accepted" eval '[ "$(accepted)" -gt "$before" ]'
unplug 0
wait $second; status=$?
expect "a shot with a camera pulled out is partial" [ $status = 0 ]
expect_shot "the others' stills are there" second 'sorted(stored) == ["lab/usb1", "lab/vivid0", "lab/vivid1"]'
expect_shot "the camera that left its stream is back in it" second 'size(stored["lab/vivid0"]) == (640, 360)'
expect_shot "its outcome says what became of it" second \
  'files["lab/usb0"]["outcome"] == "missed" and "serial CAM0" in files["lab/usb0"]["problem"]["message"]'
expect_shot "a second still is another image" second 'image(stored["lab/usb1"]) in sent("CAM1")'

expect "every stored file is as its manifest says" \
  eval '"$BIN/capctl" shots verify $("$BIN/capctl" shots list --format json | grep -o "\"id\" : \"[^\"]*" | cut -d\" -f4) >/dev/null'
kill $agent; wait $agent; expect "the agent ends by itself" [ $? = 0 ]
kill $coordinator; wait $coordinator; expect "the coordinator ends by itself" [ $? = 0 ]
expect "nothing is left in the spool" [ -z "$(ls -A /tmp/spool/captures)" ]
