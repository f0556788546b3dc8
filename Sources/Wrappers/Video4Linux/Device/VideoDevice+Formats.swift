import CVideo4Linux
import Glibc

extension VideoDevice {
    /// Returns the pixel formats in which the device captures (`VIDIOC_ENUM_FMT`).
    public func formats() throws(VideoError) -> [FormatDescription] {
        let items = try enumerate(
            "VIDIOC_ENUM_FMT", { unsafe cv4l_enumerate_format(descriptor, queue, $0, &$1) },
            initial: cv4l_format_description())
        return items.map(FormatDescription.init)
    }

    /// Returns the sizes of a pixel format (`VIDIOC_ENUM_FRAMESIZES`); empty if the driver does not report them.
    public func frameSizes(of format: FourCC) throws(VideoError) -> [FrameSizes] {
        let items = try enumerate(
            "VIDIOC_ENUM_FRAMESIZES",
            { unsafe cv4l_enumerate_frame_size(descriptor, $0, format.rawValue, &$1) },
            initial: cv4l_frame_size())
        return items.map(FrameSizes.init)
    }

    /// Returns the frame intervals of a size (`VIDIOC_ENUM_FRAMEINTERVALS`); empty if the driver does not report them.
    public func frameIntervals(
        of format: FourCC, width: UInt32, height: UInt32
    ) throws(VideoError) -> [FrameIntervals] {
        let items = try enumerate(
            "VIDIOC_ENUM_FRAMEINTERVALS",
            { unsafe cv4l_enumerate_frame_interval(descriptor, $0, format.rawValue, width, height, &$1) },
            initial: cv4l_frame_interval())
        return items.map(FrameIntervals.init)
    }

    /// Returns the current format (`VIDIOC_G_FMT`).
    public func format() throws(VideoError) -> PixelLayout {
        var answer = cv4l_pixel_format()
        try check(unsafe cv4l_get_format(descriptor, queue, &answer), "VIDIOC_G_FMT")
        return PixelLayout(answer)
    }

    /// Sets the format (`VIDIOC_S_FMT`) and returns the driver's choice, which may differ.
    /// - Throws: ``VideoError``; `EBUSY` while anyone streams.
    public func setFormat(_ format: FourCC, width: UInt32, height: UInt32) throws(VideoError) -> PixelLayout {
        var answer = cv4l_pixel_format()
        answer.fourcc = format.rawValue
        answer.width = width
        answer.height = height
        answer.field = UInt32(CV4L_FIELD_NONE)
        try check(unsafe cv4l_set_format(descriptor, queue, &answer), "VIDIOC_S_FMT")
        return PixelLayout(answer)
    }

    /// Sets the format of a node that captures metadata (`VIDIOC_S_FMT`), unless it is set, and returns the driver's choice, which may
    /// differ.
    /// - Throws: ``VideoError``; `EBUSY` while anyone captures them.
    public func setMetadataFormat(_ format: FourCC) throws(VideoError) -> FourCC {
        var fourcc = format.rawValue
        try check(unsafe cv4l_set_metadata_format(descriptor, &fourcc), "VIDIOC_S_FMT")
        return FourCC(rawValue: fourcc)
    }

    /// Returns the time between frames, in seconds (`VIDIOC_G_PARM`).
    public func frameInterval() throws(VideoError) -> Fraction {
        var answer = cv4l_fraction()
        try check(unsafe cv4l_get_interval(descriptor, queue, &answer), "VIDIOC_G_PARM")
        return Fraction(answer)
    }

    /// Sets the time between frames (`VIDIOC_S_PARM`) and returns the driver's choice.
    public func setFrameInterval(_ interval: Fraction) throws(VideoError) -> Fraction {
        var answer = cv4l_fraction(numerator: interval.numerator, denominator: interval.denominator)
        try check(unsafe cv4l_set_interval(descriptor, queue, &answer), "VIDIOC_S_PARM")
        return Fraction(answer)
    }
}

extension VideoDevice: ControlAccess {
    /// Returns every control with a single value, in the order of their ids (`VIDIOC_QUERY_EXT_CTRL`, Linux 3.17); empty if the driver has
    /// none.
    public func controls() throws(VideoError) -> [VideoControl] {
        var controls: [VideoControl] = []
        var id: UInt32 = 0
        while true {
            var answer = cv4l_control()
            let errorNumber = unsafe cv4l_next_control(descriptor, id, &answer)
            // The ids must increase. Otherwise a driver that repeats one would cause an endless loop.
            if errorNumber == EINVAL || errorNumber == ENOTTY || (errorNumber == 0 && answer.id <= id) { break }
            try check(errorNumber, "VIDIOC_QUERY_EXT_CTRL")
            id = answer.id
            if let control = VideoControl(answer) { controls.append(control) }
        }
        return VideoControl.withUniqueKeys(controls)
    }

    /// Returns the control with this id; nil if the device has none.
    public func control(_ id: UInt32) throws(VideoError) -> VideoControl? {
        var answer = cv4l_control()
        let errorNumber = unsafe cv4l_query_control(descriptor, id, &answer)
        if errorNumber == EINVAL || errorNumber == ENOTTY { return nil }
        try check(errorNumber, "VIDIOC_QUERY_EXT_CTRL")
        return VideoControl(answer)
    }

