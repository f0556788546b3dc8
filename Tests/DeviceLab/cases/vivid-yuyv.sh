# YUYV from the kernel's virtual video driver: whole, in order, stamped, and the buffers come back.
device=$(vivid_device 0)
format="--format YUYV --size 640x360 --fps 5"

v4l2-ctl -d "$device" -c timestamp_source=1
probe plain "$device" $format --frames 20
expect_report "20 frames arrive" "$RESULTS/plain" 'len(frames) == 20 and event("ended").get("code") is None'
expect_report "rows are packed" "$RESULTS/plain" 'all(f["byteCount"] == 640 * 360 * 2 for f in frames)'
expect_report "frames differ from each other" "$RESULTS/plain" 'len({f["hash"] for f in frames}) == 20'
expect_report "order and stamps rise" "$RESULTS/plain" 'rising("sequence") and rising("midExposure")'
expect_report "a frame is stamped before it is dequeued" "$RESULTS/plain" \
  'all(0 <= f["dequeued"] - f["midExposure"] < 5_000_000_000 for f in frames)'
expect_report "gaps are counted as the device's" "$RESULTS/plain" \
  'event("ended")["losses"]["droppedByDevice"] == gaps(frames)'
expect_report "the format is what was asked for" "$RESULTS/plain" \
  'event("started")["format"] == {"pixelFormat": "YUYV", "width": 640, "height": 360, "frameIntervalNanoseconds": 200000000}'

# A consumer that keeps more frames than the driver has buffers.
probe hold "$device" $format --frames 20 --hold 15
expect_report "a greedy consumer gets every frame" "$RESULTS/hold" 'len(frames) == 20'
expect_report "kept frames are unchanged after the camera has stopped" "$RESULTS/hold" \
  '[l["hash"] for l in lines if l["event"] == "held"] == [f["hash"] for f in frames[:15]]'

probe again "$device" $format --frames 3 --starts 4
expect_report "a stopped camera starts again at once" "$RESULTS/again" 'len(frames) == 12'

# A picture that stands still must be the one that another program sees.
v4l2-ctl -d "$device" -c osd_text_mode=2,timestamp_source=0
mkdir "$RESULTS/frames"
probe still "$device" $format --frames 2 --save "$RESULTS/frames"
v4l2-ctl -d "$device" --set-fmt-video=width=640,height=360,pixelformat=YUYV --stream-mmap --stream-count=1 \
  --stream-to="$RESULTS/other" >/dev/null 2>&1
expect "pixels are those that v4l2-ctl captures" cmp "$RESULTS/other" "$RESULTS/frames/0.raw"

probe size "$device" --format YUYV --size 641x360
expect_report "a size not on offer is refused with what is" "$RESULTS/size" \
  'event("refused")["code"] == "unsupportedFormat" and "640x360" in event("refused")["reason"]'
probe rate "$device" --format YUYV --size 640x360 --fps 90
expect_report "a rate not on offer is refused" "$RESULTS/rate" 'event("refused")["code"] == "unsupportedFormat"'
probe mjpeg "$device" --format MJPG
expect_report "a format not on offer is refused" "$RESULTS/mjpeg" 'event("refused")["code"] == "unsupportedFormat"'
