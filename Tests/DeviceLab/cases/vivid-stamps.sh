# Stamps of the start of an exposure, and of the end of a frame: vivid has both. It makes a picture when its exposure begins, and says that
# the exposure lasts 90 % of the interval.
first=$(vivid_device 0) second=$(vivid_device 1)
for source in startOfExposure=1 endOfFrame=0; do
  name=${source%=*}
  v4l2-ctl -d "$first" -c timestamp_source="${source#*=}"
  probe "$name" "$first" --format YUYV --size 320x180 --fps 5 --frames 20
  expect_report "20 frames have stamps of $name" "$RESULTS/$name" \
    'len(frames) == 20 and all(f["stampOrigin"] == "'"$name"'" for f in frames)'
  # Of the frame that was fetched soonest, the picture was made just before.
  expect_report "the middle of each exposure is within the bound" "$RESULTS/$name" \
    'all(abs(f["midExposure"] - f["sequence"] * 200_000_000 - 90_000_000
      - min(other["dequeued"] - other["sequence"] * 200_000_000 for other in frames)) <= f["boundNanoseconds"] + 20_000_000
      for f in frames)'
done

v4l2-ctl -d "$second" -c timestamp_source=1
cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: end, purpose: Stamps the end of a frame, source: { v4l2: { path: $first } },
      format: { pixelFormat: YUYV, width: 320, height: 180, framesPerSecond: 5 } }
  - { name: start, purpose: Stamps the start of an exposure, source: { v4l2: { path: $second } },
      format: { pixelFormat: YUYV, width: 320, height: 180, framesPerSecond: 5 } }
YAML
echo 'trigger: { maximumAhead: 60 s }' > /tmp/coordinator.yaml
start_coordinator --config /tmp/coordinator.yaml
start_agent
wait_until "both cameras run" cameras_run 2
wait_until "the node is synchronized" eval '"$BIN/capctl" status --format json | grep -q clockBoundNanoseconds'
for shot in first second third; do
  expect "the $shot shot is complete" eval \
    'timeout 90 "$BIN/capctl" trigger --all --no-live --timeout 30s --at +4s --format json > "$RESULTS/$shot"'
done
expect "the manifest says which stamps they are" python3 "$LAB/shot.py" "$RESULTS/third" \
  '{c["device"]["id"]: c["timing"]["stampOrigin"] for c in shot["captures"]} == {"lab/end": "endOfFrame", "lab/start": "startOfExposure"}'
for shot in second third; do
  expect "the $shot spread is as predicted" python3 "$LAB/shot.py" "$RESULTS/$shot" \
    'abs(shot["simultaneity"]["spreadNanoseconds"] - shot["prediction"]["spreadNanoseconds"]) <= shot["prediction"]["boundNanoseconds"]'
done
