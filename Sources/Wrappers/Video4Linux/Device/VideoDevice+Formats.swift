import CVideo4Linux

extension VideoDevice {
    /// The pixel formats the device captures in (`VIDIOC_ENUM_FMT`).
    public func formats() throws(VideoError) -> [FormatDescription] {
        let items = try enumerate(
            "VIDIOC_ENUM_FMT", { unsafe cv4l_enumerate_format(descriptor, queue, $0, &$1) },
            initial: cv4l_format_description())
        return items.map(FormatDescription.init)
    }

    /// The sizes of a pixel format (`VIDIOC_ENUM_FRAMESIZES`); none where the driver does not tell.
    public func frameSizes(of format: FourCC) throws(VideoError) -> [FrameSizes] {
        let items = try enumerate(
            "VIDIOC_ENUM_FRAMESIZES",
            { unsafe cv4l_enumerate_frame_size(descriptor, $0, format.rawValue, &$1) },
            initial: cv4l_frame_size())
        return items.map(FrameSizes.init)
    }

    /// The frame intervals of a size (`VIDIOC_ENUM_FRAMEINTERVALS`); none where the driver does not tell.
    public func frameIntervals(
        of format: FourCC, width: UInt32, height: UInt32
    ) throws(VideoError) -> [FrameIntervals] {
        let items = try enumerate(
            "VIDIOC_ENUM_FRAMEINTERVALS",
            { unsafe cv4l_enumerate_frame_interval(descriptor, $0, format.rawValue, width, height, &$1) },
            initial: cv4l_frame_interval())
        return items.map(FrameIntervals.init)
    }

    /// The format set at present (`VIDIOC_G_FMT`).
    public func format() throws(VideoError) -> PixelLayout {
        var answer = cv4l_pixel_format()
        try check(unsafe cv4l_get_format(descriptor, queue, &answer), "VIDIOC_G_FMT")
        return PixelLayout(answer)
    }

    /// Sets the format (`VIDIOC_S_FMT`) and returns what the driver made of it, which may be another one.
    /// - Throws: ``VideoError``; `EBUSY` while anybody streams.
    public func setFormat(_ format: FourCC, width: UInt32, height: UInt32) throws(VideoError) -> PixelLayout {
        var answer = cv4l_pixel_format()
        answer.fourcc = format.rawValue
        answer.width = width
        answer.height = height
        answer.field = UInt32(CV4L_FIELD_NONE)
        try check(unsafe cv4l_set_format(descriptor, queue, &answer), "VIDIOC_S_FMT")
        return PixelLayout(answer)
    }

    /// The time from frame to frame, in seconds (`VIDIOC_G_PARM`).
    public func frameInterval() throws(VideoError) -> Fraction {
        var answer = cv4l_fraction()
        try check(unsafe cv4l_get_interval(descriptor, queue, &answer), "VIDIOC_G_PARM")
        return Fraction(answer)
    }

    /// Sets the time from frame to frame (`VIDIOC_S_PARM`) and returns what the driver made of it.
    public func setFrameInterval(_ interval: Fraction) throws(VideoError) -> Fraction {
        var answer = cv4l_fraction(numerator: interval.numerator, denominator: interval.denominator)
        try check(unsafe cv4l_set_interval(descriptor, queue, &answer), "VIDIOC_S_PARM")
        return Fraction(answer)
    }
}
