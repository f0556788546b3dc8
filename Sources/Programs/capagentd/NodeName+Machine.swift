import ArgumentParser
import CaptureModel
import Foundation
import RigSecurity

extension NodeName {
    /// Returns the name of this machine as that of its node.
    /// - Parameter option: The option with which a person gives another name.
    /// - Throws: `ValidationError` if it cannot be the name of a node.
    static func ofThisMachine(orOption option: String) throws -> NodeName {
        let host = ProcessInfo.processInfo.hostName
        guard let name = KeyName(suggestedBy: String(host.prefix { $0 != "." })) else {
            throw ValidationError("the machine's name '\(host)' cannot be the name of a node; give one: \(option) NAME")
        }
        return try NodeName(name.rawValue)
    }
}
