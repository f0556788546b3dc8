import CaptureDevices
import CaptureModel
import ImageMetadata
import TurboJPEG

/// Turns a driver's frame into a ring frame: checks that it is whole, and encodes once what is not JPEG yet.
///
/// Not `Sendable`: it belongs to one session and its thread.
struct FrameIntake: ~Copyable {
    /// Why a frame does not reach the ring.
    enum Rejection: Error {
        /// The driver's error flag is set.
        case flaggedErroneous
        /// The bytes are no whole image of the stream's size.
        case torn(String)
    }

    private let format: VideoFormat
    private let quality: Int
    private let encoder: JPEGEncoder?
    private let clock: any TimeSource

    /// - Parameter quality: Encoder quality, 1 to 100, for streams that are not JPEG.
    init(format: VideoFormat, quality: Int, clock: any TimeSource) throws(CaptureProblem) {
        self.format = format
        self.quality = quality
        self.clock = clock
        do {
            encoder = format.pixelFormat == .mjpeg ? nil : try JPEGEncoder()
        } catch {
            throw CaptureProblem(.notRunning, "no JPEG encoder: \(error)")
        }
    }

    func accept(_ frame: CameraFrame) throws(Rejection) -> RingFrame {
        guard !frame.isFlaggedErroneous else { throw .flaggedErroneous }
        let jpeg = try jpeg(of: frame.lease)
        return RingFrame(
            sequence: frame.sequence, midExposure: frame.midExposure, stampBound: frame.stampBound,
            exposure: frame.exposure, dequeued: frame.dequeued, ready: clock.now(), jpeg: jpeg)
    }

    private func jpeg(of lease: FrameLease) throws(Rejection) -> [UInt8] {
        switch format.pixelFormat {
        case .mjpeg: try checked(lease.bytes)
        case .yuyv: try encoded(lease)
        }
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

    private func encoded(_ lease: FrameLease) throws(Rejection) -> [UInt8] {
        let (width, height) = (format.width, format.height)
        guard let encoder, lease.byteCount >= width * height * 2 else {
            throw .torn("\(lease.byteCount) bytes are no frame of \(format)")
        }
        var output: [UInt8] = []
        do {
            try lease.withBytes { bytes in
                // The bytes are plain numbers: any view of them is valid for the length of the call.
                let pixels = unsafe bytes._unsafeView(as: UInt8.self)
                try encoder.encodeYUYV(
                    pixels, stride: width * 2, width: width, height: height, quality: quality, into: &output)
            }
        } catch {
            throw .torn("\(error)")
        }
        return output
    }
}
