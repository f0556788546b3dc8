import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import VirtualDevices

@Suite("Virtual camera: focusing once")
struct VirtualAutofocusTests {
    private func bench(_ configure: (inout VirtualCameraConfiguration) -> Void = { _ in }) async throws -> VirtualBench
    {
        let bench = try await VirtualBench {
            $0.controls.focusFrames = 3
            configure(&$0)
        }
        _ = try await bench.stream.setControls(["focus_automatic_continuous": 0, "focus_absolute": 100])
        return bench
    }

    private func focus(_ bench: VirtualBench) async throws -> (status: Int64?, position: Int64?) {
        let controls = try await bench.stream.controls()
        func value(_ name: String) -> Int64? { controls.first { $0.name == name }?.value }
        return (value("auto_focus_status"), value("focus_absolute"))
    }

    @Test("Is busy for some frames, while the lens moves, and has then focused, each time elsewhere")
    func reached() async throws {
        var bench = try await bench()
        #expect(try await focus(bench) == (0, 100))
        var positions: Set<Int64> = [100]
        for _ in 0..<2 {
            #expect(try await bench.stream.setControls(["auto_focus_start": 1]).isEmpty, "a button has no value")
            #expect(try await focus(bench).status == 1)
            _ = await bench.expose(1)
            #expect(try await focus(bench).status == 1)
            _ = await bench.expose(4)
            let end = try await focus(bench)
            #expect(end.status == 2)
            positions.insert(try #require(end.position))
        }
        #expect(positions.count == 3)
        await bench.stream.stop()
    }

    @Test("The frame that is planned as the status says reached has the position")
    func frames() {
        var configuration = VirtualCameraConfiguration()
        configuration.controls.focusFrames = 3
        var controls = VirtualControls(configuration)
        controls.open(.main)
        controls.set(.automaticFocus, 0, configuration)
        controls.set(.focusStart, 1, configuration)
        for _ in 0..<2 {
            let moving = controls.plan(.main).focus
            #expect(moving == controls.accepted.focus && controls.accepted.autofocus.status == 1)
        }
        let last = controls.plan(.main).focus
        #expect(last == controls.accepted.focus && controls.accepted.autofocus.status == 2)
    }

    @Test("Fails at the far end, and a position that is set ends it")
    func failure() async throws {
        var bench = try await bench { $0.controls.focusFails = true }
        _ = try await bench.stream.setControls(["auto_focus_start": 1])
        _ = await bench.expose(5)
        #expect(try await focus(bench) == (4, 0))
        _ = try await bench.stream.setControls(["auto_focus_start": 0])
        _ = try await bench.stream.setControls(["focus_absolute": 7])
        _ = await bench.expose(5)
        #expect(try await focus(bench) == (0, 7))
        await bench.stream.stop()
    }

    @Test("The button has no effect while the camera focuses continuously, and the status cannot be set")
    func refusals() async throws {
        let bench = try await bench()
        for request: [String: Int64] in [
            ["auto_focus_start": 1, "focus_automatic_continuous": 1], ["auto_focus_status": 0],
        ] {
            let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(request) }
            #expect(error?.code == .unsupportedControl)
        }
        await bench.stream.stop()
        let without = try await VirtualBench()
        #expect(try await !without.stream.controls().contains { $0.name.hasPrefix("auto_focus") })
        await without.stream.stop()
    }
}
