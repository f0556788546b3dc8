import CaptureModel
import RigConfiguration
import Testing

@Suite("A mistake in an agent's configuration is told wrongly or not at all") struct AgentProblemTests {
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
        Faulty("node: node1\ndevices: []\n", .badValue, "devices", "no device"),
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
        Faulty(Text.source("{ file: { path: left } }"), .badValue, "devices[0].source.file.path", "begin with '/'"),
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
        Faulty(Text.agent(["coordinator: tcp://host:0"]), .badValue, "coordinator", "no endpoint"),
        Faulty(Text.agent(["coordinator: tcp://fe80::1:7710"]), .badValue, "coordinator", "no endpoint"),
        Faulty(Text.agent(["coordinator: tcp://:7710"]), .badValue, "coordinator", "no endpoint"),
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
        Faulty(Text.device("latencyOffset: 0.5 ns"), .badValue, "devices[0].latencyOffset", "come out even"),
        Faulty(Text.device("uncertainty: -1 ms"), .badValue, "devices[0].uncertainty", "not within"),
        Faulty(Text.device("orientation: 45"), .badValue, "devices[0].orientation", "0, 90, 180, 270"),
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
        Faulty(Text.source("{}"), .badValue, "devices[0].source", "exactly one of 'v4l2', 'virtual' and 'file'"),
        Faulty(Text.source("{ virtual: {}, v4l2: { bus: a } }"), .badValue, "devices[0].source", "exactly one"),
        Faulty(Text.source("{ v4l2: {} }"), .badValue, "devices[0].source.v4l2", "exactly one"),
        Faulty(Text.source("{ v4l2: { bus: a, serial: b } }"), .badValue, "devices[0].source.v4l2", "exactly one"),
        Faulty(Text.source("{ v4l2: { path: video0 } }"), .badValue, "devices[0].source.v4l2.path", "begin with '/'"),
        Faulty(Text.source("{ virtual: { number: 65536 } }"), .badValue, "devices[0].source.virtual.number", "65535"),
        Faulty(
            Text.source("{ virtual: { jitterMilliseconds: 16 } }"), .badValue,
            "devices[0].source.virtual.jitterMilliseconds", "15"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: unpluged } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0].kind", "did you mean 'unplugged'?"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: busy, every: 2 } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0]", "takes neither"),
        Faulty(
            Text.source("{ virtual: { faults: [ { kind: torn, delaySeconds: 2 } ] } }"), .badValue,
            "devices[0].source.virtual.faults[0]", "slowStart"),
    ])
    func badValue(faulty: Faulty) { faulty.check(Text.problems(ofAgent: faulty.text)) }

    @Test("Two devices are taken for one, or one camera is opened twice")
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
