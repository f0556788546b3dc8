import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
import SystemClock
import Testing

@testable import CommandCamera
@testable import ProgramCamera

@Suite("Command camera: controls", .timeLimit(.minutes(10)))
struct ProgramControlsTests {
    /// A program with an exposure that its automatic mode hides, which takes changes and writes a picture after each, and at the start.
    private static let camera = """
        state = {'auto_exposure': 0, 'exposure_time_absolute': 100}
        def tell():
            hidden = 'inactive' if state['auto_exposure'] == 0 else 'active'
            line(f"control auto_exposure menu 0 1 1 0 {state['auto_exposure']} active -")
            line('item auto_exposure 0 automatic')
            line('item auto_exposure 1 manual')
            line(f"control exposure_time_absolute integer 1 333 1 100 {state['exposure_time_absolute']} {hidden} 100 µs")
            line('control temperature integer -40 125 1 0 - read-only K')
        def picture_now(number):
            write(number, time.monotonic_ns() - 10_000_000, str(state['exposure_time_absolute'] * 100_000), '-')
        tell()
        picture_now(0)
        for number, request in enumerate(sys.stdin, 1):
            verb, id, *words = request.split()
            asked = {name: int(value) for name, value in (word.split('=') for word in words)}
            mode = asked.get('auto_exposure', state['auto_exposure'])
            if 'exposure_time_absolute' in asked and mode == 0:
                line(f'refused {id} exposure_time_absolute has no effect while the exposure is automatic')
            else:
                state.update(asked)
                tell()
                line(f'done {id}')
            picture_now(number)

        """

    /// Runs a program of ``camera``, or another one, for as long as the body does.
    private func withStream(
        _ script: String = camera, _ body: (any CameraStream) async throws -> Void
    ) async throws {
        let bench = try CommandBench()
        var configuration = bench.python(script)
        configuration.controls = .stdin
        let stream = try await bench.camera(configuration).start(FormatRequest(), clock: SystemTimeSource())
        try await body(stream)
        await stream.stop()
    }

    @Test("A program's controls are those of the camera, with their menus, units and present values")
    func told() async throws {
        try await withStream { stream in
            let controls = try await stream.controls()
            #expect(controls.map(\.name) == ["auto_exposure", "exposure_time_absolute", "temperature"])
            #expect(controls[0].menu.map(\.name) == ["automatic", "manual"] && controls[0].value == 0)
            #expect(controls[1].unit == "100 µs" && controls[1].isInactive && controls[1].maximum == 333)
            #expect(controls[2].isReadOnly && controls[2].value == nil)
        }
    }

    @Test("A change is answered with what the program then has, and the next picture tells that it was taken with it")
    func changed() async throws {
        try await withStream { stream in
            var frames = stream.frames.makeAsyncIterator()
            #expect(await frames.next()?.exposure == .milliseconds(10))
            let set = try await stream.setControls(["auto_exposure": 1, "exposure_time_absolute": 50])
            #expect(set == ["auto_exposure": 1, "exposure_time_absolute": 50])
            #expect(await frames.next()?.exposure == .milliseconds(5))
            let exposure = try await stream.controls()[1]
            #expect(!exposure.isInactive)
        }
    }

    @Test(
        "What a control does not accept never reaches the program",
        arguments: [
            (["zoom": 1], "there is no control 'zoom'"), (["temperature": 3], "can be read but not set"),
            (["exposure_time_absolute": 334], "accepts 1 to 333 (× 100 µs)"),
            (["auto_exposure": 2], "0 (automatic), 1 (manual)"),
        ])
    func refused(values: [String: Int64], reason: String) async throws {
        try await withStream { stream in
            let error = await #expect(throws: CameraError.self) { _ = try await stream.setControls(values) }
            #expect(error?.code == .unsupportedControl && error?.reason.contains(reason) == true)
        }
    }

