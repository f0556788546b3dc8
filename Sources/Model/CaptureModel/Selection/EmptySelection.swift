/// The error of a selection that matches no device, or that names something that does not exist. It lists what exists.
public struct EmptySelection: Error, Hashable, CustomStringConvertible {
    public var existing: [DeviceDescription]
    /// What the selection names and the rig does not have, such as `node 'nroth'`.
    public var unknown: [String]
    /// The devices that match but are left out, because their nodes do not configure them.
    public var leftOut: LeftOutDevices?

    public init(existing: [DeviceDescription], unknown: [String] = [], leftOut: LeftOutDevices? = nil) {
        self.existing = existing
        self.unknown = unknown
        self.leftOut = leftOut
    }

    /// What may have been meant by the quoted names that the rig does not have.
    private var suggestions: [String] {
        let devices = existing.map(\.id.description)
        let others = Set(existing.map(\.id.node.rawValue)).sorted() + existing.flatMap(\.labels)
        return unknown.compactMap { text in
            let name = text.split(separator: "'").last.map(String.init) ?? text
            return Spelling.nearest(to: name, among: name.contains("/") ? devices : others)
        }
    }

    public var description: String {
        guard !existing.isEmpty else {
            return "nothing is selected: the rig knows no device; start an agent that has cameras"
        }
        let lines = existing.map {
            "  \($0.id)  type \($0.type)  position \($0.position)  \($0.labels.joined(separator: " "))"
        }
        let reason = unknown.isEmpty ? "" : ", since the rig has no " + unknown.joined(separator: ", no ")
        let remark = (leftOut.map { "\n\($0)" } ?? "") + suggestions.map { "\ndid you mean \($0)?" }.joined()
        return "nothing is selected\(reason); these devices exist:\n" + lines.joined(separator: "\n") + remark
    }
}
