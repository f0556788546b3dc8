import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import VirtualDevices

@Suite("Virtual camera: what its driver accepts")
struct VirtualControlLimitTests {
    @Test(
        "Rounds to the nearest step within the range, and reads the rounded value back",
        arguments: [
            ("exposure_time_absolute", 77, 81), ("exposure_time_absolute", 75, 71), ("exposure_time_absolute", 1, 1),
            ("exposure_time_absolute", 100_000, 99_991), ("gain", 4, 3), ("gain", -47, -48), ("gain", 48, 48),
            ("white_balance_temperature", 3333, 3300), ("focus_absolute", 250, 210),
        ])
    func rounding(_ name: String, _ requested: Int64, _ accepted: Int64) async throws {
        let bench = try await VirtualBench {
            $0.controls.steps = [
                "exposure_time_absolute": 10, "gain": 3, "white_balance_temperature": 100, "focus_absolute": 70,
            ]
        }
        let manual: [String: Int64] = ["white_balance_automatic": 0, "focus_automatic_continuous": 0]
        _ = try await bench.stream.setControls(manual)
        for value in [requested, accepted] {
            #expect(try await bench.stream.setControls([name: value]) == [name: accepted])
            let control = try #require(try await bench.stream.controls().first { $0.name == name })
            #expect(control.value == accepted && control.step > 1)
            #expect((control.defaultValue - control.minimum).isMultiple(of: control.step))
        }
        await bench.stream.stop()
    }

    @Test("The picture has the rounded values, also those of the configuration")
    func roundedPicture() async throws {
        var bench = try await VirtualBench {
            $0.controls.steps = ["exposure_time_absolute": 10, "gain": 4]
            $0.gainDecibels = 5
        }
        #expect(bench.camera.configuration.exposureMilliseconds == 8.1)
        let first = try #require(await bench.expose(1).first)
        #expect(first.isExposed(for: .microseconds(8100)) && first.gain == 4)
        _ = try await bench.stream.setControls(["exposure_time_absolute": 118])
        #expect(await bench.expose(2).last?.isExposed(for: .microseconds(12_100)) == true)
        try bench.camera.reconfigure { $0.exposureMilliseconds = 3 }
        #expect(await bench.expose(2).last?.isExposed(for: .microseconds(3100)) == true)
        await bench.stream.stop()
    }

    @Test(
        "A refused value leaves every control and the picture unchanged",
        arguments: [["gain": 20], ["exposure_time_absolute": 160, "gain": 25], ["flash_led_mode": 2], ["gain": 19]])
    func refusal(request: [String: Int64]) async throws {
        let configure: (inout VirtualCameraConfiguration) -> Void = {
            $0.controls.steps = ["gain": 3]
            $0.controls.refuse = [
                VirtualRefusal(control: "gain", from: 18, to: 30), VirtualRefusal(control: "flash_led_mode", from: 2),
            ]
        }
        var (bench, untouched) = (try await VirtualBench(configure), try await VirtualBench(configure))
        let before = try await bench.stream.controls()
        let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(request) }
        #expect(error?.code == .unsupportedControl)
        #expect(error?.reason.contains("ERANGE") == true && error?.reason.contains("nothing was changed") == true)
        #expect(try await bench.stream.controls() == before)
        let frames = (await bench.expose(4), await untouched.expose(4))
        #expect(frames.0.map(\.lease.bytes) == frames.1.map(\.lease.bytes))
        #expect(try await bench.stream.setControls(["gain": 33]) == ["gain": 33], "beyond the refused values")
        #expect(try await bench.stream.setControls(["gain": 16]) == ["gain": 15], "refused only after rounding")
        #expect(try await bench.stream.setControls(["flash_led_mode": 1]) == ["flash_led_mode": 1])
        await bench.stream.stop()
        await untouched.stream.stop()
    }

    @Test("A camera that dies while a control is set has the values set before, and none after")
    func midway() async throws {
        var bench = try await VirtualBench { $0.faults = [VirtualFault(.unplugged, fromSet: 5, forSeconds: 10)] }
        _ = await bench.expose(1)
        #expect(try await bench.stream.setControls(["gain": 3, "focus_automatic_continuous": 0]).count == 2)
        await #expect(throws: CameraError.self) { try await bench.stream.setControls(["gain": 49]) }
        #expect(await bench.expose(2).count == 2)
        let request: [String: Int64] = [
            "gain": 6, "auto_exposure": 1, "exposure_time_absolute": 160, "focus_absolute": 9,
        ]
        let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(request) }
        #expect(error?.code == .absent)
        #expect(
            error?.reason.hasSuffix(
                "while 'focus_absolute' was set; changed before that: auto_exposure, exposure_time_absolute")
                == true)
        #expect(await bench.exposeToTheEnd().isEmpty)
        #expect(bench.stream.failure?.code == .absent)
        let late = await #expect(throws: CameraError.self) { try await bench.stream.setControls(["gain": 1]) }
        #expect(late?.code == .absent)

        bench.clock.advance(by: .seconds(10))
        var next = try await VirtualBench(camera: bench.camera, clock: bench.clock)
        let controls = try await next.stream.controls()
        let values = Dictionary(uniqueKeysWithValues: controls.map { ($0.name, $0.value) })
        #expect(values["exposure_time_absolute"] == 160 && values["gain"] == 3 && values["focus_absolute"] == 0)
        #expect(try await next.stream.setControls(["gain": 6]) == ["gain": 6], "it dies once")
        #expect(await next.expose(5).count == 5)
        await next.stream.stop()
    }

    @Test("Nothing is set on a camera that is unplugged before its next frame")
    func unplugged() async throws {
        var bench = try await VirtualBench()
        _ = await bench.expose(1)
        try bench.camera.faults.inject(VirtualFault(.unplugged))
        let error = await #expect(throws: CameraError.self) { try await bench.stream.setControls(["gain": 6]) }
        #expect(error?.code == .absent && error?.reason.contains("nothing was changed") == true)
        #expect(bench.camera.configuration.gainDecibels == 0)
        _ = await bench.exposeToTheEnd()
    }

    @Test("A fault of frames begins with the control that is set")
    func faultOfFrames() async throws {
        var bench = try await VirtualBench { $0.faults = [VirtualFault(.erroneous, fromSet: 2)] }
        var frames = await bench.expose(1)
        _ = try await bench.stream.setControls(["gain": 1])
        frames += await bench.expose(2)
        _ = try await bench.stream.setControls(["gain": 2])
        frames += await bench.expose(2)
        #expect(frames.map(\.isFlaggedErroneous) == [false, false, false, true, true])
        await bench.stream.stop()
    }
}

extension CameraFrame {
    fileprivate func isExposed(for duration: Duration) -> Bool {
        exposure.map { ($0 - duration).magnitude < .nanoseconds(1) } ?? false
    }
}
