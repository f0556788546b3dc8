# Faults injected into the kernel's virtual video driver: each is counted or named as what it is.
small="--format YUYV --size 320x180 --fps 10"

device=$(vivid_device 0)
v4l2-ctl -d "$device" -c percentage_of_dropped_buffers=40
probe dropped "$device" $small --frames 30
v4l2-ctl -d "$device" -c percentage_of_dropped_buffers=0
expect_report "frames the driver drops are counted" "$RESULTS/dropped" \
  'len(frames) == 30 and gaps(frames) > 0 and event("ended")["losses"]["droppedByDevice"] >= gaps(frames)'

v4l2-ctl -d "$device" -c wrap_sequence_number=1
probe wrap "$device" --format YUYV --size 320x180 --fps 30 --frames 150
v4l2-ctl -d "$device" -c wrap_sequence_number=0
expect_report "frame numbers go on when the driver's counter wraps" "$RESULTS/wrap" \
  'len(frames) == 150 and frames[0]["sequence"] < 2**32 < frames[-1]["sequence"] and gaps(frames) < 1000'

in_background probe flagged "$device" $small --frames 40
wait_until "frames flow" has_frames "$RESULTS/flagged" 5
v4l2-ctl -d "$device" -c inject_v4l2_buf_flag_error=1
wait $last
expect_report "a frame flagged by the driver keeps its flag" "$RESULTS/flagged" \
  'len(frames) == 40 and sum(f["isFlaggedErroneous"] for f in frames) == 1'

in_background v4l2-ctl -d "$device" --stream-mmap --stream-count=100000
holder=$last
wait_until "another program streams" eval '! v4l2-ctl -d "$device" --set-fmt-video=width=640,height=360,pixelformat=YUYV'
probe busy "$device" $small
kill $holder; wait $holder 2>/dev/null
expect_report "a camera in use is busy, and says how to find the other program" "$RESULTS/busy" \
  'event("refused")["code"] == "busy" and "fuser" in event("refused")["reason"]'
probe free "$device" $small --frames 2
expect_report "it can be used when the other program has ended" "$RESULTS/free" 'len(frames) == 2'

v4l2-ctl -d "$device" -c inject_vidioc_streamon_error=1
probe streamon "$device" $small --frames 2
expect_report "a driver that cannot start is refused by name" "$RESULTS/streamon" \
  'event("refused")["code"] == "failed" and "VIDIOC_STREAMON" in event("refused")["reason"]'
probe recovered "$device" $small --frames 2
expect_report "it starts the next time" "$RESULTS/recovered" 'len(frames) == 2'

in_background probe fatal "$device" $small --frames 100000
wait_until "frames flow" has_frames "$RESULTS/fatal" 3
v4l2-ctl -d "$device" -c inject_fatal_streaming_error=1
wait $last
expect_report "a broken stream ends by itself, as failed" "$RESULTS/fatal" 'event("ended")["code"] == "failed"'

unplugged=$(vivid_device 3)
in_background probe gone "$unplugged" $small --frames 100000 --hold 6
wait_until "frames flow" has_frames "$RESULTS/gone" 8
v4l2-ctl -d "$unplugged" -c disconnect=1
wait $last
expect_report "an unplugged camera ends its stream as absent" "$RESULTS/gone" 'event("ended")["code"] == "absent"'
expect_report "frames kept over the unplugging are unchanged" "$RESULTS/gone" \
  '[l["hash"] for l in lines if l["event"] == "held"] == [f["hash"] for f in frames[:6]]'
