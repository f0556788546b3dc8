# A microphone of ALSA's loopback driver: what is played to its device 0 is captured from device 1.
mic=hw:CARD=Loopback,DEV=1
modprobe_loopback() { grep -q Loopback /proc/asound/cards; }
wait_until "the loopback card appears" modprobe_loopback

# tone NAME EXPRESSION: a Python expression about a clip and its sound, measured by FFmpeg, holds.
tone() {
  expect "$1" python3 "$LAB/sound.py" "$RESULTS/clip" "$RESULTS/clip.raw" "$2"
}

"$BIN/alsa-probe" list > "$RESULTS/list"
expect "the loopback microphone is listed by its card" grep -q '"device":"hw:CARD=Loopback,DEV=1"' "$RESULTS/list"

ffmpeg -v error -f lavfi -i sine=frequency=440:sample_rate=48000:duration=60 -ac 2 -c:a pcm_s16le -y "$RESULTS/tone.wav"
# With two seconds ahead, so that a guest that is slow for a moment plays on.
aplay -q -D hw:CARD=Loopback,DEV=0 --buffer-time=2000000 "$RESULTS/tone.wav" &
children+=($!)

expect "a clip is recorded" sh -c "'$BIN/alsa-probe' $mic 48000 2 3 '$RESULTS/clip.raw' > '$RESULTS/clip'"
cat "$RESULTS/clip"
tone "the clip is as long as its window" 'abs(clip["frames"] - 3 * (clip["measuredRate"] or 48000)) <= 1'
tone "the clip has no gap" 'clip["gaps"] == []'
tone "the clip has the tone that was played" 'abs(frequency - 440) < 2 and level > -30'
tone "the rate is that of the card" 'abs(clip["measuredRate"] - 48000) < 48'

# A process that stands still: the device overruns, and the silence is marked.
rm -f "$RESULTS/clip.raw"
"$BIN/alsa-probe" $mic 48000 2 6 "$RESULTS/clip.raw" > "$RESULTS/clip" &
probe=$!
status=/proc/asound/card*/pcm1c/sub0/status
# recorded COUNT: the device has recorded so many frames.
recorded() { [ "$(sed -n 's/^hw_ptr *: *//p' $status)" -ge "$1" ]; }
wait_until "the probe records" grep -q recording "$RESULTS/clip"
wait_until "a second is recorded" recorded 48000
kill -STOP $probe; stopped=$EPOCHREALTIME
wait_until "the device overruns" grep -q XRUN $status
kill -CONT $probe; continued=$EPOCHREALTIME
expect "a clip with an overrun is recorded" wait $probe
cat "$RESULTS/clip"
tone "the overrun is one marked gap" '[gap["cause"] for gap in clip["gaps"]] == ["overrun"]'
tone "the gap is as long as the process stood still" "abs(clip['gaps'][0]['count'] / 48000 - ($continued - $stopped)) < 0.3"
tone "the clip is as long as its window, in spite of it" 'abs(clip["frames"] - 6 * (clip["measuredRate"] or 48000)) <= 1'

arecord -q -D $mic -f S16_LE -r 48000 -c 2 -d 30 "$RESULTS/other.wav" &
other=$!
wait_until "another program records" grep -q RUNNING $status
for sub in 1 2 3 4 5 6 7; do arecord -q -D hw:CARD=Loopback,DEV=1,SUBDEV=$sub -f S16_LE -r 48000 -c 2 -d 30 /dev/null & children+=($!); done
wait_until "all subdevices are taken" grep -q RUNNING /proc/asound/card*/pcm1c/sub7/status
expect "a microphone in use is refused" sh -c "! '$BIN/alsa-probe' $mic 48000 2 1 /dev/null > '$RESULTS/busy'"
expect "and is called busy" grep -q '"state":"busy"' "$RESULTS/busy"
kill $other

expect "a microphone without permission is refused" \
  sh -c "! setpriv --reuid 65534 --regid 65534 --clear-groups '$BIN/alsa-probe' $mic 48000 2 1 /dev/null > '$RESULTS/denied'"
cat "$RESULTS/denied"
expect "and is called denied" grep -q '"state":"denied"' "$RESULTS/denied"
expect "with the remedy" grep -q 'GROUP=.*audio' "$RESULTS/denied"
