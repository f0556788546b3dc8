# What every camera owes its users, of cameras of the kernel's virtual video driver in its formats of colors and grays, one of
# them converted; two cameras at once among it.
device=$(vivid_device 0)
conforming_formats "$device $(vivid_device 3)" UYVY NV12 NV21 YU12 GREY Y10 Y12 RGB3
expect_conformance YVYU "$device" --driver-format YVYU --size 320x180 --fps 30
expect_conformance YUYV "$device" --other "$(vivid_device 1)" --format YUYV --size 640x360 --fps 10
