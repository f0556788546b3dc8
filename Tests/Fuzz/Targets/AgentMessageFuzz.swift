import CaptureModel
import ControlMessages
import RigProtocol
import RigWire

@testable import RigCore

/// What an agent says on the control channel, as the coordinator reads it.
enum AgentMessageFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let message = WireAgreement.message(WireAgentMessage.self, .control, bytes) else { return }
        let node = try? NodeName(message.node)
        if let node { _ = try? NodeMessage(wire: message.body, from: node) }
        switch message.body {
        case .hello(let hello): try read(hello, node, Epoch(rawValue: message.epoch))
        case .heartbeat(let heartbeat):
            for device in heartbeat.devices { try check(device) }
            try check(heartbeat.frames)
        case .prepareResult(let result):
            try WireAgreement.check(ResolvedPhotoSettings.self, result.armed)
            try check(result.refused)
        case .captured(let report): try check(report)
        case .missed(let missed): try check(missed.problem)
        case .events(let batch):
            for event in batch.events {
                try WireAgreement.check(event, { try NumberedEvent(wire: $0) }, { $0.wire })
            }
        case .deviceAnswer(let answer):
            try ClientReplyFuzz.check(answer.reply)
            try check(answer.problem)
        case .inventory(let inventory): for report in inventory.captures { try check(report) }
        case nil: break
        }
    }

    private static func read(_ hello: WireHello, _ node: NodeName?, _ epoch: Epoch?) throws {
        for device in hello.devices { try check(device) }
        for report in hello.inventory { try check(report) }
        try check(hello.frames)
        try WireAgreement.check(hello.busLibrary, { try BusLibrary(wire: $0) }, { $0.wire })
        guard let node, let epoch, case .hello(let read)? = try? NodeMessage(wire: .hello(hello), from: node) else {
            return
        }
        try FuzzFinding.unless(
            read.devices.allSatisfy { $0.device.id.node == node }, "a node speaks for another one's devices")
        try join(read, node, epoch)
    }

    /// Takes the hello twice, as when the agent has lost its connection.
    private static func join(_ hello: NodeHello, _ node: NodeName, _ epoch: Epoch) throws {
        var roster = Roster()
        let devices = hello.devices.map { RosterDevice(description: $0.device, condition: $0.condition) }
        for second: Int64 in 1...2 {
            let verdict = roster.hello(
                from: node, agent: ConnectedAgent(hello, epoch: epoch), devices: devices,
                at: LocalTime(nanoseconds: second * 1_000_000_000), timeout: .seconds(3))
            guard case .accepted(let isNew, _, _) = verdict else { return }
            try FuzzFinding.unless(isNew == (second == 1), "a hello that is repeated counts as another agent")
        }
        try FuzzFinding.unless(
            roster.devices.count == Set(hello.devices.map(\.device.id)).count, "the roster has other devices")
    }

    static func check(_ device: WireDeviceStatus) throws {
        try WireAgreement.check(device, { try DeviceStatus(wire: $0) }, { $0.wire })
    }

    private static func check(_ report: String) throws {
        try WireAgreement.check(CaptureReport.self, report)
    }

    private static func check(_ frames: WireFramesStatus) throws {
        try WireAgreement.check(frames, { try FramesStatus(wire: $0) }, { $0.wire })
    }

    static func check(_ problem: WireProblem) throws {
        try WireAgreement.check(problem, { RigProblem(wire: $0) }, { $0.wire })
    }
}
