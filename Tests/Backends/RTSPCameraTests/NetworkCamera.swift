import CameraKit
import CaptureModel
import CaptureTestSupport
import ChildPrograms
import Glibc
import PosixSupport
import RigConfiguration

@testable import RTSPCamera

/// A network camera on loopback: GStreamer's RTSP server in a separate process, `rtsp_camera.py`.
// The guard: the program is read within init; later only its number is used, and the test that has started it ends it.
final class NetworkCamera: @unchecked Sendable {
    private let program: ChildProgram
    let port: UInt16

    static let (width, height) = (320, 240)

    /// - Parameter options: Of `rtsp_camera.py`.
    convenience init(_ options: [String] = [], port: UInt16 = 0) throws {
        try self.init(
            script: "rtsp_camera.py",
            ["--port", "\(port)", "--width", "\(Self.width)", "--height", "\(Self.height)"] + options)
    }

    /// Something that does everything wrong: `hostile_camera.py`.
    static func hostile(seed: Int) throws -> NetworkCamera {
        try NetworkCamera(script: "hostile_camera.py", ["--seed", "\(seed)"])
    }

    private init(script: String, _ options: [String]) throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        // The interpreter that Debian's GStreamer is for.
        program = try ChildProgram(
            ["/usr/bin/python3", "/\(folder)/\(script)"] + options, outputs: [.standardOutput])
        let never = try EventFlag()
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\n")) {
            guard try !program.wait(for: [.standardOutput], or: never, within: .seconds(120)).isEmpty,
                try program.read(.standardOutput, to: &line, limit: 64) != .end
            else { throw Missing(description: "the camera of the tests has not started") }
        }
        guard let number = UInt16(String(decoding: line.dropLast(), as: UTF8.self)) else {
            throw Missing(description: "the camera of the tests has no port")
        }
        self.port = number
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    func signal(_ signal: CInt) { kill(program.id, signal) }

    /// Kills it, and returns when its sockets are closed.
    func die() { _ = program.end(within: .zero) }

    var url: String { "rtsp://127.0.0.1:\(port)/stream" }

    func configuration(
        credentials: String? = nil, transport: RTSPCameraConfiguration.Transport = .tcp
    ) throws -> RTSPCameraConfiguration {
        var configuration = RTSPCameraConfiguration(
            url: try RTSPAddress(url), credentials: credentials, transport: transport)
        // As long as a slow machine needs.
        configuration.arrival.startMilliseconds = 600_000
        configuration.arrival.largestLatencyMilliseconds = 60_000
        return configuration
    }

    /// When a picture was exposed, as it says itself.
    static func truth(_ frame: CameraFrame) throws -> LocalTime {
        let luma = frame.lease.bytes
        var microseconds: Int64 = 0
        for bit in 0..<56 {
            let (x, y) = (bit % (width / 16) * 16 + 8, bit / (width / 16) * 16 + 8)
            guard luma.count > y * width + x else { throw Missing(description: "the picture is too small") }
            microseconds = microseconds << 1 | (luma[y * width + x] > 0x80 ? 1 : 0)
        }
        return LocalTime(nanoseconds: microseconds * 1000)
    }
}

extension RTSPCamera {
    convenience init(_ configuration: RTSPCameraConfiguration, stamps: StampCorrection = .init()) {
        self.init(name: "gate", configuration: configuration, stamps: stamps)
    }

    /// Starts, and returns why that fails; nil if it does not.
    func refusal(clock: any TimeSource) async -> CameraError? {
        do throws(CameraError) {
            await (try await start(FormatRequest(), clock: clock)).stop()
            return nil
        } catch {
            return error
        }
    }

    /// Starts, and returns so many frames and the stream, which still runs.
    func frames(_ count: Int, clock: any TimeSource) async throws -> (frames: [CameraFrame], any CameraStream) {
        let stream = try await start(FormatRequest(), clock: clock)
        var frames: [CameraFrame] = []
        for await frame in stream.frames {
            frames.append(frame)
            if frames.count == count { break }
        }
        return (frames, stream)
    }
}
