import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing
import V4L2Camera
import VirtualDevices

@Suite("Reports each mistake in an agent's configuration") struct AgentProblemTests {
    private static let measurement = "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"

    @Test(arguments: [
        Faulty(Text.agent(["rign: { depth: 3 s }"]), .unknownKey, "rign", "did you mean 'ring'?"),
        Faulty(Text.agent(["ring: { dpeth: 3 s }"]), .unknownKey, "ring.dpeth", "did you mean 'depth'?"),
        Faulty(Text.agent(["ring: { zzzzzzzz: 3 s }"]), .unknownKey, "ring.zzzzzzzz", "keys here are depth, memory"),
        Faulty(Text.device("Orientaton: 90"), .unknownKey, "devices[0].Orientaton", "'orientation'"),
        Faulty(Text.device("format: { fps: 30 }"), .unknownKey, "devices[0].format.fps", "framesPerSecond"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: torn, evry: 2 } ] } }"), .unknownKey,
            "devices[0].source.virtual.faults[0].evry", "'every'"),
        Faulty(Text.agent(["? [a, b]\n: 1"]), .wrongType, "", "a key must be a single word"),
    ])
    func unknownKey(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty("devices: [ { name: a, purpose: b, source: { virtual: {} } } ]", .missingKey, "node", "required"),
        Faulty("node: node1\n", .missingKey, "devices", "required"),
        Faulty(
            "node: node1\ndevices: [ { name: a, source: { virtual: {} } } ]", .missingKey, "devices[0].purpose",
            "required"),
        Faulty(
            "node: node1\ndevices: [ { purpose: b, source: { virtual: {} } } ]", .missingKey, "devices[0].name",
            "required"),
        Faulty("node: node1\ndevices: [ { name: a, purpose: b } ]", .missingKey, "devices[0].source", "required"),
        Faulty(
            Text.source("{ virtual: { faults: [ { every: 2 } ] } }"), .missingKey,
            "devices[0].source.virtual.faults[0].kind", "required"),
    ])
    func missingKey(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty(Text.source("{ file: {} }"), .missingKey, "devices[0].source.file.path", "required"),
        Faulty(
            Text.source("{ file: { path: /a, fps: 30 } }"), .unknownKey, "devices[0].source.file.fps",
            "framesPerSecond"),
        Faulty(
            Text.source("{ file: { path: /a, framesPerSecond: 0 } }"), .badValue,
            "devices[0].source.file.framesPerSecond", "0.01 to 1000"),
        Faulty(Text.source("{ file: { path: /a, loop: 2 } }"), .badValue, "devices[0].source.file.loop", "true nor"),
        Faulty(
            Text.source("{ file: { path: /a, phaseMilliseconds: nan } }"), .badValue,
            "devices[0].source.file.phaseMilliseconds", "number"),
        Faulty(Text.source("{ file: { path: /a }, virtual: {} }"), .badValue, "devices[0].source", "exactly one"),
    ])
    func fileCamera(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty(
            Text.agent(["frames: { preview: { gravity: fit } }"]), .badValue, "frames.preview.gravity",
            "aspect, aspectFill, resize"),
        Faulty(
            Text.agent(["frames: { preview: { width: 4097, gravity: resize } }"]), .badValue, "frames.preview",
            "4096 pixels"),
    ])
    func gravity(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty(
            Text.agent(["pressure: { cpu: { fair: 80 } }"]), .badValue, "pressure.cpu",
            "do not ascend from fair to shutdown"),
        Faulty(Text.agent(["pressure: { io: { critical: 102 } }"]), .badValue, "pressure.io.critical", "0.0 to 101.0"),
        Faulty(Text.agent(["pressure: { memory: { full: 3 } }"]), .unknownKey, "pressure.memory.full", "keys here"),
        Faulty(Text.agent(["pressure: { calm: 0 s }"]), .badValue, "pressure.calm", "1 s"),
    ])
    func pressure(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty("just text", .wrongType, "", "must be a mapping"),
        Faulty("- a\n- b\n", .wrongType, "", "not a list"),
        Faulty(Text.agent(["ring: 3 s"]), .wrongType, "ring", "must be a mapping"),
        Faulty(Text.agent(["ring:"]), .wrongType, "ring", "not nothing"),
        Faulty(Text.agent(["ring: { depth: }"]), .wrongType, "ring.depth", "no value"),
        Faulty(Text.agent(["ring: { depth: [3 s] }"]), .wrongType, "ring.depth", "not a list"),
        Faulty("node: node1\ndevices: { cam0: { purpose: b } }\n", .wrongType, "devices", "must be a list"),
        Faulty("node: node1\ndevices: [ cam0 ]\n", .wrongType, "devices[0]", "must be a mapping"),
        Faulty(Text.device("labels: face"), .wrongType, "devices[0].labels", "must be a list"),
        Faulty(Text.device("labels: [ { a: b } ]"), .wrongType, "devices[0].labels[0]", "not a mapping"),
        Faulty(Text.source("{ virtual: }"), .wrongType, "devices[0].source.virtual", "not nothing"),
        Faulty(Text.source("{ v4l2: /dev/video0 }"), .wrongType, "devices[0].source.v4l2", "must be a mapping"),
    ])
    func wrongType(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty(
            "node: Node 1\ndevices: [ { name: a, purpose: b, source: { virtual: {} } } ]", .badValue, "node", "1 to 24"),
        Faulty(
            "node: n\ndevices: [ { name: ../a, purpose: b, source: { virtual: {} } } ]", .badValue, "devices[0].name",
            "1 to 24"),
        Faulty(Text.agent(["coordinator: 10.0.0.1:7710"]), .badValue, "coordinator", "tcp://HOST:PORT"),
        Faulty(Text.agent(["coordinator: tcp://host:0"]), .badValue, "coordinator", "not an endpoint"),
        Faulty(Text.agent(["coordinator: tcp://fe80::1:7710"]), .badValue, "coordinator", "not an endpoint"),
        Faulty(Text.agent(["coordinator: tcp://:7710"]), .badValue, "coordinator", "not an endpoint"),
        Faulty(Text.agent(["spool: { limit: 3 bytes }"]), .badValue, "spool.limit", "unknown unit 'bytes'"),
        Faulty(Text.agent(["spool: { limit: 3 }"]), .badValue, "spool.limit", "has no unit"),
        Faulty(Text.agent(["spool: { limit: -3 GiB }"]), .badValue, "spool.limit", "not within"),
        Faulty(Text.agent(["spool: { limit: 99999999999 TiB }"]), .badValue, "spool.limit", "too large"),
        Faulty(Text.agent(["spool: { limit: 99999999999999999999 B }"]), .badValue, "spool.limit", "too large"),
        Faulty(Text.agent(["spool: { folder: ' ' }"]), .badValue, "spool.folder", "empty"),
        Faulty(Text.agent([#"spool: { folder: "a\0b" }"#]), .badValue, "spool.folder", "control"),
        Faulty(Text.agent(["ring: { depth: three s }"]), .badValue, "ring.depth", "number with a unit"),
        Faulty(Text.agent(["ring: { depth: 3 S }"]), .badValue, "ring.depth", "unknown unit 'S'"),
        Faulty(Text.agent(["ring: { depth: 1.2.3 s }"]), .badValue, "ring.depth", "not a decimal number"),
        Faulty(Text.agent(["ring: { depth: 61 s }"]), .badValue, "ring.depth", "500 ms to 60 s"),
        Faulty(Text.device("latencyOffset: 0.5 ns"), .badValue, "devices[0].latencyOffset", "expressed exactly"),
        Faulty(Text.device("uncertainty: -1 ms"), .badValue, "devices[0].uncertainty", "not within"),
        Faulty(Text.device("measurement: \(measurement)"), .badValue, "devices[0]", "only together"),
        Faulty(
            Text.device("measurement: cam", "sharedUncertainty: 0 ms"), .badValue, "devices[0].measurement",
            "not the id of a measurement"),
        Faulty(
            Text.device("uncertainty: 1 ms", "sharedUncertainty: 2 ms", "measurement: \(measurement)"), .badValue,
            "devices[0]", "more than that"),
        Faulty(Text.device("orientation: 45"), .badValue, "devices[0].orientation", "0, 90, 180 or 270"),
        Faulty(Text.device("enabled: yes"), .badValue, "devices[0].enabled", "true nor false"),
        Faulty(Text.device("maxPhotoDimensions: 4K"), .badValue, "devices[0].maxPhotoDimensions", "2560x1440"),
        Faulty(Text.device("maxPhotoDimensions: 0x720"), .badValue, "devices[0].maxPhotoDimensions", "neither"),
        Faulty(Text.device("quality: 101"), .badValue, "devices[0].quality", "1 to 100"),
        Faulty(Text.device("quality: high"), .badValue, "devices[0].quality", "whole number"),
        Faulty(Text.device("sceneChange: 24"), .badValue, "devices[0].sceneChange", "true nor false"),
        Faulty(Text.device("sceneChangeThreshold: 256"), .badValue, "devices[0].sceneChangeThreshold", "1 to 255"),
        Faulty(Text.device("raw: dng"), .badValue, "devices[0].raw", "true nor false"),
        Faulty(Text.device("rawCompression: zip"), .badValue, "devices[0].rawCompression", "lossless"),
        Faulty(Text.device("colorMatrix: [1, 0, 0]"), .badValue, "devices[0].colorMatrix", "9 are needed"),
        Faulty(
            Text.device("colorMatrix: [1, 2, 3, 2, 4, 6, 0, 0, 1]"), .badValue, "devices[0].colorMatrix", "inverted"),
        Faulty(Text.device("asShotNeutral: [1, 0, 1]"), .badValue, "devices[0].asShotNeutral[1]", "0.001"),
        Faulty(Text.device("blackLevel: -1"), .badValue, "devices[0].blackLevel", "65535"),
        Faulty(Text.device("blackLevel: 64", "whiteLevel: 64"), .badValue, "devices[0]", "not below"),
        Faulty(Text.device("type: very wide"), .badValue, "devices[0].type", "spaces"),
        Faulty(Text.device("labels: [ '' ]"), .badValue, "devices[0].labels[0]", "empty"),
        Faulty(Text.device("format: { pixelFormat: MJPEG }"), .badValue, "devices[0].format.pixelFormat", "'MJPG'"),
        Faulty(Text.device("format: { width: 0 }"), .badValue, "devices[0].format.width", "65535"),
        Faulty(
            Text.device("format: { framesPerSecond: nan }"), .badValue, "devices[0].format.framesPerSecond", "number"),
        Faulty(
            Text.source("{}"), .badValue, "devices[0].source",
            "exactly one of 'v4l2', 'virtual', 'file', 'command', 'rtsp', 'gphoto' and 'aravis'"),
        Faulty(Text.source("{ virtual: {}, v4l2: { bus: a } }"), .badValue, "devices[0].source", "exactly one"),
        Faulty(Text.source("{ v4l2: {} }"), .badValue, "devices[0].source.v4l2", "exactly one"),
        Faulty(Text.source("{ v4l2: { bus: a, serial: b } }"), .badValue, "devices[0].source.v4l2", "exactly one"),
        Faulty(Text.source("{ v4l2: { path: video0 } }"), .badValue, "devices[0].source.v4l2.path", "begin with '/'"),
        Faulty(
            Text.source("{ v4l2: { bus: a, cameraClock: maybe } }"), .badValue, "devices[0].source.v4l2.cameraClock",
            "neither true nor false"),
        Faulty(Text.source("{ virtual: { number: 65536 } }"), .badValue, "devices[0].source.virtual.number", "65535"),
        Faulty(
            Text.source("{ virtual: { jitterMilliseconds: 16 } }"), .badValue,
            "devices[0].source.virtual.jitterMilliseconds", "15"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: unpluged } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0].kind", "did you mean 'unplugged'?"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: busy, every: 2 } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0]", "accepts neither"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: torn, delaySeconds: 2 } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0]", "slowStart"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: unplugged, fromSet: 0 } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0].fromSet", "from 1 to"),
    ])
    func badValue(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test(arguments: [
        Faulty(Text.controls("delayFrames: 61"), .badValue, "controls.delayFrames", "0 to 60"),
        Faulty(Text.controls("delayJitterFrames: -1"), .badValue, "controls.delayJitterFrames", "0 to 60"),
        Faulty(Text.controls("delayFrame: 1"), .unknownKey, "controls.delayFrame", "did you mean 'delayFrames'?"),
        Faulty(Text.controls("reportsFrameValues: 0"), .badValue, "controls.reportsFrameValues", "true nor false"),
        Faulty(Text.controls("steps: [ 3 ]"), .wrongType, "controls.steps", "must be a mapping"),
        Faulty(Text.controls("steps: { gain: 0 }"), .badValue, "controls.steps.gain", "1 to 96"),
        Faulty(Text.controls("steps: { auto_exposure: 1 }"), .unknownKey, "controls.steps.auto_exposure", "exposure"),
        Faulty(Text.controls("refuse: [ { from: 1 } ]"), .missingKey, "controls.refuse[0].control", "required"),
        Faulty(
            Text.controls("refuse: [ { control: gian } ]"), .badValue, "controls.refuse[0].control",
            "did you mean 'gain'?"),
        Faulty(Text.controls("refuse: [ { control: gain, from: 49 } ]"), .badValue, "controls.refuse[0].from", "to 48"),
        Faulty(
            Text.controls("refuse: [ { control: gain, from: 2, to: 1 } ]"), .badValue, "controls.refuse[0]",
            "nothing is refused"),
    ])
    func controls(faulty: Faulty) {
        var faulty = faulty
        faulty.key = "devices[0].source.virtual.\(faulty.key)"
        faulty.check(Text.problems(ofAgent: faulty.text))
    }

    @Test("Refuses two devices of one name or one camera twice")
    func duplicates() {
        let text = """
            node: node1
            devices:
              - { name: a, purpose: p, source: { v4l2: { serial: X } } }
              - { name: a, purpose: p, source: { v4l2: { serial: Y } } }
              - { name: b, purpose: p, source: { v4l2: { serial: X } } }
              - { name: c, purpose: p, source: { v4l2: { serial: X } }, enabled: false }
            """
        let problems = Text.problems(ofAgent: text)
        #expect(problems.map(\.code) == [.duplicate, .duplicate])
        #expect(problems.map(\.line) == [4, 5])
        #expect(problems.map(\.key) == ["devices[1]", "devices[2]"])
    }
}

