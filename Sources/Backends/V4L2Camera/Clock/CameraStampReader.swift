import CameraKit
import CaptureModel
import Glibc
import Logging
import Video4Linux

/// Reads when a USB camera says that it captured its frames: opens the node with their metadata, and follows the camera's clock. Says in
/// the log, once in a stream each, that the clock stamps the frames, and why the driver does instead. Used only on the camera's thread.
final class CameraStampReader {
    private let device: String
    private let log = Logger(label: "camera") { StreamLogHandler.standardError(label: $0) }
    private var cameraClock: UVCClock
    /// nil once the clock is not used.
    private var metadata: UVCMetadata?
    private var hasToldPlaced = false

    /// Opens the node, before the frames' node captures. Blocks. Without it, the driver stamps the frames.
    /// - Parameter device: The device as it is configured, for the log.
    init(_ setup: V4L2Setup, device: String, _ locator: V4L2Locator) {
        self.device = device
        cameraClock = UVCClock(frameInterval: setup.format.frameInterval)
        guard let path = locator.metadataPath(besideNodeAt: setup.device.path) else {
            refuse("its driver has no node with the headers of its frames, as uvcvideo has for USB cameras")
            return
        }
        do throws(VideoError) {
            metadata = try UVCMetadata(path: path)
        } catch {
            refuse(error.description)
        }
    }

    /// Returns when a frame was captured; nil if the camera's clock does not say so.
    /// - Parameter sequence: The driver's number of the frame.
    func reading(of sequence: UInt32, dequeued: LocalTime) -> UVCClock.Reading? {
        guard let metadata else { return nil }
        let headers: [UVCPayloadHeader]
        do throws(VideoError) {
            headers = try metadata.headers(of: sequence)
        } catch {
            // The frames' node says that the camera is gone.
            if error.errorNumber == ENODEV { end() } else { refuse(error.description) }
            return nil
        }
        let reading = cameraClock.read(headers, dequeued: dequeued)
        switch cameraClock.state {
        case .placed: tellPlaced()
        case .refused(let refusal): refuse(refusal.rawValue)
        case .settling, .proving: break
        }
        return reading
    }

    /// Frees the node.
    func end() {
        metadata?.end()
        metadata = nil
    }

    private func refuse(_ why: String) {
        end()
        log.notice("\(device): the driver stamps its frames, and the camera's clock is not used: \(why)")
    }

    private func tellPlaced() {
        guard !hasToldPlaced, let scatter = cameraClock.scatter else { return }
        hasToldPlaced = true
        log.notice("\(device): the camera's clock stamps its frames; its readings scatter by \(scatter.text)")
    }
}
