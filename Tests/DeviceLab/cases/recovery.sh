# Cameras in trouble under a running agent: held by another program, and pulled out and put into another port. Each has
# its state, its event and its recovery, and the camera beside them loses nothing.
plug_in 0 CAM0 --no-dht --fps 5
plug_in 1 CAM1 --no-dht --fps 5
held=$(vivid_device 0)
in_background v4l2-ctl -d "$held" --stream-mmap --stream-count=1000000
holder=$last
wait_until "another program streams" eval \
  '! v4l2-ctl -d "$held" --set-fmt-video=width=640,height=360,pixelformat=YUYV'

cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: moved, purpose: USB camera that changes its port, source: { v4l2: { serial: CAM0 } },
      format: { pixelFormat: MJPG, width: 640, height: 360 } }
  - { name: beside, purpose: USB camera that must not notice, source: { v4l2: { serial: CAM1 } },
      format: { pixelFormat: MJPG, width: 640, height: 360 } }
  - { name: held, purpose: Camera that another program holds, source: { v4l2: { path: $held } },
      format: { pixelFormat: YUYV, width: 320, height: 180, framesPerSecond: 5 } }
YAML
start_coordinator
in_background "$BIN/capctl" events --replay --format json > "$RESULTS/events" 2> "$RESULTS/events.log"
start_agent
wait_until "the agent's cameras have settled" grep -q '"ready":true' "$RESULTS/agent"

# devices EXPRESSION: whether it holds of the rig's devices as they are at this moment (devices.py).
devices() {
  "$BIN/capctl" devices list --format json > "$RESULTS/devices" && python3 "$LAB/devices.py" "$RESULTS" "$1"
}

wait_until "a camera held by another program is busy, the others run" devices \
  '(state("held"), state("moved"), state("beside")) == ("busy", "running", "running")'
expect "it says how to find the other program" devices '"fuser" in reason("held")'
kill $holder; wait $holder 2>/dev/null
wait_until "it runs when the other program has ended" devices 'state("held") == "running"'
wait_until "each state was told" devices \
  'told("held").index("busy") < len(told("held")) - 1 and told("held")[-1] == "running"'

before=$(python3 "$LAB/devices.py" "$RESULTS" 'not print(delivered("beside"))')
unplug 0
wait_until "a camera pulled out is absent" devices 'state("moved") == "absent"'
expect "its serial is named" devices '"CAM0" in reason("moved")'
plug_in 2 CAM0 --no-dht --fps 5
wait_until "at another port it runs again" devices 'state("moved") == "running"'
wait_until "its return was told" devices 'told("moved")[-1] == "running"'
expect "its absence was told" devices '"absent" in told("moved")'
wait_until "frames flow from it" devices 'delivered("moved") > 10'

expect "the camera beside has lost nothing in all that time" devices 'lost("beside") == 0'
# It is told as stalled for a moment where the whole agent has stood still, which costs no frame. A stall of its own is counted as lost.
expect "and has never stopped" devices 'state("beside") == "running" and set(told("beside")) <= {"starting", "running", "stalled"}'
expect "it has delivered on" devices "delivered('beside') > $before"
