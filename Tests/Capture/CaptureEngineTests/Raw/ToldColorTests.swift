import CameraKit
import CaptureModel
import CaptureTestSupport
import DNG
import PosixSupport
import Testing

@testable import CaptureEngine

/// What a camera tells of its samples, in what is made of them.
@Suite(.timeLimit(.minutes(10))) struct ToldColorTests {
    private static let format = VideoFormat(
        pixelFormat: .rggb10, width: 160, height: 120, frameInterval: .milliseconds(40))
    /// Samples of 200.
    private static let samples = (0..<160 * 120 * 2).map { $0.isMultiple(of: 2) ? UInt8(200) : 0 }

    private func told() throws -> SensorColor {
        let correction = [1.8, -0.6, -0.2, -0.3, 1.6, -0.3, 0.1, -0.7, 1.6]
        return try #require(
            SensorColor(blackLevel: 64, gains: .init(red: 2, blue: 1.6), correction: correction))
    }

    @Test func `What the camera tells counts where the configuration says nothing`() throws {
        let told = try told()
        let color = try RawColor(RawSettings(), told, bits: 10)
        #expect(color.blackLevel == 64 && color.whiteLevel == 1023)
        #expect(color.asShotNeutral == [0.5, 1, 0.625] && color.colorMatrix == told.colorMatrix)
        let settings = RawSettings(
            colorMatrix: [0.5, 0, 0, 0, 0.25, 0, 0, 0, 0.125], asShotNeutral: [0.4, 1, 0.8], blackLevel: 16,
            whiteLevel: 1000)
        let configured = try RawColor(settings, told, bits: 10)
        #expect(configured == (try RawColor(settings, nil, bits: 10)))
        #expect(configured.blackLevel == 16 && configured.asShotNeutral == [0.4, 1, 0.8])
        let unknown = try RawColor(RawSettings(), SensorColor(), bits: 10)
        #expect(unknown.blackLevel == 0 && unknown.asShotNeutral == [1, 1, 1] && unknown.colorMatrix == RawColor.sRGB)
    }

    @Test func `A told black level counts only below the white level`() throws {
        #expect(try RawColor(RawSettings(whiteLevel: 64), told(), bits: 10).blackLevel == 0)
        #expect(try RawColor(RawSettings(whiteLevel: 65), told(), bits: 10).blackLevel == 64)
    }

    @Test func `A frame of the ring keeps what the camera has told of it`() throws {
        let told = try told()
        var intake = try FrameIntake(format: Self.format, quality: 85, clock: ManualTimeSource())
        let time = LocalTime(nanoseconds: 1_000_000_000)
        let frame = CameraFrame(
            sequence: 1, midExposure: time, stampBound: .zero, dequeued: time, sensorColor: told,
            payload: .mosaic(FrameLease(Self.samples)))
        let kept = try intake.accept(frame).frame
        guard case .mosaic(let raw) = kept.payload else {
            Issue.record("the samples are not a mosaic")
            return
        }
        #expect(raw.color == told && raw.bytes == Self.samples)
    }

    @Test(
        "A raw file has the black level, the neutral and the matrix that the camera tells",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func file() async throws {
        let developer = RawDeveloper(executor: try ThreadExecutor(name: "develop"))
        let frame = RawFrame(bytes: Self.samples, format: Self.format, color: try told())
        let folder = try TemporaryFolder()
        let file = try folder.write(try await developer.rawFile(of: frame), as: "a.dng")
        let tags = ["AsShotNeutral", "BlackLevel", "ColorMatrix1"].map { "-\($0)" }
        let lines = try ExternalTool.run(["exiftool", "-s3"] + tags + [file]).output.split(separator: "\n")
        try #require(lines.count == 3, "\(lines)")
        #expect(lines[0] == "0.5 1 0.625" && lines[1] == "64")
        let matrix = lines[2].split(separator: " ").compactMap { Double($0) }
        let expected = try #require(try told().colorMatrix)
        #expect(matrix.count == 9)
        for (written, exact) in zip(matrix, expected) { #expect(abs(written - exact) <= 0.0001) }
    }
}
