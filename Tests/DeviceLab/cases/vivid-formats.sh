# Every pixel format of the kernel's virtual video driver that the rig has a name for, and some that are converted: bytes are
# those that v4l2-ctl captures, and the colors of a still's bars those of its RGB capture.
device=$(vivid_device 0)
formats single "$device" RGB3 YUYV UYVY NV12 NV21 YU12 GREY Y10 Y12
formats single "$device" BA81 GBRG GRBG RGGB BG10 GB10 BA10 RG10 BG12 GB12 BA12 RG12 BYR2 GB16 GR16 RG16
formats single "$device" YVYU NV16 YV12 Y16 BGR3 RGBP XR24 BX24
offers "$device"
