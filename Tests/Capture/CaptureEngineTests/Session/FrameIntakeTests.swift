import CameraKit
import CaptureModel
import CaptureTestSupport
import ImageMetadata
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
            isCorrected: true, exposure: .milliseconds(8), dequeued: clock.now(), isFlaggedErroneous: flagged,
            payload: CameraFrame.Payload(FrameLease(bytes), of: format))
    }

    private func accept(
        _ bytes: [UInt8], _ format: VideoFormat, flagged: Bool = false
    ) throws -> FrameIntake.Accepted {
        var intake = try FrameIntake(format: format, quality: 85, clock: clock)
        return try intake.accept(frame(bytes, of: format.pixelFormat, flagged: flagged))
    }

    @Test("Puts the camera's own bytes and stamps into the ring")
    func whole() throws {
        let kept = try accept(jpeg, mjpeg).frame
        #expect(kept.picture?.jpeg == jpeg)
        #expect(kept.sequence == 9)
        #expect(kept.midExposure == clock.now() - .milliseconds(8))
        #expect(kept.stampBound == .microseconds(100) && kept.isCorrected)
        #expect(kept.exposure == .milliseconds(8))
        #expect(kept.dequeued == clock.now())
    }

    @Test("Rejects a JPEG cut off at any byte")
    func torn() throws {
        for count in stride(from: 0, to: jpeg.count - 2, by: 7) {
            #expect(try isTorn(Array(jpeg.prefix(count)), mjpeg), "cut after \(count) bytes")
        }
        #expect(try isTorn([UInt8](repeating: 0xFF, count: 5000), mjpeg))
    }

    @Test("Keeps a picture alone, whatever follows it")
    func trailing() throws {
        for rest in [Array("MAKER\0\0\u{1}".utf8), [UInt8](repeating: 0xFF, count: 16), Array(jpeg.suffix(900)), jpeg] {
            let accepted = try accept(jpeg + rest, mjpeg)
            #expect(accepted.frame.picture?.jpeg == jpeg && accepted.isTrimmed)
        }
        #expect(try !accept(jpeg, mjpeg).isTrimmed)
    }

    @Test("Gives a picture the end marker and the Huffman tables that the camera leaves out")
    func completed() throws {
        let tables = try JPEGStructure(parsing: jpeg).segments.filter { $0.marker == 0xC4 }
        var bare = jpeg
        for table in tables.reversed() { bare.removeSubrange(table.range) }
        bare.removeLast(2)
        let kept = try #require(try accept(bare + [UInt8](repeating: 0, count: 500), mjpeg).frame.picture).jpeg
        #expect(kept.suffix(2) == [0xFF, 0xD9])
        let added = try JPEGStructure(parsing: kept).segments.filter { $0.marker == 0xC4 }
        // The encoder's own tables, which are the standard ones, in one segment.
        let content = added.flatMap { kept[$0.payload] }
        #expect(content.count == tables.reduce(0) { $0 + $1.payload.count })
        for table in tables { #expect(content.firstRange(of: jpeg[table.payload]) != nil) }
        var (before, after) = (LumaImage(), LumaImage())
        try JPEGDecoder().decodeLuma(jpeg, into: &before)
        try JPEGDecoder().decodeLuma(kept, into: &after)
        #expect(before == after && after.warning == nil)
    }

    @Test("Keeps a damaged picture, and says what is wrong with it")
    func damaged() throws {
        var bytes = jpeg
        bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + 2, with: [0xFF, 0x42])
        #expect(try accept(bytes, mjpeg).frame.damage?.contains("byte \(bytes.count / 2)") == true)
        #expect(try accept(jpeg, mjpeg).frame.damage == nil)
    }

    @Test("Uses pictures of another size than agreed, if the camera sends no others")
    func otherSize() throws {
        let other = try Self.picture(width: 176, height: 120)
        let size = PixelSize(width: 176, height: 120)
        func sizes(_ pictures: [[UInt8]]) throws -> ([Bool], VideoFormat) {
            var intake = try FrameIntake(format: mjpeg, quality: 85, clock: clock)
            let accepted = pictures.map { picture in
                do throws(FrameIntake.Rejection) {
                    _ = try intake.accept(frame(picture))
                    return true
                } catch {
                    #expect(error == .otherSize(size) || error == .otherSize(PixelSize(width: 160, height: 120)))
                    return false
                }
            }
            return (accepted, intake.format)
        }
        let (used, format) = try sizes([other, other, other, other, jpeg, other])
        #expect(used == [false, false, true, true, false, true])
        #expect(format.width == 176 && format.height == 120 && format.pixelFormat == .mjpeg)
        let (leftOver, agreed) = try sizes([other, jpeg, other, other, other, other])
        #expect(leftOver == [false, true, false, false, false, false], "all pictures of a stream have one size")
        #expect(agreed == mjpeg)
        #expect(try sizes([other, other, jpeg, jpeg]).0 == [false, false, true, true])
    }

    @Test("Rejects a frame that the driver marks as erroneous")
    func flagged() throws {
        do {
            _ = try accept(jpeg, mjpeg, flagged: true)
            Issue.record("it was taken")
        } catch let rejection as FrameIntake.Rejection {
            if case .torn = rejection { Issue.record("counted as torn") }
        }
    }

    @Test("Turns an uncompressed frame into a readable picture of its scene")
    func encodesYUYV() throws {
        let kept = try accept(Self.packed(width: 160, height: 120), yuyv).frame
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
        _ = try accept([UInt8](repeating: 90, count: 160 * 120 * 2 + 4096), yuyv)
    }

    private static let encoded = PixelFormat.allCases.filter { $0.family != .jpeg && !$0.family.isMosaic }

    @Test(
        "A camera of another pixel format gives pictures that nothing can open, or of the wrong brightness",
        arguments: encoded)
    func encodesEveryFormat(_ pixelFormat: PixelFormat) throws {
        let format = VideoFormat(pixelFormat: pixelFormat, width: 160, height: 120, frameInterval: .milliseconds(40))
        let kept = try accept(Self.middleGray(format), format).frame
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
        var intake = try FrameIntake(format: format, range: .limited, quality: 85, clock: clock)
        var image = LumaImage()
        let kept = try intake.accept(frame(white, of: .nv12)).frame
        try JPEGDecoder().decodeLuma(#require(kept.picture).jpeg, into: &image)
        #expect(image.bytes.allSatisfy { $0 >= 254 })
    }

    @Test("Runs a camera that delivers a raw mosaic, and keeps its frames apart from pictures")
    func carriesMosaics() throws {
        let format = VideoFormat(pixelFormat: .rggb10, width: 160, height: 120, frameInterval: .milliseconds(40))
        let kept = try accept([UInt8](repeating: 1, count: 2 * 160 * 120), format).frame
        #expect(kept.picture == nil)
        #expect(kept.sequence == 9)
        #expect(try isTorn([UInt8](repeating: 1, count: 2 * 160 * 120 - 1), format))
    }

    private func isTorn(_ bytes: [UInt8], _ format: VideoFormat) throws -> Bool {
        do {
            _ = try accept(bytes, format)
            return false
        } catch let rejection as FrameIntake.Rejection {
            if case .torn = rejection { return true }
            return false
        }
    }
}
