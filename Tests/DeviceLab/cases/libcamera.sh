# A USB camera through the machine's libcamera: deploy/libcamera as the program of a `command` camera, in a whole rig.
# libcamera takes only what udev knows.
/lib/systemd/systemd-udevd --daemon
plug_in 0 CAM0 --fps 5
udevadm trigger; udevadm settle
helper=$LAB/caprig-libcamera
export LD_PRELOAD=$LAB/described.so
"$helper" --list > "$RESULTS/list"
camera=$(cut -f 1 "$RESULTS/list")
"$helper" --camera "$camera" --raw > "$RESULTS/samples" 2> "$RESULTS/samples.log" < /dev/null && echo ended >> "$RESULTS/samples"
unset LD_PRELOAD
expect "libcamera has the camera" [ "$(wc -l < "$RESULTS/list")" = 1 ]
expect "it has no samples to list" [ "$(awk -F '\t' '{ print NF }' "$RESULTS/list")" = 2 ]
expect "samples of a camera without a mosaic are refused" grep -q "offers no color mosaic" "$RESULTS/samples.log"
expect "nothing is written of them" [ ! -s "$RESULTS/samples" ]

cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - name: pi
    purpose: A camera of libcamera
    source: { command: { run: [env, LD_PRELOAD=$LAB/described.so, $helper, --camera, '$camera', --size, 640x360], times: fd3, controls: stdin, framesPerSecond: 5 } }
YAML
start_coordinator
start_agent
wait_until "the camera runs" cameras_run 1
wait_until "the node is synchronized" eval '"$BIN/capctl" status --format json | grep -q clockBoundNanoseconds'

"$BIN/capctl" devices show lab/pi --format json > "$RESULTS/controls"
expect "its controls are those of libcamera, by V4L2's names" eval \
  'for name in auto_exposure exposure_time_absolute brightness; do grep -q "\"$name\"" "$RESULTS/controls" || exit 1; done'
expect "an exposure is set" "$BIN/capctl" settings set exposure=20ms --device lab/pi
expect "the program has set it at the camera" eval '[ "$(v4l2-ctl -d "$(uvc_device CAM0)" -C exposure_time_absolute)" = "exposure_time_absolute: 200" ]'
expect "an exposure that the camera does not have is refused" eval '! "$BIN/capctl" settings set exposure=100s --device lab/pi 2>"$RESULTS/refusal"'

timeout 90 "$BIN/capctl" trigger --all --no-live --timeout 30s --format json > "$RESULTS/shot" 2> "$RESULTS/shot.log"
expect_shot() { expect "$1" python3 "$LAB/shot.py" "$RESULTS/shot" "$2"; }
expect_shot "a shot is complete" 'len(stored) == 1 and shot["status"] == "complete"'
expect_shot "its still is one of the images that the camera sent" 'image(stored["lab/pi"]) in sent("CAM0")'
expect_shot "skew and bound are told" \
  'all(abs(int(file["skewNanoseconds"])) <= 500_000_000 and int(file["boundNanoseconds"]) > 0 for file in files.values())'

unplug 0
wait_until "an unplugged camera is told of" eval '! cameras_run 1'
plug_in 0 CAM0 --fps 5
wait_until "it runs again when it is back" cameras_run 1
