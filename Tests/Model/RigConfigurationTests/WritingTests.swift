import CameraKit
import CaptureBackends
import CaptureModel
import FileCamera
import RigConfiguration
import Testing
import V4L2Camera
import VirtualDevices

@Suite("Prints with --print-config what the daemon runs with") struct WritingTests {
    private func roundTrip(_ agent: AgentConfiguration) throws {
        #expect(
            try AgentConfiguration.parse(text: try agent.yaml(), file: "printed", sources: Backends.all.sources)
                == agent)
    }

    @Test func virtualRig() throws {
        try roundTrip(
            .virtualRig(node: try NodeName("node1"), cameras: 5, framesPerSecond: 29.97, spoolFolder: "./a b: c"))
    }

    @Test(arguments: [
        "null", "~", "0x10", "yes", "a: b # c", "\"'\\", "- x", "Ünïcode 📷",
        String(repeating: "word ", count: 25) + ".",
    ])
    func awkwardTexts(text: String) throws {
        var source = VirtualCameraConfiguration()
        source.make = text
        source.serial = text
        let word = text.filter { !$0.isWhitespace }
        let device = DeviceConfiguration(
            name: try DeviceName("0"), type: DeviceType(rawValue: String(word.prefix(60))),
            position: Position(rawValue: String(word.prefix(60))), labels: [String(word.prefix(60)), "null"],
            purpose: text,
            source: .virtual(source))
        let paths: [V4L2Identity] = [.path("/" + text), .busInformation(text), .serial(text)]
        let cameras = try paths.enumerated().map { index, source in
            DeviceConfiguration(
                name: try DeviceName("c\(index)"), purpose: text, source: .v4l2(source, cameraClock: index == 1))
        }
        try roundTrip(AgentConfiguration(node: try NodeName("1"), devices: [device] + cameras))
    }

    @Test func everyField() throws {
        var source = VirtualCameraConfiguration()
        (source.seed, source.phaseMilliseconds, source.driftPPM, source.jitterMilliseconds) = (
            .max, -1.0 / 3, 1e-7, 0.1
        )
        source.faults = VirtualFault.Kind.allCases.map { kind in
            var fault = VirtualFault(kind)
            (fault.fromFrame, fault.fromSet, fault.afterSeconds, fault.forSeconds) = (.max, .max, 0.1, 1e-3)
            if kind == .slowStart { fault.delaySeconds = 2.5 }
            if kind == .torn { (fault.every, fault.probability, fault.count) = (.max, 0.25, 3) }
            return fault
        }
        source.actualFramesPerSecond = 7.5
        source.phaseControl = .none
        source.controls.delayFrames = 60
        source.controls.delayJitterFrames = 1
        source.controls.reportsFrameValues = false
        source.controls.reportsAutomaticValues = false
        source.controls.focusFrames = 600
        source.controls.focusFails = true
        source.look = VirtualLook()
        source.look?.toneExponent = 1.25
        source.controls.steps = ["gain": 96, "exposure_time_absolute": 10]
        source.controls.refuse = [
            VirtualRefusal(control: "integer_64_bits", from: .min, to: .max), VirtualRefusal(control: "gain"),
        ]
        let device = DeviceConfiguration(
            name: try DeviceName("cam0"), orientation: .degrees180, mirrored: true, purpose: "p", enabled: false,
            source: .virtual(source),
            format: FormatPreference(pixelFormat: .mjpeg, width: 1920, height: 1080, framesPerSecond: 59.94),
            quality: 1,
            stamps: .init(latencyOffset: .nanoseconds(-1), readout: .microseconds(1500), uncertainty: .zero),
            maxPhotoDimensions: .largest, sceneChange: SceneChangeSettings(threshold: 1),
            raw: RawSettings(
                isEnabled: true, compression: .none, colorMatrix: [1.0 / 3, 0, 0, 0, 1e-3, 0, -1e-9, 0, 100],
                asShotNeutral: [0.001, 1, 1000], blackLevel: 0, whiteLevel: .max))
        let thresholds = PressureThresholds(
            cpu: .init(fair: 0, serious: 1.5, critical: 1.5, shutdown: 100), margin: 7.25, calm: .milliseconds(1500))
        let agent = AgentConfiguration(
            node: try NodeName("node1"), coordinator: TCPEndpoint(host: "::1", port: 65_535),
            spool: .init(folder: "s", limit: ByteCount(123_457), reserve: ByteCount(0)),
            ring: .init(depth: .nanoseconds(1_000_000_001), memory: .mebibytes(3)),
            pressure: .init(enabled: false, thresholds: thresholds), clock: .init(discipline: true), devices: [device])
        try roundTrip(agent)
    }

    @Test func fileCamera() throws {
        let sources = [
            FileCameraConfiguration(path: "/a b: c"),
            FileCameraConfiguration(
                path: "/null", framesPerSecond: 29.97, loop: false, phaseMilliseconds: -1.0 / 3),
        ]
        let devices = try sources.enumerated().map { index, source in
            DeviceConfiguration(name: try DeviceName("f\(index)"), purpose: "p", source: .file(source))
        }
        try roundTrip(AgentConfiguration(node: try NodeName("1"), devices: devices))
    }

    @Test(arguments: [
        TransferRate.unlimited, .bytesPerSecond(40_000_000), .bytesPerSecond(1 << 20), .bytesPerSecond(.max),
    ])
    func coordinator(rate: TransferRate) throws {
        var coordinator = CoordinatorConfiguration()
        #expect(try CoordinatorConfiguration.parse(text: try coordinator.yaml(), file: "printed") == coordinator)
        coordinator.collect.rate = rate
        coordinator.state.folder = "/state"
        (coordinator.listen.host, coordinator.listen.basePort) = ("*", 0)
        coordinator.trigger.timeout = .microseconds(100_001)
        coordinator.clock.discipline = true
        coordinator.trigger.timing = TimingLimits(maxBound: .microseconds(1001), onExcess: .refuse)
        #expect(try CoordinatorConfiguration.parse(text: try coordinator.yaml(), file: "printed") == coordinator)
    }
}