    /// Returns the entries of a menu control in order of index, with the gaps that drivers leave (`VIDIOC_QUERYMENU`).
    public func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem] {
        guard control.kind.hasMenu else { return [] }
        var items: [VideoMenuItem] = []
        // The bound guards against an absurd range.
        for index in Int64(0)..<1024 where index >= control.minimum && index <= control.maximum {
            var item = cv4l_menu_item()
            let errorNumber = unsafe cv4l_menu_item(
                descriptor, control.id, UInt32(index), control.kind == .integerMenu, &item)
            if errorNumber == EINVAL { continue }
            try check(errorNumber, "VIDIOC_QUERYMENU")
            items.append(VideoMenuItem(index: index, item, control.kind))
        }
        return items
    }

    /// Returns the value of a control (`VIDIOC_G_EXT_CTRLS`). May wait for the hardware.
    public func value(of control: VideoControl) throws(VideoError) -> Int64 {
        var value: Int64 = 0
        try check(
            unsafe cv4l_get_control(descriptor, control.id, control.kind.rawValue, &value), "VIDIOC_G_EXT_CTRLS")
        // A bitmask has 32 bits, and the highest one is not a sign.
        return control.kind == .bitmask ? value & 0xFFFF_FFFF : value
    }

    /// Sets controls with one `VIDIOC_S_EXT_CTRLS`. May wait for the hardware. After a failure some may have been set.
    /// - Throws: ``VideoError``: `E2BIG` for more than 128, otherwise the driver's error.
    public func setValues(_ assignments: [ControlAssignment]) throws(VideoError) {
        let values = assignments.map {
            cv4l_control_value(id: $0.control.id, type: $0.control.kind.rawValue, value: $0.value)
        }
        var errorIndex: UInt32 = 0
        let errorNumber = unsafe cv4l_set_controls(descriptor, values, UInt32(clamping: values.count), &errorIndex)
        guard errorNumber != 0 else { return }
        let refused = assignments.indices.contains(Int(errorIndex)) ? assignments[Int(errorIndex)].control.key : nil
        try check(errorNumber, "VIDIOC_S_EXT_CTRLS" + (refused.map { " \($0)" } ?? ""))
    }
}

extension VideoDevice {
    /// Requests frame buffers from the driver (`VIDIOC_REQBUFS`) and maps them. The driver may create more or fewer than requested.
    ///
    /// From this call until ``freeBuffers()`` only this process can use the device.
    public func makeBuffers(_ count: UInt32) throws(VideoError) -> [MappedBuffer] {
        var made = count
        try check(unsafe cv4l_request_buffers(descriptor, queue, &made), "VIDIOC_REQBUFS")
        var buffers: [MappedBuffer] = []
        for index in 0..<made {
            buffers.append(try MappedBuffer(of: self, index: index))
        }
        return buffers
    }

    /// Releases the buffers and makes the device available to others. Buffers that are still mapped stay readable (kernels before 4.20
    /// answer `EBUSY` instead, and the device is available when the last mapping is removed).
    public func freeBuffers() throws(VideoError) {
        var none: UInt32 = 0
        try check(unsafe cv4l_request_buffers(descriptor, queue, &none), "VIDIOC_REQBUFS")
    }

    /// Gives a buffer to the driver to be filled (`VIDIOC_QBUF`).
    public func enqueue(_ index: UInt32) throws(VideoError) {
        try check(cv4l_queue_buffer(descriptor, queue, index), "VIDIOC_QBUF")
    }

    /// Returns the oldest filled buffer (`VIDIOC_DQBUF`); nil if none is filled. Never blocks.
    public func dequeue() throws(VideoError) -> FilledBuffer? {
        var frame = cv4l_frame()
        let errorNumber = unsafe cv4l_dequeue_buffer(descriptor, queue, &frame)
        if errorNumber == EAGAIN { return nil }
        try check(errorNumber, "VIDIOC_DQBUF")
        return FilledBuffer(frame)
    }

    /// Starts the hardware (`VIDIOC_STREAMON`).
    /// - Throws: ``VideoError``; `ENOSPC` if the USB bus has too little bandwidth left.
    public func startStreaming() throws(VideoError) {
        try check(cv4l_stream_on(descriptor, queue), "VIDIOC_STREAMON")
    }

    /// Stops the hardware (`VIDIOC_STREAMOFF`), and takes all buffers back from the driver.
    public func stopStreaming() throws(VideoError) {
        try check(cv4l_stream_off(descriptor, queue), "VIDIOC_STREAMOFF")
    }

    /// Blocks until a frame is filled, the device has failed or another descriptor (an eventfd) is readable.
    public func wait(orReadable descriptor: Int32) throws(VideoError) -> Readiness {
        var readiness = cv4l_readiness()
        try check(unsafe cv4l_wait(self.descriptor, descriptor, &readiness), "poll")
        return Readiness(readiness)
    }
}
