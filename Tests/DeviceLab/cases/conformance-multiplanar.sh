# What every camera owes its users, of a multi-planar device of the kernel's virtual video driver: frames in one memory plane,
# and in two and three that are packed into one.
device=$(vivid_device 2)
conforming_formats "$device" YUYV GREY RG10
for formats in NM12=NV12 NM21=NV21 YM12=YU12; do
  expect_conformance "${formats%=*}" "$device" --driver-format "${formats%=*}" --format "${formats#*=}" \
    --size 320x180 --fps 30
done
