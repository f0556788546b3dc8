import CameraKit
import CaptureModel
import ImageMetadata

/// Converts a driver's frame to a ring frame: checks that it is complete, and encodes it once if it is not JPEG yet.
///
/// The samples of a sensor's mosaic are kept unchanged. Only a frame that becomes the picture of a capture is
/// developed.
///
/// Not `Sendable`: it belongs to one session and its thread.
struct FrameIntake: ~Copyable {
    /// Why a frame does not reach the ring.
    enum Rejection: Error {
        /// The driver's error flag is set.
        case flaggedErroneous
        /// The bytes are not a complete image of the stream's size.
        case torn(String)
    }

    private let format: VideoFormat
    private let encoder: PictureEncoder?
    private let clock: any TimeSource

    /// - Parameter quality: Encoder quality, 1 to 100, for streams that are not JPEG.
    init(
        format: VideoFormat, range: SampleRange = .full, quality: Int, clock: any TimeSource
    ) throws(CaptureProblem) {
        self.format = format
        self.clock = clock
        let family = format.pixelFormat.family
        let isEncoded = family != .jpeg && !family.isMosaic
        encoder = isEncoded ? try PictureEncoder(format: format, range: range, quality: quality) : nil
    }

    func accept(_ frame: CameraFrame) throws(Rejection) -> RingFrame {
        guard !frame.isFlaggedErroneous else { throw .flaggedErroneous }
        let payload = try payload(of: frame)
        return RingFrame(
            sequence: frame.sequence, midExposure: frame.midExposure, stampBound: frame.stampBound,
            exposure: frame.exposure, gain: frame.gain, dequeued: frame.dequeued, ready: clock.now(),
            payload: payload)
    }

    private func payload(of frame: CameraFrame) throws(Rejection) -> FramePayload {
        switch frame.payload {
        case .jpeg(let lease): .jpeg(try checked(lease.bytes))
        case .planes(let lease): .jpeg(try encoded(lease))
        case .mosaic(let lease): .mosaic(try samples(of: lease))
        }
    }

    private func encoded(_ lease: FrameLease) throws(Rejection) -> [UInt8] {
        guard let encoder else { throw .torn("planes of samples are not a frame of \(format)") }
        do {
            return try encoder.encode(lease)
        } catch {
            throw .torn(error.message)
        }
    }

    /// Returns the frame without trailing bytes of the driver, if it is complete.
    private func samples(of lease: FrameLease) throws(Rejection) -> RawFrame {
        guard let count = format.pixelFormat.byteCount(width: format.width, height: format.height),
            lease.byteCount >= count
        else { throw .torn("\(lease.byteCount) bytes are not a frame of \(format)") }
        let bytes = lease.bytes
        return RawFrame(bytes: bytes.count == count ? bytes : Array(bytes.prefix(count)), format: format)
    }

    private func checked(_ bytes: [UInt8]) throws(Rejection) -> [UInt8] {
        do {
            let frame = try JPEGStructure(parsing: bytes).frame
            guard frame.width == format.width, frame.height == format.height else {
                throw Rejection.torn("the frame is \(frame.width)x\(frame.height), the stream \(format)")
            }
            return bytes
        } catch let rejection as Rejection {
            throw rejection
        } catch {
            throw .torn("\(error)")
        }
    }
}
