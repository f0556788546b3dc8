import CaptureModel
import RigSecurity

/// Why an event was not recorded.
public struct AuditRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