    @Test("The refusal of the program is the caller's, and the next change is carried out")
    func refusedThere() async throws {
        try await withStream { stream in
            let error = await #expect(throws: CameraError.self) {
                _ = try await stream.setControls(["exposure_time_absolute": 50])
            }
            #expect(
                error?.code == .unsupportedControl && error?.reason.contains("while the exposure is automatic") == true)
            let set = try await stream.setControls(["auto_exposure": 1])
            #expect(set == ["auto_exposure": 1])
        }
    }

    @Test("Changes are asked for one at a time, in their order")
    func ordered() async throws {
        try await withStream { stream in
            _ = try await stream.setControls(["auto_exposure": 1])
            try await withThrowingTaskGroup { group in
                for value in Int64(1)...10 {
                    group.addTask {
                        try await stream.setControls(["exposure_time_absolute": value]) == [
                            "exposure_time_absolute": value
                        ]
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    @Test("A program that ends answers those who wait, and says that the values may be set")
    func ended() async throws {
        let script =
            "line('control gain integer 0 9 1 0 0 active -')\nwrite(0, time.monotonic_ns() - 10_000_000)\nsys.stdin.readline()"
        try await withStream(script) { stream in
            let error = await #expect(throws: CameraError.self) { _ = try await stream.setControls(["gain": 1]) }
            #expect(error?.reason.contains("may have been set") == true)
        }
    }

    @Test("A program that never answers costs the caller five seconds of the clock, not the pictures")
    func silent() async throws {
        let bench = try ControlsBench()
        async let answer = bench.ask(["gain": 1])
        #expect(await bench.written() == "set 1 gain=1\n")
        bench.controls.expire(at: bench.now + .seconds(4))
        #expect(bench.controls.deadline == bench.now + .seconds(5))
        bench.controls.expire(at: bench.now + .seconds(5))
        #expect(await answer?.reason.contains("may have been set") == true)
        #expect(bench.controls.deadline == nil)
        // Its late answer is for nobody.
        try bench.controls.add(line: "done 1")
    }

    @Test(
        "A line that is none of controls ends the run",
        arguments: [
            "control gain integer 0 9 1 0 0 active", "control gain knob 0 9 1 0 0 active -",
            "control gain integer 9 0 1 0 0 active -",
            "control gain integer 0 9 0 0 0 active -", "control gain integer 0 9 1 0 x active -",
            "control gain integer 0 9 1 0 0 on -",
            "control Gain! integer 0 9 1 0 0 active -", "item gain 0 low", "hello", "done", "refused 1",
        ])
    func wrong(line: String) throws {
        let bench = try ControlsBench()
        #expect(throws: ProgramLines.Mismatch.self) { try bench.controls.add(line: line) }
    }

    @Test("Lines are the same, however they are cut, and a line without an end is refused")
    func cut() throws {
        var (lines, whole) = (ProgramLines(), [String]())
        for byte in "done 1\n5 2000 - -\n".utf8 { try lines.add([byte]) { whole.append($0) } }
        #expect(whole == ["done 1", "5 2000 - -"])
        let endless = String(repeating: "9", count: ProgramLines.longest + 1)
        #expect(throws: ProgramLines.Mismatch.self) { try lines.add(endless.utf8) { _ in } }
    }

    @Test("A program tells a bounded number of controls and items")
    func bounded() throws {
        var table = ControlTable()
        for number in 0..<ControlTable.mostControls {
            try table.add(control: "control c\(number) menu 0 99 1 0 0 active -")
        }
        #expect(throws: ProgramLines.Mismatch.self) {
            try table.add(control: "control one_more integer 0 1 1 0 0 active -")
        }
        for number in 0..<ControlTable.mostItems { try table.add(item: "item c0 \(number) text") }
        #expect(throws: ProgramLines.Mismatch.self) { try table.add(item: "item c0 99 text") }
    }
}

/// The controls of a program that is not run.
private struct ControlsBench {
    let controls: ProgramControls
    let now = LocalTime(nanoseconds: 1_000_000_000)

    init() throws {
        controls = ProgramControls(device: "left", wake: try EventFlag())
        try controls.add(line: "control gain integer 0 9 1 0 0 active -")
    }

    /// Asks for a change, and returns why it was not carried out.
    func ask(_ values: [String: Int64]) async -> CameraError? {
        do throws(CameraError) {
            _ = try await controls.setControls(values)
            return nil
        } catch {
            return error
        }
    }

    /// The line for the program, once there is one.
    func written() async -> String {
        while true {
            if let line = controls.next(at: now) { return line }
            await Task.yield()
        }
    }
}
