internal import ArgumentParser
internal import CaptureModel

/// Which cameras are meant.
struct SelectionOptions: ParsableArguments {
    @Flag(help: "Every camera of the roster; an absent one becomes a missed outcome.")
    var all = false

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "A step of the chain: cameras of this type, at the position that follows.",
            discussion: "Repeat --type and --position in order of preference; each --type begins a step.",
            valueName: "type"))
    var types: [ChainWord] = []

    @Option(
        name: .customLong("position"),
        help: ArgumentHelp("The position of the --type before it, or a step of its own.", valueName: "position"))
    var positions: [ChainWord] = []

    @Flag(help: "Take the first usable camera of the first step that has one, instead of every match.")
    var first = false

    @Option(
        help: ArgumentHelp(
            "With --first: take one camera in the whole rig, on every node, or of every label.",
            valueName: "rig|node|label"),
        transform: SelectionOptions.scope)
    var per: Selection.Scope?

    @Option(
        name: .customLong("node"), help: "Only cameras of this node; repeatable.", transform: { try NodeName($0) })
    var nodes: [NodeName] = []

    @Option(
        name: .customLong("device"), help: "Only this camera, as node/device; repeatable.",
        transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    @Option(name: .customLong("label"), help: "Only cameras with this label; repeatable.")
    var labels: [String] = []

    /// Whether anything was said at all.
    var isEmpty: Bool {
        !all && !first && types.isEmpty && positions.isEmpty && nodes.isEmpty && devices.isEmpty && labels.isEmpty
    }

    func validate() throws {
        if all, first || !types.isEmpty || !positions.isEmpty {
            throw ValidationError(
                "--all takes every camera, so it goes with neither --first nor --type nor --position.")
        }
        if per != nil, !first {
            throw ValidationError("--per says within what --first takes one camera; add --first.")
        }
    }

    /// The selection in the grammar of the bus.
    var selection: Selection {
        let chain = TypeAndPosition.chain(types: types, positions: positions)
        let choice: Selection.Choice =
            first ? .first(chain, per: per ?? .rig) : chain.isEmpty ? .all : .matching(chain)
        return Selection(nodes: nodes, devices: devices, labels: labels, choice: choice)
    }

    private static func scope(_ text: String) throws -> Selection.Scope {
        guard let scope = Selection.Scope(rawValue: text) else {
            throw ValidationError("one of \(Selection.Scope.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return scope
    }
}
