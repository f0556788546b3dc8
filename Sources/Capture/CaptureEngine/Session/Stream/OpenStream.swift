import CameraKit
import CaptureModel

/// A camera's stream while it is open.
struct OpenStream {
    /// The use of its frames.
    enum Purpose {
        /// The session's format, for every output.
        case session
        /// A still's format. The frames are only for the still, because outputs expect the stream's format.
        case photo
    }

    let stream: any CameraStream
    let purpose: Purpose
    /// When the camera was requested to open it.
    let askedAt: LocalTime
    /// When its newest good frame arrived; nil before the first one.
    var lastGoodFrame: LocalTime?
    /// What was wrong with the frames since then.
    var rejected = RejectedFrames()
    /// The format of its frames. The size is that of the pictures, if the camera delivers another than agreed.
    var format: VideoFormat

    init(stream: any CameraStream, purpose: Purpose, askedAt: LocalTime) {
        self.stream = stream
        self.purpose = purpose
        self.askedAt = askedAt
        format = stream.format
    }

    /// The format that camera and driver agreed on, in which the stream is requested again.
    var agreedFormat: VideoFormat { stream.format }

    /// Why it has no good frame at this instant and what to do, as a sentence.
    func complaint(at now: LocalTime) -> String {
        rejected.explanation(after: now - (lastGoodFrame ?? askedAt), of: format)
    }
}

/// What the openings of a device have shown.
struct KnownDevice {
    /// The hardware's own description when it was last opened.
    var hardware = CameraHardware()
    /// The USB bus of the device at that time.
    var bus: SessionCost.USBBus?
    /// What it offers; nil before it was asked.
    var offers: [FormatOffer]?
    /// The time that it takes from one format to another.
    var reopening = ReopeningTime()
}
