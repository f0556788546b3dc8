# A multi-planar device of the kernel's virtual video driver: its formats, in one memory plane and in several, and its faults.
device=$(vivid_device 2)
formats multi "$device" RGB3 YUYV NV12 NM12 NM21 YM12 YM21 NM16 GREY RG10 BGR3
offers "$device"

# A picture that moves, stamped at the start of its exposure: at the end of the frame vivid stamps ahead.
v4l2-ctl -d "$device" -c osd_text_mode=0,timestamp_source=1
small="--driver-format NM12 --size 320x180 --fps 10"
probe plain "$device" $small --frames 12 --hold 12
expect_report "frames are packed, in order, and unchanged after the camera has stopped" "$RESULTS/plain" \
  '(len(frames) == 12 and rising("sequence") and rising("midExposure") and len({f["hash"] for f in frames}) == 12
   and all(f["byteCount"] == 320 * 180 * 3 // 2 for f in frames)
   and [l["hash"] for l in lines if l["event"] == "held"] == [f["hash"] for f in frames])'
expect_report "the range of video is told" "$RESULTS/plain" 'event("started")["sampleRange"] == "limited"'

v4l2-ctl -d "$device" -c percentage_of_dropped_buffers=40
probe dropped "$device" $small --frames 20
v4l2-ctl -d "$device" -c percentage_of_dropped_buffers=0
expect_report "frames the driver drops are counted" "$RESULTS/dropped" \
  'len(frames) == 20 and gaps(frames) > 0 and event("ended")["losses"]["droppedByDevice"] >= gaps(frames)'

in_background probe flagged "$device" $small --frames 30
wait_until "frames flow" has_frames "$RESULTS/flagged" 3
v4l2-ctl -d "$device" -c inject_v4l2_buf_flag_error=1
wait $last
expect_report "a frame flagged by the driver keeps its flag" "$RESULTS/flagged" \
  'len(frames) == 30 and sum(f["isFlaggedErroneous"] for f in frames) == 1'

for operation in reqbufs qbuf streamon; do
  v4l2-ctl -d "$device" -c inject_vidioc_${operation}_error=1
  probe $operation "$device" $small --frames 2
  expect_report "a driver that fails at $operation is refused by name" "$RESULTS/$operation" \
    'event("refused")["code"] == "failed" and "VIDIOC_'${operation^^}'" in event("refused")["reason"]'
done
probe recovered "$device" $small --frames 2
expect_report "it starts the next time" "$RESULTS/recovered" 'len(frames) == 2'

# Stamps of another time line, which wrap while frames flow (vivid lets them start 16 s before the 64 bits are full).
v4l2-ctl -d "$device" -c wrap_timestamp=1
probe stamps "$device" $small --frames 12
v4l2-ctl -d "$device" -c wrap_timestamp=0
expect_report "stamps that are not times of this machine are not believed, and frames stay in order" "$RESULTS/stamps" \
  '(len(frames) == 12 and rising("midExposure")
   and all(0 <= f["dequeued"] - f["midExposure"] < 1_000_000_000 for f in frames))'

in_background probe fatal "$device" $small --frames 100000
wait_until "frames flow" has_frames "$RESULTS/fatal" 3
v4l2-ctl -d "$device" -c inject_fatal_streaming_error=1
wait $last
expect_report "a broken stream ends by itself, as failed" "$RESULTS/fatal" 'event("ended")["code"] == "failed"'

in_background probe gone "$device" $small --frames 100000 --hold 6
wait_until "frames flow" has_frames "$RESULTS/gone" 8
v4l2-ctl -d "$device" -c disconnect=1
wait $last
expect_report "an unplugged camera ends its stream as absent" "$RESULTS/gone" 'event("ended")["code"] == "absent"'
expect_report "frames kept over the unplugging are unchanged" "$RESULTS/gone" \
  '[l["hash"] for l in lines if l["event"] == "held"] == [f["hash"] for f in frames[:6]]'
