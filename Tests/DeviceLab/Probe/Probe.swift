import CameraKit
import CaptureEngine
import CaptureModel
import FoundationEssentials
import Glibc
import PosixSupport
import SystemClock
import V4L2Camera

/// Streams from a V4L2 camera as an agent does and prints what came, a JSON object a line, for the device lab's cases.
@main
struct Probe {
    static func main() async throws {
        guard let options = ProbeOptions(Array(CommandLine.arguments.dropFirst())) else {
            try ProbeLine("usage").write()
            exit(64)
        }
        if options.runsConformance {
            exit(try await ConformanceRun(options).run() ? 0 : 1)
        }
        if options.seesScreen {
            var run = try ScreenRun(options)
            exit(try await run.run() ? 0 : 1)
        }
        if !options.driverFormats.isEmpty {
            exit(try await takeEach(of: options.driverFormats, options) ? 0 : 1)
        }
        let correction = options.readout.map {
            StampCorrection(readout: .microseconds($0), uncertainty: .milliseconds(5))
        }
        let camera = V4L2Camera(
            name: "probe", identity: options.identity, correction: correction ?? StampCorrection(),
            cameraClock: options.usesCameraClock, driverFormat: options.driverFormat)
        if options.listsCapabilities {
            var line = ProbeLine("capabilities")
            line.formats = try await camera.capabilities().formats
            try line.write()
            exit(0)
        }
        for _ in 0..<options.starts {
            guard try await stream(camera, options) else { exit(1) }
        }
    }

    /// Streams in one format of the driver after another, each with a folder of its name below those that are written to.
    private static func takeEach(of driverFormats: [String], _ options: ProbeOptions) async throws -> Bool {
        var haveAllStreamed = true
        for driverFormat in driverFormats {
            var one = options
            one.driverFormat = driverFormat
            one.folder = try options.folder.map { try subfolder(driverFormat, of: $0) }
            one.pictures = try options.pictures.map { try subfolder(driverFormat, of: $0) }
            let camera = V4L2Camera(name: "probe", identity: options.identity, driverFormat: driverFormat)
            let hasStreamed = try await stream(camera, one)
            haveAllStreamed = haveAllStreamed && hasStreamed
        }
        return haveAllStreamed
    }

    private static func subfolder(_ name: String, of folder: String) throws -> String {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Whether the camera delivered as many frames as asked for.
    private static func stream(_ camera: V4L2Camera, _ options: ProbeOptions) async throws -> Bool {
        let stream: any CameraStream
        do throws(CameraError) {
            stream = try await camera.start(options.request, clock: SystemTimeSource())
        } catch {
            var refused = ProbeLine("refused", error)
            refused.driverFormat = options.driverFormat
            try refused.write()
            return false
        }
        var started = ProbeLine("started")
        started.driverFormat = options.driverFormat
        started.format = stream.format
        started.hardware = stream.hardware
        started.sampleRange = stream.sampleRange
        try started.write()
        let (count, held) = try await capture(stream, options)
        await stream.stop()
        for frame in held { try report("held", frame.lease, sequence: frame.sequence) }
        var ended = ProbeLine("ended", stream.failure)
        ended.losses = stream.losses
        try ended.write()
        return count == options.frames
    }

    private static func capture(_ stream: any CameraStream, _ options: ProbeOptions) async throws -> (
        Int, [CameraFrame]
    ) {
        var count = 0
        let encoder = try? PictureEncoder(format: stream.format, range: stream.sampleRange, quality: 95)
        let developer = RawDeveloper(executor: try ThreadExecutor(name: "develop"))
        var held: [CameraFrame] = []
        for await frame in stream.frames {
            try ProbeLine(frame).write()
            if let folder = options.folder {
                try Data(frame.lease.bytes).write(to: URL(filePath: "\(folder)/\(frame.sequence).raw"))
            }
            if let folder = options.pictures, let encoder {
                try Data(encoder.encode(frame.lease)).write(to: URL(filePath: "\(folder)/\(frame.sequence).jpg"))
            } else if let folder = options.pictures {
                let file = try await developer.rawFile(of: RawFrame(bytes: frame.lease.bytes, format: stream.format))
                try Data(file).write(to: URL(filePath: "\(folder)/\(frame.sequence).dng"))
            }
            if held.count < options.hold { held.append(frame) }
            count += 1
            if count == options.frames { break }
        }
        return (count, held)
    }

    private static func report(_ event: String, _ lease: FrameLease, sequence: UInt64) throws {
        var line = ProbeLine(event)
        line.sequence = sequence
        line.hash = ProbeLine.hash(lease)
        try line.write()
    }
}
