# What every camera owes its users, of a camera of the kernel's virtual video driver in its Bayer formats.
conforming_formats "$(vivid_device 0) $(vivid_device 3)" BA81 GBRG GRBG RGGB BG10 GB10 BA10 RG10 BG12 GB12 BA12 RG12 BYR2 GB16 GR16 RG16
