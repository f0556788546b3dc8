/// The identities of one capture node that mean it and nothing else on this machine, best first. Pure.
struct CameraIdentities: Hashable, Sendable {
    /// Empty for a node that nothing but its number names.
    var usable: [V4L2Identity]

    /// - Parameters:
    ///   - busInformation: As the driver says.
    ///   - all: Every capture node of the machine with its bus information, this one included.
    init(_ node: VideoNode, busInformation: String, among all: [(node: VideoNode, busInformation: String)]) {
        let others = all.filter { $0.node.name != node.name }
        usable = []
        if let serial = node.usb?.serial, !serial.isEmpty, !others.contains(where: { $0.node.usb?.serial == serial }) {
            usable.append(.serial(serial))
        }
        if let link = node.pathLinks.first { usable.append(.path(link)) }
        if !busInformation.isEmpty, !others.contains(where: { $0.busInformation == busInformation }) {
            usable.append(.busInformation(busInformation))
        }
    }
}
