import CaptureModel
import CaptureTestSupport
import Foundation
import RigWire
import Testing

@testable import RigClient

@Suite struct UprightFrameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func frame(_ jpeg: [UInt8], _ orientation: Orientation, isMirrored: Bool) throws -> ReceivedFrame {
        var generator = SeededGenerator(seed: 5)
        let time = LocalTime(nanoseconds: 1)
        let header = FrameHeader(
            topic: FrameTopic(device: try DeviceID("north/cam"), kind: .full), epoch: .random(using: &generator),
            number: 1, sequence: 1, midExposure: time, stampBound: .zero, exposure: nil, dequeued: time,
            published: time, rig: nil, width: 96, height: 64, orientation: orientation, isMirrored: isMirrored,
            drops: OutputDrops())
        return ReceivedFrame(header: header, payload: jpeg, byteCount: jpeg.count, received: time)
    }

    /// Gray values of a picture, as ffmpeg shows it, which follows the EXIF orientation.
    private func shown(_ name: String) throws -> [UInt8] {
        let target = "\(folder.path)/\(name).pgm"
        let outcome = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-y", "-i", "\(folder.path)/\(name)", "-pix_fmt", "gray", "-f", "image2", target)
        try #require(outcome.status == 0, "\(outcome.output)")
        return [UInt8](try Data(contentsOf: URL(filePath: target)))
    }

    @Test(
        "Shows live pictures as viewers show the photo, whose EXIF says how it stands upright",
        .enabled(if: ExternalTool.isExpected("ffmpeg") && ExternalTool.isExpected("exiftool")),
        arguments: Orientation.allCases, [false, true])
    func upright(orientation: Orientation, isMirrored: Bool) throws {
        let made = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=96x64:rate=1", "-frames:v", "1",
            "-pix_fmt", "yuvj420p", "\(folder.path)/photo.jpg")
        try #require(made.status == 0, "\(made.output)")
        let jpeg = [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/photo.jpg")))
        let value = orientation.exifValue(isMirrored: isMirrored)
        let marked = try ExternalTool.run(
            "exiftool", "-q", "-n", "-overwrite_original", "-Orientation=\(value)", "\(folder.path)/photo.jpg")
        try #require(marked.status == 0, "\(marked.output)")

        let live = try FrameTurner().upright(try frame(jpeg, orientation, isMirrored: isMirrored))
        _ = try folder.write(live, as: "live.jpg")
        let (photo, picture) = (try shown("photo.jpg"), try shown("live.jpg"))
        try #require(photo.count == picture.count)
        let difference = zip(photo, picture).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(photo.count) < 1)
        #expect((orientation == .degrees0 && !isMirrored) == (live == jpeg), "only what stands upright is unchanged")
    }
}
