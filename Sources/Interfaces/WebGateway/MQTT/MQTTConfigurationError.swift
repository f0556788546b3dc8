internal import CaptureModel
internal import Glibc
internal import RigSecurity

/// Why a bridge cannot be configured as it is asked: a sentence that says what to do.
public struct MQTTConfigurationError: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
