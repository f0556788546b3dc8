# What every camera owes its users, of cameras of the kernel's uvcvideo driver, two at once among it.
plug_in 0 CAM0 --no-dht
plug_in 1 CAM1
expect_conformance uvc --serial CAM0 --other "$(uvc_device CAM1)" --format MJPG --size 640x360 --fps 10