@Suite struct AgentConfigurationTests {
    @Test("Applies the documented defaults")
    func defaults() throws {
        let agent = try AgentConfiguration.parse(text: Text.agent(), file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.node.rawValue == "node1")
        #expect(agent.coordinator == TCPEndpoint(host: "127.0.0.1", port: 7710))
        #expect(agent.spool.folder == "/var/lib/caprig/spool")
        #expect(agent.spool.limit.bytes == 2 << 30)
        #expect(agent.spool.reserve.bytes == 256 << 20)
        #expect(agent.ring.depth == .seconds(3))
        #expect(agent.ring.memory.bytes == 512 << 20)
        #expect(agent.frames.enabled && agent.frames.listen == .init(host: "127.0.0.1", port: 0))
        #expect(agent.frames.advertise == nil && agent.frames.quality == 75)
        #expect(agent.frames.preview == .init(width: 640, height: 360, gravity: .aspect))
        let device = try #require(agent.devices.first)
        #expect(device.type == .external && device.position == .unspecified && device.labels.isEmpty)
        #expect(device.orientation == .degrees0 && !device.mirrored && device.enabled && device.quality == 90)
        #expect(device.format == FormatPreference() && device.stamps == StampCorrection())
        #expect(device.source == .virtual(VirtualCameraConfiguration()))
        #expect(device.sceneChange == nil)
        #expect(device.live)
    }

