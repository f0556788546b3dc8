import CameraKit
import CaptureModel
import CaptureTestSupport
import Foundation
import Testing
import VirtualDevices

@Suite("Virtual camera: configuration")
struct VirtualConfigurationTests {
    @Test("A configuration that names one key loses the defaults of the others")
    func defaults() throws {
        let json = #"{"number": 7, "faults": [{"kind": "unplugged", "afterSeconds": 10, "forSeconds": 3}]}"#
        let decoded = try JSONDecoder().decode(VirtualCameraConfiguration.self, from: Data(json.utf8))
        var expected = VirtualCameraConfiguration()
        expected.number = 7
        expected.faults = [VirtualFault(.unplugged, afterSeconds: 10, forSeconds: 3)]
        #expect(decoded == expected)
    }

    @Test("A configuration written and read is another one, or a key is not in the list of keys")
    func roundTrip() throws {
        var configuration = VirtualCameraConfiguration()
        configuration.serial = "SN 1"
        configuration.driftPPM = 12.5
        configuration.preview = VirtualPreview(width: 400, height: 300)
        configuration.faults = VirtualFault.Kind.allCases.map { VirtualFault($0, fromFrame: 3, forSeconds: 0.5) }
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(VirtualCameraConfiguration.self, from: data) == configuration)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let keys = VirtualCameraConfiguration.CodingKeys.allCases.map(\.rawValue)
        #expect(Set(object?.keys.map { $0 } ?? []) == Set(keys))
    }

    @Test("A wrong value is taken, crashes the camera, or the message does not name its key")
    func problems() async throws {
        let mistakes: [(String, @Sendable (inout VirtualCameraConfiguration) -> Void)] = [
            ("width", { $0.width = 0 }), ("height", { $0.height = .max }),
            ("framesPerSecond", { $0.framesPerSecond = 0 }),
            ("framesPerSecond", { $0.framesPerSecond = .nan }), ("quality", { $0.quality = 101 }),
            ("jitterMilliseconds", { $0.jitterMilliseconds = 20 }), ("driftPPM", { $0.driftPPM = .infinity }),
            ("exposureMilliseconds", { $0.exposureMilliseconds = 0 }),
            ("phaseMilliseconds", { $0.phaseMilliseconds = .nan }),
            ("readoutMilliseconds", { $0.readoutMilliseconds = -1 }), ("gainDecibels", { $0.gainDecibels = 1e308 }),
            ("preview.width", { $0.preview = VirtualPreview(width: 8) }),
            ("preview.height", { $0.preview = VirtualPreview(height: .max) }),
            ("faults[0].every", { $0.faults = [VirtualFault(.dropped, every: 0)] }),
        ]
        #expect(VirtualCameraConfiguration().problems.isEmpty)
        for (key, mistake) in mistakes {
            var configuration = VirtualCameraConfiguration()
            mistake(&configuration)
            #expect(configuration.problems.map(\.key) == [key])
            let camera = VirtualCamera(name: "wrong", configuration: configuration)
            let error = await #expect(throws: CameraError.self) {
                try await camera.start(FormatRequest(), clock: ManualTimeSource())
            }
            #expect(error?.reason.contains(key) == true)
            #expect(throws: CameraError.self) { try VirtualCamera(name: "right").reconfigure(mistake) }
        }
    }

    @Test("A format nobody can deliver is accepted, or keeps the camera busy")
    func unsupportedFormats() async throws {
        let camera = VirtualCamera(name: "cam")
        let clock = ManualTimeSource()
        let requests = [
            FormatRequest(pixelFormat: .yuyv), FormatRequest(width: 16), FormatRequest(height: -1),
            FormatRequest(framesPerSecond: .nan), FormatRequest(width: .max, height: .max),
            FormatRequest(framesPerSecond: 1e9),
        ]
        for request in requests {
            let error = await #expect(throws: CameraError.self) { try await camera.start(request, clock: clock) }
            #expect(error?.code == .unsupportedFormat)
        }
        let stream = try await camera.start(FormatRequest(width: 800, height: 600, framesPerSecond: 15), clock: clock)
        let agreed = VideoFormat(
            pixelFormat: .mjpeg, width: 800, height: 600, frameInterval: .nanoseconds(66_666_667))
        #expect(stream.format == agreed)
        #expect(stream.hardware.serial == "V00001")
        await stream.stop()
    }
}
