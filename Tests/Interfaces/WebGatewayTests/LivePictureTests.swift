import CaptureModel
import CaptureTestSupport
import ImageMetadata
import Logging
import NIOCore
import PosixSupport
import RigWire
import Testing
import TurboJPEG

@testable import RigClient
@testable import WebGateway

@Suite struct LivePictureTests {
    private let topic: FrameTopic
    private let log = CapturedLog()

    init() throws {
        topic = FrameTopic(device: try DeviceID("north/cam"), kind: .full)
    }

    private func picture(_ orientation: Orientation, isMirrored: Bool = false, bytes: [UInt8]? = nil) throws -> Picture
    {
        var generator = SeededGenerator(seed: 5)
        let time = LocalTime(nanoseconds: 1)
        var jpeg: [UInt8] = []
        let pixels = (0..<96 * 64 * 2).map { UInt8(truncatingIfNeeded: $0 / 8) }
        try JPEGEncoder().encode(pixels.span, as: .yuyv, width: 96, height: 64, quality: 85, into: &jpeg)
        let header = FrameHeader(
            topic: topic, epoch: .random(using: &generator), number: 1, sequence: 1, midExposure: time,
            stampBound: .zero, exposure: nil, dequeued: time, published: time, rig: nil, width: 96, height: 64,
            orientation: orientation, isMirrored: isMirrored, drops: OutputDrops())
        let payload = bytes ?? jpeg
        return Picture(
            ReceivedFrame(header: header, payload: payload, byteCount: payload.count, received: time), dropped: 0)
    }

    @Test(
        "A snapshot states how its pixels stand upright, as the photo of the camera does",
        .enabled(if: ExternalTool.isExpected("exiftool")), arguments: Orientation.allCases, [false, true])
    func snapshot(orientation: Orientation, isMirrored: Bool) throws {
        let picture = try picture(orientation, isMirrored: isMirrored)
        let file = Array(try PictureRoutes.file(picture, of: topic).readableBytesView)
        let folder = try TemporaryFolder()
        let path = try folder.write(file, as: "snapshot.jpg")
        let read = try ExternalTool.run("exiftool", "-s3", "-n", "-Orientation", path)
        // The table of EXIF 2.32: rows and columns of the value, for an upright picture that is then mirrored.
        let values: [Orientation: (Int, Int)] = [
            .degrees0: (1, 2), .degrees90: (6, 5), .degrees180: (3, 4), .degrees270: (8, 7),
        ]
        let wanted = try #require(values[orientation])
        #expect(read.output == "\(isMirrored ? wanted.1 : wanted.0)\n")
        #expect(try ExternalTool.run("exiftool", "-validate", "-warning", "-a", "-s3", path).output == "OK\n")
        #expect(
            try JPEGRewriter.pixelBytes(of: file) == JPEGRewriter.pixelBytes(of: Array(picture.jpeg.readableBytesView)))
    }

    @Test("Pictures for receivers that turn nothing are turned once for all of them, and upright ones not at all")
    func turnedOnce() async throws {
        let turner = try PictureTurner(log: log.logger)
        let turned = try picture(.degrees90)
        let first = try #require(await turner.jpeg(of: turned))
        let header = try JPEGDecoder().header(of: Array(first.readableBytesView))
        #expect((header.width, header.height) == (64, 96))
        #expect(turned.upright?.made.withLock(\.self) == .turned(first))
        // A marker in the place of the result: whoever asks next gets what was made.
        turned.upright?.made.withLock { $0 = .turned(ByteBuffer(bytes: [1, 2, 3])) }
        #expect(await turner.jpeg(of: turned) == ByteBuffer(bytes: [1, 2, 3]))

        let upright = try picture(.degrees0)
        #expect(await turner.jpeg(of: upright) == upright.jpeg)
        #expect(try await turner.jpeg(of: picture(.degrees0, isMirrored: true)) != upright.jpeg)
        #expect(turner.failures == 0 && log.lines.value.isEmpty)
    }

    @Test("A picture that cannot be decoded is an error and not an end of the gateway")
    func undecodable() async throws {
        let broken = try picture(.degrees90, bytes: [0xFF, 0xD8, 1, 2, 3])
        #expect(try await PictureTurner(log: log.logger).jpeg(of: broken) == nil)
        let problem = #expect(throws: GatewayProblem.self) { try PictureRoutes.file(broken, of: topic) }
        #expect(problem?.status == 502 && problem?.detail.contains("north/cam") == true)
    }

    @Test("A picture that cannot be turned is decoded once for all receivers, counted once, and logged once in a row")
    func undecodableOnce() async throws {
        let turner = try PictureTurner(log: log.logger)
        let broken = try picture(.degrees90, bytes: [0xFF, 0xD8, 1, 2, 3])
        for _ in 0..<3 { #expect(await turner.jpeg(of: broken) == nil) }
        #expect(turner.failures == 1 && broken.upright?.made.withLock(\.self) == .undecodable)
        // The failure in the place of the result of a whole picture: whoever asks next does not decode it.
        let shared = try picture(.degrees90)
        shared.upright?.made.withLock { $0 = .undecodable }
        #expect(await turner.jpeg(of: shared) == nil)
        #expect(turner.failures == 1)

        #expect(try await turner.jpeg(of: picture(.degrees90, bytes: [0xFF, 0xD8])) == nil)
        #expect(turner.failures == 2 && log.lines.value.count == 1)
        #expect(log.lines.value.first?.metadata["camera.id"] == "north/cam")
        #expect(log.lines.value.first?.level == .warning)
        #expect(try await turner.jpeg(of: picture(.degrees90)) != nil)
        #expect(try await turner.jpeg(of: picture(.degrees90, bytes: [])) == nil)
        #expect(turner.failures == 3 && log.lines.value.count == 2, "after a whole one, it is said again")
    }

    @Test func `Pictures that could not be turned are in the metrics, also while the coordinator is silent`() {
        let text = RigMetrics(
            rig: nil, endedReaders: 0, unturnedPictures: 7, connections: OpenConnections.Figures(),
            encoder: EncoderFigures(encoding: 0, waiting: 0, endings: [:]), mqtt: nil
        ).text
        #expect(text.contains("\ncaprig_gateway_unturned_pictures_total 7\n"))
    }

    @Test("Pictures of a mosaic are not asked for, nor counted as missing")
    func published() throws {
        func status(_ format: PixelFormat, _ state: DeviceCondition.State = .running) -> DeviceStatus {
            DeviceStatus(
                device: DeviceDescription(id: topic.device, driver: "virtual"),
                condition: DeviceCondition(
                    state: state,
                    format: VideoFormat(pixelFormat: format, width: 64, height: 48, frameInterval: .milliseconds(40))))
        }
        #expect(status(.mjpeg).isPublished)
        #expect(!status(.mjpeg, .stopped).isPublished)
        #expect(!status(.rggb10).isPublished)
    }
}
