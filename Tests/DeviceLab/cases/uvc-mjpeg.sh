# MJPEG from USB cameras by the kernel's uvcvideo driver: identity, bytes, exposure, unplugging.
plug_in 0 CAM0 --no-dht
plug_in 1 CAM1 --no-dht
mkdir "$RESULTS/frames"

probe one --serial CAM1 --format MJPG --size 640x360 --fps 10 --frames 15 --save "$RESULTS/frames"
expect_report "15 frames arrive" "$RESULTS/one" 'len(frames) == 15'
expect_report "each is byte for byte one the camera of this serial sent" "$RESULTS/one" \
  'len(saved("frames")) == 15 and set(saved("frames")) <= sent("CAM1")'
expect_report "maker, model and serial are known" "$RESULTS/one" \
  'event("started")["hardware"]["serial"] == "CAM1" and event("started")["hardware"]["make"] == "Devicelab" and "UVC" in event("started")["hardware"]["model"]'
expect_report "an automatic exposure is not taken for known" "$RESULTS/one" \
  'all("exposureNanoseconds" not in f for f in frames)'

device=$(uvc_device CAM0)
ln -s "$device" /tmp/my-camera
v4l2-ctl -d "$device" -c auto_exposure=1
v4l2-ctl -d "$device" -c exposure_time_absolute=200
probe exposure /tmp/my-camera --frames 3
expect_report "a link to a camera is that camera" "$RESULTS/exposure" 'event("started")["hardware"]["serial"] == "CAM0"'
# Half of the exposure beside an interval: the stated one of 100 ms, or the observed one if that is longer.
expect_report "a set exposure is known and shortens the bound" "$RESULTS/exposure" \
  'all(f["exposureNanoseconds"] == 20_000_000 and 110_000_000 <= f["boundNanoseconds"] < 125_000_000 for f in frames) and len(frames) == 3'

metadata=/dev/video$((${device#/dev/video} + 1))
probe metadata "$metadata"
expect_report "a metadata node is refused" "$RESULTS/metadata" \
  'event("refused")["code"] == "failed" and "metadata" in event("refused")["reason"]'

setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/v4l2-probe" "$device" > "$RESULTS/denied"
expect_report "a forbidden camera names the video group" "$RESULTS/denied" \
  'event("refused")["code"] == "denied" and "video" in event("refused")["reason"]'

in_background probe gone --serial CAM0 --frames 100000 --hold 4
gone=$last
in_background probe other --serial CAM1 --frames 40
other=$last
wait_until "frames flow" has_frames "$RESULTS/gone" 6
unplug 0
wait $gone
expect_report "an unplugged camera ends its stream as absent" "$RESULTS/gone" 'event("ended")["code"] == "absent"'
expect_report "frames kept over the unplugging are unchanged" "$RESULTS/gone" \
  '[l["hash"] for l in lines if l["event"] == "held"] == [f["hash"] for f in frames[:4]]'
wait $other
expect_report "the other camera goes on" "$RESULTS/other" 'len(frames) == 40 and event("ended").get("code") is None'

probe absent --serial CAM0
expect_report "an unplugged camera is absent" "$RESULTS/absent" 'event("refused")["code"] == "absent"'
plug_in 2 CAM0 --no-dht
probe moved --serial CAM0 --frames 3
expect_report "it is found again at another port" "$RESULTS/moved" 'len(frames) == 3'

plug_in 0 CAM1
probe ambiguous --serial CAM1
expect_report "two cameras of one serial are refused" "$RESULTS/ambiguous" 'event("refused")["code"] == "ambiguous"'
