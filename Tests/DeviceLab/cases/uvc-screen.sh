# The latency of a camera of uvcvideo, measured with a screen. The camera makes each picture 40 ms after its mid-exposure, the driver stamps
# it later, and the screen shows its switches 23.5 ms late.
"$LAB/uvc-camera" --serial CAM0 --size 640x360 --fps 10 --screen 7 --screen-lag 23.5 --latency 40 "$MEDIA/grays.mjpeg" &
children+=($!)
wait_until "camera CAM0 at port 0 appears" uvc_at 0
device=$(uvc_device CAM0)
v4l2-ctl -d "$device" -c auto_exposure=1
v4l2-ctl -d "$device" -c exposure_time_absolute=200

PROBE_LIMIT=300 probe screen screen "$device" --format MJPG --size 640x360 --fps 10 --frames 450 --seed 7 --lag 23500 --delay 40000
grep '"calibrated"' "$RESULTS/screen" | sed 's/^/       /'
expect_report "the latency is found within 1 ms" "$RESULTS/screen" 'abs(event("calibrated")["errorNanoseconds"]) <= 1_000_000'
# How far single stamps are from it is another matter: 0.9 to 2.7 ms in an emulated guest.
expect_report "what is uncertain of the latency is 1 ms at most, and the bound has the jitter of stamps beside it" "$RESULTS/screen" \
  'event("calibrated")["fitNanoseconds"] <= 1_000_000 and len(frames) == 60 and all(
    frame["boundNanoseconds"] >= event("calibrated")["fitNanoseconds"] + event("calibrated")["jitterNanoseconds"] for frame in frames)'
# A bound covers the jitter of 98 % of the stamps.
expect_report "stamps are within it" "$RESULTS/screen" \
  'sum(abs(frame["errorNanoseconds"]) <= frame["boundNanoseconds"] for frame in frames) >= 55'
