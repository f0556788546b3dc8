import CameraKit
import CaptureModel
import CaptureTestSupport
import ImageMetadata
import Testing
import TurboJPEG

@testable import CaptureEngine

@Suite struct StillComposerTests {
    private let jpeg: [UInt8]
    private let order: CaptureOrder
    private let timing: FrameTiming

    init() throws {
        var output: [UInt8] = []
        let pixels = (0..<160 * 120 * 2).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try JPEGEncoder().encode(pixels.span, as: .yuyv, width: 160, height: 120, quality: 85, into: &output)
        jpeg = output
        var generator = SeededGenerator(seed: 1)
        let key = CaptureKey(
            shot: ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator), device: try DeviceID("north/cam"))
        // 2026-11-12 10:13:20.25 UTC at T.
        order = CaptureOrder(
            key: key, time: RigTime(nanoseconds: 50_000_000_000), rigClock: RigClockID(rawValue: "rig-1"),
            pinnedUntil: RigTime(nanoseconds: 60_000_000_000), settings: PhotoSettings(),
            realtimeAtTime: 1_794_478_400_250_000_000, utcOffsetMinutes: 330)
        timing = FrameTiming(
            sequence: 4, localMidExposure: LocalTime(nanoseconds: 1),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: 49_987_500_000), bound: .microseconds(200)),
            skewNanoseconds: -12_500_000, exposureNanoseconds: 8_000_000, dequeued: RigTime(nanoseconds: 50_000_000_000)
        )
    }

    private func compose(
        _ device: DeviceDescription, _ hardware: CameraHardware, settings: PhotoSettings = PhotoSettings()
    ) throws -> [UInt8] {
        var order = order
        order.settings = settings
        order.key.device = device.id
        let instant = LocalTime(nanoseconds: 1)
        let frame = PictureFrame(
            sequence: 4, midExposure: instant, stampBound: .zero, exposure: nil, dequeued: instant, ready: instant,
            payload: jpeg)
        let format = VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40))
        let resolved = ResolvedPhotoSettings(
            width: 160, height: 120, streamFormat: format, isCameraEncoded: true, orientation: device.orientation,
            mirrored: device.mirrored)
        return try StillComposer(device: device, hardware: hardware)
            .compose(frame, order: order, resolved: resolved, timing: timing)
    }

    private func device(_ name: String = "north/cam") throws -> DeviceDescription {
        DeviceDescription(id: try DeviceID(name), orientation: .degrees90, driver: "virtual")
    }

    @Test("Keeps the camera's own bytes in the still")
    func scanUnchanged() throws {
        let still = try compose(device(), CameraHardware())
        #expect(try JPEGRewriter.pixelBytes(of: still) == JPEGRewriter.pixelBytes(of: jpeg))
        #expect(try JPEGDecoder().verify(still).width == 160)
    }

    @Test("Dates the still by its exposure in the rig's time")
    func dateIsOfTheExposure() throws {
        let text = String(decoding: try compose(device(), CameraHardware()), as: Unicode.ASCII.self)
        // T's date less 12.5 ms, five and a half hours east of Greenwich.
        #expect(text.contains("2026:11:12 15:43:20"))
        #expect(text.contains("2375"))
        #expect(text.contains("+05:30"))
    }

    @Test("Gives each still a unique id that stays when it is made again")
    func uniqueID() throws {
        let first = try compose(device(), CameraHardware())
        #expect(try first == compose(device(), CameraHardware()))
        let other = try compose(device("north/cam2"), CameraHardware())
        #expect(first != other)
        let ids = try [uniqueID(in: first), uniqueID(in: other)]
        #expect(ids[0] != ids[1], "\(ids)")
    }

    /// The first 32 hexadecimal digits in a row.
    private func uniqueID(in still: [UInt8]) throws -> String {
        let runs = String(decoding: still, as: Unicode.ASCII.self).unicodeScalars.split {
            !$0.properties.isASCIIHexDigit
        }
        return try #require(runs.first { $0.count == 32 }.map { String($0) })
    }

    @Test(
        "exiftool finds fault with a still, or reads other values than were written",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func validForOthers() throws {
        let still = try compose(device(), CameraHardware(make: "Acme", model: "Eye", serial: "77"))
        let folder = try TemporaryFolder()
        let path = try folder.write(still, as: "still.jpg")
        #expect(try ExternalTool.run("exiftool", "-validate", "-warning", "-a", path).output.contains("OK"))
        let read = try ExternalTool.run(
            "exiftool", "-s3", "-n", "-Make", "-Model", "-SerialNumber", "-Orientation", "-ExposureTime",
            "-SubSecDateTimeOriginal", path)
        #expect(
            read.output.split(separator: "\n") == [
                "Acme", "Eye", "77 north/cam", "6", "0.008", "2026:11:12 15:43:20.237500000+05:30",
            ])
    }

    @Test(
        "Tells cameras of one model apart by the serial number in their files, whatever that of the hardware is",
        .enabled(if: ExternalTool.isExpected("exiftool")), arguments: ["0001", "SN0001", "", "  ", nil])
    func serialNumbers(hardwareSerial: String?) throws {
        let folder = try TemporaryFolder()
        let hardware = CameraHardware(make: "Acme", model: "Eye", serial: hardwareSerial)
        let cameras = ["north/cam", "north/cam2", "south/cam"]
        let paths = try cameras.enumerated().map { try folder.write(compose(device($1), hardware), as: "\($0).jpg") }
        let read = try ExternalTool.run(["exiftool", "-q", "-s3", "-SerialNumber"] + paths)
        let serials = read.output.split(separator: "\n").map(String.init)
        #expect(serials.count == 3 && Set(serials).count == 3, "\(read.output)")
        let words = hardwareSerial?.split(separator: " ").map(String.init) ?? []
        #expect(serials == cameras.map { (words + [$0]).joined(separator: " ") })
    }

    @Test(
        "The serial number in files is printable ASCII of a limited length, whatever the hardware claims",
        arguments: [
            (" 7A\u{0}3F\u{1B}[2J\n0012 ", "7A3F[2J0012 north/cam"), ("N\u{2116} 7\u{202E}", "N 7 north/cam"),
            ("\u{5E8F}\u{5217}\u{53F7} \u{9}", "north/cam"),
            (String(repeating: "9", count: 5000), String(repeating: "9", count: 64) + " north/cam"),
            (String(repeating: "8", count: 63) + " 8", String(repeating: "8", count: 63) + " north/cam"),
        ])
    func boundedSerialNumbers(claimed: String, written: String) throws {
        let camera = try device()
        #expect(camera.bodySerialNumber(claimed) == written)
        var described = camera
        described.serial = claimed
        #expect(described.bodySerialNumber("77") == written)
        let still = try compose(camera, CameraHardware(make: "Acme", model: "Eye", serial: claimed))
        let (length, end) = (still.count, Array("\(written)\0".utf8))
        #expect((0...length - end.count).contains { Array(still[$0..<$0 + end.count]) == end })
    }

    @Test("Prefers the configuration's description of a camera to the hardware's")
    func configurationWins() throws {
        var described = try device()
        (described.make, described.model, described.serial) = ("Mine", "Left", "1")
        let text = String(
            decoding: try compose(described, CameraHardware(make: "Acme", model: "Eye", serial: "77")),
            as: Unicode.ASCII.self)
        #expect(text.contains("Mine"))
        #expect(text.contains("Left"))
        #expect(!text.contains("Acme"))
    }

    @Test(
        "A thumbnail is missing, cut wrongly, not a JPEG, or makes the still invalid",
        .enabled(if: ExternalTool.isExpected("exiftool") && ExternalTool.isExpected("jpeginfo")),
        arguments: [(ThumbnailShape.whole, "160 x  120"), (.square, "120 x  120")])
    func thumbnail(shape: ThumbnailShape, size: String) throws {
        let still = try compose(device(), CameraHardware(), settings: PhotoSettings(embedThumbnail: shape))
        let folder = try TemporaryFolder()
        let path = try folder.write(still, as: "still.jpg")
        #expect(try ExternalTool.run("exiftool", "-validate", "-warning", "-a", "-s3", path).output == "OK\n")
        let thumbnail = folder.path + "/thumbnail.jpg"
        let extracted = try ExternalTool.run("sh", "-c", "exiftool -b -ThumbnailImage '\(path)' > '\(thumbnail)'")
        #expect(extracted.status == 0)
        let info = try ExternalTool.run("jpeginfo", "-c", thumbnail).output
        #expect(info.contains(size) && info.contains("OK"), "\(info)")
        #expect(try JPEGRewriter.pixelBytes(of: still) == JPEGRewriter.pixelBytes(of: jpeg), "the still's own pixels")
    }

    @Test(
        "A mounted or mirrored camera's still is shown lying, upside down, or with left and right exchanged",
        .enabled(if: ExternalTool.isExpected("exiftool")), arguments: Orientation.allCases, [false, true])
    func orientation(_ orientation: Orientation, isMirrored: Bool) throws {
        let device = DeviceDescription(
            id: try DeviceID("north/cam"), orientation: orientation, mirrored: isMirrored, driver: "virtual")
        let folder = try TemporaryFolder()
        let path = try folder.write(try compose(device, CameraHardware()), as: "still.jpg")
        let words = try ExternalTool.run("exiftool", "-s3", "-Orientation", path).output
        // Upright first, then exchanged left to right.
        let turned = (0..<orientation.rawValue / 90).reduce(Corners()) { corners, _ in corners.turned }
        #expect(Corners(followingEXIF: words) == (isMirrored ? turned.mirrored : turned), "\(words)")
    }
}

/// The corners of a picture, clockwise from the top left.
private struct Corners: Equatable {
    var names = ["A", "B", "C", "D"]

    var turned: Corners { Corners(names: [names[3], names[0], names[1], names[2]]) }
    var mirrored: Corners { Corners(names: [names[1], names[0], names[3], names[2]]) }

    init() {}

    private init(names: [String]) {
        self.names = names
    }

    /// A viewer does what exiftool's words say, in their order.
    init(followingEXIF words: String) {
        var corners = Corners()
        if words.contains("Mirror horizontal") { corners = corners.mirrored }
        if words.contains("Mirror vertical") { corners = corners.mirrored.turned.turned }
        let degrees = words.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }.first ?? 0
        for _ in 0..<degrees / 90 { corners = corners.turned }
        self = corners
    }
}
