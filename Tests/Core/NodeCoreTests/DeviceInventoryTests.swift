import ALSAMicrophone
import CameraKit
import CaptureBackends
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import ControlMessages
import Foundation
import Logging
import RigConfiguration
import Testing
import V4L2Camera

@testable import NodeCore

@Suite struct DeviceInventoryTests {
    private let odd = #"7" \ #: {}"#
    private var cameras: [CameraListing] {
        [
            CameraListing(
                node: "/dev/video0", card: "Webcam\u{1B}[2J", driver: "uvcvideo", bus: "usb-0000:00:14.0-1",
                serial: odd, isSerialUnique: true, authorization: .authorized,
                configurationLines: [
                    V4L2Identity.serial(odd).configurationLine,
                    V4L2Identity.path("/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0").configurationLine,
                    V4L2Identity.busInformation("usb-0000:00:14.0-1").configurationLine,
                ]),
            CameraListing(
                node: "/dev/video2", card: "Twin", serial: "0001", isSerialUnique: false, authorization: .denied,
                remedy: "join the group"),
        ]
    }

    @Test("Prints lines that are valid configuration for the camera they name")
    func lines() throws {
        let table = inventory(cameras).table
        let lines = table.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("source:") }
        let sources = try lines.map { line in
            let text = "node: n\ndevices:\n  - name: front\n    purpose: why\n    \(line)\n"
            return try #require(
                try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources).devices.first
            ).source
        }
        #expect(
            sources == [
                .v4l2(.serial(odd)),
                .v4l2(.path("/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0")),
                .v4l2(.busInformation("usb-0000:00:14.0-1")),
            ])
    }

    @Test("The first configuration of a node has every device that can be named, under the name that stays")
    func firstConfiguration() throws {
        let found = try FoundDevices(inventory(cameras, microphones))
        #expect(found.leftOut == ["Twin"] && found.cameras.count == 1 && found.microphones.count == 1)
        let text = found.yaml(
            node: try NodeName("left-arm"), coordinator: "tcp://192.168.10.1:7710", spool: "/a \"b\"/spool", keys: "/k")
        let read = try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources)
        #expect(read.node.rawValue == "left-arm" && read.coordinator.description == "tcp://192.168.10.1:7710")
        #expect(read.spool.folder == "/a \"b\"/spool" && read.keys == "/k")
        #expect(read.devices.map(\.source) == [.v4l2(.serial(odd))] && read.devices.map(\.name.rawValue) == ["cam1"])
        #expect(read.microphones.map(\.name.rawValue) == ["mic1"])
    }

    @Test("A listing is a configuration that can be used as it is, also on a machine without cameras")
    func startingConfiguration() throws {
        func text(_ cameras: [CameraListing]) throws -> String {
            try FoundDevices(inventory(cameras)).yaml(
                by: .listing, node: try NodeName("north"), coordinator: "tcp://rig:7710", spool: "/s")
        }
        for (cameras, count) in [(cameras, 1), ([], 0)] {
            let text = try text(cameras)
            let read = try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources)
            #expect(read.devices.count == count && read.node.rawValue == "north")
            #expect(text.contains("capctl demo") == (count == 0))
        }
        #expect(try text(cameras).contains("# Left out, since nothing names it permanently: Twin\n"))
    }

    @Test("A choice of devices that none matches is refused, and names those that there are")
    func chosenDevices() throws {
        let found = try FoundDevices(inventory(cameras, microphones), only: ["usb audio"])
        #expect(found.cameras.isEmpty && found.microphones.count == 1)
        let error = #expect(throws: NoSuchDevice.self) {
            try FoundDevices(inventory(cameras, microphones), only: ["C920"])
        }
        #expect(error?.titles.contains("Twin") == true)
        let none = try FoundDevices(DeviceInventory([]))
        let text = none.yaml(node: try NodeName("n"), coordinator: "tcp://rig:7710", spool: "/s")
        let read = try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources)
        #expect(read.devices.isEmpty && read.microphones.isEmpty)
    }

    /// As the backends say what they have found.
    private func inventory(
        _ cameras: [CameraListing], _ microphones: [MicrophoneListing] = []
    ) -> DeviceInventory {
        DeviceInventory([
            Discovery(cameras, absence: "This machine has no V4L2 camera."),
            Discovery(microphones, absence: "This machine has no ALSA microphone."),
        ])
    }

    private var microphones: [MicrophoneListing] {
        [
            MicrophoneListing(
                device: "hw:CARD=Webcam,DEV=0", description: "Webcam\u{1B}[2J: USB Audio", authorization: .denied,
                remedy: "join the group")
        ]
    }

    @Test("Lists each microphone with a line that is valid configuration")
    func microphoneLines() throws {
        let table = inventory([], microphones).table
        let line = try #require(table.split(separator: "\n").first { $0.contains("source:") })
        let text =
            "node: n\nmicrophones:\n  - name: desk\n    purpose: why\n    \(line.drop { $0 == " " })\n"
            + "devices:\n  - { name: front, purpose: why, source: { virtual: {} } }\n"
        let source = try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources).microphones
            .first?.source
        #expect(source == .alsa(device: "hw:CARD=Webcam,DEV=0"))
        #expect(table.contains("denied: join the group") && table.contains("no V4L2 camera"))
        #expect(!table.contains("\u{1B}"))
        #expect(inventory(cameras).table.contains("no ALSA microphone"))
    }

    @Test("Escapes a camera's texts, and shows the remedy of a refusal")
    func table() {
        let table = inventory(cameras).table
        #expect(!table.contains("\u{1B}"))
        #expect(table.contains("denied: join the group"))
        #expect(table.contains("serial 0001, which another camera has too"))
        #expect(inventory([]).table.contains("no V4L2 camera"))
    }

    @Test("Prints the list as JSON")
    func json() throws {
        struct Document: Decodable {
            var cameras: [CameraListing]
            var microphones: [MicrophoneListing]
        }
        let data = Data(try inventory(cameras, microphones).json().utf8)
        let document = try JSONDecoder().decode(Document.self, from: data)
        #expect(document.cameras == cameras && document.microphones == microphones)
    }
}

