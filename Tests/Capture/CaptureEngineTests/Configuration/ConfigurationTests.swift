import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing
import TurboJPEG
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct ConfigurationTests {
    private func input(
        _ name: String, width: Int = 320, change: (inout VirtualCameraConfiguration) -> Void = { _ in }
    ) throws -> CaptureDeviceInput {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height, configuration.framesPerSecond) = (width, 240, 25)
        change(&configuration)
        let camera = VirtualCamera(name: name, configuration: configuration)
        let description = DeviceDescription(
            id: try DeviceID("north/\(name)"), orientation: .degrees90, mirrored: true, driver: "virtual")
        return CaptureDeviceInput(device: CaptureDevice(description: description, camera: camera))
    }

    private func replaced(_ session: CaptureSession, by input: CaptureDeviceInput) throws -> SessionConfiguration {
        var configuration = session.beginConfiguration()
        configuration.removeInput(session.device.id)
        try configuration.addInput(input)
        return configuration
    }

    /// Runs `body` while the clock goes on, as it has to for a camera to start.
    private func passing<Value: Sendable>(
        _ stage: Stage, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        let isDone = Observed(false)
        let watching = Task {
            _ = await task.result
            isDone.change { $0 = true }
        }
        while !isDone.value {
            stage.clock.advance(by: .milliseconds(1))
            _ = await stage.session.condition
        }
        await watching.value
        return try await task.value
    }

    @Test("Refuses a second camera, and says why")
    func canAdd() throws {
        let stage = try Stage()
        var configuration = stage.session.beginConfiguration()
        let other = try input("other")
        #expect(!configuration.canAddInput(other))
        let objection = configuration.objection(toAdding: other)
        #expect(objection?.reason == .inputPresent && objection?.message.contains("north/cam") == true)
        #expect(throws: ConfigurationFailure.self) { try configuration.addInput(other) }
        #expect(!configuration.canAddOutput(.photo))
        #expect(configuration.objection(toAdding: CaptureOutputKind.photo)?.reason == .outputPresent)
        configuration.removeOutput(.photo)
        #expect(configuration.canAddOutput(.photo))
        #expect(configuration.connection(to: .photo) == nil)
        configuration.removeInput(stage.session.device.id)
        #expect(configuration.connections.isEmpty)
        try configuration.addInput(other)
        #expect(configuration.connections.map(\.input) == [other.device.id, other.device.id])
        #expect(configuration.orientation == .degrees90 && configuration.isVideoMirrored == true, "a camera's own")
    }

    @Test("Says of a microphone that it is not a camera")
    func notACamera() throws {
        var configuration = try Stage().session.beginConfiguration()
        configuration.removeInput(try DeviceID("north/cam"))
        let description = DeviceDescription(id: try DeviceID("north/mic"), mediaType: .audio, driver: "virtual")
        let microphone = CaptureDeviceInput(
            device: CaptureDevice(description: description, camera: VirtualCamera(name: "mic")))
        #expect(configuration.objection(toAdding: microphone)?.reason == .notACamera)
    }

    @Test("Says which presets a camera can fulfill, and changes nothing")
    func canSetPreset() async throws {
        let stage = try Stage()
        var configuration = stage.session.beginConfiguration()
        let revision = configuration.revision
        configuration.removeInput(stage.session.device.id)
        #expect(await configuration.objection(toSetting: .photo)?.reason == .noInput)
        try configuration.addInput(try offering("other"))
        let objection = await configuration.objection(toSetting: .high)
        #expect(objection?.reason == .noFormat && objection?.message.contains("'high'") == true)
        for preset in [SessionPreset.photo, .inputPriority] { #expect(await configuration.canSetPreset(preset)) }
        configuration.removeInput(try DeviceID("north/other"))
        try configuration.addInput(try input("away") { $0.faults = [VirtualFault(.unplugged)] })
        #expect(await configuration.objection(toSetting: .low)?.reason == .unknownOffers)
        #expect(configuration.preset == .inputPriority)
        #expect(stage.session.beginConfiguration().revision == revision)
    }

    @Test("Says before a commit which step would refuse it, and changes nothing")
    func canCommit() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let session = stage.session
            var configuration = try replaced(session, by: try offering("other"))
            #expect(await session.canCommitConfiguration(configuration))
            configuration.preset = .high
            #expect(await session.objection(toCommitting: configuration)?.step == .resolvePreset)
            let denied = try replaced(session, by: try input("denied") { $0.faults = [VirtualFault(.denied)] })
            #expect(await session.objection(toCommitting: denied)?.step == .start)
            configuration.removeInput(try DeviceID("north/other"))
            #expect(await session.objection(toCommitting: configuration)?.step == .validate)

            _ = try await session.arm(stage.order(stage.now + .seconds(1))).get()
            let other = try replaced(session, by: try input("other"))
            #expect(await session.objection(toCommitting: other)?.step == .finishCaptures)
            var turned = session.beginConfiguration()
            turned.setOrientation(.degrees180)
            #expect(await session.canCommitConfiguration(turned), "outputs change without the camera")
            try await session.commitConfiguration(turned)
            #expect(await session.objection(toCommitting: turned)?.step == .begin)
            #expect(session.device.id.description == "north/cam")
            #expect(stage.recorder.states == [.running], "the camera was neither closed nor exchanged")
        }
    }

    @Test(
        "Takes smaller stills under a smaller preset",
        arguments: zip([SessionPreset.high, .medium, .low], [640, 320, 160]))
    func smallerPreset(preset: SessionPreset, width: Int) async throws {
        let stage = try Stage { ($0.width, $0.height, $0.framesPerSecond) = (640, 360, 30) }
        try await stage.run {
            await stage.start()
            var configuration = stage.session.beginConfiguration()
            configuration.preset = preset
            _ = try await passing(stage) { [configuration] in
                try await stage.session.commitConfiguration(configuration)
            }
            await stage.advance(frames: 4)
            let order = stage.order(stage.now)
            let resolved = try await stage.session.arm(order).get()
            #expect((resolved.width, resolved.height) == (width, width * 9 / 16))
            let report = try #require(await stage.fire(order).report)
            let still = try JPEGDecoder().verify(try await stage.still(report))
            #expect((still.width, still.height) == (width, width * 9 / 16))
        }
    }

    @Test("Keeps disabled outputs and the orientation when the camera is replaced")
    func replacing() throws {
        let stage = try Stage()
        var own = stage.session.beginConfiguration()
        own.setEnabled(false, .photo)
        own.removeOutput(.videoData)
        var other = own
        other.removeInput(stage.session.device.id)
        try other.addInput(try input("other"))
        other.setEnabled(true, .photo)
        other.setOrientation(.degrees180)
        let replaced = own.replacingInput(by: other)
        #expect(replaced.inputs.map(\.device.id.description) == ["north/other"])
        #expect(replaced.outputs == own.outputs && replaced.connections.map(\.output) == own.outputs)
        #expect(replaced.connections.map(\.isEnabled) == own.connections.map(\.isEnabled))
        #expect(replaced.connections.allSatisfy { $0.input.description == "north/other" })
        #expect(replaced.orientation == .degrees180 && replaced.isVideoMirrored == true)
        #expect(other.replacingInput(by: own).isVideoMirrored == false)
        #expect(replaced.revision == own.revision)
    }

    @Test("Refuses to commit a configuration that another one has changed")
    func stale() async throws {
        let stage = try Stage()
        var first = stage.session.beginConfiguration()
        var second = stage.session.beginConfiguration()
        first.setOrientation(.degrees180)
        second.setOrientation(.degrees270)
        #expect(try await stage.session.commitConfiguration(first) == ["orientation: 0 degrees → 180 degrees"])
        let refusal = await #expect(throws: ConfigurationFailure.self) {
            try await stage.session.commitConfiguration(second)
        }
        #expect(refusal?.step == .begin)
        #expect(stage.session.device.orientation == .degrees180)
        #expect(stage.session.beginConfiguration().revision > first.revision)
    }

    @Test("Refuses a configuration without a camera")
    func noInput() async throws {
        let stage = try Stage()
        var configuration = stage.session.beginConfiguration()
        configuration.removeInput(stage.session.device.id)
        let refusal = await #expect(throws: ConfigurationFailure.self) {
            try await stage.session.commitConfiguration(configuration)
        }
        #expect(refusal?.step == .validate)
        #expect(stage.session.device.id.description == "north/cam")
    }

    @Test("Refuses a photo over a disabled connection, and names the level")
    func disabledOutput() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            var configuration = stage.session.beginConfiguration()
            configuration.setEnabled(false, .photo)
            try await stage.session.commitConfiguration(configuration)
            let problem = await stage.session.arm(stage.order(stage.now)).failure
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains("not enabled") == true)
            #expect(await stage.session.abilities.photo.isAllowed == false)
            #expect(stage.recorder.states.count { $0 == .running } == 1, "the camera was not closed for that")
        }
    }

    @Test("Keeps frames of the old camera out after it is replaced")
    func otherInput() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let configuration = try replaced(stage.session, by: try input("other"))
            let before = stage.now - Stage.period * 2
            let changes = try await passing(stage) { try await stage.session.commitConfiguration(configuration) }
            #expect(changes.first == "input: north/cam → north/other")
            #expect(changes.contains("stream: MJPG 160x120 25 fps → MJPG 320x240 25 fps"))
            #expect(stage.session.device.id.description == "north/other")
            #expect(await stage.session.condition.state == .running)
            let past = await stage.session.arm(stage.order(before, shot: 2)).failure
            #expect(past?.code == .beforeRing, "nothing is left of the old camera")
            let old = stage.order(stage.now, device: "north/cam")
            #expect(await stage.session.arm(old).failure?.code == .notRunning)
            let started = stage.recorder.events.compactMap { event -> String? in
                if case .session(let device, .didStartRunning) = event { device.description } else { nil }
            }
            #expect(started == ["north/cam", "north/other"])
        }
    }

    @Test("Keeps its camera where another one cannot replace it")
    func restored() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let busy = try input("busy") { $0.faults = [VirtualFault(.busy)] }
            let configuration = try replaced(stage.session, by: busy)
            let outcome = try await passing(stage) { () -> ConfigurationFailure? in
                do throws(ConfigurationFailure) {
                    try await stage.session.commitConfiguration(configuration)
                    return nil
                } catch {
                    return error
                }
            }
            let failure = try #require(outcome)
            #expect(failure.step == .start && failure.isRestored)
            #expect(failure.cause.contains("another program"))
            #expect(stage.session.device.id.description == "north/cam")
            #expect(await stage.session.condition.state == .running)
            #expect(stage.session.beginConfiguration().revision == configuration.revision)
        }
    }

    @Test("Refuses to replace the camera during a capture")
    func pendingCapture() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .seconds(1))
            _ = try await stage.session.arm(order).get()
            let configuration = try replaced(stage.session, by: try input("other"))
            let refusal = await #expect(throws: ConfigurationFailure.self) {
                try await stage.session.commitConfiguration(configuration)
            }
            #expect(refusal?.step == .finishCaptures)
            #expect(await stage.session.condition.state == .running)
            #expect(await stage.session.abilities.switchInput.isAllowed == false)
        }
    }

    @Test("Streams what the preset asks for, and refuses a preset that the camera cannot fulfill")
    func preset() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            var configuration = try replaced(stage.session, by: try offering("other"))
            configuration.preset = .high
            let refusal = try await passing(stage) { [configuration] in
                await #expect(throws: ConfigurationFailure.self) {
                    try await stage.session.commitConfiguration(configuration)
                }
            }
            #expect(refusal?.step == .resolvePreset, "nothing comes at 30 frames a second")
            #expect(await stage.session.condition.state == .running)
            configuration.preset = .photo
            let changes = try await passing(stage) { [configuration] in
                try await stage.session.commitConfiguration(configuration)
            }
            #expect(changes.contains("stream: MJPG 160x120 25 fps → MJPG 480x360 10 fps"))
        }
    }

    /// A camera with two sizes, the larger one slower.
    private func offering(_ name: String) throws -> CaptureDeviceInput {
        let sizes = [(320, 240, 40), (480, 360, 100)].map { width, height, milliseconds in
            let interval = Int64(milliseconds) * 1_000_000
            return SizeOffer(
                widths: PixelRange(width, width), heights: PixelRange(height, height),
                intervals: [IntervalOffer(shortestNanoseconds: interval, longestNanoseconds: interval)])
        }
        let camera = OfferingCamera(
            camera: VirtualCamera(name: name), formats: [FormatOffer(pixelFormat: .mjpeg, sizes: sizes)])
        let description = DeviceDescription(id: try DeviceID("north/\(name)"), driver: "virtual")
        return CaptureDeviceInput(device: CaptureDevice(description: description, camera: camera))
    }
}

/// A virtual camera that offers certain formats only.
private struct OfferingCamera: Camera {
    let camera: VirtualCamera
    let formats: [FormatOffer]

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        try await camera.start(request, clock: clock)
    }

    func authorization() async -> AuthorizationStatus { await camera.authorization() }
    func capabilities() async throws(CameraError) -> DeviceCapabilities { DeviceCapabilities(formats: formats) }
}
