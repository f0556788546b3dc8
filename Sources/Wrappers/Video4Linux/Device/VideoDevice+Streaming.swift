import CVideo4Linux
import Glibc

extension VideoDevice {
    /// Has the driver make frame buffers (`VIDIOC_REQBUFS`) and maps them; it may make more or fewer than asked for.
    ///
    /// From here until ``freeBuffers()`` the device is this process's alone.
    public func makeBuffers(_ count: UInt32) throws(VideoError) -> [MappedBuffer] {
        var made = count
        try check(unsafe cv4l_request_buffers(descriptor, queue, &made), "VIDIOC_REQBUFS")
        var buffers: [MappedBuffer] = []
        for index in 0..<made {
            buffers.append(try MappedBuffer(of: self, index: index))
        }
        return buffers
    }

    /// Gives the buffers up and the device free for others, even while some are still mapped: those stay readable
    /// (kernels before 4.20 answer `EBUSY` instead, and the device is free when the last mapping has gone).
    public func freeBuffers() throws(VideoError) {
        var none: UInt32 = 0
        try check(unsafe cv4l_request_buffers(descriptor, queue, &none), "VIDIOC_REQBUFS")
    }

    /// Gives a buffer to the driver to be filled (`VIDIOC_QBUF`).
    public func enqueue(_ index: UInt32) throws(VideoError) {
        try check(cv4l_queue_buffer(descriptor, queue, index), "VIDIOC_QBUF")
    }

    /// Takes the oldest filled buffer (`VIDIOC_DQBUF`); nil where none is filled. Never blocks.
    public func dequeue() throws(VideoError) -> FilledBuffer? {
        var frame = cv4l_frame()
        let errorNumber = unsafe cv4l_dequeue_buffer(descriptor, queue, &frame)
        if errorNumber == EAGAIN { return nil }
        try check(errorNumber, "VIDIOC_DQBUF")
        return FilledBuffer(frame)
    }

    /// Starts the hardware (`VIDIOC_STREAMON`).
    /// - Throws: ``VideoError``; `ENOSPC` where the USB bus has too little bandwidth left.
    public func startStreaming() throws(VideoError) {
        try check(cv4l_stream_on(descriptor, queue), "VIDIOC_STREAMON")
    }

    /// Stops the hardware (`VIDIOC_STREAMOFF`); takes all buffers back from the driver.
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