@Suite struct DeviceLogTests {
    private let captured = CapturedLog()
    private let log: DeviceLog
    private let camera: DeviceID

    init() throws {
        log = DeviceLog(captured.logger)
        camera = try DeviceID("north/cam")
    }

    private func note(
        _ state: DeviceCondition.State, _ reason: String? = nil, phase: SessionCondition.Phase = .running,
        of device: DeviceID? = nil
    ) {
        let session = SessionCondition(phase: phase)
        log.note(device ?? camera, .video, DeviceCondition(state: state, reason: reason, session: session))
    }

    private var told: [String] { captured.lines.value.map { "\($0.level): \($0.message)" } }

    @Test("Logs each failure of a camera and its end as one line")
    func troubles() {
        note(.starting)
        note(.running)
        for state in [DeviceCondition.State.absent, .busy, .denied, .stalled, .failed] {
            note(state, "why", phase: .restarting)
            note(.running)
        }
        #expect(
            told == [
                "info: a camera runs", "warning: a camera is absent", "info: a camera has recovered",
                "warning: a camera is busy", "info: a camera has recovered", "warning: a camera is denied",
                "info: a camera has recovered", "warning: a camera is stalled", "info: a camera has recovered",
                "warning: a camera has failed", "info: a camera has recovered",
            ])
        #expect(
            captured.lines.value[1].metadata == ["camera.id": "north/cam", "camera.before": "runs", "reason": "why"])
    }

    @Test("Logs a camera that is not tried again as an error, and its return")
    func givenUp() {
        note(.failed, "attempt 1", phase: .restarting)
        note(.failed, "attempt 2", phase: .restarting)
        note(.failed, "the end", phase: .failed)
        note(.starting)
        note(.running)
        note(.failed, "no such format", phase: .configurationFailed)
        #expect(
            told == [
                "warning: a camera has failed", "error: a camera has failed, and is not tried again by itself",
                "info: a camera has recovered",
                "error: a camera has failed, and is not tried again by itself",
            ])
    }

    @Test("Logs what settings transactions have done to a camera, and what has failed")
    func settings() {
        var generator = SeededGenerator(seed: 6)
        let id = SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
        let effect = SettingsEffect(
            accepted: BoundedRigTime(time: RigTime(nanoseconds: 5), bound: .zero), controls: [:],
            change: SettingsChangeover(evidence: .unknown))
        let problem = RigProblem(.deviceLost, "why")
        log.note(camera, SettingsNotice.changed(id, .success(effect)))
        log.note(camera, SettingsNotice.undone(id, nil))
        log.note(camera, SettingsNotice.undone(id, problem))
        #expect(
            told == [
                "info: settings of a camera have changed", "info: settings of a camera are undone",
                "warning: settings of a camera have failed",
            ])
        #expect(
            captured.lines.value[2].metadata
                == ["camera.id": "north/cam", "settings.id": "\(id)", "reason": "why"])
    }

    @Test("Logs only changes")
    func noChange() throws {
        let other = try DeviceID("north/cam2")
        for _ in 0..<3 {
            note(.running)
            note(.starting, phase: .interrupted)
        }
        note(.running, of: other)
        note(.stopped, "somebody stopped it")
        note(.running)
        #expect(
            told == ["info: a camera runs", "info: a camera runs", "info: a camera is stopped", "info: a camera runs"])
        log.note(try DeviceID("north/desk"), .audio, DeviceCondition(state: .absent))
        #expect(captured.lines.value.last?.message == "a microphone is absent")
        #expect(captured.lines.value.last?.metadata == ["microphone.id": "north/desk"])
    }

    @Test("Logs a microphone that opens and closes as needed for debugging only")
    func microphone() throws {
        let desk = try DeviceID("north/desk")
        for state in [DeviceCondition.State.stopped, .running, .stopped, .denied, .stopped] {
            log.note(desk, .audio, DeviceCondition(state: state))
        }
        #expect(
            told == [
                "debug: a microphone is stopped", "debug: a microphone runs", "debug: a microphone is stopped",
                "warning: a microphone is denied", "info: a microphone is stopped",
            ])
    }
}

