import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TurboJPEG

@testable import CaptureEngine

@Suite struct FrameIntakeTests {
    private let clock = ManualTimeSource()
    private let jpeg: [UInt8]
    private let mjpeg = VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40))
    private let yuyv = VideoFormat(pixelFormat: .yuyv, width: 160, height: 120, frameInterval: .milliseconds(40))

    init() throws {
        jpeg = try Self.picture(width: 160, height: 120)
    }

    private static func packed(width: Int, height: Int) -> [UInt8] {
        (0..<width * height * 2).map { $0.isMultiple(of: 2) ? UInt8(truncatingIfNeeded: $0 / 2 % width) : 128 }
    }

    private static func picture(width: Int, height: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        try JPEGEncoder().encode(
            packed(width: width, height: height).span, as: .yuyv, width: width, height: height, quality: 85,
            into: &output)
        return output
    }

    private func frame(
        _ bytes: [UInt8], of format: PixelFormat = .mjpeg, flagged: Bool = false
    ) -> CameraFrame {
        CameraFrame(
            sequence: 9, midExposure: clock.now() - .milliseconds(8), stampBound: .microseconds(100),
            exposure: .milliseconds(8), dequeued: clock.now(), isFlaggedErroneous: flagged,
            payload: CameraFrame.Payload(FrameLease(bytes), of: format))
    }

    private func intake(_ format: VideoFormat) throws -> FrameIntake {
        try FrameIntake(format: format, quality: 85, clock: clock)
    }

    @Test("Puts the camera's own bytes and stamps into the ring")
    func whole() throws {
        let kept = try intake(mjpeg).accept(frame(jpeg))
        #expect(kept.picture?.jpeg == jpeg)
        #expect(kept.sequence == 9)
        #expect(kept.midExposure == clock.now() - .milliseconds(8))
        #expect(kept.stampBound == .microseconds(100))
        #expect(kept.exposure == .milliseconds(8))
        #expect(kept.dequeued == clock.now())
    }

    @Test("Rejects a JPEG cut off at any byte")
    func torn() throws {
        for count in stride(from: 0, to: jpeg.count, by: 7) {
            #expect(try isTorn(Array(jpeg.prefix(count)), mjpeg), "cut after \(count) bytes")
        }
        #expect(try isTorn([UInt8](repeating: 0xFF, count: 5000), mjpeg))
    }

    @Test("Rejects a picture whose size is not the stream's")
    func wrongSize() throws {
        let other = try Self.picture(width: 176, height: 120)
        #expect(try isTorn(other, mjpeg))
    }

    @Test("Rejects a frame that the driver marks as erroneous")
    func flagged() throws {
        do {
            _ = try intake(mjpeg).accept(frame(jpeg, flagged: true))
            Issue.record("it was taken")
        } catch let rejection as FrameIntake.Rejection {
            if case .torn = rejection { Issue.record("counted as torn") }
        }
    }

    @Test("Turns an uncompressed frame into a readable picture of its scene")
    func encodesYUYV() throws {
        let kept = try intake(yuyv).accept(frame(Self.packed(width: 160, height: 120), of: .yuyv))
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(#require(kept.picture).jpeg, into: &image)
        #expect(image.width == 160)
        #expect(image.height == 120)
        #expect(image.warning == nil)
        for column in stride(from: 4, to: 156, by: 8) {
            #expect(abs(Int(image.bytes[60 * 160 + column]) - column) < 8)
        }
    }

    @Test("Rejects an uncompressed frame that is cut off")
    func shortYUYV() throws {
        for count in [0, 1, 160 * 120 * 2 - 1] {
            #expect(try isTorn([UInt8](repeating: 90, count: count), yuyv))
        }
        // Drivers pad: what is beyond the picture does no harm.
        _ = try intake(yuyv).accept(frame([UInt8](repeating: 90, count: 160 * 120 * 2 + 4096), of: .yuyv))
    }

    private static let encoded = PixelFormat.allCases.filter { $0.family != .jpeg && !$0.family.isMosaic }

    @Test(
        "A camera of another pixel format gives pictures that nothing can open, or of the wrong brightness",
        arguments: encoded)
    func encodesEveryFormat(_ pixelFormat: PixelFormat) throws {
        let format = VideoFormat(pixelFormat: pixelFormat, width: 160, height: 120, frameInterval: .milliseconds(40))
        let kept = try intake(format).accept(frame(Self.middleGray(format), of: format.pixelFormat))
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(#require(kept.picture).jpeg, into: &image)
        #expect((image.width, image.height) == (160, 120))
        #expect(image.warning == nil)
        #expect(image.bytes.allSatisfy { abs(Int($0) - 128) < 3 })
        #expect(try isTorn(Array(Self.middleGray(format).dropLast()), format))
    }

    /// Half of the largest value in every sample, and as chroma no color.
    private static func middleGray(_ format: VideoFormat) -> [UInt8] {
        let count = format.pixelFormat.byteCount(width: format.width, height: format.height) ?? 0
        guard case .gray(let bits) = format.pixelFormat.family, bits > 8 else {
            return [UInt8](repeating: 128, count: count)
        }
        return (0..<count).map { $0.isMultiple(of: 2) ? 0 : 1 << UInt8(bits - 9) }
    }

    @Test("Expands a picture in video range to full range")
    func widensRange() throws {
        let white = [UInt8](repeating: 235, count: 160 * 120) + [UInt8](repeating: 128, count: 160 * 60)
        let format = VideoFormat(pixelFormat: .nv12, width: 160, height: 120, frameInterval: .milliseconds(40))
        let intake = try FrameIntake(format: format, range: .limited, quality: 85, clock: clock)
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(#require(intake.accept(frame(white, of: .nv12)).picture).jpeg, into: &image)
        #expect(image.bytes.allSatisfy { $0 >= 254 })
    }

    @Test("Runs a camera that delivers a raw mosaic, and keeps its frames apart from pictures")
    func carriesMosaics() throws {
        let format = VideoFormat(pixelFormat: .rggb10, width: 160, height: 120, frameInterval: .milliseconds(40))
        let kept = try intake(format).accept(frame([UInt8](repeating: 1, count: 2 * 160 * 120), of: .rggb10))
        #expect(kept.picture == nil)
        #expect(kept.sequence == 9)
        #expect(try isTorn([UInt8](repeating: 1, count: 2 * 160 * 120 - 1), format))
    }

    private func isTorn(_ bytes: [UInt8], _ format: VideoFormat) throws -> Bool {
        do {
            _ = try intake(format).accept(frame(bytes, of: format.pixelFormat))
            return false
        } catch let rejection as FrameIntake.Rejection {
            if case .torn = rejection { return true }
            return false
        }
    }
}