    @Test("Keeps each gravity", arguments: VideoGravity.allCases)
    func gravity(gravity: VideoGravity) throws {
        let text = Text.agent(["frames: { preview: { width: 4096, height: 16, gravity: \(gravity.rawValue) } }"])
        let agent = try AgentConfiguration.parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.frames.preview == .init(width: 4096, height: 16, gravity: gravity))
        let printed = try agent.yaml()
        let again = try AgentConfiguration.parse(text: printed, file: "printed", sources: Backends.all.sources)
        #expect(again.frames == agent.frames)
    }

    @Test("Keeps every setting that it reads")
    func everyKey() throws {
        let text = """
            node: n-2
            coordinator: tcp://[fe80::1%eth0]:9000
            spool: { folder: /spool, limit: 1.5 GB, reserve: 0 B }
            ring: { depth: 2500 ms, memory: 64 MiB }
            frames:
              enabled: false
              listen: { host: "*", port: 9100 }
              advertise: edge7.local
              quality: 60
              preview: { width: 320, height: 240, gravity: aspectFill }
            devices:
              - name: cam0
                type: telephoto
                position: A1
                labels: [face, "2"]
                orientation: 270
                mirrored: true
                purpose: Für das Gesicht
                enabled: false
                source: { v4l2: { serial: 0012, cameraClock: true } }
                format: { pixelFormat: YUYV, width: 640, height: 480, framesPerSecond: 29.97 }
                quality: 75
                maxPhotoDimensions: 2560x1440
                live: false
                align: true
                sceneChange: true
                sceneChangeThreshold: 40
                raw: true
                rawCompression: none
                colorMatrix: [1.5, -0.25, 0, 0, 1, 0, 1e-1, 0, 0.5]
                asShotNeutral: [0.5, 1, 0.75]
                blackLevel: 64
                whiteLevel: 1000
                latencyOffset: -12.5 ms
                readout: 9ms
                uncertainty: 40 us
                measuredExposure: 8 ms
                measuredFormat: MJPG 1280x720 30 fps
                measuredOn: 2026-11-30
                measuredStamps: cameraClock
                measurement: 019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f
                sharedUncertainty: 30 us
            """
        let agent = try AgentConfiguration.parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.coordinator.description == "tcp://[fe80::1%eth0]:9000")
        #expect(agent.spool == .init(folder: "/spool", limit: ByteCount(1_500_000_000), reserve: ByteCount(0)))
        #expect(agent.ring == .init(depth: .milliseconds(2500), memory: .mebibytes(64)))
        let frames = AgentConfiguration.Frames(
            enabled: false, listen: .init(host: "*", port: 9100), advertise: "edge7.local", quality: 60,
            preview: .init(width: 320, height: 240, gravity: .aspectFill))
        #expect(agent.frames == frames)
        #expect(
            try AgentConfiguration.parse(text: try agent.yaml(), file: "printed", sources: Backends.all.sources).frames
                == frames)
        let device = DeviceConfiguration(
            name: try DeviceName("cam0"), type: DeviceType(rawValue: "telephoto"), position: Position(rawValue: "A1"),
            labels: ["face", "2"], orientation: .degrees270, mirrored: true, purpose: "Für das Gesicht", enabled: false,
            source: .v4l2(.serial("0012"), cameraClock: true),
            format: FormatPreference(pixelFormat: .yuyv, width: 640, height: 480, framesPerSecond: 29.97), quality: 75,
            stamps: StampCorrection(
                latencyOffset: .microseconds(-12_500), readout: .milliseconds(9), uncertainty: .microseconds(40),
                measuredExposure: .milliseconds(8), measuredFormat: "MJPG 1280x720 30 fps",
                measuredOn: CalendarDay("2026-11-30"), measuredStamps: .cameraClock,
                sharedError: SharedError(
                    try #require(MeasurementID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f")), bound: .microseconds(30))),
            maxPhotoDimensions: .limit(PixelSize(width: 2560, height: 1440)),
            live: false, align: true,
            sceneChange: SceneChangeSettings(threshold: 40),
            raw: RawSettings(
                isEnabled: true, compression: .none, colorMatrix: [1.5, -0.25, 0, 0, 1, 0, 0.1, 0, 0.5],
                asShotNeutral: [0.5, 1, 0.75], blackLevel: 64, whiteLevel: 1000))
        #expect(agent.devices == [device])
    }

    @Test("Keeps every key of a virtual camera")
    func virtualCamera() throws {
        let text = Text.source(
            """
            { virtual: { number: 7, width: 640, height: 360, framesPerSecond: 15,
                  actualFramesPerSecond: 7.5, quality: 50,
                  seed: 18446744073709551615, phaseMilliseconds: -3.5, jitterMilliseconds: 1e-1, driftPPM: -20,
                  exposureMilliseconds: 2, gainDecibels: 6, readoutMilliseconds: 0, stampBoundMilliseconds: 0.5,
                  phaseControl: restart, startDelayMilliseconds: 2000, make: A, model: B, serial: C, truth: /tmp/truth,
                  faults: [ { kind: slowStart, delaySeconds: 3, count: 1 },
                            { kind: torn, fromFrame: 5, afterSeconds: 1.5, forSeconds: 2, every: 3, probability: 0.5 } ] } }
            """)
        var source = VirtualCameraConfiguration()
        (source.number, source.width, source.height, source.framesPerSecond) = (7, 640, 360, 15)
        source.actualFramesPerSecond = 7.5
        (source.quality, source.seed, source.phaseMilliseconds, source.jitterMilliseconds) = (50, .max, -3.5, 0.1)
        (source.driftPPM, source.exposureMilliseconds, source.gainDecibels) = (-20, 2, 6)
        (source.readoutMilliseconds, source.stampBoundMilliseconds, source.startDelayMilliseconds) = (0, 0.5, 2000)
        (source.make, source.model, source.serial, source.truth) = ("A", "B", "C", "/tmp/truth")
        source.phaseControl = .restart
        var slow = VirtualFault(.slowStart)
        (slow.delaySeconds, slow.count) = (3, 1)
        var torn = VirtualFault(.torn)
        (torn.fromFrame, torn.afterSeconds, torn.forSeconds, torn.every, torn.probability) = (5, 1.5, 2, 3, 0.5)
        source.faults = [slow, torn]
        let agent = try AgentConfiguration.parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.devices.first?.source == .virtual(source))
    }

    @Test("Gives each demo camera its own name and phase")
    func virtualRig() throws {
        let rig = AgentConfiguration.virtualRig(node: try NodeName("node3"), cameras: 12, firstNumber: 65_530)
        #expect(rig.devices.map(\.name.rawValue) == (0..<12).map { "cam\($0)" })
        let sources = rig.devices.compactMap { $0.source.configuration as? VirtualCameraConfiguration }
        #expect(Set(sources.map(\.number)).count == 12)
        #expect(Set(sources.map(\.phaseMilliseconds)).count > 9)
        #expect(sources.allSatisfy { (0..<1000 / 30).contains($0.phaseMilliseconds) })
        #expect(AgentConfiguration.virtualRig(node: rig.node, cameras: -1).devices.count == 1)
        #expect(AgentConfiguration.virtualRig(node: rig.node, cameras: .max).devices.count == 128)
    }
}