@Suite struct DeviceRequestLogTests {
    private let epoch = Epoch.random()

    private func name(_ verdict: DeviceRequestLog.Verdict) -> String {
        switch verdict {
        case .carryOut: "carryOut"
        case .ignore: "ignore"
        case .answer(let answer):
            if case .failure(let problem) = answer.outcome { problem.code.rawValue } else { "answer" }
        }
    }

    /// Whether the coordinator that asked is still there to be answered.
    private func finish(_ number: UInt64, in log: inout DeviceRequestLog, from coordinator: Epoch) -> Bool {
        log.finish(DeviceAnswer(number: number, outcome: .success(.controls([:]))), from: coordinator)
    }

    @Test("Carries out a repeated request once")
    func repeats() {
        var log = DeviceRequestLog()
        #expect(name(log.accept(1, from: epoch)) == "carryOut")
        #expect(name(log.accept(1, from: epoch)) == "ignore")
        #expect(finish(1, in: &log, from: epoch))
        #expect(name(log.accept(1, from: epoch)) == "answer")
    }

    @Test("Answers only the coordinator that asked")
    func otherCoordinator() {
        var log = DeviceRequestLog()
        #expect(name(log.accept(1, from: epoch)) == "carryOut")
        let next = Epoch.random()
        #expect(name(log.accept(1, from: next)) == "carryOut")
        #expect(!finish(1, in: &log, from: epoch))
        #expect(finish(1, in: &log, from: next))
    }

    @Test("Bounds the requests under way")
    func bounds() {
        var log = DeviceRequestLog()
        for number in 1...UInt64(DeviceRequestLog.underWayLimit) {
            #expect(name(log.accept(number, from: epoch)) == "carryOut")
        }
        #expect(name(log.accept(99, from: epoch)) == "noMemory")
        #expect(finish(1, in: &log, from: epoch))
        #expect(name(log.accept(99, from: epoch)) == "carryOut")
        for number in 2...UInt64(DeviceRequestLog.underWayLimit) { _ = finish(number, in: &log, from: epoch) }
        for number in 1000...UInt64(1000 + DeviceRequestLog.answerLimit) {
            _ = log.accept(number, from: epoch)
            _ = finish(number, in: &log, from: epoch)
        }
        #expect(name(log.accept(1, from: epoch)) == "carryOut", "an answer that old is forgotten")
    }
}
