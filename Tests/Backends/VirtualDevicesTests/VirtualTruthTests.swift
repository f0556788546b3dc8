import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import VirtualDevices

@Suite("Virtual camera: what it really did")
struct VirtualTruthTests {
    @Test("The file has each frame with the values in force, and each control when it is accepted")
    func lines() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/truth"
        var bench = try await VirtualBench {
            $0.controls.delayFrames = 1
            $0.truth = path
        }
        _ = await bench.expose(2)
        #expect(try await bench.stream.setControls(["gain": 6]) == ["gain": 6])
        let frames = await bench.expose(4)
        await bench.stream.stop()
        let bytes = try Folder(opening: folder.path).read("truth", limit: 1 << 20)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.first?.hasPrefix("{\"open\":\"main\",\"at\":") == true)
        #expect(lines.contains { $0.hasPrefix("{\"set\":\"gain\",\"value\":6,\"was\":0,\"at\":") })
        for frame in frames {
            let line = try #require(lines.first { $0.hasPrefix("{\"frame\":\(frame.sequence),") })
            let gain = try #require(frame.gain), exposure = try #require(frame.exposure)
            #expect(line.contains("\"midExposure\":\(frame.midExposure.nanoseconds),"))
            #expect(line.contains("\"exposure\":\(exposure.nanoseconds),"))
            #expect(line.contains("\"gain\":\(gain),"))
        }
        #expect(Set(frames.map(\.gain)) == [0, 6])
    }

    @Test("Without a place for the file, the stream does not start")
    func noPlace() async throws {
        await #expect(throws: CameraError.self) {
            try await VirtualBench { $0.truth = "/nonexistent/truth" }
        }
    }
}
