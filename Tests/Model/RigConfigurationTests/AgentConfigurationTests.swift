import CameraKit
import CaptureBackends
import CaptureModel
import RigConfiguration
import Testing
import V4L2Camera
import VirtualDevices

@Suite struct AgentConfigurationTests {
    @Test("A short configuration has other defaults than the documents say")
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
        #expect(device.format == FormatWish() && device.stamps == StampCorrection())
        #expect(device.source == .virtual(VirtualCameraConfiguration()))
        #expect(device.sceneChange == nil)
        #expect(device.live)
    }

    @Test("A setting is read and lost")
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
                source: { v4l2: { serial: 0012 } }
                format: { pixelFormat: YUYV, width: 640, height: 480, framesPerSecond: 29.97 }
                quality: 75
                maxPhotoDimensions: 2560x1440
                live: false
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
            source: .v4l2(.serial("0012")),
            format: FormatWish(pixelFormat: .yuyv, width: 640, height: 480, framesPerSecond: 29.97), quality: 75,
            stamps: StampCorrection(
                latencyOffset: .microseconds(-12_500), readout: .milliseconds(9), uncertainty: .microseconds(40)),
            maxPhotoDimensions: .limit(PixelSize(width: 2560, height: 1440)),
            live: false,
            sceneChange: SceneChangeSettings(threshold: 40),
            raw: RawSettings(
                isEnabled: true, compression: .none, colorMatrix: [1.5, -0.25, 0, 0, 1, 0, 0.1, 0, 0.5],
                asShotNeutral: [0.5, 1, 0.75], blackLevel: 64, whiteLevel: 1000))
        #expect(agent.devices == [device])
    }

    @Test("A key of a virtual camera is read and lost")
    func virtualCamera() throws {
        let text = Text.source(
            """
            { virtual: { number: 7, width: 640, height: 360, framesPerSecond: 15, quality: 50,
                  seed: 18446744073709551615, phaseMilliseconds: -3.5, jitterMilliseconds: 1e-1, driftPPM: -20,
                  exposureMilliseconds: 2, gainDecibels: 6, readoutMilliseconds: 0, stampBoundMilliseconds: 0.5,
                  startDelayMilliseconds: 2000, make: A, model: B, serial: C,
                  faults: [ { kind: slowStart, delaySeconds: 3, count: 1 },
                            { kind: torn, fromFrame: 5, afterSeconds: 1.5, forSeconds: 2, every: 3, probability: 0.5 } ] } }
            """)
        var source = VirtualCameraConfiguration()
        (source.number, source.width, source.height, source.framesPerSecond) = (7, 640, 360, 15)
        (source.quality, source.seed, source.phaseMilliseconds, source.jitterMilliseconds) = (50, .max, -3.5, 0.1)
        (source.driftPPM, source.exposureMilliseconds, source.gainDecibels) = (-20, 2, 6)
        (source.readoutMilliseconds, source.stampBoundMilliseconds, source.startDelayMilliseconds) = (0, 0.5, 2000)
        (source.make, source.model, source.serial) = ("A", "B", "C")
        var slow = VirtualFault(.slowStart)
        (slow.delaySeconds, slow.count) = (3, 1)
        var torn = VirtualFault(.torn)
        (torn.fromFrame, torn.afterSeconds, torn.forSeconds, torn.every, torn.probability) = (5, 1.5, 2, 3, 0.5)
        source.faults = [slow, torn]
        let agent = try AgentConfiguration.parse(text: text, file: "agent.yaml", sources: Backends.all.sources)
        #expect(agent.devices.first?.source == .virtual(source))
    }

    @Test("The demo's cameras cannot be told apart, or expose all at once")
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
