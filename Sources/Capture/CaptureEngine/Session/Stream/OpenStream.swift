import CameraKit
import CaptureModel

/// A camera's stream while it is open.
struct OpenStream {
    /// Whose frames it gives.
    enum Purpose {
        /// Those of the session's format: every output's.
        case session
        /// Those of a still's format: only the still's, since an output has asked for the stream's.
        case photo
    }

    let stream: any CameraStream
    let purpose: Purpose
    /// When the camera was asked for it.
    let askedAt: LocalTime
    /// When its newest good frame came; nil before the first one.
    var lastGoodFrame: LocalTime?

    var format: VideoFormat { stream.format }
}

/// What the openings of a device have shown of it.
struct DeviceKnowledge {
    /// What the hardware said of itself when it was last opened.
    var hardware = CameraHardware()
    /// The USB bus it was on then.
    var bus: SessionCost.USBBus?
    /// What it offers; nil before it was asked.
    var offers: [FormatOffer]?
    /// How long it takes from one format to another.
    var reopening = ReopeningTime()
}
