internal import ArgumentParser
internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import Synchronization

/// The selection of cameras.
struct SelectionOptions: ParsableArguments {
    @Flag(help: "Select every camera of the roster, absent ones too; each gets an outcome.")
    var all = false

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "A step of the chain: cameras of this type, at the position of the next --position.",
            discussion: "Repeat --type and --position in order of preference; each --type begins a step.",
            valueName: "type"))
    var types: [OrderedArgument] = []

    @Option(
        name: .customLong("position"),
        help: ArgumentHelp("The position for the preceding --type, or a separate step.", valueName: "position"))
    var positions: [OrderedArgument] = []

    @Flag(help: "Select only the first usable camera of the first step that has one, instead of every match.")
    var first = false

    @Option(
        help: ArgumentHelp(
            "With --first: select one camera in the rig, on each node, or for each label.",
            valueName: "rig|node|label"),
        transform: SelectionOptions.scope)
    var per: Selection.Scope?

    @Option(
        name: .customLong("node"), help: "Only cameras of this node; repeatable.", completion: .nodes,
        transform: { try NodeName($0) })
    var nodes: [NodeName] = []

    @Option(
        name: .customLong("device"), help: "Only this camera, as node/device; repeatable.",
        completion: .devices, transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    @Option(name: .customLong("label"), help: "Only cameras with this label; repeatable.")
    var labels: [String] = []

    /// Whether no option of the selection was given.
    var isEmpty: Bool {
        !all && !first && types.isEmpty && positions.isEmpty && nodes.isEmpty && devices.isEmpty && labels.isEmpty
    }

    func validate() throws {
        if all, first || !types.isEmpty || !positions.isEmpty {
            throw ValidationError(
                "--all selects every camera; it cannot be combined with --first, --type or --position.")
        }
        if per != nil, !first {
            throw ValidationError("--per needs --first: it says within what --first selects one camera.")
        }
        try selection.validateOptions()
    }

    /// The selection in the protocol's grammar.
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

/// A value of `--type` or `--position` with its position among all of them on the command line.
///
/// The argument parser returns the values of each option in order, but not how the values of two options interleave. It
/// creates values strictly from left to right, so a running number keeps the order.
struct OrderedArgument: ExpressibleByArgument, Equatable {
    var place: Int
    var text: String

    private static let lastPlace = Atomic<Int>(0)

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        place = Self.lastPlace.add(1, ordering: .relaxed).newValue
        text = argument
    }
}

extension TypeAndPosition {
    /// The chain on the command line: every `--type` begins a step. A `--position` right after a `--type` belongs to
    /// that step, and any other `--position` is a separate step.
    static func chain(types: [OrderedArgument], positions: [OrderedArgument]) -> [TypeAndPosition] {
        let words = types.map { ($0, isType: true) } + positions.map { ($0, isType: false) }
        var chain: [TypeAndPosition] = []
        var followsType = false
        for (word, isType) in words.sorted(by: { $0.0.place < $1.0.place }) {
            if isType {
                chain.append(TypeAndPosition(type: DeviceType(rawValue: word.text)))
            } else if followsType, let step = chain.indices.last {
                chain[step].position = Position(rawValue: word.text)
            } else {
                chain.append(TypeAndPosition(position: Position(rawValue: word.text)))
            }
            followsType = isType
        }
        return chain
    }
}
