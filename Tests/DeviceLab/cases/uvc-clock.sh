# The clock of a USB camera: the node with its metadata is found and read. The host controller of the lab numbers no USB frames, so that the
# driver goes on stamping the frames, and the log says why.
plug_in 0 CAM0 --no-dht

PROBE_LIMIT=150 probe clock --serial CAM0 --format MJPG --size 640x360 --fps 10 --frames 100 --camera-clock 2> "$RESULTS/clock.log"
expect_report "100 frames arrive, stamped by the driver" "$RESULTS/clock" \
  'len(frames) == 100 and all(f["stampOrigin"] == "startOfExposure" for f in frames)'
expect "the log says once that the host controller does not number USB frames" \
  [ "$(grep -c "the host controller does not number USB frames" "$RESULTS/clock.log")" = 1 ]

device=$(uvc_device CAM0)
probe again "$device" --frames 3 --starts 2 --camera-clock 2> "$RESULTS/again.log"
expect_report "the node is free for the next stream" "$RESULTS/again" 'len(frames) == 6'
expect "no stream was without its metadata" [ ! -s "$RESULTS/again.log" ]

probe vivid "$(vivid_device 0)" --frames 3 --camera-clock 2> "$RESULTS/vivid.log"
expect_report "vivid's frames arrive without metadata" "$RESULTS/vivid" 'len(frames) == 3'
expect "vivid's metadata are not those of a USB camera" grep -q "has no node with the headers of its frames" "$RESULTS/vivid.log"
