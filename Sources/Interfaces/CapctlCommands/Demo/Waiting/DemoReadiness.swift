internal import CaptureModel
internal import RigDocuments

/// What the rig of a demo lacks before it can be triggered.
struct DemoReadiness: Equatable {
    /// What is awaited, in the order in which a rig gets it.
    enum Stage: CaseIterable {
        case coordinator, agents, devices, clocks
        /// Frames and sound from before the instant, for the clips.
        case history
    }

    /// Something that is missing.
    struct Lack: Equatable {
        var stage: Stage
        /// A sentence that names the node, camera or microphone.
        var sentence: String
    }

    /// In the order of the stages.
    private(set) var lacks: [Lack]
    private var hasMicrophones = false

    /// How far frames and sound must reach back for a whole clip.
    static let clipReach = LivePhotoMovie.fullPreRoll
    /// A rig whose coordinator does not answer.
    static let unanswered = DemoReadiness(
        lacks: [Lack(stage: .coordinator, sentence: "the coordinator does not answer; asking again")])

    private init(lacks: [Lack]) {
        self.lacks = lacks
    }

    /// - Parameters:
    ///   - nodes: The nodes as the coordinator sees them.
    ///   - devices: Their cameras and microphones.
    ///   - sound: Brought up to date with the devices.
    ///   - needsHistory: Whether the shots have clips.
    init(
        of plan: DemoPlan, nodes: [NodeStatus], devices: [DeviceStatus], sound: inout SoundReach, needsHistory: Bool
    ) {
        hasMicrophones = plan.microphoneCount > 0
        lacks = plan.nodes.compactMap { node in Self.lack(of: node, nodes) }
        lacks += devices.filter { !$0.condition.isUsable }.map { Self.lack(of: $0) }
        for microphone in devices where microphone.device.mediaType == .audio {
            let reach = sound.update(microphone, sampleRate: DemoPlan.sampleRate)
            if needsHistory, microphone.condition.isUsable { note(reach, of: "sound", "\(microphone.device.id)") }
        }
        for node in nodes where needsHistory && node.isConnected {
            note(node.ringDepth, of: "frames", "\(node.node)")
        }
        lacks = Stage.allCases.flatMap { stage in lacks.filter { $0.stage == stage } }
    }

    var isComplete: Bool { lacks.isEmpty }

    /// Whether pictures can be taken; clips may lack their beginning.
    var isUsable: Bool { lacks.allSatisfy { $0.stage == .history } }

    /// What is awaited first.
    var topic: String {
        switch lacks.first?.stage {
        case .coordinator: "waiting for the coordinator"
        case .agents: "waiting for agents to connect"
        case .devices: hasMicrophones ? "waiting for cameras and microphones" : "waiting for cameras"
        case .clocks: "waiting for clocks"
        case .history: "waiting for \(Self.clipReach.shortText) of \(hasMicrophones ? "frames and sound" : "frames")"
        case nil: "ready"
        }
    }

    /// What the first stage lacks, in short.
    var detail: String {
        let first = lacks.filter { $0.stage == lacks.first?.stage }
        let shown = first.prefix(2).map(\.sentence).joined(separator: "; ")
        return first.count > 2 ? "\(shown); \(first.count - 2) more" : shown
    }

    /// Everything that is missing.
    var problem: String { lacks.map(\.sentence).joined(separator: "; ") }

    private mutating func note(_ reach: Duration, of what: String, _ subject: String) {
        guard reach < Self.clipReach else { return }
        lacks.append(Lack(stage: .history, sentence: "\(subject) has \(reach.shortText) of \(what)"))
    }

    private static func lack(of node: DemoPlan.Node, _ nodes: [NodeStatus]) -> Lack? {
        guard let found = nodes.first(where: { $0.node == node.name }), found.isConnected else {
            return Lack(stage: .agents, sentence: "\(node.name) is not connected")
        }
        let expected = node.cameras.count + (node.microphone == nil ? 0 : 1)
        guard found.devices == expected else {
            let what = node.microphone == nil ? "cameras" : "cameras and microphones"
            return Lack(stage: .devices, sentence: "\(node.name) has \(found.devices) of \(expected) \(what)")
        }
        guard found.clockBound == nil else { return nil }
        return Lack(stage: .clocks, sentence: "\(node.name) is not synchronized")
    }

    private static func lack(of status: DeviceStatus) -> Lack {
        let reason = status.condition.reason.map { " (\($0))" } ?? ""
        return Lack(stage: .devices, sentence: "\(status.device.id) is \(status.condition.state.rawValue)\(reason)")
    }
}
