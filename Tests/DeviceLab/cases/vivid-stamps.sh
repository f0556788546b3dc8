# Stamps of the start of an exposure, and of the end of a frame: vivid has both. It makes a picture when its exposure begins, and stamps the
# end of a frame 90 % of the interval later: 180 ms. As no exposure is reported and those 180 ms are stated as readout, both kinds of stamps
# mean the instant at which the picture was made, just before it was dequeued. One kind taken for the other is 180 ms from that.
first=$(vivid_device 0) second=$(vivid_device 1)
for source in startOfExposure=1 endOfFrame=0; do
  name=${source%=*}
  v4l2-ctl -d "$first" -c timestamp_source="${source#*=}"
  probe "$name" "$first" --format YUYV --size 320x180 --fps 5 --frames 20 --readout 180000
  expect_report "20 frames have stamps of $name" "$RESULTS/$name" \
    'len(frames) == 20 and all(f["stampOrigin"] == "'"$name"'" for f in frames)'
  expect_report "each picture was made when the rule says" "$RESULTS/$name" \
    'all(-5_000_000 <= f["dequeued"] - f["midExposure"] <= 90_000_000 for f in frames)'
  expect_report "the bound is half the longest exposure and the stated uncertainty" "$RESULTS/$name" \
    'all(abs(f["boundNanoseconds"] - 105_000_000) <= 20_000_000 for f in frames[1:])'
done

v4l2-ctl -d "$second" -c timestamp_source=1
cat > /tmp/agent.yaml <<YAML
node: lab
coordinator: tcp://127.0.0.1:7710
spool: { folder: /tmp/spool, limit: 200 MiB, reserve: 1 MiB }
devices:
  - { name: end, purpose: Stamps the end of a frame, source: { v4l2: { path: $first } },
      readout: 180 ms, uncertainty: 5 ms,
      format: { pixelFormat: YUYV, width: 320, height: 180, framesPerSecond: 5 } }
  - { name: start, purpose: Stamps the start of an exposure, source: { v4l2: { path: $second } },
      readout: 180 ms, uncertainty: 5 ms,
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
expect "each picture was made when the manifest says" python3 "$LAB/shot.py" "$RESULTS/third" \
  'all(-5_000_000 <= t["dequeued"] - t["midExposure"]["time"] <= 90_000_000 for t in (c["timing"] for c in shot["captures"]))'
for shot in second third; do
  expect "the $shot spread is as predicted" python3 "$LAB/shot.py" "$RESULTS/$shot" \
    'abs(shot["simultaneity"]["spreadNanoseconds"] - shot["prediction"]["spreadNanoseconds"]) <= 20_000_000 < shot["prediction"]["boundNanoseconds"]'
done
